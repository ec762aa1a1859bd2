"""Ask ncnn's layer BinaryOp on the CPU, with its packed layouts."""

import tempfile

import ncnn
import numpy
from protocol import Skip, arrays, need, serve

RULES = {"add": ["ncnn"], "sub": ["ncnn"]}
PARAM = "7767517\n3 3\nInput a 0 1 a\nInput b 0 1 b\nBinaryOp op 2 1 a b out 0={}\n"


def answer(question):
    """Run a network of one layer."""
    need(question, RULES, constants=False)
    if "shape" not in question:
        raise Skip("ncnn never rejects")
    net = ncnn.Net()
    option = net.opt
    option.num_threads, option.use_vulkan_compute = 1, False
    option.use_fp16_packed = option.use_fp16_storage = option.use_fp16_arithmetic = option.use_bf16_storage = False
    with tempfile.NamedTemporaryFile("w", suffix=".param") as file:
        file.write(PARAM.format(["add", "sub"].index(question["op"])))
        file.flush()
        if net.load_param(file.name) != 0 or net.load_model("/dev/null") != 0:
            raise RuntimeError("the network does not load")
    extractor = net.create_extractor()
    # A Mat around NumPy's memory has a channel step that ncnn misreads; a copy has its own.
    mats = [ncnn.Mat(array).clone() for array in arrays(question)]
    for name, mat in zip("ab", mats):
        extractor.input(name, mat)
    code, result = extractor.extract("out")
    if code != 0:
        raise RuntimeError(f"ncnn returns {code}")
    return numpy.array(result.numpy()).copy()


serve("ncnn", ncnn.__version__, answer)
