"""What the keys of a reply did not hold: narration written as plain prose, keys within it, a bare yes or no."""

from __future__ import annotations

import re
from typing import Any

from theact_tui.models.reading.answers import without_wrapping_tags
from theact_tui.models.reading.coerce import Settled, settle
from theact_tui.models.reading.context import Context
from theact_tui.models.reading.echoes import echoes_example
from theact_tui.models.reading.fields import NARRATOR
from theact_tui.models.reading.judge import is_off_task, is_refusal, is_story, repeats_prompt
from theact_tui.models.reading.keylines import key_line, may_follow
from theact_tui.models.reading.lines import Record, records
from theact_tui.models.reading.scalars import with_line_feeds, without_remarks
from theact_tui.models.reading.shapes import Shape
from theact_tui.models.reading.values import flag_of, is_instruction


def find_narration(
    settled: Settled, text: str, record: Record | None, context: Context, steps: list[str]
) -> None:
    """Prose outside of the keys is the narration if no key holds it; and a refusal never is."""
    if "narration" in settled.fields:
        return
    names = list((context.active_characters or {}).values())
    if record is not None and record.values:
        for loose in (record.before, record.after):
            prose = _bare_prose(loose)
            if len(prose.split()) > 3 and not (
                is_refusal(prose)
                or is_off_task(prose)
                or is_instruction(prose)
                or echoes_example(prose, context)
            ):
                settled.fields = {"narration": prose, **settled.fields}
                steps.append("loose prose")
                return
        return
    if re.match(r"\s*[{\[]", text) or any(found.values for found in records(text, NARRATOR)):
        return
    prose = _bare_prose(text)
    if (
        is_story(prose, names)
        and not repeats_prompt(prose, context.beats or ())
        and not echoes_example(prose, context)
    ):
        settled.fields["narration"] = prose
        steps.append("loose prose")


def _bare_prose(text: str) -> str:
    """`text` without fences, remarks and a label in front."""
    text = with_line_feeds(without_wrapping_tags(text))
    unfenced = re.sub(r"^[ \t]*(?:`{3,}|~{3,})[\w+-]*[ \t]*$", "", text, flags=re.MULTILINE)
    prose = _HEADER_LINES.sub("", without_remarks(unfenced))
    return re.sub(r"\A[\w ]{3,30}:[ \t]*[|>][+-]?[ \t]*\n", "", prose).strip()


_HEADER_LINES = re.compile(
    r"\A(?:(?:\W*(?:title|chapter|turn|scene|setting|location)\b[^\n:]{0,20}:[^\n]{0,80}|#{1,6}[ "
    r"\t][^\n]{0,80})\n+)+",
    re.IGNORECASE,
)


def find_tail(settled: Settled, shape: Shape, context: Context, steps: list[str]) -> None:
    """Keys that were indented as if they belonged to the narration: its last lines, where they are plainly keys."""
    prose = settled.fields.get("narration")
    if not isinstance(prose, str) or "\n" not in prose:
        return
    lines = prose.split("\n")
    found: dict[str, Any] = {}
    while lines:
        key = key_line(lines[-1], shape)
        if not lines[-1].strip() and found:
            lines.pop()
            continue
        if (
            key is None
            or key.field.kind not in {"ids", "choice"}
            or not may_follow(key.field, key.rest)
            or not key.rest
        ):
            break
        if key.field.name in settled.fields or key.field.name in found:
            break
        found[key.field.name] = key.rest
        lines.pop()
    if found and re.search(r"\w", "\n".join(lines)):
        tail = settle(shape, found, context)
        settled.fields = {**settled.fields, "narration": "\n".join(lines).strip(), **tail.fields}
        settled.unknown += tail.unknown
        steps.append("indented keys")


_VERDICT = re.compile(
    r"(?:(?:yes|no|true|false)(?:[.,:;!]\s.*|\W*)|(?:not |in)?complete(?:d)?(?: yet)?\W*|not yet\W*)",
    re.IGNORECASE | re.DOTALL,
)
_SAID = re.compile(
    r"\bchapter\b[^.!?\n]{0,30}\b(?:is|was|has been|remains)\b(?P<not>[^.!?\n]{0,20}\b(?:not|n['’]t|"
    r"in)\s?)?[^.!?\n]{0,12}"
    r"(?:complete|completed|finished|over|done)\b",
    re.IGNORECASE,
)


def find_verdict(settled: Settled, text: str, steps: list[str]) -> None:
    """A bare yes or no, or a sentence that says whether the chapter is complete."""
    bare = text.strip().strip("*`\"'")
    said = _SAID.search(bare)
    if is_refusal(bare) or is_off_task(bare) or re.search(r"\bI\b", bare):
        return
    if _VERDICT.fullmatch(bare):
        verdict = flag_of(bare)
    elif said and not settled.fields:
        verdict = not said["not"] and "incomplete" not in said[0].casefold()
    else:
        return
    if verdict is not None:
        settled.fields = {"chapter_complete": verdict, **settled.fields}
        steps.append("verdict")
