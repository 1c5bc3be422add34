"""What each character may know: the only place that makes a character's view.

What each perceived of a turn was decided when it was told, and stands in it: see `theact_tui.story.perception`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from theact_tui.sentences import sentences
from theact_tui.story.beats import nudge_due
from theact_tui.story.folding import FOLDING, KEPT_TURNS, Folding
from theact_tui.story.forgetting_and_recall import words_of
from theact_tui.story.game import Game, Spoken
from theact_tui.story.lore import EVERYONE, LoreEntry, LoreMatch, LoreRoom, choose
from theact_tui.story.matching import plain
from theact_tui.story.pacing import with_return
from theact_tui.story.perception import heard_parts
from theact_tui.story.secrets import cue_of, gate_of
from theact_tui.story.turn import WHOLE, Entry, Heard, Turn
from theact_tui.story.views import MemoryView, StoryView, Viewpoint, Witnessed, hero_of

VIEW_LEAST = 3
"""Turns a character keeps even when they are too long for its room."""


def story_of(game: Game, take: int = 1) -> StoryView:
    """What all views of the next turn share."""
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


def _known_story(game: Game, take: int) -> StoryView:
    """The same as a character may see it: what the player is, they find out in the story."""
    story = story_of(game, take)
    return replace(story, player=story.player.as_others_know)


def attendance(heard: Mapping[str, Heard], entries: Sequence[Entry]) -> dict[str, Any]:
    """The fields of a turn that say who witnessed it, and which part. Who heard nothing of it is no witness."""
    witnesses = tuple(name for name, part in heard.items() if heard_parts(entries, name, part))
    parts = {name: heard[name] for name in witnesses if heard[name] != WHOLE}
    return {"witnesses": witnesses, "heard": parts}


def witnessed(turn: Turn, character: str) -> Witnessed:
    """The part of a turn that a character knows; no entries if it witnessed none of it."""
    there = character in turn.witnesses
    entries = heard_parts(turn.told, character, turn.heard.get(character, WHOLE)) if there else ()
    return Witnessed(number=turn.number, chapter=turn.chapter, entries=entries)


def perceived_others(turn: Turn, character: str) -> bool:
    """True if a character perceived at least one whole sentence of somebody else."""
    told, known = (
        {line for entry in entries if entry.character != character for line in sentences(entry.text)}
        for entries in (turn.told, witnessed(turn, character).entries)
    )
    return not told.isdisjoint(known)


def heard_of_it(turn: Turn, character: str, text: str) -> bool:
    """True if a character heard all that a turn tells of `text`, such as a beat or a moment of it."""
    if character not in turn.witnesses or character not in turn.heard:
        return character in turn.witnesses
    whole, part = (
        set(plain(" ".join(entry.text for entry in entries)).split())
        for entries in (turn.told, witnessed(turn, character).entries)
    )
    wanted = set(plain(text).split()) & whole
    return bool(wanted) and wanted <= part


def _with_gaps(game: Game, character: str, turns: Sequence[Witnessed]) -> tuple[Witnessed, ...]:
    """The turns, each with a word on what the character missed before it, or in it."""
    made: list[Witnessed] = []
    before: Witnessed | None = None
    for turn in turns:
        gaps = [_kept_from(game, character, turn.number)]
        if before:
            gaps.insert(0, _missed(game, character, before.number, turn.number))
        made.append(replace(turn, gap="\n".join(filter(None, gaps))))
        before = turn
    return tuple(made)


def _missed(game: Game, character: str, before: int, now: int) -> str:
    """What to say of somebody who perceived a turn, and then nothing up to `now`; empty if they missed nothing."""
    last = game.turns.get(before)
    slept = last is not None and character in last.asleep
    gone = last is not None and (
        character in (*last.stage.left, *last.stage.passed)
        if last.stage
        else last.heard.get(character, WHOLE).end is not None
    )
    missing = range(before + 1, now)
    if not (slept or gone or missing):
        return ""
    name = game.pack.name_of(character)
    kept = [_kept_from(game, character, number) for number in missing]
    if kept and all(kept) and not (slept or gone):
        return kept[-1]
    if slept:
        return f"({name} slept for a while and does not know what happened.)"
    return f"({name} was not with {hero_of(game.info.player)} for a while and does not know what happened there.)"


def _kept_from(game: Game, character: str, number: int) -> str:
    """What to say of a turn in which somebody was there and did not hear the player's line; empty if they did."""
    turn = game.turns.get(number)
    stage = turn.stage if turn else None
    if stage is None or not stage.hearers or character in stage.hearers:
        return ""
    if character not in stage.here or character in (*stage.asleep, *stage.arrived):
        return ""
    between = " and ".join([hero_of(game.info.player), *map(game.pack.name_of, stage.hearers)])
    return f"({game.pack.name_of(character)} did not catch what passed between {between}.)"


