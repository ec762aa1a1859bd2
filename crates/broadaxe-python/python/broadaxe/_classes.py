"""Operands whose classes have a say in what is computed: labels, masks, missing values, units.

An operator asks such a class by `__array_ufunc__`, as NumPy's ufuncs do. An expression is one pass where the class brings operands
together and hands plain arrays on, as xarray does, and pandas for Series of one index. Otherwise it is computed operator by operator.
"""

import sys

import numpy as np

from . import _arrays, _broadaxe, _operands


class Elementwise:
    """A function of arrays, element by element, as classes with `__array_ufunc__` see it: like a ufunc."""

    nout, signature = 1, None

    def __init__(self, name, nin, function):
        self.__name__, self.nin, self.function = name, nin, function

    def __call__(self, *arrays, **kwargs):
        return self.function(*arrays, **kwargs)

    def __repr__(self):
        return f"<function '{self.__name__}' of {self.nin} arrays>"


def counted(operator, count):
    """Return an operator as one of this many operands: some join any number of them."""
    return operator if operator.nin == count else Elementwise(operator.__name__, count, operator)


def ask(function, method, args, outs, passed):
    """Let a class with an `__array_ufunc__` of its own answer; NotImplemented where there is none. Dask arrays are not asked."""
    overriding = []
    for arg in (*args, *outs):
        override = getattr(type(arg), "__array_ufunc__", NotImplemented)
        if override is NotImplemented or override is np.ndarray.__array_ufunc__ or _operands.is_dask(arg):
            continue
        if override is None:
            raise TypeError(f"operand of type '{type(arg).__name__}' does not support ufuncs (__array_ufunc__=None)")
        # A class is asked before those that it derives from, and each class once.
        if all(type(arg) is not type(known) for known, _ in overriding):
            at = next((i for i, (known, _) in enumerate(overriding) if issubclass(type(arg), type(known))), None)
            overriding.insert(len(overriding) if at is None else at, (arg, override))
    if not overriding:
        return NotImplemented
    _operands.check_mixture(args)
    for arg, override in overriding:
        try:
            answer = override(arg, function, method, *args, **passed)
        except NotImplementedError as refused:
            call = function.__name__ if method == "__call__" else f"{function.__name__}.{method}"
            why = f": {refused}" if str(refused) else ""
            text = f"the class {type(arg).__name__} does not support {call} of these operands{why}; {_operands.instead(arg, 'x')}"
            raise TypeError(text) from refused
        if answer is not NotImplemented:
            return answer
    names = ", ".join(f"'{type(arg).__name__}'" for arg in args)
    raise TypeError(
        f"operand type(s) all returned NotImplemented from __array_ufunc__({function!r}, '{method}', ...): {names}; "
        "convert them to one class first"
    )


def has_say(expression, operands, out):
    """Say whether a class has a say in an expression: one that answers, or derives from `ndarray` and may shape its reductions."""
    if any(_operands.answers(operand) for operand in operands):
        return True
    derived = out is None and any(type(one) not in (np.ndarray, np.memmap) and isinstance(one, np.ndarray) for one in operands)
    return derived and not all(map(_is_elementwise, expression.steps()))


def wrapped(name, operands, result):
    """Give the result of a function of all operands the class of the one that wraps it, as for operators."""
    chosen = _arrays.wrapper(operands)
    return result if chosen is None else _arrays.wrap(chosen, result, (Elementwise(name, len(operands), None), operands, 0), True)


def is_one_pass(operands):
    """Say whether classes hand plain arrays to a function of all operands with the result that operators give one by one."""
    own = [operand for operand in operands if _operands.answers(operand)]
    if all(hasattr(type(operand), "dims") for operand in own):
        # An outer join fills what is missing after each operator, and at the end only in one pass.
        xarray = sys.modules.get("xarray")
        return xarray is None or xarray.get_options().get("arithmetic_join") != "outer"
    first = getattr(own[0], "index", None)
    return hasattr(first, "equals") and all(
        hasattr(type(operand), "index") and getattr(operand, "ndim", 0) == 1 and type(operand.dtype).__module__.startswith("numpy")
        and first.equals(operand.index)
        for operand in own
    )  # fmt: skip


