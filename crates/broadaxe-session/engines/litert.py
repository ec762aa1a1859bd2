"""LiteRT: its interpreter on the CPU with the delegate that it uses by default; its GPU delegate in f32, without the CPU in the places of nodes
that the delegate refuses; or LiteRT for Microcontrollers (TensorFlow Lite Micro), on the CPU of this machine.

Models of one node are written from the schema that the package has.
"""

DEVICE = "cpu"
ARENA_BYTES = 1 << 20
FIELDS = {"MAXIMUM": "MaximumMinimum", "MINIMUM": "MaximumMinimum"}
TYPES = {
    "f32": "FLOAT32", "f16": "FLOAT16", "f64": "FLOAT64", "i8": "INT8", "i16": "INT16", "i32": "INT32", "i64": "INT64", "u8": "UINT8",
    "u16": "UINT16", "u32": "UINT32", "u64": "UINT64", "bool": "BOOL",
}  # fmt: skip


def start(device="cpu"):
    """Import it, and see that it computes a sum."""
    global APART, DEVICE
    import numpy

    DEVICE = device
    if device == "micro":
        from tflite_micro.python.tflite_micro import runtime  # noqa: F401

        # It ends the process where a rank is too high, and writes past the end of shapes.
        APART = True
        return None
    shape = (1, 2, 2, 4)
    feeds = {"in0": numpy.arange(16, dtype=numpy.float32).reshape(shape), "in1": numpy.full(shape, 100, numpy.float32)}
    node = {
        "op": "ADD", "version": 1, "options": {"fused_activation_function": "NONE"}, "inputs": ["in0", "in1"], "constants": [],
        "result": {"name": "out", "dtype": "f32", "shape": shape},
    }  # fmt: skip
    try:
        (found,) = run(Model(write(feeds, ["out"], node)[0], "tflite"), feeds, ["out"], {})  # noqa: F821
        if not numpy.array_equal(numpy.ravel(found), numpy.arange(16) + 100):
            raise RuntimeError("a sum of two tensors is wrong")
    except Exception as why:
        if device == "cpu":
            raise
        raise RuntimeError(f"no GPU can be used: {why}; without one, SwiftShader is a Vulkan adapter on the CPU (VK_ICD_FILENAMES)") from why
    return vulkan_device() if device == "gpu" else None  # noqa: F821


def version():
    """Return the version."""
    from importlib.metadata import version

    return version("tflite-micro" if DEVICE == "micro" else "ai-edge-litert")


def schema_of_package():
    """Return the schema of TFLite files; old packages for microcontrollers have none."""
    try:
        if DEVICE == "micro":
            from tflite_micro.tensorflow.lite.micro.python import schema_py_generated as schema

            return schema
    except ImportError:
        pass
    from ai_edge_litert import schema_py_generated as schema

    return schema


def interpreter(data):
    """Return the interpreter of a model: its bytes, or its path."""
    from ai_edge_litert.interpreter import Interpreter

    return Interpreter(model_path=data) if isinstance(data, str) else Interpreter(model_content=data)


def load(model, names, outputs, options):
    """Load a model."""
    if model.format != "tflite":
        raise Unasked("LiteRT is asked about TFLite models only")  # noqa: F821
    return {"cpu": load_cpu, "gpu": load_gpu, "micro": load_micro}[DEVICE](model.data, names, outputs)


def has_variables(data):
    """Say whether a model has resource variables, whose values stay from one run to the next."""
    schema = schema_of_package()
    model = schema.Model.GetRootAs(data, 0)
    codes = [model.OperatorCodes(k).BuiltinCode() for k in range(model.OperatorCodesLength())]
    return schema.BuiltinOperator.VAR_HANDLE in codes


