"""Layout of the log of a chapter: its newest prompts, and the line after the last summarised one."""

from textual.content import Content

from theact_tui.story.direct.as_story import as_turn
from theact_tui.story.direct.log import exchanges
from theact_tui.story.direct.transcript import CUT_NOTE, LogTranscript
from theact_tui.story.game import Game
from theact_tui.tui.blocks import Block, Cast, turn_blocks
from theact_tui.tui.play.transcript_window import TurnLayout

SUMMARISED = "── summarised up to here ──"
"""Shown for the line of dashes."""


def layouts(story: Game, shown: LogTranscript) -> list[TurnLayout]:
    """Set the shown log as turns of a transcript, with a line after the last summarised prompt."""
    cast, turns = Cast.of(story.pack), list[TurnLayout]()
    for exchange in exchanges(shown.events):
        blocks = turn_blocks(story.pack, cast, as_turn(exchange))
        if shown.is_cut and not turns:
            blocks.insert(0, _remark(CUT_NOTE))
        if exchange.index == story.state.last_summarized_turn > 0:
            blocks.append(_remark(SUMMARISED))
        turns.append(TurnLayout(exchange.index, blocks, numbered=False))
    return turns


def is_marked(layout: TurnLayout) -> bool:
    """True if a turn ends with the line after the last summarised prompt."""
    return any(block.text.plain == SUMMARISED for block in layout.blocks[-1:])


def _remark(text: str) -> Block:
    return Block(Content.styled(text, ".quiet"))
