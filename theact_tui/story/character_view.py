"""Knowledge of each character: the only place that makes a character's view."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Any

from theact_tui.sentences import paragraph_spans, sentences
from theact_tui.story.folding import FOLDING, KEPT_TURNS, Folding
from theact_tui.story.game import Game, Pending, Spoken
from theact_tui.story.lore import EVERYONE, LoreEntry, LoreMatch, LoreRoom, choose_lore
from theact_tui.story.matching import overlap, plain, stems
from theact_tui.story.names import Names
from theact_tui.story.open_question import OpenQuestion, question_in
from theact_tui.story.pacing import record_return
from theact_tui.story.pack import Character
from theact_tui.story.perception import Perception, perceived, perceived_line
from theact_tui.story.secrets import gate_of
from theact_tui.story.speech import addressed_to
from theact_tui.story.turn import FULLY_HEARD, UNCUT, Cuts, Entry, Heard, Stage, Turn
from theact_tui.story.views import MemoryView, StoryView, Viewpoint, Witnessed, hero_of

VIEW_LEAST = 3
"""Turns a character keeps even if too long for its room."""


def story_of(game: Game, take: int = 1) -> StoryView:
    return StoryView(
        world=game.pack.world.model_copy(update={"truth": ""}),
        player=game.info.player,
        names=game.pack.names,
        seed=game.info.seed,
        turn=game.state.turn + 1,
        take=take,
        language=game.language,
        voice=game.pack.game.voice,
    )


def _story_view(game: Game, take: int) -> StoryView:
    """Leave out the player's description, which characters find out by playing."""
    story = story_of(game, take)
    return replace(story, player=story.player.as_others_know)


def card_by_now(game: Game, id: str) -> Character:
    """Return a card with what the character wants by now."""
    card, seen = game.pack.characters[id], game.memory_of(id).reflection
    return card.model_copy(update={"want": seen.want}) if seen and seen.want else card


def attendance(cuts: Cuts, heard: Mapping[str, Heard], entries: Sequence[Entry]) -> dict[str, Any]:
    """Return the fields of a turn about perception. Whoever perceived nothing is no witness."""
    witnesses = tuple(id for id, part in heard.items() if perceived(entries, cuts, id, part))
    missed = {id: heard[id] for id in witnesses if heard[id] != FULLY_HEARD}
    return {"cuts": cuts, "witnesses": witnesses, "heard": missed}


def witnessed(turn: Turn, character: str, *, is_settled: bool = True) -> Witnessed:
    """Return what a character perceived of a turn; without replies of others unless it `is_settled` who heard them."""
    is_witness = character in turn.witnesses
    heard = turn.heard.get(character, FULLY_HEARD)
    entries = perceived(turn.ordered_entries, turn.cuts, character, heard) if is_witness else ()
    if not is_settled:
        entries = tuple(entry for entry in entries if entry.character in (None, character))
    is_partial = not all(label.isdigit() for label in turn.missed_by(character))
    return Witnessed(number=turn.number, chapter=turn.chapter, entries=entries, is_partial=is_partial)


def all_witnessed(game: Game, character: str) -> tuple[Witnessed, ...]:
    """Return what a character perceived of the turns of `game`, with gap lines. Of a turn of which it is not known yet who
    heard it, only those who answered it know.
    """
    turns = (turn for _, turn in sorted(game.turns.items()))
    known = (t for t in turns if not t.is_pending or any(reply.character == character for reply in t.replies))
    numbers = [turn.number for turn in known]
    return _with_gaps(game, character, _witnessed_turns(game, character, numbers, unsettled_turns(game)))


def _witnessed_turns(
    game: Game, character: str, numbers: Iterable[int], unsettled: Collection[int]
) -> list[Witnessed]:
    """Return what a character perceived of those of the turns that are at hand and of which it perceived anything."""
    turns = (game.turns[number] for number in numbers if number in game.turns)
    parts = (witnessed(turn, character, is_settled=turn.number not in unsettled) for turn in turns)
    return [part for part in parts if part.entries]


def heard_all_words(turn: Turn, character: str, text: str) -> bool:
    """True if a character heard all words of `text`, such as a beat, that the turn has."""
    if character not in turn.witnesses or character not in turn.heard:
        return character in turn.witnesses
    whole, part = (
        set(plain(" ".join(entry.text for entry in entries)).split())
        for entries in (turn.ordered_entries, witnessed(turn, character).entries)
    )
    wanted = set(plain(text).split()) & whole
    return bool(wanted) and wanted <= part


