"""The version of the package, where numexpr's users look for it."""

from ._broadaxe import __version__ as version

__all__ = ["version"]
