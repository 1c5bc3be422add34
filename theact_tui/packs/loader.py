"""Load and check a pack. It loads exactly if its check finds no error."""

from pathlib import Path

from theact_tui.packs.checks import advise_on_owners, check_overrides, check_storyteller, check_structure
from theact_tui.packs.diagnostics import Finding, PackError
from theact_tui.packs.files import PackDraft, read_draft
from theact_tui.story.pack import Pack
from theact_tui.story.script import Script


def load_pack(folder: Path) -> Pack:
    """Raises PackError with the errors."""
    draft = examine_pack(folder)
    errors = [finding for finding in draft.findings if finding.level == "error"]
    if errors:
        raise PackError(*errors)
    return _pack_of(draft)


def check_pack(folder: Path, *, advice: bool = True) -> list[Finding]:
    """Return all findings, errors first. `advice` adds what only the author can decide, such as whose beats are."""
    draft = examine_pack(folder)
    if advice:
        advise_on_owners(draft)
    findings = draft.findings
    files = list(dict.fromkeys(finding.file for finding in findings))
    return sorted(findings, key=lambda finding: (finding.level, files.index(finding.file), finding.line or 0))


def examine_pack(folder: Path) -> PackDraft:
    """Read the pack in `folder` as far as possible, with all findings."""
    draft = read_draft(folder)
    check_structure(draft)
    check_storyteller(draft)
    check_overrides(draft)
    return draft


def errors_of(pack: Pack) -> list[Finding]:
    """Return the errors of a pack whose files were read elsewhere. Skips `storyteller.yaml`: a save may be older
    than its rules.
    """
    ids = {"characters": [*pack.characters], "chapters": [*pack.chapters]}
    parts = (pack.game, pack.world, pack.characters, pack.chapters, pack.script, pack.prompts)
    draft = PackDraft(Path(pack.id), *parts, ids, lore=pack.lore)
    check_structure(draft)
    check_overrides(draft)
    return [finding for finding in draft.findings if finding.level == "error"]


def _pack_of(draft: PackDraft) -> Pack:
    assert draft.game is not None
    assert draft.world is not None
    return Pack(
        game=draft.game,
        world=draft.world,
        characters={id: draft.characters[id] for id in draft.game.characters},
        chapters={id: draft.chapters[id] for id in draft.game.chapters},
        script=draft.script or Script(),
        prompts=draft.prompts,
        lore=draft.lore,
    )
