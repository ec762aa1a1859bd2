"""What all engines share."""


class Engine:
    """An engine that answers one question at a time."""

    name, system, opset = "", None, None
    streams, full_only = True, False

    def start(self):
        """Load the engine."""

    def answers(self, questions):
        """Yield the place of each question and its answer."""
        for index, question in enumerate(questions):
            yield index, self.answer(question)
