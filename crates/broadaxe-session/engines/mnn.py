"""MNN on the CPU, with its converter for ONNX."""

APART = True


def start():
    """Import it."""
    # The module MNN.tools.mnnconvert would install a package with pip, and send a record of its use.
    import _tools  # noqa: F401
    import MNN.expr  # noqa: F401
    import MNN.nn  # noqa: F401


def version():
    """Return the version."""
    from importlib.metadata import version

    return version("MNN")


def in_folder(model, work):
    """Convert a model in a folder of its own, and return what a function returns there; it is given the name of the file."""
    import tempfile

    import _tools

    if model.format != "onnx":
        raise Unasked("MNN is asked about ONNX models only")  # noqa: F821
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m")  # noqa: F821
        with open(f"{path}.onnx", "wb") as file:
            file.write(model.data)
        words = ["-f", "ONNX", "--modelFile", f"{path}.onnx", "--MNNModel", f"{path}.mnn", "--bizCode", "x", "--keepInputFormat=1"]
        _tools.mnnconvert(["mnnconvert", *words])
        if not os.path.exists(f"{path}.mnn"):  # noqa: F821
            raise RuntimeError("the converter refuses the model")
        return work(f"{path}.mnn")


def convert(model, options):
    """Return what the converter writes of a model, as text in JSON."""
    import _tools

    def text(path):
        _tools.mnnconvert(["mnnconvert", "-f", "MNN", "--modelFile", path, "--JsonFile", f"{path}.json"])
        with open(f"{path}.json", "rb") as file:
            return [file.read()]

    return in_folder(model, text)


def load(model, names, outputs, options):
    """Convert a model, and load it."""
    import MNN

    if not outputs:
        raise Unasked("MNN is asked for named results")  # noqa: F821
    net = in_folder(model, lambda path: MNN.nn.load_module_from_file(path, names, list(outputs)))
    return lambda feeds: once(net, [feeds[name] for name in names])


def once(net, arrays):
    """Run a model; its integers have 32 bits, and bools are integers."""
    import MNN
    import numpy

    expr, given = MNN.expr, []
    kinds = {"f": (numpy.float32, expr.float), "i": (numpy.int32, expr.int), "u": (numpy.int32, expr.int), "b": (numpy.int32, expr.int)}
    for array in arrays:
        dtype, kind = kinds[array.dtype.kind]
        if array.dtype.kind in "iu" and not numpy.array_equal(array, array.astype(dtype)):
            raise Unasked("MNN reads integers of 32 bits, and an input has larger ones")  # noqa: F821
        if array.dtype == numpy.uint8:
            dtype, kind = array.dtype, expr.uint8
        # It reads no arrays of i8, but lists of them.
        values = numpy.ascontiguousarray(array, dtype) if array.dtype != numpy.int8 else array.ravel().tolist()
        given.append(expr.const(values, list(array.shape), expr.NCHW, kind if array.dtype != numpy.int8 else expr.int8))
    found = net.forward(given)
    found = list(found) if isinstance(found, (list, tuple)) else [found]
    if not found:
        raise RuntimeError("it gives no result")
    # There is nothing to read in a result without elements.
    return [numpy.zeros(one.shape, numpy.float32) if 0 in one.shape else numpy.array(one.read()).reshape(one.shape) for one in found]
