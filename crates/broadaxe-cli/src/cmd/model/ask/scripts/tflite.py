"""Builds the TFLite model of one node, from the schema that LiteRT's package has."""

FIELDS = {"fused_activation_function": "fusedActivationFunction"}
NAMES = {"MAXIMUM": "MaximumMinimum", "MINIMUM": "MaximumMinimum"}
TYPES = {
    "f32": "FLOAT32", "f16": "FLOAT16", "f64": "FLOAT64", "i8": "INT8", "i16": "INT16", "i32": "INT32", "i64": "INT64", "u8": "UINT8",
    "u16": "UINT16", "u32": "UINT32", "u64": "UINT64", "bool": "BOOL",
}  # fmt: skip


class Builder:
    """A model with one subgraph and one node."""

    def __init__(self):
        from ai_edge_litert import schema_py_generated as schema

        self.schema = schema
        self.model, self.graph = schema.ModelT(), schema.SubGraphT()
        self.model.version, self.model.subgraphs = 3, [self.graph]
        self.graph.name = b"main"
        self.graph.tensors, self.graph.operators, self.graph.inputs, self.graph.outputs = [], [], [], []
        empty = schema.BufferT()
        empty.data = []
        self.model.operatorCodes, self.model.buffers = [], [empty]

    def tensor(self, tensor):
        """Add a tensor, and return its number."""
        import numpy

        added, buffer = self.schema.TensorT(), self.schema.BufferT()
        added.name, added.shape, added.hasRank = tensor.name.encode(), list(tensor.shape), True
        added.type = getattr(self.schema.TensorType, TYPES[tensor.dtype])
        if tensor.constant:
            buffer.data = numpy.frombuffer(tensor.data, numpy.uint8)
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
        camel = NAMES.get(op) or "".join(word.capitalize() for word in op.split("_"))
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


def build(question):
    """Return the TFLite model of a question: the one that it brings, or a model of its node."""
    if question.model is not None:
        return question.model
    builder, numbers = Builder(), {}
    for one in question.inputs:
        if one and one.name not in numbers:
            numbers[one.name] = builder.tensor(one)
    builder.graph.inputs = [numbers[one.name] for one in question.computed()]
    result = builder.tensor(question.output)
    builder.graph.outputs = [result]
    inputs = [numbers[one.name] if one else -1 for one in question.inputs]
    builder.node(question.op, max(question.version, 1), question.options, inputs, [result])
    return builder.bytes()


def trivial():
    """Return the question that every runtime can answer: the sum of two tensors of the shape (1, 2, 2, 4)."""
    import struct

    shape = {"dtype": "f32", "shape": [1, 2, 2, 4], "constant": False, "bytes": 64}
    data = [struct.pack("<16f", *(range(16))), struct.pack("<16f", *([100] * 16))]
    said = {
        "op": "ADD", "version": 1, "options": {"fused_activation_function": "NONE"}, "model": None,
        "inputs": [{"name": "in0", **shape}, {"name": "in1", **shape}], "output": {"name": "out", **shape},
    }  # fmt: skip
    return Question(said, lambda count: data.pop(0))  # noqa: F821


def check_trivial():
    """Raise an exception if the runtime does not work at all."""
    import numpy

    if not numpy.array_equal(numpy.ravel(answer(trivial())), numpy.arange(16) + 100):  # noqa: F821
        raise RuntimeError("a sum of two tensors is wrong")
