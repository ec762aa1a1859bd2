"""Answers questions about one-node models: the part that the scripts of all engines share.

A question is a line of JSON, followed by the bytes that it counts; so is an answer. The script of an engine defines `start()`, which returns
the name of the device or nothing, and raises an exception if the engine cannot work here, and `answer(question)`, which returns an array, or raises an exception if the engine refuses the node.
"""

import faulthandler
import json
import os
import sys
import threading
import time


class Unasked(Exception):
    """The node could not be put to the engine."""


class Tensor:
    """An input of a node, or its result, which has no elements."""

    def __init__(self, said, data):
        self.name, self.dtype, self.shape, self.constant = said["name"], said["dtype"], said["shape"], said["constant"]
        self.data = data

    def array(self):
        """Return the elements as an array of NumPy."""
        import numpy

        return numpy.frombuffer(self.data, numpy_dtype(self.dtype)).reshape(self.shape)


class Question:
    """A node, its inputs, and for an ONNX model the file of the node."""

    def __init__(self, said, read):
        self.op, self.version, self.options = said["op"], said["version"], said["options"]
        self.model = read(said["model"]) if said["model"] is not None else None
        self.inputs = [Tensor(one, read(one["bytes"])) if one else None for one in said["inputs"]]
        self.output = Tensor(said["output"], b"")

    def computed(self):
        """Return the inputs that are not constants, each once."""
        found = {}
        for one in self.inputs:
            if one and not one.constant:
                found.setdefault(one.name, one)
        return list(found.values())

    def feeds(self):
        """Return the arrays of the inputs that are not constants, by their names."""
        return {one.name: one.array() for one in self.computed()}


def numpy_dtype(name):
    """Return NumPy's name of a dtype such as f32."""
    kinds = {"f": "float", "i": "int", "u": "uint"}
    return "bool" if name == "bool" else kinds[name[0]] + name[1:]


def written(result):
    """Return an answer's shape, the kind of its elements, and the elements."""
    if isinstance(result, tuple):
        return result
    import numpy

    result = numpy.asarray(result)
    kind = "<f8" if result.dtype == numpy.float64 else "<f4" if result.dtype.kind == "f" else "<i8"
    return list(result.shape), kind[1:], numpy.ascontiguousarray(result).astype(kind).tobytes()


def leave_with_parent():
    """End when the command that asks has ended."""
    parent = os.getppid()
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def main():
    """Answer questions until there are no more."""
    # Engines write to the standard output as they like; the answers go another way.
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    os.dup2(nothing, 2)
    questions = sys.stdin.buffer
    if os.name == "posix":
        threading.Thread(target=leave_with_parent, daemon=True).start()

    def read(count):
        data = questions.read(count)
        if len(data) != count:
            os._exit(1)
        return data

    def say(answer, data=b""):
        answers.write(json.dumps(answer).encode() + b"\n" + data)
        answers.flush()

    try:
        device = start()  # noqa: F821 - the script of the engine defines it
    except BaseException as why:
        return say({"fails": f"{type(why).__name__}: {why}"[:600]})
    say({"ready": True, "device": device})
    for line in iter(questions.readline, b""):
        said = json.loads(line)
        question = Question(said, read)
        # The command ends a process that does not answer; this is for the case that the command itself was ended.
        with open(os.devnull, "w") as null:
            faulthandler.dump_traceback_later(said["seconds"] + 5, exit=True, file=null)
            try:
                shape, kind, data = written(answer(question))  # noqa: F821
                say({"shape": [int(dim) for dim in shape], "kind": kind, "bytes": len(data)}, data)
            except Unasked as why:
                say({"unknown": str(why)[:600]})
            except Exception as why:
                say({"refused": f"{type(why).__name__}: {why}"[:600]})
            faulthandler.cancel_dump_traceback_later()
