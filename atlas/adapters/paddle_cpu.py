"""Ask Paddle on the CPU, eagerly: its functions, and its old operators with `axis`."""

import os

os.environ.setdefault("FLAGS_allocator_strategy", "naive_best_fit")

import paddle
from paddle import _legacy_C_ops
from protocol import Skip, arrays, need, serve

RULES = {
    "add": ["numpy", "paddle"], "sub": ["numpy", "paddle"], "select": ["numpy"], "expand": ["broadcast-to"], "gemm": ["gemm-c"],
}  # fmt: skip
CALLS = {
    "add": paddle.add, "sub": paddle.subtract, "select": paddle.where, "gemm": lambda a, b, c: paddle.addmm(c, a, b),
}  # fmt: skip


def answer(question):
    """Call Paddle's function."""
    need(question, RULES, constants=False)
    ranks = sorted(len(operand["shape"]) for operand in question["operands"])
    if question["rule"] == "paddle" and "shape" not in question and question["axis"] + ranks[0] > ranks[-1]:
        raise Skip("Paddle does not notice an operand that extends past the end of the other")
    operands = [paddle.to_tensor(array) for array in arrays(question)]
    if question["rule"] == "paddle":
        return getattr(_legacy_C_ops, f"elementwise_{question['op']}")(*operands, "axis", question["axis"]).numpy()
    if question["op"] == "expand":
        return paddle.broadcast_to(operands[0], question["target"]).numpy()
    return CALLS[question["op"]](*operands).numpy()


serve("Paddle", paddle.__version__, answer)
