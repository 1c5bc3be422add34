"""Comparing says where two stories part and what each has that the other has not; the tree shows them all."""

from dataclasses import replace

import pytest

from tests.saves.conftest import play
from tests.support.games import next_chapter, played
from theact_tui.errors import UsageError
from theact_tui.saves.compare import (
    LearnedLine,
    MemoryDifference,
    RewordedLine,
    memory_difference,
    same_turns,
)
from theact_tui.saves.git_objects import Link
from theact_tui.saves.graph import Node
from theact_tui.saves.history import CommitChain
from theact_tui.saves.repository import Repository
from theact_tui.saves.save import Save
from theact_tui.story.game import Game
from theact_tui.story.memory import Cell, CellsMemory, Fact, FactsMemory


def hits(game: Game, beat: str) -> Game:
    number = game.state.turn
    turn = game.turns[number].model_copy(update={"new_beats": (beat,)})
    state = game.state.model_copy(update={"beats_hit": (*game.state.beats_hit, beat)})
    return replace(game, state=state, turns=game.turns | {number: turn})


@pytest.fixture
def forked(save: Save[Game]) -> Save[Game]:
    """`aside` leaves `main` after turn 3; main has 6 turns and is in chapter two, aside has 4."""
    play(save, 3)
    save.commit(hits(played(save.load()), "land"))
    save.commit(next_chapter(hits(played(save.load()), "lamp")))
    play(save, 1)
    save.create_branch("aside", 3)
    save.switch_branch("aside")
    save.commit(hits(played(save.load(), "I wait until the tide has turned."), "spring"))
    game = save.load()
    save.commit_edit(
        replace(game, state=game.state.model_copy(update={"present": ("maya",)})), "Joaquin goes"
    )
    save.switch_branch("main")
    return save


def test_turns_are_the_control_s_if_both_sides_have_its_texts(forked: Save[Game]) -> None:
    forked.create_branch("control", 3)
    forked.switch_branch("control")
    forked.commit(hits(played(forked.load(), "I wait elsewhere."), "land"))
    comparison, control = (forked.compare("main", name) for name in ("aside", "control"))
    assert same_turns(comparison, control) == {5, 6}
    assert same_turns(comparison, comparison) == {pair.number for pair in comparison.turns}


def test_two_branches_are_compared_in_meaning(forked: Save[Game]) -> None:
    found = forked.compare("main", "aside")
    main, aside = found.a, found.b
    assert (found.fork_turn, main.turn, aside.turn) == (3, 6, 4)
    assert (main.chapter.title, aside.chapter.title) == ("Inland", "Ashore")
    assert (main.beats, aside.beats) == (("land", "lamp"), ("spring",))
    assert (main.present, aside.present) == (("joaquin",), ())
    assert [moment.turn for moment in main.moments] == [5] and aside.moments == ()
    assert [recap.chapter for recap in main.recaps] == ["one"]
    assert [line.turn for line in main.characters["maya"].learned] == [4, 5, 6]
    assert aside.characters["maya"].learned == (
        LearnedLine(text="Stone 4: I wait until the tide has turned.", turn=4),
    )
    assert [line.turn for line in main.characters["joaquin"].learned] == [6, 5]
    assert aside.characters["joaquin"].changed == (
        RewordedLine(
            turn=4, here="I saw stone 4: I wait until the tide has turned.", there="I saw stone 4: I go on."
        ),
    )
    assert [(pair.number, bool(pair.a), bool(pair.b)) for pair in found.turns] == [
        (4, True, True), (5, True, False), (6, True, False),
    ]  # fmt: skip
    assert found.turns[0].b and found.turns[0].b.player_text == "I wait until the tide has turned."


