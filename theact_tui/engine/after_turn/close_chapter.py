"""End of a chapter and of the game: recap, reflections, next chapter, epilogue. `judge_chapter` decides when."""

from collections.abc import Mapping
from dataclasses import replace

from theact_tui.agents.memory import REFLECTION, names_with_news
from theact_tui.agents.record_keepers import EPILOGUE, RECAP
from theact_tui.engine.after_turn.beats_and_moments import find_moments
from theact_tui.engine.after_turn.write_summary import LONGEST_SUMMARY
from theact_tui.engine.events import ChapterAdvanced, EpilogueTold, GameCompleted
from theact_tui.engine.turn_context import TurnContext
from theact_tui.errors import CallError
from theact_tui.parsing.forms import ReflectionReply
from theact_tui.parsing.no_answer import is_nothing
from theact_tui.sentences import clip, sentences
from theact_tui.story.agent_views import epilogue_view, recap_view
from theact_tui.story.beats import tells
from theact_tui.story.chapters import advance
from theact_tui.story.character_view import viewpoint_of
from theact_tui.story.forgetting_and_recall import archive_sentences
from theact_tui.story.game import Game, Pending, Recap
from theact_tui.story.matching import plain
from theact_tui.story.memory import Reflection
from theact_tui.story.pack import Chapter
from theact_tui.story.turn import Entry
from theact_tui.story.views import ReflectionView
from theact_tui.text import clean, one_line

RECAPS = 2
"""Attempts at a recap that stays with the facts."""
MOST_OF_A_LINE = 240


async def close_chapter(context: TurnContext, game: Game) -> Game:
    """Return the game after a chapter's end: recapped, advanced, after the last one with an epilogue."""
    finished, number = game.chapter, game.state.turn
    game = game.with_turn(game.turns[number].model_copy(update={"completed_chapter": finished.id}))
    if not context.deferred.is_set():
        game = await find_moments(game, number, context)
    game = await _write(context, game, Pending(agent="recap", turn=number, chapter=finished.id))
    recap = next((past_recap.text for past_recap in game.recaps if past_recap.chapter == finished.id), "")
    for name in finished.characters:
        if game.state.views.get(name):
            game = await _write(context, game, Pending(agent="reflection", turn=number, character=name))
    state = advance(game.state, game.pack, number)
    game = replace(game, state=state)
    if recap:  # which stands for its summary; its pages stay until they are folded
        through = state.last_summarized_turn
        chronicle = archive_sentences(state.chronicle, state.rolling_summary, recap, through)
        game = game.with_state(rolling_summary="", chronicle=chronicle)
    if state.game_complete:
        context.bus.publish(GameCompleted())
        return await _write(context, game, Pending(agent="epilogue", turn=number))
    title = game.chapter.title
    context.bus.publish(
        ChapterAdvanced(previous=finished.id, chapter=state.chapter, title=title, recap=recap)
    )
    return game


async def finish_pending_texts(context: TurnContext, game: Game) -> Game:
    """Retry recaps, reflections, the epilogue and moments of earlier turns."""
    if any(item.agent == "moment" for item in game.state.pending) and not context.deferred.is_set():
        game = await find_moments(game, game.state.moments_through or 0, context)
    for item in game.state.pending:
        if item.agent not in ("recap", "epilogue", "reflection"):
            continue
        game = game.with_state(pending=tuple(other for other in game.state.pending if other != item))
        if item.agent == "epilogue" or item.chapter or item.character in game.pack.characters:
            game = await _write(context, game, item.model_copy(update={"turn": game.state.turn}))
    return game


async def _write(context: TurnContext, game: Game, work: Pending) -> Game:
    """Return the game with a text, or with its work left for the next turn."""
    if not context.deferred.is_set():
        if work.chapter:
            chapter = game.pack.chapters[work.chapter]
            name, writing = f"the recap of {chapter.title}", _recap(context, game, chapter)
        elif work.character:
            name = f"{game.pack.characters[work.character].name}'s view of the chapter"
            writing = _reflect(context, game, work.character)
        else:
            name, writing = "the epilogue", _epilogue(context, game)
        try:
            return await writing
        except CallError as error:
            context.warn(f"Will be done next turn: {name}. {error.message}")
    return game.with_state(pending=(*game.state.pending, work))


async def _recap(context: TurnContext, game: Game, chapter: Chapter) -> Game:
    call = context.agents.prepare_newest(RECAP, recap_view(game, chapter))
    following = game.pack.chapters[game.chapter.next].beats if game.chapter.next else ()
    untold = (*game.unmet_beats, *following)
    for _ in range(RECAPS):
        reply = (await context.call(call)).reply
        text = clip(clean(reply.text).strip(), LONGEST_SUMMARY)
        told = sentences(text)
        if chapter.id != game.state.chapter or not any(tells(told, beat, game.pack) for beat in untold):
            break
    return game.with_recap(Recap(chapter=chapter.id, title=chapter.title, text=text))


async def _epilogue(context: TurnContext, game: Game) -> Game:
    number = game.state.turn
    turns = [game.turns[number]]
    for earlier in sorted({1, (number + 1) // 2} - {number}, reverse=True):
        turns[:0] = await context.read_turns(earlier, earlier)
    answer = await context.call(context.agents.prepare(EPILOGUE, epilogue_view(game, turns)))
    if answer.declined:
        context.warn("The epilogue reads like a refusal. F4 tells the turn again.")
    text = clean(answer.reply.text).strip()
    context.bus.publish(EpilogueTold(text=text))
    entries = (*turns[-1].entries, Entry(role="system", text=text))
    return game.with_turn(turns[-1].model_copy(update={"entries": entries}))


async def _reflect(context: TurnContext, game: Game, character: str) -> Game:
    point = viewpoint_of(game, character, (), game.state.present, take=context.take)
    view = ReflectionView(story=point.story, point=point)
    if not names_with_news(view):
        return game
    try:
        reply: ReflectionReply = await context.ask(REFLECTION, view, f"memory:{character}")
    except CallError as error:
        if error.kind == "unreadable":
            return game
        raise
    names = {plain(name): name for name in (point.story.hero, *point.story.names.values())}
    beliefs = _beliefs(reply.beliefs, names)
    if not (reply.want.strip() or beliefs):
        return game
    want, seen = _line(reply.want), point.memory.reflection
    if seen:
        want, beliefs = want or seen.want, {**seen.beliefs, **beliefs}
    reflection = Reflection(turn=game.state.turn, want=want, hide=_line(reply.hide), beliefs=beliefs)
    memory = game.memory_of(character)
    return game.with_memory(character, memory.model_copy(update={"reflection": reflection}))


def _beliefs(lines: tuple[str, ...], names: Mapping[str, str]) -> dict[str, str]:
    """Keep lines `name: text` about existing people; `names` are full names by plain form."""
    beliefs = dict[str, str]()
    for line in lines:
        believer, _, text = line.partition(":")
        key = plain(believer)
        matches = [name for form, name in names.items() if key and (key == form or key in form.split())]
        if len(matches) == 1 and _line(text):
            beliefs[matches[0]] = _line(text)
    return beliefs


def _line(text: str) -> str:
    line = one_line(clean(text), 1_000).strip()
    return "" if is_nothing(line) else clip(line, MOST_OF_A_LINE)
