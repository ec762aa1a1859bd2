"""OpenVINO's CPU plugin, in f32."""

CORE = None


def library():
    """Return the module."""
    try:
        import openvino.runtime as openvino  # Before 2026.
    except ImportError:
        import openvino
    return openvino


def factory(opset):
    """Return what makes nodes of an opset such as opset1."""
    try:
        from openvino.runtime.utils.node_factory import NodeFactory  # Before 2026.
    except ImportError:
        from openvino.utils.node_factory import NodeFactory
    return NodeFactory(opset)


def start():
    """Make the core."""
    global CORE
    CORE = library().Core()


def version():
    """Return the version."""
    return library().get_version().split("-")[0]


def read(model):
    """Read a model of a format that OpenVINO reads."""
    import tempfile

    if model.format == "onnx":
        return CORE.read_model(model.data)
    if model.format == "openvino":
        return CORE.read_model(model.data, model.weights or b"")
    if model.format != "paddle":
        raise Unasked(f"OpenVINO is not asked about models in {model.format}")  # noqa: F821
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m")  # noqa: F821
        for ending, data in (("pdmodel", model.data), ("pdiparams", model.weights)):
            with open(f"{path}.{ending}", "wb") as file:
                file.write(data)
        return CORE.read_model(f"{path}.pdmodel")


def compiled(graph, threads=2, precision="f32", alone=False):
    """Compile a graph for the CPU; `alone`, for one request at a time that is to be fast.

    With one thread, a node that fails when it runs is no error: the results have no elements.
    """
    settings = {"INFERENCE_PRECISION_HINT": precision, "INFERENCE_NUM_THREADS": threads}
    return CORE.compile_model(graph, "CPU", settings | ({"NUM_STREAMS": 1, "PERFORMANCE_HINT": "LATENCY"} if alone else {}))


def called(port):
    """Return the names of an input or a result."""
    return {*port.get_names(), port.get_node().get_friendly_name()}


def load(model, names, outputs, options):
    """Read and compile a model."""
    import numpy

    made = compiled(read(model))
    chosen = places([called(port) for port in made.outputs], outputs) if outputs else range(len(made.outputs))  # noqa: F821
    inputs = [next((name for name in names if name in called(port)), None) for port in made.inputs]
    if None in inputs and len(inputs) == len(names):
        inputs = names
    if None in inputs:
        raise Unasked("the model has an input that was not asked about")  # noqa: F821

    def call(feeds):
        # NumPy would give an array without axes one.
        given = {k: numpy.ascontiguousarray(feeds[name]).reshape(feeds[name].shape) for k, name in enumerate(inputs)}
        found = made(given, share_inputs=False)
        return [numpy.array(found[k]) for k in chosen]

    return call


def convert(model, options):
    """Return the IR of a model: the graph and the weights."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m")  # noqa: F821
        library().serialize(read(model), f"{path}.xml", f"{path}.bin")
        with open(f"{path}.xml", "rb") as graph, open(f"{path}.bin", "rb") as weights:
            return graph.read(), weights.read()
