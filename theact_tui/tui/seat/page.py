"""What a seat shows, as blocks of its page and as sections of its panel."""

from collections.abc import Sequence

from textual.content import Content
from textual.visual import Visual

from theact_tui.story.pack import Voice
from theact_tui.story.seat import SeatTurn, SeatView
from theact_tui.text import flat
from theact_tui.tui.blocks import Block, name_block, player_blocks, prose_blocks, words_blocks
from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.themes import VOICES
from theact_tui.tui.visuals import Stack, accent, faint, heading, page, quiet

_WORDS: dict[Voice, str] = {"first": "as “I”", "third": "by your character's name"}
NOTHING_YET = "Your character has not been in the story yet. It is told here as soon as it is."


def seat_layouts(view: SeatView) -> list[TurnLayout]:
    """Lay out the turns, without their numbers: these would tell how many were missed."""
    turns = [turn for turn in (*view.turns, view.now) if turn.gap or turn.entries]
    shown = [_blocks(view, turn) for turn in turns] or [[Block(faint(NOTHING_YET))]]
    if view.ended:
        shown[-1] = [*shown[-1], Block(accent("✦  the end  ✦"), space=2, centred=True)]
    return [TurnLayout(number, blocks, numbered=False) for number, blocks in enumerate(shown, 1)]


def _blocks(view: SeatView, turn: SeatTurn) -> list[Block]:
    blocks = [Block(faint(flat(gap))) for gap in turn.gap.split("\n") if gap]
    for entry in turn.entries:
        id = entry.character or ""
        match entry.role:
            case "player":
                blocks += [Block(accent(flat(view.hero).upper()))]
                blocks += player_blocks(entry.text)
            case "character":
                voice = view.places.get(id, 0) % VOICES + 1
                blocks += [name_block(view.names.get(id, id), voice), *words_blocks(entry.text, voice)]
            case _:
                blocks += prose_blocks(entry.text)
    return blocks


def panel(view: SeatView) -> Visual:
    here = ", ".join((view.hero, *(view.names[id] for id in view.here))) if view.is_there else ""
    secret = [view.secret, f"Everybody may hear: {view.known}" if view.known else ""]
    return page(
        _section(view.name.upper(), [view.card]),
        _section("YOUR SECRET", secret),
        _section("YOU WANT", [view.want]),
        _section("YOU THINK", view.thinks),
        _section("YOU REMEMBER", view.remembers),
        _section("WITH YOU", [here or "You are not there now."]),
        quiet(f"“You” in the story is {flat(view.hero)}. Tell what you do {_WORDS[view.voice]}."),
    )


def _section(title: str, lines: Sequence[str]) -> Visual | None:
    rows = [Content(flat(line)) for line in lines if line.strip()]
    return Stack(heading(flat(title)), *rows) if rows else None
