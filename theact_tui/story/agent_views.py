"""Views of play mode's agents, but for characters."""

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Literal

from theact_tui.sentences import sentences
from theact_tui.story.beats import (
    BEAT_LABELS,
    SECRET_LABELS,
    beats_to_ask_about,
    page_before,
    turns_without_a_beat,
)
from theact_tui.story.chapters import recaps_in_prompt, sentences_left_out
from theact_tui.story.character_view import card_by_now, lore_for_narrator, question_asked, story_of
from theact_tui.story.dice import is_missed
from theact_tui.story.forgetting_and_recall import (
    ArchivedLine,
    archived_lines,
    ranked,
    unmentioned,
    without_versions,
)
from theact_tui.story.game import Game, Recap
from theact_tui.story.lore import LoreRoom
from theact_tui.story.matching import plain
from theact_tui.story.memory import lines_of, owed_lines
from theact_tui.story.moments import top_moments
from theact_tui.story.names import is_named
from theact_tui.story.pacing import Lead, lead_of
from theact_tui.story.pack import Chapter
from theact_tui.story.scene import Scene, scene_of
from theact_tui.story.secrets import gate_of
from theact_tui.story.steering import Steering
from theact_tui.story.turn import Ruling, Turn
from theact_tui.story.views import (
    EpilogueView,
    KeeperView,
    MomentsView,
    NarratorView,
    ProgressView,
    RecapView,
    StageView,
    StoryView,
    SuggestionView,
    SummaryView,
)


def verbatim_turns(game: Game) -> tuple[Turn, ...]:
    """Return the turns outside the rolling summary, oldest first."""
    first = game.state.last_summarized_turn
    return tuple(game.turns[number] for number in sorted(game.turns) if number > first)


def _recaps_shown(game: Game) -> tuple[Recap, ...]:
    """Return the recaps of chapters whose pages are not all shown."""
    shown = verbatim_turns(game)
    in_part = {turn.chapter for turn in shown[:1] if game.state.last_summarized_turn}
    whole = {turn.chapter for turn in shown} - in_part
    return tuple(recap for recap in recaps_in_prompt(game.recaps) if recap.chapter not in whole)


def _recallable_lines(game: Game) -> list[ArchivedLine]:
    """Return everything the narrator may recall: sentences left out by summaries and recaps, and memories of turns
    outside its prompt.
    """
    left_out = (
        *archived_lines(game.state.chronicle),
        *sentences_left_out(game.recaps, game.state.chapter_history),
    )
    by_words = {plain(line.text): line for line in left_out}
    for name, memory in game.memories.items():
        for line in (*archived_lines(memory.older), *lines_of(memory)):
            owner = game.pack.name_of(name)
            line_text = line.text if is_named(line.text, owner) else f"{owner} remembers: {line.text}"
            by_words.setdefault(plain(line.text), ArchivedLine(line.turn, line_text, line.important))
    last = game.state.last_summarized_turn
    return [line for key, line in by_words.items() if key and line.turn <= last]


def page_lead(
    game: Game, line: str, ruling: Ruling | None, steering: Steering | None, *, people_speak: bool
) -> Lead:
    is_directed = bool(steering and steering.direction)
    return lead_of(
        game, line, is_directed=is_directed, is_missed=is_missed(ruling), people_speak=people_speak
    )


def narrator_view(
    game: Game,
    kind: str,
    text: str,
    ruling: Ruling | None,
    take: int,
    steering: Steering | None = None,
    lore_room: LoreRoom | None = None,
    *,
    people_speak: bool = True,
    seated: Collection[str] = (),
) -> NarratorView:
    state, pack, active = game.state, game.pack, game.chapter.characters
    lead = page_lead(game, text, ruling, steering, people_speak=people_speak)
    scene = scene_of(game, text, steering, lead.actor, people_speak=people_speak, seated=seated)
    room = lore_room or LoreRoom()
    lore, early = (lore_for_narrator(game, line, room) for line in (text, ""))
    early_ids = {match.entry.id for match in early if match.fired}
    late_lore = tuple(match for match in lore if match.fired and match.entry.id not in early_ids)
    return NarratorView(
        story=story_of(game, take),
        kind=kind,
        chapter=game.chapter,
        beats_hit=state.beats_hit,
        unmet=game.unmet_beats,
        begun=state.begun,
        turns_since_beat=turns_without_a_beat(state, state.turn),
        lead=lead,
        people_speak=people_speak,
        answering=scene.answering,
        seated=tuple(id for id in scene.seated if id in state.present),
        recaps=tuple((recap.title, recap.text) for recap in _recaps_shown(game)),
        cast={name: card_by_now(game, name) for name in active},
        gates={name: gate_of(game, name) for name in active},
        last_seen={name: max(state.views[name]) for name in active if state.views.get(name)},
        present=state.present,
        setting=game.last_turn.setting if game.last_turn else "",
        back=_arrived_or_woken(game, scene),
        whispered_to=scene.meant if scene.audible_line else None,
        asleep=scene.asleep,
        unaware=game.last_turn.unaware if game.last_turn else (),
        sent_away=tuple(name for name, is_present in game.state.held.items() if not is_present),
        moments=top_moments(game.moments),
        summary=state.rolling_summary,
        turns=verbatim_turns(game),
        player_text=text,
        ruling=ruling,
        game_complete=state.game_complete,
        recalled=_recalled(game, text),
        truth=pack.world.truth,
        lore=tuple(match for match in lore if match not in late_lore),
        late_lore=late_lore,
        steering=steering or Steering(),
        open_question=state.open_question.text if state.open_question else "",
    )


