"""The inspector at the keyboard: who remembers what, since when, and why somebody said that."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from textual.widgets import Static, TextArea

from tests.support.fake_model import Scripted
from tests.support.inspector_pilot import SAID, TOLD, Inspector, begin, open_told, play, scripted
from tests.support.pilot import make_app, opens, until
from theact_tui.engine.events import Notice
from theact_tui.errors import CallError
from theact_tui.models.model import Request
from theact_tui.models.model_for_agent import Offline
from theact_tui.saves.compare import same_turns
from theact_tui.story.edits import set_memory
from theact_tui.story.memory import FactsMemory
from theact_tui.storyteller import Storyteller
from theact_tui.tui.branches.compare import CompareScreen
from theact_tui.tui.inspector.view import NARRATOR_ID, InspectorView, Selection
from theact_tui.tui.play.screen import PlayScreen
from theact_tui.tui.widgets.dialogs import ListDialog, TextDialog
from theact_tui.tui.widgets.lists import RowList


@pytest.fixture
def model() -> Scripted:
    return scripted()


@pytest.fixture
async def reader(tmp_path: Path, told: Path, model: Scripted) -> AsyncIterator[Inspector]:
    """Somebody before a story of six turns, looking into it."""
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        session = await open_told(app, told, model)
        reader = await begin(pilot, session)
        await reader.into()
        yield reader
        if reader.playing:
            await session.close()


def words(reader: Inspector, selector: str) -> str:
    return "".join(str(line.content) for line in reader.app.screen.query(selector).results(Static))


async def answer(reader: Inspector) -> str:
    """What is answered to a question to the story."""
    await until(reader.pilot, lambda: bool(reader.app.screen.query(".answers")), "the answer")
    return words(reader, ".about")


def maya(reader: Inspector) -> FactsMemory:
    memory = reader.session.game.memories["maya"]
    assert isinstance(memory, FactsMemory)
    return memory


async def test_it_opens_on_who_spoke_last_and_one_key_shows_what_was_sent_and_what_not(
    reader: Inspector,
) -> None:
    assert (reader.glass.person, reader.glass.number) == ("maya", 6)
    await reader.look("x")
    frame = reader.glass.frame
    call = next(call for call in frame.calls if call.key == "character:maya") if frame else None
    assert call and {message["role"] for message in call.messages} == {"system", "user", "assistant"}
    text = " ".join(reader.said("prompt-page").split())
    for section in call.sections:
        assert " ".join(section.text.split()) in text
    assert "character maya" in reader.heading("prompt-head") and "1 of 2" in reader.heading("prompt-head")
    await reader.look("escape", "left", "tab", "x")
    assert reader.heading("prompt-head").startswith("PROMPT  character joaquin")
    assert "not sent   turns 3-4: Father Joaquin was away" in reader.said("prompt-page")


async def test_each_one_s_lines_say_how_they_changed_and_where_they_came_from(reader: Inspector) -> None:
    kept, _, aside = reader.lines.partition("SET ASIDE")
    assert kept.rstrip().splitlines()[-5:] == [
        "    2 Maya's radio is dead.",
        "~   6 Joaquin knows the island.",
        "      was Joaquin may know the island.",
        "+   6 Joaquin covered the lowest line by the warm spring, and now it is gone.",
        "-   3 The spring is warm.",
    ]
    assert "The spring is warm." in aside and "Joaquin may know the island." in aside
    assert reader.tabs == "● Maya Chen +1 ~1 -1   ● Father Joaquin +2   Narrator"
    await reader.look("tab")
    assert "+   6 Maya knows about the night." in reader.lines
    await reader.look("tab")
    assert reader.glass.person == NARRATOR_ID
    assert "+✓ misses the lowest line" in reader.lines
    assert "3 discovery the spring is warm as a hand" in reader.lines
    await reader.look("tab", "shift+tab")
    assert reader.glass.person == NARRATOR_ID


async def test_one_goes_through_the_turns_and_a_held_key_reads_no_more_than_one_at_a_time(
    reader: Inspector,
) -> None:
    await reader.press("left", "left", "left", "left", "right")
    assert reader.glass.number == 3
    await reader.settle()
    assert reader.glass.frame and reader.glass.frame.number == 3
    assert "+   3 The spring is warm." in reader.lines
    assert "○ Father Joaquin" in reader.tabs
    await reader.look("home")
    assert reader.glass.number == 1
    assert "No memories yet" in reader.lines, "those of turns 1 and 2 are asked for together"
    await reader.look("left", "right")
    assert reader.glass.number == 2
    assert "+   2 Maya's radio is dead." in reader.lines
    await reader.look("end")
    assert reader.glass.number == 6


async def test_enter_shows_the_words_a_line_came_from_and_again_goes_there(reader: Inspector) -> None:
    await reader.look("up", "enter")
    assert "The stones are cut." in reader.words
    assert "turn 2" in reader.heading("words-head")
    await reader.look("escape")
    assert reader.glass.view == "memory"
    await reader.look("enter", "enter")
    await until(reader.pilot, lambda: isinstance(reader.app.screen, PlayScreen), "the story")
    await until(reader.pilot, lambda: reader.transcript.place == (2, 0), "turn 2")


async def test_a_line_is_pinned_unpinned_rewritten_removed_and_added(reader: Inspector) -> None:
    await reader.look("p")
    assert [fact.pinned for fact in maya(reader).key_facts] == [False, True, False]
    assert "~◆  6 Joaquin knows the island." in reader.lines
    await reader.look("p")
    assert not any(fact.pinned for fact in maya(reader).key_facts)
    await reader.press("e")
    assert isinstance(reader.app.screen, TextDialog)
    await reader.press("end", *"!", "ctrl+s")
    await reader.settle()
    assert maya(reader).key_facts[1].text == "Joaquin knows the island.!"
    await reader.press("e", "end", "ctrl+u", "ctrl+s")
    await reader.settle()
    assert [fact.turn for fact in maya(reader).key_facts] == [2, 6]
    await reader.press("a")
    await reader.type("He lies.", "ctrl+s")
    await reader.settle()
    assert maya(reader).key_facts[-1].text == "He lies."
    assert "He lies." in reader.lines
    log = await reader.session.run(reader.session.save.log)
    changed = "memory of Maya Chen changed"
    pinned = f"pinned a memory of Maya Chen; unpinned a memory of Maya Chen; {changed}"
    assert [line.line for line in log][:3] == [changed, changed, pinned]


async def test_a_line_that_went_is_put_back_and_words_that_changed_meanwhile_are_not_overwritten(
    reader: Inspector,
) -> None:
    await reader.look("down", "down")
    await reader.press("a", "ctrl+s")
    await reader.settle()
    assert maya(reader).key_facts[-1].text == "The spring is warm."
    await reader.press("e")
    after = maya(reader).model_copy(update={"key_facts": ()})
    await reader.session.edit(set_memory, "maya", after)
    await reader.press("x", "ctrl+s")
    await reader.settle()
    assert maya(reader).key_facts == ()
    assert "Your edit was not saved" in reader.warning


async def test_only_what_is_remembered_now_can_be_changed_but_the_text_of_any_turn(reader: Inspector) -> None:
    before = reader.session.game
    for key in ("e", "a", "p"):
        await reader.look("left")
        assert not {"pin", "edit", "add"} & set(reader.footer)
        await reader.look(key)
        assert "the newest turn (end)" in reader.glass.status.hint
        assert not isinstance(reader.app.screen, TextDialog)
        await reader.look("w")
        assert not reader.glass.status.hint, "it is not said over another view"
        await reader.look("m", "end")
    assert reader.session.game is before
    await reader.look("left", "left", "left", "w")
    await opens(reader.pilot, ListDialog, "e")
    await opens(reader.pilot, TextDialog, "enter")
    box = reader.app.screen.query_one(TextArea)
    box.text = box.text.replace("warm as a hand", "cold as a key")
    await reader.press("ctrl+s")
    await until(reader.pilot, lambda: "cold as a key" in reader.words)
    await reader.press("g")
    assert "cold as a key" in reader.page, "the story shows it too"


async def test_who_learned_what_and_what_calls_took_and_replied_is_listed(reader: Inspector) -> None:
    rows = reader.listed("knows").splitlines()
    assert rows[0] == "MOMENTS  Maya  Joaquin  You"
    assert "the spring is warm as a hand  ·3  —  ·3" in rows
    assert "finds the cut stones  ·2  ·2  ·2" in rows
    assert "Joaquin knows the island.  6  ·6  ·6" in rows
    assert "The spring is warm.  ·6  6  ·6" in rows
    await reader.look("k", "down", "enter")
    assert "misses the lowest line" in reader.heading("words-head")
    await reader.look("c")
    listed, _, usage = reader.listed("calls").partition("\nALL TURNS")
    rows = listed.splitlines()
    assert "narrator ×6" in usage and "character maya ×5" in usage
    assert [row.split("  ")[0] for row in rows] == [
        "CALL", "keeper", "narrator", "stage", "character maya", "progress", "progress",
        "memory joaquin", "memory maya",
    ]  # fmt: skip
    assert "0.2 s" in rows[2] and "1.4 s" in rows[2] and rows[2].endswith("ok")
    await reader.look("down", "down")
    assert '"answer": ["maya"]' in reader.said("call-page")
    await reader.look("down", "x")
    assert "character maya" in reader.heading("prompt-head")


async def test_a_story_that_came_without_its_calls_says_why_there_are_none(
    tmp_path: Path, told: Path
) -> None:
    shutil.copytree(told, tmp_path / "brought", ignore=shutil.ignore_patterns("calls"))
    app = make_app(tmp_path)
    async with app.run_test(size=(120, 40)) as pilot:
        session = await open_told(app, tmp_path / "brought", scripted())
        reader = await begin(pilot, session)
        await reader.into()
        await reader.look("x")
        assert "imported or cloned story starts without" in " ".join(reader.said("prompt-page").split())
        await reader.look("c")
        assert "imported or cloned story starts without" in " ".join(reader.listed("calls").split())
        await session.close()


async def test_a_turn_told_again_shows_the_calls_of_its_take_and_a_failed_call_says_why(
    reader: Inspector, model: Scripted
) -> None:
    model.answers["character:maya"] = '"I said it once."'
    await reader.look("escape")
    await reader.press("f4")
    await until(
        reader.pilot, lambda: "I said it once." in reader.page and not reader.status.doing, "the take"
    )
    await reader.into()
    await reader.look("c", "down", "down", "down")
    assert reader.listed("calls").split("ALL TURNS")[0].count("narrator") == 1
    assert "10 more in other takes" in reader.glass.status.facts
    assert "I said it once." in reader.said("call-page")
    model.answers["character:maya"] = CallError("timeout", "The model fell silent.")
    await reader.look("escape", "escape")
    await reader.say("I wait.")
    await reader.into()
    assert reader.glass.person == "maya"
    await reader.look("c", "down", "down", "down")
    assert "character maya" in reader.listed("calls") and "failed" in reader.listed("calls")
    assert "timeout: The model fell silent." in reader.said("call-page")


async def test_undone_turns_are_in_the_events_and_their_calls_are_other_takes_only_where_there_are_takes(
    reader: Inspector,
) -> None:
    await reader.look("v")
    await reader.session.undo(2)
    await play(reader.session, ("I listen.", "I look for the lowest line again."))
    await until(reader.pilot, lambda: "turn 6 of 6" in reader.heading("head"), "turn 6")
    await reader.settle()
    log = reader.events
    assert "turn started  I look for the lowest line again." in log
    assert "memory updated  maya +1 ~1 -1" in log
    assert sum("narration token" in row for row in log.splitlines()) == 2, "tokens are gathered"
    assert not any("other takes" in fact for fact in reader.glass.status.facts)
    await reader.look("left")
    assert any("other takes" in fact for fact in reader.glass.status.facts)


async def test_a_running_turn_changes_under_the_glass(reader: Inspector, model: Scripted) -> None:
    model.answers["memory:maya"] = lambda ask: '{"new": [{"fact": "There is a drum.", "kind": "none"}]}'
    model.answers["narrator"] = lambda ask: model_says("A drum, far off.")
    model.gates = {"character:maya": asyncio.Event(), "memory:joaquin": asyncio.Event()}
    playing = asyncio.ensure_future(reader.session.play("I listen."))
    await until(reader.pilot, lambda: "character:maya" in model.called()[-1:], "Maya")
    await until(reader.pilot, lambda: reader.glass.settled and reader.glass.number == 7, "turn 7")
    assert "turn 7, in progress" in reader.heading("head")
    await reader.look("w")
    assert "A drum, far off." in reader.words
    await reader.look("c")
    assert "running" in reader.listed("calls") and "There is a drum." not in reader.lines
    model.gates["character:maya"].set()
    await playing
    await until(reader.pilot, lambda: "turn 7, updating memories" in reader.heading("head"), "the memories")
    await until(reader.pilot, lambda: "There is a drum." in reader.lines, "the new line")
    assert "Father Joaquin …" in reader.tabs
    model.gates["memory:joaquin"].set()
    await reader.session.settle()
    await until(reader.pilot, lambda: "turn 7 of 7" in reader.heading("head"), "the saved turn")
    assert "There is a drum." in reader.lines
    await reader.look("left", "left")
    await reader.session.play("I wait.")
    await reader.session.settle()
    await until(reader.pilot, lambda: "turn 5 of 8" in reader.heading("head"), "turn 5")
    assert reader.glass.frame and reader.glass.frame.number == 5, "who looks at an older turn stays there"


async def test_in_mid_turn_it_opens_on_who_is_speaking(reader: Inspector, model: Scripted) -> None:
    await reader.look("escape")
    model.answers["narrator"] = lambda ask: model_says("Wind.", "joaquin")
    model.gates = {"character:joaquin": asyncio.Event()}
    await reader.send("I wait.")
    await until(reader.pilot, lambda: "character:joaquin" in model.called()[-1:], "Joaquin")
    await reader.into()
    assert reader.glass.person == "joaquin"
    await until(
        reader.pilot, lambda: "not answered yet" in reader.heading("prompt-head"), "the prompt that was sent"
    )
    assert "character joaquin" in reader.heading("prompt-head") and "player" in reader.said("prompt-page")
    await reader.look("x")
    assert "I wait." in reader.said("prompt-page")
    await reader.look("c", "end")
    reader.glass.query_one("#calls", RowList).action_last()
    await reader.settle()
    assert "Not answered yet." in reader.said("call-page")
    model.gates["character:joaquin"].set()
    await reader.session.settle()


async def test_turns_that_are_over_are_never_shown_in_progress(
    reader: Inspector, model: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    await reader.look("escape")
    await play(reader.session, ("I listen.", "I wait."))
    model.answers["narrator"] = lambda ask: model_says("Wind.", "joaquin")
    await play(reader.session, ("I run.",))
    await reader.session.undo()
    shown: set[tuple[int, str, str]] = set()

    def select(panes: InspectorView, seen: Selection) -> None:
        shown.add((seen.number, seen.person, seen.running))
        as_it_is(panes, seen)

    as_it_is = InspectorView.select
    monkeypatch.setattr(InspectorView, "select", select)
    await reader.into()
    log = reader.glass.panes.events
    await until(reader.pilot, lambda: log.heard >= reader.session.bus.newest, "all of the past")
    await reader.press("right")
    await reader.settle()
    assert shown == {(8, "maya", "")}
    assert "turn 8 of 8" in reader.heading("head")


async def test_after_one_left_the_story_notices_nothing_and_nothing_is_drawn(reader: Inspector) -> None:
    glass, told = reader.glass, list[str]()
    reader.session.bus.listen(lambda event: told.append(event.text) if isinstance(event, Notice) else None)
    await reader.look("escape")
    await until(reader.pilot, lambda: not reader.looking and not glass.is_attached, "the story")
    glass.renew()
    await reader.say("I go on.")
    assert told == []
    await reader.into()
    assert reader.glass is not glass


def model_says(text: str, responding: str = "maya") -> str:
    from tests.support.fake_model import narration

    return narration(text, responding, "calm", "maya, joaquin")


async def test_the_direction_of_a_turn_is_shown_and_overruled(reader: Inspector) -> None:
    await reader.look("d")
    rows = reader.listed("direction")
    assert "Maya Chen" in rows and "all of it" in rows
    assert "Father Joaquin's secret  may come out at any time" in rows
    assert "✓ finds the cut stones" in rows
    await reader.look("o")
    assert "did not hear your line" in reader.listed("direction")
    await reader.look("down", "down", "o")
    assert reader.session.game.state.gates == {"joaquin": True}
    assert "may come out now (set by you)" in reader.listed("direction")
    await reader.look("down", "o")
    assert "finds the cut stones" not in reader.session.game.state.beats_hit
    await reader.look(*["down"] * 20, "o")
    assert "ends with the next turn" in reader.listed("direction")
    before = reader.session.game
    await reader.look("end", "left", "d", "o")
    assert "the newest turn (end)" in reader.glass.status.hint and reader.session.game is before


async def test_what_if_tells_turns_again_on_branches_and_esc_adds_none(
    reader: Inspector, model: Scripted
) -> None:
    await reader.look("i")
    assert "No turn follows" in reader.glass.status.warning
    await reader.look("left", "left", "i")
    assert "Turns 5 to 6 are told again" in words(reader, ".about")
    assert "without this" in words(reader, ".title")
    names = [branch.name for branch in await reader.session.branches()]
    gate = model.gates["narrator"] = asyncio.Event()
    await reader.press("y")
    await until(reader.pilot, lambda: bool(reader.app.screen.query("#progress")), "progress")
    await reader.press("escape")
    await until(reader.pilot, lambda: reader.looking, "the inspector")
    await until(reader.pilot, lambda: "Stopped" in reader.glass.status.hint, "a sentence")
    assert [branch.name for branch in await reader.session.branches()] == names
    gate.set()
    model.gates.clear()
    model.answers["narrator"] = TOLD[4]
    await reader.look("i")
    await reader.press("y")
    said = await answer(reader)
    assert "Without: " in said and "“from turn 5 without " in said and "“from turn 5 again”" in said
    assert len(await reader.session.branches()) == len(names) + 2 and reader.session.branch == "main"
    await reader.press("c")
    await until(reader.pilot, lambda: isinstance(reader.app.screen, CompareScreen), "the comparison")
    compared = reader.app.screen
    assert isinstance(compared, CompareScreen)
    await until(reader.pilot, lambda: compared.settled, "both branches")
    whole, control = compared.comparison, compared.control
    assert whole and control and same_turns(whole, control) == {5, 6}
    assert [line.turn for line in control.a.characters["joaquin"].learned] == [6, 6]
    await reader.press("x")
    await until(reader.pilot, lambda: compared.control is not control, "the sides swapped")
    assert compared.control and compared.control.b.characters == control.a.characters


@pytest.mark.parametrize("keys", [("left", "left", "i", "y"), ("y",)], ids=["what-if", "why"])
async def test_who_quits_during_a_question_waits_for_no_server(
    reader: Inspector, keys: tuple[str, ...]
) -> None:
    silent = Scripted(gates={"narrator": asyncio.Event(), "character:maya": asyncio.Event()})
    await reader.session.use_models(lambda pack, seed: silent)
    await reader.look(*keys[:-1])
    await reader.press(keys[-1])
    await until(reader.pilot, lambda: bool(silent.asked), "a call")
    await reader.pilot.press("ctrl+q")
    await until(reader.pilot, lambda: reader.session.closed and not reader.app.is_running, "the end")


async def test_why_says_whether_a_part_of_the_prompt_has_an_effect_and_esc_ends_it(reader: Inspector) -> None:
    again = Scripted(answers={"character": SAID[6, "maya"]})
    await reader.session.use_models(lambda pack, seed: again)
    await reader.press("y")
    said = await answer(reader)
    assert said.startswith("No effect seen.\n") and "8 of 8  as it was sent" in said
    assert 8 < len(again.asked) <= 48
    head = reader.session.save.head
    silent = Scripted(gates={"character:maya": asyncio.Event()})
    await reader.session.use_models(lambda pack, seed: silent)
    await reader.press("escape", "y")
    await until(reader.pilot, lambda: "0 of at most 48" in words(reader, "#progress"), "no call yet")
    await reader.press("escape")
    assert await answer(reader) == "No answer came; ended by esc."

    def slow(ask: Request) -> str:
        if len(third.asked) == 3:
            third.gates[ask.key] = asyncio.Event()
        return SAID[6, "maya"]

    third = Scripted(answers={"character": slow})
    await reader.session.use_models(lambda pack, seed: third)
    await reader.press("escape", "y")
    await until(reader.pilot, lambda: len(third.asked) == 4, "a fourth call that is not answered")
    await reader.press("escape")
    said = await answer(reader)
    assert said.startswith("No effect seen so far.\n")
    assert "3 of 3  as it was sent" in said and "Asked 3 times; ended by esc." in said
    assert reader.session.save.head == head


async def test_a_question_that_cannot_be_answered_is_refused_in_a_sentence(reader: Inspector) -> None:
    await reader.session.use_models(lambda pack, seed: Offline(Storyteller(pack, seed)))
    await reader.look("left", "i")
    assert "follows its script" in reader.glass.status.warning
    await reader.look("end")
    other = Scripted(answers={"character": "No."})
    other.name = "other"
    await reader.session.use_models(lambda pack, seed: other)
    await reader.look("y")
    assert "is connected" in reader.glass.status.warning and not other.asked
    shutil.rmtree(reader.session.save.private.root / "calls")
    await reader.look("y")
    assert "was imported or cloned" in reader.glass.status.warning and not other.asked