def viewpoint_of(
    game: Game,
    character: str,
    now: Sequence[Entry],
    present: tuple[str, ...],
    *,
    heard: Heard = WHOLE,
    mood: str = "calm",
    unaware: tuple[str, ...] = (),
    asleep: tuple[str, ...] = (),
    take: int = 1,
    lore_room: LoreRoom | None = None,
) -> Viewpoint:
    """All that `character` may know while the turn whose entries so far are `now`, `heard` so far, is being told."""
    numbers = game.state.views.get(character, ())
    known = [witnessed(game.turns[number], character) for number in numbers if number in game.turns]
    told = Witnessed(
        number=game.state.turn + 1, chapter=game.state.chapter, entries=heard_parts(now, character, heard)
    )
    line = next((entry.text for entry in told.entries if entry.role == "player"), "")
    *turns, this = _with_gaps(game, character, [*(turn for turn in known if turn.entries), told])
    return Viewpoint(
        story=_known_story(game, take),
        id=character,
        card=game.pack.characters[character],
        present=present,
        memory=game.memory_of(character),
        turns=tuple(turns),
        now=this,
        mood=mood,
        unaware=() if heard.missed else unaware,
        asleep=asleep,
        gate=gate_of(game, character, line),
        cue=cue_of(game, character, line),
        cast=game.chapter.characters,
        lore=lore_for(game, character, [*turns[-1:], this], lore_room or LoreRoom()),
        length=game.state.steering.length,
    )


def may_know(game: Game, entry: LoreEntry, character: str) -> bool:
    """True if a character knows the entry from the start, or was told it in the story."""
    told = game.state.lore_known.get(entry.id, {})
    return EVERYONE in entry.known_by or character in entry.known_by or character in told


def lore_for(
    game: Game, character: str, heard: Sequence[Witnessed], room: LoreRoom, *, everything: bool = False
) -> tuple[LoreMatch, ...]:
    """Of the entries that `character` may know, those that come up when it `heard` these turns; see `choose`."""
    books = {
        book: [entry for entry in entries if may_know(game, entry, character)]
        for book, entries in game.pack.lore.items()
    }
    return _chosen(game, books, [entry for turn in heard for entry in turn.entries], room, everything)


def lore_for_narrator(
    game: Game, text: str, room: LoreRoom, *, everything: bool = False
) -> tuple[LoreMatch, ...]:
    """The entries that come up when the player says `text` after the last turn; see `choose`."""
    last = game.last_turn.told if game.last_turn else ()
    told = [entry for entry in last if entry.role != "player"]
    return _chosen(game, game.pack.lore, [*told, Entry(role="player", text=text)], room, everything)


_PLACES = {"player": "the player's line", "narrator": "the narration", "character": "the replies"}


def _chosen(
    game: Game,
    books: Mapping[str, Sequence[LoreEntry]],
    told: Sequence[Entry],
    room: LoreRoom,
    everything: bool,
) -> tuple[LoreMatch, ...]:
    if not any(books.values()):
        return ()
    return choose(
        books,
        {place: [entry.text for entry in told if entry.role == role] for role, place in _PLACES.items()},
        room=room,
        chapter=game.state.chapter,
        seed=game.info.seed,
        turn=game.state.turn + 1,
        everything=everything,
    )


TELLING = 0.6
"""The share of a sentence's words that two sentences in a row must hold to count as telling it."""
LEAST_TOLD = 3
"""Words of it that they must hold at least."""


def _tells(near: Sequence[frozenset[str]], entry: LoreEntry) -> bool:
    """True if words that stand `near` each other tell a sentence of the entry; its keys and title alone tell nothing."""
    named = words_of(" ".join((*entry.keys, entry.title)))
    told = [words_of(sentence) - named for sentence in sentences(entry.text)]
    return any(len(own & words) >= max(LEAST_TOLD, TELLING * len(own)) for own in told for words in near)


