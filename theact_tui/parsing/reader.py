"""`parse`: from a raw reply to typed fields. Pure; never raises; never invents."""

import re
from collections.abc import Iterator
from typing import Any

from theact_tui.parsing.coerce import Coerced, coerce
from theact_tui.parsing.items import bare_item, items_of
from theact_tui.parsing.lines import FENCE, Candidate, key_line, may_follow, records, value_of
from theact_tui.parsing.loops import without_loop
from theact_tui.parsing.objects import has_text
from theact_tui.parsing.prose import read_plain
from theact_tui.parsing.refusals import has_placeholder, is_off_task, without_echoes
from theact_tui.parsing.repair import json_value, mappings, yaml_value
from theact_tui.parsing.shapes import BLOCK, PLAIN, SHAPES, ReplyField, ReplyShape, key_of
from theact_tui.parsing.speakers import before_answers
from theact_tui.parsing.types import ParsedReply, ReplyContext
from theact_tui.parsing.unwrap import (
    begins_key,
    normalised,
    without_invented_turns,
    without_open_end,
    without_template,
    without_thoughts,
)
from theact_tui.parsing.values import flag_of, is_preamble, is_rule
from theact_tui.story.direct.blocks import FORMS, filled

_VERDICT = re.compile(
    r"(?:(?:yes|no|true|false)(?:[.,:;!]\s.*|\W*)|(?:not |in)?complete(?:d)?(?: yet)?\W*|not yet\W*)",
    re.IGNORECASE | re.DOTALL,
)


def find_verdict(coerced: Coerced, text: str, steps: list[str]) -> None:
    """A bare yes or no is whether the chapter is complete."""
    bare = text.strip().strip("*`\"'")
    if _VERDICT.fullmatch(bare) and not is_off_task(bare) and not re.search(r"\bI\b", bare):
        coerced.fields = {"chapter_complete": flag_of(bare), **coerced.fields}
        steps.append("verdict")


MAX_RAW = 131_072
"""Characters of a reply that are looked at."""
MAX_STRUCTURED = 16_384
"""Characters of a structured reply, without its thoughts, that are looked at: three times the longest asked for."""


def parse(agent: str, raw: str, context: ReplyContext | None = None) -> ParsedReply:
    """Read what `agent` answered. `agent` may name the speaker, as in `character:maya`."""
    kind, _, own = agent.partition(":")
    context = context or ReplyContext()
    if kind not in SHAPES and kind not in PLAIN:
        raise ValueError(f"no agent is called {kind!r}")
    own = own or context.speaker
    text, steps = _unwrapped(raw[:MAX_RAW], kind, context.player)
    if kind in PLAIN:
        if kind == "narrator":
            prose, lacking = read_page(text, context)
        else:
            prose, lacking = read_plain(kind, text, own, context)
        if prose and prose != text:
            steps.append("wrapper")
        name = "narration" if kind == "narrator" else "text"
        fields: dict[str, Any] = {name: prose} if prose else {}
        return ParsedReply(kind, bool(prose), fields, (*steps, "prose"), lacking)
    bare = without_open_end(text[:MAX_STRUCTURED], SHAPES[kind])
    if bare != text.rstrip("\n"):
        steps.append("cut")
    if kind == "moment" and "moments" not in bare and (begun := re.search(r"[\[{]", bare)):
        bare = '{"moments": ' + bare[begun.start() :]  # the list or one of it alone, as small models write it
    return _structured(kind, bare, context, steps)


def _unwrapped(raw: str, kind: str, player: str) -> tuple[str, list[str]]:
    """Steps 1 and 2: without thoughts, template, loops and invented turns; the steps that changed something."""
    steps: list[str] = []

    def took(step: str, before: str, after: str) -> str:
        if before.strip() != after.strip():
            steps.append(step)
        return after

    text = took("characters", raw, normalised(raw))
    text = re.sub(r"\n{4,}", "\n\n\n", "\n".join(line.rstrip() for line in text.split("\n")))
    text = took("thoughts", text, without_thoughts(text)[0])
    text = took("loop", text, without_loop(text, prose=kind in PLAIN))
    text = took("template", text, without_template(text))
    told = kind in {"narrator", "character", "actor"}
    if kind == "narrator":  # a line of the player's in a page may be a letter
        player = ""
    text = took("turns", text, without_invented_turns(text, told=told, player=player))
    return text.strip("\n"), steps