def test_turns_and_takes_can_be_compared_too(forked: Save[Game]) -> None:
    assert (forked.compare("2", "5").fork_turn, forked.compare("aside@1", "main").fork_turn) == (2, 1)
    same = forked.compare("main", "main@6")
    assert (same.fork_turn, same.turns) == (6, ())
    assert not (same.a.beats or same.a.present or same.a.moments or same.a.recaps or same.a.characters)
    forked.begin_take()
    play(forked, 1, "again")
    takes = forked.compare("6#1", "6#2")
    assert takes.fork_turn == 5
    assert [pair.b.player_text for pair in takes.turns if pair.b] == ["again"]
    for name in ("nowhere", "99", "9" * 5_000, "6#3", "aside@5", "-1"):
        with pytest.raises(UsageError):
            forked.compare("main", name)


def test_an_old_turn_edited_on_one_side_is_shown_and_moves_no_fork(forked: Save[Game]) -> None:
    turn = forked.turns(1, 1)[0].model_copy(update={"notices": ("edited",)})
    forked.commit_edit(forked.load(), "turn 1", [turn])
    found = forked.compare("main", "aside")
    assert (found.fork_turn, [pair.number for pair in found.turns]) == (3, [1, 4, 5, 6])


def test_memories_are_compared_line_by_line() -> None:
    here = FactsMemory(
        summary="S", key_facts=(Fact(text="The radio is dead", turn=2), Fact(text="A door", turn=3))
    )
    there = FactsMemory(
        summary="S", key_facts=(Fact(text="The radio is quite dead", turn=2), Fact(text="x", turn=3))
    )
    assert memory_difference(here, there) == MemoryDifference(
        learned=(LearnedLine(text="A door", turn=3),),
        changed=(RewordedLine(turn=2, here="The radio is dead", there="The radio is quite dead"),),
    )
    cells = CellsMemory(summary="T", cells=(Cell(turn=1, text="I fell."),))
    assert memory_difference(cells, None) == MemoryDifference(
        summary="T", learned=(LearnedLine(text="I fell.", turn=1),)
    )


def test_the_fork_is_found_without_walking(save: Save[Game], monkeypatch: pytest.MonkeyPatch) -> None:
    play(save, 50)
    save.create_branch("aside", 17)
    save.switch_branch("aside")
    play(save, 24, "aside")
    repository = Repository(save.folder / ".git")
    read: list[str] = []
    link = repository.link

    def counted(id: str) -> Link:
        read.append(id)
        return link(id)

    monkeypatch.setattr(repository, "link", counted)
    history = CommitChain(repository)
    tips = [repository.ref(f"refs/heads/{name}") or "" for name in ("main", "aside")]
    assert history.fork(*tips) == 17
    for turn in (0, 1, 16, 17, 18, 31, 32, 41):
        assert history.turn(history.at(tips[1], turn)) == turn
    assert len(set(read)) < 50
    repository.close()


def flat(node: Node, depth: int = 0) -> list[str]:
    words = [f"{node.turn}", *node.branches]
    words += [f"take {node.take}/{node.takes}"] if node.take else []
    words += ["undone"] if node.is_undone else []
    return [
        "  " * depth + " ".join(words),
        *(line for child in node.children for line in flat(child, depth + 1)),
    ]


def test_the_tree_shows_where_branches_and_takes_part(save: Save[Game]) -> None:
    assert flat(save.tree()) == ["0 main"]
    play(save, 12)
    save.begin_take()
    play(save, 1, "again")
    save.create_branch("what-if", 11)
    save.create_branch("early", 4)
    play(save, 3)
    save.undo(2)
    assert flat(save.tree()) == [
        "0",
        "  4 early",
        "    11 what-if",
        "      12 take 1/2",
        "      12 take 2/2",
        "        13 main",
        "          15 undone",
    ]
    twelve = save.tree().children[0].children[0].children[1]
    assert (twelve.said, twelve.line) == ("again", 'You come to stone 12. It is warm, and it says: "again".')


def test_the_tree_shows_what_was_undone_on_every_branch(save: Save[Game]) -> None:
    play(save, 3)
    save.undo(2)
    save.create_branch("aside", 1)
    save.switch_branch("aside")
    assert flat(save.tree()) == ["0", "  1 aside main", "    3 undone"]
    assert save.redoable() == 0 and not save.tree().children[0].children[0].is_redoable
    save.switch_branch("main")
    assert save.redoable() == 2 and save.tree().children[0].children[0].is_redoable
