"""NumPy's arrays and the package's functions."""

import sys

import numpy

from .arrays import over

sys.modules[__name__] = over(__name__, numpy)