def load_cpu(data, names, outputs):
    """Load a model for the CPU."""
    first = interpreter(data)
    first.allocate_tensors()
    inputs, results = first.get_input_details(), first.get_output_details()
    keeps = has_variables(data)
    fed = places([{one["name"]} for one in inputs], names)  # noqa: F821
    chosen = places([{one["name"]} for one in results], outputs) if outputs else range(len(results))  # noqa: F821

    def call(feeds):
        loaded = interpreter(data) if keeps else first
        if keeps:
            loaded.allocate_tensors()
        resized = [(inputs[k], feeds[name]) for k, name in zip(fed, names) if tuple(inputs[k]["shape"]) != feeds[name].shape]
        for one, array in resized:
            loaded.resize_tensor_input(one["index"], array.shape)
        if resized:
            loaded.allocate_tensors()
        for k, name in zip(fed, names):
            loaded.set_tensor(inputs[k]["index"], feeds[name])
        # What one run leaves in variables is no input of the next.
        loaded.reset_all_variables()
        loaded.invoke()
        return [loaded.get_tensor(results[k]["index"]) for k in chosen]

    return call


def load_micro(data, names, outputs):
    """Load a model for microcontrollers, whose inputs and results are known by their places."""
    import numpy
    from tflite_micro.python.tflite_micro import runtime

    loaded = runtime.Interpreter.from_bytes(data, arena_size=ARENA_BYTES + 10 * len(data))

    def call(feeds):
        for k, name in enumerate(names):
            loaded.set_input(feeds[name], k)
        loaded.invoke()
        return [numpy.array(loaded.get_output(k)) for k in range(len(outputs or [0]))]

    return call


def ends(data):
    """Return the name, the shape and the dtype of each input, and of each result."""
    schema = schema_of_package()
    graph = schema.Model.GetRootAs(data, 0).Subgraphs(0)
    dtypes = {getattr(schema.TensorType, name): dtype for dtype, name in TYPES.items()}

    def end(number):
        tensor = graph.Tensors(number)
        return tensor.Name().decode(), tuple(tensor.Shape(k) for k in range(tensor.ShapeLength())), dtypes[tensor.Type()]

    return [end(graph.Inputs(k)) for k in range(graph.InputsLength())], [end(graph.Outputs(k)) for k in range(graph.OutputsLength())]


def compiled(data):
    """Compile a model for the GPU alone."""
    from ai_edge_litert.compiled_model import CompiledModel
    from ai_edge_litert.hardware_accelerator import HardwareAccelerator

    try:
        from ai_edge_litert.options import GpuOptions, Options
    except ImportError:
        # Before 2.1.6: the GPU alone, or an error.
        return CompiledModel.from_buffer(data, HardwareAccelerator.GPU)
    made = Options(hardware_accelerators=HardwareAccelerator.GPU, gpu_options=GpuOptions(enforce_f32=True))
    return CompiledModel.from_buffer(data, options=made)


def as_bytes(call, array):
    """Call with an array or a dtype, or with bytes where a version does not know the dtype."""
    import numpy

    try:
        return call(array)
    except Exception as why:
        if "dtype" not in str(why):
            raise
        return call(array.view(numpy.int8) if isinstance(array, numpy.ndarray) else numpy.int8)


def load_gpu(data, names, outputs):
    """Compile a model for the GPU."""
    import numpy

    loaded = compiled(data)
    if hasattr(loaded, "is_fully_accelerated") and not loaded.is_fully_accelerated():
        raise RuntimeError("the delegate does not accept the model")
    inputs, results = ends(data)
    fed = places([{name} for name, *_ in inputs], names)  # noqa: F821
    chosen = places([{name} for name, *_ in results], outputs) if outputs else range(len(results))  # noqa: F821

    def call(feeds):
        given, found = loaded.create_input_buffers(0), loaded.create_output_buffers(0)
        for k, name in zip(fed, names):
            as_bytes(given[k].write, numpy.ascontiguousarray(feeds[name]).reshape(-1))
        loaded.run_by_index(0, given, found)
        arrays = []
        for k in chosen:
            _, shape, dtype = results[k]
            count = int(numpy.prod(shape, dtype=int))
            read = as_bytes(lambda wanted: found[k].read(count, wanted), numpy.dtype(DTYPES[dtype]).type)  # noqa: F821,B023
            arrays.append(numpy.array(read).reshape(shape))
        for buffer in (*given, *found):
            if hasattr(buffer, "destroy"):
                buffer.destroy()
        return arrays

    return call


