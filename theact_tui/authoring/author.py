"""Letting a model write the parts of a draft: one small call each, read tolerantly, checked, mended at most three times.

Nothing is made up here: what was asked for and did not come is noted, and a part without what it needs is refused.
"""

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
from theact_tui.models.base import Models
from theact_tui.packs.checks import MAX_BEAT_WORDS
from theact_tui.packs.files import GAME, WORLD, chapter_file, character_file
from theact_tui.parsing.name_matching import find_id, ids_in
from theact_tui.story.views import AuthorView
from theact_tui.text import clean, counted, one_line, slug, words

MOST_REPAIRS = 3
"""How often one file is given back to a model."""
MOST_SAID = 13
"""Lines of a talk that a model is told."""
MOST_OF_A_ROLE = 200
"""Characters of a role that a model wrote into its plan."""
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
    part: Part
    notes: tuple[str, ...]
    """What was asked for and did not come, or had to be left out."""


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
        fields = await self._ask(part, change=change, last=_shown(draft, part) if change else "")
        lacking = _lacking(draft, part, fields)
        repairs = 0
        while lacking and repairs < MOST_REPAIRS and not change:
            repairs += 1
            self._on_step(f"Asking for the missing parts of {_called(part)} ({repairs} of {MOST_REPAIRS})")
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
        kept = {**draft.info.notes, part.file: tuple(dict.fromkeys(notes))}
        await asyncio.to_thread(draft.keep, notes=kept)
        return Written(part, notes)

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

    async def _mend(self, part: Part, repairs: int) -> list[str]:
        """Give a part back while the checks find something in it and it was not given back too often."""
        draft, dropped = self.draft, list[str]()
        for count in range(repairs + 1, MOST_REPAIRS + 1):
            if not (problems := await asyncio.to_thread(_problems, draft, part)):
                break
            self._on_step(f"Fixing {_called(part)} ({count} of {MOST_REPAIRS}): {one_line(problems[0], 80)}")
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
        fields = dict(reply.reading.fields)
        if people := part.kind == "concept" and fields.get("characters"):
            # models like to list the player as one of those whom the player meets
            player = str(fields.get("player_name") or "you")
            own = {slug(name, "-") for name in (player, player.split()[0], "you", "player", "the player")}
            fields["characters"] = [each for each in people if slug(each["name"], "-") not in own]
        return fields


def plan_of(draft: Draft, part: Part) -> str:
    """What is known of the story, for whoever writes `part`; the part itself is left out."""
    lines = [f"The idea: {draft.info.premise}" if draft.info.premise else ""]
    if part.kind != "concept":
        game, world, player = draft.game, draft.read(WORLD), draft.player
        lines += [
            f"{game.get('title', '')}. {game.get('description', '')}".lstrip(" ."),
            _told("Tone", world, "tone"),
            f"The player: {player.get('name', '')}, {player.get('description', '')}".strip(" ,:"),
        ]
        if part.kind != "setting":
            lines += [_told("Setting", world, "setting"), _told("Rules", world, "rules")]
            lines.append(_told("The truth, which only the narrator knows", world, "truth"))
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
    """How many people and chapters a plan is to have."""
    if part.kind != "concept":
        return {}
    return {"characters": draft.info.characters, "chapters": draft.info.chapters}


def _called(part: Part) -> str:
    names = {"concept": "the story", "setting": "the world"}
    return names.get(part.kind, f"the {part.kind} {part.title}")


def _shown(draft: Draft, part: Part) -> str:
    choices = [each.field for each in QUESTIONS[part.kind] if each.form == "choice"]
    return _as_lines({name: text for name, text in answers_of(draft, part).items() if name not in choices})


def _as_lines(fields: Fields) -> str:
    lines: list[str] = []
    for name, value in fields.items():
        text = value
        if not isinstance(value, str):
            items = (
                f"{each['name']}: {each['text']}" if isinstance(each, dict) else each for each in value or ()
            )
            text = "\n".join(f"- {item}" for item in items)
        if text:
            lines.append(f"{name}: {text}" if "\n" not in text else f"{name}:\n{text}")
    return "\n".join(lines)


def _needed(part: Part) -> list[str]:
    """Without these a part is not written; names of characters and chapters are in the plan."""
    given = {"character": "name", "chapter": "title"}.get(part.kind)
    return [each.field for each in QUESTIONS[part.kind] if each.needed and each.field != given]


