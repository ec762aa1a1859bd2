"""TVM's Relax front end for ONNX, compiled for the CPU."""

APART = True


def start():
    """Import it."""
    import tvm.relax.frontend.onnx  # noqa: F401


def version():
    """Return the version."""
    from importlib.metadata import version

    return version("apache-tvm")


def load(model, names, outputs, options):
    """Compile a model; with `optimise` False in half the time, as LLVM leaves what TVM gives it as it came."""
    import numpy
    import onnx
    import tvm
    from tvm import relax

    if model.format != "onnx":
        raise Unasked("TVM is asked about ONNX models only")  # noqa: F821
    read = onnx.load_from_string(model.data)
    module = relax.frontend.onnx.from_onnx(read, keep_params_in_input=False)
    module = relax.transform.LegalizeOps()(relax.transform.DecomposeOpsForInference()(module))
    target = "llvm" if options.get("optimise", True) else tvm.target.Target({"kind": "llvm", "opt-level": 0})
    machine = relax.VirtualMachine(tvm.compile(module, target), tvm.cpu())
    # Its parameters are the inputs of the model, in order.
    constants = {tensor.name for tensor in read.graph.initializer}
    inputs = [value.name for value in read.graph.input if value.name not in constants]
    if not set(inputs) <= set(names):
        raise Unasked("the model has an input that was not asked about")  # noqa: F821
    chosen = places([{value.name} for value in read.graph.output], outputs or [value.name for value in read.graph.output])  # noqa: F821

    def call(feeds):
        result = machine["main"](*[tvm.runtime.tensor(numpy.array(feeds[name], order="C")) for name in inputs])
        results = [result] if hasattr(result, "numpy") else list(result)
        return [results[k].numpy() for k in chosen]

    return call
