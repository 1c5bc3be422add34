from collections.abc import Collection, Sequence

from textual.content import Content
from textual.visual import Visual

from theact_tui.models.ledger import Call, FirstWords, UsageTotal
from theact_tui.text import clean, counted, estimate_tokens, flat
from theact_tui.tui.blocks import Cast
from theact_tui.tui.visuals import Either, Indented, SplitLine, Stack, faint, heading, quiet, strong
from theact_tui.tui.widgets.header import thousands
from theact_tui.tui.widgets.lists import BLANK, Row

OUTCOMES = {"ok": ".good", "repaired": ".warn", "cut": ".warn", "failed": ".bad", "cancelled": ".faint"}
_MARKS = {"ok": "✓", "repaired": "~", "cut": "~", "failed": "✗", "cancelled": "–", "running": "…"}
"""Outcomes in narrow windows."""
WIDE, NARROW = (6, 6, 7, 7), (6, 5, 6, 6)
"""Cells of the columns of numbers."""
OUTCOME_CELLS = 13
_ROOMY_CELLS = 64
"""Width for outcomes in words."""
BLOCKS = "▁▂▃▄▅▆▇█"
NOTES_CALLS = {"delta": "notes", "delta:fold": "older notes"}
_FIRST = "Every prompt of every {word} is recorded, starting with the first {word}."
NONE = (
    "No calls are recorded for this {word}. Calls are stored beside the story, not in it, so an "
    "imported or cloned story starts without them."
)


def calls_rows(
    calls: Sequence[Call],
    running: Sequence[Call],
    cast: Cast,
    untold: Sequence[Call],
    turn: int,
    word: str = "turn",
) -> list[Row]:
    """Rows of a turn's calls, running ones, and those of a failed turn."""
    if not calls and not running and not untold:
        return [Row(quiet(no_calls(turn, word)))]
    rows = [Row(_titles("CALL"))] if calls or running else []
    rows += [_row(call, cast) for call in calls]
    for call in running:
        cells = (thousands(call.tokens), "", "", "")
        rows.append(Row(_line(_key(call.key, cast), cells, "running", ".accent"), call.id, "running"))
    if untold:
        rows += [BLANK] if rows else []
        rows.append(Row(_titles(f"THE NEXT {word.upper()} FAILED")))
        rows += [_row(call, cast) for call in untold]
    return rows


def usage_rows(
    usage: Sequence[UsageTotal], first: FirstWords | None, cast: Cast, word: str = "turn"
) -> list[Row]:
    rows = [BLANK, Row(heading(f"ALL {word.upper()}S", "in · reused · out · time"))] if usage else []
    for one in usage:
        tokens = map(thousands, (one.prompt, one.reused, one.completion))
        cells = quiet(_columns(*tokens, f"{one.seconds:.0f} s"))
        key = Content.assemble(_key(one.key, cast), (f" ×{one.calls}", ".quiet"))
        rows.append(Row(SplitLine(key, cells)))
    if first and first.median >= 0.5:
        first_words = f"The first word of a page: {first.median:.1f} s, 19 of 20 in {first.p95:.1f} s."
        rows += [BLANK, Row(quiet(first_words))]
    return rows


def no_calls(turn: int, word: str = "turn") -> str:
    return (NONE if turn else _FIRST).format(word=word)


def _titles(title: str) -> Visual:
    text = strong(title)
    wide = _columns("in", "out", "first", "all") + " " * OUTCOME_CELLS
    narrow = _columns("in", "out", "1st s", "all s")
    lines = [SplitLine(text, faint(heads)) for heads in (wide, narrow)]
    return Either(lines[0], lines[1], _ROOMY_CELLS)


def _row(call: Call, cast: Cast) -> Row:
    first = "" if call.first_token is None else f"{call.first_token:.1f}"
    cells = (thousands(sent(call)), thousands(received_tokens(call)), first, f"{call.seconds:.1f}")
    ink = OUTCOMES.get(call.outcome, ".quiet")
    line = _line(_key(call.key, cast), cells, flat(call.outcome), ink, call.attempts)
    return Row(line, call.id, "call", call.turn)


