"""LiteRT's GPU delegate, in f32, without the CPU in the places of nodes that it refuses."""


def start():
    try:
        check_trivial()  # noqa: F821
    except Exception as why:
        raise RuntimeError(f"no GPU can be used: {why}; without one, SwiftShader is a Vulkan adapter on the CPU (VK_ICD_FILENAMES)") from why
    return vulkan_device()  # noqa: F821


def compiled(model):
    from ai_edge_litert.compiled_model import CompiledModel
    from ai_edge_litert.hardware_accelerator import HardwareAccelerator

    try:
        from ai_edge_litert.options import GpuOptions, Options
    except ImportError:
        # Before 2.1.6: the GPU alone, or an error.
        return CompiledModel.from_buffer(model, HardwareAccelerator.GPU)
    made = Options(hardware_accelerators=HardwareAccelerator.GPU, gpu_options=GpuOptions(enforce_f32=True))
    return CompiledModel.from_buffer(model, options=made)


def bytes_of(call, array):
    """Call with an array or a dtype, or with bytes where a version does not know the dtype."""
    import numpy

    try:
        return call(array)
    except Exception as why:
        if "dtype" not in str(why):
            raise
        return call(array.view(numpy.int8) if isinstance(array, numpy.ndarray) else numpy.int8)


def answer(question):
    import numpy

    model = compiled(build(question))  # noqa: F821
    if hasattr(model, "is_fully_accelerated") and not model.is_fully_accelerated():
        raise RuntimeError("the delegate does not accept the node")
    inputs, outputs = model.create_input_buffers(0), model.create_output_buffers(0)
    for buffer, tensor in zip(inputs, question.computed()):
        bytes_of(buffer.write, numpy.ascontiguousarray(tensor.array()).reshape(-1))
    model.run_by_index(0, inputs, outputs)
    shape = tuple(question.output.shape)
    count = int(numpy.prod(shape, dtype=int))
    dtype = numpy.dtype(numpy_dtype(question.output.dtype)).type  # noqa: F821
    found = bytes_of(lambda wanted: outputs[0].read(count, wanted), dtype)
    for buffer in (*inputs, *outputs):
        if hasattr(buffer, "destroy"):
            buffer.destroy()
    return numpy.array(found).reshape(shape)
