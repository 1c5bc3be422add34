"""Since when somebody knows something: planted histories, whose answer is exact."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.games import BEGAN, played, ticking
from tests.support.games import new_game as reef
from theact_tui.errors import UsageError
from theact_tui.saves.save import Save
from theact_tui.saves.since import Since, describe
from theact_tui.story import edits
from theact_tui.story.beats import mark_beats
from theact_tui.story.game import Game, PastChapter
from theact_tui.story.item import line_of_it
from theact_tui.story.lore import LoreEntry
from theact_tui.story.memory import Cell, CellsMemory, Fact, FactsMemory, change_facts, push_cells
from theact_tui.story.turn import Heard

KEY = "Ada lent Sam her key."
BACK = "Sam gave Ada the brass key back at the harbour on Friday evening."
QUOTED = 'Joaquin said "never" twice, and a back\\slash.'


def learn(game: Game, *texts: str, turn: int = 0, changed: tuple[tuple[str, str], ...] = ()) -> Game:
    """Maya's memory after a reply of the memory agent."""
    maya = game.memories["maya"]
    assert isinstance(maya, FactsMemory)
    number = turn or game.state.turn
    new = [(text, "") for text in texts]
    maya = change_facts(maya, turn_of=lambda text: number, new=new, changed=changed)  # type: ignore[arg-type]
    return game.with_memory("maya", maya)


def note(game: Game, text: str) -> Game:
    """Joaquin's diary with another entry of this turn."""
    joaquin = game.memories["joaquin"]
    assert isinstance(joaquin, CellsMemory)
    others = joaquin.model_copy(update={"cells": joaquin.cells[1:]})
    cell = Cell(turn=game.state.turn, text=text)
    return game.with_memory("joaquin", push_cells(others, [cell]))


class Story:
    """A save that is played by rules."""

    def __init__(self, save: Save[Game]) -> None:
        self.save = save

    def turn(self, *rules: object, text: str = "I go on.") -> None:
        before = self.save.load()
        game = played(before, text).with_memory("maya", before.memories["maya"])
        for rule in rules:
            game = rule(game)  # type: ignore[operator]
        self.save.commit(game)

    def edit(self, edit: edits.Edit) -> None:
        self.save.commit_edit(edit.game, edit.what)

    def reword(self, was: str, now: str) -> None:
        """Rewrite one of Maya's facts by hand; empty deletes it."""
        game = self.save.load()
        maya = game.memories["maya"]
        assert isinstance(maya, FactsMemory)
        facts = [
            fact.model_copy(update={"text": now}) if fact.text == was else fact for fact in maya.key_facts
        ]
        kept = tuple(fact for fact in facts if fact.text)
        self.edit(edits.set_memory(game, "maya", maya.model_copy(update={"key_facts": kept})))


def plant(story: Story) -> None:
    """The main history: 16 turns with a change of every kind, then a branch, a take and an undo."""
    save = story.save
    story.turn(lambda game: learn(game, KEY, QUOTED))  # 1
    story.turn(lambda game: note(game, KEY), lambda game: hit(game, "land"))  # 2
    story.turn(lambda game: learn(game, "Joaquin was here before the war."))  # 3
    story.turn(lambda game: learn(game, changed=((KEY, BACK),)))  # 4
    story.turn(lambda game: learn(game, "The lamp burns without oil."))  # 5: a moment of the fifth stone too
    story.reword("The lamp burns without oil.", "The lamp burns without any oil.")  # after 5
    story.turn(lambda game: learn(game, "Nobody winds the clock."))  # 6
    story.reword("Nobody winds the clock.", "")  # after 6
    story.turn()  # 7
    story.turn(lambda game: learn(game, "Nobody winds the clock."))  # 8
    game = save.load()
    maya = game.memories["maya"]
    assert isinstance(maya, FactsMemory)
    own = Fact(text="Maya wrote this herself.", turn=8)
    story.edit(
        edits.set_memory(game, "maya", maya.model_copy(update={"key_facts": (own, *maya.key_facts)[:10]}))
    )
    lore = LoreEntry(
        id="bell", title="The bell", text="The bell rings before a storm.", keys=("bell",), known_by=("maya",)
    )
    story.edit(edits.set_lore(save.load(), lore))  # after 8
    story.turn(lambda game: reveal(game, "bell", "joaquin"))  # 9
    reworded = lore.model_copy(update={"text": "The bell rings before and after a storm."})
    story.edit(edits.set_lore(save.load(), reworded))  # after 9
    story.turn(lambda game: hit(game, "spring"))  # 10
    game = save.load()
    story.edit(replace(edits.mark_beat(game, 3, hit=True), waits=False))  # after 10: "lamp"
    story.turn(lambda game: learn(game, "A late memory of turn nine.", turn=9))  # 11
    save.create_branch("other", 6)
    story.turn(lambda game: learn(game, "Lost by undo."))  # 12, undone
    save.undo(1)
    story.turn(lambda game: learn(game, "The door is blue."))  # 12
    save.begin_take()
    story.turn(lambda game: learn(game, "The gate is green."))  # 12, take 2
    story.turn(second_chapter)  # 13
    story.turn(lambda game: learn(game, *(f"Joaquin counts star {n}." for n in range(2))))  # 14
    for _ in range(6):  # 15 to 20: the first facts are crowded out
        story.turn(
            lambda game: learn(
                game, f"Joaquin counts wave {game.state.turn}.", f"Maya mends net {game.state.turn}."
            )
        )
    save.switch_branch("other")
    story.turn(lambda game: learn(game, "Only on the other branch.", KEY))  # 7 of the branch
    save.switch_branch("main")


