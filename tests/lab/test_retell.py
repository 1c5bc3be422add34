"""The same lines told again: with and without a change, and by another model."""

import asyncio
import shutil
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.support.cli import Run, ran
from tests.support.fake_model import Scripted, Stage, narration, sent, stage
from tests.support.fake_server import ScriptedServer, say, status
from theact_tui.errors import SaveError, UsageError
from theact_tui.lab.retell import Retelling, describe_change, retell_turns, what_if
from theact_tui.models.model import Models, Request
from theact_tui.saves.repository import Repository
from theact_tui.saves.save import Save
from theact_tui.story.edits import set_memory
from theact_tui.story.game import Game
from theact_tui.story.memory import Fact, Reflection
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Cuts, Entry
from theact_tui.story.what_if import change_knowledge, telling_parts

FACT = "Alex hid the brass key under the third stair."


def knowing(ask: Request) -> str:
    """Ann speaks of the key as long as her prompt does."""
    return (
        "The brass key is under the third stair."
        if "brass key under the third" in sent(ask)
        else "I know of no key."
    )


def page(ask: Request) -> str:
    return narration("The lamp gutters again. Water stands on the stair.", "ann", "tense", "ann, bob")


@pytest.fixture
async def played(tmp_path: Path) -> Stage:
    """Four turns; Ann is given a fact by hand after the second."""
    model = Scripted(answers={"character": knowing, "narrator": page})
    play = await stage(tmp_path / "home", model)
    await play.session.open_story()
    await play.turn("I wait.")
    memory = play.session.game.memory_of("ann")
    facts = (*memory.key_facts, Fact(text=FACT, turn=2, pinned=True))  # type: ignore[union-attr]
    await play.session.edit(set_memory, "ann", memory.model_copy(update={"key_facts": facts}))
    await play.turn("I look around.")
    await play.turn("I ask Ann for the key.")
    await play.session.close()
    return play


def model_again(pack: Pack, seed: int) -> Models:
    return Scripted(answers={"character": knowing, "narrator": page})


def refs(save: Save[Game]) -> dict[str, str]:
    return save.repository.refs("refs/")


async def without(
    save: Save[Game], fact: str = FACT, *, turn: int = 2, give: bool = False, **more: str
) -> Retelling:
    return await what_if(
        save, model_again, turn, 3, fact, more.get("character", ""), give=give, say=lambda text: None
    )


async def test_a_fact_taken_away_shows_its_first_difference_and_the_control_shows_none(played: Stage) -> None:
    with Save.open(played.session.folder) as save:
        head, names = save.head, {branch.name for branch in save.branches()}
        retold = await without(save, character="ann")
        assert retold.difference and (retold.difference.turn, retold.difference.speaker) == (3, "ann")
        assert retold.difference.control == "The brass key is under the third stair."
        assert retold.difference.changed == "I know of no key."
        assert retold.control and not retold.control.b.characters
        lost = retold.comparison.a.characters["ann"]
        assert FACT in [line.text for line in lost.learned]
        assert (save.head, save.branch) == (head, "main")
        assert {branch.name for branch in save.branches()} - names == set(retold.branches)
        assert [
            save.place(f"{name}@4") and save.state_at(4, name).state.turn for name in retold.branches
        ] == [4, 4]
        with pytest.raises(UsageError):
            save.since(FACT, character="bob")


async def test_what_still_tells_a_fact_is_named(played: Stage) -> None:
    with Save.open(played.session.folder) as save:
        game = save.load()
        memory = game.memory_of("ann")
        seen = Reflection(turn=2, want=FACT)
        told = memory.model_copy(
            update={"older": f"2 {FACT}", "summary": f"It rains. {FACT}", "reflection": seen}
        )
        page = game.turns[3].model_copy(
            update={"entries": (Entry(role="narrator", text=FACT),), "cuts": Cuts()}
        )
        game = game.with_memory("ann", told).with_turn(page)
        edit, text = change_knowledge(game, FACT, "ann", give=False)
        assert text == FACT and list(telling_parts(edit.game, "ann", text)) == ["turn 3", "turn 4"]
        places = ["its lines", "the archive", "the summary", "its conclusions", "turn 3", "turn 4"]
        assert list(telling_parts(game, "ann", text)) == places
        with pytest.raises(UsageError, match="last one"):
            await without(save, turn=4)


@pytest.mark.parametrize("place", ["turn 2", ""])
async def test_where_it_is_still_told_is_in_the_answer(played: Stage, place: str) -> None:
    with Save.open(played.session.folder) as save:
        save.switch_branch(save.create_branch("planted", 2))
        game = save.load()
        page = game.turns[2]
        if place == "turn 2":
            told = (page.ordered_entries[0], Entry(role="narrator", text=f"It rains. {FACT}"))
            page = page.model_copy(update={"entries": told, "cuts": Cuts(), "heard": {}})
            game = game.with_turn(page)
        save.commit_edit(game, "planted", [page])
        (line,) = save.turns(3, 3, "main")
        save.commit(save.load().with_turn(line).with_state(turn=3))
        retold = await without(save, character="ann")
        assert retold.still_in == ({"ann": (place,)} if place else {})


async def test_a_fact_and_a_piece_can_be_given(played: Stage) -> None:
    with Save.open(played.session.folder) as save:
        retold = await without(save, "Bob sold the boat to a stranger.", give=True, character="bob")
        changed = save.state_at(2, retold.branches[0])
        assert "Bob sold the boat to a stranger." in str(
            save.state_at(4, retold.branches[0]).memory_of("bob")
        )
        assert changed.state.turn == 2 and retold.still_in == {}
        piece = await without(save, "2:A", character="ann")
        assert "A" in save.turns(2, 2, piece.branches[0])[0].heard["ann"].missed
        assert "ann" not in save.turns(2, 2, piece.branches[1])[0].heard
        for words, reason in (
            ("2:Z", "no piece"),
            ("77:A", "word for word"),
            ("zebra", "is like"),
            ("?!", "fact is empty"),
        ):
            with pytest.raises(UsageError, match=reason):
                await without(save, words, character="ann")


