"""Ask TVM, through its Relax front end for ONNX, compiled for the CPU."""

import tvm
from onnx_node import RULES, build
from protocol import need, serve
from tvm import relax
from tvm.relax.frontend.onnx import from_onnx


def answer(question):
    """Compile a model of one node, and run it."""
    need(question, RULES)
    model, feeds = build(question)
    module = from_onnx(model, keep_params_in_input=False)
    module = relax.transform.LegalizeOps()(relax.transform.DecomposeOpsForInference()(module))
    machine = relax.VirtualMachine(tvm.compile(module, "llvm"), tvm.cpu())
    result = machine["main"](*(tvm.runtime.tensor(array) for array in feeds.values()))
    return (result if hasattr(result, "numpy") else result[0]).numpy()


serve("TVM", tvm.__version__, answer)
