"""Makes the two TFLite models of these tests: `python make_tflite.py`, with ai-edge-litert 2.3.0 and flatbuffers.

The interpreter of the same version loads and runs both.
"""

import io
import pathlib
import zipfile

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as s
from ai_edge_litert.interpreter import Interpreter

FOLDER = pathlib.Path(__file__).parent / "models"
TYPES = {"float32": s.TensorType.FLOAT32, "int32": s.TensorType.INT32, "int8": s.TensorType.INT8, "bool": s.TensorType.BOOL}


class Model:
    def __init__(self):
        self.model = s.ModelT()
        self.model.version = 3
        self.model.description = b"broadaxe"
        self.model.operatorCodes, self.model.subgraphs, self.model.signatureDefs = [], [], []
        self.model.buffers = [s.BufferT()]

    def code(self, name):
        number = getattr(s.BuiltinOperator, name)
        for index, code in enumerate(self.model.operatorCodes):
            if code.builtinCode == number:
                return index
        code = s.OperatorCodeT()
        code.builtinCode, code.deprecatedBuiltinCode, code.version = number, min(number, 127), 1
        self.model.operatorCodes.append(code)
        return len(self.model.operatorCodes) - 1

    def graph(self, name):
        graph = s.SubGraphT()
        graph.name, graph.tensors, graph.operators = name.encode(), [], []
        self.model.subgraphs.append(graph)
        return graph

    def tensor(self, graph, name, shape, dtype="float32", data=None, open_shape=None, quantized=None, variable=False):
        tensor = s.TensorT()
        tensor.name, tensor.shape, tensor.type, tensor.hasRank = name.encode(), list(shape), TYPES[dtype], True
        tensor.shapeSignature, tensor.buffer, tensor.isVariable = open_shape, 0, variable
        if data is not None:
            buffer = s.BufferT()
            buffer.data = np.frombuffer(np.asarray(data, dtype).tobytes(), np.uint8)
            self.model.buffers.append(buffer)
            tensor.buffer = len(self.model.buffers) - 1
        if quantized:
            tensor.quantization = s.QuantizationParametersT()
            tensor.quantization.scale, tensor.quantization.zeroPoint = list(quantized[0]), list(quantized[1])
            tensor.quantization.quantizedDimension = quantized[2] if len(quantized) > 2 else 0
        graph.tensors.append(tensor)
        return len(graph.tensors) - 1

    def operator(self, graph, name, inputs, outputs, options=None, **fields):
        operator = s.OperatorT()
        operator.opcodeIndex, operator.inputs, operator.outputs = self.code(name), inputs, outputs
        if options:
            operator.builtinOptionsType = getattr(s.BuiltinOptions, options)
            operator.builtinOptions = getattr(s, options + "T")()
            for field, value in fields.items():
                setattr(operator.builtinOptions, field, value)
        graph.operators.append(operator)

    def signature(self, key, inputs, outputs):
        def maps(pairs):
            found = []
            for name, index in pairs:
                entry = s.TensorMapT()
                entry.name, entry.tensorIndex = name.encode(), index
                found.append(entry)
            return found

        signature = s.SignatureDefT()
        signature.signatureKey, signature.subgraphIndex = key.encode(), 0
        signature.inputs, signature.outputs = maps(inputs), maps(outputs)
        self.model.signatureDefs.append(signature)

    def bytes(self):
        builder = flatbuffers.Builder(1024)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())


