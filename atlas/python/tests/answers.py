"""Answers questions: right ones, and wrong ones of several kinds."""

import itertools
import math

from broadaxe_atlas import Skip


def broadcast(shapes, left=False):
    rank = max(map(len, shapes))
    padded = [[*shape, *[1] * (rank - len(shape))] if left else [*[1] * (rank - len(shape)), *shape] for shape in shapes]
    result = []
    for dims in zip(*padded, strict=True):
        different = {dim for dim in dims if dim != 1}
        if len(different) > 1:
            raise ValueError(f"{shapes} do not broadcast")
        result.append(different.pop() if different else 1)
    return result, padded


def compute(op, chosen):
    if op == "select":
        return chosen[1] if chosen[0] else chosen[2]
    return chosen[0] - chosen[1] if op == "sub" else sum(chosen)


def answer(question, left=False):
    if question.rule != "numpy":
        raise Skip(f"no rule {question.rule}")
    result, padded = broadcast([operand.shape for operand in question.operands], left)
    values = []
    for index in itertools.product(*map(range, result)):
        chosen = []
        for dims, operand in zip(padded, question.operands, strict=True):
            at = 0
            for i, dim in zip(index, dims, strict=True):
                at = at * dim + (i if dim != 1 else 0)
            chosen.append(operand.values[at])
        values.append(compute(question["op"], chosen))
    return result, values


def left(question):
    return answer(question, left=True)


def off_by_one(question):
    shape, values = answer(question)
    return shape, [value + 1 for value in values]


def accepts(question):
    return answer(question) if question.shape is not None else ([1], [0])


def rejects(question):
    raise NotImplementedError("later")


def nothing(question):
    return None


class Array:
    def __init__(self, shape, values):
        self.shape, self.values = tuple(shape), values

    def tolist(self):
        def nested(shape, values):
            if not shape:
                return values[0]
            step = math.prod(shape[1:])
            return [nested(shape[1:], values[i * step : (i + 1) * step]) for i in range(shape[0])]

        return nested(self.shape, self.values)


def array(question):
    return Array(*answer(question))


def talks(question):
    print("a line that is no answer")
    return answer(question)
