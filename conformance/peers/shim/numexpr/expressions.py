"""Stands in for `numexpr.expressions`."""

from . import look_up as __getattr__  # noqa: F401
