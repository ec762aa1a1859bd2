"""Stands in for `numexpr.necompiler`."""

from . import look_up as __getattr__  # noqa: F401
