"""Makes position.tflite: tokens of rank 2, and a constant table of positions that is added to them.

Needs ai-edge-litert and flatbuffers.
"""

from pathlib import Path

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

TOKENS, CHANNELS = 6, 8


def main():
    """Write the model into the folder of this file."""
    positions = np.sin(np.arange(TOKENS)[:, None] / 10.0 ** (np.arange(CHANNELS) // 2)).astype(np.float32)
    model, graph, code, node = schema.ModelT(), schema.SubGraphT(), schema.OperatorCodeT(), schema.OperatorT()
    model.version, model.subgraphs, model.operatorCodes, model.buffers = 3, [graph], [code], []
    graph.name, graph.tensors = b"main", []
    code.builtinCode, code.version = schema.BuiltinOperator.ADD, 1
    for name, data in (("", b""), ("tokens", b""), ("positions", positions.tobytes()), ("embedded", b"")):
        buffer = schema.BufferT()
        # LiteRT does not load a tensor whose data are there and empty.
        if data:
            buffer.data = np.frombuffer(data, np.uint8)
        model.buffers.append(buffer)
        if name:
            tensor = schema.TensorT()
            tensor.name, tensor.shape, tensor.buffer = name.encode(), [TOKENS, CHANNELS], len(model.buffers) - 1
            tensor.type, tensor.hasRank = schema.TensorType.FLOAT32, True
            graph.tensors.append(tensor)
    node.opcodeIndex, node.inputs, node.outputs = 0, [0, 1], [2]
    node.builtinOptionsType, node.builtinOptions = schema.BuiltinOptions.AddOptions, schema.AddOptionsT()
    graph.inputs, graph.outputs, graph.operators = [0], [2], [node]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), b"TFL3")
    Path(__file__).with_name("position.tflite").write_bytes(bytes(builder.Output()))


if __name__ == "__main__":
    main()