def lore_learned(game: Game, turn: Turn) -> dict[str, dict[str, int]]:
    """Who was told which hidden entry, and since which turn, after `turn`: whoever heard another tell it knows it."""
    known = {id: dict(since) for id, since in game.state.lore_known.items()}
    hidden = [entry for entry in game.pack.lore_entries if entry.is_hidden and entry.enabled]
    for character in turn.witnesses if hidden else ():
        told = witnessed(turn, character).entries
        others = (each.text for each in told if each.role != "player" and each.character != character)
        lines = sentences(" ".join(others))
        near = [words_of(" ".join(pair)) for pair in pairwise((*lines, ""))]
        for entry in hidden:
            if not may_know(game, entry, character) and _tells(near, entry):
                known.setdefault(entry.id, {})[character] = turn.number
    return known


def memory_view_of(game: Game, character: str, turns: Iterable[int], *, take: int = 1) -> MemoryView:
    """What `character` is to remember of the given turns; those it did not witness are left out."""
    known = [witnessed(game.turns[number], character) for number in sorted(turns) if number in game.turns]
    memory = game.memory_of(character)
    card = game.pack.characters.get(character)
    return MemoryView(
        story=replace(_known_story(game, take), turn=game.state.turn),
        id=character,
        name=game.pack.name_of(character),
        memory=memory,
        turns=tuple(turn for turn in known if turn.entries),
        role=card.role if card else "",
    )


def grown_views(views: Mapping[str, tuple[int, ...]], turn: Turn) -> dict[str, tuple[int, ...]]:
    """The verbatim turns of every character after `turn`."""
    others = {name: tuple(n for n in views.get(name, ()) if n != turn.number) for name in turn.witnesses}
    return {**views, **{name: (*numbers, turn.number) for name, numbers in others.items()}}


def cut_view(
    numbers: tuple[int, ...], sizes: Mapping[int, int], room: int, folding: Folding = FOLDING
) -> tuple[int, ...]:
    """The turns that stay in a view: all of them, the last four when it is as long as folding needs, or fewer when it
    would leave no space in `room` tokens for another turn like the last one. A view is cut in blocks, so that the prompt's
    prefix stays the same between two cuts."""
    tokens = sum(sizes.get(number, 0) for number in numbers)
    if tokens + sizes.get(numbers[-1], 0) > room:
        return numbers[-VIEW_LEAST:]
    if tokens > folding.threshold and len(numbers) >= KEPT_TURNS + folding.batch:
        return numbers[-KEPT_TURNS:]
    return numbers


def without_replies_after(turn: Turn, gone: Iterable[str]) -> Turn:
    """A turn in which those who left in their own answer do not hear the answers after it."""
    speakers = [entry.character for entry in turn.entries if entry.role == "character"]
    heard = dict(turn.heard)
    for id in gone:
        after = speakers[::-1].index(id) if id in speakers else 0
        if after and id in turn.witnesses:
            deaf = tuple(range(len(speakers) - after, len(speakers)))
            heard[id] = heard.get(id, WHOLE).model_copy(update={"deaf": deaf})
    return turn if heard == turn.heard else turn.model_copy(update={"heard": heard})


def with_spoken(game: Game, spoken: Spoken) -> Game:
    """The game after a turn was spoken. Who was brought on stage for the first time is held there for this one turn."""
    turn = spoken.turn
    turns = {**game.turns, turn.number: turn}
    if (last := game.turns.get(turn.number - 1)) and turn.stage:
        turns[last.number] = without_replies_after(last, turn.stage.gone)
    through = game.state.turn if game.state.moments_through is None else game.state.moments_through
    told = replace(game, turns=turns).with_state(
        turn=turn.number,
        present=spoken.present,
        held={
            name: here
            for name, here in spoken.held.items()
            if not here or name in (*game.state.views, *game.state.woken)
        },
        woken=(),
        rolls=spoken.rolls,
        transition=False,
        moments_through=through,
        nudged=game.state.nudged or nudge_due(game.state, turn.number),
        views=grown_views(game.state.views, turn),
        lore_known=lore_learned(game, turn),
    )
    returns = turn.decisions.returns if turn.decisions else ""
    return with_return(told, returns) if returns else told
