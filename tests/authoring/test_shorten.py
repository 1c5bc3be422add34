"""S16: with a model a long card is made shorter, and nothing that it said is lost."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some

from tests.importing import cards
from tests.importing.chats import one_file
from tests.support.cli import Ran, Run
from tests.support.fake_server import ScriptedServer, Step, say, status
from theact_tui.authoring.shorten import PASSAGE_WORDS, passages
from theact_tui.packs.loader import load_pack

LAMP = "She keeps the lamp of the harbour and trims its wick each evening. " * 8
WAR = "As a girl she hid in the drowned chapel while the war went over the hills. " * 8
SHORT = "Sera keeps the harbour lamp. She speaks little, and she was hidden in a chapel when young."


@pytest.fixture
def card(tmp_path: Path) -> Path:
    return one_file(tmp_path, cards.v2(description=f"{LAMP}\n\n{WAR}"))


def shorten(run: Run, server: ScriptedServer, *args: str) -> Ran:
    return run(*args, "--base-url", server.url, "--model", "m")


@given(
    some.lists(some.sampled_from(["a word", "An end. ", "\n", "\n\n", "W++(", "x " * 120, "  "]), max_size=40)
)
def test_passages_hold_every_word_in_order(parts: list[str]) -> None:
    text = "".join(parts)
    made = passages(text)
    assert " ".join(made).split() == text.split()
    assert all(len(part.split()) <= PASSAGE_WORDS for part in made)


def test_a_long_card_becomes_short_and_the_rest_is_lore_that_it_knows(
    run: Run, server: ScriptedServer, packs: Path, card: Path
) -> None:
    server.script("author:short", say(f"**Personality:** {SHORT}"))
    server.script("author:lore", *[say('{"title": "The Lamp", "keys": ["lamp", "wick", "Sera"]}')] * 9)
    assert shorten(run, server, "import", str(card), "--shorten").code == 0
    pack = load_pack(packs / "sera")
    assert pack.characters["sera"].personality == SHORT
    entries = pack.lore["about-sera"]
    assert " ".join(entry.text for entry in entries).split() == f"{LAMP} {WAR}".split()
    assert {entry.known_by for entry in entries} == {("sera", "narrator")}
    assert {entry.keys for entry in entries} == {("lamp", "wick")}, (
        "her own name would bring it up in every turn"
    )
    assert (packs / "sera" / "imported" / "sera-whole.txt").read_text(
        "utf-8"
    ).split() == f"{LAMP} {WAR}".split()
    assert "more than 80 words to shorten" in run("shorten", "sera", "--offline").err


def test_where_the_model_names_no_keys_a_passage_is_found_by_its_own_words(
    run: Run, server: ScriptedServer, packs: Path, card: Path
) -> None:
    assert run("import", str(card)).code == 0
    server.script("author:short", say(SHORT))
    server.script("author:lore", *[say("I cannot do that.")] * 20)
    assert shorten(run, server, "shorten", "sera").code == 0
    entries = load_pack(packs / "sera").lore["about-sera"]
    assert all(entry.keys and all(key in entry.text.casefold() for key in entry.keys) for entry in entries)


@pytest.mark.parametrize(
    "reply", [say(""), say("Sera."), say("word " * 400), status(401, {"error": {"message": "no"}})]
)
def test_a_model_that_fails_leaves_the_card_as_it_is(
    run: Run, server: ScriptedServer, packs: Path, card: Path, reply: Step
) -> None:
    assert run("import", str(card)).code == 0
    before = {path: path.read_bytes() for path in (packs / "sera").rglob("*") if path.is_file()}
    server.script("author:short", *[reply] * 4)
    ran = shorten(run, server, "shorten", "sera")
    assert ran.code == 1 and "Sera was not shortened" in ran.err and len(ran.err.splitlines()) <= 2
    assert {path: path.read_bytes() for path in (packs / "sera").rglob("*") if path.is_file()} == before


def test_without_a_model_it_says_what_to_do(run: Run, card: Path) -> None:
    ran = run("import", str(card))
    assert "`theact-tui shorten sera` shortens them" in ran.out
    ran = run("shorten", "sera", "--offline")
    assert ran.code == 2 and "needs a model" in ran.err
