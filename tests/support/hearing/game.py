"""A scene played as one turn of a game: an authored page, a scripted model, and what then reaches each person."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from tests.support.fake_model import Page, Scripted, Stage, narration, stage
from tests.support.hearing.pieces import Piece, marks_of, pieces_of, right_marks
from tests.support.hearing.scenes import LINE, PAGE, REPLIES, Scene
from tests.support.hearing.score import Reading, reading_of_marks
from theact_tui.models.model import Request
from theact_tui.sentences import Span
from theact_tui.story.character_view import corrected_by, witnessed
from theact_tui.story.names import Names
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, PlayerInfo, World
from theact_tui.story.perception import perceive
from theact_tui.story.scene import Scene as StageScene
from theact_tui.story.speech import reply_cuts
from theact_tui.story.turn import Cuts, Entry, Heard, StageForm, Turn, reply_pieces

MIN_LETTERS = 12
"""Shorter fragments may stand in a prompt by chance."""


def form_of(scene: Scene, reading: Reading) -> dict[str, Any]:
    """The program's form, filled in by a reading: the one place that knows its fields."""
    pieces = pieces_of(scene)
    marks = marks_of(pieces, reading.missed)
    whole = [piece.label for piece in pieces if piece.text in (LINE, PAGE)]
    here = scene.before if reading.here is None else reading.here
    there = [id for id in scene.cast if id in (*scene.before, *here) or not {*whole} <= {*marks.get(id, ())}]
    visitors = {*there} & {*marks} - {*scene.before, *here}
    hearers = {label: [id for id in there if label not in marks.get(id, ())] for label in whole}
    gone = [
        reply.speaker for reply in scene.replies if _misses_what_follows(scene, reply.speaker, pieces, marks)
    ]
    stayed = [id for id in scene.before if id not in (*scene.asleep, *gone)]
    overheard = {
        piece.label: [id for id in stayed if piece.label not in marks.get(id, ())]
        for piece in pieces
        if piece.text in REPLIES
    }
    return {
        "answer": list(reading.answer or ()),
        "only": {
            label: ids
            for label, ids in hearers.items()
            if len(ids) < len(there) or not visitors.isdisjoint(ids)
        }
        | {label: ids for label, ids in overheard.items() if len(ids) < len(stayed)},
        "here": list(here),
        "asleep": list(scene.asleep if reading.asleep is None else reading.asleep),
        "gone": gone,
        "moved": _moved(scene, here, gone, pieces, marks),
        "elsewhere": not set(scene.before) & set(here),
        "place": "",
    }


def _moved(
    scene: Scene,
    here: Collection[str],
    gone: Collection[str],
    pieces: Sequence[Piece],
    marks: Mapping[str, Collection[str]],
) -> dict[str, str]:
    """By who came, the first piece of the page that they took in; by who left, the last of line and page."""
    moved: dict[str, str] = {}
    for id in scene.cast:
        came, left = id in {*here} - {*scene.before}, id in {*scene.before} - {*here, *gone}
        texts = (PAGE,) if came else (LINE, PAGE)
        taken = [one.label for one in pieces if one.text in texts and one.label not in marks.get(id, ())]
        if taken and id in marks and (came or left):
            moved[id] = taken[0 if came else -1]
    return moved


def _misses_what_follows(
    scene: Scene, id: str, pieces: Collection[Piece], marks: Mapping[str, Collection[str]]
) -> bool:
    """True for somebody who left in their own last reply: they miss all replies after it."""
    own = [at for at, reply in enumerate(scene.replies) if reply.speaker == id]
    after = {piece.label for piece in pieces if piece.text in REPLIES[own[-1] + 1 :]}
    return bool(after) and after <= {*marks.get(id, ())}


def right_form(scene: Scene) -> dict[str, Any]:
    """The program's form, filled in from the labels."""
    return form_of(scene, reading_of_marks(scene, right_marks(scene, pieces_of(scene))))


def forgetful(form: dict[str, Any], forget: float, chance: Random) -> dict[str, Any]:
    """A form less a share of its statements about pieces and of who moved, and of the names in the others."""
    remembered = ((label, ids) for label, ids in form["only"].items() if chance.random() >= forget)
    only = {label: [id for id in ids if chance.random() >= forget] for label, ids in remembered}
    moved = {id: label for id, label in form["moved"].items() if chance.random() >= forget}
    return {**form, "only": only, "moved": moved}


def decided(scene: Scene, reading: Reading) -> Reading:
    """What the program makes of the form that a reading fills in, without a game around it."""
    return decided_by_form(scene, StageForm.model_validate(form_of(scene, reading)))


