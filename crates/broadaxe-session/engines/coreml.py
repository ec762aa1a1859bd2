"""Core ML: ML programs of the operators of small ONNX models, as coremltools builds and converts them; nothing is computed."""

import numpy

BINARY = {
    "Add": "add", "Sub": "sub", "Mul": "mul", "Div": "real_div", "Pow": "pow", "Max": "maximum", "Min": "minimum", "Mod": "mod",
    "Equal": "equal", "Less": "less", "LessOrEqual": "less_equal", "Greater": "greater", "GreaterOrEqual": "greater_equal",
    "And": "logical_and", "Or": "logical_or", "Xor": "logical_xor",
}  # fmt: skip
UNKNOWN = "the runner has no such operator or dtype"
UNARY = {"Relu": "relu", "Identity": "identity", "Neg": "neg", "Sigmoid": "sigmoid", "Tanh": "tanh", "Sqrt": "sqrt", "Erf": "erf"}


def start():
    """Import it."""
    import coremltools  # noqa: F401
    import onnx  # noqa: F401


def version():
    """Return the version."""
    import coremltools

    return coremltools.__version__


def load(model, names, outputs, options):
    """Build the program of a model, and convert it."""
    if model.format != "onnx":
        raise Unasked("Core ML is asked about ONNX models only")  # noqa: F821
    Programs().convert(model.data)
    return lambda feeds: None


class Programs:
    """coremltools' builder and converter, for ML programs of iOS 16."""

    def __init__(self):
        import coremltools
        import onnx
        from coremltools.converters.mil import Builder
        from coremltools.converters.mil.mil import types

        self.tools, self.onnx, self.mb, self.types = coremltools, onnx, Builder, types

    def convert(self, data):
        """Build the program of a model, and convert it."""
        mb, graph = self.mb, self.onnx.load_from_string(data).graph
        kinds = {1: self.types.fp32, 10: self.types.fp16, 6: self.types.int32, 7: self.types.int32, 9: self.types.bool}
        sizes = lambda value: [dim.dim_value or 3 for dim in value.type.tensor_type.shape.dim]
        if any(one.type.tensor_type.elem_type not in kinds for one in graph.input):
            raise Unasked(UNKNOWN)  # noqa: F821
        specs = [mb.TensorSpec(shape=sizes(one), dtype=kinds[one.type.tensor_type.elem_type]) for one in graph.input]

        def build(*given):
            known = dict(zip((one.name for one in graph.input), given))
            # Inputs of bools and integers: an ML program has inputs of floats and of i32.
            for tensor in graph.initializer:
                array = self.onnx.numpy_helper.to_array(tensor)
                array = array.astype(numpy.int32) if array.dtype == numpy.int64 else array
                known[tensor.name] = mb.const(val=array if array.ndim else array[()])
            for node in graph.node:
                known[node.output[0]] = self._node(node, [known.get(name) for name in node.input])
            return [known[one.name] for one in graph.output]

        source = f"lambda {', '.join(f'x{k}' for k in range(len(specs)))}: build({', '.join(f'x{k}' for k in range(len(specs)))})"
        program = mb.program(input_specs=specs, opset_version=self.tools.target.iOS16)(eval(source, {"build": build}))
        self.tools.convert(program, convert_to="mlprogram", minimum_deployment_target=self.tools.target.iOS16, skip_model_load=True)

    def _node(self, node, inputs):
        mb, given = self.mb, {one.name: self.onnx.helper.get_attribute_value(one) for one in node.attribute}
        if node.op_type in BINARY:
            return getattr(mb, BINARY[node.op_type])(x=inputs[0], y=inputs[1])
        if node.op_type in UNARY:
            return getattr(mb, UNARY[node.op_type])(x=inputs[0])
        if node.op_type == "Where":
            return mb.select(cond=inputs[0], a=inputs[1], b=inputs[2])
        if node.op_type == "PRelu":
            return mb.prelu(x=inputs[0], alpha=self._slope(*inputs))
        if node.op_type == "MatMul":
            return mb.matmul(x=inputs[0], y=inputs[1])
        if node.op_type == "Shape":
            return mb.shape(x=inputs[0])
        if node.op_type == "Concat":
            return mb.concat(values=inputs, axis=given["axis"])
        if node.op_type == "Cast":
            return mb.cast(x=inputs[0], dtype="fp32")
        if node.op_type not in ("LayerNormalization", "Gemm", "Clip", "Expand"):
            raise Unasked(UNKNOWN)  # noqa: F821
        return {"LayerNormalization": self._layer_norm, "Gemm": self._gemm, "Clip": self._clip, "Expand": self._expand}[node.op_type](inputs, given)

    @staticmethod
    def _slope(x, slope):
        """Return a slope along axis 1 as a list, as a converter writes it."""
        dims = (1,) * (len(x.shape) - len(slope.shape)) + tuple(slope.shape)
        along = slope.val is not None and len(dims) > 1 and all(dim == 1 for axis, dim in enumerate(dims) if axis != 1)
        return numpy.reshape(slope.val, -1) if along else slope

    def _layer_norm(self, inputs, given):
        axis = given.get("axis", -1)
        rank = len(inputs[0].shape)
        parts = dict(zip(("gamma", "beta"), inputs[1:]))
        return self.mb.layer_norm(x=inputs[0], axes=list(range(axis % rank, rank)), epsilon=1e-5, **parts)

    def _gemm(self, inputs, given):
        mb = self.mb
        found = mb.matmul(x=inputs[0], y=inputs[1], transpose_x=bool(given.get("transA", 0)), transpose_y=bool(given.get("transB", 0)))
        if given.get("alpha", 1.0) != 1.0:
            found = mb.mul(x=found, y=numpy.float32(given["alpha"]))
        term = inputs[2] if given.get("beta", 1.0) == 1.0 else mb.mul(x=inputs[2], y=numpy.float32(given["beta"]))
        return mb.add(x=found, y=term)

    def _clip(self, inputs, given):
        x, (low, high) = inputs[0], (inputs[1:] + [None, None])[:2]
        if low is not None and high is not None:
            return self.mb.clip(x=x, alpha=low, beta=high)
        return self.mb.minimum(x=x, y=high) if low is None else self.mb.maximum(x=x, y=low)

    def _expand(self, inputs, given):
        mb, x, to = self.mb, inputs[0], inputs[1].val
        rank = max(inputs[1].shape[0], len(x.shape))
        own = [1] * (rank - len(x.shape)) + list(x.shape)
        x = mb.reshape(x=x, shape=own) if len(x.shape) < rank else x
        if to is None:
            # A shape that is computed, of the rank of x or more.
            return mb.tile(x=x, reps=mb.maximum(x=mb.floor_div(x=inputs[1], y=numpy.array(own, numpy.int32)), y=numpy.int32(1)))
        to = [1] * (rank - len(to)) + list(to)
        return mb.tile(x=x, reps=[to[k] if own[k] == 1 else 1 for k in range(rank)])
