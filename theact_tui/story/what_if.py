"""Take an item of knowledge away from a person, or give it."""

import re
from collections.abc import Iterator, Sequence

from theact_tui.errors import UsageError
from theact_tui.story.edits import Edit, memory_of, set_lore
from theact_tui.story.forgetting_and_recall import archive, archived_lines, unmentioned
from theact_tui.story.game import Game
from theact_tui.story.item import find_item, pieces_of
from theact_tui.story.lore import EVERYONE, NARRATOR, LoreEntry
from theact_tui.story.matching import says_the_same
from theact_tui.story.memory import CellsMemory, Fact, lines_of
from theact_tui.story.turn import FULLY_HEARD, Heard
from theact_tui.story.viewpoints import witnessed

PIECE = re.compile(r"(\d+):([A-Z]+|[a-z]+|\d+)")


def change_knowledge(game: Game, words: str, character: str, *, give: bool) -> tuple[Edit, str]:
    """Return the edit and the item's text. Without `character` it concerns all. Raises `UsageError`."""
    if give and not character:
        raise UsageError("Name the character that is given it: --character ID.")
    people = [character] if character else list(game.pack.characters)
    for id in people:
        memory_of(game, id)
    if piece := PIECE.fullmatch(words.strip()):
        changed, text = _with_piece(game, int(piece[1]), piece[2], people, give=give)
        kind = f"a piece of turn {piece[1]}"
    elif entry := _lore_entry(game, words, character, give=give):
        changed, text, kind = _with_lore(game, entry, people, give=give), entry.text, "lore"
    elif give:
        changed, text, kind = _with_fact(game, character, words.strip()), words.strip(), "a fact"
    else:
        text, kind, changed = find_item(game, words, character).text, "a fact", game
        for id in people:
            changed = _without_line(changed, id, text)
    owner = game.pack.name_of(character) if character else "everybody"
    return Edit(changed, f"what if: {kind} {'given to' if give else 'taken away from'} {owner}"), text


def _lore_entry(game: Game, words: str, character: str, *, give: bool) -> LoreEntry | None:
    entries = {entry.id: entry for entry in game.pack.lore_entries}
    named = (entry for entry in entries.values() if words.casefold() in (entry.id, entry.name.casefold()))
    if (entry := next(named, None)) or give:
        return entry
    item = find_item(game, words, character)
    return entries[item.id] if item.kind == "lore" else None


def _with_lore(game: Game, entry: LoreEntry, people: Sequence[str], *, give: bool) -> Game:
    since = {id: turn for id, turn in game.state.lore_known.get(entry.id, {}).items() if id not in people}
    if give:
        since |= dict.fromkeys(people, game.state.turn)
        return game.with_state(lore_known={**game.state.lore_known, entry.id: since})
    knowers = [id for id in game.pack.characters if EVERYONE in entry.known_by or id in entry.known_by]
    others = tuple(id for id in knowers if id not in people) or (NARRATOR,)
    hidden = entry.model_copy(update={"known_by": others})
    return set_lore(game.with_state(lore_known={**game.state.lore_known, entry.id: since}), hidden).game


def _without_line(game: Game, id: str, text: str) -> Game:
    memory = game.memory_of(id)
    field = "cells" if isinstance(memory, CellsMemory) else "key_facts"
    stay = tuple(line for line in lines_of(memory) if not says_the_same(text, [line.text]))
    if stay != lines_of(memory):
        return game.with_memory(id, memory.model_copy(update={field: stay}))
    older = archive("", (line for line in archived_lines(memory.older) if line.text != text))
    return game.with_memory(id, memory.model_copy(update={"older": older}))


def _with_fact(game: Game, id: str, text: str) -> Game:
    memory = game.memory_of(id)
    if isinstance(memory, CellsMemory):
        raise UsageError(
            "This story remembers in diary entries; give a piece of a turn or a lore entry instead."
        )
    facts = (*memory.key_facts, Fact(text=text, turn=game.state.turn, pinned=True))
    return game.with_memory(id, memory.model_copy(update={"key_facts": facts}))


def _with_piece(
    game: Game, number: int, label: str, people: Sequence[str], *, give: bool
) -> tuple[Game, str]:
    turn = game.turns.get(number)
    if turn is None:
        raise UsageError(
            f"No prompt holds turn {number} word for word at turn {game.state.turn}; name a remembered line."
        )
    pieces = {name: text for name, _, text in pieces_of(turn, game.pack.names)}
    if label not in pieces:
        raise UsageError(f"Turn {number} has no piece {label}. The inspector names the pieces (F2, d).")
    heard, views = dict(turn.heard), dict(game.state.views)
    for id in people:
        if id in turn.witnesses:
            before = heard.get(id, FULLY_HEARD)
            missed = [name for name in before.missed if name != label]
            deeds = tuple(name for name in before.deeds if name != label)
            heard[id] = Heard(missed=tuple(missed if give else [*missed, label]), deeds=deeds)
        elif give:  # who was away is given this piece alone
            heard[id] = Heard(missed=tuple(name for name in pieces if name != label))
        if give:
            views[id] = tuple(sorted({*views.get(id, ()), number}))
    witnesses = tuple(dict.fromkeys((*turn.witnesses, *(people if give else ()))))
    changed = turn.model_copy(update={"heard": heard, "witnesses": witnesses})
    return game.with_turn(changed).with_state(views=views), pieces[label]


def places_of(game: Game, character: str, text: str) -> Iterator[str]:
    """Yield the parts of a character's prompt that tell `text`."""
    memory = game.memory_of(character)
    line = Fact(text=text, turn=0)
    seen = memory.reflection
    views = (game.turns[number] for number in game.state.views.get(character, ()) if number in game.turns)
    places = [
        ("its lines", "\n".join(it.text for it in lines_of(memory))),
        ("the archive", "\n".join(it.text for it in archived_lines(memory.older))),
        ("the summary", memory.summary),
        ("its conclusions", " ".join((seen.want, seen.hide, *seen.beliefs.values())) if seen else ""),
        *(
            (f"turn {turn.number}", "\n".join(e.text for e in witnessed(turn, character).entries))
            for turn in views
        ),
    ]
    yield from (
        place
        for place, prompt_text in places
        if prompt_text and not unmentioned([line], prompt_text.splitlines())
    )
