"""Products, which NumPy computes; what is done to them is fused."""

import numpy as np

from .. import _arrays, _broadaxe
from ._table import operator
from ._tensors import Unsupported


def product(call, a, b):
    """Multiply matrices; halves are added up in f32."""
    if a.dtype != b.dtype:
        raise TypeError(f"the inputs are {a.dtype} and {b.dtype}; they have one type")
    if not a.ndim or not b.ndim:
        raise ValueError(f"it needs tensors of rank 1 or more, not {a.shape} and {b.shape}")
    wide = np.float32 if _arrays.short_name(a.dtype) in ("f16", "bf16") else a.dtype
    rows, columns = a.shape[-2:-1], b.shape[-1:] if b.ndim > 1 else ()
    call.room((*np.broadcast_shapes(a.shape[:-2], b.shape[:-2]), *rows, *columns), wide)
    return np.asarray(np.matmul(a.astype(wide, copy=False), b.astype(wide, copy=False))).astype(a.dtype, copy=False)


@operator("MatMul")
def matmul(call):
    """Multiply matrices."""
    return product(call, call.array(0), call.array(1))


@operator("Gemm")
def gemm(call):
    """Multiply two matrices, scale the product and add a third."""
    a, b = call.array(0), call.array(1)
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError(f"it needs matrices, not {a.shape} and {b.shape}")
    made = call.on_builder(product(call, a.T if call.get("transA") else a, b.T if call.get("transB") else b))
    number = float if made.dtype in ("f16", "bf16", "f32", "f64") else int
    if call.get("alpha", 1.0) != 1.0:
        made = call.elementwise("Mul", made, number(call.get("alpha")))
    if call.has(2):
        c = call.value(2)
        _broadaxe.place([made.shape, c.shape], "gemm-c", None)
        if call.get("beta", 1.0) != 1.0:
            c = call.elementwise("Mul", c, number(call.get("beta")))
        made = call.elementwise("Add", made, c)
    return made


def _einsum_shape(equation, arrays):
    """Return the shape of a result; raise ValueError for an equation that does not fit the shapes."""
    terms, arrow, output = equation.replace(" ", "").partition("->")
    terms = terms.split(",")
    if len(terms) != len(arrays):
        raise ValueError(f"the equation '{equation}' has {len(terms)} terms for {len(arrays)} inputs")
    sizes, around = {}, []
    for term, array in zip(terms, arrays):
        left, dots, right = term.partition("...")
        rest = array.ndim - len(left) - len(right)
        if rest < 0 or rest and not dots:
            raise ValueError(f"the term '{term}' does not fit {array.shape}")
        around.append(array.shape[len(left) : array.ndim - len(right)])
        for letter, dim in (*zip(left, array.shape), *zip(right, array.shape[array.ndim - len(right) :])):
            if sizes.setdefault(letter, dim) != dim:
                raise ValueError(f"the axes '{letter}' are {sizes[letter]} and {dim}")
    if not arrow:
        letters = "".join(terms).replace(".", "")
        output = "..." + "".join(sorted(letter for letter in sizes if letters.count(letter) == 1))
    dims = [sizes[letter] for letter in output.replace("...", "")]
    return (*(np.broadcast_shapes(*around) if "..." in output else ()), *dims)


@operator("Einsum")
def einsum(call):
    """Sum products along axes that are named by letters."""
    arrays, equation = [call.array(k) for k in range(len(call.inputs))], call.need("equation")
    dtype = arrays[0].dtype
    if any(array.dtype != dtype for array in arrays):
        raise TypeError("the inputs differ in type")
    call.room(_einsum_shape(equation, arrays), dtype)
    wide = np.float32 if _arrays.short_name(dtype) in ("f16", "bf16") else dtype
    return np.asarray(np.einsum(equation, *(array.astype(wide, copy=False) for array in arrays))).astype(dtype, copy=False)


def centred(call, place, zero, axis):
    """Return an input as i32 less its zero point, of one element or one for each row or column."""
    x = call.array(place).astype(np.int32)
    if not call.has(zero):
        return x
    point = call.array(zero).astype(np.int32)
    return x - (np.expand_dims(point, axis) if point.ndim == 1 and point.size > 1 else point)


@operator("MatMulInteger")
def matmul_integer(call):
    """Multiply matrices of bytes, each less its zero point."""
    return product(call, centred(call, 0, 2, -1), centred(call, 1, 3, -2))


@operator("QLinearMatMul")
def qlinear_matmul(call):
    """Multiply quantized matrices, and quantize the product."""
    total = product(call, centred(call, 0, 2, -1), centred(call, 3, 5, -2))
    for place in (1, 4, 6, 7):
        if call.tensor(place).shape not in ((), (1,)):
            raise Unsupported("QLinearMatMul is supported with one scale and zero point for each tensor")
    a, b, y, zero = call.array(1), call.array(4), call.array(6), call.array(7)
    limits = np.iinfo(zero.dtype)
    scale = call.lower("cast(a, 'f32') * cast(b, 'f32') / cast(y, 'f32')", a=a.reshape(()), b=b.reshape(()), y=y.reshape(()))
    made = call.lower("round(cast(t, 'f32') * s) + cast(z, 'f32')", t=total, s=scale, z=zero.reshape(()))
    return call.cast(call.lower("clip(x, low, high)", x=made, low=float(limits.min), high=float(limits.max)), zero.dtype)


@operator("Det")
def determinant(call):
    """Give the determinant of each matrix."""
    x = call.array(0)
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError(f"it needs square matrices, not {x.shape}")
    wide = np.float32 if _arrays.short_name(x.dtype) in ("f16", "bf16") else x.dtype
    return np.asarray(np.linalg.det(x.astype(wide, copy=False))).astype(x.dtype)