def hit(game: Game, beat: str) -> Game:
    return replace(game, state=mark_beats(game.state, game.chapter, [beat], game.state.turn)[0])


def reveal(game: Game, entry: str, character: str) -> Game:
    return game.with_state(lore_known={entry: {character: game.state.turn}})


def with_missed(game: Game, character: str, *labels: str) -> Game:
    """The game whose first turn a character perceived without these pieces."""
    return game.with_turn(game.turns[1].model_copy(update={"heard": {character: Heard(missed=labels)}}))


def second_chapter(game: Game) -> Game:
    past = PastChapter(chapter="one", first_turn=1, last_turn=game.state.turn)
    return game.with_state(
        chapter="two", beats_hit=("climb",), chapter_since=game.state.turn, chapter_history=(past,)
    )


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Story]:
    with Save.create(tmp_path_factory.mktemp("planted") / "story", reef(), clock=ticking()) as save:
        story = Story(save)
        plant(story)
        yield story


def told(answer: Since, id: str) -> list[str]:
    """The steps of a person, such as `4 changed < was`; those after a turn are marked."""
    steps = next((person.steps for person in answer.people if person.id == id), ())
    return [
        f"{step.turn}{'+' if step.edit else ''} {step.how}{f' < {step.was}' if step.was else ''}"
        for step in steps
    ]


LINES: tuple[tuple[str, str, int | None, list[str]], ...] = (
    ("a fact", KEY, 3, ["1 learned"]),
    ("a fact with quotes", QUOTED, 3, ["1 learned"]),
    ("the same at the turn it came", KEY, 1, ["1 learned"]),
    ("a corrected fact", BACK, 5, [f"4 changed < {KEY}", "1 learned"]),
    ("the corrected fact's archived text", f"Ada lent Sam her key. Later: {BACK}", 5, [f"4 set aside < {KEY}", "1 learned"]),
    ("a fact edited by hand", "The lamp burns without any oil.", 7,
        ["5+ changed < The lamp burns without oil.", "5 learned"]),
    ("before it was edited", "Joaquin was here before the war.", 4, ["3 learned"]),
    ("a fact deleted and learned again", "Nobody winds the clock.", 9, ["8 learned"]),
    ("the same before it is crowded out", "Nobody winds the clock.", 16, ["8 learned"]),
    ("a fact written by hand", "Maya wrote this herself.", 10, ["8+ learned"]),
    ("a memory made late", "A late memory of turn nine.", 11, ["11 learned"]),
    ("a fact of the take that is current", "The gate is green.", 13, ["12 learned"]),
    ("an archived fact", QUOTED, None, ["15 set aside", "1 learned"]),
    ("an archived corrected fact", BACK, None, ["16 set aside", f"4 changed < {KEY}", "1 learned"]),
    ("an archived edited fact", "The lamp burns without any oil.", None,
        ["16 set aside", "5+ changed < The lamp burns without oil.", "5 learned"]),
    ("a fact before the turn that crowds it out", QUOTED, 12, ["1 learned"]),
    ("the newest fact", "Maya mends net 20.", None, ["20 learned"]),
)  # fmt: skip


