"""A guard for training code: stops where an operation makes far more of its operands than anyone meant.

The loss of (n,) predictions against (n, 1) labels is computed on (n, n), and training goes on with it. A guard
knows such an operation by its shapes: both operands are repeated, each along another axis, or the result is many times the
largest operand.

What is watched: with PyTorch, every function of `BROADCASTING` on tensors, by a `TorchFunctionMode`. With NumPy, arrays
that were given to `watch`, and everything computed of them: they are of a class of their own, through whose `__array_ufunc__` every
ufunc and every operator passes. Operators of plain arrays that are not watched are not seen: NumPy computes them without
asking anyone, and patched ufuncs would only be seen where they are called by name. With JAX, functions that were given to `trace`, see
`_jaxpr`. Nor is seen what compiled code does inside.
"""

import functools
import inspect
import os
import sys
import threading
import warnings

import numpy as np

from . import _arrays, _jaxpr

BROADCASTING = frozenset(
    """add sub subtract mul multiply div divide true_divide floor_divide remainder fmod pow float_power maximum minimum fmax fmin
    eq ne lt le gt ge equal not_equal less less_equal greater greater_equal logical_and logical_or logical_xor bitwise_and
    bitwise_or bitwise_xor bitwise_left_shift bitwise_right_shift and or xor lshift rshift truediv floordiv mod atan2 arctan2
    hypot copysign nextafter logaddexp logaddexp2 xlogy ldexp heaviside where lerp addcmul addcdiv clamp masked_fill
    mse_loss l1_loss smooth_l1_loss huber_loss kl_div gaussian_nll_loss poisson_nll_loss binary_cross_entropy_with_logits
    soft_margin_loss isclose""".split()
)
"""The functions of PyTorch whose operands broadcast, without underscores and a leading r or i."""

_OWN = os.path.dirname(os.path.abspath(__file__))


class Blowup(ValueError):
    """An operation that a guard stopped.

    `function`, `shapes`, `result`, `file` and `line` say which.
    """

    def __init__(self, message, function=None, shapes=(), result=(), file=None, line=None):
        super().__init__(message)
        self.function, self.shapes, self.result, self.file, self.line = function, shapes, result, file, line


def _stretched(shape, result):
    """List the result axes along which an operand of this shape is repeated."""
    lead = len(result) - len(shape)
    return [i for i, dim in enumerate(result) if dim > 1 and (i < lead or shape[i - lead] == 1)]


def _count(shape):
    count = 1
    for dim in shape:
        count *= dim
    return count


def _axes(axes):
    return "axis " + " and ".join(str(axis) for axis in axes)


