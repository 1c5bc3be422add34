"""Let a model write the parts of a draft, one call each, corrected at most three times."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from theact_tui.agents.author import AUTHORS, TALK
from theact_tui.authoring.draft import Draft, Part
from theact_tui.authoring.questions import QUESTIONS, answers_of, beat_of, is_done, put_changed
from theact_tui.engine.agent_runner import AgentRunner
from theact_tui.engine.bus import Bus
from theact_tui.errors import CallError, TurnError
from theact_tui.models.model import Models
from theact_tui.packs.checks import MAX_BEAT_WORDS
from theact_tui.packs.files import GAME, WORLD, chapter_file, character_file
from theact_tui.parsing.name_matching import find_id, ids_in
from theact_tui.story.views import AuthorView
from theact_tui.text import clean, counted, one_line, slug, words

_MAX_REPAIRS = 3
_MAX_TALK_LINES = 13
_MAX_ROLE_LETTERS = 200
_WANTED = {
    "concept": ("description", "tone", "player_name", "player_description"),
    "setting": ("rules", "truth"),
    "character": ("want", "secret", "examples", "relationships"),
    "chapter": ("summary", "opening"),
}
"""Optional fields; a missing one is reported."""

Fields = dict[str, Any]
OnStep = Callable[[str], None]


class PartNotWritten(TurnError):
    pass


@dataclass(frozen=True, slots=True)
class Written:
    part: Part
    notes: tuple[str, ...]


class Author:
    """Writes parts of one draft with models. Does not close `models`."""

    def __init__(self, draft: Draft, models: Models, on_step: OnStep = lambda _: None) -> None:
        self.draft = draft
        self._runner = AgentRunner(models, Bus())
        self._on_step = on_step

    async def write(self, part: Part, change: str = "") -> Written:
        """Write a part, or rewrite it with a `change`. Raises PartNotWritten."""
        draft = self.draft
        self._on_step(f"Writing {_called(part)}")
        fields = await self._ask(part, change=change, last=_shown(draft, part) if change else "")
        lacking = _lacking(draft, part, fields)
        repairs = 0
        while lacking and repairs < _MAX_REPAIRS and not change:
            repairs += 1
            self._on_step(f"Asking for the missing parts of {_called(part)} ({repairs} of {_MAX_REPAIRS})")
            try:
                more = await self._ask(part, problems=lacking, last=_as_lines(fields) or "(nothing)")
            except PartNotWritten:
                break
            asked = _asked(draft, part)
            enough = {n: value for n, value in fields.items() if value and len(value) >= asked.get(n, 1)}
            fields = {**more, **enough}
            lacking = _lacking(draft, part, fields)
        missing = [name for name in _needed(part) if not fields.get(name)]
        if missing and not (change and is_done(draft, part)):
            raise PartNotWritten(
                f"The model could not write {_called(part)}: it gave no {' and no '.join(missing)}."
            )
        dropped = await asyncio.to_thread(_apply, draft, part, fields)
        dropped += await self._mend(part, repairs)
        notes = (*(() if change else lacking), *dropped)
        all_notes = {**draft.info.notes, part.file: tuple(dict.fromkeys(notes))}
        await asyncio.to_thread(draft.keep, notes=all_notes)
        return Written(part, notes)

    async def talk(self, line: str) -> str:
        """Answer a line of the talk about the idea; store both. Raises PartNotWritten; then only `line` is stored."""
        earlier = self.draft.info.talk
        await asyncio.to_thread(
            self.draft.keep, talk=(*earlier[: len(earlier) // 2 * 2], clean(line).strip())
        )
        reply = await self._say("talk")
        await asyncio.to_thread(self.draft.keep, talk=(*self.draft.info.talk, reply))
        return reply

    async def sum_up(self) -> str:
        """Make the talk the premise of the draft. Raises PartNotWritten."""
        premise = one_line(await self._say("premise"), 600)
        await asyncio.to_thread(self.draft.keep, premise=premise)
        return premise

    async def _say(self, kind: str) -> str:
        info = self.draft.info
        speakers = ("They", "You")
        lines = [f"{speakers[n % 2]}: {text}" for n, text in enumerate(info.talk)][-_MAX_TALK_LINES:]
        view = AuthorView(kind=kind, plan="\n".join((f"The idea: {info.premise}", *lines)), words={})
        try:
            reply = await self._runner.ask(TALK, view, key=f"author:{kind}")
        except CallError as error:
            raise PartNotWritten(f"The model did not answer: {error.message}") from error
        return str(reply.reply.text).strip()

    async def _mend(self, part: Part, repairs: int) -> list[str]:
        """Have a model correct a part while the checks find mistakes in it; return what it dropped."""
        draft, dropped = self.draft, list[str]()
        for count in range(repairs + 1, _MAX_REPAIRS + 1):
            if not (problems := await asyncio.to_thread(_problems, draft, part)):
                break
            self._on_step(f"Fixing {_called(part)} ({count} of {_MAX_REPAIRS}): {one_line(problems[0], 80)}")
            before = answers_of(draft, part)
            try:
                fields = await self._ask(part, problems=problems, last=_shown(draft, part))
            except PartNotWritten:
                break
            left = await asyncio.to_thread(_apply, draft, part, fields)
            if len(_problems(draft, part)) > len(problems):
                put_changed(draft, part, before)
            else:
                dropped = left
        return dropped

    async def _ask(
        self, part: Part, *, change: str = "", last: str = "", problems: Sequence[str] = ()
    ) -> Fields:
        view = AuthorView(
            kind=part.kind,
            plan=plan_of(self.draft, part),
            words=_words(self.draft, part),
            last=last,
            change=change,
            problems=tuple(problems),
        )
        key = "author:repair" if problems else f"author:{part.kind}"
        try:
            reply = await self._runner.ask(AUTHORS[part.kind], view, key=key)
        except CallError as error:
            raise PartNotWritten(f"The model could not write {_called(part)}: {error.message}") from error
        fields = reply.reading.fields
        if people := part.kind == "concept" and fields.get("characters"):
            # models like to list the player as one of those whom the player meets
            player = str(fields.get("player_name") or "you")
            own = {slug(name, "-") for name in (player, player.split()[0], "you", "player", "the player")}
            fields["characters"] = [person for person in people if slug(person["name"], "-") not in own]
        return fields


def plan_of(draft: Draft, part: Part) -> str:
    """Describe the story to the author of `part`, without that part."""
    lines = [f"The idea: {draft.info.premise}" if draft.info.premise else ""]
    if part.kind != "concept":
        game, world, player = draft.game, draft.read(WORLD), draft.player
        lines += [
            f"{game.get('title', '')}. {game.get('description', '')}".lstrip(" ."),
            _labelled("Tone", world, "tone"),
            f"The player: {player.get('name', '')}, {player.get('description', '')}".strip(" ,:"),
        ]
        if part.kind != "setting":
            lines += [_labelled("Setting", world, "setting"), _labelled("Rules", world, "rules")]
            lines.append(_labelled("The truth, which only the narrator knows", world, "truth"))
        people = [_person(draft, id) for id in draft.cast if part.id != id]
        lines += ["Characters:", *people] if people else []
        lines.append("Chapters:")
        for number, id in enumerate(draft.chapters, 1):
            chapter = draft.read(chapter_file(id))
            line_text = f"{number}. {chapter.get('title', '')}: {chapter.get('summary', '')}"
            ends = chapter.get("completion") if part.id != id else ""
            lines.append(f"{line_text} It ends when: {ends}" if ends else line_text)
    return "\n".join(" ".join(line.split()) for line in lines if line)


def _labelled(label: str, fields: Fields, name: str) -> str:
    return f"{label}: {fields[name]}" if fields.get(name) else ""


def _person(draft: Draft, id: str) -> str:
    card = draft.read(character_file(id))
    description = f"- {card.get('name', id)}: {card.get('role', '')}. {card.get('personality', '')}"
    return " ".join((description, _labelled("Wants", card, "want"), _labelled("Secret", card, "secret")))


def _words(draft: Draft, part: Part) -> dict[str, str]:
    match part.kind:
        case "concept":
            return {kind: counted(number, kind[:-1]) for kind, number in _asked(draft, part).items()}
        case "character":
            others = ", ".join(name for id, name in draft.cast.items() if id != part.id)
            role = str(draft.read(part.file).get("role") or "a character of the story")
            return {"name": part.title, "role": role, "others": others}
        case "chapter":
            chapters = draft.chapters
            number = chapters.index(part.id) + 1
            ending = "Leave the end to the last chapter."
            if number == len(chapters):
                ending = (
                    "This is the last chapter: it ends the story." if number > 1 else "It is the whole story."
                )
            return {
                "number": str(number),
                "chapters": str(len(chapters)),
                "title": part.title,
                "ending": ending,
                "people": " or ".join(draft.cast.values()),
            }
        case _:
            return {}


def _asked(draft: Draft, part: Part) -> dict[str, int]:
    if part.kind != "concept":
        return {}
    return {"characters": draft.info.characters, "chapters": draft.info.chapters}


def _called(part: Part) -> str:
    names = {"concept": "the story", "setting": "the world"}
    return names.get(part.kind, f"the {part.kind} {part.title}")


def _shown(draft: Draft, part: Part) -> str:
    choices = [question.field for question in QUESTIONS[part.kind] if question.form == "choice"]
    return _as_lines({name: text for name, text in answers_of(draft, part).items() if name not in choices})


def _as_lines(fields: Fields) -> str:
    lines: list[str] = []
    for name, value in fields.items():
        text = value
        if not isinstance(value, str):
            items = (
                f"{item['name']}: {item['text']}" if isinstance(item, dict) else item for item in value or ()
            )
            text = "\n".join(f"- {item}" for item in items)
        if text:
            lines.append(f"{name}: {text}" if "\n" not in text else f"{name}:\n{text}")
    return "\n".join(lines)


def _needed(part: Part) -> list[str]:
    in_plan = {"character": "name", "chapter": "title"}.get(part.kind)
    return [
        question.field for question in QUESTIONS[part.kind] if question.needed and question.field != in_plan
    ]


def _lacking(draft: Draft, part: Part, fields: Fields) -> list[str]:
    complaints: list[str] = []
    asked = _asked(draft, part)
    for name in (*_needed(part), *_WANTED[part.kind]):
        count = len(fields.get(name) or ())
        if count < asked.get(name, 0):
            without = " without the player" if name == "characters" else ""
            complaints.append(f"{counted(asked[name], name[:-1])} requested{without}, only {count} written")
        elif not count and not (name == "relationships" and len(draft.cast) < 2):
            complaints.append(f"{name.replace('_', ' ')} is missing")
    return complaints


def _problems(draft: Draft, part: Part) -> list[str]:
    fields = {question.field.split(".")[0] for question in QUESTIONS[part.kind]}
    own = (question for question in draft.findings() if question.file == part.file)
    return [
        question.message for question in own if not question.field or question.field.split(".")[0] in fields
    ]


def _apply(draft: Draft, part: Part, fields: Fields) -> list[str]:
    filled = {name: value for name, value in fields.items() if value or name == "at_first"}
    match part.kind:
        case "concept":
            return _apply_concept(draft, part, filled)
        case "setting":
            draft.write(WORLD, _only(filled, "setting", "rules", "truth"))
            return []
        case "character":
            return _apply_character(draft, part, filled)
        case _:
            return _apply_chapter(draft, part, filled)


def _only(fields: Fields, *names: str) -> Fields:
    return {name: fields[name] for name in names if name in fields}


def _apply_concept(draft: Draft, part: Part, reply_fields: Fields) -> list[str]:
    left: list[str] = []
    if "tone" in reply_fields:
        draft.write(WORLD, {"tone": reply_fields["tone"]})
    for kind, most in _asked(draft, part).items():
        listed = reply_fields.get(kind, [])
        if len(listed) > most:
            names = ", ".join(entry["name"] for entry in listed[most:])
            left.append(f"only {most} {kind} were requested; left out: {names}")
        if listed and kind == "characters":
            draft.set_cast(
                [{**entry, "text": one_line(entry["text"], _MAX_ROLE_LETTERS)} for entry in listed[:most]]
            )
        elif listed:
            draft.set_outline(listed[:most])
    game_fields = _only(reply_fields, "title", "description")
    own = _only(reply_fields, "player_name", "player_description")
    if player := {**draft.player, **{name.removeprefix("player_"): text for name, text in own.items()}}:
        game_fields["player"] = player
    draft.write(GAME, game_fields)
    return left


def _apply_character(draft: Draft, part: Part, reply_fields: Fields) -> list[str]:
    left: list[str] = []
    card_fields = _only(reply_fields, "personality", "want", "secret", "known")
    if "examples" in reply_fields:
        card_fields["examples"] = reply_fields["examples"][:2]
    relations: dict[str, str] = {}
    for relationship in reply_fields.get("relationships", ()):
        other = draft.id_of(relationship["name"])
        if other and other != part.id and relationship["text"]:
            relations.setdefault(other, relationship["text"])
        elif not other and not _is_player(draft, relationship["name"]):
            name = one_line(relationship["name"], 40)
            left.append(f"a relationship with {name}, who is not in the story, was left out")
    if relations:
        card_fields["relationships"] = relations
    draft.write(part.file, card_fields)
    return left


def _is_player(draft: Draft, name: str) -> bool:
    return bool(find_id(name, {"player": str(draft.player.get("name", ""))}))


def _apply_chapter(draft: Draft, part: Part, reply_fields: Fields) -> list[str]:
    chapter_fields = _only(reply_fields, "summary", "completion")
    cast_ids, unknown = ids_in(reply_fields.get("characters", []), draft.cast)
    left = [
        f"{one_line(name, 40)}, who is not in the story, was left out"
        for name in unknown
        if not _is_player(draft, name)
    ]
    beats = [beat_of(draft, line, named=True) for line in reply_fields.get("beats", ())]
    owners = [str(beat.get("by", "")) if isinstance(beat, dict) else "" for beat in beats]
    if beats:
        chapter_fields["beats"] = beats
    if clues := reply_fields.get("clues", ())[:5]:
        chapter_fields["clues"] = clues
    if "opening" in reply_fields:
        chapter_fields["openings"] = [reply_fields["opening"]]
    if cast_ids or any(owners):
        chapter_fields["characters"] = [id for id in draft.cast if id in cast_ids or id in owners]
        if "at_first" in reply_fields:
            at_first = ids_in(reply_fields["at_first"], draft.cast)[0]
            if at_first or not reply_fields["at_first"]:
                chapter_fields["present"] = [id for id in chapter_fields["characters"] if id in at_first]
    draft.write(part.file, chapter_fields)
    if beats:
        draft.clamp_reveals(part.id, len(beats))
    for teller in ids_in(reply_fields.get("secret_of") or (), draft.cast)[0]:
        if not beats or not draft.read(character_file(teller)).get("secret"):
            continue
        own = [n for n, owner in enumerate(owners, 1) if owner == teller]
        draft.write(character_file(teller), {"reveal": f"{part.id}/{own[-1] if own else len(beats)}"})
    if any(
        words(beat if isinstance(beat, str) else str(beat["text"])) > 3 * MAX_BEAT_WORDS for beat in beats
    ):
        left.append("a beat is very long; shorten it by hand")
    return left
