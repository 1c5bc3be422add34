"""Games and turns for tests of saves: small, deterministic, and with every kind of thing in them."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from theact_tui.story.direct.records import SessionRecord, Setup
from theact_tui.story.direct.state import DirectGame, Stamp, with_exchange
from theact_tui.story.game import Game, PastChapter, Recap, SaveInfo, State
from theact_tui.story.memory import Cell, CellsMemory, Fact, FactsMemory
from theact_tui.story.moments import Moment
from theact_tui.story.pack import Chapter, Character, GameInfo, Pack, PlayerInfo, World
from theact_tui.story.script import ChapterScript, Passage, Script, ScriptScene
from theact_tui.story.turn import CallCount, Entry, Turn

CAST = ("maya", "joaquin")
BEGAN = datetime(2026, 3, 1, 12, tzinfo=UTC)


def pack() -> Pack:
    return Pack(
        game=GameInfo(id="reef", title="The Reef", description="A wreck.", characters=CAST, chapters=("one", "two")),
        world=World(setting="A reef.\nNo chart shows it.", tone="dry", rules='Nobody says "no".'),
        characters={
            "maya": Character(name="Maya Chen", role="engineer", personality="Precise.", secret="She sank it."),
            "joaquin": Character(name="Joaquin", role="priest", personality="Slow.", relationships={"maya": "new"}),
        },
        chapters={
            "one": Chapter(
                id="one", title="Ashore", summary="They land.", beats=("land", "spring", "lamp"),
                completion="They leave.", characters=CAST, next="two",
            ),
            "two": Chapter(
                id="two", title="Inland", summary="They climb.", beats=("climb", "door"),
                completion="They enter.", characters=CAST, present=("maya",),
            ),
        },
        script=Script(
            chapters={
                "one": ChapterScript(
                    scenes=(ScriptScene(narration="You land."),), ambient=(Passage(narration="Wind."),)
                )
            }
        ),
        prompts={"narrator": "Tell {lead}, {present}.\n\n{hints}\n"},
    )  # fmt: skip


def new_game(title: str = "Alex at the reef") -> Game:
    return Game(
        info=SaveInfo(id="3f2a", title=title, pack="reef", seed=7, player=PlayerInfo(name="Alex")),
        pack=pack(),
        state=State(chapter="one", present=CAST),
        memories={"maya": FactsMemory(), "joaquin": CellsMemory()},
    )


def played(game: Game, text: str = "I go on.", narration: str = "") -> Game:
    """`game` after one more turn in which both characters learn something; the last six turns stay verbatim."""
    number = game.state.turn + 1
    told = narration or f'You come to stone {number}.\n\nIt is warm, and it says: "{text}".'
    turn = Turn(
        number=number,
        chapter=game.state.chapter,
        entries=(
            Entry(role="narrator", text=told),
            Entry(role="player", text=text),
            Entry(role="character", character="maya", text=f"That is stone {number}, {text}"),
        ),
        witnesses=CAST,
        calls={"narrator": CallCount(calls=1, prompt_tokens=900, completion_tokens=150)},
        at=(BEGAN + timedelta(minutes=number)).isoformat(),
    )
    maya, joaquin = game.memories["maya"], game.memories["joaquin"]
    assert isinstance(maya, FactsMemory) and isinstance(joaquin, CellsMemory)
    fact = Fact(text=f"Stone {number}: {text}", turn=number)
    cell = Cell(turn=number, text=f"I saw stone {number}: {text}")
    moments = game.moments
    if number % 5 == 0:
        moments = (
            *moments,
            Moment(turn=number, type="discovery", summary=f"Stone {number} is warm: {text}"),
        )[-15:]
    folded = max(0, number - 6)
    return replace(
        game,
        memories={
            "maya": maya.model_copy(
                update={"key_facts": (*maya.key_facts, fact)[-10:], "summary_turn": number}
            ),
            "joaquin": joaquin.model_copy(update={"cells": (cell, *joaquin.cells)[:5]}),
        },
        moments=moments,
        turns={n: old for n, old in game.turns.items() if n > folded} | {number: turn},
    ).with_state(turn=number, last_summarized_turn=folded, rolling_summary=f"Stones up to {folded}.")


def next_chapter(game: Game) -> Game:
    """`game` in its second chapter, with a recap of the first."""
    recap = Recap(chapter="one", title="Ashore", text="They left the shore.")
    past = PastChapter(chapter="one", first_turn=1, last_turn=game.state.turn)
    return game.with_recap(recap).with_state(
        chapter="two", beats_hit=(), chapter_since=game.state.turn, chapter_history=(past,)
    )


def ticking(start: datetime = BEGAN) -> Callable[[], datetime]:
    """A clock that moves one minute with every look at it."""
    times = iter(range(1_000_000))
    return lambda: start + timedelta(minutes=next(times))


def new_chapter(title: str = "City") -> DirectGame:
    info = SaveInfo(id="3f2b", title=title, pack="", seed=0, mode="direct")
    return DirectGame(info, SessionRecord(session_id="3f2b", created_at="", updated_at=""), Setup())


def prompted(game: DirectGame, text: str, reply: str = "I do.") -> DirectGame:
    number = game.session.prompt_index + 1
    active = replace(game, session=game.session.model_copy(update={"state": "ACTIVE"}))
    made = with_exchange(active, 1, text, reply, Stamp(f"a{number}", ""), Stamp(f"b{number}", ""))
    assert isinstance(made, DirectGame)
    return made
