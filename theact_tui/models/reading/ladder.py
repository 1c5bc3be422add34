"""`read`: from a raw reply to typed fields, step by step (`models.md` section 7). Pure; never raises; never invents."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from theact_tui.models.reading import wrapping
from theact_tui.models.reading.answers import Block, blocks, chosen, drafts, without_schema
from theact_tui.models.reading.coerce import Settled, settle
from theact_tui.models.reading.context import Context
from theact_tui.models.reading.items import items_of, text_of
from theact_tui.models.reading.judge import is_off_task, is_refusal, is_story, repeats_prompt
from theact_tui.models.reading.keylines import key_line, may_follow
from theact_tui.models.reading.lines import Record, records
from theact_tui.models.reading.nested import filled, has_text
from theact_tui.models.reading.plain import read_plain
from theact_tui.models.reading.scalars import without_remarks
from theact_tui.models.reading.shapes import PLAIN, SHAPES, Shape
from theact_tui.models.reading.values import flag_of, is_instruction, is_placeholder
from theact_tui.story.matching import plain

if TYPE_CHECKING:
    from theact_tui.models.replies import Reply

MAX_RAW = 131_072
"""Characters of a reply that are looked at."""
_UNREPAIRED = frozenset({"fence", "json", "yaml", "prose"})


@dataclass(frozen=True, slots=True)
class Reading:
    """What was read. `fields` are recovered as JSON knows them, also where `ok` is false and something was."""

    agent: str
    ok: bool
    fields: dict[str, Any]
    steps: tuple[str, ...]
    """The steps of the ladder that did something, in order."""
    missing: str = ""
    """What a correction has to ask for; empty when `ok`."""
    unknown: tuple[str, ...] = ()
    """Names that belong to nobody who is active."""
    missed: tuple[tuple[str, str], ...] = ()
    """Updates, old and new, of facts that do not exist."""
    beyond: dict[str, float] = field(default_factory=lambda: {})
    """Numbers as written that `fields` has clamped to their range."""
    thoughts: str = ""

    @property
    def repaired(self) -> bool:
        """True if the reply was not well formed."""
        return not set(self.steps) <= _UNREPAIRED

    def reply(self) -> Reply:
        """The typed reply; raises ValueError unless `ok`."""
        from theact_tui.models.reading.typed import reply_of

        return reply_of(self)


def read(agent: str, raw: str, context: Context | None = None) -> Reading:
    """Read what `agent` answered. `agent` may name the speaker, as in `character:maya`."""
    kind, _, own = agent.partition(":")
    context = context or Context()
    if kind not in SHAPES and kind not in PLAIN:
        raise ValueError(f"no agent is called {kind!r}")
    text, steps, thoughts = _unwrapped(raw[:MAX_RAW], kind)
    if kind in PLAIN:
        prose, missing = read_plain(kind, text, own, context)
        if prose and prose != text:
            steps.append("wrapper")
        fields: dict[str, Any] = {"text": prose} if prose else {}
        return Reading(kind, bool(prose), fields, (*steps, "prose"), missing, thoughts=thoughts)
    return replace(_structured(kind, text, context, steps), thoughts=thoughts)


def _unwrapped(raw: str, kind: str) -> tuple[str, list[str], str]:
    """Steps 1 and 2: without thoughts, template, loops and invented turns; the steps that changed something."""
    steps: list[str] = []

    def took(step: str, before: str, after: str) -> str:
        if before.strip() != after.strip():
            steps.append(step)
        return after

    text = took("characters", raw, wrapping.normalised(raw))
    bare, thoughts = wrapping.without_thoughts(text)
    text = took("thoughts", text, bare)
    text = took("template", text, wrapping.without_template(text, one_turn=kind in PLAIN))
    told = kind in {"narrator", "character", "actor"}
    text = took("turns", text, wrapping.without_invented_turns(text, told=told))
    text = took("loop", text, wrapping.without_loop(text))
    return text.strip("\n"), steps, thoughts.strip()


def _structured(kind: str, text: str, context: Context, steps: list[str]) -> Reading:
    shape = SHAPES[kind]
    record, fenced = _best_record(text, kind, shape, context)
    if fenced:
        steps.append("fence")
    settled = settle(shape, record.values, context) if record else Settled()
    if record and record.values:
        steps.append(record.how)
    if kind == "narrator":
        _find_narration(settled, text, record, context, steps)
        _find_tail(settled, shape, context, steps)
    elif kind == "progress" and "chapter_complete" not in settled.fields:
        _find_verdict(settled, text, steps)
    _note_choices(settled, record, steps)
    missing = _missing(shape, settled.fields)
    if record and not missing and not has_text(settled.fields) and _has_placeholder(record.values):
        missing = ", ".join(shape.needed)
    fields = settled.fields if missing or kind not in {"lock", "delta"} else filled(settled.fields, shape)
    return Reading(
        kind,
        not missing,
        fields,
        tuple(dict.fromkeys(steps)),
        missing,
        tuple(settled.unknown),
        tuple(settled.missed),
        settled.beyond,
    )


def _has_placeholder(value: Any) -> bool:
    match value:
        case str():
            return any(is_placeholder(part) for part in (value, *items_of(value), *value.split("\n"))) or "<" in value
        case dict():
            return any(map(_has_placeholder, value.values()))
        case list():
            return any(map(_has_placeholder, value))
        case _:
            return False


def _best_record(text: str, kind: str, shape: Shape, context: Context) -> tuple[Record | None, bool]:
    """Steps 3 to 7: the answer that counts, and whether it stood in a fence."""
    found = blocks(text)
    best = [record for block in found if (record := _of_block(block, kind, shape, context))]
    record = chosen(best, shape)
    fenced = any(block.fenced for block in found)
    if not fenced or (record is not None and _rank(record, shape, context)[1] >= _full(shape)):
        return record, fenced and record is not None
    whole = chosen(_without_echoes(records(text, shape), kind, context), shape)
    if whole and (record is None or _rank(whole, shape, context)[:2] > _rank(record, shape, context)[:2]):
        return whole, fenced
    return record, fenced and record is not None


def _of_block(block: Block, kind: str, shape: Shape, context: Context) -> Record | None:
    best: Record | None = None
    rank: tuple[bool, int, int] = (False, 0, -9)
    for draft in drafts(without_schema(block.text), shape):
        own = _without_echoes(draft, kind, context)
        if draft and not own:
            return None
        record = chosen(own, shape)
        if record is None:
            continue
        score = _rank(record, shape, context)
        if score > rank:
            best, rank = record, score
        if record.how in {"json", "yaml"} and score == (True, _full(shape), 0):
            break
    if best is None:
        return None
    return Record(best.values, f"{block.before}\n{best.before}", best.after, best.how)


def _full(shape: Shape) -> int:
    return sum(not part.optional for part in shape.fields)


def _rank(record: Record, shape: Shape, context: Context) -> tuple[bool, int, int]:
    """How good an answer is: usable, how many fields, and minus the signs that a field swallowed another."""
    fields = settle(shape, record.values, context).fields
    count = sum(part.name in fields for part in shape.fields if not part.optional)
    swallowed = 0
    for part in shape.fields:
        text = fields.get(part.name)
        if isinstance(text, str):
            swallowed += text.endswith(('"}', "```")) + sum(
                name in text for name in ("responding_characters", "chapter_complete", "moment_type", "new_beats")
            )
            swallowed += bool(re.search(rf"[\"'\n](?:{'|'.join(f.name for f in shape.fields)})[\"']?\s*:", text))
    return not _missing(shape, fields), count, -swallowed


def _missing(shape: Shape, fields: dict[str, Any]) -> str:
    """The fields of which one is needed and none is there."""
    for name in shape.needed:
        value = fields.get(name)
        if name in fields and (has_text(value) if shape in (SHAPES["lock"], SHAPES["delta"]) else value is not None):
            return ""
        if shape is SHAPES["moment"] and name == "moment_type" and name in fields:
            return ""
    return ", ".join(shape.needed)


def _without_echoes(found: list[Record], kind: str, context: Context) -> list[Record]:
    """Step 4: without answers that are the prompt's example again."""
    if not context.prompt_example:
        return found
    example = _texts_of_example(kind, context.prompt_example)
    return [record for record in found if not _is_echo(_texts(record.values), example)]


