"""The command `broadaxe`, also as `python -m broadaxe`."""

import os
import sys

from . import _broadaxe


def main():
    """Run the command with the arguments of the process and return its exit code."""
    for number, stream in enumerate((sys.stdin, sys.stdout, sys.stderr)):
        # A stream that was closed when Python started is None. A file that has its number would get what is printed.
        if stream is None:
            os.dup2(os.open(os.devnull, os.O_RDWR), number)
    return _broadaxe.command_line(["broadaxe", *sys.argv[1:]], sys.stdout is None)


if __name__ == "__main__":
    sys.exit(main())
