"""The command `broadaxe`, also as `python -m broadaxe`."""

import sys

from . import _broadaxe


def main():
    """Run the command with the arguments of the process and return its exit code."""
    return _broadaxe.command_line(["broadaxe", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
