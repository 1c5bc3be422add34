"""S15: lore is told when a scene speaks of it, within its share, to those who may know it."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.support.fake_model import small_pack
from theact_tui.story.character_view import lore_for_narrator, lore_learned, may_know, viewpoint_of
from theact_tui.story.edits import set_entry_text, set_heard
from theact_tui.story.game import Game, new_game
from theact_tui.story.lore import LoreEntry, LoreMatch, LoreRoom, choose_lore, is_entry_about
from theact_tui.story.speech import page_cuts
from theact_tui.story.turn import Entry, Turn


def entry(id: str, *keys: str, text: str = "", **more: object) -> LoreEntry:
    return LoreEntry.model_validate({"id": id, "text": text or f"All of {id}.", "keys": keys, **more})


def chosen(said: str, *entries: LoreEntry, tokens: int = 1000, turn: int = 1) -> tuple[LoreMatch, ...]:
    room = LoreRoom(tokens, len)
    return choose_lore({"book": entries}, {"line": [said]}, room=room, chapter="one", seed=1, turn=turn)


def fired(said: str, *entries: LoreEntry, tokens: int = 1000, turn: int = 1) -> list[str]:
    return [match.entry.id for match in chosen(said, *entries, tokens=tokens, turn=turn) if match.fired]


@pytest.mark.parametrize(
    ("key", "said", "is_there"),
    [
        ("cat", "The CAT sleeps.", True), ("cat", "A catalogue.", False), ("cat*", "A catalogue.", True),
        ("cat*", "Concatenate.", False), ("old oak", "Under the old, old oak.", True),
        ("old oak", "An old oaken door.", False), ("straße", "STRASSE", True), ("森", "深い森の中", True),
        ("/ca.*t/", "/ca.*t/ cat", False), ("don't", "I don’t know", True),
    ],
)  # fmt: skip
def test_keys_are_whole_words_in_any_case(key: str, said: str, is_there: bool) -> None:
    assert (fired(said, entry("x", key)) == ["x"]) is is_there


def test_signs_alone_ask_for_no_entry() -> None:
    assert is_entry_about(entry("bell", "rope"), "BELL!") and is_entry_about(entry("bell", "rope"), "rope")
    assert not is_entry_about(entry("bell", "rope"), "?!")


def test_what_is_always_true_comes_first_then_weight_and_the_rest_says_why() -> None:
    entries = (
        entry("light", "sea", weight=1),
        entry("heavy", "sea", weight=900),
        entry("law", always=True, weight=0),
        entry("off", "sea", enabled=False),
        entry("elsewhere", "sea", chapters=("two",)),
        entry("both", "sea", all_of=("moon",)),
        entry("either", "sea", weight=2, any_of=("moon", "sea", "/x.*/")),
        entry("neither", "sea", any_of=("moon", "sun")),
        entry("barred", "sea", none_of=("sea",)),
        entry("never", "sea", probability=0),
    )
    assert fired("The sea.", *entries) == ["law", "heavy", "either", "light"]
    assert {match.entry.id: match.reason for match in chosen("The sea.", *entries) if not match.fired} == {
        "off": "it is turned off",
        "elsewhere": "it belongs to other chapters",
        "both": "'moon' did not match",
        "neither": "none of 'moon, sun' matched",
        "barred": "'sea' matched",
        "never": "chance: 0%",
    }


def test_an_entry_without_room_is_left_out_and_a_shorter_one_still_fits() -> None:
    entries = (entry("big", "sea", text="b" * 90, weight=900), entry("small", "sea", text="s" * 20))
    found = chosen("sea", *entries, tokens=50)
    assert [(match.entry.id, match.fired) for match in found] == [("big", False), ("small", True)]
    assert "no room left" in found[0].reason and "'sea' in line" in found[0].reason


@given(some.integers(1, 99), some.integers(0, 10_000))
def test_chance_is_the_same_each_time_it_is_asked(percent: int, turn: int) -> None:
    maybe = entry("maybe", "sea", probability=percent)
    assert fired("sea", maybe, turn=turn) == fired("sea", maybe, turn=turn)


def test_chance_comes_up_about_as_often_as_it_says() -> None:
    maybe = entry("maybe", "sea", probability=30)
    assert 240 < sum(bool(fired("sea", maybe, turn=turn)) for turn in range(1000)) < 360


SPRING = "A silver spring rises under the oldest oak of the valley."


def game_with(*entries: LoreEntry) -> Game:
    pack = small_pack().model_copy(update={"lore": {"book": entries}})
    return new_game(pack, title="T", player="Alex", seed=1, created="")


def turn_of(narration: str, *witnesses: str, **more: object) -> Turn:
    entries = (Entry(role="narrator", text=narration),)
    return Turn.model_validate(
        {"number": 1, "chapter": "one", "entries": entries, "witnesses": witnesses, **more}
    )


def test_only_the_narrator_and_who_may_know_it_are_told_an_entry() -> None:
    game = game_with(entry("spring", "spring", text=SPRING, known_by=["ann", "narrator"]))
    said = [Entry(role="player", text="Where is the spring?")]
    views = {name: viewpoint_of(game, name, said, ("ann", "bob")) for name in ("ann", "bob")}
    assert [match.entry.id for match in views["ann"].lore] == ["spring"] and not views["bob"].lore
    assert lore_for_narrator(game, "the spring", LoreRoom())[0].fired


def test_what_the_narration_tells_is_known_from_then_on_to_those_who_heard_it() -> None:
    game = game_with(entry("spring", "spring", text=SPRING, known_by="narrator"))
    told = turn_of("Then you see it: a silver spring rises, under the oldest oak in the valley.", "bob")
    assert lore_learned(game, told) == {"spring": {"bob": 1}}
    after = game.with_state(lore_known=lore_learned(game, told))
    hidden = game.pack.lore["book"][0]
    assert may_know(after, hidden, "bob") and not may_know(after, hidden, "ann")


@pytest.mark.parametrize("told", ["You hear of a spring.", "The spring is near an oak.", "It rains."])
def test_an_entry_that_is_only_named_is_not_told(told: str) -> None:
    game = game_with(entry("spring", "spring", text=SPRING, known_by="narrator"))
    assert lore_learned(game, turn_of(told, "bob")) == {}


def test_words_scattered_over_a_page_tell_nothing() -> None:
    lamps = entry("lamps", "lamp", text="The lamps of Wickhaven burn whale-glass oil.", known_by="narrator")
    told = turn_of(
        "Wickhaven goes dark. Rain falls. A fire burns. Her breath fogs the glass. Here, oil.", "bob"
    )
    assert lore_learned(game_with(lamps), told) == {}
    told = turn_of("They burn oil. It comes from whale-glass, as all do here.", "bob")
    assert lore_learned(game_with(lamps), told) == {"lamps": {"bob": 1}}


def test_who_came_later_did_not_hear_what_was_told_before() -> None:
    game = game_with(entry("spring", "spring", text=SPRING, known_by="narrator"))
    page = f"{SPRING}\n\nBob comes in."
    cuts = {"page": page_cuts(page)}
    told = turn_of(page, "ann", "bob", cuts=cuts, heard={"bob": {"missed": ("A",)}})
    assert lore_learned(game, told) == {"spring": {"ann": 1}}


def edited_text(game: Game, told: Turn) -> Game:
    return set_entry_text(game, told, 0, SPRING).game


def edited_hearing(game: Game, told: Turn) -> Game:
    told = told.model_copy(update={"entries": (Entry(role="narrator", text=SPRING),), "witnesses": ("ann",)})
    return set_heard(game.with_turn(told), told, "bob", "all").game


@pytest.mark.parametrize("edit", [edited_text, edited_hearing])
@pytest.mark.parametrize("last", [1, 2])
def test_an_edit_of_what_was_told_or_heard_is_learned_too(
    edit: Callable[[Game, Turn], Game], last: int
) -> None:
    game = game_with(entry("spring", "spring", text=SPRING, known_by=["ann"])).with_state(turn=last)
    after = edit(game, turn_of("It rains.", "ann", "bob"))
    assert after.state.lore_known == {"spring": {"bob": 1}}
