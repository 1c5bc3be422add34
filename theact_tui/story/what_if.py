"""Take an item of knowledge away from a person, or give it."""

import re
from collections.abc import Iterator, Sequence

from theact_tui.errors import UsageError
from theact_tui.sentences import sentence_spans, sentences
from theact_tui.story.character_view import witnessed
from theact_tui.story.edits import Edit, memory_of, set_lore
from theact_tui.story.forgetting_and_recall import archive, archived_lines, unmentioned
from theact_tui.story.game import Game
from theact_tui.story.item import Item, find_item, pieces_of
from theact_tui.story.lore import EVERYONE, NARRATOR
from theact_tui.story.matching import says_the_same
from theact_tui.story.memory import CellsMemory, Fact, lines_of, with_lines
from theact_tui.story.turn import Heard

PIECE = re.compile(r"(\d+):([A-Z]+|[a-z]+|\d+)")


def change_knowledge(game: Game, words: str, character: str, *, give: bool) -> tuple[Edit, str]:
    """Return the edit and the item's text. Raises UsageError. Without `character` it concerns all."""
    if give and not character:
        raise UsageError("Name the character that is given it: --character ID.")
    if not re.search(r"\w", words):
        raise UsageError("The fact is empty. Write what changes.")
    people = [character] if character else list(game.pack.characters)
    for id in people:
        memory_of(game, id)
    if piece := PIECE.fullmatch(words.strip()):
        kind = f"a piece of turn {piece[1]}"
        changed, text = _with_piece(game, int(piece[1]), piece[2], people, give=give)
    else:
        item = _item(game, words.strip(), character, give=give)
        kind, text, changed = "lore" if item.kind == "lore" else "a fact", item.text, game
        if item.kind == "lore":
            changed = _with_lore(game, item.id, people, give=give)
        elif give:
            changed = _with_fact(game, character, text)
        else:
            for id in people:
                changed = _without_line(changed, id, text)
    owner = game.pack.name_of(character) if character else "everybody"
    return Edit(changed, f"what if: {kind} {'given to' if give else 'taken away from'} {owner}"), text


def _item(game: Game, words: str, character: str, *, give: bool) -> Item:
    for entry in game.pack.lore_entries:
        if words.casefold() in (entry.id, entry.name.casefold()):
            return Item("lore", entry.text, entry.id)
    return Item("line", words) if give else find_item(game, words, character)


def _with_lore(game: Game, id: str, people: Sequence[str], *, give: bool) -> Game:
    entry = next(entry for entry in game.pack.lore_entries if entry.id == id)
    since = {one: turn for one, turn in game.state.lore_known.get(id, {}).items() if one not in people}
    if give:
        since |= dict.fromkeys(people, game.state.turn)
    changed = game.with_state(lore_known={**game.state.lore_known, id: since})
    if give:
        return changed
    knowers = [one for one in game.pack.characters if {EVERYONE, one} & {*entry.known_by}]
    others = tuple(one for one in knowers if one not in people) or (NARRATOR,)
    return set_lore(changed, entry.model_copy(update={"known_by": others})).game


def _without_line(game: Game, id: str, text: str) -> Game:
    """Take away every line and sentence that says `text`, also of archive, summary and conclusions."""
    memory = game.memory_of(id)

    def tells(other: str) -> bool:
        return text == other or says_the_same(text, [other])

    archived = archived_lines(memory.older)
    older = [line for line in archived if not tells(line.text)]
    changes: dict[str, object] = {"older": archive("", older)} if len(older) < len(archived) else {}
    if any(map(tells, sentences(memory.summary))):
        told, spans = memory.summary, sentence_spans(memory.summary)
        starts = [0, *(end for _, end in spans)]
        left = (
            told[at:end]
            for at, (start, end) in zip(starts, spans, strict=False)
            if not tells(told[start:end])
        )
        changes["summary"] = "".join(left).strip()
    if seen := memory.reflection:
        beliefs = {name: belief for name, belief in seen.beliefs.items() if not tells(belief)}
        kept = {name: "" if tells(getattr(seen, name)) else getattr(seen, name) for name in ("want", "hide")}
        changes["reflection"] = seen.model_copy(update={**kept, "beliefs": beliefs})
    return game.with_memory(
        id, with_lines(memory, (line for line in lines_of(memory) if not tells(line.text)), **changes)
    )


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
    for id in (id for id in people if give or id in turn.witnesses):
        # who was away missed every piece, and is given this one alone
        missed = tuple(it for it in turn.missed_by(id) if it != label)
        heard[id] = Heard(missed=missed if give else (*missed, label))
        if give:
            views[id] = tuple(sorted({*views.get(id, ()), number}))
    witnesses = tuple(dict.fromkeys((*turn.witnesses, *(people if give else ()))))
    changed = turn.model_copy(update={"heard": heard, "witnesses": witnesses})
    return game.with_turn(changed).with_state(views=views), pieces[label]


def telling_parts(game: Game, character: str, text: str) -> Iterator[str]:
    """Yield the parts of a character's prompt that tell `text`."""
    memory, line = game.memory_of(character), Fact(text=text, turn=0)
    seen = memory.reflection
    places = {
        "its lines": [it.text for it in lines_of(memory)],
        "the archive": [it.text for it in archived_lines(memory.older)],
        "the summary": [memory.summary],
        "its conclusions": [" ".join((seen.want, seen.hide, *seen.beliefs.values()))] if seen else [],
    }
    for number in game.state.views.get(character, ()):
        if turn := game.turns.get(number):
            places[f"turn {number}"] = [entry.text for entry in witnessed(turn, character).entries]
    for place, texts in places.items():
        rows = "\n".join(texts).splitlines()
        if rows and not unmentioned([line], rows):
            yield place
