"""A growing reply is read in part, and that gives what reading all of it would give."""

from __future__ import annotations

import re
from random import Random

import pytest

from tests.reading.cases import ISLAND, Case
from tests.reading.corpus_narrator import NARRATOR_CASES
from tests.reading.corpus_others import PLAIN
from tests.reading.mangle import mangled
from theact_tui.models.reading.running import HEAD, TAIL, Running
from theact_tui.models.reading.visible import visible

PROSE = ("character", "actor", "chapter", "epilogue", "summary", "recap", "merge", "cell")
CASES = (
    *NARRATOR_CASES,
    *(case for case in PLAIN if case.agent.partition(":")[0] in PROSE),
    *mangled("narrator", 80, seed=21),
)
WORDS = (
    "stone water light door lamp rope Maya you Tom's don't nobody's half-lit salt wind gull tide cave".split()
)
ODDITIES = (
    '"{}," Maya says.', "“{}.”", '"{}!', "'{}.'", "{}: so.", "*{}.*", "{} — there...", "{} & on.", "Maya: {}.", "mood {}",
    "--- {}", "<b>{}</b>", "{}\\n\\n",
)  # fmt: skip


def sentence(random: Random, *, plain: bool = False) -> str:
    said = " ".join(random.choice(WORDS) for _ in range(random.randint(2, 14))).capitalize()
    odd = not plain and random.random() < 0.3
    return random.choice(ODDITIES).format(said) if odd else f"{said}."


def told(random: Random, words: int, between: str = "\n\n") -> str:
    """Paragraphs of plain sentences."""
    paragraphs: list[str] = []
    while sum(len(paragraph.split()) for paragraph in paragraphs) < words:
        paragraphs.append(" ".join(sentence(random, plain=True) for _ in range(8)))
    return between.join(paragraphs)


def stretched(random: Random, raw: str) -> str:
    """A reply in which the story goes on for much longer in some places."""
    places = [found.end() for found in re.finditer(r'[.!?]["”]?(?=\s)|\w(?=\s)', raw)] or [len(raw)]
    for place in sorted(random.choices(places, k=2), reverse=True):
        line = raw[raw.rfind("\n", 0, place) + 1 : place]
        indent = random.choice([line[: len(line) - len(line.lstrip())]] * 4 + ["", "  "])
        between = random.choice(["\n\n" + indent, "\n" + indent, "\\n\\n", " "])
        passages = [
            " ".join(sentence(random) for _ in range(random.randint(1, 18)))
            for _ in range(random.randint(2, 6))
        ]
        raw = f"{raw[:place]} {between.join(passages)}{raw[place:]}"
    return raw


def check(agent: str, raw: str, random: Random) -> int:
    """Feed `raw` in random pieces and compare at each; the fewest characters that were read of it at its end."""
    running, at = Running(agent, ISLAND), 0
    while at < len(raw):
        size = random.choice([2, 9, 60, 240])
        running.add(raw[at : at + size])
        at += size
        assert running.read() == visible(agent, running.whole, ISLAND, last=False)
    return len(running.part)


@pytest.mark.parametrize("seed", [*range(30), 393])
def test_a_reply_read_in_part_reads_as_the_whole(seed: int) -> None:
    random = Random(seed)
    case: Case = random.choice(CASES)
    raw = stretched(random, case.raw)
    if random.random() < 0.3:
        raw += "\n" + stretched(random, random.choice(CASES).raw)
    check(case.agent, raw[:6_000], random)


LONG = told(Random(1), 700)
LINES = LONG.split("\n\n")
AFTERWARDS = {
    "a thought that had no beginning": "character|{}\n</think>\nI stay here, and I wait for the tide to turn.",
    "a fence": "character|“{}”\n```json\nI stay here.\n```\n" + LONG[:600],
    "a heading": "narrator|narration: |\n  {}\nmood: calm\nnarration: Again.",
    "a later key": "narrator|{}\n\nnarration: |\n  You wake up in the cave, alone.\n",
    "an entity": "chapter|{} She said &quot;no&quot; to all of it, and went on.",
    "a quotation that closes all": 'character|"{} she says."',
    "a quotation in between": 'character|"{} "No," she says. "Never. ',
    "a lone quotation at the end": 'chapter|You said "no," once, and "yes" and "no". {} There it is." ',
    "another one's line": "character:maya|{}\nLena Okafor: I was there, too.",
    "a turn that was invented": "narrator|{}\n\nPlayer: I go on.",
    "lines without an indent": "narrator|**narration**: You wake.\n{}\n  And so on.",
    "a line without an indent": f"narrator|narration: You wake.\n  {{}}\n{LINES[0]}\n  " + "\n  ".join(LINES),
    "a first line without an indent": "narrator|\n\n\n```yaml\nnarration: "
    + " ".join(LINES[:2])
    + f"\n{LINES[2]}\n  "
    + "\n  ".join(LINES[3:])
    + "{}",
    "one quotation": f'narrator|narration: {{}} "No," she says. {" ".join(LINES)} There it is." ',
    "a thought without an end": "chapter|{0}\n" + "So: no. " * 40 + "\n<think>{0}",
    "a folded text": "narrator|narration: >\n  {}\nmood: calm",
    "a text in a string": 'narrator|{{"narration": "{}", "mood": "calm"}}',
}


@pytest.mark.parametrize("kind", AFTERWARDS)
@pytest.mark.parametrize("between", ["\n\n", "\n", "\n\n  ", " "], ids=["blank", "line", "indented", "space"])
def test_what_comes_later_may_change_how_all_of_it_is_read(kind: str, between: str) -> None:
    agent, _, form = AFTERWARDS[kind].partition("|")
    check(agent, form.format(between.join(LINES)), Random(kind))


@pytest.mark.parametrize(
    "agent, form, between",
    [("narrator", "```yaml\nnarration: |\n  {}\nmood: calm\n```", "\n\n  "), ("chapter", "{}", " ")],
)
def test_a_long_reply_costs_no_more_for_each_word_than_a_short_one(
    agent: str, form: str, between: str
) -> None:
    running = Running(agent, ISLAND)
    for word in form.format(told(Random(2), 1_500, between)).split(" "):
        running.add(word + " ")
        running.read()
        assert len(running.part) < HEAD + TAIL + 1_400
    assert len(running.whole) > 7_000