def _with_gaps(game: Game, character: str, turns: Sequence[Witnessed]) -> tuple[Witnessed, ...]:
    """Add gap lines to turns: what the character missed before or in each."""
    witnessed_turns: list[Witnessed] = []
    before: Witnessed | None = None
    for turn in turns:
        gaps = [_gap_line(game, character, turn.number)]
        if before:
            gaps.insert(0, _gap_between(game, character, before.number, turn.number))
        witnessed_turns.append(replace(turn, gap="\n".join(filter(None, gaps))))
        before = turn
    return tuple(witnessed_turns)


def _gap_between(game: Game, character: str, before: int, now: int) -> str:
    last = game.turns.get(before)
    slept = last is not None and character in last.asleep
    left = last is not None and character not in last.presence.here
    missing = range(before + 1, now)
    if not (slept or left or missing):
        return ""
    name = game.pack.name_of(character)
    gaps = [_gap_line(game, character, number) for number in missing]
    if gaps and all(gaps) and not (slept or left):
        return gaps[-1]
    if not (slept or left) and all(_was_there(game, character, number) for number in missing):
        return f"({name} did not catch what happened meanwhile.)"
    if slept:
        return f"({name} slept for a while and does not know what happened.)"
    return f"({name} was not with {hero_of(game.info.player)} for a while and does not know what happened there.)"


def _was_there(game: Game, character: str, number: int) -> bool:
    """True if somebody who perceived nothing of a turn was there, as when the form about it failed."""
    turn = game.turns.get(number)
    return turn is not None and character in turn.presence.here and character not in turn.presence.asleep


def _gap_line(game: Game, character: str, number: int) -> str:
    """Return the gap line for a character who was there and heard nothing of the player's line; else ""."""
    turn = game.turns.get(number)
    if turn is None or not _was_there(game, character, number):
        return ""
    if character not in turn.unaware and not (turn.is_pending and character not in turn.witnesses):
        return ""
    name = game.pack.name_of(character)
    hearers = [id for id in turn.witnesses if id in turn.presence.here and perceived_line(turn, id)]
    between = " and ".join([hero_of(game.info.player), *map(game.pack.name_of, hearers)])
    return f"({name} did not catch what passed between {between}.)" if hearers else ""


def viewpoint_of(
    game: Game,
    character: str,
    now: Sequence[Entry],
    present: tuple[str, ...],
    *,
    perception: Perception | None = None,
    mood: str = "",
    asleep: tuple[str, ...] = (),
    cue: str = "",
    take: int = 1,
    lore_room: LoreRoom | None = None,
) -> Viewpoint:
    """Return everything that `character` may know in the running turn with the entries `now`. Past turns are those of
    `state.views`. Without `perception`, `now` was perceived in full. `cue`: the beat that it does in this answer.
    """
    numbers = game.state.views.get(character, ())
    is_pending = perception is not None and perception.stage.by == "pending"
    unsettled = unsettled_turns(game) | ({game.state.turn} if is_pending else set[int]())
    past = _witnessed_turns(game, character, numbers, unsettled)
    entries = _so_far(now, perception, character)
    current = Witnessed(number=game.state.turn + 1, chapter=game.state.chapter, entries=entries)
    *turns, this = _with_gaps(game, character, [*past, current])
    return Viewpoint(
        story=_story_view(game, take),
        id=character,
        card=card_by_now(game, character),
        present=present,
        memory=game.memory_of(character),
        turns=tuple(turns),
        now=this,
        mood=mood,
        **_private(now, perception, character),
        asleep=asleep,
        gate=gate_of(game, character),
        cue=cue,
        open_question=_question_to(game, character),
        cast=game.chapter.characters,
        lore=lore_for(game, character, [*turns[-1:], this], lore_room or LoreRoom()),
        length=game.state.steering.length,
    )


def _private(now: Sequence[Entry], perception: Perception | None, character: str) -> dict[str, Any]:
    """Return what a character perceived of line and page that was kept from somebody, and who else perceived it."""
    if perception is None or character not in perception.heard:
        return {}
    stage, heard, cuts = perception.stage, perception.heard, perception.cuts
    labels = [label for label in stage.private if label not in heard[character].missed]
    if not labels:
        return {}
    line, page = (next((e.text for e in now if e.role == role), "") for role in ("player", "narrator"))
    texts = {**cuts.line_pieces(line), **cuts.page_pieces(page)}
    awake = (id for id in stage.here if id in heard and id not in stage.asleep)
    knowing = tuple(id for id in awake if not {*labels} & {*heard[id].missed})
    return {"private": tuple(texts[label] for label in labels if label in texts), "noticed_by": knowing}


