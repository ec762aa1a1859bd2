"""The process that an engine lives in: reads questions, writes answers as they come."""

import os
import sys

import numpy as np

from .question import Lacking, Question, Refused, framed, unframed


def written(index, answer):
    """Return the bytes of an answer."""
    if isinstance(answer, (Lacking, Refused)):
        return framed({"index": index, type(answer).__name__: answer.why})
    return framed({"index": index}, [np.asarray(answer)])


def main(name):
    """Answer batches of questions until there are no more."""
    # Engines write to the standard output as they like; the answers go another way.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    from .engines import ENGINES

    engine = ENGINES[name]()
    engine.start()
    answers.write(framed({"version": engine.version()}))
    answers.flush()
    while (batch := unframed(sys.stdin.buffer)) is not None:
        for index, answer in engine.answers([Question.read(sys.stdin.buffer) for _ in range(batch[0]["questions"])]):
            answers.write(written(index, answer))
            if engine.streams:
                answers.flush()
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
