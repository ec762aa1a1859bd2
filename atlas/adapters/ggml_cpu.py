"""Ask ggml on the CPU, in the libraries of the package pywhispercpp. Each question has a child of its own, which ggml may abort."""

import ctypes
import os
from importlib import metadata

import numpy
from protocol import Skip, arrays, need, serve

F32 = 0
# `ggml_init_params` for 16 MiB: the size, no memory, and that memory is wanted.
PARAMS = type("Params", (ctypes.Structure,), {"_fields_": [(name, ctypes.c_size_t) for name in ("size", "memory", "no_alloc")]})(1 << 24)


def compute(operands, op, size):
    """Compute a graph of one node, and return the bytes of its result."""
    context, tensors = base.ggml_init(PARAMS), []
    for array in operands:
        shape = [*array.shape[::-1], 1, 1, 1, 1][:4]
        tensors.append(base.ggml_new_tensor_4d(context, F32, *map(ctypes.c_int64, shape)))
        ctypes.memmove(base.ggml_get_data(tensors[-1]), array.ctypes.data, array.nbytes)
    node, graph = getattr(base, f"ggml_{op}")(context, *tensors), base.ggml_new_graph(context)
    base.ggml_build_forward_expand(graph, node)
    cpu.ggml_graph_compute_with_ctx(context, graph, 1)
    return ctypes.string_at(base.ggml_get_data(node), size)


def answer(question):
    """Compute in a child, and return what it wrote, or raise what ggml said before it ended."""
    need(question, {"add": ["ggml"], "sub": ["ggml"]}, constants=False)
    operands = [numpy.array(array, order="C") for array in arrays(question)]
    rank = max(array.ndim for array in operands)
    if rank > 4:
        raise Skip("ggml has four axes")
    shape = (1,) * (rank - operands[0].ndim) + operands[0].shape
    with os.fdopen(os.memfd_create("answer"), "w+b", buffering=0) as file:
        if (child := os.fork()) == 0:
            os.dup2(file.fileno(), 2)
            result = compute(operands, question["op"], operands[0].nbytes)
            file.seek(0)
            file.truncate()
            os._exit(0 if file.write(result) == len(result) else 1)
        _, status = os.waitpid(child, 0)
        file.seek(0)
        said = file.read()
    if status != 0:
        lines = said.decode(errors="replace").splitlines()
        raise RuntimeError(next((line for line in lines if "GGML_ASSERT" in line), f"the process ends with {status}"))
    return numpy.frombuffer(said, numpy.float32).reshape(shape)


# Before it aborts, ggml would start a debugger.
os.environ.update(GGML_NO_BACKTRACE="1", PATH="")
files = sorted(one for one in metadata.files("pywhispercpp") if one.match("pywhispercpp.libs/*"))
# The base comes before the CPU's part. Older packages have both in the library of Whisper.
found = [ctypes.CDLL(str(one.locate()), ctypes.RTLD_GLOBAL) for part in ("ggml-base", "ggml-cpu", "whisper") for one in files if part in one.name]
base, cpu = found[:2] if len(found) > 1 else found * 2
for function in ("init", "new_tensor_4d", "get_data", "add", "sub", "new_graph"):
    getattr(base, f"ggml_{function}").restype = type("Pointer", (ctypes.c_void_p,), {})
serve("ggml", "pywhispercpp " + metadata.version("pywhispercpp"), answer)