class Builder:
    """A model with one subgraph and one node."""

    def __init__(self):
        schema = schema_of_package()
        self.schema = schema
        self.model, self.graph = schema.ModelT(), schema.SubGraphT()
        self.model.version, self.model.subgraphs = 3, [self.graph]
        self.graph.name = b"main"
        self.graph.tensors, self.graph.operators, self.graph.inputs, self.graph.outputs = [], [], [], []
        empty = schema.BufferT()
        empty.data = []
        self.model.operatorCodes, self.model.buffers = [], [empty]

    def tensor(self, name, dtype, shape, data=None, scale=None):
        """Add a tensor, with elements if it is a constant and a scale and a zero point if it is quantised; return its number."""
        import numpy

        added, buffer = self.schema.TensorT(), self.schema.BufferT()
        added.name, added.shape, added.hasRank = name.encode(), list(shape), True
        added.type = getattr(self.schema.TensorType, TYPES[dtype])
        if data is not None:
            buffer.data = numpy.frombuffer(data, numpy.uint8)
        if scale is not None:
            added.quantization = self.schema.QuantizationParametersT()
            added.quantization.scale, added.quantization.zeroPoint = [scale[0]], [scale[1]]
        self.model.buffers.append(buffer)
        added.buffer = len(self.model.buffers) - 1
        self.graph.tensors.append(added)
        return len(self.graph.tensors) - 1

    def node(self, op, version, options, inputs, outputs):
        """Add the node."""
        number = getattr(self.schema.BuiltinOperator, op, None)
        if number is None:
            raise Unasked(f"the schema has no operator {op}")  # noqa: F821
        code = self.schema.OperatorCodeT()
        code.builtinCode, code.version, code.deprecatedBuiltinCode = number, version, min(number, 127)
        self.model.operatorCodes.append(code)
        node = self.schema.OperatorT()
        node.opcodeIndex, node.inputs, node.outputs = 0, inputs, outputs
        camel = FIELDS.get(op) or "".join(word.capitalize() for word in op.split("_"))
        kind = getattr(self.schema.BuiltinOptions, camel + "Options", None)
        if kind is not None:
            node.builtinOptionsType, node.builtinOptions = kind, getattr(self.schema, camel + "OptionsT")()
            for name, value in options.items():
                self.option(node.builtinOptions, name, value)
        elif options:
            raise Unasked(f"the options of {op} cannot be written")  # noqa: F821
        self.graph.operators.append(node)

    def option(self, to, name, value):
        """Set an option."""
        words = name.split("_")
        field = words[0] + "".join(word.capitalize() for word in words[1:])
        if not hasattr(to, field):
            raise Unasked(f"the schema has no option {name}")  # noqa: F821
        if name == "fused_activation_function":
            value = getattr(self.schema.ActivationFunctionType, value)
        elif isinstance(value, str):
            raise Unasked(f"the option {name} cannot be written")  # noqa: F821
        setattr(to, field, value)

    def bytes(self):
        """Write the model."""
        import flatbuffers

        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def write(feeds, outputs, options):
    """Return the model of one node: its `op`, `version` and `options`, the names of its `inputs`, which of them are `constants`, and its `result`.

    `scales` has the scale and the zero point of each tensor that is quantised.
    """
    builder, numbers, scales = Builder(), {}, options.get("scales", {})
    for name in dict.fromkeys(name for name in options["inputs"] if name is not None):
        array = feeds[name]
        data = array.tobytes() if name in options["constants"] else None
        numbers[name] = builder.tensor(name, short_dtype(array.dtype), array.shape, data, scales.get(name))  # noqa: F821
    builder.graph.inputs = [number for name, number in numbers.items() if name not in options["constants"]]
    told = options["result"]
    result = builder.tensor(told["name"], told["dtype"], told["shape"], scale=scales.get(told["name"]))
    builder.graph.outputs = [result]
    inputs = [-1 if name is None else numbers[name] for name in options["inputs"]]
    builder.node(options["op"], max(options["version"], 1), options["options"], inputs, [result])
    return [builder.bytes()]
