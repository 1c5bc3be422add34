import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from pydantic import TypeAdapter
from ruamel.yaml import YAML

from theact_tui.authoring.draft import Draft, Kind, Part
from theact_tui.importing.read_untrusted import items
from theact_tui.packs.checks import (
    BEAT_OWNER,
    MAX_BEAT_WORDS,
    MAX_CHAPTER_WORDS,
    MAX_CHARACTER_WORDS,
    MAX_TRUTH_WORDS,
    MAX_WORLD_WORDS,
)
from theact_tui.packs.diagnostics import Finding
from theact_tui.packs.files import chapter_file, character_file
from theact_tui.parsing.name_matching import find_id
from theact_tui.story.pack import PLAYER, yes_or_no
from theact_tui.story.value import Value
from theact_tui.text import clean, counted, one_line, words

Form = Literal["line", "text", "lines", "named", "beats", "people", "cast", "outline", "choice"]
_REVEAL = re.compile(r"\D*(\d{1,2})\s*[/,. ]\s*(?:beat\s*)?(\d{1,2})\D*")
_LIST_MARK = re.compile(r"(?:[-*+•▪–—]|\(?\d{1,2}[.)])(?:[ \t]+(?=\S)|(?<=[-–•])(?=\w))")
_SAME_PAGE = "& "
"""In front of a beat that is told on the page of the beat before."""
_AFTER_NAME = re.compile(r"\s*(?::(?!\d)|：|\s[-–—]\s)\s*")


class Question(Value):
    field: str
    """A dot for a nested field."""
    label: str
    ask: str
    example: str
    form: Form = "line"
    needed: bool = False
    choices: tuple[str, ...] = ()
    """Default first."""


_LIMITS: Mapping[str, tuple[int, tuple[str, ...]]] = {
    "setting": (MAX_WORLD_WORDS, ("setting", "tone", "rules")),
    "character": (MAX_CHARACTER_WORDS, ("name", "role", "personality", "secret", "relationships")),
    "chapter": (MAX_CHAPTER_WORDS, ("title", "summary", "beats", "completion")),
}
"""By kind of part: most words for small models, and the fields that count."""
_READ = TypeAdapter(dict[Kind, tuple[Question, ...]])
QUESTIONS = _READ.validate_python(
    YAML(typ="safe").load(files("theact_tui.authoring").joinpath("questions.yaml").read_text("utf-8"))
)


def written_answer(draft: Draft, part: Part, question: Question) -> str:
    """Return a field as people write it."""
    value: Any = draft.read(part.file)
    for name in question.field.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    names = draft.cast
    listed = items(value)
    match question.form:
        case "cast":
            return _named_lines(
                (name, draft.read(character_file(id)).get("role", "")) for id, name in names.items()
            )
        case "outline":
            read = (draft.read(chapter_file(id)) for id in draft.chapters)
            return _named_lines(
                (chapter_fields.get("title", ""), chapter_fields.get("summary", ""))
                for chapter_fields in read
            )
        case "people":
            return ", ".join(names.get(str(id), str(id)) for id in listed)
        case "named":
            pairs = value.items() if isinstance(value, Mapping) else ()
            return _named_lines((names.get(id, id), text) for id, text in pairs)
        case "beats":
            return "\n".join(_beat_line(beat, names) for beat in listed)
        case "lines":
            return "\n".join(" ".join(str(line).split()) for line in listed)
        case "choice":
            return str(value or question.choices[0])
    if question.field == "openings":  # the others are told in later takes
        value = next(iter(listed), "") if isinstance(value, list) else value
    text = " ".join(str(value or "").split()) if question.form == "line" else str(value or "").strip()
    if question.field == "reveal":
        chapter, _, beat = text.partition("/")
        return f"{draft.chapters.index(chapter) + 1}/{beat}" if chapter in draft.chapters else text
    return text


