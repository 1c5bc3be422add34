"""A scene played as one turn of a game: an authored page, a scripted model, and what then reaches each person."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.benchmarks.hearing.pieces import pieces_of
from tests.benchmarks.hearing.scenes import LINE, NOBODY, PAGE, REPLIES, Scene
from tests.benchmarks.hearing.score import Reading
from tests.support.fake_model import Page, Scripted, narration, stage
from theact_tui.sentences import Span
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, PlayerInfo, World
from theact_tui.story.turn import Turn
from theact_tui.story.viewpoints import witnessed

MIN_LETTERS = 12
"""Shorter fragments may stand in a prompt by chance."""

Marks = Mapping[str, Collection[str]]


def form_of(scene: Scene, marks: Marks) -> dict[str, Any]:
    """The form that a model would give which saw just these marks: the one place that knows today's form."""
    labels = {piece.label for piece in pieces_of(scene) if piece.text in (LINE, PAGE)}
    missed = {id: "".join(sorted(labels & set(marks.get(id, ())))) for id in scene.cast}
    replies = {REPLIES[at]: reply.speaker for at, reply in enumerate(scene.replies)}
    return {
        "answer": [id for id in scene.answer[:1] if id != NOBODY],
        "missed": missed,
        "here": list(scene.here),
        "asleep": list(scene.sleeping),
        "gone": [speaker for speaker in replies.values() if speaker not in scene.here],
        "elsewhere": not set(scene.before) & set(scene.here),
    }


@dataclass(frozen=True)
class Played:
    """What came of a scene in a game."""

    reading: Reading
    """By what each person perceived, as the turn keeps it."""
    prompt_leaks: tuple[tuple[str, str], ...]
    """Person and fragment: what somebody missed and is shown in a prompt, to remember or to answer."""


async def play(scene: Scene, marks: Marks, folder: Path) -> Played:
    """Play the turn before, the scene, a turn that calls everybody in, and one in which all answer by what they know."""
    model = Scripted(window=32_768)
    game = await stage(folder, model, _pack(scene))
    session = game.session
    speakers = [reply.speaker for reply in scene.replies]
    model.answers |= {f"character:{id}": f"{name} waits." for id, name in scene.cast.items()}
    try:
        await game.turn(
            "I look around.", narrator=_page("You look around. Nothing stirs.", scene.before, scene.asleep)
        )
        if speakers:
            model.answers |= {f"character:{reply.speaker}": reply.text for reply in scene.replies}
            model.answers["narrator"] = _page("You wait.", scene.before, scene.asleep)
            await session.go_on(asked=speakers)
            await session.settle()
            model.answers |= {f"character:{id}": f"{name} waits." for id, name in scene.cast.items()}
        page = narration(scene.page)
        page.form = form_of(scene, marks)
        asked = len(model.asked)
        await game.turn(scene.line, narrator=page)
        number = session.game.state.turn
        names = ", ".join(scene.cast.values())
        await game.turn("I wait.", narrator=_page(f"All of them stand before you: {names}.", scene.cast))
        model.answers["narrator"] = _page("Nobody moves.", scene.cast)
        await session.go_on(asked=tuple(scene.cast))
        await session.settle()
        turns = {one.number: one for one in await session.turns(1, number)}
        prompts = {
            id: "\n".join(
                message["content"]
                for request in model.asked[asked:]
                if request.key in (f"memory:{id}", f"character:{id}")
                for message in request.prompt.messages(request.correction)
            )
            for id in scene.cast
        }
    finally:
        await session.close()
    turn, last = turns[number], turns[number - 1]
    missed = {id: _missing(scene, id, _perceived(turn, last, id)) for id in scene.cast}
    told = turn.stage
    reading = Reading(
        missed,
        told.here if told else None,
        turn.asleep,
        tuple(entry.character for entry in turn.entries if entry.role == "character" and entry.character),
    )
    leaks = tuple(
        (id, words)
        for id in scene.cast
        for key, spans in scene.missed.get(id, {}).items()
        if key in scene.concerned_by(id)
        for a, b in scene.fragments(key)
        if any(start <= a and b <= end for start, end in spans)
        and not any(start <= a and b <= end for start, end in scene.either.get(id, {}).get(key, ()))
        for words in [scene.texts[key][a:b].strip()]
        if sum(map(str.isalnum, words)) >= MIN_LETTERS and _flat(words) in _flat(prompts[id])
    )
    return Played(reading, leaks)


def _page(text: str, here: Collection[str], asleep: Collection[str] = ()) -> Page:
    """A page on which nothing happens, before these people."""
    return narration(text, present=", ".join(here), asleep=list(asleep))


def _perceived(turn: Turn, last: Turn, id: str) -> dict[str, str]:
    """What of line and page, and of the replies before, somebody perceived."""
    entries = witnessed(turn, id).entries
    replies = "\n".join(entry.text for entry in witnessed(last, id).entries)
    by_role = {
        role: "\n".join(entry.text for entry in entries if entry.role == role)
        for role in ("player", "narrator")
    }
    return {LINE: by_role["player"], PAGE: by_role["narrator"], **dict.fromkeys(REPLIES, replies)}


def _missing(scene: Scene, id: str, perceived: Mapping[str, str]) -> dict[str, Sequence[Span]]:
    return {
        key: [
            (a, b)
            for a, b in scene.fragments(key)
            if _flat(scene.texts[key][a:b]) not in _flat(perceived[key])
        ]
        for key in scene.concerned_by(id)
    }


def _flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _pack(scene: Scene) -> Pack:
    cast = tuple(scene.cast)
    chapter: dict[str, Any] = {
        "id": "one", "title": "One", "summary": "A scene.", "beats": ["something happens", "somebody speaks"],
        "completion": "It is over.", "characters": cast, "present": scene.before,
    }  # fmt: skip
    return Pack(
        game=GameInfo(
            id="scene", title="Scene", description="One scene.", characters=cast, chapters=("one",),
            player=PlayerInfo(name=scene.player),
        ),
        world=World(setting="A place.", tone="Plain.", rules="None."),
        characters={
            id: Character(name=name, role="guest", personality="Plain.") for id, name in scene.cast.items()
        },
        chapters={"one": Chapter.model_validate(chapter)},
    )  # fmt: skip
