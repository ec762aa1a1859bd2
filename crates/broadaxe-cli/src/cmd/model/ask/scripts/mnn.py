"""MNN on the CPU, with its converter."""


def start():
    import _tools  # noqa: F401
    import MNN.expr  # noqa: F401
    import MNN.nn  # noqa: F401


def answer(question):
    import _tools
    import MNN
    import numpy

    if any(one.dtype not in ("f32", "i32", "bool") for one in question.computed()):
        raise Unasked("MNN is asked about f32, i32 and bool only")  # noqa: F821
    with open("m.onnx", "wb") as file:
        file.write(question.model)
    # The module MNN.tools.mnnconvert would install a package with pip.
    arguments = ["-f", "ONNX", "--modelFile", "m.onnx", "--MNNModel", "m.mnn", "--bizCode", "x", "--keepInputFormat=1"]
    _tools.mnnconvert(["mnnconvert", *arguments])
    if not os.path.exists("m.mnn"):  # noqa: F821
        raise RuntimeError("the converter refuses the node")
    try:
        names = [one.name for one in question.computed()]
        module = MNN.nn.load_module_from_file("m.mnn", names, [question.output.name])
        kinds = {"f32": MNN.expr.float, "i32": MNN.expr.int, "bool": MNN.expr.int}
        given = []
        for one in question.computed():
            array = one.array()
            array = array.astype(numpy.int32) if one.dtype == "bool" else array
            given.append(MNN.expr.const(numpy.ascontiguousarray(array), list(one.shape), MNN.expr.NCHW, kinds[one.dtype]))
        result = module.forward(given)
        result = result[0] if isinstance(result, (list, tuple)) else result
        return numpy.array(result.read()).reshape(result.shape)
    finally:
        os.remove("m.mnn")  # noqa: F821
