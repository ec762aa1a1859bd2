"""The suite itself: that it would see what is wrong."""

import platform
from pathlib import Path

import numpy as np
import pytest

from . import shapes, values
from .compare import Tolerance, agree
from .engines.numpy import NumPy
from .known import Exemption, Known, apart
from .question import Died, Question, Refused
from .tally import Tally, count


def test_every_module_is_of_the_oldest_python():
    """Most modules are run by hand only: a form of a newer Python would show only then."""
    root = Path(__file__).resolve().parents[1]
    paths = [path for folder in ("conformance", "engines", "bench", "atlas") for path in (root / folder).rglob("*.py")]
    assert len(paths) > 100
    for path in paths:
        compile(path.read_bytes(), str(path), "exec")


def test_codes_reveal_both_elements():
    for pair in [((2, 3), (4,)), ((), (5,)), ((3, 1), (1, 3)), ((0, 2), (3,))]:
        a, b = shapes.coded(pair)
        sums, differences = np.add.outer(a.ravel(), b.ravel()), np.subtract.outer(a.ravel(), b.ravel())
        assert len(np.unique(sums)) == sums.size and len(np.unique(differences)) == differences.size
        x, slope = shapes.coded_product(pair)
        products = np.multiply.outer(np.ravel(x), np.ravel(slope))
        assert len(np.unique(products)) == products.size


def test_all_seed_pairs_are_read():
    rules = ("numpy", "none", "pdpd", "ncnn", "unidirectional", "bidirectional", "explicit")
    assert sum(len(shapes.seed_pairs((rule,))) for rule in rules) >= 79


def test_random_shapes_hold_zeros_and_ones_and_refusals():
    pairs = shapes.random_shapes(np.random.default_rng(0), 500)
    dims = [dim for pair in pairs for shape in pair for dim in shape]
    refused = sum(1 for pair in pairs if not fits(pair))
    assert dims.count(0) > 100 and dims.count(1) > 500 and max(len(shape) for pair in pairs for shape in pair) == 6
    assert 10 < refused < 250


def fits(pair):
    try:
        np.broadcast_shapes(*pair)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("one", "other", "tolerance", "want"),
    [
        (0.0, -0.0, Tolerance(), False),
        (0.0, -0.0, Tolerance(ulp=4), False),
        (0.0, -0.0, Tolerance(zeros=True), True),
        (np.nan, -np.nan, Tolerance(), True),
        (np.nan, 1.0, Tolerance(ulp=4), False),
        (1.0, 1.0 + 2**-52, Tolerance(), False),
        (1.0, 1.0 + 2**-52, Tolerance(ulp=1), True),
        (1.0, 1.0 + 2**-51, Tolerance(ulp=1), False),
        (0.5, 0.51, Tolerance(within=0.02), True),
        (np.inf, -np.inf, Tolerance(ulp=9), False),
    ],
)
def test_floats_are_compared(one, other, tolerance, want):
    assert bool(agree(np.array([one]), np.array([other]), tolerance)[0]) is want


def asked(question, mine, theirs, known):
    tally = Tally(NumPy(), "1")
    count(tally, known, question, mine, theirs)
    return tally.total()


def test_a_wrong_answer_is_unexplained():
    known = Known()
    a, b = shapes.coded(((2, 2), (2,)))
    question = Question("shape", "numpy", "sub", "f32", (a, b))
    assert asked(question, a - b, a - b, known) == (1, 1, 0, 0)
    assert asked(question, a - b, a - b[:, None], known) == (1, 0, 0, 1)
    assert asked(question, a - b, Refused("no"), known) == (1, 0, 0, 1)
    assert asked(question, Refused("no"), a - b, known) == (1, 0, 0, 1)
    assert asked(question, Refused("no"), Refused("never"), known) == (1, 1, 0, 0)
    assert asked(question, Refused("no"), Died("gone"), known) == (1, 0, 0, 1)
    assert asked(question, a - b, (a - b).astype("f8"), known) == (1, 0, 0, 1)


def test_an_exemption_covers_what_it_names_only():
    table = {"id": "x", "engine": "numpy", "version": "1", "kind": "value", "on": {"add": "i8"}, "does": "saturates",
             "why": "we wrap", "link": "docs", "when": "big(a) + big(b) > hi", "gives": "hi"}  # fmt: skip
    known = Known()
    known.exemptions = [Exemption(table)]
    a, b = np.array([100, 1, 100], "i1"), np.array([100, 1, 27], "i1")
    question = Question("value", "numpy", "add", "i8", (a, b))
    assert asked(question, a + b, np.array([127, 2, 127], "i1"), known) == (3, 2, 1, 0)
    assert asked(question, a + b, np.array([126, 2, 127], "i1"), known) == (3, 2, 0, 1)
    assert asked(question, a + b, np.array([127, 3, 127], "i1"), known) == (3, 1, 1, 1)
    with pytest.raises(ValueError, match="missing keys"):
        Exemption({key: value for key, value in table.items() if key != "why"})
    with pytest.raises(ValueError, match="unknown keys"):
        Exemption({**table, "then": "1"})


def test_another_processor_is_told():
    measured = {"machine": platform.machine(), "features": ["fma", "avx2"], "absent": ["amx_tile"]}
    for flags, want in [("fma avx2 sse", []), ("fma", ["without avx2"]), ("fma avx2 amx_tile", ["with amx_tile"])]:
        assert apart(measured, flags.split()) == want
    assert apart({**measured, "machine": "none"})[0].startswith("on ")


def test_edges_hold_the_ends():
    for dtype, least in [("i8", -128), ("u64", 0), ("f16", -np.inf)]:
        found = values.edges(dtype)
        assert found[~np.isnan(found)].min() == least
    assert np.isnan(values.edges("bf16").astype("f4")).any()
