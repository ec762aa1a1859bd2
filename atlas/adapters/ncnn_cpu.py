"""Ask ncnn's layer BinaryOp on the CPU, with its packed layouts."""

from protocol import Skip, arrays, need, serve

from engines import load

RULES = {"add": ["ncnn"], "sub": ["ncnn"]}
PARAM = "7767517\n3 3\nInput a 0 1 a\nInput b 0 1 b\nBinaryOp op 2 1 a b out 0={}\n"


def answer(question):
    """Run a network of one layer."""
    need(question, RULES, constants=False)
    if "shape" not in question:
        raise Skip("ncnn never rejects")
    param = PARAM.format(["add", "sub"].index(question["op"])).encode()
    return driver.run(driver.Model(param, "ncnn", b""), dict(zip("ab", arrays(question))), ["out"], {})[0]


driver = load("ncnn")
serve("ncnn", driver.version(), answer)
