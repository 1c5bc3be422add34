"""What is asked of an author, in plain words with an example each, and how answers become fields of files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from theact_tui.authoring.draft import MOST_CHAPTERS, MOST_CHARACTERS, Draft, Kind, Part
from theact_tui.packs.checks import (
    MAX_BEAT_WORDS,
    MAX_CHAPTER_WORDS,
    MAX_CHARACTER_WORDS,
    MAX_TRUTH_WORDS,
    MAX_WORLD_WORDS,
)
from theact_tui.packs.diagnostics import Finding
from theact_tui.packs.schema import character_file
from theact_tui.parsing.named import named_texts
from theact_tui.parsing.shapes import key_of
from theact_tui.text import clean, one_line, slug, words

Form = Literal["line", "text", "lines", "named", "beats", "people", "cast", "outline", "choice"]
_OWNER = re.compile(r"(.*\S)\s*\(([^()]{1,60})\)\s*\Z", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Question:
    """One field of a file."""

    field: str
    """Its name in the file; a dot for a field inside of another."""
    label: str
    ask: str
    example: str
    form: Form = "line"
    needed: bool = False
    choices: tuple[str, ...] = ()
    """The first one is what is used when nothing is said."""


QUESTIONS: dict[Kind, tuple[Question, ...]] = {
    "concept": (
        Question("title", "Title", "What is the story called?", "The Lamp at Skerry Point", needed=True),
        Question(
            "description",
            "Description",
            "What would make someone want to play it? Two sentences.",
            "The lighthouse has been dark for thirty years. Tonight it is lit, and you have the only key.",
            "text",
        ),
        Question("player.name", "Player's name", "Who is the player? A name, not 'you'.", "Wren Hallam"),
        Question(
            "player.description",
            "Player's part",
            "Who is that, and why are they here?",
            "the keeper's grandchild, back to sell the house",
        ),
        Question(
            "characters",
            "Characters",
            "Who does the player meet? One per line, 1 to 7. Name: role, and one thing seen at first sight.",
            "Ada Brook: ferrywoman, coat buttoned wrong",
            "cast",
            needed=True,
        ),
        Question(
            "chapters",
            "Chapters",
            "What are the chapters? One per line. Title: what happens.",
            "The Light: the lamp burns, and nobody will row out to see why",
            "outline",
            needed=True,
        ),
        Question(
            "keeper",
            "Dice",
            "Do dice decide risky actions? off: never, risky: when something could go wrong, always: every turn.",
            "off",
            "choice",
            choices=("off", "risky", "always"),
        ),
        Question(
            "memory",
            "Memory",
            "How do characters remember? facts: a list of what they know, cells: a diary.",
            "facts",
            "choice",
            choices=("facts", "cells"),
        ),
    ),
    "setting": (
        Question(
            "setting",
            "Setting",
            "Where does it take place, and what could anyone there see or know?",
            "Skerry Point, November 1962: a lighthouse on a rock, a village of nine houses, a ferry that goes at slack "
            "water.",
            "text",
            needed=True,
        ),
        Question(
            "tone",
            "Tone",
            "How is it told?",
            "Quiet and salty. Small courtesies. Dread in plain objects.",
            "text",
        ),
        Question(
            "rules",
            "Rules",
            "What is impossible here, or has a price?",
            "Nobody crosses at flood. Nothing supernatural is ever proved.",
            "text",
        ),
        Question(
            "truth",
            "Hidden truth",
            "What is really going on? Only the narrator knows.",
            "Ada lights the lamp: her brother's boat is due, thirty years late, and she has promised him a light.",
            "text",
        ),
    ),
    "character": (
        Question("name", "Name", "What is this character called?", "Ada Brook", needed=True),
        Question("role", "Role", "Who is this, at first sight?", "ferrywoman, fifty, coat buttoned wrong"),
        Question(
            "personality",
            "Personality",
            "How does this character talk and act?",
            "Answers a question with the weather. Never sits while others stand; kind in deeds, never in words.",
            "text",
            needed=True,
        ),
        Question(
            "want",
            "Want",
            "What is this character after?",
            "To keep the lamp lit for one more night.",
            "text",
        ),
        Question(
            "secret",
            "Secret",
            "What is this character hiding?",
            "She rowed away from her brother's boat the night it sank.",
            "text",
        ),
        Question(
            "reveal",
            "Secret comes out",
            "At which beat may the secret come out? Chapter/beat, as numbers; empty: at any time.",
            "2/4",
        ),
        Question(
            "examples",
            "Sample lines",
            "What could this character say? One or two lines, each with a gesture.",
            '"Wind\'s going round," she says, and looks at your shoes.',
            "lines",
        ),
        Question(
            "relationships",
            "Relationships",
            "What do the others mean to this character? One per line. Name: a few words.",
            "Father Quill: owes him a boat, and does not forget it",
            "named",
        ),
    ),
    "chapter": (
        Question("title", "Title", "What is this chapter called?", "The Light", needed=True),
        Question(
            "summary",
            "Summary",
            "What happens in it? Two or three sentences.",
            "The lamp is burning. The village pretends not to see it, and only Ada has a boat.",
            "text",
        ),
        Question(
            "beats",
            "Beats",
            "What must happen, in order? One per line, 4 to 6. Add a name in brackets if that character does it.",
            "Ada refuses to row out (Ada Brook)",
            "beats",
            needed=True,
        ),
        Question(
            "completion",
            "Ends when",
            "When is it over? One sentence that can be checked.",
            "The player stands inside the lighthouse and knows that somebody lives there.",
            "text",
            needed=True,
        ),
        Question(
            "characters", "Who is in it", "Which characters are in it?", "Ada Brook, Father Quill", "people"
        ),
        Question(
            "present",
            "Present at the start",
            "Who is present when it starts? Empty: everyone.",
            "Ada Brook",
            "people",
        ),
        Question(
            "openings",
            "First page",
            'How does it open? A paragraph to the player as "you", present tense.',
            "The ferry drops you on the slip and does not wait. Across the water, in a tower without glass, a light "
            "turns.",
            "text",
        ),
    ),
}


def answer(draft: Draft, part: Part, question: Question) -> str:
    """What stands in a field now, as people write it."""
    value: Any = draft.read(part.file)
    for name in question.field.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    names = draft.cast
    match question.form:
        case "cast":
            cards = ((names[id], draft.read(character_file(id)).get("role", "")) for id in names)
            return _named_lines(cards)
        case "outline":
            read = (draft.read(f"chapters/{id}.yaml") for id in draft.chapters)
            return _named_lines((str(each.get("title", "")), str(each.get("summary", ""))) for each in read)
        case "people":
            return ", ".join(names.get(id, str(id)) for id in value or ()) if isinstance(value, list) else ""
        case "named":
            pairs = value.items() if isinstance(value, Mapping) else ()
            return _named_lines((names.get(id, str(id)), str(text)) for id, text in pairs)
        case "beats":
            return (
                "\n".join(_beat_line(beat, names) for beat in value or ()) if isinstance(value, list) else ""
            )
        case "lines":
            return "\n".join(" ".join(str(line).split()) for line in value or ())
        case "choice":
            return str(value or question.choices[0])
    if question.field == "openings":  # the others are told in later takes
        value = next(iter(value), "") if isinstance(value, list) else value
    text = " ".join(str(value or "").split()) if question.form == "line" else str(value or "").strip()
    return _numbered_reveal(draft, text) if question.field == "reveal" else text


def put(draft: Draft, part: Part, question: Question, text: str) -> None:
    """Put what an author wrote into its file. Names become ids; one that nobody has stays for the checks to find."""
    text = clean(text).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    match question.form:
        case "cast":
            draft.set_cast(named_texts(lines))
            return
        case "outline":
            draft.set_outline(named_texts(lines))
            return
        case "people":
            value: Any = [_id(draft, name) for name in re.split(r"[,;\n]", text) if name.strip()]
            value = value if value or question.field == "characters" else None
        case "named":
            value = {_id(draft, each["name"]): each["text"] for each in named_texts(lines)} or None
        case "beats":
            value = [beat_of(draft, line) for line in lines]
        case "lines":
            value = lines or None
        case "choice":
            value = text if text in question.choices else question.choices[0]
        case "line":
            value = " ".join(lines)
        case _:
            value = text
    if question.field == "openings":
        others = draft.read(part.file).get("openings")
        value = [text, *(others[1:] if isinstance(others, list) else ())] if text else None
    if question.field == "reveal":
        value = _reveal_of(draft, text) or None
    outer, _, inner = question.field.partition(".")
    if inner:
        held = draft.read(part.file).get(outer)
        value = {**(held if isinstance(held, dict) else {}), inner: value}
        value = {name: each for name, each in value.items() if each} or None
    draft.write(part.file, {outer: value})


def beat_of(draft: Draft, line: str, *, named: bool = False) -> str | dict[str, str]:
    """A beat as files have it: with the id of whose act it is, if a name stands in brackets at its end. `named`: what
    stands there and looks like a name is one; of the player, or of nobody known, it is left out."""
    found = _OWNER.match(line)
    owner = draft.id_of(found[2]) if found else None
    if found and owner:
        return {"text": found[1], "by": owner}
    return found[1] if named and found and (found[2][0].isupper() or found[2].startswith("the ")) else line


def limit_of(part: Part) -> int:
    """Words that small models do best with at most in all of a part; 0 where there is no limit."""
    limits = {"setting": MAX_WORLD_WORDS, "character": MAX_CHARACTER_WORDS, "chapter": MAX_CHAPTER_WORDS}
    return limits.get(part.kind, 0)


def count_of(question: Question, text: str) -> str:
    """Words of an answer against its own limit, if it has one; else the words alone."""
    if question.form == "beats":
        longest = max((words(_OWNER.sub(r"\1", line)) for line in text.splitlines()), default=0)
        return f"longest {longest} of {MAX_BEAT_WORDS} words" if longest else ""
    limit = f" of {MAX_TRUTH_WORDS}" if question.field == "truth" else ""
    return f"{words(text)}{limit} words" if question.form in ("text", "lines", "named") and text else ""


def left_out(question: Question, text: str) -> list[str]:
    """What of a list of people or chapters cannot be taken, in a sentence each."""
    if question.form not in ("cast", "outline"):
        return []
    most = MOST_CHARACTERS if question.form == "cast" else MOST_CHAPTERS
    found: list[str] = []
    known: list[str] = []
    for line in filter(str.strip, text.splitlines()):
        name = next((each["name"] for each in named_texts([line])), "")
        if not name:
            found.append(f"'{one_line(line, 40)}' has no name and is left out.")
        elif key_of(name) in known:
            found.append(f"There are two called '{name}'; only the first is used.")
        elif len(known) == most:
            found.append(f"A story has at most {most} of them here; '{name}' is left out.")
        else:
            known.append(key_of(name))
    return found


def findings_of(draft: Draft) -> list[Finding]:
    """What the checks find, as far as it can be told yet: nothing of what follows from a chapter that is still to be
    written, and chapters by their number."""
    unwritten = {
        part.id for part in draft.parts() if part.kind == "chapter" and not draft.read(part.file).get("beats")
    }
    numbers = {id: str(number) for number, id in enumerate(draft.chapters, 1)}
    found: list[Finding] = []
    for each in draft.findings():
        where = str(draft.read(each.file).get("reveal")).partition("/")[0] if each.field == "reveal" else ""
        is_open = each.field == "next" and Path(each.file).stem in unwritten and each.level == "warning"
        if not is_open and where not in unwritten:
            text = (
                each.message.replace(f"'{where}/", f"'{numbers[where]}/")
                if where in numbers
                else each.message
            )
            found.append(replace(each, message=text))
    return found


def part_words(draft: Draft, part: Part) -> int:
    """Words of a part that count against its limit."""
    counted = {
        "setting": ("setting", "tone", "rules"),
        "character": ("name", "role", "personality", "secret", "relationships"),
        "chapter": ("title", "summary", "beats", "completion"),
    }.get(part.kind, ())
    return sum(_words_in(draft.read(part.file).get(name)) for name in counted)


def _words_in(value: object) -> int:
    match value:
        case str():
            return words(value)
        case list():
            return sum(_words_in(each.get("text") if isinstance(each, dict) else each) for each in value)
        case dict():
            return sum(map(_words_in, value.values()))
        case _:
            return 0


def _named_lines(pairs: Any) -> str:
    return "\n".join(f"{name}: {' '.join(str(text).split())}" if text else name for name, text in pairs)


def _beat_line(beat: object, names: Mapping[str, str]) -> str:
    if isinstance(beat, Mapping):
        owner = str(beat.get("by", ""))
        return f"{beat.get('text', '')} ({names.get(owner, owner)})" if owner else str(beat.get("text", ""))
    return " ".join(str(beat).split())


def _id(draft: Draft, name: str) -> str:
    return draft.id_of(name) or slug(name)


def _reveal_of(draft: Draft, text: str) -> str:
    """A beat by the numbers of chapter and beat, as files name it."""
    found = re.fullmatch(r"\D*(\d{1,2})\s*[/,. ]\s*(?:beat\s*)?(\d{1,2})\D*", text)
    chapters: Sequence[str] = draft.chapters
    if found and 1 <= int(found[1]) <= len(chapters):
        return f"{chapters[int(found[1]) - 1]}/{int(found[2])}"
    return text


def _numbered_reveal(draft: Draft, text: str) -> str:
    chapter, _, beat = text.partition("/")
    return f"{draft.chapters.index(chapter) + 1}/{beat}" if chapter in draft.chapters else text
