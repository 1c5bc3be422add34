"""A whole game without engine, saves or endpoint: the storyteller's replies applied by the story's own rules."""

from __future__ import annotations

import json
from collections.abc import Iterable
from copy import copy
from dataclasses import replace

from theact_tui.story.agent_views import (
    epilogue_view,
    keeper_view,
    moments_view,
    narrator_view,
    progress_view,
    recap_view,
    stage_view,
    summary_view,
    verbatim_turns,
)
from theact_tui.story.beats import find_quote, mark_beats, places_of
from theact_tui.story.chapters import advance, judge_chapter
from theact_tui.story.character_view import apply_turn, attendance, cut_view, memory_view_of, viewpoint_of
from theact_tui.story.dice import named_risk, resolution_of, roll
from theact_tui.story.game import Game, Recap, SaveInfo, Spoken, State
from theact_tui.story.memory import (
    NOTHING_HAPPENED,
    Cell,
    FactsMemory,
    cells_to_merge,
    change_facts,
    empty_memory,
    push_cells,
    with_summary,
)
from theact_tui.story.moments import add_moment, moment_of
from theact_tui.story.pack import Pack, PlayerInfo
from theact_tui.story.perception import perceive
from theact_tui.story.scene import scene_of
from theact_tui.story.turn import Entry, Ruling, StageForm, Turn
from theact_tui.story.views import MergeView
from theact_tui.storyteller import Storyteller

VERBATIM = 8
LONG = 150
"""Turns kept verbatim here before the older ones are folded."""


def new_game(pack: Pack, seed: int = 1, player: str = "Sam") -> Game:
    first = pack.first_chapter
    return Game(
        info=SaveInfo(id="a", title="A", pack=pack.id, seed=seed, player=PlayerInfo(name=player)),
        pack=pack,
        state=State(chapter=first.id, present=first.opening_cast),
        memories={name: empty_memory(pack.game.memory) for name in pack.characters},
    )