def read_page(text: str, context: ReplyContext) -> tuple[str, str]:
    """The page a narrator tells, and why there is none. Of a block the text under `narration` alone; a block, an answer of
    the cast or a turn of the player's that follows a page is cut off."""
    if _is_block(text):
        told = _narration(text, context)
        lacking = "" if told else "narration"
    else:
        told, lacking = read_plain("narrator", _before_block(text), "", context)
    people = dict(context.active_characters or {})
    if context.player:
        people = {"player": context.player, **people}
    return before_answers(told, people), lacking


def _narration(text: str, context: ReplyContext) -> str:
    """The page of a block."""
    _, coerced, _ = _best_answer(without_open_end(text[:MAX_STRUCTURED], BLOCK), BLOCK, context)
    return str(coerced.fields.get("narration") or "")


def _is_block(text: str) -> bool:
    """True for a reply that begins as a block does, or that holds its first key."""
    lines = [
        line for line in text.split("\n") if line.strip() and not FENCE.fullmatch(line) and not is_rule(line)
    ]
    head = next((line for line in lines if not is_preamble(line)), "")
    if not head or head.lstrip().startswith(("{", "[{", '"{', "<")) or key_line(head, BLOCK):
        return True
    if len(lines) == 1 and begins_key(head, BLOCK):
        return True
    keys = (key_line(line, BLOCK) for line in lines)
    told = any(key and key.exact and key.field.name == "narration" for key in keys)
    return told or re.search(r"[\"']narration[\"']\s*:", text) is not None


