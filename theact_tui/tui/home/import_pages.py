"""Pages of what an import would do, or did."""

from textual.content import Content
from textual.visual import Visual

from theact_tui.importing.report import ImportReport
from theact_tui.text import counted, one_line
from theact_tui.tui.visuals import SplitLine, Stack, accent, line, page, quiet, strong

KINDS = {
    "chat": "A chat",
    "group": "A group chat",
    "story": "A whole story",
    "pack": "A pack",
    "card": "A character card",
    "scenario": "A scenario",
    "folder": "A folder",
    "lorebook": "A lorebook",
}


def report_page(report: ImportReport, *, done: bool) -> Visual:
    title = imported_as(report) if done else KINDS.get(report.kind, report.kind)
    return page(accent(title), *report_blocks(report))


def report_blocks(report: ImportReport) -> list[Visual]:
    parts = {"TAKEN": report.taken, "CHANGED": report.changed, "LEFT OUT": report.left_out}
    return [
        Stack(strong(heading), *(line("·", "", one_line(entry, 300)) for entry in lines))
        for heading, lines in parts.items()
        if lines
    ]


def part_rows(report: ImportReport, *, done: bool) -> list[Visual]:
    """Counts of a folder, then a row per part; none for other files."""
    if not report.parts:
        return []
    rows: list[Visual] = [strong(imported_as(report) if done else report.counts)]
    for part in report.parts:
        kinds = ["pack"] if part.pack and part.kind not in ("chat", "group") else []
        kinds += ["story"] if part.kind in ("chat", "group", "folder") or "save" in part.here else []
        note = "here already" if len(part.here) == len(kinds) else " and ".join(kinds)
        rows.append(SplitLine(Content(one_line(part.title, 50)), quiet(note)))
    return rows


def imported_as(report: ImportReport) -> str:
    packs, saves = report.new_counts
    if not report.taken:
        return "All of it is here already."
    many = f"Imported {counted(packs, 'pack')} and {counted(saves, 'story', 'stories')}."
    return many if report.parts else f"Imported as {one_line(report.save or report.pack or '', 50)}."
