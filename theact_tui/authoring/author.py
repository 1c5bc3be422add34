"""Letting a model write the parts of a draft: one small call each, read tolerantly, checked, mended at most three times.

Nothing is made up here: what was asked for and did not come is noted, and a part without what it needs is refused.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from theact_tui.agents.author import AUTHORS, TALK
from theact_tui.authoring.draft import Draft, Part
from theact_tui.authoring.questions import QUESTIONS, answer, beat_of, put
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.errors import CallError, TurnError
from theact_tui.models.base import Models
from theact_tui.packs.checks import MAX_BEAT_WORDS
from theact_tui.packs.schema import GAME, WORLD, chapter_file, character_file
from theact_tui.parsing.coerce import find_id, ids_in
from theact_tui.story.views import AuthorView
from theact_tui.text import clean, counted, one_line, slug, words

MOST_REPAIRS = 3
"""How often one file is given back to a model."""
MOST_SAID = 13
"""Lines of a talk that a model is told."""
NEEDED = {
    "concept": ("title", "characters", "chapters"),
    "setting": ("setting",),
    "character": ("personality",),
    "chapter": ("beats", "completion"),
}
"""Without these a part is not written."""
WANTED = {
    "concept": ("description", "tone", "player_name", "player_description"),
    "setting": ("rules", "truth"),
    "character": ("want", "secret", "examples", "relationships"),
    "chapter": ("summary", "opening"),
}
"""What is asked for too; where it is missing, that is said."""

Fields = dict[str, Any]
OnStep = Callable[[str], None]
"""Called with a sentence about what is being done."""


class PartNotWritten(TurnError):
    """A model could not write a part; the draft is as it was before, and can be gone on with."""


@dataclass(frozen=True, slots=True)
class Written:
    """A part that was written."""

    part: Part
    notes: tuple[str, ...]
    """What was asked for and did not come, or had to be left out."""
    repairs: int = 0


class Author:
    """Writes parts of one draft with models. Close `models` yourself."""

    def __init__(self, draft: Draft, models: Models, on_step: OnStep = lambda _: None) -> None:
        self.draft = draft
        self._runner = AgentRunner(models, Bus())
        self._on_step = on_step

    async def write(self, part: Part, change: str = "") -> Written:
        """Write a part, or write it again with a `change`. Raises PartNotWritten; then nothing was changed."""
        draft = self.draft
        self._on_step(f"Writing {_called(part)}")
        last = _shown(draft, part) if change else ""
        fields = await self._ask(part, change=change, last=last)
        lacking = _lacking(draft, part, fields)
        repairs = 0
        while lacking and repairs < MOST_REPAIRS and not change:
            repairs += 1
            self._on_step(f"Asking for the missing parts of {_called(part)} ({repairs} of {MOST_REPAIRS})")
            try:
                more = await self._ask(part, problems=lacking, last=_as_lines(fields) or "(nothing)")
            except PartNotWritten:
                break
            fields = {
                **more,
                **{name: value for name, value in fields.items() if _enough(draft, name, value)},
            }
            lacking = _lacking(draft, part, fields)
        if change:
            fields = {name: value for name, value in fields.items() if value}
        needed = NEEDED[part.kind]
        if missing := [
            name for name in needed if not fields.get(name) and not (change and draft.is_done(part))
        ]:
            raise PartNotWritten(
                f"The model could not write {_called(part)}: it gave no {' and no '.join(missing)}."
            )
        dropped = await asyncio.to_thread(_apply, draft, part, fields)
        await asyncio.to_thread(draft.keep, repairs={**draft.info.repairs, part.file: repairs})
        dropped += await self._mend(part)
        notes = (*(() if change else _lacking(draft, part, fields)), *dropped)
        kept = {**draft.info.notes, part.file: tuple(dict.fromkeys(notes))}
        await asyncio.to_thread(draft.keep, notes=kept)
        return Written(part, notes, draft.info.repairs.get(part.file, 0))

    async def talk(self, said: str) -> str:
        """What the model says to this about the idea; both are kept. PartNotWritten; then what was `said` is kept."""
        heard = self.draft.info.talk
        await asyncio.to_thread(self.draft.keep, talk=(*heard[: len(heard) // 2 * 2], clean(said).strip()))
        reply = await self._say("talk")
        await asyncio.to_thread(self.draft.keep, talk=(*self.draft.info.talk, reply))
        return reply

    async def sum_up(self) -> str:
        """Make what was said the premise of the draft. Raises PartNotWritten."""
        premise = one_line(await self._say("premise"), 600)
        await asyncio.to_thread(self.draft.keep, premise=premise)
        return premise

    async def _say(self, kind: str) -> str:
        info = self.draft.info
        who = ("They", "You")
        lines = [f"{who[n % 2]}: {text}" for n, text in enumerate(info.talk)][-MOST_SAID:]
        view = AuthorView(kind=kind, plan="\n".join((f"The idea: {info.premise}", *lines)), words={})
        try:
            reply = await self._runner.ask(TALK, view, key=f"author:{kind}")
        except CallError as error:
            raise PartNotWritten(f"The model did not answer: {error.message}") from error
        return str(reply.reply.text).strip()

    async def _mend(self, part: Part) -> list[str]:
        """Give a part back while the checks find something in it and it was not given back too often."""
        draft, dropped = self.draft, list[str]()
        while problems := await asyncio.to_thread(_problems, draft, part):
            count = draft.info.repairs.get(part.file, 0) + 1
            if count > MOST_REPAIRS:
                break
            self._on_step(f"Fixing {_called(part)} ({count} of {MOST_REPAIRS}): {one_line(problems[0], 80)}")
            await asyncio.to_thread(draft.keep, repairs={**draft.info.repairs, part.file: count})
            before = {each.field: answer(draft, part, each) for each in QUESTIONS[part.kind]}
            try:
                fields = await self._ask(
                    part, problems=problems, last=_shown(draft, part), key="author:repair"
                )
            except PartNotWritten:
                break
            given = {name: value for name, value in fields.items() if value}
            left = await asyncio.to_thread(_apply, draft, part, given)
            if len(_problems(draft, part)) > len(problems):
                for question in QUESTIONS[part.kind]:
                    put(draft, part, question, before[question.field])
            else:
                dropped = left
        return dropped

    async def _ask(
        self, part: Part, *, change: str = "", last: str = "", problems: Sequence[str] = (), key: str = ""
    ) -> Fields:
        view = AuthorView(
            kind=part.kind,
            plan=plan_of(self.draft, part),
            words=_words(self.draft, part),
            last=last,
            change=change,
            problems=tuple(problems),
        )
        agent = AUTHORS[part.kind]
        key = key or ("author:repair" if problems else f"author:{part.kind}")
        try:
            reply = await self._runner.ask(agent, view, key=key)
        except CallError as error:
            raise PartNotWritten(f"The model could not write {_called(part)}: {error.message}") from error
        fields = dict(reply.reading.fields)
        return _without_player(fields) if part.kind == "concept" else fields


def plan_of(draft: Draft, part: Part) -> str:
    """What is known of the story, for whoever writes `part`; the part itself is left out."""
    game, world = draft.game, draft.read(WORLD)
    player = game.get("player") or {}
    lines = [f"The idea: {draft.info.premise}" if draft.info.premise else ""]
    if part.kind != "concept":
        lines += [
            f"{game.get('title', '')}. {game.get('description', '')}".lstrip(" ."),
            _told("Tone", world, "tone"),
        ]
        lines.append(f"The player: {player.get('name', '')}, {player.get('description', '')}".strip(" ,:"))
    if part.kind in ("character", "chapter"):
        lines += [_told("Setting", world, "setting"), _told("Rules", world, "rules")]
        lines.append(_told("The truth, which only the narrator knows", world, "truth"))
    if part.kind != "concept":
        people = [_person(draft, id) for id in draft.cast if part.id != id]
        lines += ["Characters:", *people] if people else []
        lines.append("Chapters:")
        for number, id in enumerate(draft.chapters, 1):
            chapter = draft.read(chapter_file(id))
            told = f"{number}. {chapter.get('title', '')}: {chapter.get('summary', '')}"
            ends = chapter.get("completion") if part.id != id else ""
            lines.append(f"{told} It ends when: {ends}" if ends else told)
    return "\n".join(" ".join(line.split()) for line in lines if line)


def _told(label: str, fields: Fields, name: str) -> str:
    return f"{label}: {fields[name]}" if fields.get(name) else ""


def _person(draft: Draft, id: str) -> str:
    card = draft.read(character_file(id))
    told = f"- {card.get('name', id)}: {card.get('role', '')}. {card.get('personality', '')}"
    return " ".join((told, _told("Wants", card, "want"), _told("Secret", card, "secret")))


def _words(draft: Draft, part: Part) -> dict[str, str]:
    """What fills the placeholders of a part's template."""
    match part.kind:
        case "concept":
            return {
                kind: counted(getattr(draft.info, kind), kind[:-1]) for kind in ("characters", "chapters")
            }
        case "character":
            card = draft.read(part.file)
            others = ", ".join(name for id, name in draft.cast.items() if id != part.id)
            role = str(card.get("role") or "a character of the story")
            return {"name": part.title, "role": role, "others": others}
        case "chapter":
            chapters = draft.chapters
            number = chapters.index(part.id) + 1
            ending = "Leave the end to the last chapter."
            if number == len(chapters):
                ending = (
                    "This is the last chapter: it ends the story." if number > 1 else "It is the whole story."
                )
            people = " or ".join(draft.cast.values())
            told = {"number": str(number), "chapters": str(len(chapters)), "title": part.title}
            return {**told, "ending": ending, "people": people}
        case _:
            return {}