def _before_block(text: str) -> str:
    """`text` up to a fence or the keys of a block that follow a page."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip() and not FENCE.fullmatch(line)), 0)
    for at in range(first + 1, len(lines)):
        key = key_line(lines[at], BLOCK)
        if FENCE.fullmatch(lines[at]) or (
            key and key.exact and may_follow(key.field, key.rest) and _all_keys(lines[at:])
        ):
            return "\n".join(lines[:at])
    return text


def _all_keys(lines: list[str]) -> bool:
    return all(not line.strip() or line[:1] in " \t-*" or key_line(line, BLOCK) for line in lines)


def _structured(kind: str, text: str, context: ReplyContext, steps: list[str]) -> ParsedReply:
    shape = SHAPES[kind]
    record, coerced, fenced = _best_answer(text, shape, context)
    if fenced:
        steps.append("fence")
    if record and record.values:
        steps.append(record.how)
    if kind == "progress" and "chapter_complete" not in coerced.fields:
        find_verdict(coerced, text, steps)
    _note_choices(coerced, record, shape, steps)
    lacking = _missing(shape, coerced.fields) or _unanswered(shape, coerced.fields, context)
    if record and not lacking and not has_text(coerced.fields) and has_placeholder(record.values):
        lacking = ", ".join(shape.needed)
    fields = coerced.fields if lacking or kind not in FORMS else filled(FORMS[kind], coerced.fields)
    return ParsedReply(
        kind,
        not lacking,
        fields,
        tuple(dict.fromkeys(steps)),
        lacking,
        tuple(coerced.unknown),
        tuple(coerced.unmatched),
        tuple(coerced.strange),
    )


def _note_choices(coerced: Coerced, record: Candidate | None, shape: ReplyShape, steps: list[str]) -> None:
    """Names the last steps in `steps` where they changed or dropped something."""
    told = record.values if record else {}
    for part in (part for part in shape.fields if part.name in told and part.name in coerced.fields):
        value, kept = told[part.name], coerced.fields[part.name]
        if isinstance(value, str) and part.kind in {"ids", "texts"}:
            value = [bare_item(item) for item in items_of(value)]
        elif isinstance(value, dict) and part.kind == "pairs":
            value = [{"old": old, "new": new} for old, new in value.items()]
            kept = value if len(value) == len(kept) + len(coerced.unmatched) else kept
        # numbers and objects are the form that is asked for
        if part.kind in {"beats", "facts", "objects"} and isinstance(value, list):
            continue
        if value != kept and (part.kind in {"ids", "texts", "choice"} or not isinstance(value, str)):
            steps.append("coerced")
    if coerced.unknown or coerced.unmatched or set(told) - set(coerced.fields):
        steps.append("reconciled")


# --- the answer in a reply: strict JSON or YAML, else JSON that is repaired, else lines by key --------------------------

MAX_BLOCKS = 12
_OUTER_TAG = re.compile(r"</?(?:answer|final_answer|response|output|ya?ml|json|result|reply)>", re.IGNORECASE)
_TAG = re.compile(
    r"<(?P<key>[a-z][\w -]{2,40})>(?P<text>.*?)(?:</\s*(?P=key)\s*>|(?=\n<[a-z])|\Z)", re.I | re.S
)


def _best_answer(
    text: str, shape: ReplyShape, context: ReplyContext
) -> tuple[Candidate | None, Coerced, bool]:
    """The answer that says most of those in `text`, its fields, and whether it stood in a fence."""
    fenced = _blocks(text)
    unfenced = "\n".join(line for line in text.split("\n") if not FENCE.fullmatch(line))
    best: tuple[Candidate | None, Coerced, bool] = (None, Coerced(), False)
    highest = (False, -1)
    for block in [*fenced, unfenced]:
        for found in _drafts(block, shape):
            own = without_echoes(found, context)
            for record in own:
                made = coerce(shape, record.values, context)
                filled = sum(part.name in made.fields for part in shape.fields if not part.optional)
                rank = (not _missing(shape, made.fields), filled)
                if rank > highest:
                    best, highest = (record, made, block is not unfenced), rank
            if (found and not own) or highest == (True, shape.full):
                break
        if highest == (True, shape.full):
            break
    return best


def _missing(shape: ReplyShape, fields: dict[str, Any]) -> str:
    """The fields of which one is needed and none is there."""
    notes = any(shape is SHAPES[kind] for kind in FORMS)
    for name in shape.needed:
        value = fields.get(name)
        if has_text(value) if notes else value is not None:
            return ""
    return ", ".join(shape.needed)


def _unanswered(shape: ReplyShape, fields: dict[str, Any], context: ReplyContext) -> str:
    """The names of fields that must say something of everybody asked about, and do not."""
    offered = context.offered or {}
    asked = [part.name for part in shape.fields if part.must and part.name in offered]
    return ", ".join(name for name in asked if not set(offered[name]) <= set(fields.get(name) or ()))


def _blocks(text: str) -> list[str]:
    """The fenced blocks of `text`; an unclosed fence goes to the end."""
    found: list[list[str]] = [[]]
    inside = False
    for line in text.split("\n"):
        if FENCE.fullmatch(line) and not line.startswith((" ", "\t")):
            inside = not inside or not any(part.strip() for part in found[-1])
            found += [[]] if not inside else []
        elif inside:
            found[-1].append(line)
    return ["\n".join(block) for block in found if any(line.strip() for line in block)][:MAX_BLOCKS]


def _drafts(text: str, shape: ReplyShape) -> Iterator[list[Candidate]]:
    """The ways to read one block, the strictest first; each gives the answers it sees, in order."""
    text = _OUTER_TAG.sub("\n", text)
    if (exact := json_value(text)) is not None:
        yield [Candidate(values, "json") for values in values_of(exact, shape)]
    elif isinstance(plain := yaml_value(text), dict):
        yield [Candidate(values, "yaml") for values in values_of(plain, shape)]
    if re.match(r"\s*\"\w+\"\s*:\s*[\[{]", text):
        text = f"{{{text}}}"
    if "{" in text:
        found = [values for mapping in mappings(text)[1] for values in values_of(mapping, shape)]
        yield [Candidate(values, "loose json") for values in found]
        if found and text.lstrip().startswith("{"):
            return
    if in_tags := _tagged(text, shape):
        yield [Candidate(in_tags, "tags")]
    yield records(text, shape)


def _tagged(text: str, shape: ReplyShape) -> dict[str, Any]:
    """Fields between tags of their names; one is closed by its own, the next one or the end."""
    values: dict[str, Any] = {}
    for found in _TAG.finditer(text if "</" in text else ""):
        if (field := shape.field(found["key"])) is not None:
            values.setdefault(field.name, value_of(field, found["text"].strip("\n")))
    return values


def values_of(value: Any, shape: ReplyShape) -> Iterator[dict[str, Any]]:
    """The answers in a parsed document: itself, or what an outer key or list holds."""
    if isinstance(value, list):
        for part in value:
            yield from values_of(part, shape)
    if not isinstance(value, dict):
        return
    values: dict[str, Any] = {}
    aliases: dict[str, Any] = {}
    for key, part in value.items():
        field = shape.nearest(str(key))
        if field is None or (key_of(str(key)) != field.name and _holds_answer(field, part, shape)):
            for inner in values_of(part, shape):
                aliases = {**inner, **aliases}
        else:
            (values if key_of(str(key)) == field.name else aliases).setdefault(field.name, part)
    if found := {**aliases, **values}:
        yield found


def _holds_answer(field: ReplyField, part: Any, shape: ReplyShape) -> bool:
    """True if the value of another name for `field` is, or lists, a whole answer."""
    if isinstance(part, list):
        return any(isinstance(one, dict) and _holds_answer(field, one, shape) for one in part)
    others = {one.name for one in shape.fields}.difference(field.shape.by_key)
    return isinstance(part, dict) and bool({*map(str, part)} & others)
