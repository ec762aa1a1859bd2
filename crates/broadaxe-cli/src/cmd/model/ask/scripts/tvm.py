"""TVM's Relax front end for ONNX, compiled for the CPU."""


def start():
    import tvm.relax.frontend.onnx  # noqa: F401


def answer(question):
    import numpy
    import onnx
    import tvm
    from tvm import relax
    from tvm.relax.frontend.onnx import from_onnx

    module = from_onnx(onnx.load_from_string(question.model), keep_params_in_input=False)
    module = relax.transform.LegalizeOps()(relax.transform.DecomposeOpsForInference()(module))
    machine = relax.VirtualMachine(tvm.compile(module, "llvm"), tvm.cpu())
    given = [tvm.runtime.tensor(one.array()) for one in question.computed()]
    result = machine["main"](*given)
    result = result if hasattr(result, "numpy") else result[0]
    return result.numpy()