def put(draft: Draft, part: Part, question: Question, text: str) -> None:
    """Write an author's text into its file. Names become ids; unknown names stay for the checks."""
    text = clean(text).strip()
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    match question.form:
        case "cast":
            draft.set_cast(_typed_lines(text, draft.cast.values()), renames=True)
            return
        case "outline":
            titles = [entry.title for entry in draft.parts() if entry.kind == "chapter"]
            draft.set_outline(_typed_lines(text, titles), renames=True)
            return
        case "people":
            value: Any = [_id(draft, name) for name in re.split(r"[,;\n]", text) if name.strip()]
            value = value if value or question.field == "characters" else None
        case "named":
            texts_by_id: dict[str, list[str]] = {}
            for entry in _typed_lines(text, draft.cast.values()):
                texts_by_id.setdefault(_id(draft, entry["name"]), []).append(entry["text"])
            value = {id: "; ".join(filter(None, texts)) for id, texts in texts_by_id.items()} or None
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
        reveal_match, chapters = _REVEAL.fullmatch(text), draft.chapters
        if reveal_match and 1 <= int(reveal_match[1]) <= len(chapters):
            value = f"{chapters[int(reveal_match[1]) - 1]}/{int(reveal_match[2])}"
        value = value or None
    outer, _, inner = question.field.partition(".")
    if inner:
        held = draft.read(part.file).get(outer)
        value = {**(held if isinstance(held, dict) else {}), inner: value}
        value = {name: entry for name, entry in value.items() if entry} or None
    draft.write(part.file, {outer: value})


def is_done(draft: Draft, part: Part) -> bool:
    fields = draft.read(part.file)
    return all(fields.get(question.field) for question in QUESTIONS[part.kind] if question.needed)


def next_part(draft: Draft) -> Part | None:
    return next((part for part in draft.parts() if not is_done(draft, part)), None)


def answers_of(draft: Draft, part: Part) -> dict[str, str]:
    return {question.field: written_answer(draft, part, question) for question in QUESTIONS[part.kind]}


def put_changed(draft: Draft, part: Part, texts: Mapping[str, str]) -> None:
    for question in QUESTIONS[part.kind]:
        if question.field in texts and texts[question.field] != written_answer(draft, part, question):
            put(draft, part, question, texts[question.field])


def beat_of(draft: Draft, line: str, *, named: bool = False) -> str | dict[str, str | bool]:
    """Return a beat as files store it, with its owner if a name in brackets ends the line; `&` in front: on the page of
    the beat before. `named`: other brackets are dropped if they look like a name.
    """
    joined: dict[str, str | bool] = {"same_page": True} if line.startswith(_SAME_PAGE) else {}
    line = line.removeprefix(_SAME_PAGE)
    match = BEAT_OWNER.match(line)
    people = {PLAYER: str(draft.player.get("name") or PLAYER), **draft.cast}
    owner = find_id(match[2], people) if match else None
    if match and owner == PLAYER and match[3]:
        return {"text": match[1], "by": PLAYER, "offer": match[3], **joined}
    if match and owner and not (named and owner == PLAYER):
        return {"text": match[1], "by": owner, **joined}
    text = match[1] if named and match and (match[2][0].isupper() or match[2].startswith("the ")) else line
    return {"text": text, **joined} if joined else text


def count_of(question: Question, text: str) -> str:
    """Count the words of an answer, against its own limit if it has one."""
    if question.form == "beats":
        longest = max(
            (words(BEAT_OWNER.sub(r"\1", line.removeprefix(_SAME_PAGE))) for line in text.splitlines()),
            default=0,
        )
        return f"longest {longest} of {MAX_BEAT_WORDS} words" if longest else ""
    if question.form not in ("text", "lines", "named") or not text:
        return ""
    number = words(text)
    return f"{number} of {MAX_TRUTH_WORDS} words" if question.field == "truth" else counted(number, "word")


def hint_of(question: Question, text: str) -> str:
    """Hint at a probable typing mistake in a list of people, chapters or relationships."""
    if question.form in ("cast", "outline", "named"):
        for entry in _typed_lines(text, ()):
            if ";" in entry["name"] and not entry["text"]:
                return f"'{one_line(entry['name'], 40)}' has a semicolon; put a colon after the name."
    return ""


