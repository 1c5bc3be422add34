"""Write every file that is made from the program. `python -m tests.support.rewrite` prints what changed.

With names of kinds only those are written; with `--check` nothing is written, and a change is exit code 1.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import unified_diff
from pathlib import Path

from tests.support import contracts, event_table, filled_prompts, manual_tables, shipped_listing

ROOT = Path(__file__).parents[2]
KINDS: Mapping[str, Callable[[], dict[Path, str]]] = {
    "contracts": contracts.generated,
    "events": event_table.generated,
    "listing": shipped_listing.generated,
    "prompts": filled_prompts.generated,
    "tables": manual_tables.generated,
}
"""Kinds of generated files; each makes text by path."""
WHOLE_FOLDERS = {"contracts": contracts.FOLDER, "prompts": filled_prompts.FOLDER}
"""Folders that hold nothing else."""


def changes(kind: str) -> Iterator[tuple[Path, str | None, str]]:
    """Yield path, new text and difference of each file that is not as it must be; None for one that must go."""
    generated: dict[Path, str | None] = {**KINDS[kind]()}
    if kind in WHOLE_FOLDERS:
        generated = dict.fromkeys(WHOLE_FOLDERS[kind].iterdir()) | generated
    for path, text in sorted(generated.items()):
        stored = path.read_text("utf-8") if path.exists() else None
        if stored != text:
            name = str(path.relative_to(ROOT))
            before, after = ((side or "").splitlines(keepends=True) for side in (stored, text))
            yield path, text, "".join(unified_diff(before, after, name, name, n=1))


def rewrite(kinds: Iterable[str], *, check: bool = False) -> bool:
    """Return whether all was current."""
    is_current = True
    for kind in kinds:
        for path, text, difference in changes(kind):
            is_current = False
            print(difference, end="")
            if check:
                continue
            if text is None:
                path.unlink()
            else:
                path.write_text(text, encoding="utf-8")
    return is_current


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("kinds", nargs="*", choices=[[], *KINDS], metavar="KIND", help=", ".join(KINDS))
    options.add_argument("--check", action="store_true", help="write nothing")
    given = options.parse_args()
    sys.exit(not rewrite(given.kinds or KINDS, check=given.check) and given.check)
