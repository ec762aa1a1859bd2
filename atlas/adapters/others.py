"""Load models of one ONNX node into engines that are no targets: `ENGINES` has their names, and functions that load a model.

Engines that read no ONNX are given the node's operator through their own interface.
"""

import importlib.metadata
import os
import sys
from pathlib import Path

import numpy


def driver(name):
    """Use the driver of an engine that `check --ask` asks too."""
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    from engines import load as driver_of

    found = driver_of(name)
    return lambda data: lambda feeds: found.load(found.Model(data), list(feeds), [], {})(feeds)[0]


def iree():
    """Use IREE's ONNX importer and its compiler for the CPU."""
    import iree.compiler as compiler
    import iree.runtime as runtime
    import onnx
    from iree.compiler.extras import onnx_importer
    from iree.compiler.ir import Context

    options = {"target_backends": ["llvm-cpu"], "input_type": "onnx", "extra_args": ["--iree-llvmcpu-target-cpu=generic"]}

    def program(models):
        context, module = Context(), None
        for k, data in enumerate(models):
            model = onnx.load_model_from_string(data)
            model.graph.name = f"f{k}"
            info = onnx_importer.ModelInfo(onnx.shape_inference.infer_shapes(model))
            module = module or info.create_module(context=context).operation
            onnx_importer.NodeImporter.define_function(info.main_graph, module).import_all()
        return runtime.load_vm_flatbuffer(compiler.compile_str(str(module), **options), driver="local-sync")

    def many(models, feeds):
        loaded, found = program(models), []
        for k, one in enumerate(feeds):
            try:
                found.append(numpy.asarray(loaded[f"f{k}"](*one.values()).to_host()))
            except Exception as why:
                found.append(why)
        return found

    def load(data):
        loaded = program([data])
        return lambda feeds: numpy.asarray(loaded["f0"](*feeds.values()).to_host())

    load.many = many
    return load


def tinygrad():
    """Use tinygrad's reader of ONNX, on the device that needs no compiler."""
    import tempfile

    os.environ.setdefault("DEV", "PYTHON")
    from tinygrad import Tensor
    from tinygrad.nn.onnx import OnnxRunner

    def load(data):
        with tempfile.NamedTemporaryFile(suffix=".onnx", delete=False) as file:
            file.write(data)
        runner = OnnxRunner(file.name)
        os.unlink(file.name)
        return lambda feeds: next(iter(runner({name: Tensor(array) for name, array in feeds.items()}).values())).numpy()

    return load


def tract():
    """Use tract's Python package."""
    import tempfile

    import tract

    def load(data):
        with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
            file.write(data)
            file.flush()
            model = tract.onnx().load(file.name)
        runnable = model.into_model().into_runnable() if hasattr(model, "into_model") else model.into_tract().into_runnable()
        return lambda feeds: runnable.run(list(feeds.values()))[0].to_numpy()

    return load


def node_of(data):
    """Return the node of a model, and the arrays of its constants by name."""
    import onnx

    graph = onnx.load_model_from_string(data).graph
    return graph.node[0], {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}


def mlx():
    """Use MLX's functions on the CPU."""
    import mlx.core as mx

    mx.set_default_device(mx.cpu)
    calls = {
        "Add": mx.add, "Sub": mx.subtract, "Mul": mx.multiply, "Pow": mx.power, "Max": mx.maximum, "Min": mx.minimum, "Less": mx.less,
        "Greater": mx.greater, "Equal": mx.equal, "LessOrEqual": mx.less_equal, "GreaterOrEqual": mx.greater_equal, "And": mx.logical_and,
        "Or": mx.logical_or, "Where": mx.where,
    }  # fmt: skip

    def load(data):
        node, constants = node_of(data)
        if node.op_type not in calls and node.op_type != "Div" or len(node.input) > 2 and node.op_type != "Where":
            raise NotImplementedError(f"no function is {node.op_type}")

        def run(feeds):
            operands = [mx.array({**constants, **feeds}[name]) for name in node.input]
            call = mx.divide if operands[-1].dtype == mx.float32 else mx.floor_divide
            return numpy.array(calls.get(node.op_type, call)(*operands))

        return run

    return load