def _without_player(fields: Fields) -> Fields:
    """The plan of a story, in which models like to list the player as one of those whom the player meets."""
    player = str(fields.get("player_name") or "you")
    own = {slug(name, "-") for name in (player, player.split()[0], "you", "player", "the player")}
    people = [each for each in fields.get("characters") or () if slug(each["name"], "-") not in own]
    return {**fields, "characters": people} if "characters" in fields else fields


def _called(part: Part) -> str:
    names = {
        "concept": "the story",
        "setting": "the world",
        "character": "the character ",
        "chapter": "the chapter ",
    }
    return names[part.kind] + (part.title if part.kind in ("character", "chapter") else "")


def _shown(draft: Draft, part: Part) -> str:
    """A part as text, field by field."""
    shown = {each.field: answer(draft, part, each) for each in QUESTIONS[part.kind] if each.form != "choice"}
    return _as_lines(shown)


def _as_lines(fields: Fields) -> str:
    lines: list[str] = []
    for name, value in fields.items():
        text = value if isinstance(value, str) else "\n".join(_item(each) for each in value or ())
        if text:
            lines.append(f"{name}: {text}" if "\n" not in text else f"{name}:\n{text}")
    return "\n".join(lines)


def _item(value: object) -> str:
    return f"- {value['name']}: {value['text']}" if isinstance(value, dict) else f"- {value}"