def _recalled(game: Game, text: str) -> tuple[str, ...]:
    """Return lines that the player's line recalls, best first, without those in the prompt or recalled by the line
    before.
    """
    names = [game.info.player.name, *map(game.pack.name_of, game.state.present)]
    recaps = (recap.text for recap in recaps_in_prompt(game.recaps))
    shown_lines = [line for text in (game.state.rolling_summary, *recaps) for line in sentences(text)]
    shown_lines += (moment.summary for moment in top_moments(game.moments))
    lines = unmentioned(_recallable_lines(game), shown_lines, game.pack.names.values())
    before = game.last_turn.player_text if game.last_turn else ""
    previous_lines = ranked(lines, before, names=names)
    best = [line for line in ranked(lines, text, names=names) if line not in previous_lines]
    distinct = without_versions(sorted(best, key=lambda line: line.turn), (), names, text)
    return tuple(line.text for line in best if line in distinct)


def keeper_view(game: Game, narrator: NarratorView) -> KeeperView:
    return KeeperView(
        story=narrator.story,
        action=narrator.player_text,
        difficulty=game.pack.game.difficulty,
        narrator=narrator,
    )


def stage_view(narrator: NarratorView, scene: Scene, page: str) -> StageView:
    return StageView(story=narrator.story, scene=scene, page=page, narrator=narrator)


def moments_view(game: Game, turns: Sequence[Turn], take: int = 1) -> MomentsView:
    return MomentsView(
        story=played_story(game, take),
        chapter=game.chapter,
        moments=top_moments(game.moments),
        turns=tuple(turns),
    )


def _arrived_or_woken(game: Game, scene: Scene) -> tuple[str, ...]:
    last = game.last_turn
    if last is None:
        return ()
    awake = set(last.presence.here).difference(last.asleep)
    return tuple(id for id in scene.awake if id not in awake)


def played_story(game: Game, take: int = 1) -> StoryView:
    return replace(story_of(game, take), turn=game.state.turn)


def progress_view(game: Game, turns: Sequence[Turn], take: int = 1) -> ProgressView:
    chapter, state, cards = game.chapter, game.state, game.pack.characters
    gates = {id: gate_of(game, id) for id in chapter.characters if cards[id].secret}
    confessed = [game.pack.reveal_of(id)[1] for id, gate in gates.items() if gate == "out"]
    beats = beats_to_ask_about(chapter, state.beats_hit, confessed)
    could_tell = {entry.character for turn in turns for entry in turn.entries}
    # on a page people speak, and tell what may come out
    could_tell |= {id for turn in turns for id in turn.presence.here if gates.get(id, "shut") != "shut"}
    secrets = [(id, cards[id].secret.strip()) for id in gates if gates[id] != "out" and id in could_tell]
    questions = filter(None, (question_asked(game, turn) for turn in reversed(turns)))
    return ProgressView(
        story=played_story(game, take),
        chapter=chapter,
        beats_hit=state.beats_hit,
        turns=tuple(turns),
        before=page_before(game, turns),
        beats=dict(zip(BEAT_LABELS, beats, strict=False)),
        secrets=dict(zip(SECRET_LABELS, secrets, strict=False)),
        question=next(questions, state.open_question),
    )


def summary_view(game: Game, before: str, turns: Sequence[Turn]) -> SummaryView:
    return SummaryView(story=played_story(game), before=before, turns=tuple(turns))


RECALLED_OF_NEWCOMER = 8


def suggestion_view(game: Game, kind: Literal["ideas", "casting"], *, newcomer: str = "") -> SuggestionView:
    """Return the player's situation; for a `newcomer` also earlier lines about them."""
    turns = verbatim_turns(game)
    earlier = [
        line for line in archived_lines(game.state.chronicle) if newcomer and is_named(line.text, newcomer)
    ]
    return SuggestionView(
        story=story_of(game),
        kind=kind,
        chapter=game.state.chapter,
        summary=game.state.rolling_summary,
        turns=turns,
        present=game.state.present,
        beat=next(iter(game.unmet_beats), ""),
        beats_hit=len(game.state.beats_hit),
        newcomer=newcomer,
        recalled=tuple(line.text for line in earlier[-RECALLED_OF_NEWCOMER:]),
    )


def recap_view(game: Game, chapter: Chapter) -> RecapView:
    """Return a finished chapter: its verbatim pages, and the summary before them."""
    turns = tuple(turn for turn in verbatim_turns(game) if turn.chapter == chapter.id)
    current = game.state.chapter == chapter.id
    hit = game.state.beats_hit if current else tuple(beat for turn in turns for beat in turn.new_beats)
    return RecapView(
        story=played_story(game),
        chapter=chapter,
        summary=game.state.rolling_summary,
        turns=turns,
        beats_hit=hit,
    )


def epilogue_view(game: Game, sample_turns: Sequence[Turn]) -> EpilogueView:
    moments = top_moments(game.moments)
    return EpilogueView(
        story=played_story(game),
        title=game.pack.game.title,
        recaps=tuple((recap.title, recap.text) for recap in game.recaps),
        moments=moments,
        owed=owed_lines(game.memories),
        turns=tuple(sample_turns[-1:] if moments else sample_turns),
    )