def executorch(xnnpack=False):
    """Use ExecuTorch's portable kernels, or its XNNPACK backend, on torch's functions.

    Lowering is slow, so `load.many` lowers models as one program of independent nodes.
    """
    sys.path.append(str(Path(__file__).resolve().parents[2]))
    import engines
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower
    from executorch.runtime import Runtime

    torch = engines.load("torch", start=False).library()

    calls = {
        "Add": torch.add, "Sub": torch.sub, "Mul": torch.mul, "Pow": torch.pow, "Max": torch.maximum, "Min": torch.minimum, "Less": torch.lt,
        "Greater": torch.gt, "Equal": torch.eq, "LessOrEqual": torch.le, "GreaterOrEqual": torch.ge, "And": torch.logical_and,
        "Or": torch.logical_or, "Xor": torch.logical_xor, "Where": torch.where, "Mod": torch.remainder, "Gemm": lambda a, b, c: torch.addmm(c, a, b),
        "Div": lambda a, b: torch.div(a, b, rounding_mode=None if a.is_floating_point() else "trunc"),
        "Expand": lambda a, shape: torch.broadcast_to(a, torch.broadcast_shapes(a.shape, tuple(shape.tolist()))),
    }  # fmt: skip

    class Nodes(torch.nn.Module):
        """Independent nodes, whose inputs follow each other."""

        def __init__(self, nodes):
            super().__init__()
            self.nodes = nodes
            for k, (node, constants) in enumerate(nodes):
                for name, array in constants.items():
                    self.register_buffer(f"{name}_{k}", torch.from_numpy(array.copy()))
                self.nodes[k] = node, {} if node.op_type == "Expand" else constants, constants

        def forward(self, *given):
            rest, found = iter(given), []
            for k, (node, constants, all_constants) in enumerate(self.nodes):
                if node.op_type == "Expand":
                    first = node.input[0]
                    data = getattr(self, f"{first}_{k}") if first in all_constants else next(rest)
                    found.append(calls["Expand"](data, all_constants[node.input[1]]))
                    continue
                found.append(calls[node.op_type](*(getattr(self, f"{name}_{k}") if name in constants else next(rest) for name in node.input)))
            return tuple(found)

    def lowered(models, feeds):
        nodes = [node_of(data) for data in models]
        given = tuple(torch.from_numpy(array.copy()) for one in feeds for array in one.values())
        program = torch.export.export(Nodes(nodes).eval(), given)
        made = to_edge_transform_and_lower(program, partitioner=[XnnpackPartitioner()] if xnnpack else []).to_executorch()
        method = Runtime.get().load_program(bytes(made.buffer)).load_method("forward")
        return [one.numpy().copy() for one in method.execute(list(given))]

    def possible(data, feeds):
        node, constants = node_of(data)
        if node.op_type not in calls or len(node.input) > 2 and node.op_type not in ("Where", "Gemm"):
            raise NotImplementedError(f"no function is {node.op_type}")
        Nodes([(node, constants)])(*(torch.from_numpy(array.copy()) for array in feeds.values()))

    def many(models, feeds):
        found, chosen = [None] * len(models), []
        for k, (data, one) in enumerate(zip(models, feeds)):
            try:
                possible(data, one)
                chosen.append(k)
            except Exception as why:
                found[k] = why
        if chosen:
            for k, array in zip(chosen, lowered([models[k] for k in chosen], [feeds[k] for k in chosen])):
                found[k] = array
        return found

    def load(data):
        def run(feeds):
            possible(data, feeds)
            return lowered([data], [feeds])[0]

        return run

    load.many = many
    return load


# The function that starts an engine, its title, and the package whose version is told.
ENGINES = {
    "nncase": (lambda: driver("nncase"), "nncase simulator", "nncase"),
    "rknn": (lambda: driver("rknn"), "RKNN simulator", "rknn-toolkit2"),
    "iree": (iree, "IREE llvm-cpu", "iree-base-compiler"),
    "tinygrad-onnx": (tinygrad, "tinygrad ONNX", "tinygrad"),
    "tract": (tract, "tract", "tract"),
    "onnxruntime": (lambda: driver("onnxruntime"), "ONNX Runtime", "onnxruntime"),
    "mlx": (mlx, "MLX", "mlx"),
    "executorch": (executorch, "ExecuTorch portable", "executorch"),
    "executorch-xnnpack": (lambda: executorch(True), "ExecuTorch XNNPACK", "executorch"),
}


def version(name):
    """Return the version of an engine's package."""
    return importlib.metadata.version(ENGINES[name][2])
