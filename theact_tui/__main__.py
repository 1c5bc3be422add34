"""`python -m theact_tui` and the command `theact-tui`."""

import gc
import os
import sys


def main() -> None:
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:  # it was closed; the next file to be opened must not take its place
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))
        getattr(sys, name).reconfigure(errors="replace")
    try:
        from theact_tui.cli import main as run

        code = run()
    except KeyboardInterrupt:  # before the command has begun
        code = 130
    gc.freeze()  # else Python looks through all modules once more before it ends, half a second and more
    sys.exit(code)


if __name__ == "__main__":
    main()