class guard:
    """Stop on operations that stretch both operands, or whose result has too many elements.

    `max_blowup` is the most elements of a result per element of its largest operand; None sets no limit. `both_sides` says what is done
    about operands that are both repeated, (n,) with (n, 1): "error", "warn" or "allow". `allow` lists places that may do
    both, as "file.py:12", as ("file.py", 12) or as "file.py" for a whole file; a path is compared from its end.

    Raises Blowup, a ValueError, which names the line, the shapes and the axes. NumPy arrays have to be watched, see `watch`, and JAX
    functions traced, see `trace`. A guard also decorates functions: it traces a call with JAX arrays, and is active during any call.

    >>> import numpy as np, broadaxe as bx
    >>> with bx.guard() as guard:
    ...     prediction, label = guard.watch(np.ones(8)), np.ones((8, 1))
    ...     loss = ((prediction - label) ** 2).mean()
    Traceback (most recent call last):
    broadaxe.Blowup: subtract stretches both operands, (8,) along axis 0 and (8, 1) along axis 1 of the result (8, 8); ...
    """

    def __init__(self, max_blowup=None, both_sides="error", allow=()):
        if both_sides not in ("error", "warn", "allow"):
            raise ValueError(f"both_sides is one of error, warn and allow, not {both_sides!r}")
        if not isinstance(max_blowup, (int, float, np.number, type(None))):
            watch = "to watch an array, write 'with broadaxe.guard() as guard:' and guard.watch(array)"
            raise TypeError(f"max_blowup is a number, not {type(max_blowup).__name__}; {watch}")
        if max_blowup is not None and not max_blowup >= 1:
            raise ValueError(f"max_blowup is a number from 1 on, not {max_blowup!r}")
        self.max_blowup, self.both_sides = max_blowup, both_sides
        self.allowed = [self._place(entry) for entry in ([allow] if isinstance(allow, str) else allow)]

    @staticmethod
    def _place(entry):
        if isinstance(entry, str):
            file, colon, line = entry.rpartition(":")
            return (file, int(line)) if colon and line.isdigit() else (entry, None)
        file, line = entry
        return str(file), int(line)

    def __enter__(self):
        mode = _torch_mode(self)
        if mode is not None:
            mode.__enter__()
        _active().append((self, mode))
        return self

    def __exit__(self, *raised):
        active = _active()
        last = max(k for k, (one, _) in enumerate(active) if one is self)
        _, mode = active.pop(last)
        if mode is not None:
            mode.__exit__(*raised)
        return False

    def __call__(self, function):
        if inspect.iscoroutinefunction(function) or inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise TypeError(f"{function.__name__} runs after it was called; write 'with broadaxe.guard():' inside of it")

        @functools.wraps(function)
        def guarded(*args, **kwargs):
            __tracebackhide__ = True
            if _jaxpr.concerns(function, args, kwargs):
                self.trace(function, *args, **kwargs)
            with self:
                return function(*args, **kwargs)

        return guarded

    def trace(self, function, /, *args, **kwargs):
        """Judge what a JAX function computes of these arguments, without computing it.

        The function is traced, as by `jax.jit`, and may contain transformations such as `jax.grad`, `jax.jit` and `jax.lax.scan`.
        Arguments are arrays or `jax.ShapeDtypeStruct`, in any containers; others, such as numbers and texts, are passed on. What
        `jax.vmap` adds to operations and what `jax.grad` adds to run backwards is not judged.

        >>> import jax.numpy as jnp, broadaxe as bx  # doctest: +SKIP
        >>> loss = lambda prediction, label: ((prediction - label) ** 2).mean()
        >>> bx.guard().trace(loss, jnp.ones(8), jnp.ones((8, 1)))  # doctest: +SKIP
        Traceback (most recent call last):
        broadaxe.Blowup: sub stretches both operands, (8,) along axis 0 and (8, 1) along axis 1 of the result (8, 8); ...
        """
        __tracebackhide__ = True
        for operation, shapes, result, frames in _jaxpr.operations(function, args, kwargs):
            self.look(operation, shapes, result, _own([*frames, *_frames()]))

    def watch(self, array):
        """Return a view of an array that is watched while a guard is active, as everything computed of it is."""
        return np.asarray(_arrays.borrow(array, "array")).view(Watched)

    def look(self, function, shapes, result, place=None):
        """Judge an operation by the shapes of its operands and of its result; `place` is its file and line, by default the caller's."""
        __tracebackhide__ = True
        result = tuple(result)
        shapes = [tuple(shape) for shape in shapes]
        stretched = [(shape, _stretched(shape, result)) for shape in shapes]
        # Of two operands each goes along an axis that the other does not go along; a single number goes along all and says nothing.
        apart = [
            (one, other)
            for i, one in enumerate(stretched)
            for other in stretched[i + 1 :]
            if set(one[1]) - set(other[1]) and set(other[1]) - set(one[1]) and _count(one[0]) > 1 and _count(other[0]) > 1
        ]
        if apart and self.both_sides != "allow":
            (a, a_axes), (b, b_axes) = apart[0]
            self._stop(
                f"{function} stretches both operands, {a} along {_axes(a_axes)} and {b} along {_axes(b_axes)} of the result "
                f"{result}; reshape one of them, or allow the line",
                self.both_sides, function, shapes, result, place,
            )
        largest = max((_count(shape) for shape in shapes), default=0)
        if self.max_blowup is not None and _count(result) > self.max_blowup * max(largest, 1):
            names = " with ".join(str(shape) for shape in shapes)
            axes = sorted({axis for _, axes in stretched for axis in axes})
            self._stop(
                f"{function} of {names} grows along {_axes(axes)} to {result}, {_count(result) / max(largest, 1):.0f} times its largest "
                f"operand; the limit is {self.max_blowup:g}",
                "error", function, shapes, result, place,
            )

    def _stop(self, text, how, function, shapes, result, place):
        __tracebackhide__ = True
        file, line = place or _own(_frames())
        for known, at in self.allowed:
            if (at is None or at == line) and _ends_with(file, known):
                return
        text = f"{text} ({file}:{line})"
        if how == "warn":
            warnings.warn_explicit(text, RuntimeWarning, file, line)
        else:
            raise Blowup(text, function, tuple(shapes), result, file, line)