async def test_a_difference_by_chance_is_called_so(played: Stage) -> None:
    numbers = count()

    def restless(pack: Pack, seed: int) -> Models:
        def page(ask: Request) -> str:
            return narration(f"Wave {next(numbers)} breaks.", "ann", "tense", "ann, bob")

        return Scripted(answers={"character": knowing, "narrator": page})

    with Save.open(played.session.folder) as save:
        chance = await what_if(save, restless, 2, 1, FACT, "ann", give=False, say=str)
        assert chance.difference and chance.difference.speaker == "narrator" and chance.difference.same_prompt
        assert "chance" in "\n".join(describe_change(chance, {}))
        effect = await without(save, character="ann")
        assert effect.difference and not effect.difference.same_prompt
        assert "chance" not in "\n".join(describe_change(effect, {"ann": "Ann"}))


async def test_stopped_in_the_middle_nothing_is_added(played: Stage) -> None:
    with Save.open(played.session.folder) as save:
        before = refs(save)
        begun = asyncio.Event()
        work = what_if(save, model_again, 2, 3, FACT, "ann", give=False, say=lambda text: begun.set())
        task = asyncio.create_task(work)
        await begun.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert refs(save) == before


async def test_a_branch_that_changes_meanwhile_is_left_alone(played: Stage) -> None:
    with Save.open(played.session.folder) as save:
        moved = [False]

        def undo(text: str) -> None:
            if not moved[0]:
                moved[0] = True
                save.undo(3)

        with pytest.raises(SaveError, match="changed meanwhile"):
            await what_if(save, model_again, 2, 3, FACT, "ann", give=False, say=undo)
        assert [branch.name for branch in save.branches()] == ["main"]


async def test_another_model_tells_the_lines_on_one_branch(played: Stage) -> None:
    with Save.open(played.session.folder) as save:
        other = Scripted(answers={"character": "Ask the sea.", "narrator": page})
        retold = await retell_turns(
            save, lambda pack, seed: other, {"turn 2 by big": None}, 2, 3, lambda text: None
        )
        (name,) = retold.branches
        assert save.title_of(name) == "turn 2 by big" and retold.control is None
        replies = [entry.text for turn in save.turns(3, 4, name) for entry in turn.entries if entry.character]
        assert replies == ["Ask the sea."] * 2
        assert [turn.player_text for turn in save.turns(3, 4, name)] == [
            "I look around.",
            "I ask Ann for the key.",
        ]


@pytest.fixture
def home(tmp_path: Path, played: Stage, server: ScriptedServer) -> Iterator[Path]:
    """The home of that story with a profile of the server."""
    home = tmp_path / "cli"
    shutil.copytree(played.session.folder.parent, home / "saves")
    profile = f'[profiles.big]\nbase_url = "{server.url}"\nmodel = "big"\n'
    (home / "config.toml").write_text(profile)
    yield home


def test_every_reply_of_both_branches_has_one_seed_and_it_is_recorded(
    home: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str], lab: Run
) -> None:
    asked = ("test", "--turn", "2", "--turns", "1", "--profile", "big", "--home", str(home))
    done = ran(capsys, "whatif", *asked, "--without", FACT, "--character", "ann", "--json")
    assert done.code == 0, done.err
    assert {call.body.get("seed") for call in server.calls if call.agent != "warm-up"} == {1}
    for name in done.json["branches"]:
        ran(capsys, "switch", "test", name, "--home", str(home))
        calls = ran(capsys, "calls", "test", "--turn", "3", "--home", str(home), "--json").json
        assert {call["sent"]["seed"] for call in calls if call["sent"]} == {1}
    text = ran(capsys, "retell", "test", *asked[1:])
    assert text.code == 0 and "from-turn-3-by-big" in text.out
    refused = ran(capsys, "whatif", *asked)
    assert refused.code == 2 and "--without" in refused.err


def test_where_nothing_differs_no_differences_are_printed(
    home: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script("*", say("Rain falls on the stair."))
    asked = ("--turn", "2", "--turns", "1", "--without", FACT, "--profile", "big", "--home", str(home))
    same = ran(capsys, "whatif", "test", *asked)
    assert same.code == 0 and "No difference" in same.out and "They differ" not in same.out


def test_a_model_that_is_gone_adds_nothing(
    home: Path, server: ScriptedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script("*", status(404, {"error": {"message": "model not found"}}))
    before = Repository(home / "saves" / "test" / ".git").refs("refs/")
    for name, *more in (("whatif", "--without", FACT), ("retell",)):
        gone = ran(capsys, name, "test", "--turn", "2", *more, "--profile", "big", "--home", str(home))
        assert gone.code and gone.err.strip() and "Traceback" not in gone.err
        assert Repository(home / "saves" / "test" / ".git").refs("refs/") == before


def test_a_story_without_its_private_folder_is_told_again(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.rmtree(home / "saves" / "test" / ".git" / "theact")
    asked = ("--turn", "2", "--without", FACT, "--profile", "big", "--home", str(home))
    assert ran(capsys, "whatif", "test", *asked).code == 0
    assert ran(capsys, "since", "test", FACT, "--home", str(home)).code == 0
    gone = ran(capsys, "why", "test", "--profile", "big", "--home", str(home))
    assert gone.code == 2 and "was imported or cloned" in gone.err
