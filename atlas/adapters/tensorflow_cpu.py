"""Ask TensorFlow on the CPU, eagerly."""

import tensorflow
from protocol import arrays, need, serve

RULES = {"add": ["numpy"], "sub": ["numpy"], "sum": ["none"], "select": ["numpy"], "expand": ["broadcast-to"]}
RAW = tensorflow.raw_ops
CALLS = {
    "add": lambda x, y: RAW.AddV2(x=x, y=y),
    "sub": lambda x, y: RAW.Sub(x=x, y=y),
    "sum": lambda *operands: RAW.AddN(inputs=list(operands)),
    "select": lambda condition, t, e: RAW.SelectV2(condition=condition, t=t, e=e),
}


def answer(question):
    """Call TensorFlow's operator."""
    need(question, RULES, constants=False)
    operands = [tensorflow.constant(array) for array in arrays(question)]
    if question["op"] == "expand":
        return RAW.BroadcastTo(input=operands[0], shape=tensorflow.constant(question["target"], tensorflow.int32)).numpy()
    return CALLS[question["op"]](*operands).numpy()


tensorflow.config.set_visible_devices([], "GPU")
serve("TensorFlow", tensorflow.__version__, answer)
