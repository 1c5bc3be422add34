"""Layout of a played chapter: numbered prompts, and replies beside a rule in the character's colour."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from textual.content import Content

from theact_tui.story.direct.log import as_turn, exchanges
from theact_tui.story.direct.models import SessionRecord
from theact_tui.story.direct.transcript import CUT_NOTE, LogTranscript
from theact_tui.story.turn import Turn
from theact_tui.tui.blocks import RULE, Block, prose_blocks
from theact_tui.tui.play.transcript_window import TurnLayout
from theact_tui.tui.visuals import flat

SUMMARISED = "── summarised up to here ──"
"""Shown for the line of dashes."""


def exchange_blocks(turn: Turn, names: Mapping[int, str]) -> list[Block]:
    """Set a prompt and its replies in order."""
    blocks: list[Block] = []
    for entry in turn.told:
        if entry.role == "character" and entry.character:
            slot = int(entry.character)
            blocks += _reply_blocks(slot, names.get(slot, ""), entry.text)
        elif entry.role == "player":
            first, *others = prose_blocks(entry.text) or [Block(Content(""))]
            blocks += [replace(first, text=Content(f"{turn.number}) ") + first.text), *others]
        else:
            blocks += [
                replace(block, text=block.text.stylize(".quiet")) for block in prose_blocks(entry.text)
            ]
    return blocks


def _reply_blocks(slot: int, name: str, text: str) -> Iterable[Block]:
    ink = f".slot-{slot}"
    yield Block(Content.styled(flat(name).upper(), ink).stylize("bold"), bar=ink, edge=RULE)
    for number, block in enumerate(prose_blocks(text)):
        if number:
            yield Block(Content(" "), bar=ink, edge=RULE, space=0)
        yield replace(block, bar=ink, edge=RULE, space=0)


def layouts(session: SessionRecord, shown: LogTranscript) -> list[TurnLayout]:
    """Set the shown log as turns of a transcript, with a line after the last summarised prompt."""
    turns: list[TurnLayout] = []
    for exchange in exchanges(shown.events):
        blocks = exchange_blocks(as_turn(exchange), session.agent_names)
        if shown.is_cut and not turns:
            blocks.insert(0, _remark(CUT_NOTE))
        if exchange.index == session.last_summarized_prompt_index > 0:
            blocks.append(_remark(SUMMARISED))
        turns.append(TurnLayout(exchange.index, blocks, numbered=False))
    return turns


def is_marked(layout: TurnLayout) -> bool:
    """True if a turn ends with the line after the last summarised prompt."""
    return any(block.text.plain == SUMMARISED for block in layout.blocks[-1:])


def _remark(text: str) -> Block:
    return Block(Content.styled(text, ".quiet"))
