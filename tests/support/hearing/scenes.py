"""Labelled scenes: who was there, what was typed and told, and what of it each person did not take in.

Labels are places in the text, set without regard to how the program cuts it. README.md tells the form of the files.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from theact_tui.sentences import Span, quotation_spans, sentence_spans
from theact_tui.yaml import load

CORPUS = Path(__file__).parent / "corpus"
LINE, PAGE = "line", "page"
REPLIES = "abcd"
NOBODY = "nobody"
"""In `answer`: silence is right as well."""

MissedSpans = Mapping[str, Mapping[str, Sequence[Span]]]
"""By person, then by text (`line`, `page`, `a` for the first reply): the places not taken in."""


class SceneError(Exception):
    """A scene contradicts itself; names it and says where."""


@dataclass(frozen=True)
class Reply:
    """What somebody answered in the turn before."""

    speaker: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Scene:
    """One turn and its labels."""

    id: str
    kinds: tuple[str, ...]
    player: str
    cast: Mapping[str, str]
    """Names by id."""
    before: tuple[str, ...]
    """Ids of those on stage before the line, as the program has it: an exit in a reply is still to be noticed."""
    asleep: tuple[str, ...]
    """Of these, who sleeps."""
    replies: tuple[Reply, ...]
    line: str
    page: str
    missed: MissedSpans
    either: MissedSpans
    """What counts neither way: a knock heard by the one who knocks, a gesture that may have been seen."""
    here: tuple[str, ...]
    """Ids of those on stage at the end, sleepers among them."""
    sleeping: tuple[str, ...]
    """Who sleeps at the end."""
    answer: tuple[str, ...]
    """Who may answer, the best one first; `nobody` or empty: silence is right."""

    @property
    def texts(self) -> dict[str, str]:
        replies = {REPLIES[at]: reply.text for at, reply in enumerate(self.replies)}
        return {LINE: self.line, PAGE: self.page, **replies}

    @property
    def is_uneventful(self) -> bool:
        """True if everybody on stage took in everything."""
        return not any(
            spans for id, by_text in self.missed.items() if id in self.before for spans in by_text.values()
        ) and set(self.before) == set(self.here)

    def concerned_by(self, id: str) -> list[str]:
        """The texts that somebody is asked about: replies only if this person was there, awake, and did not speak them."""
        was_awake = id in self.before and id not in self.asleep
        heard = [REPLIES[at] for at, reply in enumerate(self.replies) if was_awake and reply.speaker != id]
        return [LINE, PAGE, *heard]

    def fragments(self, text: str) -> list[Span]:
        """A text cut at the ends of its sentences and quotations, and at the edges of all labels."""
        whole = self.texts[text]
        cuts = {0, len(whole)}
        cuts |= {edge for span in (*sentence_spans(whole), *quotation_spans(whole)) for edge in span}
        for by_text in (*self.missed.values(), *self.either.values()):
            cuts |= {end for span in by_text.get(text, ()) for end in span}
        return [(a, b) for a, b in pairwise(sorted(cuts)) if re.search(r"\w", whole[a:b])]


def load_scenes(folder: Path = CORPUS) -> list[Scene]:
    """All scenes of the folder's files, in order. Raises `SceneError`."""
    scenes = [
        _scene(one)
        for file in sorted(folder.glob("*.yaml"))
        for one in _list(load(file.read_bytes(), file.name))
    ]
    ids = [scene.id for scene in scenes]
    if twice := {id for id in ids if ids.count(id) > 1}:
        raise SceneError(f"Scenes with the same id: {', '.join(sorted(twice))}")
    return scenes


