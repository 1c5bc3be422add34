"""What counts as the same, as told or as meant: each share and number of words, at its limit and just below it."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.fake_model import small_pack
from tests.support.packs import with_card, with_chapter
from theact_tui.agents.character import attitude
from theact_tui.packs.library import create_pack
from theact_tui.packs.loader import check_pack
from theact_tui.story.beats import tells
from theact_tui.story.character_view import lore_learned, viewpoint_of
from theact_tui.story.forgetting_and_recall import ArchivedLine, retrieve, unmentioned, without_versions
from theact_tui.story.game import Game, new_game
from theact_tui.story.lore import LoreEntry
from theact_tui.story.matching import overlap, says_the_same, stems
from theact_tui.story.memory import Fact, FactsMemory, Reflection, change_facts, memory_changes
from theact_tui.story.turn import Entry, Turn

WORDS = "lamp stair kettle anchor cellar candle wagon harbor mirror barrel".split()
OTHERS = "pencil garden window bridge saddle ribbon copper valley".split()


def text(count: int, *, of: list[str] = WORDS) -> str:
    return " ".join(of[:count]).capitalize() + "."


def half(count: int, shared: int) -> str:
    """A sentence of `count` words that shares so many with `text`."""
    return text(count, of=[*WORDS[:shared], *OTHERS])


def small_game(**card: object) -> Game:
    pack = with_card(small_pack(), "ann", **card)
    return new_game(pack, title="T", player="Alex", seed=1, created="")


def test_a_share_is_of_the_first_words_and_of_none_it_is_nothing() -> None:
    assert overlap(stems(text(4)), stems(half(6, 3))) == 0.75
    assert overlap(frozenset(), stems(text(4))) == 0


@pytest.mark.parametrize(
    "forms",
    [
        "tray trays", "key keys", "story stories", "lamp lamps", "glass glasses", "carry carries carried carrying",
        "stop stops stopped stopping", "count counts counted counting", "promise promises promised promising",
    ],
)  # fmt: skip
def test_forms_of_a_word_have_one_stem(forms: str) -> None:
    assert len(stems(forms)) == 1


def test_words_with_other_stems_stay_apart_and_common_words_and_japanese_particles_have_none() -> None:
    assert len(stems("carry car cart key keyhole")) == 5
    assert stems("that there this was the and a") == frozenset()
    assert stems("ロープです") == stems("ロープ") | {"プで"}, "です says nothing"


@pytest.mark.parametrize(("shared", "told"), [(3, True), (2, False)])
def test_a_line_is_told_by_a_text_with_six_tenths_of_its_words(shared: int, told: bool) -> None:
    line = ArchivedLine(1, text(5))
    assert unmentioned([line], [half(9, shared)]) == ([] if told else [line])


@pytest.mark.parametrize(
    ("words", "shared", "is_version"), [(6, 3, True), (7, 3, False), (4, 2, False)], ids=str
)
def test_versions_of_a_line_share_half_of_their_words_and_three(
    words: int, shared: int, is_version: bool
) -> None:
    old, new = ArchivedLine(1, text(words)), ArchivedLine(2, half(words, shared))
    assert without_versions([old, new], []) == ([new] if is_version else [old, new])


@pytest.mark.parametrize(
    ("words", "shared", "is_learned"), [(5, 3, True), (6, 3, False), (3, 2, False)], ids=str
)
def test_lore_is_learned_from_six_tenths_of_the_words_of_a_sentence_and_three(
    words: int, shared: int, is_learned: bool
) -> None:
    entry = LoreEntry(id="lamps", text=text(words), keys=("zebra",), known_by=("narrator",))
    game = small_game()
    game = replace(game, pack=game.pack.model_copy(update={"lore": {"book": (entry,)}}))
    page = Entry(role="narrator", text=half(9, shared))
    turn = Turn(number=1, chapter=game.state.chapter, entries=(page,), witnesses=("ann",))
    assert ("lamps" in lore_learned(game, turn)) is is_learned


@pytest.mark.parametrize(("shared", "is_same"), [(3, True), (2, False)])
def test_what_a_character_hides_is_its_secret_from_half_of_the_words_on(shared: int, is_same: bool) -> None:
    game = small_game(secret=half(9, shared))
    memory = game.memories["ann"].model_copy(update={"reflection": Reflection(turn=1, hide=text(6))})
    lines = attitude(viewpoint_of(game.with_memory("ann", memory), "ann", [], ("ann",)))
    assert any("also hides" in line for line in lines) is not is_same


@pytest.mark.parametrize(("shared", "told"), [(6, True), (5, False)])
def test_a_closing_page_tells_a_beat_with_three_quarters_of_its_words(shared: int, told: bool) -> None:
    beat = text(8)
    pack = with_chapter(small_pack(), "one", beats=(beat,), completion="Done.")
    assert tells([half(10, shared)], beat, pack) is told


@pytest.mark.parametrize(("words", "shared", "warned"), [(5, 3, True), (5, 2, False), (3, 3, False)])
def test_a_world_tells_who_the_player_is_with_six_tenths_of_the_words_of_the_description(
    words: int, shared: int, warned: bool, tmp_path: Path
) -> None:
    pack = create_pack(tmp_path, "shares")
    for file, field, said in (
        ("game.yaml", "  description", text(words)),
        ("world.yaml", "setting", half(8, shared)),
    ):
        lines = (pack / file).read_text("utf-8").splitlines()
        at = next(n for n, line in enumerate(lines) if line.startswith(f"{field}:"))
        end = next((n for n in range(at + 1, len(lines)) if lines[n][:1].strip()), len(lines))
        (pack / file).write_text("\n".join([*lines[:at], f"{field}: {said}", *lines[end:]]), "utf-8")
    assert any("player.description" in finding.message for finding in check_pack(pack)) is warned


@pytest.mark.parametrize(("shared", "is_changed"), [(1, True), (0, False)])
def test_a_change_of_a_fact_is_about_it_with_one_word_that_is_no_name(shared: int, is_changed: bool) -> None:
    memory = FactsMemory(key_facts=(Fact(turn=1, text=f"Bob: {text(4)}"),))
    changed = change_facts(
        memory, turn_of=lambda _: 2, changed=[("1", f"Bob: {half(4, shared)}")], names=("Bob",)
    )
    assert (len(changed.key_facts) == 1) is is_changed


@pytest.mark.parametrize(("spread", "is_recalled"), [(3, True), (4, False)])
def test_a_line_is_recalled_by_a_word_of_the_page_that_few_others_have(
    spread: int, is_recalled: bool
) -> None:
    """Words of the page count 1 less the share of the lines that have them: two rare ones are needed."""
    lines = [
        ArchivedLine(n, f"{OTHERS[n % 8]} {'lamp stair' if n < spread else OTHERS[n // 8]}")
        for n in range(12)
    ]
    assert bool(retrieve(lines, "", "Lamp and stair.")) is is_recalled


@pytest.mark.parametrize(("new", "kind"), [("abcdefxxxx", "changed"), ("abcdxxxxxx", "added")])
def test_of_two_texts_six_tenths_alike_the_newer_is_the_older_one_changed(new: str, kind: str) -> None:
    before, after = (FactsMemory(key_facts=(Fact(turn=1, text=line),)) for line in ("abcdefghij", new))
    assert memory_changes(before, after)[0].kind == kind


@pytest.mark.parametrize(
    ("new", "is_same"), [("abcdefghijklmnopqXXX", True), ("abcdefghijklmnopXXXX", False)]
)
def test_texts_with_85_of_100_letters_in_common_say_the_same(new: str, is_same: bool) -> None:
    assert says_the_same(new, ["abcdefghijklmnopqrst"]) is is_same
