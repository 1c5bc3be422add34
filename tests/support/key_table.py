"""The page of keys, `docs/keys.md`, made from the actions of all screens. `python -m tests.support.key_table` writes it
anew.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from theact_tui.tui.keymap import every_act, shown_key

DOCUMENT = Path(__file__).parents[2] / "docs" / "keys.md"
INTRODUCTION = """# Keys

All actions with their usual keys. A key is changed in the settings under "keys", or in [`config.toml`](settings.md#ui) by the
id of its action:

```toml
[ui.keys]
"play.retry" = "^r"
"play.branch" = "F11, ^b"
```

`^g n` means `^g`, then `n`; `^g` lists the letters of a screen. Keys that write or move in a text box cannot be used where
there is one; `theact-tui doctor` names those that cannot be used, and why. Made from the program by
`python -m tests.support.key_table`.
"""


def document() -> str:
    """The whole page."""
    return "\n".join([INTRODUCTION, *_sections()])


def _sections() -> Iterator[str]:
    for place, acts in groupby(every_act(), key=lambda keyed: keyed.place):
        rows = "".join(
            f"| `{keyed.act.id}` | `{shown_key(keyed.act, {})}` | {keyed.act.help} |\n" for keyed in acts
        )
        yield f"## {place.capitalize()}\n\n| id | key | |\n|---|---|---|\n{rows}"


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
