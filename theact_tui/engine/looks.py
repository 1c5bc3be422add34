"""What each agent is shown of a game. Characters' views come from `theact_tui.story.witness` alone."""

from __future__ import annotations

from collections.abc import Sequence

from theact_tui.story.chapters import nudge_due
from theact_tui.story.game import Game
from theact_tui.story.matching import plain
from theact_tui.story.memory import lines_of
from theact_tui.story.moments import top_moments
from theact_tui.story.older import Older, older_lines
from theact_tui.story.pack import Chapter
from theact_tui.story.recalling import recalled
from theact_tui.story.recaps import told_recaps, untold
from theact_tui.story.turn import Ruling, Turn
from theact_tui.story.views import (
    EpilogueView,
    KeeperView,
    NarratorView,
    Person,
    ProgressView,
    RecapView,
    Stage,
    SummaryView,
)
from theact_tui.story.witness import stage_of


def names_of(game: Game) -> dict[str, str]:
    """Names of all the pack's characters by id."""
    return {name: card.name for name, card in game.pack.characters.items()}


def verbatim_turns(game: Game) -> tuple[Turn, ...]:
    """The turns not yet folded into the rolling summary, oldest first."""
    first = game.state.last_summarized_turn
    return tuple(game.turns[number] for number in sorted(game.turns) if number > first)


def long_ago(game: Game) -> list[Older]:
    """All that the narrator can be reminded of: what summaries and recaps left out, and what anybody remembers, each
    once."""
    left_out = (*older_lines(game.state.chronicle), *untold(game.recaps, game.state.chapter_history))
    found = {plain(line.text): line for line in left_out}
    for name, memory in game.memories.items():
        for line in (*older_lines(memory.older), *lines_of(memory)):
            told = f"{game.pack.name_of(name)} remembers: {line.text}"
            found.setdefault(plain(line.text), Older(line.turn, told, line.important))
    return [line for key, line in found.items() if key]


def narrator_view(game: Game, kind: str, text: str, ruling: Ruling | None, take: int) -> NarratorView:
    """The narrator's view of the turn to come."""
    state, pack = game.state, game.pack
    turn = state.turn + 1
    order = pack.game.chapters
    later = order[order.index(state.chapter) + 1 :]
    unmet = game.unmet_beats
    return NarratorView(
        stage=stage_of(game, take),
        kind=kind,
        chapter=game.chapter,
        beats_hit=state.beats_hit,
        turns_since_beat=turn - 1 - max(state.last_beat_turn, state.chapter_since),
        upcoming=tuple(pack.chapters[name].title for name in later),
        recaps=tuple((recap.title, recap.text) for recap in told_recaps(game.recaps)),
        cast=tuple(
            Person(id=name, name=pack.characters[name].name, role=pack.characters[name].role)
            for name in game.chapter.characters
        ),
        present=state.present,
        sent_away=tuple(name for name, here in state.held.items() if not here),
        moments=top_moments(game.moments),
        summary=state.rolling_summary,
        turns=verbatim_turns(game),
        player_text=text,
        ruling=ruling,
        nudge=unmet[0] if unmet and nudge_due(state, turn) else "",
        game_complete=state.game_complete,
        recalled=tuple(line.text for line in recalled(long_ago(game), text)),
        names=names_of(game),
    )


def keeper_view(game: Game, action: str, die: int | None, turn: Turn | None, take: int) -> KeeperView:
    """The keeper's view before a turn (with a die) or after one (with the turn)."""
    state = game.state
    stage = stage_of(game, take) if turn is None else played_stage(game, turn.number, take)
    current = turn.number if turn else state.turn + 1
    return KeeperView(
        stage=stage,
        chapter=game.chapter,
        action=action,
        last_turn=game.turns.get(current - 1),
        moments=top_moments(game.moments),
        difficulty=game.pack.game.difficulty,
        names=names_of(game),
        beats_hit=state.beats_hit,
        roll=die,
        turn=turn,
        turns_since_beat=current - 1 - max(state.last_beat_turn, state.chapter_since),
    )


def played_stage(game: Game, turn: int, take: int = 1) -> Stage:
    """The stage of a turn that was already told."""
    return Stage(world=game.pack.world, player=game.info.player, seed=game.info.seed, turn=turn, take=take)


def progress_view(game: Game, turns: Sequence[Turn], take: int) -> ProgressView:
    """The progress agent's view of turns just told."""
    return ProgressView(
        stage=played_stage(game, game.state.turn, take),
        chapter=game.chapter,
        beats_hit=game.state.beats_hit,
        turns=tuple(turns),
        names=names_of(game),
    )


def summary_view(game: Game, before: str, turns: Sequence[Turn]) -> SummaryView:
    """What is to be folded into the rolling summary."""
    return SummaryView(
        stage=played_stage(game, game.state.turn), before=before, turns=tuple(turns), names=names_of(game)
    )


def recap_view(game: Game, chapter: Chapter) -> RecapView:
    """A finished chapter, to be recapped: its pages that are still verbatim, and the summary before them."""
    turns = tuple(turn for turn in verbatim_turns(game) if turn.chapter == chapter.id)
    return RecapView(
        stage=played_stage(game, game.state.turn),
        chapter=chapter,
        summary=game.state.rolling_summary,
        turns=turns,
        names=names_of(game),
    )


def epilogue_view(game: Game, witnesses_to_time: Sequence[Turn]) -> EpilogueView:
    """The whole story at its end. `witnesses_to_time` are its first, middle and last turn."""
    moments = top_moments(game.moments)
    return EpilogueView(
        stage=played_stage(game, game.state.turn),
        title=game.pack.game.title,
        recaps=tuple((recap.title, recap.text) for recap in game.recaps),
        moments=moments,
        turns=tuple(witnesses_to_time[-1:] if moments else witnesses_to_time),
        names=names_of(game),
    )
