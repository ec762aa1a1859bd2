"""Ask Paddle on the CPU, eagerly: its functions, and its old operators with `axis`."""

from protocol import Skip, arrays, need, serve

from engines import load

RULES = {
    "add": ["numpy", "paddle"], "sub": ["numpy", "paddle"], "select": ["numpy"], "expand": ["broadcast-to"], "gemm": ["gemm-c"],
}  # fmt: skip


def answer(question):
    """Call Paddle's function."""
    need(question, RULES, constants=False)
    ranks = sorted(len(operand["shape"]) for operand in question["operands"])
    if question["rule"] == "paddle" and "shape" not in question and question["axis"] + ranks[0] > ranks[-1]:
        raise Skip("Paddle does not notice an operand that extends past the end of the other")
    if question["rule"] == "paddle":
        return driver.elementwise(f"elementwise_{question['op']}", arrays(question), question["axis"])
    operands = [paddle.to_tensor(array) for array in arrays(question)]
    if question["op"] == "expand":
        return paddle.broadcast_to(operands[0], question["target"]).numpy()
    return CALLS[question["op"]](*operands).numpy()


driver = load("paddle")
paddle = driver.library()
CALLS = {
    "add": paddle.add, "sub": paddle.subtract, "select": paddle.where, "gemm": lambda a, b, c: paddle.addmm(c, a, b),
}  # fmt: skip
serve("Paddle", driver.version(), answer)
