"""Five ways to ask a model who missed what of a turn, and how each answer is read.

a: who alone heard the line (the form of version 0.9). b: by person, the pieces missed. c: by piece, who took it in.
d: one closed word a person. e: exceptions only.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tests.benchmarks.hearing.pieces import Piece, missed_spans, pieces_of
from tests.benchmarks.hearing.scenes import LINE, PAGE, Scene
from tests.benchmarks.hearing.score import Reading
from theact_tui.story.names import Names

MAX_ANSWERS = 2
ALL = "all"
EVERYTHING, NOTHING = "everything", "nothing"
NOT_LINE, NOT_PAGE, CAME, WENT = "not the line", "not the page", "came in", "went out"
WORDS = (EVERYTHING, NOT_LINE, NOT_PAGE, CAME, WENT, NOTHING)
MOODS = ("tense", "calm", "urgent", "mysterious", "humorous", "dramatic", "melancholic")

Answer = Mapping[str, Any]


@dataclass(frozen=True)
class Variant:
    """One way to ask."""

    ask: Callable[[Scene, Sequence[Piece]], str]
    """The task, behind the text of the turn."""
    schema: Callable[[Scene, Sequence[Piece]], dict[str, Any]]
    read: Callable[[Scene, Sequence[Piece], Answer], Reading]
    labels: bool = True
    """Whether line, page and replies are shown with the labels of their pieces."""


def prompt(scene: Scene, variant: Variant) -> str:
    """All that the model is shown."""
    pieces = pieces_of(scene)

    def shown(text: str, between: str) -> str:
        return between.join(
            f"[{piece.label}] {piece.words}" if variant.labels else piece.words
            for piece in pieces
            if piece.text == text
        )

    replies = [
        f"{_name(scene, reply.speaker)}: {shown(key, '')}"
        for key, reply in zip("abcd", scene.replies, strict=False)
    ]
    people = ", ".join(f"{id} ({name})" for id, name in scene.cast.items())
    here = ", ".join(_name(scene, id) for id in scene.before) or "nobody"
    asleep = f"; asleep: {', '.join(_name(scene, id) for id in scene.asleep)}" if scene.asleep else ""
    return "\n\n".join(
        [
            f"People: {people}. Here before this page: {here}{asleep}. {scene.player} is the player, “you” on the page.",
            *(["What was answered last:\n" + "\n".join(replies)] if replies else []),
            f"{scene.player}'s line:\n{shown(LINE, ' ')}",
            f"The page:\n{shown(PAGE, chr(10) * 2)}",
            variant.ask(scene, pieces),
        ]
    )


def _name(scene: Scene, id: str) -> str:
    return scene.cast[id]


def _compact(form: dict[str, Any]) -> str:
    """A form as an example: without spaces, which a model copies and which are a quarter of its tokens."""
    return json.dumps(form, ensure_ascii=False, separators=(",", ":"))


# --- schemas -------------------------------------------------------------------------------------------------------------


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _several(options: Collection[str], most: int | None = None) -> dict[str, Any]:
    items = {"type": "string", "enum": list(options)} if options else {"type": "string"}
    return {"type": "array", "items": items, "maxItems": len(options) if most is None else most}


def _presence(scene: Scene) -> dict[str, Any]:
    return {"here": _several(scene.cast), "asleep": _several(scene.cast)}


def _answers(scene: Scene) -> dict[str, Any]:
    return {"answer": _several(scene.cast, MAX_ANSWERS)}


# --- reading -------------------------------------------------------------------------------------------------------------


def _ids(scene: Scene, value: object) -> tuple[str, ...]:
    return tuple(id for id in dict.fromkeys(value) if id in scene.cast) if isinstance(value, list) else ()


def _reading(
    scene: Scene,
    pieces: Sequence[Piece],
    marks: Mapping[str, Collection[str]],
    answer: Answer,
    *,
    here: Collection[str],
    asleep: Collection[str],
) -> Reading:
    """Who is here neither before nor at the end took in nothing where the form marks nothing."""
    whole = [piece.label for piece in pieces if piece.text in (LINE, PAGE)]
    filled = {
        id: whole if ALL in labels or _is_away(scene, id, labels, here) else labels
        for id in scene.cast
        for labels in [marks.get(id, ())]
    }
    return Reading(missed_spans(pieces, filled), here, asleep, _ids(scene, answer.get("answer")))


def _is_away(scene: Scene, id: str, labels: Collection[str], here: Collection[str]) -> bool:
    return not labels and id not in scene.before and id not in here


# --- a: who alone heard the line -----------------------------------------------------------------------------------------


def _ask_hearers(scene: Scene, pieces: Sequence[Piece]) -> str:
    hero, answered = scene.player, ", ".join(reply.speaker for reply in scene.replies)
    unchanged: dict[str, Any] = {"moved": False, "here": list(scene.before), "asleep": list(scene.asleep)}
    awake = [id for id in scene.before if id not in scene.asleep]
    last = [reply.speaker for reply in scene.replies if reply.speaker in awake] or awake
    unchanged |= {"passed": [], **({"gone": []} if answered else {}), "because": "", "heard_by": []}
    unchanged |= {"answer": last[:1], "mood": "calm"}
    asked = {
        "moved": f"did {hero} go elsewhere?",
        "here": "who is there?",
        "asleep": "who of them?",
        "passed": "who came and left again?",
        "gone": f"who of {answered} left in the last answer?",
        "because": f'words copied from {hero}\'s line that keep it from somebody (a whisper, a sign, a note); mostly ""',
        "heard_by": "then who alone noticed it, or nobody?",
        "answer": f"who speaks next? At most {MAX_ANSWERS}, or nobody",
        "mood": ", ".join(MOODS),
    }
    fields = "\n".join(f"{name}: {asked[name]}" for name in unchanged)
    return (
        f"Fill in a form for the end of that page.\n{fields}\nIf nothing changed:\n"
        f"{_compact(unchanged)}\nAs it is, one JSON object:"
    )


def _schema_hearers(scene: Scene, pieces: Sequence[Piece]) -> dict[str, Any]:
    answered = [reply.speaker for reply in scene.replies]
    away = [id for id in scene.cast if id not in scene.before]
    return _object(
        {
            "moved": {"type": "boolean"},
            **_presence(scene),
            **({"passed": _several(away)} if away else {}),
            **({"gone": _several(answered)} if answered else {}),
            "because": {"type": "string", "maxLength": 120},
            "heard_by": _several([*scene.cast, "nobody"]),
            **_answers(scene),
            "mood": {"type": "string", "enum": list(MOODS)},
        }
    )


def _read_hearers(scene: Scene, pieces: Sequence[Piece], answer: Answer) -> Reading:
    here, gone = _ids(scene, answer.get("here")), _ids(scene, answer.get("gone"))
    heard_by = answer.get("heard_by") if answer.get("because") else []
    line = [piece.label for piece in pieces if piece.text == LINE]
    marks = dict[str, list[str]]()
    for id in scene.cast:
        if id in gone:
            marks[id] = [ALL, *_after_own_reply(scene, id)]
        elif id not in scene.before or (heard_by and id not in heard_by):
            marks[id] = list(line)
    for id in scene.cast:
        if id not in scene.before and id not in here:
            marks[id] = [ALL]
    return _reading(scene, pieces, marks, answer, here=here, asleep=_ids(scene, answer.get("asleep")))


def _after_own_reply(scene: Scene, id: str) -> list[str]:
    own = [at for at, reply in enumerate(scene.replies) if reply.speaker == id]
    return ["abcd"[at] for at in range(own[-1] + 1, len(scene.replies))] if own else []


# --- b: by person, the pieces missed -------------------------------------------------------------------------------------

_WHY = "not there yet, gone, asleep, too far away; a whisper, a sign, a note, a thought or a letter for somebody else"


def _tail(scene: Scene) -> str:
    return (
        f"here: who is with {scene.player} at the end, also if asleep\n"
        "asleep: who of those is asleep\n"
        "answer: one or two of those here who were spoken to or would speak now, first the one spoken to; [] if nobody"
    )


_EXAMPLE = (
    "Example. Ben and Cy are in the room. [1] I ask Cy for the salt. [2] Under the table I show Ben the key. "
    "[A] Ben nods. [B] Dee comes in."
)


def _ask_missed(scene: Scene, pieces: Sequence[Piece]) -> str:
    labels = " ".join(f"[{piece.label}]" for piece in pieces)
    example = {
        "answer": ["cy"],
        "missed": {"ben": [], "cy": ["2"], "dee": ["1", "2", "A"]},
        "here": ["ben", "cy", "dee"],
        "asleep": [],
    }
    return (
        f"missed: for each person, which of {labels} this person cannot have heard or seen: {_WHY}. "
        f'[] if the person took in everything, ["{ALL}"] if nothing.\n'
        f"{_tail(scene)}\n{_EXAMPLE}\n{_compact(example)}\nFor this page, one JSON object:"
    )


def _schema_missed(scene: Scene, pieces: Sequence[Piece]) -> dict[str, Any]:
    labels = [*(piece.label for piece in pieces), ALL]
    missed = _object({id: _several(labels) for id in scene.cast})
    return _object({**_answers(scene), "missed": missed, **_presence(scene)})


def _read_missed(scene: Scene, pieces: Sequence[Piece], answer: Answer) -> Reading:
    marks = answer.get("missed")
    return _reading(
        scene,
        pieces,
        {id: labels for id, labels in marks.items() if isinstance(labels, list)}
        if isinstance(marks, dict)
        else {},
        answer,
        here=_ids(scene, answer.get("here")),
        asleep=_ids(scene, answer.get("asleep")),
    )


# --- c: by piece, who took it in -----------------------------------------------------------------------------------------


def _ask_perceivers(scene: Scene, pieces: Sequence[Piece]) -> str:
    example = {
        "answer": ["cy"],
        "took_in": {"1": ["ben", "cy"], "2": ["ben"], "A": ["ben", "cy"], "B": ["ben", "cy", "dee"]},
        "here": ["ben", "cy", "dee"],
        "asleep": [],
    }
    return (
        f"took_in: for each piece, who heard or saw it. Not who was {_WHY.partition(';')[0]}; of a whisper, a sign, a "
        "note, a thought or a letter only those it is for.\n"
        f"{_tail(scene)}\n{_EXAMPLE}\n{_compact(example)}\nFor this page, one JSON object:"
    )


def _schema_perceivers(scene: Scene, pieces: Sequence[Piece]) -> dict[str, Any]:
    took_in = _object({piece.label: _several(scene.cast) for piece in pieces})
    return _object({**_answers(scene), "took_in": took_in, **_presence(scene)})


def _read_perceivers(scene: Scene, pieces: Sequence[Piece], answer: Answer) -> Reading:
    took_in = answer.get("took_in")
    by_piece = took_in if isinstance(took_in, dict) else {}
    marks = {
        id: [
            piece.label
            for piece in pieces
            if isinstance(by_piece.get(piece.label), list) and id not in by_piece[piece.label]
        ]
        for id in scene.cast
    }
    here, asleep = _ids(scene, answer.get("here")), _ids(scene, answer.get("asleep"))
    return Reading(missed_spans(pieces, marks), here, asleep, _ids(scene, answer.get("answer")))


# --- d: one closed word a person -----------------------------------------------------------------------------------------


def _ask_word(scene: Scene, pieces: Sequence[Piece]) -> str:
    example = {"answer": ["cy"], "took_in": {"ben": EVERYTHING, "cy": NOT_LINE, "dee": CAME}, "asleep": []}
    return (
        "took_in: for each person one of these:\n"
        f"{EVERYTHING}: heard and saw all of it\n"
        f"{NOT_LINE}: all but {scene.player}'s line, which was a whisper, a sign or a note for somebody else\n"
        f"{NOT_PAGE}: all but the page, which is a letter, a thought or a whisper for somebody else\n"
        f"{CAME}: came in on this page and knows nothing from before\n"
        f"{WENT}: left on this page and knows nothing from then on\n"
        f"{NOTHING}: is not there, asleep, deaf, or left before the line\n"
        "asleep: who is there and asleep\n"
        "answer: one or two of those here who were spoken to or would speak now, first the one spoken to; [] if nobody\n"
        f"{_EXAMPLE.replace('[1] I ask Cy for the salt. [2] ', '').replace('[A] ', '').replace('[B] ', '')}\n"
        f"{_compact(example)}\nFor this page, one JSON object:"
    )


def _schema_word(scene: Scene, pieces: Sequence[Piece]) -> dict[str, Any]:
    took_in = _object({id: {"type": "string", "enum": list(WORDS)} for id in scene.cast})
    return _object({**_answers(scene), "took_in": took_in, "asleep": _several(scene.cast)})


def _read_word(scene: Scene, pieces: Sequence[Piece], answer: Answer) -> Reading:
    took_in = answer.get("took_in")
    words = took_in if isinstance(took_in, dict) else {}
    line = [piece.label for piece in pieces if piece.text == LINE]
    page = [piece for piece in pieces if piece.text == PAGE]
    names = Names(dict(scene.cast))
    asleep = _ids(scene, answer.get("asleep"))
    marks, here = dict[str, list[str]](), set(asleep)
    for id in scene.cast:
        named = [at for at, piece in enumerate(page) if id in names.within(piece.words)]
        word = words.get(id, EVERYTHING)
        if word == NOT_LINE:
            marks[id] = line
        elif word == NOT_PAGE:
            marks[id] = [piece.label for piece in page]
        elif word == CAME:
            first = named[0] if named else len(page) - 1
            marks[id] = [*line, *(piece.label for piece in page[:first])]
        elif word == WENT:
            marks[id] = [piece.label for piece in page[named[-1] + 1 :]] if named else []
        elif word == NOTHING:
            marks[id] = [ALL, *_after_own_reply(scene, id)]
        if word not in (WENT, NOTHING):
            here.add(id)
    return _reading(scene, pieces, marks, answer, here=here, asleep=asleep)


# --- e: exceptions only --------------------------------------------------------------------------------------------------


def _ask_exceptions(scene: Scene, pieces: Sequence[Piece]) -> str:
    example = {
        "answer": ["cy"],
        "missed": [{"who": "cy", "pieces": ["2"]}, {"who": "dee", "pieces": ["1", "2", "A"]}],
        "came": ["dee"],
        "went": [],
        "asleep": [],
    }
    labels = " ".join(f"[{piece.label}]" for piece in pieces)
    return (
        f"missed: only those who cannot have heard or seen something: {_WHY}. Which of {labels} each of them missed, "
        f'["{ALL}"] for all. Mostly [].\n'
        "came: who is here at the end and was not before\n"
        "went: who was here before and is not at the end\n"
        "asleep: who is here and asleep at the end\n"
        "answer: one or two of those here who were spoken to or would speak now, first the one spoken to; [] if nobody\n"
        f"{_EXAMPLE}\n{_compact(example)}\nFor this page, one JSON object:"
    )


def _schema_exceptions(scene: Scene, pieces: Sequence[Piece]) -> dict[str, Any]:
    away = [id for id in scene.cast if id not in scene.before]
    one = _object(
        {
            "who": {"type": "string", "enum": list(scene.cast)},
            "pieces": _several([*(piece.label for piece in pieces), ALL]),
        }
    )
    return _object(
        {
            **_answers(scene),
            "missed": {"type": "array", "items": one, "maxItems": len(scene.cast)},
            **({"came": _several(away)} if away else {}),
            **({"went": _several(scene.before)} if scene.before else {}),
            "asleep": _several(scene.cast),
        }
    )


def _read_exceptions(scene: Scene, pieces: Sequence[Piece], answer: Answer) -> Reading:
    listed = answer.get("missed")
    marks = {
        one["who"]: one["pieces"]
        for one in (listed if isinstance(listed, list) else ())
        if isinstance(one, dict) and one.get("who") in scene.cast and isinstance(one.get("pieces"), list)
    }
    came, went = _ids(scene, answer.get("came")), _ids(scene, answer.get("went"))
    here = {*scene.before, *came} - set(went)
    return _reading(scene, pieces, marks, answer, here=here, asleep=_ids(scene, answer.get("asleep")))


VARIANTS = {
    "a": Variant(_ask_hearers, _schema_hearers, _read_hearers, labels=False),
    "b": Variant(_ask_missed, _schema_missed, _read_missed),
    "c": Variant(_ask_perceivers, _schema_perceivers, _read_perceivers),
    "d": Variant(_ask_word, _schema_word, _read_word, labels=False),
    "e": Variant(_ask_exceptions, _schema_exceptions, _read_exceptions),
}
