"""Ask tinygrad, on the device that the environment names."""

from importlib import metadata

from protocol import Skip, arrays, need, serve
from tinygrad import Device, Tensor

RULES = {"add": ["numpy"], "sub": ["numpy"], "select": ["numpy"], "expand": ["broadcast-to"]}


def answer(question):
    """Compute, if the device finds its compiler."""
    need(question, RULES, constants=False)
    try:
        return compute(question)
    except FileNotFoundError as why:
        raise Skip(f"no compiler: {why}") from why


def compute(question):
    """Compute with tinygrad's tensors."""
    operands = [Tensor(array).realize() for array in arrays(question)]
    if question["op"] == "expand":
        return operands[0].expand(*question["target"]).contiguous().numpy()
    if question["op"] == "select":
        return operands[0].where(*operands[1:]).numpy()
    return (operands[0] + operands[1] if question["op"] == "add" else operands[0] - operands[1]).numpy()


serve("tinygrad", metadata.version("tinygrad"), answer, Device.DEFAULT.lower())
