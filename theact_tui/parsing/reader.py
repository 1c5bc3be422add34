"""`parse`: from a raw reply to typed fields. Pure; never raises; never invents."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from theact_tui.parsing.coerce import Coerced, coerce
from theact_tui.parsing.documents import (
    TextBlock,
    blocks,
    chosen,
    drafts,
    without_schema,
    without_wrapping_tags,
)
from theact_tui.parsing.lines import FENCE, Candidate, key_line, may_follow, records
from theact_tui.parsing.objects import filled, has_text
from theact_tui.parsing.prose import read_plain
from theact_tui.parsing.refusals import (
    echoes_example,
    has_placeholder,
    is_off_task,
    is_refusal,
    is_story,
    repeats_prompt,
    without_echoes,
)
from theact_tui.parsing.shapes import NARRATOR, PLAIN, SHAPES, ReplyShape
from theact_tui.parsing.types import ParsedReply, ReplyContext
from theact_tui.parsing.unwrap import (
    normalised,
    without_invented_turns,
    without_loop,
    without_open_end,
    without_template,
    without_thoughts,
)
from theact_tui.parsing.values import flag_of, is_instruction, with_line_feeds, without_remarks


def best_record(
    text: str, kind: str, shape: ReplyShape, context: ReplyContext
) -> tuple[Candidate | None, bool]:
    """Steps 3 to 7: the answer that counts, and whether it stood in a fence."""
    found = blocks(text)
    best = [record for block in found if (record := _of_block(block, kind, shape, context))]
    record = chosen(best, shape)
    fenced = any(block.fenced for block in found)
    if not fenced or (record is not None and _rank(record, shape, context)[1] >= shape.full):
        return record, fenced and record is not None
    whole = chosen(without_echoes(records(text, shape), kind, context), shape)
    if whole is None or _rank(whole, shape, context)[1] < shape.full:
        bare = "\n".join(line for line in text.split("\n") if not FENCE.fullmatch(line))
        whole = _of_block(TextBlock(bare, "", False), kind, shape, context) or whole
    if whole and (record is None or _rank(whole, shape, context)[:2] > _rank(record, shape, context)[:2]):
        return whole, fenced
    return record, fenced and record is not None


def _of_block(block: TextBlock, kind: str, shape: ReplyShape, context: ReplyContext) -> Candidate | None:
    best: Candidate | None = None
    rank: tuple[bool, int, int] = (False, 0, -9)
    for draft in drafts(without_schema(block.text), shape):
        own = without_echoes(draft, kind, context)
        if draft and not own:
            return None
        record = chosen(own, shape)
        if record is None:
            continue
        score = _rank(record, shape, context)
        if score > rank:
            best, rank = record, score
        if record.how in {"json", "yaml"} and score == (True, shape.full, 0):
            break
    if best is None:
        return None
    return Candidate(best.values, f"{block.before}\n{best.before}", best.after, best.how)


def _rank(record: Candidate, shape: ReplyShape, context: ReplyContext) -> tuple[bool, int, int]:
    """How good an answer is: usable, how many fields, and minus the signs that a field swallowed another."""
    fields = coerce(shape, record.values, context).fields
    count = sum(part.name in fields for part in shape.fields if not part.optional)
    swallowed = 0
    for part in shape.fields:
        text = fields.get(part.name)
        if isinstance(text, str):
            swallowed += text.endswith(('"}', "```")) + sum(
                name in text
                for name in ("responding_characters", "chapter_complete", "moment_type", "new_beats")
            )
            swallowed += bool(
                re.search(rf"[\"'\n](?:{'|'.join(f.name for f in shape.fields)})[\"']?\s*:", text)
            )
    return not missing(shape, fields), count, -swallowed


def missing(shape: ReplyShape, fields: dict[str, Any]) -> str:
    """The fields of which one is needed and none is there."""
    for name in shape.needed:
        value = fields.get(name)
        if name in fields and (
            has_text(value) if shape in (SHAPES["lock"], SHAPES["delta"]) else value is not None
        ):
            return ""
        if shape is SHAPES["moment"] and name == "moment_type" and name in fields:
            return ""
    return ", ".join(shape.needed)


def find_narration(
    coerced: Coerced, text: str, record: Candidate | None, context: ReplyContext, steps: list[str]
) -> None:
    """Prose outside of the keys is the narration if no key holds it; and a refusal never is."""
    if "narration" in coerced.fields:
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
                coerced.fields = {"narration": prose, **coerced.fields}
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
        coerced.fields["narration"] = prose
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


def find_tail(coerced: Coerced, shape: ReplyShape, context: ReplyContext, steps: list[str]) -> None:
    """Keys that were indented as if they belonged to the narration: its last lines, where they are plainly keys."""
    prose = coerced.fields.get("narration")
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
        if key.field.name in coerced.fields or key.field.name in found:
            break
        found[key.field.name] = key.rest
        lines.pop()
    if found and re.search(r"\w", "\n".join(lines)):
        tail = coerce(shape, found, context)
        coerced.fields = {**coerced.fields, "narration": "\n".join(lines).strip(), **tail.fields}
        coerced.unknown += tail.unknown
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


def find_verdict(coerced: Coerced, text: str, steps: list[str]) -> None:
    """A bare yes or no, or a sentence that says whether the chapter is complete."""
    bare = text.strip().strip("*`\"'")
    said = _SAID.search(bare)
    if is_refusal(bare) or is_off_task(bare) or re.search(r"\bI\b", bare):
        return
    if _VERDICT.fullmatch(bare):
        verdict = flag_of(bare)
    elif said and not coerced.fields:
        verdict = not said["not"] and "incomplete" not in said[0].casefold()
    else:
        return
    if verdict is not None:
        coerced.fields = {"chapter_complete": verdict, **coerced.fields}
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
    text, steps, thoughts = _unwrapped(raw[:MAX_RAW], kind, context.player)
    if kind in PLAIN:
        prose, lacking = read_plain(kind, text, own, context)
        if prose and prose != text:
            steps.append("wrapper")
        fields: dict[str, Any] = {"text": prose} if prose else {}
        return ParsedReply(kind, bool(prose), fields, (*steps, "prose"), lacking, thoughts=thoughts)
    bare = without_open_end(text[:MAX_STRUCTURED], SHAPES[kind])
    if bare != text.rstrip("\n"):
        steps.append("cut")
    if kind == "moment":  # the list alone, as small models write it
        bare = re.sub(r"\A\s*(?:```\w*\s*)?(?=\[)", '{"moments": ', bare)
    return replace(_structured(kind, bare, context, steps), thoughts=thoughts)


def _unwrapped(raw: str, kind: str, player: str) -> tuple[str, list[str], str]:
    """Steps 1 and 2: without thoughts, template, loops and invented turns; the steps that changed something."""
    steps: list[str] = []

    def took(step: str, before: str, after: str) -> str:
        if before.strip() != after.strip():
            steps.append(step)
        return after

    text = took("characters", raw, normalised(raw))
    text = took("loop", text, without_loop(text))
    bare, thoughts = without_thoughts(text)
    text = took("thoughts", text, bare)
    text = took("template", text, without_template(text, one_turn=kind in PLAIN))
    told = kind in {"narrator", "character", "actor"}
    text = took("turns", text, without_invented_turns(text, told=told, player=player))
    return text.strip("\n"), steps, thoughts.strip()


def _structured(kind: str, text: str, context: ReplyContext, steps: list[str]) -> ParsedReply:
    shape = SHAPES[kind]
    record, fenced = best_record(text, kind, shape, context)
    if fenced:
        steps.append("fence")
    coerced = coerce(shape, record.values, context) if record else Coerced()
    if record and record.values:
        steps.append(record.how)
    if kind == "narrator":
        find_narration(coerced, text, record, context, steps)
        find_tail(coerced, shape, context, steps)
    elif kind == "progress" and "chapter_complete" not in coerced.fields:
        find_verdict(coerced, text, steps)
    _note_choices(coerced, record, steps)
    lacking = missing(shape, coerced.fields)
    if record and not lacking and not has_text(coerced.fields) and has_placeholder(record.values):
        lacking = ", ".join(shape.needed)
    fields = coerced.fields if lacking or kind not in {"lock", "delta"} else filled(coerced.fields, shape)
    return ParsedReply(
        kind,
        not lacking,
        fields,
        tuple(dict.fromkeys(steps)),
        lacking,
        tuple(coerced.unknown),
        tuple(coerced.unmatched),
        coerced.clamped,
    )


def _note_choices(coerced: Coerced, record: Candidate | None, steps: list[str]) -> None:
    """Names the last steps in `steps` where they changed or dropped something."""
    if record is None:
        return
    kept = {name: value for name, value in record.values.items() if coerced.fields.get(name) != value}
    if any(
        name in coerced.fields
        for name in kept
        if name not in {"narration", "summary", "reason", "resolution"}
    ):
        steps.append("coerced")
    if coerced.unknown or coerced.unmatched or set(record.values) - set(coerced.fields):
        steps.append("reconciled")
    if coerced.clamped:
        steps.append("clamped")
