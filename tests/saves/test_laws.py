"""Whatever is done in whatever order, a save holds exactly the story that a simple list would."""

import subprocess
from dataclasses import dataclass, field, replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.saves.conftest import play
from tests.support.games import new_game, ticking
from theact_tui.saves.repository import pack
from theact_tui.saves.save import Save
from theact_tui.story.edits import TEXT_OF
from theact_tui.story.game import Game

ACTS = (*"play play play undo redo retry take branch switch edit reopen pack".split(), "give up")


@dataclass
class Story:
    """What the players' lines of each branch must be."""

    branch: str = "main"
    lines: dict[str, list[str]] = field(default_factory=lambda: {"main": []})
    undone: dict[str, list[str]] = field(default_factory=dict)

    @property
    def now(self) -> list[str]:
        return self.lines[self.branch]


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(st.tuples(st.sampled_from(ACTS), st.integers(0, 5)), min_size=5, max_size=25))
def test_any_order_of_moves(acts: list[tuple[str, int]], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("law") / "save"
    save = Save.create(folder, new_game(), clock=ticking())
    story, words = Story(), count()
    for act, number in acts:
        save = move(save, folder, story, act, number, f"line {next(words)}")
        assert [turn.player_text for turn in save.turns(1, 99)] == story.now
        turn = len(story.now)
        assert (save.branch, save.turn, save.load().state.turn) == (story.branch, turn, turn)
        for name, lines in story.lines.items():
            assert [turn.player_text for turn in save.turns(1, 99, name)] == lines
        assert save.state_at(turn // 2).state.turn == turn // 2
    save.close()
    subprocess.run(["git", "-C", folder, "fsck", "--strict"], check=True, capture_output=True)


def move(save: Save[Game], folder: Path, story: Story, act: str, number: int, text: str) -> Save[Game]:
    """Do the same to the save and to the list."""
    match act:
        case "play":
            play(save, 1, text)
            story.now.append(text)
            story.undone.pop(story.branch, None)
        case "undo" if story.now:
            left = save.undo(min(number, len(story.now)) or None).state.turn
            story.undone[story.branch] = story.now[left:] + story.undone.get(story.branch, [])
            del story.now[left:]
        case "redo" if story.undone.get(story.branch):
            before, now = save.turn, save.redo(1 if number else None).state.turn
            story.now.extend(story.undone[story.branch][: now - before])
            del story.undone[story.branch][: now - before]
        case "retry" if story.now:
            save.begin_take()
            play(save, 1, text)
            story.now[-1] = text
            story.undone.pop(story.branch, None)
        case "give up" if story.now:
            save.begin_take()
            save.close()
            return Save.open(folder, clock=ticking())
        case "take" if save.takes()[1] > 1:
            save.select_take(number % save.takes()[1] + 1)
            story.now[-1:] = [turn.player_text for turn in save.turns(save.turn, save.turn)]
            story.undone.pop(story.branch, None)
            if save.redoable():
                story.undone[story.branch] = undone(save)
        case "branch" if f"b{number}" not in story.lines:
            turn = min(number, len(story.now))
            save.create_branch(f"b{number}", turn)
            story.lines[f"b{number}"] = story.now[:turn]
        case "switch" if f"b{number}" in story.lines:
            save.switch_branch(f"b{number}")
            story.branch = f"b{number}"
        case "edit":
            game = save.load()
            save.commit_edit(
                replace(game, state=game.state.model_copy(update={"rolls": game.state.rolls + 1})),
                f"{TEXT_OF}1 changed" if number % 2 else "rolls",
            )
        case "reopen":
            save.close()
            return Save.open(folder, clock=ticking())
        case "pack":
            pack(save.folder / ".git")
    return save


def undone(save: Save[Game]) -> list[str]:
    """The lines that redo would bring back."""
    turn, ahead = save.turn, save.redoable()
    save.redo(ahead)
    lines = [told.player_text for told in save.turns(turn + 1, turn + ahead)]
    save.undo(ahead)
    return lines
