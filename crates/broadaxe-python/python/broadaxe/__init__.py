"""Find broadcasts that silently change meaning between runtimes, and evaluate them under any framework's rule.

Operators, expressions and frameworks' operators over NumPy arrays, under the broadcast rule of NumPy, ONNX, OpenVINO, Paddle or
ncnn: `broadaxe.add(x, bias, rule="pdpd", axis=1)`, `broadaxe.evaluate("2*a + b")`, `broadaxe.onnx.PRelu(x, slope)`.

>>> import numpy as np, broadaxe as bx
>>> x, bias = np.zeros((2, 3, 4), np.float32), np.array([1, 2, 3], np.float32)
>>> bx.add(x, bias, rule="pdpd", axis=1)[0, :, 0]
array([1., 2., 3.], dtype=float32)
"""

import builtins as _builtins
import sys as _sys

from . import _broadaxe, _frameworks, testing, version
from ._broadaxe import Operator, __version__, num_threads, set_num_threads
from ._expressions import Compiled, MissingName, compile, evaluate, re_evaluate, validate
from ._guard import Blowup, guard
from ._models import (
    Census,
    Check,
    Extract,
    Finding,
    Fix,
    Sizes,
    Target,
    census,
    check,
    extract,
    fix,
    sizes,
    targets,
    upgrade,
)
from ._names import Rule, RuleName, TargetName
from ._numexpr import (
    MAX_THREADS, NumExpr, detect_number_of_cores, detect_number_of_threads, get_vml_version, ncores, print_versions,
    set_vml_accuracy_mode, set_vml_num_threads, use_vml,
)
from ._pairs import divmod, frexp, modf
from ._reductions import NAMES as _reduction_names, reduction as _reduction
from ._shapes import Answer, broadcast_arrays, broadcast_shapes, broadcast_to, compare, explain, unbroadcast

rules = [Rule(*rule) for rule in _broadaxe.rules()]
"""The broadcast rules: name, what it does, its parameters."""

operators = {operator.__name__: operator for operator in _broadaxe.operators()}
"""Every operator, by its name."""

for _name in _reduction_names:
    if _name not in operators:
        globals()[_name] = _reduction(_name)
globals().update(operators)
globals().update(_broadaxe.joining())
for _alias, _name in _broadaxe.aliases():
    globals().setdefault(_alias, operators[_name])
_frameworks.install(_sys.modules[__name__])
for _class in (
    Answer, Blowup, Census, Check, Compiled, Extract, Finding, Fix, MissingName, NumExpr, Rule, Sizes, Target, guard,
):
    _class.__module__ = __name__

__all__ = sorted(name for name in globals() if not name.startswith("_") and not hasattr(_builtins, name))

get_num_threads = num_threads


try:
    nthreads = num_threads()
except ValueError:
    # Calls say what is wrong with the variable that sets the number.
    nthreads = ncores
"""The number of threads; `set_num_threads` changes it."""