@lru_cache(maxsize=32)
def _texts_of_example(kind: str, example: str) -> dict[str, str]:
    shape = SHAPES[kind]
    for block in blocks(example):
        for draft in drafts(block.text, shape):
            record = chosen(draft, shape)
            if record:
                return _texts(record.values)
    return {}


def _texts(values: dict[str, Any]) -> dict[str, str]:
    """The texts of an answer as they are compared."""
    told = {name: plain(text_of(value)) for name, value in values.items() if name not in {"mood", "moment_type"}}
    return {name: text for name, text in told.items() if len(text.split()) > 2}


def _is_echo(texts: dict[str, str], example: dict[str, str]) -> bool:
    if "narration" in example:
        told = texts.get("narration", "")
        return bool(told) and (told == example["narration"] or (len(told) > 25 and example["narration"].startswith(told)))
    return bool(example) and all(texts.get(name) == text for name, text in example.items())


def _find_narration(settled: Settled, text: str, record: Record | None, context: Context, steps: list[str]) -> None:
    """Prose outside of the keys is the narration if no key holds it; and a refusal never is."""
    if "narration" in settled.fields:
        return
    names = list((context.active_characters or {}).values())
    if record is not None and record.values:
        for loose in (record.before, record.after):
            prose = _bare_prose(loose)
            if len(prose.split()) > 3 and not (is_refusal(prose) or is_off_task(prose) or is_instruction(prose)):
                settled.fields = {"narration": prose, **settled.fields}
                steps.append("loose prose")
                return
        return
    if "narration" in (record.values if record else {}) or re.match(r"\s*[{\[]", text):
        return
    prose = _bare_prose(text)
    if is_story(prose, names) and not repeats_prompt(prose, context.beats or ()) and not _echo_of_example(prose, context):
        settled.fields["narration"] = prose
        steps.append("loose prose")