def decided_by_form(scene: Scene, form: StageForm) -> Reading:
    """What the program makes of a form, without a game around it."""
    replies = tuple(
        Entry(role="character", character=reply.speaker, text=reply.text) for reply in scene.replies
    )
    awake = tuple(id for id in scene.before if id not in scene.asleep)
    said = Cuts(replies=reply_cuts([reply.text for reply in scene.replies]))
    last = Turn(number=1, chapter="one", entries=replies, cuts=said, witnesses=awake)
    before = StageScene(
        line=scene.line,
        names=Names(dict(scene.cast)),
        here=scene.before,
        stayed=scene.before,
        asleep=scene.asleep,
        replies=replies,
        reply_pieces=last.reply_pieces,
        listeners=awake,
    )
    perception = perceive(before, scene.page, form)
    cuts, stage = perception.cuts, perception.stage
    corrected, missed = corrected_by(last, stage), dict[str, dict[str, Sequence[Span]]]()
    for id in scene.cast:
        heard = perception.heard.get(id)
        missed[id] = {
            LINE: _missed(cuts.line_labels, cuts.line, heard),
            PAGE: _missed(cuts.page_labels, cuts.page, heard),
        }
        for key, spans in zip(REPLIES, reply_pieces(said, [reply.text for reply in replies]), strict=False):
            missed[id][key] = [span for label, span in spans.items() if label in corrected.missed_by(id)]
    return Reading(missed, stage.here, stage.asleep, stage.answer)


def _missed(labels: Sequence[str], spans: Sequence[Span], heard: Heard | None) -> list[Span]:
    """The pieces that somebody missed; all, where nothing was perceived."""
    pairs = zip(labels, spans, strict=True)
    return [span for label, span in pairs if heard is None or label in heard.missed]


@dataclass(frozen=True)
class Played:
    reading: Reading
    """By what each person perceived, as the turn keeps it."""
    prompt_leaks: tuple[tuple[str, str], ...]
    """Person and fragment: what somebody missed and is shown in a prompt, to remember or to answer."""
    remembered_leaks: int
    """Pieces of replies that somebody missed, and that their memory was shown before the form could say so."""


async def question(scene: Scene, folder: Path) -> Request:
    """What the program asks about a scene, behind its narrator's prompt."""
    model = Scripted(window=32_768)
    game = await _before(scene, model, folder)
    try:
        await game.turn(scene.line, narrator=narration(scene.page))
    finally:
        await game.session.close()
    return [request for request in model.asked if request.agent == "stage"][-1]


async def _before(scene: Scene, model: Scripted, folder: Path) -> Stage:
    """A game after the turn before the scene."""
    game = await stage(folder, model, _pack(scene))
    speakers = [reply.speaker for reply in scene.replies]
    model.answers |= {f"character:{id}": f"{name} waits." for id, name in scene.cast.items()}
    first = _page("You look around. Nothing stirs.", scene.before, scene.asleep)
    await game.turn("I look around.", narrator=first)
    if speakers:
        model.answers |= {f"character:{reply.speaker}": reply.text for reply in scene.replies}
        model.answers["narrator"] = _page("You wait.", scene.before, scene.asleep)
        await game.session.go_on(asked=speakers)
        await game.session.settle()
        model.answers |= {f"character:{id}": f"{name} waits." for id, name in scene.cast.items()}
    return game


async def play(scene: Scene, form: dict[str, Any], folder: Path) -> Played:
    """Play the turn before, the scene, a turn that calls everybody in, and one in which all answer by what they know."""
    model = Scripted(window=32_768)
    game = await _before(scene, model, folder)
    session = game.session
    try:
        page = narration(scene.page)
        page.form = form
        asked = len(model.asked)
        await game.turn(scene.line, narrator=page)
        number = session.game.state.turn
        names = ", ".join(scene.cast.values())
        await game.turn("I wait.", narrator=_page(f"All of them stand before you: {names}.", scene.cast))
        model.answers["narrator"] = _page("Nobody moves.", scene.cast)
        await session.go_on(asked=tuple(scene.cast))
        await session.settle()
        turns = {one.number: one for one in await session.turns(1, number)}
        prompts = {id: _shown(model.asked[asked:], f"memory:{id}", f"character:{id}") for id in scene.cast}
        remembered = {id: _shown(model.asked[:asked], f"memory:{id}") for id in scene.cast}
    finally:
        await session.close()
    turn, last = turns[number], turns[number - 1]
    missed = {id: _missing(scene, id, _perceived(turn, last, id)) for id in scene.cast}
    told = turn.stage
    came_of_it = Reading(
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
    late = sum(
        _flat(scene.texts[key][a:b]) in _flat(remembered[id])
        for id, by_text in scene.missed.items()
        for key in scene.concerned_by(id)
        if key in REPLIES
        for a, b in by_text.get(key, ())
    )
    return Played(came_of_it, leaks, late)


def _shown(requests: Sequence[Request], *keys: str) -> str:
    return "\n".join(
        message["content"]
        for request in requests
        if request.key in keys
        for message in request.prompt.messages(request.correction)
    )


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
