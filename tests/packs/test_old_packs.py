"""Packs of earlier versions load, in a folder and in a save, as packs of today."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.packs.conftest import Edit
from tests.support.games import new_game
from theact_tui.packs.loader import check_pack, load_pack
from theact_tui.saves.codec import read_pack
from theact_tui.saves.save import Save

NARRATOR = "Tell {beats} to {ids}, {present}, {moods}, {{beats}}.\n\n{hints}\n"
TODAYS = "Tell {lead} to {cast}, {present}, tense, calm, "
ECHOES = 'echoes:\n  look: ["{Act}. Dust moves.", "As {act}, something drips."]\n'


def test_former_placeholders_and_echoes_of_a_pack_are_todays(pack: Path, edit: Edit) -> None:
    (pack / "prompts").mkdir()
    (pack / "prompts/narrator.txt").write_text(NARRATOR)
    (pack / "prompts/memory.txt").write_text("{summary} {facts} {name} {turn}")
    (pack / "prompts/ideas.txt").write_text("{turns} {player}")
    (pack / "prompts/character.txt").write_text("{card} {memory} {name} {secret} {voice}")
    script = (pack / "storyteller.yaml").read_text()
    assert "\nreactions:" in f"\n{script}"
    before, _, after = f"\n{script}".partition("\nreactions:")
    after = after.partition("\nchapters:")[2]
    (pack / "storyteller.yaml").write_text(f"{before}\n{ECHOES}chapters:{after}")
    assert [str(one) for one in check_pack(pack) if one.level == "error"] == []
    loaded = load_pack(pack)
    assert loaded.prompts["narrator"].startswith(TODAYS) and "{{beats}}" in loaded.prompts["narrator"]
    assert (loaded.prompts["memory"], loaded.prompts["ideas"]) == (" {facts} {name} {turn}", " {player}")
    assert loaded.prompts["character"].endswith("Told as {person}, in the present tense.")
    assert loaded.script.reactions == {"look": ("Dust moves.",)}


def test_a_save_with_an_old_pack_opens(tmp_path: Path) -> None:
    with Save.create(tmp_path / "saves", new_game()) as save:
        files = save.files()
    contents = {"pack/storyteller.yaml": ECHOES.encode(), "pack/prompts/narrator.txt": NARRATOR.encode()}
    pack = read_pack(replace(files, contents=contents))
    assert pack.script.reactions == {"look": ("Dust moves.",)}
    assert pack.prompts["narrator"].startswith(TODAYS)
