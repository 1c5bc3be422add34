"""Players: deterministic, and shown no more than a player sees."""

import asyncio
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.packs import shipped_pack
from theact_tui.lab.plan import PLAYERS
from theact_tui.lab.players import OfflinePlayer, PagesSeen, Scripted, Teller, seen
from theact_tui.story.game import new_game
from theact_tui.story.turn import Entry, Turn
from theact_tui.text import clean


def page(text: str, turn: int = 3) -> PagesSeen:
    told = Turn(number=turn, chapter="one", entries=(Entry(role="narrator", text=text),))
    return PagesSeen("Alex", {"ann": "Ann Lee"}, (told,), turn)


def line(kind: str, seed: int, shown: PagesSeen) -> str:
    made = asyncio.run(OfflinePlayer(kind, seed).line(shown))
    assert made is not None
    return made


@given(st.sampled_from(PLAYERS), st.integers(0, 99), st.text(max_size=200), st.integers(0, 200))
def test_a_kind_and_a_seed_give_the_same_usable_line_for_the_same_page(
    kind: str, seed: int, text: str, turn: int
) -> None:
    said = line(kind, seed, page(text, turn))
    assert said == line(kind, seed, page(text, turn))
    assert "{" not in said and clean(said) == said and len(said) < 200 and not said.startswith("/")


def test_seeds_and_kinds_say_different_things() -> None:
    shown = page("The lamp stands on the table beside a letter and the broken clock.")
    assert len({line("curious", seed, shown) for seed in range(20)}) > 5
    assert len({line(kind, 1, shown) for kind in PLAYERS}) >= 5


def test_the_curious_ask_about_what_stands_on_the_page() -> None:
    shown, other = page("You see a crocodile."), page("You see a lantern.")
    assert any("crocodile" in line("curious", seed, shown) for seed in range(20))
    assert not any("crocodile" in line("curious", seed, other) for seed in range(20))


def test_a_player_is_shown_pages_and_names_but_nothing_of_the_plot() -> None:
    pack = shipped_pack("lost-island")
    game = new_game(pack, title="x", player="Alex", seed=1, created="")
    assert {field.name for field in fields(PagesSeen)} == {"hero", "names", "pages", "turn"}
    shown = repr(seen(game))
    for secret in (
        pack.world.truth,
        *game.chapter.beats,
        *(card.secret for card in pack.characters.values()),
    ):
        assert secret not in shown


async def test_a_scripted_player_ends_with_its_lines() -> None:
    player = Scripted(["one", "two"])
    assert [await player.line(page("")) for _ in range(3)] == ["one", "two", None]


@pytest.mark.parametrize("kind", PLAYERS)
def test_a_player_has_something_to_say_on_an_empty_page_with_nobody_there(kind: str) -> None:
    assert line(kind, 1, PagesSeen("Alex", {}, (), 0)).strip() or kind == "silent"


@given(st.integers(0, 99))
def test_a_secret_is_told_to_one_and_asked_of_another_first(seed: int) -> None:
    async def play() -> tuple[list[str | None], Teller]:
        player = Teller(seed, [])
        shown = (
            PagesSeen("Alex", {"ann": "Ann Lee", "bob": "Bob"}, page("The lamp.").pages, turn)
            for turn in range(1, 15)
        )
        return [await player.line(each) for each in shown], player

    lines, player = asyncio.run(play())
    assert len(player.questions) == 4
    other, own = player.questions[:2]
    assert (
        other.told == own.told == own.asked != other.asked
        and other.word == own.word
        and other.turn < own.turn
    )
    by_turn = dict(enumerate(lines, 2))
    secret = by_turn[2] or ""
    assert secret.startswith(f"/whisper {other.told} ") and other.word in secret
    for question in player.questions:
        assert (by_turn[question.turn] or "").endswith("?") and question.word not in (
            by_turn[question.turn] or ""
        )
    assert all("/" not in (line(kind, seed, PagesSeen("Alex", {"ann": "Ann"}, (), 1))) for kind in PLAYERS)
