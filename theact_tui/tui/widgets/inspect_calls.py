"""The calls of a turn: tokens, times, attempts, outcome and the raw reply. Values in, rows and visuals out."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from textual.content import Content
from textual.visual import Visual

from theact_tui.models.ledger import Call
from theact_tui.text import clean
from theact_tui.tui.visuals import Indented, Spread, Stack
from theact_tui.tui.widgets.inspect_list import BLANK, Row
from theact_tui.tui.widgets.masthead import thousands
from theact_tui.tui.widgets.panelparts import flat, hint

OUTCOMES = {"ok": ".good", "repaired": ".warn", "failed": ".bad", "cancelled": ".faint"}
BLOCKS = "▁▂▃▄▅▆▇█"
FIRST = "Every prompt of every turn is kept, word for word. The first turn brings the first ones."
NONE = (
    "No calls are kept for this turn. What was asked, what came back and how long it took is written down as a turn is "
    "told, beside the story and not in it: a story that was imported or cloned begins without."
)


def calls_rows(
    calls: Sequence[Call],
    running: Mapping[str, tuple[str, int]],
    voices: Mapping[str, int],
    untold: Sequence[Call],
    turn: int,
) -> list[Row]:
    """A row per call of `turn`, then those that run (agent and prompt tokens by id), then those of a turn that did not
    happen."""
    if not calls and not running and not untold:
        return [Row(hint(no_calls(turn)))]
    columns = Content.styled(_columns("in", "out", "first", "all", ""), ".faint")
    rows = [Row(Spread(Content.styled("CALL", ".strong"), columns))] if calls or running else []
    rows += [_row(call, voices) for call in calls]
    for id, (agent, tokens) in running.items():
        text = Content.styled(_columns(thousands(tokens), "", "", "", "running"), ".accent")
        rows.append(Row(Spread(_key(agent, voices), text), id, "running"))
    if untold:
        rows += [BLANK] if rows else []
        rows.append(Row(Spread(Content.styled("THE NEXT TURN DID NOT HAPPEN", ".strong"), columns)))
        rows += [_row(call, voices) for call in untold]
    return rows


def no_calls(turn: int) -> str:
    """Why there are none of a turn."""
    return NONE if turn else FIRST


def _columns(*cells: str) -> str:
    return "".join(cell.rjust(width) for cell, width in zip(cells, (6, 6, 7, 7, 10), strict=True))


def _row(call: Call, voices: Mapping[str, int]) -> Row:
    first = "" if call.first_token is None else f"{call.first_token:.1f} s"
    numbers = _columns(thousands(sent(call)), thousands(got(call)), first, f"{call.seconds:.1f} s", "")[:-10]
    outcome = flat(call.outcome) + (f" ×{call.attempts}" if call.attempts > 1 else "")
    right = Content.assemble((numbers, ".quiet"), (outcome.rjust(10), OUTCOMES.get(call.outcome, ".quiet")))
    return Row(Spread(_key(call.key, voices), right), call.id, "call", call.turn)


def _key(key: str, voices: Mapping[str, int]) -> Content:
    agent, _, who = key.partition(":")
    return Content.assemble(
        flat(agent), (f" {flat(who)}", f".voice-{voices[who]}") if who in voices else f" {flat(who)}"
    )


def sent(call: Call) -> int:
    """Tokens of the prompt: as the server reported, or else as estimated."""
    return call.usage.prompt or call.tokens


def got(call: Call) -> int:
    """Tokens of the reply as the server reported; else a guess by its length."""
    return call.usage.completion or len(call.reply) // 4


def totals(calls: Collection[Call]) -> str:
    """All calls of a turn in one line."""
    if not calls:
        return ""
    noun = "call" if len(calls) == 1 else "calls"
    seconds = sum(call.seconds for call in calls)
    tokens = f"{thousands(sum(map(sent, calls)))} in, {thousands(sum(map(got, calls)))} out"
    return f"{len(calls)} {noun} · {tokens} · {seconds:.1f} s"


def call_blocks(call: Call) -> list[Visual]:
    """All that is known of one call: how it went, then the reply as it came."""
    rows: list[Visual] = [
        _fact("model", f"{flat(call.model)} ({flat(call.provider)})"),
        _fact("tokens", _tokens(call)),
    ]
    if call.attempts > 1:
        rows.append(_fact("tried", f"{call.attempts} times", ".warn"))
    if call.steps:
        repaired = call.outcome == "repaired"
        steps = ", ".join(map(flat, call.steps))
        rows.append(_fact("mended" if repaired else "read by", steps, ".warn" if repaired else ".quiet"))
    if call.error:
        rows.append(_fact("error", flat(call.error), ".bad"))
    if call.finish and call.finish != "stop":
        rows.append(_fact("ended by", flat(call.finish), ".warn"))
    blocks: list[Visual] = [Stack(*rows)]
    if call.reasoning:
        blocks.append(_titled("THINKING", Content.styled(clean(call.reasoning), ".quiet")))
    reply = Content(clean(call.reply)) if call.reply.strip() else hint("Nothing came back.")
    return [*blocks, _titled("REPLY, AS IT CAME", reply)]


def _titled(title: str, text: Visual) -> Visual:
    return Stack(Content(""), Content.styled(title, ".strong"), text)


def _tokens(call: Call) -> str:
    usage = call.usage
    parts = [f"{sent(call):,} in"]
    parts += [f"{usage.cached:,} of them from the cache"] if usage.cached else []
    parts += [f"{got(call):,} out"]
    parts += [f"{usage.reasoning:,} of them thinking"] if usage.reasoning else []
    if usage.prompt is None:
        parts.append("estimated")
    return ", ".join(parts)


def _fact(label: str, text: str, ink: str = ".quiet") -> Visual:
    return Indented(Content.styled(f"{label:<10}", ".faint"), Content.styled(text, ink))


def spark(values: Sequence[int | None], at: int) -> Content:
    """Values as a row of small bars, the one at place `at` marked; an unknown value is a dot."""
    most = max((value for value in values if value), default=0) or 1
    glyphs = ["·" if value is None else BLOCKS[(len(BLOCKS) - 1) * value // most] for value in values]
    return Content.assemble(
        ("".join(glyphs[:at]), ".faint"),
        ("".join(glyphs[at : at + 1]), ".accent"),
        ("".join(glyphs[at + 1 :]), ".faint"),
    )
