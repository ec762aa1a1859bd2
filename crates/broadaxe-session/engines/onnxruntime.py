"""ONNX Runtime: on the CPU, with its WebGPU provider, or with QNN's compiler for HTP, which compiles and computes nothing.

The last two run no node on the CPU in the places of kernels that they do not have.
"""

DEVICE = "cpu"
# 43 is Snapdragon 8 Gen 2: without the model of the chip, the compiler finds no memory for Where of floats.
CHIP = {"htp_arch": "73", "soc_model": "43"}


def start(device="cpu"):
    """Import it, and try a GPU."""
    global DEVICE
    import onnxruntime

    DEVICE = device
    onnxruntime.set_default_logger_severity(4)
    if device == "qnn":
        import onnxruntime_qnn

        onnxruntime.register_execution_provider_library("QNNExecutionProvider", onnxruntime_qnn.get_library_path())
    if device == "webgpu":
        return start_webgpu(onnxruntime)


def start_webgpu(onnxruntime):
    """Return the name of the GPU."""
    import numpy

    if "WebGpuExecutionProvider" not in onnxruntime.get_available_providers():
        raise RuntimeError("this package has no WebGPU provider")
    try:
        load(Model(trivial()), ["x"], ["y"], {})({"x": numpy.ones(4, numpy.float32)})  # noqa: F821
    except Exception as why:
        raise RuntimeError(f"no GPU can be used: {why}; without one, SwiftShader is a Vulkan adapter on the CPU (VK_ICD_FILENAMES)") from why
    return vulkan_device()  # noqa: F821


def version():
    """Return the version of the package that has the provider."""
    import onnxruntime

    if DEVICE == "qnn":
        from importlib.metadata import version as installed

        return installed("onnxruntime-qnn")
    return onnxruntime.__version__


def settings(options, folder=None):
    """Return the options of a session: `threads`, and `optimise`, which is False for a graph that is run without changes."""
    import onnxruntime

    made = onnxruntime.SessionOptions()
    made.log_severity_level = 4
    made.intra_op_num_threads = made.inter_op_num_threads = 1
    if "threads" in options:
        made.intra_op_num_threads = options["threads"]
    if not options.get("optimise", True):
        made.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # By default it rounds the data of a product with integer weights to 8 bits.
    made.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
    if DEVICE != "cpu":
        made.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    if DEVICE == "qnn":
        import onnxruntime_qnn

        devices = [device for device in onnxruntime.get_ep_devices() if device.ep_name == "QNNExecutionProvider"]
        made.add_provider_for_devices(devices, {"backend_path": onnxruntime_qnn.get_qnn_htp_path(), **CHIP})
        made.add_session_config_entry("ep.context_enable", "1")
        made.add_session_config_entry("ep.context_file_path", os.path.join(folder, "m.onnx"))  # noqa: F821
    return made


def session(data, options=None):
    """Return the session of a model: its bytes, or its path."""
    import tempfile

    import onnxruntime

    if DEVICE == "qnn":
        with tempfile.TemporaryDirectory() as folder:
            return onnxruntime.InferenceSession(data, settings(options or {}, folder))
    provider = {"cpu": "CPUExecutionProvider", "webgpu": "WebGpuExecutionProvider"}[DEVICE]
    return onnxruntime.InferenceSession(data, settings(options or {}), providers=[provider])


def value(array):
    """Return an array as a value that can be bound to a session."""
    import onnxruntime

    return onnxruntime.OrtValue.ortvalue_from_numpy(array)


def load(model, names, outputs, options):
    """Load a model."""
    loaded = session(model.data, options)
    if DEVICE == "qnn":
        return lambda feeds: None
    known = {value.name for value in loaded.get_inputs()}
    return lambda feeds: loaded.run(outputs or None, {name: value for name, value in feeds.items() if name in known})


def field(number, data):
    """Write a field of a protocol buffer: a number, or bytes."""
    return bytes([number << 3, data]) if isinstance(data, int) else bytes([number << 3 | 2, len(data)]) + data


def trivial():
    """Return a model that every provider can run: the sum of a tensor of four numbers and itself."""
    shape = field(2, field(1, field(1, 4)))
    of = lambda name: field(1, name) + field(2, field(1, field(1, 1) + shape))  # noqa: E731
    node = field(1, b"x") + field(1, b"x") + field(2, b"y") + field(4, b"Add")
    graph = field(1, node) + field(2, b"g") + field(11, of(b"x")) + field(12, of(b"y"))
    return field(1, 8) + field(8, field(2, 13)) + field(7, graph)
