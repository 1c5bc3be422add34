"""A process that plays, to be killed: it journals a turn, says so, commits it, says so, and packs now and then."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tests.support.games import played
from theact_tui.saves.repository import pack
from theact_tui.saves.save import Save
from theact_tui.story.game import Game, Spoken

PACK_EVERY = 12


@dataclass
class Counts:
    """What a kill cost."""

    acknowledged_turns_lost: int = 0
    spoken_turns_lost: int = 0
    stepped_back: int = 0


def victim(folder: Path, seed: int) -> None:
    """Play until killed: turns, retries, undone turns, branches."""
    chance = random.Random(seed)
    save = Save.open(folder)
    spoken = save.unfinished.journalled()
    game = save.load()
    print("ready", flush=True)
    while True:
        if spoken is None:
            if game.state.turn > 1 and chance.random() < 0.15:
                game = save.begin_take()
            elif game.state.turn > 3 and chance.random() < 0.1:
                game = save.undo(2)
                print(f"moved {game.state.turn}", flush=True)
                game = save.redo(1) if chance.random() < 0.5 else game
                print(f"moved {game.state.turn}", flush=True)
            text = f"{chance.random():.12f}"
            new = played(game, text)
            spoken = Spoken(parent=save.head, branch=save.branch, turn=new.turns[new.state.turn], present=())
            save.unfinished.journal(spoken)
            print(f"spoken {new.state.turn} {text}", flush=True)
        else:
            text = spoken.turn.player_text
            new = played(game, text)
            new = replace(new, turns=new.turns | {new.state.turn: spoken.turn})
        save.commit(new)
        print(f"saved {new.state.turn} {text}", flush=True)
        game, spoken = new, None
        if game.state.turn % PACK_EVERY == 0:
            print("packing", flush=True)
            save._packing.wait()  # one at a time, as in the program
            pack(save.folder / ".git")
            print("packed", flush=True)


def run_and_kill(folder: Path, seed: int, is_time: Callable[[list[str]], bool]) -> list[str]:
    """What a victim said before it was killed. `is_time` is asked whenever it has said something."""
    command = [sys.executable, "-m", "tests.benchmarks.kill", str(folder), str(seed)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    line = process.stdout.readline()
    assert line == "ready\n", line
    said: list[str] = []
    while not is_time(said):
        said.append(process.stdout.readline().removesuffix("\n"))
        assert said[-1], said
    process.kill()
    rest, _ = process.communicate()
    said += rest.split("\n")[:-1]
    assert process.returncode == -signal.SIGKILL, f"the victim died by itself after {said[-1:]}"
    return said


def examine(folder: Path, said: list[str], counts: Counts) -> None:
    """Open the save and compare it with what was said last."""
    turn, text, kind = 0, "", ""
    for line in said:
        match line.split():
            case ["spoken" | "saved" as kind, number, text]:
                turn = int(number)
            case ["moved", number]:
                turn, text, kind = int(number), "", "moved"
    with Save.open(folder) as save:
        counts.stepped_back += bool(save.recovered)
        save.turns(1, save.turn)
        save.state_at(max(0, save.turn - 1))
        list(save.branches())
        journalled = save.unfinished.journalled()
        committed = save.load().last_turn
        is_there = bool(committed and committed.number == turn and committed.player_text == text)
        if kind == "saved" and not is_there and not is_kept(save, turn, text):
            counts.acknowledged_turns_lost += 1
        if kind == "spoken":
            is_journalled = journalled is not None and journalled.turn.player_text == text
            counts.spoken_turns_lost += not (is_there or is_journalled)


def is_kept(save: Save[Game], turn: int, text: str) -> bool:
    """True if a turn that was saved is there, though the victim had begun to leave it: it goes on, undid or retries."""
    if save.redoable():
        save.redo(save.redoable())
    spoken = save.unfinished.journalled()
    is_retried = spoken is not None and spoken.turn.number == turn
    return is_retried or any(told.player_text == text for told in save.turns(turn, turn))


def fsck(folder: Path) -> bool:
    """True if git finds nothing wrong."""
    command = ["git", "-C", str(folder), "fsck", "--strict", "--no-dangling", "--no-progress"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode or done.stderr:
        print(done.stdout, done.stderr, file=sys.stderr)
    return done.returncode == 0 and not done.stderr


if __name__ == "__main__":
    victim(Path(sys.argv[1]), int(sys.argv[2]))
