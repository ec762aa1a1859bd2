"""Memory of any kind, borrowed without a copy or refused in words; and threads that call at once."""

import gc
import sys
import threading
import time
import weakref

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import broadaxe as bx


def test_layouts():
    whole = np.arange(64, dtype="f4")
    for array in [whole[::-1], whole[::3], whole.reshape(8, 8).T, whole.reshape(4, 4, 4)[::-1, ::2, ::-1], whole[:0],
                  whole[5:6], np.broadcast_to(whole, (3, 64)), np.broadcast_to(whole[3], (2, 2)), whole.astype(">f4"),
                  np.asfortranarray(whole.reshape(8, 8)), np.frombuffer(b"x" + whole.tobytes(), "u1")[1:].view("f4"),
                  as_strided(whole, (5, 5), (4, 4)), whole.reshape(2, 2, 2, 2, 2, 2)]:
        np.testing.assert_array_equal(bx.add(array, np.float32(1)), array + np.float32(1))
        np.testing.assert_array_equal(bx.evaluate("-array * array"), -array * array)
        out = np.zeros(array.shape, "f4")
        assert bx.neg(array, out=out) is out
        np.testing.assert_array_equal(out, -array)


def test_ranks():
    for rank in (0, 1, 32, 33, 64):
        array = np.ones((1,) * rank, "f4")
        assert bx.add(array, array).shape == (1,) * rank
    assert bx.add(np.zeros((0, 3)), np.zeros((1, 3))).shape == (0, 3)
    with pytest.raises(ValueError):
        bx.add(np.zeros((0,)), np.zeros((5,)))
    with pytest.raises(ValueError):
        bx.broadcast_shapes((1,) * 65, (1,))


def test_outputs_that_are_refused():
    a = np.zeros((2, 3), "f4")
    locked = np.zeros((2, 3), "f4")
    locked.flags.writeable = False
    for out in (locked, np.broadcast_to(np.zeros(3, "f4"), (2, 3))):
        for where in (True, np.ones(3, bool)):
            with pytest.raises(ValueError, match="read-only"):
                bx.add(a, 1, out=out, where=where)
        with pytest.raises(ValueError, match="read-only"):
            bx.evaluate("a + 1", out=out)
    for out in (as_strided(np.zeros(3, "f4"), (2, 3), (0, 4)), as_strided(np.zeros(9, "f4"), (2, 3), (4, 4))):
        with pytest.raises(ValueError, match="share memory"):
            bx.add(a, 1, out=out)
        with pytest.raises(ValueError, match="share memory"):
            bx.evaluate("a + 1", out=out)
    for out in ([1, 2], 3, "out"):
        with pytest.raises(TypeError):
            bx.add(a, 1, out=out)


def test_bytes_of_bools():
    odd = np.frombuffer(bytes([0, 1, 2, 128, 255]), "?")
    assert bx.logical_not(odd).view("u1").tolist() == [1, 0, 0, 0, 0]
    assert bx.add(odd, odd).view("u1").tolist() == [0, 1, 1, 1, 1]
    assert bx.where(odd, 1, 0).tolist() == [0, 1, 1, 1, 1]


class ByInterface:
    def __init__(self, array):
        self.array = array
        self.__array_interface__ = array.__array_interface__


class ByDlpack:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **kwargs):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


@pytest.mark.parametrize("wrap", [ByInterface, ByDlpack])
def test_other_libraries_share_their_memory(wrap):
    array = np.arange(12, dtype="f4").reshape(3, 4)[:, ::-1]
    np.testing.assert_array_equal(bx.add(wrap(array), 1), array + 1)
    np.testing.assert_array_equal(bx.evaluate("x * 2", x=wrap(array)), array * 2)
    view, = bx.broadcast_arrays(wrap(array))
    assert np.shares_memory(view, array)


def test_torch_tensors():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.uint8, torch.bool):
        tensor = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(dtype)
        for view in (tensor, tensor.T, tensor[:, ::2], tensor[:1].expand(3, 3)):
            got = bx.maximum(view, view)
            assert got.dtype == dtype and got.float().tolist() == view.float().tolist()
    tensor = torch.zeros(3)
    view, = bx.broadcast_arrays(tensor)
    tensor[1] = 5
    assert view.tolist() == [0, 5, 0]
    out = torch.zeros(3)
    bx.add(tensor, 1, out=out.numpy())
    assert out.tolist() == [1, 6, 1]


def test_bfloat16():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    a = np.array([1, 2.5, -3], ml_dtypes.bfloat16)
    assert bx.add(a, a).dtype == a.dtype and bx.add(a, a).astype("f4").tolist() == [2, 5, -6]
    assert bx.add(a, 1).dtype == np.add(a, 1).dtype and bx.add(a, np.ones(3, "f4")).dtype == np.float32
    assert bx.evaluate("cast(a, 'bf16') * 2").dtype == a.dtype
    assert bx.add(a, 1, out=np.zeros(3, "f4")).tolist() == [2, 3.5, -2]


def test_object_arrays_are_refused():
    with pytest.raises(TypeError, match="object"):
        bx.add(np.array([1, None], object), 1)
    with pytest.raises(TypeError):
        bx.evaluate("a + 1", a=np.zeros(3, "M8[s]"))


def test_nothing_is_kept_of_arrays():
    class Own(np.ndarray):
        pass

    array = np.ones(1000, "f4")
    watched = array.view(Own)
    gone = weakref.ref(watched)
    for _ in range(3):
        bx.add(array, array)
        bx.add(watched, 1)
        bx.evaluate("watched + 1")
    count = sys.getrefcount(array)
    for _ in range(100):
        bx.add(array, array, out=array)
        bx.add(array, 1, where=array > 0, out=array)
    assert sys.getrefcount(array) == count
    del watched
    bx.evaluate("1 + 1")
    gc.collect()
    assert gone() is None


def test_other_threads_of_python_run_meanwhile():
    array = np.ones(4_000_000)
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        bx.evaluate("array + 1")
        before, start = counted[0], time.perf_counter()
        bx.evaluate("sin(array) ** cos(array) + atan2(array, 3) ** 0.3")
        assert time.perf_counter() - start > 0.01 and counted[0] > before + 100
    finally:
        stop.set()
        thread.join()


def test_threads_of_python_call_at_once():
    array = np.arange(100_000, dtype="f4")
    failed = []

    def work(k):
        for _ in range(50):
            if not np.array_equal(bx.add(array, k), array + np.float32(k)):
                failed.append(k)
            if bx.evaluate("sum(array) * 0 + k") != k:
                failed.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_values_of_another_builder_are_refused():
    builder, other = bx._broadaxe.GraphBuilder(), bx._broadaxe.GraphBuilder()
    value = builder.operate("neg", [builder.put(np.ones(3))])
    for call in (lambda: other.compute(value), lambda: other.operate("neg", [value]), lambda: other.cast(value, "f32")):
        with pytest.raises(ValueError, match="another graph builder"):
            call()
    assert builder.compute(value).tolist() == [-1, -1, -1]
