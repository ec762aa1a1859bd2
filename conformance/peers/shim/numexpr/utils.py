"""Stands in for `numexpr.utils`."""

from . import look_up as __getattr__  # noqa: F401
