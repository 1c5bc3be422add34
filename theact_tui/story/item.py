"""Items of knowledge and their likely sources."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from theact_tui.errors import UsageError
from theact_tui.story.forgetting_and_recall import archived_lines
from theact_tui.story.game import Game
from theact_tui.story.knowledge import Kind
from theact_tui.story.matching import overlap, plain, same_sense, says_the_same, stems
from theact_tui.story.memory import Memory, lines_of
from theact_tui.story.turn import FULLY_HEARD, Turn
from theact_tui.text import one_line

MIN_ASKED_SHARE = 0.5
MIN_SOURCE_SHARE = 0.3
"""Share of a line's words in its source."""


@dataclass(frozen=True, slots=True)
class Item:
    kind: Kind
    text: str
    id: str = ""


def remembered_texts(memory: Memory) -> list[str]:
    return [line.text for line in (*lines_of(memory), *archived_lines(memory.older)) if line.text.strip()]


def line_of_it(text: str, lines: Sequence[str]) -> str:
    """Return the line that says `text`, else says the same, else has most of its words; "" if none has half of them."""
    if text in lines:
        return text
    if same := next((line for line in lines if says_the_same(text, [line])), ""):
        return same
    words = stems(text)
    likest = max(lines, key=lambda line: overlap(words, stems(line)), default="")
    is_of_it = overlap(words, stems(likest)) >= MIN_ASKED_SHARE and same_sense(plain(text), plain(likest))
    return likest if is_of_it else ""


def items_of(game: Game, character: str = "") -> Iterator[Item]:
    for id, memory in game.memories.items():
        if character in ("", id):
            yield from (Item("line", text) for text in remembered_texts(memory))
    past = [game.pack.chapters[chapter.chapter].beats for chapter in game.state.chapter_history]
    yield from (Item("beat", beat) for beats in (game.state.beats_hit, *past) for beat in beats)
    yield from (Item("moment", moment.summary) for moment in game.moments)
    yield from (Item("lore", entry.text, entry.id) for entry in game.pack.lore_entries)


def find_item(game: Game, words: str, character: str = "") -> Item:
    """Return the item that the words mean. Raises UsageError."""
    wanted, wanted_stems = plain(words), stems(words)

    def likeness(item: Item) -> tuple[bool, bool, float]:
        text = plain(item.text)
        is_exact = bool(wanted) and wanted in (text, plain(item.id))
        return is_exact, bool(wanted) and wanted in text, overlap(wanted_stems, stems(item.text))

    best = max(items_of(game, character), key=likeness, default=None)
    if best is None or max(likeness(best)) < MIN_ASKED_SHARE:
        owner = game.pack.name_of(character) if character else "anybody"
        raise UsageError(
            f"Nothing that {owner} knows at turn {game.state.turn} is like “{one_line(words, 60)}”."
        )
    return best


@dataclass(frozen=True, slots=True)
class Source:
    turn: int
    label: str
    place: str
    text: str
    share: float

    def __str__(self) -> str:
        return f"{self.place} in turn {self.turn}"


def pieces_of(turn: Turn, names: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield label, place and text."""
    line = turn.cuts.line_pieces(turn.player_text) or {"1": turn.player_text}
    page = turn.cuts.page_pieces(turn.narration) or {"A": turn.narration}
    yield from ((label, "your line", text) for label, text in line.items() if text)
    yield from ((label, "the page", text) for label, text in page.items() if text)
    for reply, pieces in zip(turn.replies, turn.reply_pieces, strict=True):
        place = f"{names.get(reply.character or '', reply.character)}'s reply"
        yield from ((label, place, text) for label, text in pieces.items())


def likely_source(turn: Turn, character: str, text: str, names: Mapping[str, str]) -> Source | None:
    """Return the perceived piece that is most like `text`."""
    if character not in turn.witnesses:
        return None
    missed, words = turn.heard.get(character, FULLY_HEARD).missed, stems(text)
    sources = [
        Source(turn.number, label, place, one_line(piece, 400), round(overlap(words, stems(piece)), 2))
        for label, place, piece in pieces_of(turn, names)
        if label not in missed
    ]
    best = max(sources, key=lambda source: source.share, default=None)
    return best if best and best.share >= MIN_SOURCE_SHARE else None
