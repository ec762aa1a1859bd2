"""The arrays of array_api_strict and the package's functions."""

import sys

import array_api_strict

from .arrays import over

sys.modules[__name__] = over(__name__, array_api_strict)