def small():
    """Constants of several ranks, fused activations, an open dim, two tensors of one name, a signature, and a ZIP behind."""
    m = Model()
    g = m.graph("main")
    x = m.tensor(g, "x", [1, 2, 4, 3], open_shape=[-1, 2, 4, 3])
    bias = m.tensor(g, "bias", [3], data=[0.5, -1, 2])
    a = m.tensor(g, "a", [1, 2, 4, 3])
    scale = m.tensor(g, "scale", [4, 3], data=np.arange(12) / 4)
    b = m.tensor(g, "b", [1, 2, 4, 3])
    slope = m.tensor(g, "slope", [1, 1, 3], data=[0.25, 0.5, -1])
    c = m.tensor(g, "b", [1, 2, 4, 3])
    shape = m.tensor(g, "shape", [2], "int32", [1, 24])
    d = m.tensor(g, "d", [1, 24])
    half = m.tensor(g, "half", [], data=0.5)
    y = m.tensor(g, "y", [1, 24])
    g.inputs, g.outputs = [x], [y]
    m.operator(g, "ADD", [x, bias], [a], "AddOptions", fusedActivationFunction=1)
    m.operator(g, "MUL", [a, scale], [b], "MulOptions")
    m.operator(g, "PRELU", [b, slope], [c])
    m.operator(g, "RESHAPE", [c, shape], [d], "ReshapeOptions", newShape=[1, 24])
    m.operator(g, "SUB", [d, half], [y], "SubOptions", fusedActivationFunction=3)
    m.signature("serving_default", [("input", x)], [("output", y)])
    labels = io.BytesIO()
    with zipfile.ZipFile(labels, "w") as archive:
        archive.writestr(zipfile.ZipInfo("labels.txt"), "one\ntwo\n")
    return m.bytes() + labels.getvalue()


def loop():
    """A loop with its bodies, quantized tensors, a variable, and an operator with an omitted input."""
    m = Model()
    g = m.graph("main")
    cond, body = m.graph("cond"), m.graph("body")
    i = m.tensor(g, "i", [], "int32", 0)
    x = m.tensor(g, "x", [2, 2])
    i2, x2 = m.tensor(g, "i_2", [], "int32"), m.tensor(g, "x_2", [2, 2])
    q = m.tensor(g, "q", [2, 2], "int8", quantized=([0.5], [3]))
    w = m.tensor(g, "w", [2], "int8", [4, -4], quantized=([0.25], [0]))
    r = m.tensor(g, "r", [2, 2], "int8", quantized=([1.0], [-1]))
    kernel = m.tensor(g, "kernel", [2, 2], "int8", [1, 2, 3, 4], quantized=([0.5, 0.25], [0, 0], 0))
    f = m.tensor(g, "f", [2, 2], "int8", quantized=([2.0], [0]))
    m.tensor(g, "state", [1, 2], variable=True)
    g.inputs, g.outputs = [x, q], [x2, f]
    m.operator(g, "WHILE", [i, x], [i2, x2], "WhileOptions", condSubgraphIndex=1, bodySubgraphIndex=2)
    m.operator(g, "ADD", [q, w], [r], "AddOptions")
    m.operator(g, "FULLY_CONNECTED", [r, kernel, -1], [f], "FullyConnectedOptions")
    i, x = m.tensor(cond, "i", [], "int32"), m.tensor(cond, "x", [2, 2])
    most, less = m.tensor(cond, "most", [], "int32", 3), m.tensor(cond, "less", [], "bool")
    cond.inputs, cond.outputs = [i, x], [less]
    m.operator(cond, "LESS", [i, most], [less])
    i, x = m.tensor(body, "i", [], "int32"), m.tensor(body, "x", [2, 2])
    one, step = m.tensor(body, "one", [], "int32", 1), m.tensor(body, "step", [2], data=[1, 2])
    i2, x2 = m.tensor(body, "i_2", [], "int32"), m.tensor(body, "x_2", [2, 2])
    body.inputs, body.outputs = [i, x], [i2, x2]
    m.operator(body, "ADD", [i, one], [i2], "AddOptions")
    m.operator(body, "ADD", [x, step], [x2], "AddOptions")
    return m.bytes()


for name, made in [("tflite_small.tflite", small()), ("tflite_loop.tflite", loop())]:
    interpreter = Interpreter(model_content=made)
    interpreter.allocate_tensors()
    for detail in interpreter.get_input_details():
        interpreter.set_tensor(detail["index"], np.ones(detail["shape"], detail["dtype"]))
    interpreter.invoke()
    print(name, len(made), [interpreter.get_tensor(d["index"]).ravel()[:4] for d in interpreter.get_output_details()])
    (FOLDER / name).write_bytes(made)
