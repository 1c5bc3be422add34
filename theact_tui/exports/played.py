"""A story that was played as a book."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from theact_tui.exports.book import Book, Leaf

if TYPE_CHECKING:
    from theact_tui.saves.store import Save


def read_played(save: Save, branch: str | None = None) -> Book:
    """The book of a branch of a story, by default the current one."""
    on = branch or save.branch
    newest = save.log(1, on)
    last = newest[0].turn if newest else 0
    game = save.game_at(last, on)
    turns = save.turns(1, last, on) if last else ()
    recaps = {recap.chapter: recap.text for recap in game.recaps}
    chapters = tuple(
        Leaf(
            game.pack.chapters[key].title if key in game.pack.chapters else key,
            tuple(group),
            recaps.get(key, ""),
        )
        for key, group in groupby(turns, key=lambda turn: turn.chapter)
    )
    return Book(
        id=game.info.id,
        title=game.info.title,
        pack=game.pack.game.title,
        description=game.pack.game.description,
        player=game.info.player.name,
        branch=on,
        branch_title=save.title_of(on),
        created=game.info.created,
        cast=tuple((card.name, card.role) for card in game.pack.characters.values()),
        names={name: card.name for name, card in game.pack.characters.items()},
        chapters=chapters,
        complete=game.state.game_complete,
    )
