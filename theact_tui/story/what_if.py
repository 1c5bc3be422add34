"""Take an item away from a person, or give it. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from theact_tui.errors import UsageError
from theact_tui.story.edits import Edit, memory_of
from theact_tui.story.forgetting_and_recall import archived_lines, unmentioned
from theact_tui.story.game import Game
from theact_tui.story.item import find_item, pieces_of
from theact_tui.story.lore import EVERYONE
from theact_tui.story.matching import says_the_same
from theact_tui.story.memory import CellsMemory, Fact, lines_of
from theact_tui.story.turn import FULLY_HEARD, Heard, Turn
from theact_tui.story.viewpoints import witnessed

PIECE = re.compile(r"(\d+):([A-Z]+|[a-z]+|\d+)")
"""Such as `12:B`."""


def change_knowledge(game: Game, words: str, character: str, *, give: bool) -> tuple[Edit, str]:
    """Return the edit and the item's text. Raises `UsageError`. Without `character` it concerns all."""
    people = [character] if character else list(game.pack.characters)
    for id in people:
        memory_of(game, id)
    verb = "given to" if give else "taken away from"
    subject = game.pack.name_of(character) if character else "everybody"
    if give and not character:
        raise UsageError("Name the character that is given it: --character ID.")
    if piece := PIECE.fullmatch(words.strip()):
        turn = game.turns.get(int(piece[1]))
        if turn is None:
            raise UsageError(
                f"No prompt holds turn {piece[1]} word for word at turn {game.state.turn}; name a remembered line."
            )
        game, text = _with_piece(game, turn, piece[2], people, give=give)
        return Edit(game, f"what if: a piece of turn {turn.number} {verb} {subject}"), text
    entry = next(
        (entry for entry in game.pack.lore_entries if words.casefold() in (entry.id, entry.name.casefold())),
        None,
    )
    if entry is None and not give:
        item = find_item(game, words, character)
        entry = next((it for it in game.pack.lore_entries if item.kind == "lore" and it.id == item.id), None)
        if entry is None:
            for id in people:
                game = _without_line(game, id, item.text)
            return Edit(game, f"what if: a fact {verb} {subject}"), item.text
    if entry is None:
        return Edit(
            _with_line(game, character, words.strip()), f"what if: a fact {verb} {subject}"
        ), words.strip()
    since = {id: turn for id, turn in game.state.lore_known.get(entry.id, {}).items() if id not in people}
    others = [id for id in game.pack.characters if EVERYONE in entry.known_by or id in entry.known_by]
    if give:
        since[character] = game.state.turn
    hidden = entry.model_copy(
        update={"known_by": tuple(id for id in others if id not in people) or ("narrator",)}
    )
    lore = {
        book: tuple(hidden if it.id == entry.id and not give else it for it in entries)
        for book, entries in game.pack.lore.items()
    }
    game = replace(game, pack=game.pack.model_copy(update={"lore": lore}))
    return Edit(
        game.with_state(lore_known={**game.state.lore_known, entry.id: since}),
        f"what if: lore {verb} {subject}",
    ), entry.text


def _without_line(game: Game, id: str, text: str) -> Game:
    memory = game.memory_of(id)
    field = "cells" if isinstance(memory, CellsMemory) else "key_facts"
    stay = tuple(
        line for line in lines_of(memory) if line.text != text and not says_the_same(text, [line.text])
    )
    if stay == lines_of(memory):
        older = "\n".join(row for row in memory.older.splitlines() if not row.endswith(f" {text}"))
        return game.with_memory(id, memory.model_copy(update={"older": older}))
    return game.with_memory(id, memory.model_copy(update={field: stay}))


def _with_line(game: Game, id: str, text: str) -> Game:
    memory = game.memory_of(id)
    if isinstance(memory, CellsMemory):
        raise UsageError(
            "This story remembers in diary entries; give a piece of a turn or a lore entry instead."
        )
    facts = (*memory.key_facts, Fact(text=text, turn=game.state.turn, pinned=True))
    return game.with_memory(id, memory.model_copy(update={"key_facts": facts}))


def _with_piece(game: Game, turn: Turn, label: str, people: Sequence[str], *, give: bool) -> tuple[Game, str]:
    text = next((text for name, _, text in pieces_of(turn, game.pack.names) if name == label), None)
    if text is None:
        raise UsageError(f"Turn {turn.number} has no piece {label}. The inspector names the pieces (F2, d).")
    heard = dict(turn.heard)
    for id in people:
        missed = tuple(name for name in heard.get(id, FULLY_HEARD).missed if name != label)
        heard[id] = Heard(missed=missed if give else (*missed, label))
    witnesses = (*turn.witnesses, *(id for id in people if give and id not in turn.witnesses))
    changed = turn.model_copy(update={"heard": heard, "witnesses": witnesses})
    views = game.state.views
    if give:
        views = {**views, **{id: tuple(sorted({*views.get(id, ()), turn.number})) for id in people}}
    return game.with_turn(changed).with_state(views=views), text


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