def _enough(draft: Draft, name: str, value: Any) -> bool:
    """Whether a first answer stays although the part was asked for again."""
    asked = {"characters": draft.info.characters, "chapters": draft.info.chapters}.get(name, 1)
    of_concept = isinstance(value, list) and bool(value) and isinstance(value[0], dict)
    return bool(value) and not (of_concept and name in ("characters", "chapters") and len(value) < asked)


def _lacking(draft: Draft, part: Part, fields: Fields) -> list[str]:
    """What was asked for and is not there."""
    found: list[str] = []
    for name in (*NEEDED[part.kind], *WANTED[part.kind]):
        if name == "relationships" and len(draft.cast) < 2:
            continue
        asked = {"characters": draft.info.characters, "chapters": draft.info.chapters}.get(name, 0)
        came = len(fields.get(name) or ())
        if part.kind == "concept" and came < asked:
            without = " without the player" if name == "characters" else ""
            found.append(f"{counted(asked, name[:-1])} requested{without}, only {came} written")
        elif not fields.get(name):
            found.append(f"{name.replace('_', ' ')} is missing")
    return found


def _problems(draft: Draft, part: Part) -> list[str]:
    """What the checks say of a part's own file."""
    fields = {each.field.split(".")[0] for each in QUESTIONS[part.kind]}
    own = (each for each in draft.findings() if each.file == part.file)
    return [each.message for each in own if not each.field or each.field.split(".")[0] in fields]