def _echo_of_example(prose: str, context: Context) -> bool:
    return bool(context.prompt_example) and plain(prose) in plain(context.prompt_example)


def _bare_prose(text: str) -> str:
    """`text` without fences, remarks and a label in front."""
    unfenced = re.sub(r"^[ \t]*(?:`{3,}|~{3,})[\w+-]*[ \t]*$", "", text, flags=re.MULTILINE)
    prose = _HEADER_LINES.sub("", without_remarks(unfenced))
    return re.sub(r"\A[\w ]{3,30}:[ \t]*[|>][+-]?[ \t]*\n", "", prose).strip()


_HEADER_LINES = re.compile(
    r"\A(?:(?:\W*(?:title|chapter|turn|scene|setting|location)\b[^\n:]{0,20}:[^\n]{0,80}|#{1,6}[ \t][^\n]{0,80})\n+)+", re.IGNORECASE
)


def _find_tail(settled: Settled, shape: Shape, context: Context, steps: list[str]) -> None:
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
        if key is None or key.field.kind not in {"ids", "choice"} or not may_follow(key.field, key.rest) or not key.rest:
            break
        if key.field.name in settled.fields or key.field.name in found:
            break
        found[key.field.name] = key.rest
        lines.pop()
    if found and any(line.strip() for line in lines):
        tail = settle(shape, found, context)
        settled.fields = {**settled.fields, "narration": "\n".join(lines).strip(), **tail.fields}
        settled.unknown += tail.unknown
        steps.append("indented keys")


def _find_verdict(settled: Settled, text: str, steps: list[str]) -> None:
    """A bare yes or no, or a sentence that says whether the chapter is complete."""
    bare = text.strip().strip("*`\"'")
    said = re.search(
        r"\bchapter\b[^.!?\n]{0,30}\b(?:is|was|has been|remains)\b(?P<not>[^.!?\n]{0,20}\b(?:not|n['’]t|in)\s?)?[^.!?\n]{0,12}"
        r"(?:complete|completed|finished|over|done)\b",
        bare,
        re.IGNORECASE,
    )
    if len(bare.split()) <= 4 or re.match(r"(?:yes|no|true|false)\b[.,:;!\s-]", bare, re.IGNORECASE):
        verdict = flag_of(bare)
    elif said and not settled.fields:
        verdict = not said["not"] and "incomplete" not in said[0].casefold()
    else:
        return
    if verdict is not None and not is_refusal(bare):
        settled.fields = {"chapter_complete": verdict, **settled.fields}
        steps.append("verdict")


def _note_choices(settled: Settled, record: Record | None, steps: list[str]) -> None:
    """Names the last steps in `steps` where they changed or dropped something."""
    if record is None:
        return
    kept = {name: value for name, value in record.values.items() if settled.fields.get(name) != value}
    if any(name in settled.fields for name in kept if name not in {"narration", "summary", "reason", "resolution"}):
        steps.append("coerced")
    if settled.unknown or settled.missed or set(record.values) - set(settled.fields):
        steps.append("reconciled")
    if settled.beyond:
        steps.append("clamped")