def _question_to(game: Game, character: str) -> str:
    question = game.state.open_question
    turn = game.turns.get(question.turn) if question and question.asked == character else None
    return question.text if question and turn and _has_heard(turn, character, question.text) else ""


def question_asked(game: Game, turn: Turn) -> OpenQuestion | None:
    """Return the question of a told turn's line, of whoever it calls, else of the first who answered."""
    text = question_in(turn.player_text)
    if not text:
        return None
    names = Names({id: game.pack.name_of(id) for id in turn.presence.here})
    ids = (
        *names.called(addressed_to(turn.player_text)[1]),
        *(entry.character or "" for entry in turn.replies),
    )
    heard = [id for id in ids if _has_heard(turn, id, text)]
    return OpenQuestion(text=text, turn=turn.number, asked=next(iter(heard), ""))


def _has_heard(turn: Turn, character: str, words: str) -> bool:
    return plain(words) in plain(perceived_line(turn, character))


def _so_far(now: Sequence[Entry], perception: Perception | None, character: str) -> tuple[Entry, ...]:
    if perception is None:
        return perceived(now, UNCUT, character, FULLY_HEARD)
    heard = perception.heard.get(character)
    return () if heard is None else perceived(now, perception.cuts, character, heard)


def may_know(game: Game, entry: LoreEntry, character: str) -> bool:
    learned = game.state.lore_known.get(entry.id, {})
    return EVERYONE in entry.known_by or character in entry.known_by or character in learned


def lore_for(
    game: Game, character: str, heard: Sequence[Witnessed], room: LoreRoom, *, unmatched: bool = False
) -> tuple[LoreMatch, ...]:
    """Choose from the entries that `character` may know by the turns it `heard`."""
    books = {
        book: [entry for entry in entries if may_know(game, entry, character)]
        for book, entries in game.pack.lore.items()
    }
    return _choose_lore(game, books, [entry for turn in heard for entry in turn.entries], room, unmatched)


def lore_for_narrator(
    game: Game, text: str, room: LoreRoom, *, unmatched: bool = False
) -> tuple[LoreMatch, ...]:
    """Choose entries by the last turn and the player's `text`."""
    last = game.last_turn.ordered_entries if game.last_turn else ()
    entries = [entry for entry in last if entry.role != "player"]
    return _choose_lore(game, game.pack.lore, [*entries, Entry(role="player", text=text)], room, unmatched)


_PLACES = {"player": "the player's line", "narrator": "the narration", "character": "the replies"}


def _choose_lore(
    game: Game,
    books: Mapping[str, Sequence[LoreEntry]],
    entries: Sequence[Entry],
    room: LoreRoom,
    unmatched: bool,
) -> tuple[LoreMatch, ...]:
    if not any(books.values()):
        return ()
    return choose_lore(
        books,
        {place: [entry.text for entry in entries if entry.role == role] for role, place in _PLACES.items()},
        room=room,
        chapter=game.state.chapter,
        seed=game.info.seed,
        turn=game.state.turn + 1,
        unmatched=unmatched,
    )


MIN_LORE_SHARE, MIN_LORE_WORDS = 0.6, 3
"""Words of an entry's sentence in two sentences that tell it: share and number."""


def _tells(near: Sequence[frozenset[str]], entry: LoreEntry) -> bool:
    """True if words `near` each other tell a sentence of the entry. Keys and title alone tell nothing."""
    return any(
        len(own & words) >= MIN_LORE_WORDS and overlap(own, words) >= MIN_LORE_SHARE
        for own in _sentence_stems(entry.text, " ".join((*entry.keys, entry.title)))
        for words in near
    )


@lru_cache(maxsize=4096)
def _sentence_stems(text: str, named: str) -> tuple[frozenset[str], ...]:
    return tuple(stems(sentence) - stems(named) for sentence in sentences(text))


def lore_learned(game: Game, turn: Turn) -> dict[str, dict[str, int]]:
    """Return who knows which hidden entries after `turn`, and since when."""
    learned = {id: dict(since) for id, since in game.state.lore_known.items()}
    hidden = [entry for entry in game.pack.lore_entries if entry.is_hidden and entry.enabled]
    for character in turn.witnesses if hidden else ():
        entries = witnessed(turn, character).entries
        others = (item.text for item in entries if item.role != "player" and item.character != character)
        lines = sentences(" ".join(others))
        near = [stems(" ".join(pair)) for pair in pairwise((*lines, ""))]
        for entry in hidden:
            if not may_know(game, entry, character) and _tells(near, entry):
                learned.setdefault(entry.id, {})[character] = turn.number
    return learned


