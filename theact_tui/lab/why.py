"""Why a reply begins as it does: ask again with and without parts of its prompt."""

import math
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from theact_tui.errors import UsageError
from theact_tui.lab.replay import request_again
from theact_tui.models.base import STORYTELLER, Model
from theact_tui.models.ledger import Call
from theact_tui.prompting.fitting import PINNED
from theact_tui.prompting.sections import Prompt, Section
from theact_tui.sentences import sentences
from theact_tui.story.base import Value
from theact_tui.story.matching import overlap, stems
from theact_tui.text import one_line

TIMES, MOST_CALLS, MOST_SECONDS = 8, 40, 300.0
MIN_SAME_SHARE = 0.5
LEVEL = 0.05
MOST_UNITS = 4

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
        return self.p <= LEVEL


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
        return min(seen, key=lambda effect: effect.p).part if seen else ""


def fisher(alike: int, asked: int, other_alike: int, other_asked: int) -> float:
    """Two-sided exact test of two shares."""
    total = alike + other_alike

    def chance(hits: int) -> float:
        return (
            math.comb(asked, hits)
            * math.comb(other_asked, total - hits)
            / math.comb(asked + other_asked, total)
        )

    limit = chance(alike) * (1 + 1e-9)
    possible = range(max(0, total - other_asked), min(asked, total) + 1)
    return min(1.0, sum(chance(hits) for hits in possible if chance(hits) <= limit))


def groups_of(sections: Sequence[Section], line: str) -> dict[str, list[Unit]]:
    """Group the lines that could carry a reply. `line` is the player's."""
    groups: dict[str, list[Unit]] = {}
    ending = line.strip()[-60:]
    for place, section in enumerate(sections):
        if section.kept == "dropped":
            continue
        for text in filter(str.strip, section.text.split("\n")):
            if ending and ending in text and section.priority in ("fixed", "pages"):
                name = "your line"
            elif section.name in (PINNED, "memory"):
                name = "facts" if text.startswith("- ") else "memory"
            elif section.name.endswith("comes to mind"):
                name = "recalled lines"
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


@dataclass
class _Asker:
    call: Call
    model: Model
    sentence: str
    now: Callable[[], float]
    began: float
    calls: int = 0

    @property
    def ended(self) -> str:
        if self.now() - self.began > MOST_SECONDS:
            return f"after {MOST_SECONDS / 60:.0f} minutes"
        return f"after {MOST_CALLS} calls" if self.calls >= MOST_CALLS else ""

    async def is_alike(self, prompt: Prompt) -> bool:
        ask = request_again(self.call, prompt, self.model)
        if "seed" in ask.again:  # else all answers would be one
            ask = replace(ask, again={**ask.again, "seed": int(ask.again["seed"]) + self.calls})
        self.calls += 1
        text = ""
        async with aclosing(self.model.stream(ask)) as pieces:
            async for piece in pieces:
                text = piece.text if piece.restart else text + piece.text
                if len(sentences(text)) > 1:
                    break
        return overlap(stems(self.sentence), stems(first_sentence(text))) >= MIN_SAME_SHARE


def first_sentence(text: str) -> str:
    return next((one for one in sentences(text.strip()) if stems(one)), "")


async def ask_why(
    call: Call, line: str, model: Model, now: Callable[[], float] = time.monotonic
) -> AsyncIterator[Why]:
    """Yield the answer so far after each call. Raises `UsageError` and `CallError`."""
    if call.provider == STORYTELLER:
        raise UsageError(
            "The offline storyteller follows its script, so its replies have no cause in the prompt."
        )
    if model.name != call.model:
        raise UsageError(
            f"{call.model} gave this reply, and {model.name} is connected. Choose that model with --profile."
        )
    sentence = first_sentence(call.reply)
    if not sentence or not call.sections:
        raise UsageError("This reply has no sentence, or no prompt with sections is stored for it.")
    groups = groups_of(call.sections, line)
    wanted = stems(sentence)
    order = sorted(groups, key=lambda name: -max(overlap(wanted, stems(text)) for _, text in groups[name]))
    asker = _Asker(call, model, sentence, now, now())
    why = Why(sentence=sentence)
    whole = Prompt(call.sections, call.tokens, call.limit)
    while why.asked < TIMES and not asker.ended:
        alike = why.alike + await asker.is_alike(whole)
        why = why.model_copy(update={"asked": why.asked + 1, "alike": alike, "calls": asker.calls})
        yield why

    async def effects(field: str, units: dict[str, list[Unit]]) -> AsyncIterator[Why]:
        nonlocal why
        before: tuple[Effect, ...] = ()
        shares = {
            name: 0.1 + max(overlap(wanted, stems(text)) for _, text in some) for name, some in units.items()
        }
        for name, some in units.items():
            # Bonferroni, weighted by common words, which no answer can change
            factor = sum(shares.values()) / shares[name]
            effect = Effect(part=name, asked=0, alike=0, p=1.0)
            while effect.asked < TIMES and not asker.ended and _can_be_seen(why, effect, factor):
                alike = effect.alike + await asker.is_alike(prompt_without(call, some))
                asked = effect.asked + 1
                p = fisher(why.alike, why.asked, alike, asked) * factor if asked == TIMES else 1.0
                effect = effect.model_copy(update={"asked": asked, "alike": alike, "p": min(1.0, p)})
                why = why.model_copy(update={field: (*before, effect), "calls": asker.calls})
                yield why
            before = (*before, effect) if effect.asked else before

    async for why in effects("groups", {name: groups[name] for name in order}):
        yield why
    if why.cause:
        lines = sorted(groups[why.cause], key=lambda unit: -overlap(wanted, stems(unit[1])))[:MOST_UNITS]
        if len(groups[why.cause]) > 1:
            async for why in effects(
                "parts", {one_line(text, 200): [(place, text)] for place, text in lines}
            ):
                yield why
    yield why.model_copy(update={"ended": asker.ended})


def _can_be_seen(why: Why, effect: Effect, factor: float) -> bool:
    """False once no further answers could make the effect clear."""
    left = TIMES - effect.asked
    ends = (effect.alike, effect.alike + left)
    return any(fisher(why.alike, why.asked, end, TIMES) * factor <= LEVEL for end in ends)


def describe_why(why: Why) -> list[str]:
    lines = [why.sentence, f"  as it was sent: {why.alike} of {why.asked} answers begin alike"]
    for effect in (*why.groups, *why.parts):
        clear = (
            f", p = {effect.p:.3f}" if effect.asked == TIMES else ", stopped early: no clear effect possible"
        )
        lines.append(f"  without {effect.part}: {effect.alike} of {effect.asked}{clear}")
    lines += [f"Asked {why.calls} times" + (f"; ended {why.ended}." if why.ended else ".")]
    part = next((effect.part for effect in why.parts if effect.is_seen), "")
    cause = f"Most likely because of {why.cause}" + (f": {part}" if part else "")
    return [*lines, f"{cause}." if why.cause else "No effect seen."]
