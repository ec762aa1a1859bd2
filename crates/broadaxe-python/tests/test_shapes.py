"""Shapes: broadcasts of known and symbolic dims, views, and what the command says too."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.extra import numpy as hnp

import broadaxe as bx


@settings(max_examples=200, deadline=None)
@given(hnp.mutually_broadcastable_shapes(num_shapes=3, min_side=0, max_dims=6))
def test_broadcast_shapes_are_numpys(found):
    assert bx.broadcast_shapes(*found.input_shapes) == found.result_shape
    arrays = [np.arange(int(np.prod(shape))).reshape(shape) for shape in found.input_shapes]
    for got, want in zip(bx.broadcast_arrays(*arrays), np.broadcast_arrays(*arrays)):
        np.testing.assert_array_equal(got, want)
    for array in arrays:
        view = bx.broadcast_to(array, found.result_shape)
        np.testing.assert_array_equal(view, np.broadcast_to(array, found.result_shape))
        assert view.size == 0 or np.shares_memory(view, array)


def test_shapes():
    cases = [
        (((2, 3, 4, 5), (3, 4)), {"rule": "pdpd", "axis": 1}, (2, 3, 4, 5)),
        (((2,), (2, 2)), {"rule": "ncnn"}, (2, 2)),
        (((), ()), {}, ()),
        ((3, (2, 1)), {}, (2, 3)),
        (((np.int64(2), 1), (3,)), {}, (2, 3)),
        (((0, 2**40), (1,)), {}, (0, 2**40)),
        ((), {}, ()),
    ]
    for shapes, keywords, want in cases:
        assert bx.broadcast_shapes(*shapes, **keywords) == want
    wrong = [((2,), (3,)), ((-1,), (1,)), ((2**63,), (1,)), ((2**62, 4), (1,)), ((0, 2**62, 4), (1,)), ((2**200,), (1,))]
    for shapes in wrong:
        with pytest.raises(ValueError):
            bx.broadcast_shapes(*shapes)
    for shapes in (((2.5,), (1,)), ((object(),), (1,)), (object(),)):
        with pytest.raises((TypeError, ValueError)):
            bx.broadcast_shapes(*shapes)


def test_symbolic_dims_give_guards():
    cases = [
        ((("n", 4), (3, 4)), ((3, 4), ("n == 3 or n == 1",))),
        ((("n", 1), ("n", 5)), (("n", 5), ())),
        (("n,4", "4"), (("n", 4), ())),
        (((None, 4), (4,)), (("?", 4), ())),
    ]
    for shapes, want in cases:
        assert bx.broadcast_shapes(*shapes) == want, shapes
    assert bx.broadcast_shapes(("n", 3), ("n",), rule="pdpd", axis=0) == (("n", 3), ())
    with pytest.raises(ValueError, match="axis 1"):
        bx.broadcast_shapes(("n", 3), (4,))


def test_views_repeat_and_are_read_only():
    a = np.arange(3)
    view = bx.broadcast_to(a, (3, 2), rule="explicit", axes=[0])
    assert view.tolist() == [[0, 0], [1, 1], [2, 2]] and not view.flags.writeable and view.strides[1] == 0
    assert bx.broadcast_to(np.ones((3, 1)), (2, 1, 6), rule="bidirectional").shape == (2, 3, 6)
    with pytest.raises(ValueError):
        bx.broadcast_to(a, (2,))
    x, y = bx.broadcast_arrays(np.zeros((2, 3, 4)), a, rule="pdpd", axis=1)
    assert y.shape == (2, 3, 4) and y[1, :, 3].tolist() == [0, 1, 2]


def test_answers_have_text_and_data():
    answer = bx.explain(np.zeros((2, 3, 4)), (3, 1), rule="pdpd", axis=1)
    assert "repeated 2 times along axis 0" in answer and answer.data["shape"] == [2, 3, 4]
    assert "ncnn" in bx.compare((2,), (2, 2)) and bx.compare((2,), (2, 2)).data["differences"]
    with pytest.raises(ValueError, match="must be equal or 1"):
        bx.explain((2,), (3,))
    with pytest.raises(ValueError, match="unknown rule .nope."):
        bx.explain((2,), (3,), rule="nope")


def test_tiles():
    """Operators tile under ggml's rule; views cannot."""
    a, b = np.arange(12).reshape(2, 6), np.arange(3) * 100
    assert bx.add(a, b, rule="ggml").tolist() == (a + np.tile(b, 2)).tolist()
    assert bx.broadcast_shapes((2, 6), (3,), rule="ggml") == (2, 6)
    with pytest.raises(ValueError, match="tiled to"):
        bx.broadcast_arrays(a, b, rule="ggml")
    with pytest.raises(ValueError, match="tiled to"):
        bx.unbroadcast(a.astype(float), (3,), rule="ggml")
    with pytest.raises(ValueError, match="multiple of the size of b"):
        bx.add(a, np.arange(4), rule="ggml")