def evaluate(expression, operands, out, rule, axis):
    """Evaluate an expression over operands of which the class of one or more has a say."""
    if out is not None:
        lost = next((operand, name) for operand, name in zip(operands, expression.names) if _operands.answers(operand))
        raise TypeError(f"out= cannot be written: {_operands.refusal(*lost)}, or use the result")
    _operands.check_rule(operands, expression.names, rule)
    steps, by_numpy = expression.steps(), rule in (None, "numpy") and axis is None
    if by_numpy and all(map(_is_elementwise, steps)) and is_one_pass(operands):
        from ._expressions import compute_again

        function = Elementwise("evaluate", len(operands), lambda *arrays: compute_again(expression, arrays))
        return ask(function, "__call__", operands, (), {})
    return _by_steps(steps, operands, {} if by_numpy else {"rule": rule, "axis": axis})


def _is_elementwise(step):
    """Say whether a step works element by element under the rule of its expression."""
    if step[0] != "call":
        return True
    _, name, operands, system, attributes = step
    if system is not None or name.startswith("broadcast") or name in _broadaxe.reductions() and len(operands) == 1:
        return False
    return name == "cast" or not attributes


def _by_steps(steps, operands, options):
    """Compute an expression operator by operator, as calls of the operators would."""
    from . import operators

    values = []
    for kind, what, *rest in steps:
        if kind == "number":
            values.append(what)
        elif kind == "name":
            values.append(operands[what])
        else:
            # Each value is used once, so that no more of them are in memory than are needed.
            args = [values[k] for k in rest[0]]
            for k in rest[0]:
                values[k] = None
            values.append(_sign(what, rest[1], args, options) if kind == "sign" else _call(what, args, *rest[1:], options))
    return values[-1] if len(steps) > 1 else operators["copy"](values[-1], **options)


def _sign(name, sign, args, options):
    from . import operators

    if all(map(_arrays.is_number, args)):
        # Numbers alone stay weak, as they are in a text.
        text = f"{sign}a" if len(args) == 1 else f"a {sign} b"
        return np.asarray(_broadaxe.at_once(_broadaxe.Expression(text), tuple(args))).item()
    if sign == "**" and type(args[1]) is int and args[1] == 2:
        name, args = "square", args[:1]
    return operators[name](*args, **options)


def _call(name, args, system, attributes, options):
    import broadaxe

    if system is not None:
        return getattr(getattr(broadaxe, system), name)(*args, **attributes)
    if name == "cast":
        return cast(args[0], _arrays.dtype_of(next(iter(attributes.values()))))
    if name.startswith("broadcast"):
        _operands.check_plain(args[0], f"the operand of {name}()")
        raise TypeError(f"{name}() is not supported next to operands with labels or masks; call bx.broadcast_to first")
    if name in _broadaxe.reductions() and len(args) == 1:
        return getattr(broadaxe, name)(*args, **attributes)
    # A number behind the first operand would be an axis.
    numbers = [arg for arg in args if _arrays.is_number(arg)]
    if name in _broadaxe.reductions() and numbers:
        args = [numbers[0], *(arg for arg in args if not _arrays.is_number(arg)), *numbers[1:]]
    return getattr(broadaxe, name)(*args, **options, **attributes)


def cast(operand, dtype, casting="unsafe", name="x"):
    """Cast an operand to a dtype in its own class."""
    if _operands.answers(operand) and not isinstance(operand, np.ndarray):
        function = Elementwise("cast", 1, lambda array: cast(array, dtype, casting, name))
        return ask(function, "__call__", (operand,), (), {})
    if not isinstance(operand, np.ndarray) and not _operands.is_dask(operand):
        operand = np.asarray(_arrays.borrow(operand, name))
    _arrays.short_name(operand.dtype)
    return operand.astype(dtype, casting=casting, copy=False)


def call(system, name, operands, attributes, out, compute):
    """Answer a call of a framework's operator, whose tensors have no labels: only NumPy's rule can go by labels instead."""
    names = [f"x{k + 1}" for k in range(len(operands))]
    kind, rule, _ = _broadaxe.rule_of(system, name, attributes)
    by_numpy = kind == "numpy" or len(operands) == 1 and " target=" not in rule
    if out is not None or not by_numpy or not is_one_pass(operands):
        for operand, called in zip(operands, names):
            _operands.check_plain(operand, called)
    function = Elementwise(f"{system}.{name}", len(operands), lambda *arrays: compute(system, name, arrays, attributes))
    return ask(function, "__call__", operands, (), {})