def spread(scenes: Sequence[Scene], count: int) -> list[Scene]:
    """So many scenes, evenly from all files."""
    count = min(count, len(scenes))
    return [scenes[at * len(scenes) // count] for at in range(count)]


def _list(data: Any) -> list[dict[str, Any]]:
    if not isinstance(data, list):
        raise SceneError("A file of scenes holds a list.")
    return data


def _scene(data: dict[str, Any]) -> Scene:
    id, cast = str(data["id"]), dict(data["cast"])
    replies = tuple(Reply(*pair) for one in data.get("replies", ()) for pair in one.items())
    texts = {LINE: data["line"], PAGE: data["page"]}
    texts |= {REPLIES[at]: reply.text for at, reply in enumerate(replies)}
    labels: dict[str, Any] = data.get("missed", {})
    scene = Scene(
        id=id,
        kinds=tuple(data["kinds"]),
        player=data["player"],
        cast=cast,
        before=tuple(data["before"]),
        asleep=tuple(data.get("asleep", ())),
        replies=replies,
        line=data["line"],
        page=data["page"],
        missed={person: _resolve(id, texts, label) for person, label in labels.items()},
        either={person: _resolve(id, texts, label) for person, label in data.get("either", {}).items()},
        here=tuple(data["here"]),
        sleeping=tuple(data.get("sleeping", ())),
        answer=tuple(data["answer"]),
    )
    _check(scene)
    return scene


def _resolve(id: str, texts: Mapping[str, str], label: str | Sequence[str]) -> dict[str, list[Span]]:
    """The places that a label names: `all` (line and page), `line`, `page`, a text, or `its beginning ... its end`."""
    wanted = [LINE, PAGE] if label == "all" else label
    if isinstance(wanted, str):
        raise SceneError(f"{id}: a label is a list or `all`, not {wanted!r}")
    spans: dict[str, list[Span]] = {}
    for part in wanted:
        if part in (LINE, PAGE):
            spans.setdefault(part, []).append((0, len(texts[part])))
            continue
        first, _, last = part.partition(" ... ")
        key, start, end = _place(id, texts, first)
        if last:
            end_key, _, end = _place(id, texts, last)
            if end_key != key or end <= start:
                raise SceneError(f"{id}: {part!r} does not end behind its beginning in the same text")
        spans.setdefault(key, []).append((start, end))
    return {key: _merge(found) for key, found in spans.items()}


def _place(id: str, texts: Mapping[str, str], words: str) -> tuple[str, int, int]:
    """Where `words` stand, which must be once in all texts together."""
    places = [(key, at.start()) for key, text in texts.items() for at in re.finditer(re.escape(words), text)]
    if len(places) != 1:
        raise SceneError(f"{id}: {words!r} stands there {len(places)} times, not once")
    key, at = places[0]
    return key, at, at + len(words)


def _merge(spans: Iterable[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = merged[-1][0], max(end, merged[-1][1])
        else:
            merged.append((start, end))
    return merged


def _check(scene: Scene) -> None:
    people, unlabelled = set(scene.cast), set(scene.cast) - set(scene.missed)
    for field, ids in {
        "before": scene.before,
        "here": scene.here,
        "missed": tuple(scene.missed),
        "either": tuple(scene.either),
        "answer": tuple(id for id in scene.answer if id != NOBODY),
        "replies": tuple(reply.speaker for reply in scene.replies),
    }.items():
        if unknown := set(ids) - people:
            raise SceneError(
                f"{scene.id}: {field} names {', '.join(sorted(unknown))}, who is not in the cast"
            )
    if not set(scene.asleep) <= set(scene.before) or not set(scene.sleeping) <= set(scene.here):
        raise SceneError(f"{scene.id}: somebody sleeps who is not there")
    if not set(scene.answer) - {NOBODY} <= set(scene.here) - set(scene.sleeping):
        raise SceneError(f"{scene.id}: somebody may answer who is not there, awake")
    if forgotten := unlabelled - set(scene.before):
        raise SceneError(f"{scene.id}: {', '.join(sorted(forgotten))} was not there before and has no label")
    if len(scene.replies) > len(REPLIES):
        raise SceneError(f"{scene.id}: at most {len(REPLIES)} replies")