def _line(key: Content, cells: Sequence[str], outcome: str, ink: str, attempts: int = 1) -> Visual:
    """Row of a call; its outcome in words, or as a mark if narrow."""
    again = f" ×{attempts}" if attempts > 1 else ""
    timed = (*cells[:2], *(f"{cell} s" if cell else "" for cell in cells[2:]))
    words = (f"{outcome}{again}".rjust(OUTCOME_CELLS), ink)
    wide = SplitLine(key, Content.assemble((_columns(*timed), ".quiet"), words))
    marked = Content.assemble((f"{_MARKS.get(outcome, '·')} ", ink), key, (again, ink))
    return Either(wide, SplitLine(marked, quiet(_columns(*cells, widths=NARROW))), _ROOMY_CELLS)


def _columns(*cells: str, widths: Sequence[int] = WIDE) -> str:
    return "".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))


def call_name(key: str, cast: Cast) -> str:
    """Name a call: a directed character by its name, others by their agent."""
    agent, _, person = key.partition(":")
    if agent == "actor":
        return flat(cast.name(person))
    return NOTES_CALLS.get(key) or f"{flat(agent)} {flat(person)}".rstrip()


def _key(key: str, cast: Cast) -> Content:
    name, person = call_name(key, cast), key.partition(":")[2]
    first = 0 if name == flat(cast.name(person)) else name.rfind(" ") + 1
    content = Content(name)
    return content.stylize(cast.ink(person), first) if person in cast.names else content


def sent(call: Call) -> int:
    """Tokens of the prompt, as reported or estimated."""
    return call.usage.prompt or call.tokens


def received_tokens(call: Call) -> int:
    return call.usage.completion or round(estimate_tokens(call.reply))


def totals(calls: Collection[Call]) -> str:
    if not calls:
        return ""
    seconds = sum(call.seconds for call in calls)
    tokens = f"{thousands(sum(map(sent, calls)))} in, {thousands(sum(map(received_tokens, calls)))} out"
    return f"{counted(len(calls), 'call')} · {tokens} · {seconds:.1f} s"


_UNTOLD = ("model", "response_format")
"""Fields shown elsewhere, or too long."""


def call_blocks(call: Call) -> list[Visual]:
    tries = f", tried {call.attempts} times" if call.attempts > 1 else ""
    outcome = f"{_MARKS.get(call.outcome, '')} {flat(call.outcome)}".strip() + tries
    asked = [f"{flat(str(n))} {flat(str(v))}" for n, v in call.sent.items() if n not in _UNTOLD]
    read, ink = ("mended", ".warn") if call.outcome == "repaired" else ("read by", ".quiet")
    facts = (
        ("model", f"{flat(call.model)} ({flat(call.provider)})", ".quiet"),
        ("tokens", _tokens(call), ".quiet"),
        ("outcome", outcome, OUTCOMES.get(call.outcome, ".quiet")),
        ("sent", " · ".join(asked), ".quiet"),
        (read, ", ".join(map(flat, call.steps)), ink),
        ("error", flat(call.error), ".bad"),
        ("ended by", flat(call.finish) if call.finish != "stop" else "", ".warn"),
    )
    rows = [Indented(faint(f"{label:<10}"), Content.styled(text, ink)) for label, text, ink in facts if text]
    silent = "Not answered yet." if call.outcome == "running" else "No reply."
    reply = Content(clean(call.reply)) if call.reply.strip() else quiet(silent)
    texts = [("THINKING", quiet(clean(call.reasoning)))] if call.reasoning else []
    texts.append(("RAW REPLY", reply))
    titled = (Stack(Content(""), strong(title), text) for title, text in texts)
    return [Stack(*rows), *titled]


def _tokens(call: Call) -> str:
    usage = call.usage
    parts = (
        f"{sent(call):,} in",
        f"{usage.cached:,} cached" if usage.cached else "",
        f"{received_tokens(call):,} out",
        f"{usage.reasoning:,} reasoning" if usage.reasoning else "",
        "estimated" if usage.prompt is None else "",
    )
    return ", ".join(filter(None, parts))


def spark(values: Sequence[int | None], at: int) -> Content:
    """Row of small bars with the value `at` marked; a dot for an unknown one."""
    most = max((value for value in values if value), default=0) or 1
    glyphs = ["·" if value is None else BLOCKS[(len(BLOCKS) - 1) * value // most] for value in values]
    before, marked, after = map("".join, (glyphs[:at], glyphs[at : at + 1], glyphs[at + 1 :]))
    return Content.assemble((before, ".faint"), (marked, ".accent"), (after, ".faint"))
