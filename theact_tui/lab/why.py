"""Why a reply begins as it does: ask again with and without parts of its prompt."""

import asyncio
import math
import re
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from theact_tui.errors import UsageError
from theact_tui.lab.replay import request_again
from theact_tui.models.ledger import Call
from theact_tui.models.model import PERSON, STORYTELLER, Model
from theact_tui.prompting.fitting import PINNED
from theact_tui.prompting.sections import Prompt, Section
from theact_tui.sentences import sentences
from theact_tui.story.matching import overlap, stems
from theact_tui.story.value import Value
from theact_tui.text import one_line

TIMES, MOST_CALLS, MOST_SECONDS = 8, 48, 300.0
_MIN_SAME_SHARE = 0.5
_LEVEL = 0.05
_MOST_UNITS = 4
TOGETHER = "all lines with its words"

Unit = tuple[int, str]
"""Index of a section, and a line."""


class Effect(Value):
    """Answers without a part; `p` is corrected for their number."""

    part: str
    asked: int
    alike: int
    p: float

    @property
    def is_seen(self) -> bool:
        return self.p <= _LEVEL


class Why(Value):
    sentence: str
    asked: int = 0
    alike: int = 0
    groups: tuple[Effect, ...] = ()
    parts: tuple[Effect, ...] = ()
    calls: int = 0
    ended: str = ""

    @property
    def cause(self) -> str:
        seen = [effect for effect in self.groups if effect.is_seen]
        # one part by itself says more than all together
        return min(seen, key=lambda effect: (effect.part == TOGETHER, effect.p)).part if seen else ""


def fisher(alike: int, asked: int, other_alike: int, other_asked: int) -> float:
    """Two-sided exact test of two shares."""
    total = alike + other_alike
    possible = range(max(0, total - other_asked), min(asked, total) + 1)
    ways = {hits: math.comb(asked, hits) * math.comb(other_asked, total - hits) for hits in possible}
    return sum(some for some in ways.values() if some <= ways[alike]) / sum(ways.values())


def groups_of(sections: Sequence[Section], line: str) -> dict[str, list[Unit]]:
    """Group the lines that could carry a reply. `line` is the player's."""
    groups: dict[str, list[Unit]] = {}
    ending = line.strip()[-60:]
    for place, section in enumerate(sections):
        if section.kept == "dropped":
            continue
        for text in filter(re.compile(r"\w").search, section.text.split("\n")):
            if ending and ending in text and section.priority in ("fixed", "pages"):
                name = "your line"
            elif section.name.endswith("comes to mind"):
                name = "recalled lines"
            elif section.name in (PINNED, "memory", "moments") or section.priority == "summary":
                name = "facts" if text.startswith("- ") else "memory"
            elif section.name.startswith("lore"):
                name = "lore"
            elif section.priority in ("turn", "pages"):
                name = "the page"
            else:
                continue
            groups.setdefault(name, []).append((place, text))
    return groups


def prompt_without(call: Call, units: Sequence[Unit]) -> Prompt:
    left = list(call.sections)
    for place in {place for place, _ in units}:
        cut = {text for at, text in units if at == place}
        text = "\n".join(line for line in left[place].text.split("\n") if line not in cut)
        left[place] = replace(left[place], text=text, kept=left[place].kept if text.strip() else "dropped")
    return Prompt(tuple(left), call.tokens, call.limit)


def _first_sentence(text: str) -> str:
    return next((one for one in sentences(text.strip()) if stems(one)), "")


