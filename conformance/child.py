"""The process that an engine lives in: reads questions, writes answers as they come."""

import os
import pickle
import sys


def main(name):
    """Answer batches of questions until there are no more."""
    # Engines write to the standard output as they like; the answers go another way.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    from .engines import ENGINES

    engine = ENGINES[name]()
    engine.start()
    pickle.dump(engine.version(), answers)
    answers.flush()
    while True:
        try:
            questions = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        for index, answer in engine.answers(questions):
            pickle.dump((index, answer), answers)
            if engine.streams:
                answers.flush()
        answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
