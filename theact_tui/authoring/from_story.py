"""A draft of a pack made of the story that is being played."""

from __future__ import annotations

from theact_tui.authoring.draft import Draft, free_id
from theact_tui.packs.files import GAME, WORLD, chapter_file, character_file
from theact_tui.paths import Home
from theact_tui.story.game import Game
from theact_tui.text import clip, one_line, slug

TOLD = 500
"""Characters of what was told that the first chapter's summary begins with."""


def draft_of_story(home: Home, game: Game, id: str = "") -> Draft:
    """A new draft that begins where `game` is now. The beats of its chapter that were not reached are the new first
    chapter's; after the end of a story that chapter is still to be written. UsageError if `id` is taken."""
    pack, state = game.pack, game.state
    told = " ".join(" ".join((*(recap.text for recap in game.recaps), state.rolling_summary)).split())
    title = one_line(f"After {game.info.title}", 80)
    premise = f"{title}. {clip(told, 2 * TOLD)}".strip()
    people = list(pack.characters)
    draft = Draft.begin(home, premise, id or free_id(home, title), characters=len(people), chapters=1)
    draft.write(WORLD, pack.world.model_dump(mode="json", exclude_defaults=True))
    for name, card in pack.characters.items():
        fields = card.model_dump(mode="json", exclude_defaults=True, exclude={"reveal"})
        draft.write(character_file(name), fields)
    left = () if state.game_complete else game.unmet_beats
    chapter = f"01-{slug(game.chapter.title if left else 'afterwards', 'chapter', 30)}"
    owners, last = game.chapter.by, game.last_turn
    draft.write(
        chapter_file(chapter),
        {
            "id": chapter,
            "next": None,
            "title": game.chapter.title if left else "Afterwards",
            "summary": " ".join(filter(None, (clip(told, TOLD), game.chapter.summary if left else ""))),
            "beats": [{"text": beat, "by": owners[beat]} if beat in owners else beat for beat in left],
            "completion": game.chapter.completion if left else "",
            "characters": list(game.chapter.characters) if left else people,
            "openings": [last.narration] if last and last.narration else None,
            "present": [name for name in state.present if name in game.chapter.characters] or None,
        },
    )
    info = pack.game.model_dump(mode="json", exclude_defaults=True)
    info |= {"id": draft.id, "title": title, "characters": people, "chapters": [chapter]}
    if player := game.info.player.model_dump(exclude_defaults=True):
        info["player"] = player
    draft.write(GAME, info)
    return draft