async def ask_why(
    call: Call, line: str, model: Model, now: Callable[[], float] = time.monotonic
) -> AsyncIterator[Why]:
    """Yield the answer so far after each call. Raises UsageError and `CallError`."""
    if call.provider == STORYTELLER:
        raise UsageError(
            "The offline storyteller follows its script, so its replies have no cause in the prompt."
        )
    if call.provider == PERSON:
        raise UsageError(f"{call.model} wrote this at a seat: only they know why.")
    if model.name != call.model:
        raise UsageError(
            f"{call.model} gave this reply, and {model.name} is connected. Connect {call.model} to ask why."
        )
    why, began = Why(sentence=_first_sentence(call.reply)), now()
    if not why.sentence or not call.sections:
        raise UsageError("This reply has no sentence, or no prompt with sections is stored for it.")
    wanted = stems(why.sentence)

    def ended() -> str:
        if now() - began > MOST_SECONDS:
            return f"after {MOST_SECONDS / 60:.0f} minutes"
        return f"after {MOST_CALLS} calls" if why.calls >= MOST_CALLS else ""

    async def is_alike(units: Sequence[Unit]) -> bool:
        ask = request_again(call, prompt_without(call, units), model)
        if "seed" in ask.again:  # else all answers would be one
            ask = replace(ask, again={**ask.again, "seed": int(ask.again["seed"]) + why.calls})
        text = ""
        async with aclosing(model.stream(ask)) as pieces:
            async for piece in pieces:
                text = piece.text if piece.restart else text + piece.text
                if len(sentences(text)) > 1:
                    break
        return overlap(wanted, stems(_first_sentence(text))) >= _MIN_SAME_SHARE

    def likeness(units: Sequence[Unit]) -> float:
        return max(overlap(wanted, stems(text)) for _, text in units)

    async def effects(field: str, units: dict[str, list[Unit]]) -> AsyncIterator[Why]:
        nonlocal why
        seen: tuple[Effect, ...] = ()
        weights = {name: 0.1 + likeness(some) for name, some in units.items()}
        for name in sorted(units, key=lambda name: -weights[name]):
            # Bonferroni, weighted by common words, which no answer can change
            factor = sum(weights.values()) / weights[name]
            effect = Effect(part=name, asked=0, alike=0, p=1.0)
            while effect.asked < TIMES and not ended() and _can_be_seen(why, effect, factor):
                alike, asked = effect.alike + await is_alike(units[name]), effect.asked + 1
                p = fisher(why.alike, why.asked, alike, asked) * factor if asked == TIMES else 1.0
                effect = Effect(part=name, asked=asked, alike=alike, p=min(1.0, p))
                why = why.model_copy(update={field: (*seen, effect), "calls": why.calls + 1})
                yield why
            seen = (*seen, effect) if effect.asked else seen

    while why.asked < TIMES and not ended():
        alike = why.alike + await is_alike([])
        why = why.model_copy(update={"asked": why.asked + 1, "alike": alike, "calls": why.calls + 1})
        yield why
    groups = groups_of(call.sections, line)
    telling = [unit for units in groups.values() for unit in units if likeness([unit]) > 0]
    if sum(any(unit in telling for unit in units) for units in groups.values()) > 1:
        # one part alone changes nothing where another says the same
        groups = {TOGETHER: telling, **groups}
    async for why in effects("groups", groups):
        yield why
    if len(units := groups.get(why.cause, [])) > 1:
        best = sorted(units, key=lambda unit: -likeness([unit]))[:_MOST_UNITS]
        async for why in effects("parts", {one_line(unit[1], 200): [unit] for unit in best}):
            yield why
    yield why.model_copy(update={"ended": ended()})


async def ask_until_stopped(
    call: Call, line: str, model: Model, say: Callable[[str], object], stop: str
) -> Why:
    """Return the answer so far if it is cancelled, which `stop` names."""
    why = Why(sentence="")
    say(f"0 of at most {MOST_CALLS} calls")
    try:
        async for why in ask_why(call, line, model):
            say(f"{why.calls} of at most {MOST_CALLS} calls")
    except asyncio.CancelledError:
        why = why.model_copy(update={"ended": f"by {stop}"})
    return why


def _can_be_seen(why: Why, effect: Effect, factor: float) -> bool:
    """False once no further answers could show that fewer begin alike."""
    p = fisher(why.alike, why.asked, effect.alike, TIMES) * factor
    return effect.alike < why.alike and p <= _LEVEL


def describe_why(why: Why) -> list[str]:
    if not why.asked:
        return [why.sentence, f"No answer came; ended {why.ended}."]
    rows = [(why.alike, why.asked, "as it was sent")]
    rows += [(effect.alike, effect.asked, _outcome(effect, effect.part)) for effect in why.groups]
    rows += [(part.alike, part.asked, _outcome(part, f"“{one_line(part.part, 38)}”")) for part in why.parts]
    part = next((effect.part for effect in why.parts if effect.is_seen), "")
    cause = f"Most likely because of {why.cause}" + (f": {part}" if part else "")
    return [
        why.sentence,
        f"{cause}." if why.cause else f"No effect seen{' so far' if why.ended else ''}.",
        "",
        "Answers that begin like this:",
        *(f"  {alike} of {asked}  {what}" for alike, asked, what in rows),
        "",
        f"Asked {why.calls} times" + (f"; ended {why.ended}." if why.ended else "."),
    ]


def _outcome(effect: Effect, part: str) -> str:
    p = "p < 0.001" if effect.p < 0.001 else f"p = {effect.p:.3f}"
    return f"without {part}" + (f": clear, {p}" if effect.is_seen else "")
