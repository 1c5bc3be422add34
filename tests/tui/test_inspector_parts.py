"""What the inspector is made of: which calls told a turn, a turn in the making, prompts as bars, words that changed."""

from dataclasses import replace
from typing import Any

import pytest
from rich.cells import cell_len
from textual.app import App
from textual.content import Content

from theact_tui.engine import events as e
from theact_tui.models.calls_of_turn import calls_of_other_takes, calls_of_take
from theact_tui.models.ledger import Call
from theact_tui.models.model import Usage
from theact_tui.prompting.sections import Message, Section
from theact_tui.story.memory import Fact, FactsMemory
from theact_tui.story.perception import cut
from theact_tui.story.turn import Entry, Heard, Stage, Turn
from theact_tui.tui.blocks import Cast
from theact_tui.tui.inspector.calls import calls_rows
from theact_tui.tui.inspector.direction import heard_text
from theact_tui.tui.inspector.events import EventRow
from theact_tui.tui.inspector.knowledge import TableRow, column_widths
from theact_tui.tui.inspector.memory import marked, words_gone
from theact_tui.tui.inspector.prompt import correction_of, parts_of, unseen
from theact_tui.tui.inspector.view import PersonTabs
from theact_tui.tui.running_turn import RunningTurn
from theact_tui.tui.visuals import Either, SplitLine

BASE = Call(
    id="", save="s", branch="main", turn=9, agent="", character="", provider="test", model="m", input_hash="",
    messages=(), sections=(), tokens=10, limit=100, reply="", reasoning="", usage=Usage(), finish="stop", steps=(),
    first_token=None, seconds=0.0, attempts=1, outcome="ok", error="", at="",
)  # fmt: skip


def call(agent: str, reply: str = "", **more: Any) -> Call:
    return replace(BASE, id=f"{agent}-{reply}", agent=agent, reply=reply, **more)


def turn(narration: str, number: int = 9, *witnesses: str) -> Turn:
    entry = Entry(role="narrator", text=narration)
    return Turn(number=number, chapter="one", entries=(entry,), witnesses=witnesses)


def test_the_calls_of_a_turn_are_those_of_its_take_on_its_branch_or_of_the_last_one() -> None:
    first = [call("keeper", "1"), call("narrator", "A door opens."), call("progress", "1")]
    second = [call("keeper", "2"), call("narrator", "The door, it stays shut!"), call("progress", "2")]
    aside = call("narrator", "A wall.", branch="aside")
    assert calls_of_take([*first, *second], turn("A door opens.")) == first
    assert calls_of_take([*first, *second], turn("The door, it stays shut!")) == second
    assert calls_of_take([*first, *second], turn("Edited by hand.")) == second
    assert calls_of_take([first[1], aside], turn("A door opens.")) == [first[1]]


def test_only_what_was_told_again_to_its_end_and_on_this_branch_is_another_take() -> None:
    stopped = [call("keeper", "0"), call("narrator", "A do", outcome="cancelled")]
    told = [call("keeper", "1"), call("narrator", "A door."), call("progress", "1")]
    again = [call("keeper", "2"), call("narrator", "A wall."), call("progress", "2")]
    aside = [call("narrator", "A well.", branch="aside")]
    assert calls_of_other_takes([*stopped, *told, *again, *aside], told) == again
    assert calls_of_other_takes([*stopped, *told], told) == calls_of_other_takes(aside, []) == []


def test_a_retried_reply_has_its_own_call_and_the_page_and_other_replies_keep_theirs() -> None:
    page = [
        call("narrator", "A door opens."),
        call("stage"),
        call("character", "“Who is there?”", character="ann"),
    ]
    page += [call("character", "“Nobody.”", character="bob"), call("memory", "1", character="ann")]
    ann = [call("character", "“Come in.”", character="ann"), call("memory", "2", character="ann")]
    bob = [call("character", "“Stay out.”", character="bob"), call("memory", "3", character="ann")]
    calls = [*page, *ann, *bob]

    def take(*replies: str) -> Turn:
        texts = zip(("ann", "bob"), replies, strict=True)
        entries = [Entry(role="character", text=text, character=id) for id, text in texts]
        told = turn("A door opens.")
        return told.model_copy(update={"entries": (*told.entries, *entries)})

    assert calls_of_take(calls, take("“Who is there?”", "“Nobody.”")) == page
    second = calls_of_take(calls, take("“Come in.”", "“Nobody.”"))
    assert second == [*page[:2], page[3], *ann]
    assert calls_of_take(calls, take("“Come in.”", "“Stay out.”")) == [*page[:2], ann[0], *bob]
    assert calls_of_other_takes([*page, *ann], second) == [page[2], page[4]]