def _lacking(draft: Draft, part: Part, fields: Fields) -> list[str]:
    found: list[str] = []
    asked = _asked(draft, part)
    for name in (*_needed(part), *WANTED[part.kind]):
        came = len(fields.get(name) or ())
        if came < asked.get(name, 0):
            without = " without the player" if name == "characters" else ""
            found.append(f"{counted(asked[name], name[:-1])} requested{without}, only {came} written")
        elif not came and not (name == "relationships" and len(draft.cast) < 2):
            found.append(f"{name.replace('_', ' ')} is missing")
    return found


def _problems(draft: Draft, part: Part) -> list[str]:
    """What the checks say of a part's own file."""
    fields = {each.field.split(".")[0] for each in QUESTIONS[part.kind]}
    own = (each for each in draft.findings() if each.file == part.file)
    return [each.message for each in own if not each.field or each.field.split(".")[0] in fields]


def _apply(draft: Draft, part: Part, fields: Fields) -> list[str]:
    """Write what a reply holds into the draft; what had to be left out of it."""
    given = {name: value for name, value in fields.items() if value or name == "at_first"}
    match part.kind:
        case "concept":
            return _apply_concept(draft, part, given)
        case "setting":
            draft.write(WORLD, _only(given, "setting", "rules", "truth"))
            return []
        case "character":
            return _apply_character(draft, part, given)
        case _:
            return _apply_chapter(draft, part, given)


def _only(fields: Fields, *names: str) -> Fields:
    return {name: fields[name] for name in names if name in fields}


def _apply_concept(draft: Draft, part: Part, given: Fields) -> list[str]:
    left: list[str] = []
    if "tone" in given:
        draft.write(WORLD, {"tone": given["tone"]})
    for kind, most in _asked(draft, part).items():
        listed = given.get(kind, [])
        if len(listed) > most:
            names = ", ".join(each["name"] for each in listed[most:])
            left.append(f"only {most} {kind} were requested; left out: {names}")
        if listed and kind == "characters":
            draft.set_cast(
                [{**each, "text": one_line(each["text"], MOST_OF_A_ROLE)} for each in listed[:most]]
            )
        elif listed:
            draft.set_outline(listed[:most])
    told = _only(given, "title", "description")
    own = _only(given, "player_name", "player_description")
    if player := {**draft.player, **{name.removeprefix("player_"): text for name, text in own.items()}}:
        told["player"] = player
    draft.write(GAME, told)
    return left


def _apply_character(draft: Draft, part: Part, given: Fields) -> list[str]:
    left: list[str] = []
    told = _only(given, "personality", "want", "secret")
    if "examples" in given:
        told["examples"] = given["examples"][:2]
    relations: dict[str, str] = {}
    for each in given.get("relationships", ()):
        other = draft.id_of(each["name"])
        if other and other != part.id and each["text"]:
            relations.setdefault(other, each["text"])
        elif not other and not _is_player(draft, each["name"]):
            name = one_line(each["name"], 40)
            left.append(f"a relationship with {name}, who is not in the story, was left out")
    if relations:
        told["relationships"] = relations
    draft.write(part.file, told)
    return left


def _is_player(draft: Draft, name: str) -> bool:
    return bool(find_id(name, {"player": str(draft.player.get("name", ""))}))


def _apply_chapter(draft: Draft, part: Part, given: Fields) -> list[str]:
    told = _only(given, "summary", "completion")
    there, unknown = ids_in(given.get("characters", []), draft.cast)
    left = [
        f"{one_line(name, 40)}, who is not in the story, was left out"
        for name in unknown
        if not _is_player(draft, name)
    ]
    beats = [beat_of(draft, line, named=True) for line in given.get("beats", ())]
    owners = [beat["by"] if isinstance(beat, dict) else "" for beat in beats]
    if beats:
        told["beats"] = beats
    if "opening" in given:
        told["openings"] = [given["opening"]]
    if there or any(owners):
        told["characters"] = [id for id in draft.cast if id in there or id in owners]
        if "at_first" in given:
            at_first = ids_in(given["at_first"], draft.cast)[0]
            if at_first or not given["at_first"]:
                told["present"] = [id for id in told["characters"] if id in at_first]
    draft.write(part.file, told)
    if beats:
        draft.clamp_reveals(part.id, len(beats))
    for teller in ids_in(given.get("secret_of") or (), draft.cast)[0]:
        if not beats or not draft.read(character_file(teller)).get("secret"):
            continue
        own = [n for n, owner in enumerate(owners, 1) if owner == teller]
        draft.write(character_file(teller), {"reveal": f"{part.id}/{own[-1] if own else len(beats)}"})
    if any(words(beat if isinstance(beat, str) else beat["text"]) > 3 * MAX_BEAT_WORDS for beat in beats):
        left.append("a beat is very long; shorten it by hand")
    return left
