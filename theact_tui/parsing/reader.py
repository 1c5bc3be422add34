"""Read a raw reply into the model of its form, or prose. Never raises; never invents."""

import re

from theact_tui.parsing.form_values import (
    filled_form,
    has_other_keys,
    has_text,
    objects_of_form,
    values_by_field,
)
from theact_tui.parsing.forms import MODELS, Form, fields_of
from theact_tui.parsing.json_objects import objects_in
from theact_tui.parsing.loops import without_loop
from theact_tui.parsing.prose import read_prose
from theact_tui.parsing.refusals import has_placeholder, repeats_example
from theact_tui.parsing.thoughts import without_thoughts
from theact_tui.parsing.types import ParsedReply, PlainReply, ReplyContext
from theact_tui.parsing.unwrap import normalised, without_invented_turns, without_template
from theact_tui.story.direct.blocks import FORMS

_PLAIN = ("narrator", "character", "actor", "summary", "recap", "epilogue", "merge", "cell", "chapter")
AGENTS = (*MODELS, *_PLAIN)
_MAX_RAW = 131_072
"""Characters read of a reply."""
_MAX_STRUCTURED = 16_384
"""Characters read of a form, without thoughts: three times the longest asked for."""


def parse(agent: str, raw: str, context: ReplyContext | None = None) -> ParsedReply:
    """Read the reply of `agent`, which may name the speaker, as in `character:maya`."""
    kind, _, own = agent.partition(":")
    context = context or ReplyContext()
    if kind not in AGENTS:
        raise ValueError(f"no agent is called {kind!r}")
    text, steps = _unwrapped(raw[:_MAX_RAW], kind, context)
    if kind in MODELS:
        return _form(kind, text[:_MAX_STRUCTURED], context, steps)
    prose, missing = read_prose(kind, text, own or context.speaker, context)
    if prose and prose != text:
        steps.append("wrapper")
    return ParsedReply(kind, PlainReply(text=prose) if prose else None, (*steps, "prose"), missing)


def _unwrapped(raw: str, kind: str, context: ReplyContext) -> tuple[str, list[str]]:
    """Remove thoughts, template, loops and invented turns; also return the steps that changed something."""
    steps: list[str] = []

    def record_step(step: str, before: str, after: str) -> str:
        if before.strip() != after.strip():
            steps.append(step)
        return after

    text = record_step("characters", raw, normalised(raw))
    text = re.sub(r"\n{4,}", "\n\n\n", "\n".join(line.rstrip() for line in text.split("\n")))
    text = record_step("thoughts", text, without_thoughts(text, context.thought)[0])
    if not context.is_scripted:  # which repeats what the player repeated
        text = record_step("loop", text, without_loop(text, prose=kind in _PLAIN))
    text = record_step("template", text, without_template(text))
    player = "" if kind == "narrator" else context.player  # a line of the player's in a page may be a letter
    text = record_step("turns", text, without_invented_turns(text, player))
    return text.strip("\n"), steps


def _form(agent: str, text: str, context: ReplyContext, steps: list[str]) -> ParsedReply:
    """Read the object of a reply that answers most of the agent's form; the first of equals."""
    model = MODELS[agent]
    optional = {name for name, spec in fields_of(model).items() if spec.kind.optional}
    form, best, missing, full = model(), (False, -1), _missing(agent, model(), context), len(fields_of(model))
    held: dict[str, object] = {}
    for step, value in objects_in(text):
        for values in objects_of_form(model, value):
            if repeats_example(values, context) or (
                step == "repaired json" and has_other_keys(model, values)
            ):
                continue
            read = filled_form(model, values, context)
            lacking = _missing(agent, read, context)
            if not lacking and has_placeholder(values) and not has_text(_fields(read)):
                lacking = ", ".join(_needed(model))
            rank = (not lacking, len(read.model_fields_set - optional))
            if rank > best:
                form, best, missing, held = read, rank, lacking, values
                steps_of_best = [
                    step,
                    *(["dropped"] if {*values_by_field(model, values)} - read.model_fields_set else []),
                ]
        if best == (True, full - len(optional)):
            break
    if held:
        steps += steps_of_best
    return ParsedReply(agent, None if missing else form, tuple(dict.fromkeys(steps)), missing)


def _fields(form: Form) -> dict[str, object]:
    return {n: value for n, value in form.model_dump(mode="json").items() if n in form.model_fields_set}


def _needed(model: type[Form]) -> tuple[str, ...]:
    return model.needed or tuple(model.model_fields)


def _missing(agent: str, form: Form, context: ReplyContext) -> str:
    """Return names of the needed fields if all are missing, else of missing ones that a reply must have; else ""."""
    needed, fields = _needed(type(form)), _fields(form)
    if not any(has_text(fields.get(name)) if agent in FORMS else name in fields for name in needed):
        return ", ".join(needed)
    must = [name for name, spec in fields_of(type(form)).items() if spec.kind.must]
    return ", ".join(name for name in must if name in (context.offered or ()) and name not in fields)
