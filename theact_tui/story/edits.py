"""Player's changes of a game as pure functions; those of the cast are in `cast`. All raise `UsageError`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from theact_tui.errors import UsageError
from theact_tui.story.beats import mark_beats
from theact_tui.story.character_view import with_lore_learned, with_perception
from theact_tui.story.game import Game
from theact_tui.story.lore import LoreEntry
from theact_tui.story.memory import FactsMemory, Memory, lines_of, origins_of, pin_refusal, with_lines
from theact_tui.story.moments import MAX_PINNED_MOMENTS
from theact_tui.story.perception import Perception, cut
from theact_tui.story.recut import recut
from theact_tui.story.steering import MAX_NOTE, Standing
from theact_tui.story.turn import FULLY_HEARD, Heard, Turn
from theact_tui.text import clean, one_line, unique_slug


@dataclass(frozen=True, slots=True)
class Edit:
    """Changed game; the same game if nothing changed."""

    game: Game
    what: str
    waits: bool = False
    """Committed before the next turn or on leaving, not at once."""


# --- presence and the director --------------------------------------------------------------------------------------


def hold(game: Game, characters: Sequence[str], *, here: bool) -> Edit:
    """Bring characters on stage or send them away, until changed."""
    active = game.chapter.characters
    unknown = [name for name in characters if name not in active]
    if unknown:
        ids = ", ".join(active)
        raise UsageError(f"There is no “{one_line(unknown[0], 40)}” in this chapter. Characters: {ids}.")
    woken = (*game.state.woken, *characters) if here else game.state.woken
    held = game.with_state(woken=woken).with_held({**game.state.held, **dict.fromkeys(characters, here)})
    names = ", ".join(game.pack.name_of(name) for name in characters)
    return Edit(held, f"{names} now {'here' if here else 'away'}", waits=True)


def mark_beat(game: Game, number: int, *, hit: bool) -> Edit:
    """`number` counts from 1."""
    beats = game.chapter.beats
    _check_line(number - 1, len(beats), "beat")
    beat = beats[number - 1]
    if hit:
        marked = replace(game, state=mark_beats(game.state, game.chapter, [beat], game.state.turn)[0])
    else:
        left = tuple(other for other in game.state.beats_hit if other != beat)
        marked = game.with_state(beats_hit=left)
    return Edit(marked, f"beat {number} {'marked' if hit else 'unmarked'}", waits=True)


def set_gate(game: Game, character: str, opened: bool | None) -> Edit:
    """Let a secret come out, hold it back, or (None) leave that to the pack."""
    name = game.pack.name_of(character)
    if not game.pack.characters[character].secret:
        raise UsageError(f"{name} has no secret.")
    decision = {True: "may come out", False: "is held back", None: "is left to the pack"}[opened]
    gates = {id: on for id, on in game.state.gates.items() if id != character}
    if opened is not None:
        gates[character] = opened
    return Edit(game.with_state(gates=gates), f"secret of {name} {decision}", waits=True)


def set_chapter(game: Game, to: Literal["", "end", "keep"]) -> Edit:
    what = {"end": "ends with the next turn", "keep": "kept open", "": "left to the story"}[to]
    return Edit(game.with_state(chapter_set=to), f"chapter {what}", waits=True)


def steer(game: Game, /, **changes: object) -> Edit:
    """Change lasting settings: note, length, language, silent characters."""
    if len(str(changes.get("note", ""))) > MAX_NOTE:
        raise UsageError(f"Too long: the limit of a note is {MAX_NOTE:,} characters.")
    new = Standing.model_validate({**dict(game.state.steering), **changes})
    steered = game if new == game.state.steering else game.with_state(steering=new)
    named = ("who stays silent" if name == "hushed" else name for name in changes)
    return Edit(steered, f"{' and '.join(named)} changed")


# --- told turns -----------------------------------------------------------------------------------------------------

Hearing = Literal["all", "page", "none"]
"""All; all but the player's line; nothing."""


def set_heard(game: Game, turn: Turn, character: str, part: Hearing) -> Edit:
    """Change what a character heard of a turn, but not its memories."""
    memory_of(game, character)
    if turn.is_pending:
        usage = f"/heard {turn.number} all, or /heard {turn.number} and names, decides it."
        raise UsageError(f"It is not known yet who heard turn {turn.number}. {usage}")
    others = tuple(name for name in turn.witnesses if name != character)
    witnesses = others if part == "none" else (*others, character)
    heard = {name: perceived for name, perceived in turn.heard.items() if name != character}
    if part == "page":
        heard[character] = Heard(missed=turn.cuts.line_labels or ("1",))
    unaware = tuple(name for name in turn.unaware if name != character or part != "all")
    turn = turn.model_copy(update={"witnesses": witnesses, "heard": heard, "unaware": unaware})
    numbers = {number for number in game.state.views.get(character, ()) if number != turn.number}
    game = with_lore_learned(game.with_turn(turn), turn)
    if character in witnesses and turn.number > game.state.last_summarized_turn:
        numbers.add(turn.number)
    views = {**game.state.views, character: tuple(sorted(numbers))}
    character_name = game.pack.name_of(character)
    return Edit(game.with_state(views=views), f"what {character_name} heard of turn {turn.number} changed")