def _typed_lines(text: str, names: Iterable[str]) -> list[dict[str, str]]:
    """Return `name` and `text` of each typed line. Known names may contain a colon."""
    longest_first, typed = sorted(filter(None, names), key=len, reverse=True), list[dict[str, str]]()
    for line in filter(None, map(str.strip, text.splitlines())):
        mark = _LIST_MARK.match(line)
        bare = line[mark.end() :] if mark else line
        fits = (
            (name, text)
            for text in (line, bare)
            for name in longest_first
            if text == name or text.startswith(f"{name}:")
        )
        own, bare = next(fits, ("", bare))
        name, rest = (own, bare[len(own) + 1 :]) if own else (*_AFTER_NAME.split(bare, 1), "")[:2]
        typed.append({"name": name, "text": rest.strip()})
    return typed


def findings_of(draft: Draft) -> list[Finding]:
    """Return findings to show now, with chapters by number: none that follow from an unwritten chapter."""
    unwritten = {
        part.id for part in draft.parts() if part.kind == "chapter" and not draft.read(part.file).get("beats")
    }
    numbers = {id: str(number) for number, id in enumerate(draft.chapters, 1)}
    shown: list[Finding] = []
    for finding in draft.findings():
        where = (
            str(draft.read(finding.file).get("reveal")).partition("/")[0] if finding.field == "reveal" else ""
        )
        is_open = (
            finding.field == "next" and Path(finding.file).stem in unwritten and finding.level == "warning"
        )
        if not is_open and where not in unwritten:
            text = finding.message
            if where in numbers:
                text = text.replace(f"'{where}/", f"'{numbers[where]}/")
            elif text.startswith("there is no ch") and "/" in finding.file:
                text += f". {choices_of(draft, finding.file, finding.field)}"
            shown.append(replace(finding, message=text))
    return shown


def choices_of(draft: Draft, file: str, field: str) -> str:
    """List the characters or chapters a field may name; "" if anything goes."""
    other_than = Path(file).stem
    match field.partition(".")[0]:
        case "reveal":
            titles = [part.title for part in draft.parts() if part.kind == "chapter"]
            return f"Chapters: {', '.join(f'{n} {title}' for n, title in enumerate(titles, 1))}"
        case "relationships" | "characters" | "present":
            names = [name for id, name in draft.cast.items() if id != other_than]
            return f"Characters: {', '.join(names)}" if names else ""
        case _:
            return ""


def part_words(draft: Draft, part: Part) -> str:
    """Count the words of a part against its limit; "" without a limit."""
    if part.kind not in _LIMITS:
        return ""
    most, names = _LIMITS[part.kind]
    fields = draft.read(part.file)
    return f"{sum(_words_in(fields.get(name)) for name in names)} of {most} words"


def _words_in(value: object) -> int:
    match value:
        case str():
            return words(value)
        case list():
            return sum(_words_in(item.get("text") if isinstance(item, dict) else item) for item in value)
        case dict():
            return sum(map(_words_in, value.values()))
        case _:
            return 0


def _named_lines(pairs: Any) -> str:
    return "\n".join(f"{name}: {' '.join(str(text).split())}" if text else f"{name}" for name, text in pairs)


def _beat_line(beat: object, names: Mapping[str, str]) -> str:
    if isinstance(beat, Mapping):
        owner, offer = (str(beat.get(key, "")) for key in ("by", "offer"))
        inside = f"{names.get(owner, owner)}{f': {offer}' if offer else ''}"
        joined = _SAME_PAGE if yes_or_no(beat.get("same_page")) else ""
        return f"{joined}{beat.get('text', '')}{f' ({inside})' if owner else ''}"
    return " ".join(str(beat).split())


def _id(draft: Draft, name: str) -> str:
    return draft.id_of(name) or " ".join(name.split())
