"""`python -m theact_tui` and the command `theact-tui`."""

import gc
import os
import sys
from io import TextIOWrapper


def main() -> None:
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed; the next file to be opened must not take its place
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
        _encode(getattr(sys, name))
    try:
        from theact_tui.cli import main as run

        code = run()
    except KeyboardInterrupt:  # before the command has begun
        code = 130
    gc.freeze()  # else Python looks through all modules once more before it ends, half a second and more
    sys.exit(code)


def _encode(stream: TextIOWrapper) -> None:
    """Make a pipe or a file UTF-8, whatever the code page; a terminal keeps its encoding."""
    if stream.isatty():
        stream.reconfigure(errors="replace")
    elif (
        stream is sys.stdin
    ):  # a line that is not UTF-8 would be spoilt in the save for good, so it is refused
        stream.reconfigure(encoding="utf-8-sig", errors="strict")
    else:
        stream.reconfigure(encoding="utf-8", errors="replace")


if __name__ == "__main__":
    main()
