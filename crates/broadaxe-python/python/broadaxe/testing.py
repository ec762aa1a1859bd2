"""Assertions for tests of models, for pytest or any other runner."""

from ._html import count
from ._models import check, keywords
from ._records import short

_GROUPS = 10
_NAMES = 3


@keywords
def assert_same(model, targets, input_shapes=None):
    """Assert that the broadcasting nodes of a model mean the same on other runtimes.

    The arguments are those of `broadaxe.check`. Raises AssertionError where a node differs, is refused or depends on
    size; its message lists them, those that say the same together.

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
    report = found._words
    lines = [f"{short(found.model)} does not mean the same everywhere ({report['nodes']})"]
    lines += [f"  {target['name']}: {target['counts']}" for target in report["targets"]]
    for one in found.groups[:_GROUPS]:
        lines.append(f"{one.code} {one.title}: {count(len(one.members), 'node')}")
        others, more = one.others[:_NAMES], ", ..." if len(one.others) > _NAMES else ""
        lines.append(f"  {', '.join(short(name) for name in [one.sample['node'], *others])}{more}")
        conditions = [note["text"] for note in one.sample["notes"] if note["label"] == "if"]
        lines += [f"  {short(text, 300)}" for text in [one.why, *conditions] if text]
        if one.sample["fix"]:
            lines.append(f"  fix: {short(one.sample['fix'], 300)}")
    if len(found.groups) > _GROUPS:
        lines.append(f"... and {len(found.groups) - _GROUPS} more groups; broadaxe.check lists them")
    return "\n".join(lines)
