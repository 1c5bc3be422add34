"""Who is spoken to by name replies before anything else is told; who leaves or sleeps is not overtaken by a beat."""

from functools import cache

import pytest

from tests.storyteller.conftest import light
from tests.support.packs import shipped_pack
from tests.support.storyteller_games import Table
from theact_tui.story.script import Script


@cache
def due(pack: str) -> Table:
    """A game in which waiting brings the next beat. Not to be played on."""
    table = Table.opened(shipped_pack(pack))
    while len(table.game.state.present) < 2 or not table.copied().play("I wait.").new_beats:
        table.play("I wait.")
    return table


def island() -> Table:
    return due("lost-island").copied()


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("I ask Joaquin where he learned to pray.", "joaquin"), ("Joaquin, où as-tu appris à prier ?", "joaquin"),
        ("Je demande à Joaquin où il a appris à prier.", "joaquin"), ("je demande à joaquin où est maya", "joaquin"),
        ("Ich frage Maya nach der Uhrzeit.", "maya"), ("私はJoaquinに時間を聞く。", "joaquin"),
        ("J'embrasse Joaquin.", "joaquin"), ("Joaquin!", "joaquin"), ("Joaquin, look at this.", "joaquin"),
        ("I tell Joaquin that I trust him.", "joaquin"), ('"Joaquin, I trust you," I say.', "joaquin"),
        ('I turn to Joaquin. "You can trust me."', "joaquin"),
        ('"You can trust me," I say with a look at Joaquin.', "joaquin"), ("I apologise to Joaquin.", "joaquin"),
    ],
)  # fmt: skip
def test_who_is_spoken_to_by_name_replies_alone_and_no_set_piece_comes_first(line: str, asked: str) -> None:
    turn = island().play(line)
    assert [entry.character for entry in turn.replies] == [asked]
    assert "\n\n" not in turn.narration and not turn.new_beats


@pytest.mark.parametrize("line", ["Je demande à Joaquin où il va.", "Joaquin, look!"])
def test_the_set_piece_comes_when_a_line_by_name_was_replied_to(line: str) -> None:
    turns = island().play_all([line] * 3)
    assert not turns[0].new_beats and turns[-1].new_beats


def test_questions_by_name_hold_the_story_back_no_longer_than_it_may_stand_still() -> None:
    beats = [bool(turn.new_beats) for turn in island().play_all(["I ask Joaquin about the weather."] * 10)]
    assert not any(beats[:5]) and any(beats)


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("who", ["Edda", "Piet"])
def test_whoever_a_line_in_another_language_names_replies(who: str, language: str) -> None:
    table = Table.opened(light(Script(), language=language))
    for line in (f"Ich frage {who} nach dem Weg.", f"Wie geht es dir, {who}?", f"Ich gebe {who} das Brot."):
        assert [entry.character for entry in table.play(line).replies] == [who.lower()]


def test_on_the_first_page_too_whoever_is_named_replies() -> None:
    table = Table(shipped_pack("lost-island"), player="Sam")
    turn = table.play("Je demande à Joaquin où il a appris à prier.", kind="opening")
    assert turn.replies[0].character == "joaquin"


LEAVING = (
    "I leave {b} behind and walk off with {a}.", "I leave {b} and go with {a}.", "{a} and I leave {b}.",
    "{a} and I walk off without {b}.", "I go with {a}, leaving {b}.", "I slip away from {b} with {a}.",
    "We leave {b} behind.", "I leave {b} with {a}.", '"Farewell," I say, and leave {b} behind.', "I leave them all.",
)  # fmt: skip
SLEEPING = ("I have a nap.", "I nod off.", "I rest my eyes.", '"Good night," I say, and fall asleep.')
NAMES = {"salt-road": ("Imke", "Sir Odo"), "guest-in-nine": ("Dorothy", "Teddy")}


@pytest.mark.parametrize("pack", NAMES)
@pytest.mark.parametrize("line", [*LEAVING, *SLEEPING])
def test_no_beat_follows_who_leaves_somebody_or_sleeps(line: str, pack: str) -> None:
    table, (a, b) = due(pack).copied(), NAMES[pack]
    assert not table.play(line.format(a=a, b=b)).new_beats
    assert not table.play("I take a nap.").new_beats


@pytest.mark.parametrize("line", ["We leave the beach.", "Maya and I go down to the water."])
def test_who_goes_with_the_others_leaves_nobody(line: str) -> None:
    table = island()
    table.play(line)
    assert "maya" in table.game.state.present