@pytest.mark.parametrize("width", [40, 46, 63, 64, 100])
def test_every_call_tells_how_it_went_however_little_room_there_is(width: int) -> None:
    calls = [
        replace(call("narrator"), outcome=outcome, attempts=attempts, first_token=0.4, seconds=12.3)
        for outcome in ("ok", "repaired", "failed", "cancelled")
        for attempts in (1, 3)
    ]
    asked = [replace(call("memory"), character="maya", tokens=820)]
    title, *rows = (
        row.visual for row in calls_rows(calls, asked, Cast({"maya": "Maya"}, {"maya": 1}), (), 9)
    )
    lines = []
    for row in (title, *rows):
        assert isinstance(row, Either)
        shown = row.fitted(width)
        assert isinstance(shown, SplitLine)
        lines.append(shown.fitted(width).plain)
    heading, *told, running = lines
    assert all(cell_len(line) == width and "12.3" in line and "0.4" in line for line in told)
    assert len({line.index("12.3") for line in told}) == 1
    assert [("×3" in line) for line in told] == [False, True] * 4
    signs = ("ok", "repaired", "failed", "cancelled") if width > 63 else ("✓", "~", "✗", "–")
    assert [next(sign for sign in signs if sign in line) for line in told] == [
        s for s in signs for _ in range(2)
    ]
    assert (
        ("running" if width > 63 else "… memory maya") in running and "first" in heading
    ) or "1st s" in heading


STAGED = Stage(here=("ann", "bob", "cid"), asleep=("cid",))


@pytest.mark.parametrize(
    ("who", "witnesses", "heard", "said"),
    [
        ("ann", "ann", (), "all of it"),
        ("bob", "bob", ("1", "2"), "did not hear your line"),
        ("bob", "bob", ("A",), 'did not see “"Hush," says Ann.”'),
        ("ann", "ann", ("2",), "did not hear “I whisper it.”"),
        ("dan", "dan", ("a",), "did not hear the answer “Yes.”"),
        ("cid", "cid", ("A", "B", "a"), "saw nothing of the page; did not hear the answer “Yes.”"),
        ("cid", "", (), "nothing: asleep"),
        ("bob", "", (), "nothing: here, but noticed nothing"),
        ("fay", "", (), "nothing: not here"),
    ],
)
def test_what_somebody_perceived_is_said_or_why_it_was_nothing(
    who: str, witnesses: str, heard: tuple[str, ...], said: str
) -> None:
    missed = {who: Heard(missed=heard)} if heard else {}
    assert heard_text(staged(tuple(witnesses.split()), missed), who) == said


def test_of_a_pending_turn_the_inspector_says_what_decides_it() -> None:
    pending = staged(("ann",), {}).model_copy(update={"stage": STAGED.model_copy(update={"by": "pending"})})
    assert "/heard all" in heard_text(pending, "bob")


def staged(witnesses: tuple[str, ...], heard: dict[str, Heard]) -> Turn:
    entries = (
        Entry(role="narrator", text='"Hush," says Ann.\n\nRain.'),
        Entry(role="player", text="Dorothy, look! I whisper it."),
        Entry(role="character", character="ann", text="Yes."),
    )
    return Turn(
        number=9,
        chapter="one",
        entries=entries,
        cuts=cut("Dorothy, look! I whisper it.", '"Hush," says Ann.\n\nRain.'),
        witnesses=witnesses,
        heard=heard,
        asleep=("cid",),
        unaware=("eve",),
        stage=STAGED,
    )


def test_a_turn_is_put_together_from_events() -> None:
    live = RunningTurn()
    for event in (
        e.TurnStarted(turn=3, text="I knock."),
        e.CallStarted(call="a", agent="narrator", model="m", prompt_tokens=100),
        e.NarrationToken(text="Nobo"),
        e.NarrationToken(text="Somebody", replace=True),
        e.NarrationFinished(text="Somebody opens.", mood="tense", responding=("ann",), present=("ann",)),
        e.CallFinished(
            call="a", agent="narrator", model="m", prompt_tokens=100, completion_tokens=9, seconds=1, attempts=1,
            outcome="ok",
        ),
        e.CharacterStarted(character="ann", name="Ann"),
        e.CharacterToken(character="ann", text="Come in."),
    ):  # fmt: skip
        live.apply(event)
    words = live.as_turn("one")
    assert [(entry.role, entry.text) for entry in words.ordered_entries] == [
        ("player", "I knock."),
        ("narrator", "Somebody opens."),
        ("character", "Come in."),
    ]
    assert (words.number, words.mood, words.witnesses) == (3, "tense", ("ann",))
    assert (live.speaker, live.finished, live.coming) == ("ann", {"a"}, "Come in.")


