"""`read`: from a raw reply to typed fields, step by step (`models.md` section 7). Pure; never raises; never invents."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from theact_tui.models.reading import wrapping
from theact_tui.models.reading.coerce import Settled, settle
from theact_tui.models.reading.context import Context
from theact_tui.models.reading.echoes import has_placeholder
from theact_tui.models.reading.ending import without_open_end
from theact_tui.models.reading.fields import PLAIN, SHAPES
from theact_tui.models.reading.leftovers import find_narration, find_tail, find_verdict
from theact_tui.models.reading.lines import Record
from theact_tui.models.reading.nested import filled, has_text
from theact_tui.models.reading.pick import best_record, missing
from theact_tui.models.reading.plain import read_plain
from theact_tui.models.reading.result import Reading

MAX_RAW = 131_072
"""Characters of a reply that are looked at."""
MAX_STRUCTURED = 16_384
"""Characters of a structured reply, without its thoughts, that are looked at: three times the longest asked for."""


def read(agent: str, raw: str, context: Context | None = None) -> Reading:
    """Read what `agent` answered. `agent` may name the speaker, as in `character:maya`."""
    kind, _, own = agent.partition(":")
    context = context or Context()
    if kind not in SHAPES and kind not in PLAIN:
        raise ValueError(f"no agent is called {kind!r}")
    own = own or context.speaker
    text, steps, thoughts = _unwrapped(raw[:MAX_RAW], kind, context.player)
    if kind in PLAIN:
        prose, lacking = read_plain(kind, text, own, context)
        if prose and prose != text:
            steps.append("wrapper")
        fields: dict[str, Any] = {"text": prose} if prose else {}
        return Reading(kind, bool(prose), fields, (*steps, "prose"), lacking, thoughts=thoughts)
    bare = without_open_end(text[:MAX_STRUCTURED], SHAPES[kind])
    if bare != text.rstrip("\n"):
        steps.append("cut")
    return replace(_structured(kind, bare, context, steps), thoughts=thoughts)


def _unwrapped(raw: str, kind: str, player: str) -> tuple[str, list[str], str]:
    """Steps 1 and 2: without thoughts, template, loops and invented turns; the steps that changed something."""
    steps: list[str] = []

    def took(step: str, before: str, after: str) -> str:
        if before.strip() != after.strip():
            steps.append(step)
        return after

    text = took("characters", raw, wrapping.normalised(raw))
    text = took("loop", text, wrapping.without_loop(text))
    bare, thoughts = wrapping.without_thoughts(text)
    text = took("thoughts", text, bare)
    text = took("template", text, wrapping.without_template(text, one_turn=kind in PLAIN))
    told = kind in {"narrator", "character", "actor"}
    text = took("turns", text, wrapping.without_invented_turns(text, told=told, player=player))
    return text.strip("\n"), steps, thoughts.strip()


def _structured(kind: str, text: str, context: Context, steps: list[str]) -> Reading:
    shape = SHAPES[kind]
    record, fenced = best_record(text, kind, shape, context)
    if fenced:
        steps.append("fence")
    settled = settle(shape, record.values, context) if record else Settled()
    if record and record.values:
        steps.append(record.how)
    if kind == "narrator":
        find_narration(settled, text, record, context, steps)
        find_tail(settled, shape, context, steps)
    elif kind == "progress" and "chapter_complete" not in settled.fields:
        find_verdict(settled, text, steps)
    _note_choices(settled, record, steps)
    lacking = missing(shape, settled.fields)
    if record and not lacking and not has_text(settled.fields) and has_placeholder(record.values):
        lacking = ", ".join(shape.needed)
    fields = settled.fields if lacking or kind not in {"lock", "delta"} else filled(settled.fields, shape)
    return Reading(
        kind,
        not lacking,
        fields,
        tuple(dict.fromkeys(steps)),
        lacking,
        tuple(settled.unknown),
        tuple(settled.missed),
        settled.beyond,
    )


def _note_choices(settled: Settled, record: Record | None, steps: list[str]) -> None:
    """Names the last steps in `steps` where they changed or dropped something."""
    if record is None:
        return
    kept = {name: value for name, value in record.values.items() if settled.fields.get(name) != value}
    if any(
        name in settled.fields
        for name in kept
        if name not in {"narration", "summary", "reason", "resolution"}
    ):
        steps.append("coerced")
    if settled.unknown or settled.missed or set(record.values) - set(settled.fields):
        steps.append("reconciled")
    if settled.beyond:
        steps.append("clamped")