def _apply(draft: Draft, part: Part, fields: Fields) -> list[str]:
    """Write the fields of a reply into the draft; what had to be left out of them."""
    match part.kind:
        case "concept":
            return _apply_concept(draft, fields)
        case "setting":
            told = ("setting", "rules", "truth")
            draft.write(WORLD, {name: fields[name] for name in told if fields.get(name)})
            return []
        case "character":
            return _apply_character(draft, part, fields)
        case _:
            return _apply_chapter(draft, part, fields)


def _apply_concept(draft: Draft, fields: Fields) -> list[str]:
    left: list[str] = []
    if fields.get("tone"):
        draft.write(WORLD, {"tone": fields["tone"]})
    people, outline = fields.get("characters") or [], fields.get("chapters") or []
    for kind, given, most in (
        ("characters", people, draft.info.characters),
        ("chapters", outline, draft.info.chapters),
    ):
        if len(given) > most:
            left.append(
                f"only {most} {kind} were requested; left out: {', '.join(each['name'] for each in given[most:])}"
            )
    if people:
        draft.set_cast(people[: draft.info.characters])
    if outline:
        draft.set_outline(outline[: draft.info.chapters])
    held = draft.game.get("player")
    player = {**(held if isinstance(held, dict) else {})}
    player |= {
        name: fields[f"player_{name}"] for name in ("name", "description") if fields.get(f"player_{name}")
    }
    told = {name: fields[name] for name in ("title", "description") if fields.get(name)}
    draft.write(GAME, {**told, **({"player": player} if player else {})})
    return left


def _apply_character(draft: Draft, part: Part, fields: Fields) -> list[str]:
    left: list[str] = []
    told: Fields = {name: fields[name] for name in ("personality", "want", "secret") if fields.get(name)}
    if fields.get("examples"):
        told["examples"] = fields["examples"][:2]
    relations: dict[str, str] = {}
    for each in fields.get("relationships") or ():
        other = draft.id_of(each["name"])
        if other and other != part.id and each["text"]:
            relations.setdefault(other, each["text"])
        elif not other and not find_id(each["name"], {"player": _player_name(draft)}):
            left.append(
                f"a relationship with {one_line(each['name'], 40)}, who is not in the story, was left out"
            )
    draft.write(part.file, {**told, **({"relationships": relations} if relations else {})})
    return left


def _player_name(draft: Draft) -> str:
    player = draft.game.get("player")
    return str(player.get("name", "")) if isinstance(player, dict) else ""


def _apply_chapter(draft: Draft, part: Part, fields: Fields) -> list[str]:
    left: list[str] = []
    told: Fields = {name: fields[name] for name in ("summary", "completion") if fields.get(name)}
    there, unknown = ids_in(fields.get("characters") or [], draft.cast)
    strangers = [name for name in unknown if not find_id(name, {"player": _player_name(draft)})]
    left += [f"{one_line(name, 40)}, who is not in the story, was left out" for name in strangers]
    beats = [beat_of(draft, line, named=True) for line in fields.get("beats") or ()]
    owners = [beat["by"] for beat in beats if isinstance(beat, dict)]
    if beats:
        told["beats"] = beats
    if fields.get("opening"):
        told["openings"] = [fields["opening"]]
    if there or owners:
        told["characters"] = [id for id in draft.cast if id in there or id in owners]
    draft.write(part.file, told)
    if beats:
        draft.clamp_reveals(part.id, len(beats))
    teller = draft.id_of(str(fields.get("secret_of") or "-"))
    if teller and beats and draft.read(character_file(teller)).get("secret"):
        own = [n for n, beat in enumerate(beats, 1) if isinstance(beat, dict) and beat["by"] == teller]
        draft.write(character_file(teller), {"reveal": f"{part.id}/{own[-1] if own else len(beats)}"})
    if any(words(beat if isinstance(beat, str) else beat["text"]) > 3 * MAX_BEAT_WORDS for beat in beats):
        left.append("a beat is very long; shorten it by hand")
    return left
