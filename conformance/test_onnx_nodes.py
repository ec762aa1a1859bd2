"""ONNX's own backend tests of nodes, through `broadaxe.onnx_backend`."""

import numpy as np
import pytest

from broadaxe import onnx_backend

loader = pytest.importorskip("onnx.backend.test.loader")

MULTIDIRECTIONAL = """Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min
Mod Mul Or Pow Sub Sum Where Xor""".split()
ASKED = (*MULTIDIRECTIONAL, "PRelu", "Expand", "Gemm", "Clip")


def cases():
    """Return the cases of one node that is one of the operators."""
    found = [case for case in loader.load_model_tests(kind="node") if case.model is not None]
    return [case for case in found if [node.op_type for node in case.model.graph.node] in [[name] for name in ASKED]]


def is_string(case):
    """Whether a case is about strings, which arrays here are not of."""
    return any(value.type.tensor_type.elem_type == 8 for value in case.model.graph.input)


def failure(case):
    """Return why a case fails, or None."""
    try:
        prepared = onnx_backend.prepare(case.model)
        for inputs, outputs in case.data_sets:
            for got, want in zip(prepared.run(inputs), outputs, strict=True):
                assert got.dtype == want.dtype and got.shape == want.shape
                np.testing.assert_allclose(got.astype("f8"), want.astype("f8"), rtol=case.rtol, atol=case.atol)
    except Exception as why:
        return f"{type(why).__name__}: {why}"
    return None


def test_all_but_strings_pass(session):
    all_cases = cases()
    failures = {case.name: why for case in all_cases if (why := failure(case))}
    strings = {case.name for case in all_cases if is_string(case)}
    session.nodes = len(all_cases) - len(failures), len(all_cases), sorted(failures)
    assert len(all_cases) > 200 and {case.model.graph.node[0].op_type for case in all_cases} == set(ASKED)
    assert set(failures) == strings, {name: why for name, why in failures.items() if name not in strings}
