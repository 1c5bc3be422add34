"""What the sections of the side panel say: values in, visuals out. Empty ones teach when they will fill."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from textual.content import Content
from textual.visual import Visual

from theact_tui.story.turn import Moment
from theact_tui.text import clean
from theact_tui.tui.visuals import Clamped, Indented, Spread, Stack

SUMMARY_ROWS = 8
ROOMY = 46
"""Cells of width from which everything is shown whole."""
SHOWN_MOMENTS = 5


def flat(text: str) -> str:
    """`text`, cleaned and on one line."""
    return " ".join(clean(text).split())


def heading(title: str, note: str = "") -> Spread:
    """A section's title, and what is to be said of it on the right."""
    return Spread(Content.styled(title, ".strong"), Content.styled(note, ".faint"))


def inked(text: str, ink: str) -> Content:
    """`text` in an ink; what glows has a ground of its own too, which a component style cannot carry."""
    content = Content.styled(text, ink) if ink else Content(text)
    return content.stylize("on $glow") if ink == ".glow" else content


def line(mark: str, mark_ink: str, text: str, ink: str = "") -> Indented:
    """A marked line whose wrapped rows hang."""
    return Indented(Content.styled(f"{mark} ", mark_ink), inked(flat(text), ink))


def hint(text: str) -> Content:
    """What an empty section says."""
    return Content.styled(text, ".quiet")


def summary_part(summary: str, through: int, *, new: bool, glow: bool) -> Visual:
    """The rolling summary and the turn up to which it reaches."""
    if not summary:
        return Stack(
            heading("STORY SO FAR"),
            hint(
                "Every word is still remembered. Once the pages outgrow the model, the oldest are folded in here."
            ),
        )
    note = inked(f"{'new · ' if new else ''}to turn {through}", ".glow" if glow else ".faint")
    text = Clamped(Content.styled(flat(summary), ".quiet"), SUMMARY_ROWS, ROOMY)
    return Stack(Spread(Content.styled("STORY SO FAR", ".strong"), note), text)


def beats_part(
    beats: Sequence[str], hit: Collection[str], fresh: Collection[str], *, glow: bool, complete: bool = False
) -> Visual:
    """The chapter's beats: reached ones ticked, this turn's marked as new."""
    count = f"{len({*hit, *fresh} & set(beats))} of {len(beats)}"
    here = len({*fresh} & set(beats))
    new = f"{here} new · " if here else "new chapter · " if fresh else ""
    rows: list[Visual] = [heading("BEATS", "the end" if complete else f"{new}{count}")]
    for beat in beats:
        if beat in fresh:
            rows.append(line("✓", ".good", beat, ".glow" if glow else ".strong"))
        elif beat in hit:
            rows.append(line("✓", ".good", beat, ".quiet"))
        else:
            rows.append(line("·", ".faint", beat, ".faint"))
    return Stack(*rows)


def moments_part(moments: Sequence[Moment], turn: int, *, enabled: bool, glow: bool) -> Visual:
    """The weightiest moments, in the order of the story; this turn's is marked."""
    if not enabled:
        return Content("")
    if not moments:
        return Stack(heading("MOMENTS"), hint("What the whole story should remember gathers here."))
    kept = sorted(sorted(moments, key=lambda m: -m.significance)[:SHOWN_MOMENTS], key=lambda m: m.turn)
    rows: list[Visual] = [
        heading("MOMENTS", "" if len(moments) <= SHOWN_MOMENTS else f"{len(moments)} in all")
    ]
    for moment in kept:
        ink = ".glow" if glow and moment.turn == turn else ".quiet"
        rows.append(
            line(f"{moment.turn:>2}", ".faint", f"{moment.type.replace('_', ' ')}: {moment.summary}", ink)
        )
    return Stack(*rows)
