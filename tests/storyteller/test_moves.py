"""What the offline storyteller makes of what a player does beside its script."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.support.packs import shipped_pack
from tests.support.storyteller_games import Table
from theact_tui.storyteller.language import mentions
from theact_tui.storyteller.player_input import read_line
from theact_tui.storyteller.stock import stock

PACKS = ("guest-in-nine", "horsell-pit", "lost-island", "salt-road")
MOVES: list[dict[str, Any]] = YAML(typ="safe").load(Path(__file__).with_name("moves.yaml"))
ANSWERED = [move for move in MOVES if "by" in move]
assert len(MOVES) == 40 and len(ANSWERED) >= 34


@cache
def waited(pack: str, turns: int) -> Table:
    """A game of an opening and so many turns. Not to be played on."""
    if turns == 0:
        return Table.opened(shipped_pack(pack))
    table = waited(pack, turns - 1).copied()
    table.play_all(["I wait."])
    return table


def at(pack: str, after: int) -> Table:
    return waited(pack, after).copied()


@pytest.mark.parametrize("move", ANSWERED, ids=lambda move: move["move"])
def test_a_move_is_answered_before_the_next_beat(move: dict[str, Any]) -> None:
    turn = at(move["pack"], move["after"]).play(move["move"])
    told = " ".join(" ".join(entry.text.split()) for entry in turn.entries if entry.role != "player")
    assert move["by"] in told and not turn.new_beats


@pytest.mark.parametrize("name", PACKS)
def test_who_walks_off_is_let_go_and_fetched_back(name: str) -> None:
    table, leaving = at(name, 2), shipped_pack(name).script.leaving
    before = table.game.state.present
    gone = table.play("I walk away from them, alone.")
    assert gone.narration in leaving.away and not table.game.state.present and not gone.new_beats
    assert [entry.role for entry in gone.ordered_entries] == ["player", "narrator"], (
        "nobody is there to answer"
    )
    back = table.play("I sit down somewhere.")
    assert any(part in leaving.back for part in back.narration.split("\n\n"))
    assert set(before) <= set(table.game.state.present) and back.new_beats
    again = table.play("I walk off on my own.")
    assert again.narration in leaving.away and again.narration != gone.narration


def test_a_question_at_a_chapter_s_start_is_answered() -> None:
    table = at("guest-in-nine", 0)
    while not table.game.state.transition:
        table.play("I wait.")
    turn = table.play("Dorothy, what is in Room Nine?")
    assert turn.chapter == "02-mr-frayne" and turn.ordered_entries[2].character == "dorothy"
    book = shipped_pack("guest-in-nine").script
    known = [*book.chapters[turn.chapter].answers["dorothy"], *book.voices["dorothy"].answers]
    assert any(" ".join(answer.line.split()) in turn.ordered_entries[2].text for answer in known)
    assert not any(text in turn.narration for text in stock().carried)


OWN_TURNS = {
    "guest-in-nine": ("Dorothy, who else lives here?", "Teddy"),
    "horsell-pit": ("Ogilvy, what is it made of?", "Henderson"),
    "lost-island": ("Maya, where did the others go?", "Joaquin"),
    "salt-road": ("Imke, who else knows what is in the sacks?", "Odo"),
}
LEAVING = ("I walk away from here, alone.", "I turn round and walk home. I go to bed and fall asleep.")
SLEEPING = ("I fall asleep on the floor.", "I go to bed.", "I lie down and sleep.")


@pytest.mark.parametrize("name", PACKS)
@pytest.mark.parametrize("after", (0, 4, 8))
def test_a_line_that_leaves_sleeps_or_asks_by_name_never_vanishes_under_a_beat(name: str, after: int) -> None:
    script, (asked, other) = shipped_pack(name).script, OWN_TURNS[name]
    for line in (*LEAVING, *SLEEPING, asked, f"I ask {other} about the weather."):
        table = at(name, after)
        if table.game.state.transition:
            table.play("I wait.")
        turn = table.play(line)
        parts, cast = (
            turn.narration.split("\n\n"),
            [entry.character for entry in turn.entries if entry.character],
        )
        assert not turn.new_beats, line
        if line in LEAVING:
            assert parts[0] in (*script.leaving.away, *stock().leaving.away) and not table.game.state.present
        elif line not in SLEEPING:
            people = shipped_pack(name).characters
            asked_id = next(id for id, one in people.items() if mentions(line, one.name))
            assert cast[:1] == [asked_id] * (asked_id in table.game.state.present) and turn.narration, line


def test_who_lies_down_sleeps() -> None:
    assert read_line("I lie down.", "Sam", [], {}).sleeps
    assert not read_line("The papers lie down there.", "Sam", [], {}).sleeps


def test_a_deed_is_taken_up_by_who_it_is_done_to_and_by_nobody_else() -> None:
    table = at("guest-in-nine", 2)
    assert "ines" not in table.game.state.present
    kiss = table.play("I kiss Ines.")
    assert [entry.role for entry in kiss.ordered_entries] == ["player", "narrator"]
    assert "Ines" in kiss.narration
    kiss = at("guest-in-nine", 1).play("I kiss Dorothy.")
    assert [entry.character for entry in kiss.ordered_entries if entry.character] == ["dorothy"]


def test_who_walked_off_sleeps_alone_and_is_fetched_back_by_a_line_that_does_not_stay_away() -> None:
    table = at("lost-island", 1)
    table.play("I walk away on my own.")
    turn = table.play("I go to sleep.")
    assert not table.game.state.present and not turn.new_beats
    back = table.play("I punch Father Joaquin.")
    assert back.narration.split("\n\n")[0] in [text.format(name="Joaquin") for text in stock().away]
    assert back.new_beats and table.game.state.present


@pytest.mark.parametrize(
    ("pack", "lines", "stays"),
    [
        ("lost-island", "I walk along the beach looking for other survivors.", True),
        ("lost-island", "I wander around.", True), ("lost-island", "I walk up to Maya.", True),
        ("lost-island", "I leave the door open.", True),
        ("lost-island", "I go back to Maya.", True), ("lost-island", "I explore the wreck.", True),
        ("lost-island", "I go back.", True), ("lost-island", "I turn back.", True),
        ("lost-island", "I walk away on my own.|I sit down.|I go back to the beach.", True),
        ("lost-island", "I leave for the jungle and tell nobody.", False), ("lost-island", "I ride away.", False),
        ("lost-island", "I walk off and say nothing.", False), ("guest-in-nine", "I go to my room and lock the door.", False),
    ],
)  # fmt: skip
def test_who_goes_about_leaves_nobody_and_who_goes_away_is_alone(pack: str, lines: str, stays: bool) -> None:
    table = at(pack, 1)
    table.play_all(lines.split("|"))
    assert bool(table.game.state.present) is stays


def deed_texts(pack: str, cue: str) -> list[str]:
    deeds = (*shipped_pack(pack).script.deeds, *stock().deeds)
    return [" ".join(text.split()) for deed in deeds if cue in deed.cues for text in deed.told]


@pytest.mark.parametrize(
    ("pack", "line", "cue"),
    [
        ("lost-island", "I wake up.", "stand up"), ("lost-island", "I wake up and stretch.", "stand up"),
        ("lost-island", "I go back to the others.", "rejoin"), ("lost-island", "I rejoin Maya.", "rejoin"),
        ("lost-island", "I return to them.", "rejoin"),
        ("lost-island", "I steal Maya's pencil and hide it in my shoe.", "steal"),
        ("guest-in-nine", "I steal the silver spoons and hide them in my coat.", "steal"),
        ("guest-in-nine", "I set the curtains on fire.", "burn."),
        ("horsell-pit", "I offer Ogilvy a drink from my flask.", "give"), ("horsell-pit", "I give Ogilvy a kiss.", "kiss"),
        ("horsell-pit", "I steal Henderson's notebook.", ""), ("horsell-pit", "I dance with Henderson.", ""),
        ("horsell-pit", "I go back to Henderson.", ""),
    ],
)  # fmt: skip
def test_a_deed_is_read_by_its_verb_and_nothing_is_done_with_who_is_away(
    pack: str, line: str, cue: str
) -> None:
    table = at(pack, 2)
    told = table.play(line).narration.split("\n\n")[0]
    assert told in (
        deed_texts(pack, cue) if cue else [text.format(name="Henderson") for text in stock().away]
    )
    assert table.game.state.present


@pytest.mark.parametrize(
    "line", ["I open my eyes and try to stand up.", "I open my eyes.", "I open my mouth to answer."]
)
@pytest.mark.parametrize("name", PACKS)
def test_what_is_done_with_a_part_of_the_body_is_done_to_no_thing(name: str, line: str) -> None:
    turn = at(name, 0).play(line)
    assert not any(text in turn.narration for text in deed_texts(name, "open.")) and not turn.new_beats


@pytest.mark.parametrize("name", PACKS)
def test_who_is_here_is_answered_with_their_names(name: str) -> None:
    table = at(name, 1)
    for line in ("Who is here?", "Where is everybody?"):
        turn = table.play(line)
        names = ", ".join(map(shipped_pack(name).name_of, table.game.state.present))
        assert names in turn.narration and [entry.role for entry in turn.entries] == ["player", "narrator"]
    table.play("I walk away, alone.")
    assert table.play("Is anybody here?").narration in stock().alone and not table.game.state.present


@pytest.mark.parametrize("after", (1, 3, 5))
@pytest.mark.parametrize(
    ("pack", "line", "who"),
    [("guest-in-nine", "I punch Teddy.", "teddy"), ("lost-island", '"Maya, I took your pencil."', "maya")],
)
def test_a_deed_to_somebody_or_a_confession_never_vanishes_under_a_beat(
    pack: str, line: str, who: str, after: int
) -> None:
    table = at(pack, after)
    if who not in table.game.state.present or table.game.state.transition:
        table.play("I wait.")
    turn = table.play(line)
    assert not turn.new_beats and [entry.character for entry in turn.entries if entry.character] == [who]


def test_who_sleeps_a_third_time_is_told_of_rest_not_of_a_way() -> None:
    table = at("horsell-pit", 2)
    table.play_all(["I sleep.", "I fall asleep."])
    narration = table.play("I go to sleep.").narration.split("\n\n")[0]
    waits = [*shipped_pack("horsell-pit").script.reactions["wait"], *stock().reactions["wait"]]
    assert narration in [" ".join(text.split()) for text in waits]


def test_a_question_about_a_meal_is_no_meal() -> None:
    eaten = deed_texts("guest-in-nine", "supper")
    assert eaten and at("guest-in-nine", 2).play("I ask Dorothy what is for supper.").narration not in eaten