def with_lore_learned(game: Game, turn: Turn) -> Game:
    """Let those who heard a told turn know the hidden entries in it; those in its replies once it is settled who heard
    them.
    """
    is_settled = turn.number < game.state.turn and turn.number not in unsettled_turns(game)
    return game.with_state(lore_known=lore_learned(game, turn if is_settled else _without_replies(turn)))


def memory_view_of(game: Game, character: str, turns: Iterable[int], *, take: int = 1) -> MemoryView:
    """Return the view of the turns that `character` is to remember, as far as witnessed."""
    card = game.pack.characters.get(character)
    return MemoryView(
        story=replace(_story_view(game, take), turn=game.state.turn),
        id=character,
        name=game.pack.name_of(character),
        memory=game.memory_of(character),
        turns=tuple(_witnessed_turns(game, character, sorted(turns), unsettled_turns(game))),
        role=card.role if card else "",
    )


def add_to_views(views: Mapping[str, tuple[int, ...]], turn: Turn) -> dict[str, tuple[int, ...]]:
    others = {name: tuple(n for n in views.get(name, ()) if n != turn.number) for name in turn.witnesses}
    return {**views, **{name: (*numbers, turn.number) for name, numbers in others.items()}}


def cut_view(
    numbers: tuple[int, ...], sizes: Mapping[int, int], room: int, folding: Folding = FOLDING
) -> tuple[int, ...]:
    """Return the turns that stay in a character's view: all; the last 4 once it is as long as folding needs; the last
    3 if another turn like the last would not fit `room` tokens.
    """
    tokens = sum(sizes.get(number, 0) for number in numbers)
    if tokens + sizes.get(numbers[-1], 0) > room:
        return numbers[-VIEW_LEAST:]
    if tokens > folding.threshold and len(numbers) >= KEPT_TURNS + folding.batch:
        return numbers[-KEPT_TURNS:]
    return numbers


def corrected_by(turn: Turn, after: Stage) -> Turn:
    """Correct a turn's perception by the stage `after` it: pieces of replies said aloud are heard, those for others
    alone are not, and who left in a reply misses later replies.
    """
    speakers = [entry.character for entry in turn.replies]
    missed = {id: turn.missed_by(id) for id in (*turn.witnesses, *after.aloud)}
    unheard = {id: after.unheard.get(id, ()) for id in missed}
    for id in (id for id in after.gone if id in speakers and id in missed):
        last = len(speakers) - 1 - speakers[::-1].index(id)
        unheard[id] = (*unheard[id], *(label for pieces in turn.reply_pieces[last + 1 :] for label in pieces))
    for id, labels in unheard.items():
        kept = (label for label in missed[id] if label not in after.aloud.get(id, ()))
        missed[id] = tuple(dict.fromkeys((*kept, *labels)))
    heard = {id: Heard(missed=labels) for id, labels in missed.items() if labels}
    return turn.model_copy(update={"witnesses": tuple(missed), "heard": heard})


def with_last_turn_corrected(game: Game, number: int, after: Stage) -> Game:
    """Correct the perception of turn `number` by the stage `after` it, which settles who heard its replies."""
    if (last := game.turns.get(number)) is None or not last.replies or after.by == "pending":
        return game
    corrected, views = corrected_by(last, after), dict(game.state.views)
    for id in (id for id in corrected.witnesses if id not in last.witnesses):
        views[id] = tuple(sorted({*views.get(id, ()), number}))
    return game.with_turn(corrected).with_state(views=views, lore_known=lore_learned(game, corrected))


def unsettled_turns(game: Game) -> set[int]:
    """Return the turns of whose replies it is not known yet who heard them: the form about the next page has failed."""
    return {work.turn - 1 for work in game.state.pending if work.agent == "stage"}


def _without_replies(turn: Turn) -> Turn:
    prose = tuple(entry for entry in turn.entries if entry.role != "character")
    return turn.model_copy(update={"entries": prose})


def is_for_memory(turn: Turn, character: str) -> bool:
    """True if a character perceived another's reply, two other paragraphs, or one and its own reply or on a visit; False
    if pending.
    """
    if turn.is_pending:
        return False
    entries = witnessed(turn, character).entries
    is_enough = character not in turn.presence.here or any(entry.role == "character" for entry in entries)
    others = (entry.text for entry in entries if entry.character != character)
    return sum(len(paragraph_spans(text)) for text in others) > (0 if is_enough else 1)


def pending_stages(game: Game) -> tuple[Turn, ...]:
    numbers = sorted(work.turn for work in game.state.pending if work.agent == "stage")
    return tuple(game.turns[number] for number in numbers if number in game.turns)


