"""A small model for the recall benchmark. It answers from its prompt alone, as it would reach a server, and is fallible.

What it is: it notices nine in ten of the sentences that hold something particular, never more than two of one turn;
each time it rewrites a summary an old sentence gets lost (one in twelve, one in forty of those that weigh more); of a
summary that is full it gives up what weighs less, then what is older. It keeps to the lengths it is asked for and its
reply is cut at the allowance. Where a prompt asks it to mark what is important, it marks most of what weighs more and
one in eight of the rest.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import AsyncGenerator, Sequence

from tests.benchmarks.planting import NOTEWORTHY, WEIGHTY, Plan, sentences
from tests.benchmarks.writing import Writer
from tests.support.fake_model import Scripted, narration
from theact_tui.models.base import Piece, Request
from theact_tui.story.views import MergeView, Viewpoint

NOTICES = 0.9
MOST_NOTICED = 2
SLIPS = 1 / 12
SLIPS_OF_WEIGHT = 1 / 40
MARKS_OF_WEIGHT = 0.85
MARKS_OF_OTHERS = 1 / 8
CHARACTERS_OF_A_TOKEN = 1 / 0.27

_PAGES = r"WHAT JUST HAPPENED\n(?P<pages>.*)\n\n"
_FACTS = re.compile(
    _PAGES + r"Bring .*?\nSummary so far: (?P<before>.*?)\nFacts:\n(?P<facts>.*?)\n\nThe block", re.S
)
_CELL = re.compile(_PAGES + r"[^\n]* keeps a private diary", re.S)
_MERGE = re.compile(r"The old summary: (?P<before>.*?)\nDiary entries[^\n]*\n(?P<pages>.*?)\n\nWrite", re.S)
_TOLD = r"(?P<pages>.*)\n\nYOUR PART NOW: THE RECORDS.*?\n"
_SUMMARY = re.compile(_TOLD + r"The story so far, already written down: ", re.S)
_CONDENSE = re.compile(r"(?P<before>[^\n]*)\n\nWrite it anew")
_RECAP = re.compile(
    _TOLD + r"With this a chapter .*?\nWhat came before in it: (?P<before>.*?)\n\nWrite", re.S
)
_MOMENT = re.compile(_TOLD + r"Moments so far:", re.S)
_OPEN_BEAT = re.compile(r"^(\d+)\. ", re.M)


class Clerk(Scripted):
    """Tells what `plan` says, and keeps records as a small model would."""

    def __init__(self, plan: Plan, window: int, *, beat_every: int = 22) -> None:
        super().__init__(window=window)
        self.plan = plan
        self.turn = 1
        self.beat_every = beat_every
        self._dice = random.Random(plan.seed)
        self._writer = Writer(plan.seed)

    async def stream(self, ask: Request) -> AsyncGenerator[Piece, None]:
        self.asked.append(ask)
        prompt = ask.prompt.messages(ask.correction)[-1]["content"]
        text = self._answer(ask, prompt)
        most = int(ask.max_tokens * CHARACTERS_OF_A_TOKEN)
        yield Piece(text=text[:most])
        yield Piece(finish="length" if len(text) > most else "stop")

    def line(self) -> str:
        """What the player types in this turn."""
        plant = self.plan.plants.get(self.turn)
        told = plant.sentence if plant and plant.source == "player" else ""
        return f"I look around once more. {told}".strip()

    # --- telling ------------------------------------------------------------------------------------------------

    def _answer(self, ask: Request, prompt: str) -> str:
        match ask.agent:
            case "narrator":
                return self._narration()
            case "character":
                return self._reply(ask)
            case "memory" if isinstance(ask.view, MergeView):
                return self._shorten(_found(_MERGE, prompt), most=6)
            case "memory":
                facts = _FACTS.search(prompt)
                return self._facts(facts, prompt) if facts else self._cell(prompt)
            case "keeper":
                return self._moment(prompt)
            case "progress":
                hit = _OPEN_BEAT.findall(prompt)[:1] if self.turn % self.beat_every == 0 else []
                done = str(not _OPEN_BEAT.search(prompt)).lower()
                return f"chapter_complete: {done}\nreason: so\nnew_beats: [{', '.join(hit)}]"
            case "summary":
                again = _CONDENSE.search(prompt)
                return self._shorten(again or _found(_SUMMARY, prompt), most=5)
            case "recap":
                return self._shorten(_found(_RECAP, prompt), most=3)
            case _:
                return self._writer.prose(150)

    def _narration(self) -> str:
        present = self.plan.stage(self.turn)
        stand = " and ".join(name.title() for name in present)
        told = [
            f"{stand} stand by you.",
            self._writer.prose(80),
            self.plan.noise.get(self.turn, ""),
            self._writer.prose(60),
        ]
        plant = self.plan.plants.get(self.turn)
        if plant and plant.source == "narration":
            told.insert(2, plant.sentence)
        here = ", ".join(present)
        return narration(" ".join(part for part in told if part), here, present=here)

    def _reply(self, ask: Request) -> str:
        """A reply of 40 words; who speaks first tells what is planted in a reply."""
        plant = self.plan.plants.get(self.turn)
        assert isinstance(ask.view, Viewpoint)
        first = ask.view.id == self.plan.stage(self.turn)[0]
        told = plant.sentence if plant and plant.source == "reply" and first else ""
        return f"{self._writer.prose(20)} {told} {self._writer.prose(20)}"

    # --- keeping records ----------------------------------------------------------------------------------------

    def _noticed(self, text: str) -> list[str]:
        """What it takes up of a text, what weighs more first."""
        found = [line for line in sentences(_untold(text)) if NOTEWORTHY.search(line)]
        found = [line for line in dict.fromkeys(found) if self._dice.random() < NOTICES]
        return sorted(found, key=lambda line: not WEIGHTY.search(line))

    def _marked(self, line: str, prompt: str) -> str:
        if "(important)" not in prompt:
            return line
        often = MARKS_OF_WEIGHT if WEIGHTY.search(line) else MARKS_OF_OTHERS
        return f"{line} (important)" if self._dice.random() < often else line

    def _facts(self, found: re.Match[str], prompt: str) -> str:
        new = self._noticed(found["pages"])[:MOST_NOTICED]
        body = self._rewritten(found["before"], new, most=5)
        added = "".join(f"\n  - {self._marked(line, prompt)}" for line in new)
        known = re.findall(r"^(\d+)\. (.+)$", found["facts"], re.M)
        update = ""
        if known and self._dice.random() < 0.05:
            number, text = self._dice.choice(known)
            update = f"\n  - old: {number}\n    new: {text.rstrip('.')} as before."
        empty = " []"
        return f"```yaml\nsummary: {body}\nadd:{added or empty}\nremove: []\nupdate:{update or empty}\n```"

    def _cell(self, prompt: str) -> str:
        new = self._noticed(_found(_CELL, prompt)["pages"])[:MOST_NOTICED]
        if not new:
            return "I looked about, and nothing happened that I need to keep."
        kept = " ".join(f"I noted: {line}" for line in new)
        return self._marked(kept, prompt)

    def _shorten(self, found: re.Match[str], *, most: int) -> str:
        """At most so many sentences from an older summary and newer pages, where there are such."""
        parts = found.groupdict("")
        return self._rewritten(parts.get("before", ""), self._noticed(parts.get("pages", "")), most=most)

    def _rewritten(self, before: str, new: Sequence[str], *, most: int) -> str:
        old = [line for line in sentences(before) if NOTEWORTHY.search(line) and not self._slips(line)]
        lines = list(dict.fromkeys([*old, *new]))
        while len(lines) > most:
            light = [line for line in lines if not WEIGHTY.search(line)]
            lines.remove((light or lines)[0])
        return " ".join(lines) or "They went on, and little changed."

    def _slips(self, line: str) -> bool:
        return self._dice.random() < (SLIPS_OF_WEIGHT if WEIGHTY.search(line) else SLIPS)

    def _moment(self, prompt: str) -> str:
        weighty = [line for line in self._noticed(_found(_MOMENT, prompt)["pages"]) if WEIGHTY.search(line)]
        moments = [
            {
                "quote": line,
                "moment_type": "turning_point",
                "moment_summary": line.removeprefix("Somebody ").rstrip("."),
                "moment_significance": round(self._dice.uniform(0.5, 0.95), 2),
            }
            for line in weighty[:1]
        ]
        return json.dumps({"moments": moments})


def _found(pattern: re.Pattern[str], prompt: str) -> re.Match[str]:
    found = pattern.search(prompt)
    assert found is not None, f"the template changed: {pattern.pattern}"
    return found


def _untold(text: str) -> str:
    """A page without the names in front of what is said."""
    return re.sub(r"^(?:> )?[A-Z][\w ]{1,20}: ", "", text, flags=re.M).replace("I noted: ", "")
