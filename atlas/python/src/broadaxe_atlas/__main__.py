"""Speaks the protocol of the Atlas on the standard input and output, so that a function of Python is an adapter.

python -m broadaxe_atlas mine:answer
"""

import argparse
import json
import math
import os
import sys

from broadaxe_atlas._atlas import Question, Skip, add_current_folder, ask, described, load, read


def reply(question, answer):
    """Return the line of the protocol for an answer."""
    line = {"id": question.id}
    if isinstance(answer, Skip):
        return {**line, "skip": str(answer) or "the function does not say why"}
    if isinstance(answer, Exception):
        return {**line, "reject": described(answer)}
    try:
        shape, values = read(answer)
    except TypeError as error:
        # A line without a shape is judged as a crash, and the text is in the message.
        return {**line, "error": str(error)}
    # JSON has no numbers that are not finite.
    numbers = [None if not math.isfinite(value) else int(value) if value.is_integer() else value for value in values]
    return {**line, "shape": shape, "values": numbers}


def main():
    """Answer the questions of the standard input."""
    parser = argparse.ArgumentParser(prog="python -m broadaxe_atlas", description="Answer the questions of the Atlas on the standard input.")
    parser.add_argument("function", metavar="MODULE:FUNCTION", help="the function that answers a question")
    parser.add_argument("--engine", help="the name of the engine, for reports (default: the name of the module)")
    parser.add_argument("--engine-version", default="", help="the version of the engine, for reports")
    parser.add_argument("--device", default="cpu", help="where the engine computes, for reports (default: cpu)")
    words = parser.parse_args()
    # What the function and its libraries print must not be read as answers.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    add_current_folder()
    try:
        function = load(words.function)
    except ValueError as error:
        parser.error(str(error))

    def say(line):
        answers.write(json.dumps(line) + "\n")
        answers.flush()

    engine = words.engine or words.function.partition(":")[0]
    say({"engine": engine, "version": words.engine_version, "device": words.device})
    for line in sys.stdin:
        if line.strip():
            question = Question(json.loads(line))
            answer = ask(function, question)
            text = reply(question, answer)
            if "error" in text:
                sys.stderr.write(f"{question.id}: {text['error']}\n")
            say(text)


if __name__ == "__main__":
    main()
