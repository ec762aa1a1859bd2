"""Answers questions of the atlas in plain Python: `add` and `sub` under NumPy's rule.

Replace `broadcast` with a call to your own engine. The rest is the protocol.
"""

import json
import sys
from itertools import product


def broadcast(op, a, b):
    """Returns the shape and the values of `a + b` or `a - b`. Raises `ValueError` if the shapes do not fit."""
    # Align the shapes at the last axis: the shorter one gets 1s in front.
    rank = max(len(a["shape"]), len(b["shape"]))
    a_shape = [1] * (rank - len(a["shape"])) + a["shape"]
    b_shape = [1] * (rank - len(b["shape"])) + b["shape"]
    shape = []
    for m, n in zip(a_shape, b_shape):
        if m != n and m != 1 and n != 1:
            raise ValueError(f"{a['shape']} and {b['shape']} do not fit: {m} is not {n}")
        shape.append(n if m == 1 else m)
    values = []
    for index in product(*map(range, shape)):
        x, y = a["values"][offset(index, a_shape)], b["values"][offset(index, b_shape)]
        values.append(x + y if op == "add" else x - y)
    return shape, values


def offset(index, shape):
    """Returns the row-major number of an element. An axis of 1 repeats, so it always reads its element 0."""
    number = 0
    for i, dim in zip(index, shape):
        number = number * dim + (i if dim > 1 else 0)
    return number


def answer(question):
    """Returns the answer to one question, without its id."""
    if question["op"] not in ("add", "sub") or question["rule"] != "numpy":
        return {"skip": "this program has add and sub under NumPy's rule"}
    try:
        shape, values = broadcast(question["op"], *question["operands"])
    except ValueError as error:
        return {"reject": str(error)}
    return {"shape": shape, "values": values}


def main():
    print(json.dumps({"engine": "plain Python", "version": sys.version.split()[0], "device": "cpu"}), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        print(json.dumps({"id": question["id"], **answer(question)}), flush=True)


if __name__ == "__main__":
    main()
