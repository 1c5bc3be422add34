"""Line, page and replies of a scene cut into labelled pieces, as a form names them, and back into places of the text."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import count

from tests.support.hearing.scenes import LINE, PAGE, REPLIES, MissedSpans, Scene
from theact_tui.sentences import Span
from theact_tui.story.perception import cut
from theact_tui.story.speech import reply_cuts
from theact_tui.story.turn import reply_label


@dataclass(frozen=True)
class Piece:
    """A piece of `line`, `page` or a reply, and where in that text it stands."""

    label: str
    text: str
    span: Span
    words: str


def pieces_of(scene: Scene) -> list[Piece]:
    """Line, page and replies as the program cuts them (1 to 9, A to Z, a to z)."""
    cuts, labels = cut(scene.line, scene.page), map(reply_label, count())
    told = zip(REPLIES, scene.replies, reply_cuts([reply.text for reply in scene.replies]), strict=False)
    return [
        *_pieces(LINE, scene.line, cuts.line_labels, cuts.line),
        *_pieces(PAGE, scene.page, cuts.page_labels, cuts.page),
        *(
            Piece(next(labels), key, span, reply.text[slice(*span)])
            for key, reply, spans in told
            for span in spans
        ),
    ]


def _pieces(key: str, text: str, labels: Sequence[str], spans: Sequence[Span]) -> list[Piece]:
    return [Piece(label, key, span, text[slice(*span)]) for label, span in zip(labels, spans, strict=True)]


def right_marks(scene: Scene, pieces: Collection[Piece]) -> dict[str, set[str]]:
    """By person, the labels of all pieces of which any word was not taken in."""
    marks: dict[str, set[str]] = {}
    for id in scene.cast:
        concerned = scene.concerned_by(id)
        for piece in pieces:
            if piece.text in concerned and _holds_missed(scene, id, piece):
                marks.setdefault(id, set()).add(piece.label)
    return marks


def _holds_missed(scene: Scene, id: str, piece: Piece) -> bool:
    missed = places(scene.missed.get(id, {}).get(piece.text, ()))
    missed -= places(scene.either.get(id, {}).get(piece.text, ()))
    text = scene.texts[piece.text]
    return any(text[at].isalnum() for at in missed if piece.span[0] <= at < piece.span[1])


def places(spans: Collection[Span]) -> set[int]:
    """All places of a text that these spans cover."""
    return {at for start, end in spans for at in range(start, end)}


def missed_spans(pieces: Collection[Piece], marks: Mapping[str, Collection[str]]) -> MissedSpans:
    """The places that marked pieces cover, by person and text."""
    spans: dict[str, dict[str, list[Span]]] = {}
    for id, labels in marks.items():
        for piece in pieces:
            if piece.label in labels:
                spans.setdefault(id, {}).setdefault(piece.text, []).append(piece.span)
    return spans


def marks_of(pieces: Collection[Piece], missed: MissedSpans) -> dict[str, set[str]]:
    """By person, the labels of the pieces that these places cover."""
    return {
        id: {
            piece.label for piece in pieces if set(range(*piece.span)) <= places(by_text.get(piece.text, ()))
        }
        for id, by_text in missed.items()
    }
