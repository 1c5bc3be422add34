"""Perception of a turn whose texts were edited: it is cut anew."""

from collections.abc import Collection, Sequence
from itertools import zip_longest

from theact_tui.story.perception import cut, cut_with_replies
from theact_tui.story.turn import UNCUT, Cuts, Turn, reply_pieces


def recut(before: Turn, after: Turn) -> Turn:
    """Cut a turn anew after its texts were edited. Unchanged pieces keep their witnesses; whoever missed a lost piece
    (any, if none is lost) misses all new ones.
    """
    return after if before.cuts == UNCUT else _recut(after, _texts(before))


def recut_from_file(turn: Turn) -> Turn:
    """Cut texts anew that were edited in their file. Whoever missed any piece of a text misses all of it."""
    stored, texts = turn.cuts.sizes, _texts(turn)
    if turn.cuts == UNCUT or (len(stored) > 1 and tuple(map(len, texts))[: len(stored)] == stored):
        return turn
    unchanged = [text if stored[at : at + 1] == (len(text),) else "" for at, text in enumerate(texts)]
    return _recut(turn, unchanged)


def _texts(turn: Turn) -> list[str]:
    return [turn.player_text, turn.narration, *(reply.text for reply in turn.replies)]


def _pieces(cuts: Cuts, texts: Sequence[str]) -> list[dict[str, str]]:
    line, page, *replies = texts
    labelled = zip(replies, reply_pieces(cuts, replies), strict=False)
    told = [{label: text[a:b] for label, (a, b) in pieces.items()} for text, pieces in labelled]
    return [cuts.line_pieces(line), cuts.page_pieces(page), *told]


def _recut(turn: Turn, former_texts: Sequence[str]) -> Turn:
    old, new = turn.cuts, cut_with_replies(cut(turn.player_text, turn.narration), turn.replies)
    pairs = zip_longest(_pieces(old, former_texts), _pieces(new, _texts(turn)), fillvalue=dict[str, str]())
    origins: dict[str, set[str]] = {}
    for whole, (old_pieces, new_pieces) in zip_longest(("1", "A"), pairs):
        lost = {label for label, text in old_pieces.items() if text not in new_pieces.values()}
        for label, text in new_pieces.items():
            same = {at for at, piece in old_pieces.items() if piece == text}
            origins[label] = same or lost or {whole, *old_pieces}

    def moved(labels: Collection[str]) -> tuple[str, ...]:
        return tuple(sorted(label for label, former in origins.items() if not former.isdisjoint(labels)))

    heard = {id: part.model_copy(update={"missed": moved(part.missed)}) for id, part in turn.heard.items()}
    stage = turn.stage and turn.stage.model_copy(update={"private": moved(turn.stage.private)})
    return turn.model_copy(update={"cuts": new, "heard": heard, "stage": stage})
