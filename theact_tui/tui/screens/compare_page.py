"""How two places of a story are set side by side: a comparison in, visuals out."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from textual.content import Content
from textual.visual import Visual

from theact_tui.prose import paragraphs
from theact_tui.saves.compare import Comparison, MemoryDifference, Pair, Side
from theact_tui.story.game import Game
from theact_tui.story.turn import Turn
from theact_tui.text import one_line
from theact_tui.tui.screens.branches_page import block_rows
from theact_tui.tui.twin import INKS, Twin
from theact_tui.tui.typeset import Cast, turn_blocks
from theact_tui.tui.visuals import Indented, Stack

SAME = "In meaning the two are the same: chapter, beats, who is here, moments and everyone's memory."
ENDS = "The story does not reach this turn here."


def meaning_page(found: Comparison, names: tuple[str, str], game: Game) -> Visual:
    """Where they part, and what each has that the other has not."""
    cast = Cast.of(game.pack)
    sides = (found.a, found.b)
    rows: list[Visual] = [Content.styled(_parting(found), ".quiet"), Content("")]
    rows.append(Twin(*(_name(name, side, ink) for name, side, ink in zip(names, sides, INKS, strict=True))))
    aspects = [*_aspects(found, cast)]
    if not aspects:
        return Stack(*rows, Content(""), Content.styled(SAME, ".quiet"))
    for title, both in aspects:
        rows += [Content(""), title, both]
    return Stack(*rows)


def _parting(found: Comparison) -> str:
    if found.fork_turn < 0:
        return "They share no turn."
    if found.fork_turn == found.a.turn == found.b.turn:
        return f"Both are turn {found.fork_turn}."
    return f"They part after turn {found.fork_turn}. Below stands what only one of them has."


def _name(name: str, side: Side, ink: str) -> Visual:
    return Stack(
        Content.styled(one_line(name, 60), f"{ink}").stylize("bold"),
        Content.styled(one_line(side.chapter.title, 60), ".quiet"),
    )


def _aspects(found: Comparison, cast: Cast) -> Iterable[tuple[Visual, Visual]]:
    """The kinds of things in which they differ, each with its title."""
    sides = (found.a, found.b)
    if found.a.chapter != found.b.chapter:
        yield (
            Content.styled("CHAPTER", ".strong"),
            Twin(*(Content(one_line(side.chapter.title, 80)) for side in sides)),
        )
    kinds: tuple[tuple[str, str, str, Callable[[Side], list[str]]], ...] = (
        ("BEATS", "✓", ".good", lambda side: list(side.beats)),
        ("HERE", "●", "", lambda side: [cast.name(id) for id in side.present]),
        ("MOMENTS", "✦", ".warn", lambda side: [f"turn {m.turn}: {m.summary}" for m in side.moments]),
        ("CHAPTERS BEFORE", "·", ".quiet", lambda side: [f"{r.title}. {r.text}" for r in side.recaps]),
    )
    for title, mark, ink, lines in kinds:
        both = [lines(side) for side in sides]
        if any(both):
            yield Content.styled(title, ".strong"), Twin(*(_lines(mark, ink, each) for each in both))
    for id in (id for id in cast.names if id in found.a.characters or id in found.b.characters):
        name = Content.styled(one_line(cast.name(id), 40), f".voice-{cast.voice(id)}")
        yield name, Twin(*(_memory(side.characters.get(id)) for side in sides))


def _lines(mark: str, ink: str, texts: Iterable[str]) -> Visual | None:
    rows = [Indented(Content.styled(f"{mark} ", ink), Content(one_line(text, 600))) for text in texts]
    return Stack(*rows) if rows else None


def _memory(difference: MemoryDifference | None) -> Visual | None:
    """What only this side remembers of somebody's."""
    if difference is None:
        return None
    rows: list[Visual] = []
    if difference.summary:
        rows += [Content.styled(" ".join(paragraphs(difference.summary)), ".quiet")]
    rows += [_remembered("+", ".good", line.turn, line.text) for line in difference.learned]
    rows += [_remembered("~", ".warn", line.turn, line.here) for line in difference.changed]
    return Stack(*rows) if rows else None


def _remembered(mark: str, ink: str, turn: int, text: str) -> Visual:
    head = Content.assemble((f"{mark} ", ink), (f"{turn:<4}", ".faint"))
    return Indented(head, Content(" ".join(paragraphs(text))))


def pair_page(pair: Pair, names: tuple[str, str], game: Game) -> Visual:
    """One turn on both sides."""
    cast = Cast.of(game.pack)
    return Stack(
        Content(""),
        Content.styled(f"TURN {pair.number}", ".strong"),
        Twin(_turn(pair.a, cast, game), _turn(pair.b, cast, game), names=names),
    )


def _turn(turn: Turn | None, cast: Cast, game: Game) -> Visual:
    if turn is None:
        return Content.styled(ENDS, ".quiet")
    rows = block_rows(block for block in turn_blocks(game.pack, cast, turn) if not block.centred)
    while rows and not getattr(rows[0], "plain", ""):
        rows.pop(0)
    return Stack(*rows)
