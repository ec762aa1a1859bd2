"""Draws operands for random calls: any dtype, rank and size, in every way that an array can be in memory."""

import math
import random
import tempfile

import numpy as np

DTYPES = [np.dtype(name) for name in "bool i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8".split()]
NUMBERS = [True, False, 0, 1, -1, 2, 3, 7, 200, -200, 2**40, 2.5, -0.0, 0.5, 1e300, math.inf, math.nan]
EDGES = [math.nan, math.inf, -math.inf, 0.0, -0.0, 1e-310, 1e-42, 6e-8, 1e308, 3e38, 65504.0, 0.5, 2.5, 1.0, -1.0, math.pi]
BLOCK_BYTES = 1 << 20


class Subclass(np.ndarray):
    """A class of its own, which results keep."""


def block():
    """Make a file that arrays are mapped from."""
    return np.memmap(tempfile.TemporaryFile(), "u1", "w+", shape=BLOCK_BYTES)


class Draw(random.Random):
    """Draws a call; the same seed gives the same call, with arrays of its own."""

    def __init__(self, seed, mapped):
        super().__init__(seed)
        self.mapped = mapped

    def chance(self, share):
        return self.random() < share

    def shape(self):
        """Draw a shape of any rank, with few elements."""
        rank = self.choice((0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 8, 16, 32, 64))
        if rank < 6:
            return tuple(self.choice((0, 1, 1, 2, 3, 4, 5)) if self.chance(0.9) else 1 for _ in range(rank))
        dims = [1] * rank
        for _ in range(self.randrange(8)):
            dims[self.randrange(rank)] = 2
        return tuple(dims)

    def partner(self, shape):
        """Draw a shape that broadcasts with another, in most cases."""
        if self.chance(0.03):
            return self.shape()
        dims = [1 if self.chance(0.25) else dim for dim in shape]
        return tuple(dims[self.randrange(len(dims) + 1) :] if self.chance(0.3) else dims)

    def dtype(self, like=None):
        return like if like is not None and self.chance(0.6) else self.choice(DTYPES)

    def values(self, dtype, count):
        """Draw elements: small numbers, any bits, or edges."""
        kind, mode = dtype.kind, self.random()
        bits = np.frombuffer(self.randbytes(count * dtype.itemsize), "u1")
        if kind == "b":
            return (bits & 1).astype(bool)
        if kind in "iu" and mode < 0.3:
            return bits.view(dtype).copy()
        if kind in "iu" and mode < 0.4:
            info = np.iinfo(dtype)
            return np.array([self.choice((info.min, info.max, info.max - 1, 0, 1, 7, info.bits - 1)) for _ in range(count)], dtype)
        if kind in "iu":
            return bits.view(dtype) % dtype.type(7) - dtype.type(3 if kind == "i" else 0)
        if mode < 0.15:
            array = bits.view(dtype).copy()
            array[np.isnan(array)] = np.nan
            return array
        array = (np.frombuffer(self.randbytes(count * 2), "i2") * self.choice((1e-4, 1e-3, 1e-3, 0.25, 1e3))).astype(dtype)
        if mode < 0.5 and count:
            for _ in range(self.randrange(3)):
                array[self.randrange(count)] = dtype.type(self.choice(EDGES))
        return array

    def array(self, shape, dtype):
        """Draw an array, in any layout."""
        array = self.values(dtype, math.prod(shape)).reshape(shape)
        ways = (self.plain, self.plain, self.plain, self.reversed, self.swapped, self.misaligned, self.read_only, self.fortran, self.transposed,
                self.stepped, self.stretched, self.subclass, self.file, self.tail)  # fmt: skip
        return self.choice(ways)(array)

    def operand(self, shape, dtype):
        """Draw an array, a scalar, a list or a number of Python."""
        mode = self.random()
        if mode < 0.08:
            return self.choice(NUMBERS)
        if mode < 0.12:
            return self.values(dtype, 1)[0]
        array = self.array(shape, dtype)
        return array.tolist() if mode < 0.13 and array.size and array.ndim < 9 else array

    def plain(self, array):
        return array

    def reversed(self, array):
        if not array.ndim:
            return array
        axis = self.randrange(array.ndim)
        return np.flip(np.flip(array, axis).copy(), axis)

    def swapped(self, array):
        return array.astype(array.dtype.newbyteorder())

    def misaligned(self, array):
        whole = np.zeros(array.nbytes + 1, "u1")
        return self._within(whole[1:], array)

    def file(self, array):
        if array.nbytes > BLOCK_BYTES - 64:
            return array
        at = self.randrange(0, BLOCK_BYTES - array.nbytes, 16)
        return self._within(self.mapped[at : at + array.nbytes], array)

    def _within(self, memory, array):
        view = memory[: array.nbytes].view(array.dtype).reshape(array.shape)
        view[...] = array
        return view

    def read_only(self, array):
        array = array.copy()
        array.flags.writeable = False
        return array

    def fortran(self, array):
        return np.array(array, order="F")

    def transposed(self, array):
        return array.T.copy().T

    def stepped(self, array):
        if not 0 < array.ndim < 6:
            return array
        steps = tuple(slice(None, None, self.choice((1, 2, 3))) for _ in array.shape)
        whole = np.full([3 * dim for dim in array.shape], 1, array.dtype)
        view = whole[steps][tuple(slice(dim) for dim in array.shape)]
        view[...] = array
        return view

    def stretched(self, array):
        """Give an axis a stride of 0."""
        if 1 not in array.shape or array.ndim > 9:
            return array
        axis = array.shape.index(1)
        return np.broadcast_to(array, (*array.shape[:axis], 2, *array.shape[axis + 1 :]))

    def subclass(self, array):
        return array.view(Subclass)

    def tail(self, array):
        return np.concatenate([array, array])[len(array) :] if array.ndim else array
