"""What a corpus of raw replies is made of, and how a reading is compared with what a careful reader finds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theact_tui.models.reading.context import Context

EXAMPLE = """```yaml
narration: |
  You set the copper kettle on Zebulon's bench. Quillaby hums at the window.
responding_characters: [quillaby]
mood: humorous
```"""

CAST = {
    "maya": "Maya Chen",
    "joaquin": "Father Joaquin Reyes",
    "old_tom": "Old Tom Brannigan",
    "lena": "Lena Okafor",
}
BEATS = (
    "The survivors find fresh water",
    "Someone hears the radio crackle",
    "Maya admits she sabotaged the beacon",
    "The storm destroys the shelter",
    "A footprint that is not theirs is discovered",
)
FACTS = (
    "The player pulled Maya from the wreck.",
    "Joaquin does not trust the pilot.",
    "There are 3 flares left in the orange box.",
    "The spring behind the ridge is safe to drink.",
    "Tom hid the hunting knife under the third bunk.",
    "Lena can read the tide tables.",
)
ISLAND = Context(active_characters=CAST, beats=BEATS, facts=FACTS, prompt_example=EXAMPLE)


@dataclass(frozen=True)
class Case:
    """One raw reply. `fields` is None when nothing in it may be used."""

    id: str
    agent: str
    raw: str
    fields: dict[str, Any] | None
    context: Context = ISLAND


def flat(value: Any) -> Any:
    """`value` with runs of white space in its texts made one space, for comparison."""
    match value:
        case str():
            return " ".join(value.split())
        case list() | tuple():
            return [flat(part) for part in value]
        case dict():
            return {key: flat(part) for key, part in value.items()}
        case _:
            return value


def right_fields(case: Case, ok: bool, fields: dict[str, Any]) -> tuple[int, int]:
    """How many of the expected fields were recovered, and how many there are. A right failure counts 1 of 1."""
    if case.fields is None:
        return int(not ok), 1
    if not ok:
        return 0, len(case.fields)
    absent = object()
    hits = sum(flat(fields.get(name, absent)) == flat(value) for name, value in case.fields.items())
    return hits, len(case.fields)