def set_hearers(game: Game, turn: Turn, characters: Sequence[str] | None) -> Edit:
    """Decide who alone perceived a turn; None: all present. If decided before, others keep their page."""
    stage = turn.presence
    awake = [name for name in stage.here if name not in stage.asleep]
    hearers = awake if characters is None else list(characters)
    cuts = cut(turn.player_text, turn.narration)
    heard = dict.fromkeys(hearers, FULLY_HEARD)
    if stage.by != "pending" and characters is not None:
        for name in (name for name in turn.witnesses if name not in hearers):
            missed = [label for label in turn.heard.get(name, FULLY_HEARD).missed if label.isupper()]
            page = missed if turn.cuts.page == cuts.page or not missed else cuts.page_labels
            heard[name] = Heard(missed=(*cuts.line_labels, *page))
    kept_line = cuts.line_labels if any(name not in hearers for name in awake) else ()
    private = (*kept_line, *(label for label in stage.private if label in cuts.page_labels))
    deaf = tuple(name for name in awake if name not in hearers) if turn.player_text else ()
    decided = Perception(stage.model_copy(update={"by": "player", "private": private}), cuts, heard, deaf)
    return Edit(with_perception(game, turn, decided), f"who heard turn {turn.number} decided")


TEXT_OF = "text of turn "
"""Prefix of edits that undo takes back alone."""


def set_entry_text(game: Game, turn: Turn, entry: int, text: str) -> Edit:
    """Replace the text of an entry by its index; memories of it become stale."""
    text = clean(text).strip()
    if not text:
        raise UsageError("An entry cannot be empty.")
    entries = list(turn.entries)
    _check_line(entry, len(entries))
    if by := entries[entry].by:
        raise UsageError(f"{by} wrote this at a seat. Only they change it: shift-F9 asks them again.")
    entries[entry] = entries[entry].model_copy(update={"text": text, "stopped": False})
    turn = recut(turn, turn.model_copy(update={"entries": tuple(entries)}))
    game = with_lore_learned(game.with_turn(turn), turn)
    for name, memory in game.memories.items():
        if (
            isinstance(memory, FactsMemory)
            and memory.summary
            and turn.number <= memory.summary_turn
            and name in turn.witnesses
        ):
            edited = tuple(sorted({*memory.summary_edited, turn.number}))
            game = game.with_memory(name, memory.model_copy(update={"summary_edited": edited}))
    if any(turn.number in origins_of(memory) for memory in game.memories.values()):
        game = game.with_state(edited=tuple(sorted({*game.state.edited, turn.number})))
    return Edit(game, f"{TEXT_OF}{turn.number} changed")


# --- memory and lore ------------------------------------------------------------------------------------------------


def memory_of(game: Game, character: str) -> Memory:
    if character not in game.pack.characters:
        raise UsageError(f"There is no character '{one_line(character, 40)}'.")
    return game.memory_of(character)


def set_memory(game: Game, character: str, memory: Memory) -> Edit:
    memory_of(game, character)
    return Edit(game.with_memory(character, memory), f"memory of {game.pack.name_of(character)} changed")


def pin_line(game: Game, character: str, line: int, *, pinned: bool) -> Edit:
    """`line` counts from 0."""
    memory = memory_of(game, character)
    lines = list(lines_of(memory))
    _check_line(line, len(lines))
    refusal = pin_refusal(memory, lines[line], game.pack.game.memory_cells)
    if refusal and pinned and not lines[line].pinned:
        raise UsageError(refusal)
    lines[line] = lines[line].model_copy(update={"pinned": pinned})
    changed = game.with_memory(character, with_lines(memory, lines))
    done = "pinned" if pinned else "unpinned"
    return Edit(changed, f"{done} a memory of {game.pack.name_of(character)}", waits=True)


def pin_moment(game: Game, moment: int, *, pinned: bool) -> Edit:
    """`moment` counts from 0."""
    moments = list(game.moments)
    _check_line(moment, len(moments), "moment")
    held = sum(item.pinned for item in moments)
    if pinned and not moments[moment].pinned and held >= MAX_PINNED_MOMENTS:
        raise UsageError(f"You can pin at most {MAX_PINNED_MOMENTS} moments. Unpin one first.")
    moments[moment] = moments[moment].model_copy(update={"pinned": pinned})
    done = "pinned" if pinned else "unpinned"
    return Edit(replace(game, moments=tuple(moments)), f"{done} a moment", waits=True)


OWN_BOOK = "added"


def add_lore(game: Game, keys: Sequence[str], text: str) -> Edit:
    """Add an entry known to everyone, titled by its first key."""
    text = clean(text).strip()
    if not keys or not text:
        raise UsageError("Keys or text are missing. Usage: /lore add key, key: text")
    ids = {entry.id for entry in game.pack.lore_entries}
    id = unique_slug(keys[0], ids, "entry")
    return set_lore(game, LoreEntry(id=id, title=keys[0], text=text, keys=tuple(keys)))


def set_lore(game: Game, entry: LoreEntry) -> Edit:
    """Replace the entry with this id, or add it."""
    lore = dict(game.pack.lore)
    book = next(
        (book for book, entries in lore.items() if entry.id in [item.id for item in entries]), OWN_BOOK
    )
    changed_entries = [entry if item.id == entry.id else item for item in lore.get(book, ())]
    lore[book] = tuple(changed_entries if entry in changed_entries else [*changed_entries, entry])
    changed = replace(game, pack=game.pack.model_copy(update={"lore": lore}))
    return Edit(changed, f"lore about {entry.name} changed")


def _check_line(line: int, count: int, what: str = "line") -> None:
    if not count:
        raise UsageError(f"There is no {what} yet.")
    if not 0 <= line < count:
        raise UsageError(f"There is no {what} {line + 1}; the last one is {count}.")