@pytest.mark.parametrize(
    "end",
    [e.TurnSaved(commit="c", chapter="one"), e.TurnCancelled(text=""), e.TurnFailed(text="", reason="")],
)
def test_nothing_of_a_turn_runs_when_it_is_over_and_nothing_is_left_in_the_next(end: e.Event) -> None:
    live = RunningTurn()
    live.apply(e.TurnStarted(turn=3, text="I knock."))
    memory = FactsMemory(key_facts=(Fact(turn=3, text="A knock."),)).model_dump(mode="json")
    live.apply(e.MemoryStarted(character="ann"))
    live.apply(e.MemoryUpdated(character="ann", before={}, after=memory))
    assert live.memories["ann"] == FactsMemory(key_facts=(Fact(turn=3, text="A knock."),))
    live.apply(e.MemoryStarted(character="bob"))
    assert live.busy == {"bob"}
    live.apply(end)
    assert live.turn == 0 and not live.busy
    live.apply(e.TurnStarted(turn=4, text=""))
    assert (live.turn, live.text, live.memories, live.marks) == (4, "", {}, {})


def sections(*names: str, **more: Any) -> list[Section]:
    return [Section(name, name, tokens=10, **more) for name in names]


def test_turns_beside_each_other_are_one_bar_and_dropped_ones_another() -> None:
    dropped = sections("turn 1", "turn 2", priority="turn", kept="dropped", why="did not fit")
    kept = sections("turn 3", "turn 4", "turn 6", priority="turn")
    parts = parts_of([*sections("world", part="system"), *dropped, *kept, *sections("Ann")])
    assert [(part.name, part.tokens, part.kept, part.kind) for part in parts] == [
        ("world", 10, "whole", "system"),
        ("turns 1-2", 20, "dropped", "turns"),
        ("turns 3-4, 6", 30, "whole", "turns"),
        ("Ann", 10, "whole", "role"),
    ]


def test_turns_that_are_not_in_a_prompt_are_named_with_the_reason() -> None:
    known = {number: turn("x", number, *(("ann",) if number != 6 else ("bob",))) for number in range(4, 9)}
    sent = tuple(sections("turn 7", "turn 8", priority="turn"))
    assert unseen(call("character", sections=sent, character="ann"), known, "Ann") == [
        "turn 6: Ann was away",
        "turns 1-5: only what Ann remembers of them",
    ]
    assert unseen(call("narrator", sections=sent), known, "") == ["turns 1-6: in the story summary"]
    assert unseen(call("memory", sections=sent, character="ann"), known, "Ann") == []


def test_what_was_added_on_a_second_attempt_is_found() -> None:
    user = tuple(sections("one", "two"))
    message = Message(role="user", content="one\n\ntwo\n\nAnswer again.")
    assert correction_of(call("narrator", sections=user, messages=(message,))) == "Answer again."
    assert correction_of(call("narrator", sections=user, messages=())) == ""


def test_words_that_are_new_are_marked_and_those_that_went_are_told() -> None:
    was, now = "Joaquin may know the island.", "Joaquin knows the island."
    spans = marked(Content(now), was, ".warn").spans
    assert [now[span.start : span.end] for span in spans] == ["knows"]
    assert words_gone(was, now) == was
    stays = " ".join(f"word{n}" for n in range(30))
    assert words_gone(f"{stays} and then he left", f"{stays} and then he stayed") == "… then he left"
    assert words_gone(stays, f"{stays} and more") == ""


def test_a_table_row_fits_its_width_and_never_cuts_a_cell() -> None:
    cells = [Content("·12"), Content("—"), Content("7")]
    row = TableRow(Content("A beacon on 417 kilocycles sends the letters J, Q and N, and it is in no book at all."),
                   cells, column_widths(["Maya", "Joaquin", "You"]))  # fmt: skip
    lines = row.fitted(44).plain.split("\n")
    assert len(lines) == 2 and lines[1].endswith("…")
    assert cell_len(lines[0]) == 44 and lines[0].endswith(" ·12       —    7")
    assert row.get_height({}, 44) == 2


def test_tokens_of_one_reply_are_one_row_and_a_new_attempt_begins_its_text_anew() -> None:
    told = EventRow(e.CharacterToken(character="ann", text="I ", turn=3))
    assert told.absorbs(e.CharacterToken(character="ann", text="know.", turn=3))
    assert told.absorbs(e.CharacterToken(character="ann", text="Once ", turn=3, replace=True))
    assert not told.absorbs(e.CharacterToken(character="bob", text="No.", turn=3))
    assert not told.absorbs(e.NarrationToken(text="No.", turn=3))
    assert (told.count, told.gist) == (3, "…Once")


async def test_in_a_small_terminal_every_person_keeps_a_tab() -> None:
    people = [
        (f"p{n}", Content(f"● Maximiliana {n} the Elder"), Content(f"● Maximiliana{n}")) for n in range(7)
    ]
    app = App[None]()
    async with app.run_test(size=(80, 24)) as pilot:
        tabs = PersonTabs()
        await app.mount(tabs)
        await pilot.pause()
        tabs.people, tabs.note = (*people, ("", Content("Narrator"), Content("Narrator"))), "she answered"
        line = tabs.render()
        assert isinstance(line, SplitLine)
        shown = line.fitted(78).plain
        assert shown.count("● Max") == 7 and "Narr" in shown