class Table:
    """Plays a pack with the offline storyteller alone. `tellings` are the turns so far, oldest first."""

    def __init__(self, pack: Pack, seed: int = 1, player: str = "Sam") -> None:
        self.teller = Storyteller(pack, seed)
        self.game = new_game(pack, seed, player)
        self.turns: list[Turn] = []
        self.epilogue = ""
        self.summaries: list[str] = []

    @classmethod
    def opened(cls, pack: Pack, seed: int = 1) -> Table:
        """A game whose opening has been told."""
        table = cls(pack, seed)
        table.open()
        return table

    def copied(self) -> Table:
        """The same game, to be played on by itself."""
        other = copy(self)
        other.turns, other.summaries = [*self.turns], [*self.summaries]
        return other

    def open(self) -> Turn:
        return self.play("", kind="opening")

    def play_all(self, lines: Iterable[str]) -> list[Turn]:
        """One turn per line, until the game is complete."""
        return [self.play(line) for line in lines if not self.game.state.game_complete]

    def play(self, text: str, kind: str = "", take: int = 1) -> Turn:
        """One whole turn with its after-turn work."""
        game = self.game
        kind = kind or ("transition" if game.state.transition else "play")
        ruling, rolls = self._ruling(kind, text, take)
        told = replace(narrator_view(game, kind, text, ruling, take), earlier=tuple(self.turns))
        narration, scene = self.teller.answer("narrator", told), scene_of(game, text)
        form = json.loads(self.teller.answer("stage", stage_view(told, scene, narration)))
        perception = perceive(scene, narration, StageForm.model_validate(form), is_scripted=True)
        stage = perception.stage
        mood, present = stage.mood, stage.here
        entries = [Entry(role="player", text=text)] if text else []
        entries.append(Entry(role="narrator", text=narration))
        for name in stage.answer:
            told_so_far = perception.with_replies([entry for entry in entries if entry.character])
            view = viewpoint_of(game, name, entries, present, perception=told_so_far, mood=mood, take=take)
            said = [entry.text for turn in self.turns for entry in turn.entries if entry.character == name]
            view = replace(view, said=tuple(said))
            entries.append(
                Entry(role="character", character=name, text=self.teller.answer("character", view))
            )
        perception = perception.with_replies([entry for entry in entries if entry.character])
        turn = Turn(
            number=game.state.turn + 1,
            chapter=game.state.chapter,
            mood=mood,
            kind=kind,
            entries=tuple(entries),
            **attendance(perception.cuts, perception.heard, entries),
            stage=stage,
            ruling=ruling,
        )
        spoken = Spoken(
            parent="", branch="main", turn=turn, present=present, held=game.state.held, rolls=rolls
        )
        self.game = apply_turn(game, spoken)
        self._after(turn)
        self.turns.append(self.game.turns[turn.number])
        return self.turns[-1]

    def _ruling(self, kind: str, text: str, take: int) -> tuple[Ruling | None, int]:
        game, mode = self.game, self.game.pack.game.keeper
        if not text or mode == "off":
            return None, game.state.rolls
        risk, difficulty = named_risk(text, game.pack.game.risky_words), game.pack.game.difficulty
        if mode == "risky":
            told = narrator_view(game, kind, text, None, take)
            risk = json.loads(self.teller.answer("keeper", keeper_view(game, told)))["risk"]
            if not risk:
                return None, game.state.rolls
        die = roll(game.info.seed, game.state.rolls)
        resolution = resolution_of(die, difficulty)
        return Ruling(resolution=resolution, roll=die, difficulty=difficulty, risk=risk), game.state.rolls + 1

    def _after(self, turn: Turn) -> None:
        for name in turn.witnesses:
            self._remember(name, turn.number)
        self._progress(turn)
        self._moment(turn)
        done = self.game.chapter
        complete = len(self.game.state.beats_hit) == len(done.beats)
        ends, _ = judge_chapter(
            self.game.state, self.game.pack, is_called_complete=complete, turn=turn.number
        )
        if not self.game.state.game_complete and ends:
            self._close(turn)
        self._fold()

    def _remember(self, name: str, number: int) -> None:
        memory = self.game.memories[name]
        view = memory_view_of(self.game, name, [number])
        raw = self.teller.answer("memory", view)
        if isinstance(memory, FactsMemory):
            said = json.loads(raw)
            changed = change_facts(
                memory,
                turn_of=lambda line: number,
                new=[(one["fact"], "") for one in said["new"]],
                changed=list(said["changed"].items()),
            )
            self.game = self.game.with_memory(name, changed)
            self._fold_view(name, changed)
            return
        new = [Cell(turn=number, text=raw)] if raw != NOTHING_HAPPENED else []
        merged = cells_to_merge(memory, new, self.game.pack.game.memory_cells)
        merge = MergeView(
            story=view.story, id=name, name=view.name, summary=memory.summary, cells=tuple(merged)
        )
        summary = self.teller.answer("memory", merge) if merged else ""
        self.game = self.game.with_memory(name, push_cells(memory, new, merged, summary, number))

    def _fold_view(self, name: str, memory: FactsMemory) -> None:
        numbers = self.game.state.views[name]
        kept = cut_view(numbers, dict.fromkeys(numbers, 300), 3_000)
        if view := memory_view_of(self.game, name, numbers[: len(numbers) - len(kept)]).turns:
            told = memory_view_of(self.game, name, ())
            past = MergeView(story=told.story, id=name, name=told.name, summary=memory.summary, turns=view)
            made = with_summary(memory, self.teller.answer("memory", past), view[-1].number)
            views = {**self.game.state.views, name: kept}
            self.game = self.game.with_memory(name, made).with_state(views=views)

    def _progress(self, turn: Turn) -> None:
        if self.game.state.game_complete:
            return
        chapter, view = self.game.chapter, progress_view(self.game, [turn], 1)
        form = json.loads(self.teller.answer("progress", view))
        beats = [beat for label, beat in view.beats.items() if find_quote(form[label], places_of([turn]))]
        state, new = mark_beats(self.game.state, chapter, beats, turn.number)
        assert form["end"] == (len(state.beats_hit) == len(chapter.beats))
        told = turn.model_copy(update={"new_beats": new})
        self.game = replace(self.game, state=state).with_turn(told)

    def _moment(self, turn: Turn) -> None:
        if self.game.pack.game.moments != "on":
            return
        for said in json.loads(self.teller.answer("keeper", moments_view(self.game, [turn])))["moments"]:
            if moment := moment_of(
                turn.number, said["moment_type"], said["moment_summary"], said["moment_significance"]
            ):
                self.game = replace(self.game, moments=add_moment(self.game.moments, moment))

    def _close(self, turn: Turn) -> None:
        chapter = self.game.chapter
        text = self.teller.answer("recap", recap_view(self.game, chapter))
        self.game = self.game.with_recap(Recap(chapter=chapter.id, title=chapter.title, text=text))
        state = advance(self.game.state, self.game.pack, turn.number)
        self.game = replace(self.game, state=state).with_state(
            rolling_summary="", last_summarized_turn=turn.number - 2
        )
        if self.game.state.game_complete:
            marks = [self.turns[0], self.turns[len(self.turns) // 2], turn]
            self.epilogue = self.teller.answer("epilogue", epilogue_view(self.game, marks))

    def _fold(self) -> None:
        turns = verbatim_turns(self.game)
        if len(turns) > VERBATIM:
            old = turns[:-4]
            before = self.game.state.rolling_summary
            more = self.teller.answer("summary", summary_view(self.game, before, old))
            summary = f"{before} {more}".strip()
            if len(summary.split()) > LONG:
                summary = self.teller.answer("summary", summary_view(self.game, summary, ()))
            self.summaries.append(summary)
            self.game = self.game.with_state(rolling_summary=summary, last_summarized_turn=old[-1].number)
