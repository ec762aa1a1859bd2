"""ONNX's own backend tests: whatever is not refused by name passes."""

from . import onnx_backend


def test_what_is_not_refused_passes(session):
    session.backend = onnx_backend.run()
    assert not session.backend.wrong, session.backend.wrong
    assert session.backend.asked > 2000 and len(session.backend.passed) > 1400
    assert sorted(session.backend.exempt) == sorted(onnx_backend.EXEMPT)


def test_every_test_of_an_element_wise_operator_passes_unless_of_strings_or_narrow_types():
    names = "Add And BitShift BitwiseAnd BitwiseOr BitwiseXor Div Equal Greater GreaterOrEqual Less LessOrEqual Max Mean Min Mod Mul Or PRelu Pow Sub Sum Where Xor Expand Gemm Clip".split()
    found = [case for case in onnx_backend.cases() if case.model is not None and [node.op_type for node in case.model.graph.node] in [[name] for name in names]]
    outcome = onnx_backend.run(found)
    assert len(found) > 200 and not outcome.wrong
    assert all("STRING" in why for why in outcome.refused), outcome.refused