def _ends_with(file, known):
    parts, tail = file.replace(os.sep, "/").split("/"), known.replace(os.sep, "/").split("/")
    return parts[len(parts) - len(tail) :] == tail if len(tail) <= len(parts) else False


def _frames():
    """Yield file and line of each call that led here, the innermost first."""
    frame = sys._getframe(1)
    while frame is not None:
        yield frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back


def _own(frames):
    """Find the line of the user's own code among frames, the innermost first; a line of an installed package where there is no other."""
    installed = None
    for file, line in frames:
        if file.startswith(_hidden()):
            continue
        if not {"site-packages", "dist-packages"} & set(file.replace(os.sep, "/").split("/")):
            return file, line
        installed = installed or (file, line)
    return installed or ("<unknown>", 0)


def _hidden():
    """Return the folders of the packages that compute, in which there is no line of a user's."""
    modules = [sys.modules.get(name) for name in ("numpy", "torch", "jax")]
    files = [getattr(module, "__file__", None) for module in modules]
    return (_OWN + os.sep, *(os.path.dirname(file) + os.sep for file in files if file), "<frozen ")


_local = threading.local()


def _active():
    """Return the guards that are active in this thread, the outermost first, each with its mode."""
    if not hasattr(_local, "guards"):
        _local.guards = []
    return _local.guards


def _look(function, operands):
    """Let the active guards judge an operation of NumPy."""
    __tracebackhide__ = True
    shapes = [np.shape(value) for value in operands]
    try:
        result = np.broadcast_shapes(*shapes)
    except ValueError:
        # The operation itself says so, in its own words.
        return
    for active, _ in _active():
        active.look(function, shapes, result)


class Watched(np.ndarray):
    """An array whose operations guards look at."""

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **kwargs):
        def bare(value):
            return value.view(np.ndarray) if isinstance(value, Watched) else value

        __tracebackhide__ = True
        if method == "__call__" and getattr(ufunc, "signature", None) is None and len(inputs) > 1:
            _look(ufunc.__name__, inputs)
        if out is not None:
            kwargs["out"] = tuple(bare(value) for value in out)
        result = getattr(ufunc, method)(*(bare(value) for value in inputs), **kwargs)
        if out is not None:
            return out[0] if len(out) == 1 else out
        return _watched(result)

    def __array_function__(self, function, types, args, kwargs):
        __tracebackhide__ = True
        if function is np.where and len(args) == 3:
            _look("where", args)
        return _watched(super().__array_function__(function, types, args, kwargs))


def _watched(result):
    if type(result) is tuple:
        return tuple(_watched(one) for one in result)
    return result.view(Watched) if type(result) is np.ndarray else result


def _torch_mode(active):
    """Make the mode that sees PyTorch's functions; None where PyTorch is not imported."""
    if "torch" not in sys.modules:
        return None
    import torch
    from torch.overrides import TorchFunctionMode

    class Mode(TorchFunctionMode):
        def __torch_function__(self, function, types, args=(), kwargs=None):
            __tracebackhide__ = True
            kwargs = kwargs or {}
            name = getattr(function, "__name__", "").strip("_")
            known = name in BROADCASTING or (name[:1] in ("r", "i") and name[1:] in BROADCASTING)
            if known:
                operands = [*args, *kwargs.values()]
                shapes = [tuple(value.shape) for value in operands if isinstance(value, torch.Tensor)]
                if len(set(shapes)) > 1:
                    try:
                        result = torch.broadcast_shapes(*shapes)
                    except RuntimeError:
                        return function(*args, **kwargs)
                    active.look(name, shapes, result)
            return function(*args, **kwargs)

    return Mode()