def before_turn(game: Game, turn: Turn) -> Game:
    """Return the game before a told turn, as far as it is at hand."""
    at_end = turn.presence.here
    # presence that the player set since then says nothing of this turn
    held = {id: is_here for id, is_here in game.state.held.items() if is_here == (id in at_end)}
    earlier = {number: other for number, other in game.turns.items() if number < turn.number}
    return replace(game, turns=earlier).with_state(
        turn=turn.number - 1,
        chapter=turn.chapter,
        present=_present_before(game, turn),
        held=held,
        woken=(),
        transition=False,
    )


def _present_before(game: Game, turn: Turn) -> tuple[str, ...]:
    last = game.turns.get(turn.number - 1)
    if last and last.chapter == turn.chapter:
        return last.presence.here
    # a pending stage is still that of the beginning
    is_old = turn.stage is None or turn.is_pending
    return turn.presence.here if is_old else game.pack.chapters[turn.chapter].opening_cast


def with_perception(game: Game, turn: Turn, perception: Perception) -> Game:
    """Set the perception of a told turn; memories of it become due."""
    perception = perception.with_replies(turn.replies)
    stage = perception.stage
    game = with_last_turn_corrected(game, turn.number - 1, stage)
    decided = turn.model_copy(
        update={
            **attendance(perception.cuts, perception.heard, turn.entries),
            "stage": stage.model_copy(update={"answer": turn.presence.answer}),
            "asleep": stage.asleep,
            "unaware": perception.unaware,
            "setting": stage.place or turn.setting,
            "mood": stage.mood or turn.mood,
        }
    )
    if after := game.turns.get(turn.number + 1):
        decided = corrected_by(decided, after.presence)
    due = [work for work in game.state.pending if (work.agent, work.turn) != ("stage", turn.number)]
    owed = [(work.agent, work.turn, work.character) for work in due]
    for name in (name for name in decided.witnesses if is_for_memory(decided, name)):
        if ("memory", turn.number, name) not in owed and turn.is_pending:
            due.append(Pending(agent="memory", turn=turn.number, character=name))
    if turn.number == game.state.turn and not game.state.transition:
        game = game.with_state(present=stage.here).with_held(game.state.held)
    views = {name: tuple(n for n in view if n != turn.number) for name, view in game.state.views.items()}
    for name in decided.witnesses:
        if turn.number > game.state.last_summarized_turn or turn.number in game.state.views.get(name, ()):
            views[name] = tuple(sorted({*views.get(name, ()), turn.number}))
    return with_lore_learned(game.with_turn(decided).with_state(pending=tuple(due), views=views), decided)


def with_added_replies(game: Game, turn: Turn, replies: Sequence[Entry], perception: Perception) -> Game:
    """Add replies to a told turn; its beats and memories become due again."""
    answer = tuple(dict.fromkeys(entry.character for entry in replies if entry.character))
    stage = perception.stage.model_copy(update={"answer": answer})
    prose = [entry for entry in turn.entries if entry.role != "system"]
    system = [entry for entry in turn.entries if entry.role == "system"]
    told = turn.model_copy(update={"entries": (*prose, *replies, *system), "stage": stage})
    perception = perception.with_replies(told.replies)
    told = told.model_copy(update=attendance(perception.cuts, perception.heard, told.entries))
    remembering = [id for id in told.witnesses if is_for_memory(told, id)]
    due = [Pending(agent="memory", turn=turn.number, character=id) for id in remembering]
    due.append(Pending(agent="progress", turn=turn.number))
    pending = dict.fromkeys((*game.state.pending, *due))
    views = add_to_views(game.state.views, told)
    return game.with_turn(told).with_state(pending=tuple(pending), views=views)


def apply_turn(game: Game, spoken: Spoken) -> Game:
    """Return the game after a turn was spoken. Newcomers are held on stage for this one turn."""
    turn = spoken.turn
    game = with_last_turn_corrected(game, turn.number - 1, turn.presence)
    turns = {**game.turns, turn.number: turn}
    through = game.state.turn if game.state.moments_through is None else game.state.moments_through
    result = replace(game, turns=turns).with_state(
        turn=turn.number,
        present=spoken.present,
        held={
            name: is_present
            for name, is_present in spoken.held.items()
            if not is_present or name in (*game.state.views, *game.state.woken)
        },
        woken=(),
        rolls=spoken.rolls,
        transition=False,
        moments_through=through,
        views=add_to_views(game.state.views, turn),
        lore_known=lore_learned(game, _without_replies(turn)),
    )
    if turn.is_pending:
        result = result.with_state(pending=(*result.state.pending, Pending(agent="stage", turn=turn.number)))
    returns = turn.decisions.returns if turn.decisions else ""
    return record_return(result, returns) if returns else result