@pytest.mark.parametrize(("name", "words", "turn", "steps"), LINES, ids=[line[0] for line in LINES])
def test_a_line_is_traced_to_its_turn(
    story: Story, name: str, words: str, turn: int | None, steps: list[str]
) -> None:
    assert told(story.save.since(words, turn), "maya") == steps


def test_two_people_got_the_same_line_in_turns_of_their_own(story: Story) -> None:
    answer = story.save.since(KEY, 3)
    assert {person.id: person.since for person in answer.people} == {"maya": 1, "joaquin": 2}
    assert told(answer, "joaquin") == ["2 learned"]
    named = [line for line in describe(answer, "joaquin") if ", since turn" in line]
    assert ["Joaquin" in line for line in named] == [True, False]
    assert told(story.save.since("I saw stone 3: I go on.", 6), "joaquin") == ["3 learned"]


@pytest.mark.parametrize("words", ["Lost by undo.", "The door is blue.", "Only on the other branch."])
def test_undone_turns_other_takes_and_other_branches_are_no_history(story: Story, words: str) -> None:
    with pytest.raises(UsageError, match="is like"):
        story.save.since(words, 12)


def test_a_branch_has_a_history_of_its_own(story: Story) -> None:
    story.save.switch_branch("other")
    try:
        assert told(story.save.since("Only on the other branch."), "maya") == ["7 learned"]
        assert told(story.save.since(BACK), "maya") == [f"4 changed < {KEY}", "1 learned"]
        assert told(story.save.since(KEY, character="maya"), "maya")[-1].endswith("learned")
    finally:
        story.save.switch_branch("main")


@pytest.mark.parametrize(
    ("beat", "turn", "steps"),
    [("spring", 11, "10"), ("lamp", 11, "10+"), ("land", None, "2"), ("spring", None, "10"), ("lamp", None, "10+"),
     ("climb", None, "13")],
)  # fmt: skip
def test_a_beat_is_traced_through_chapters(story: Story, beat: str, turn: int | None, steps: str) -> None:
    answer = story.save.since(beat, turn)
    assert [f"{step.turn}{'+' if step.edit else ''}" for step in answer.steps] == [steps]


def test_a_lore_entry_says_who_was_told_and_what_it_was_before(story: Story) -> None:
    answer = story.save.since("bell")
    assert {person.id: person.since for person in answer.people} == {"maya": 0, "joaquin": 9}
    assert [(step.turn, step.how, step.was) for step in answer.steps] == [
        (9, "changed", "The bell rings before a storm."),
        (8, "learned", ""),
    ]


def test_a_moment_is_known_by_those_who_were_there(story: Story) -> None:
    answer = story.save.since("Stone 5 is warm", 7)
    assert [step.turn for step in answer.steps] == [5]
    assert {person.id: person.since for person in answer.people} == {"maya": 5, "joaquin": 5}


def test_the_piece_is_a_guess_among_what_was_perceived(tmp_path: Path) -> None:
    with Save.create(tmp_path / "story", reef(), clock=lambda: BEGAN) as save:
        line = "I whisper that the anchor chain is rusted through."
        game = played(save.load(), line, "Gulls cry.")
        save.commit(with_missed(game, "joaquin", "a"))
        asked = ("I saw stone 1: I whisper", 1, "joaquin")
        source = next(person.most_like for person in save.since(*asked).people if person.id == "joaquin")
        assert source and (source.turn, source.label, source.place) == (1, "1", "your line")
        assert source.share > 0.7 and "closest match: your line in turn 1:" in "\n".join(
            describe(save.since(*asked))
        )
        heard_nothing = with_missed(game, "joaquin", "1", "a")
        save.commit_edit(heard_nothing, "heard")
        assert [person.most_like for person in save.since(*asked).people if person.id == "joaquin"] == [None]


def test_everybody_who_has_a_line_of_it_is_named() -> None:
    lines = ["Bob came late.", "Under Maya's cot I saw a brass key."]
    assert line_of_it("The brass key lies under the cot.", lines) == lines[1]
    assert line_of_it("The brass key does not lie under the cot.", lines) == ""
    assert line_of_it("The bell is cracked.", lines) == ""
