"""ONNX Runtime's WebGPU provider, without its CPU provider in the places of kernels that it does not have."""


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


def start():
    import onnxruntime

    onnxruntime.set_default_logger_severity(4)
    if "WebGpuExecutionProvider" not in onnxruntime.get_available_providers():
        raise RuntimeError("this package has no WebGPU provider")
    try:
        import numpy

        run(trivial(), {"x": numpy.ones(4, numpy.float32)})
    except Exception as why:
        raise RuntimeError(f"no GPU can be used: {why}; without one, SwiftShader is a Vulkan adapter on the CPU (VK_ICD_FILENAMES)") from why
    return vulkan_device()  # noqa: F821


def run(model, feeds):
    """Run a model, and return its first result."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
    session = onnxruntime.InferenceSession(model, options, providers=["WebGpuExecutionProvider"])
    return session.run(None, feeds)[0]


def answer(question):
    return run(question.model, question.feeds())
