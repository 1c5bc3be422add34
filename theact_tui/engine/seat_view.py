"""What a person at a seat is shown, made from a game: no more than their character perceived."""

from collections.abc import Mapping
from dataclasses import replace

from theact_tui.agents.character import attitude
from theact_tui.story.character_view import all_witnessed, viewpoint_of
from theact_tui.story.game import Game
from theact_tui.story.memory import lines_of
from theact_tui.story.seat import SeatTurn, SeatView
from theact_tui.story.turn import Turn
from theact_tui.story.views import Viewpoint


def seat_view(
    game: Game, character: str, turns: Mapping[int, Turn], point: Viewpoint | None = None
) -> SeatView:
    """Return the page of a character over all `turns`. `point`: its view of the running turn, of which it was asked."""
    before = point.now.number if point and point.now else game.state.turn + 1
    whole = replace(game, turns={number: turn for number, turn in turns.items() if number < before})
    witnessed_turns = all_witnessed(whole, character)
    point = point or viewpoint_of(whole, character, (), game.state.present)
    point = replace(point, turns=witnessed_turns)
    now = point.now if point.now and (point.now.entries or witnessed_turns) else None
    perceived = [*witnessed_turns, *([now] if now and now.entries else [])]
    is_there = character in point.present
    here = point.present if is_there else ()
    speakers = (entry.character for turn in perceived for entry in turn.entries if entry.character)
    known = dict.fromkeys((character, *here, *speakers))
    chapter = game.pack.chapters.get(perceived[-1].chapter) if perceived else None
    cast, card = list(game.pack.game.characters), point.card
    memory = point.memory
    return SeatView(
        story=game.info.title,
        chapter=chapter.title if chapter else "",
        character=character,
        names={id: game.pack.name_of(id) for id in known},
        places={id: cast.index(id) for id in known if id in cast},
        hero=point.story.hero,
        voice=point.story.voice,
        is_there=is_there,
        here=tuple(id for id in here if id != character),
        card=". ".join(filter(None, (card.role.strip(" ."), card.personality.strip()))),
        secret=card.secret.strip(),
        known=card.known.strip(),
        want=card.want.strip(),
        thinks=tuple(attitude(point)),
        remembers=(*filter(None, [memory.summary]), *(line.text for line in lines_of(memory))),
        turns=tuple(map(SeatTurn.of, witnessed_turns)),
        now=SeatTurn.of(now) if now else SeatTurn(),
        ended=game.state.game_complete,
    )
