"""Assertions for tests of models, for pytest or any other runner."""

from ._models import check, grouped
from ._records import short

_GROUPS = 10
_NODES = 3


def assert_same(model, targets, input_shapes=None):
    """Assert that the element-wise nodes of a model mean the same on other runtimes.

    The arguments are those of `broadaxe.check`. Raises AssertionError where a node differs, is refused, or is the same only under a
    condition; its message lists them, those that say the same together.

    >>> from broadaxe.testing import assert_same
    >>> def test_model_runs_everywhere():
    ...     assert_same("model.onnx", targets=["onnx", "openvino"])
    """
    __tracebackhide__ = True
    found = check(model, targets, input_shapes)
    if found.ok:
        return
    raise AssertionError(_message(found))


def _message(found):
    groups = grouped(found.problems)
    nodes = "1 node" if found.nodes == 1 else f"{found.nodes} element-wise nodes"
    lines = [f"{short(found.model)} does not mean the same everywhere ({nodes})"]
    for target in found.targets:
        lines.append(f"  {target.name}: {target.said}")
    for one, names in groups[:_GROUPS]:
        more = f" and {len(names) - _NODES} more" if len(names) > _NODES else ""
        said = f"if {one.condition}" if one.condition else one.reason
        lines.append(f"{one.verdict} on {one.target}: {short(one.op)} {', '.join(short(name) for name in names[:_NODES])}{more}")
        lines.append(f"  {short(said, 300)}")
        if one.repair is not None:
            lines.append(f"  fix: {short(one.repair.text, 300)}")
    if len(groups) > _GROUPS:
        lines.append(f"... and {len(groups) - _GROUPS} more groups; broadaxe.check lists them")
    return "\n".join(lines)
