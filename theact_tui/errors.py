"""Every error a user may see, as one small tree.

    TheActError
    ├── UsageError        wrong use, or refused (exit code 2)
    │   └── PackError     a pack that does not load (in `packs.diagnostics`, with the finding that says why)
    ├── TurnError         a turn that did not happen (exit code 1)
    │   └── CallError     a model call that failed, with its kind
    ├── NothingRecovered  `recover` found nothing usable (exit code 3)
    └── SaveError         a save that cannot be used (exit code 4)
        ├── SaveUnwritable  it can be read, but not written here and now
        │   └── SaveInUse   another process holds it
        └── SaveDamaged     no commit of it can be read

A message is a sentence for people: what happened, why, what to do. The command line prints it, a screen shows it.
"""

from theact_tui.text import clean


class TheActError(Exception):
    exit_code = 1

    def __init__(self, message: str) -> None:
        self.message = clean(message)
        super().__init__(self.message)


class UsageError(TheActError):
    exit_code = 2


class TurnError(TheActError):
    exit_code = 1


class CallError(TurnError):
    """`kind` is one word for programs, such as `refused` or `timeout`."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class NothingRecovered(TheActError):
    exit_code = 3


class SaveError(TheActError):
    exit_code = 4


class SaveUnwritable(SaveError):
    pass


class SaveInUse(SaveUnwritable):
    pass


class SaveDamaged(SaveError):
    pass
