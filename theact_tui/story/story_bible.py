"""Story bible: a whole pack in plain text, for a narrator who may know how it ends."""

from theact_tui.story.pack import Chapter, Character, Pack


def story_bible(pack: Pack) -> str:
    """Return what is behind the story, its people with what they hide, and its chapters with their beats."""
    truth = " ".join(pack.world.truth.split())
    people = (_person(pack, card) for card in pack.characters.values())
    chapters = (_chapter(pack.chapters[id]) for id in pack.game.chapters)
    return "\n\n".join((*([f"Behind it all: {truth}"] if truth else []), *people, *chapters))


def _person(pack: Pack, card: Character) -> str:
    parts = [
        f"{card.name}, {card.role}" if card.role else card.name,
        card.personality,
        f"Wants: {card.want}" if card.want else "",
        *(f"To {pack.name_of(id)}: {line}" for id, line in card.relationships.items()),
        f"Hides: {card.secret}" if card.secret else "",
        f"May be known of it: {card.known}" if card.known else "",
        f"Talks like this: {' '.join(card.examples)}" if card.examples else "",
    ]
    flat = (" ".join(part.split()).rstrip(" .") for part in parts)
    return ". ".join(part for part in flat if part) + "."


def _chapter(chapter: Chapter) -> str:
    found = (f"To be found: {'; '.join(chapter.clues)}.",) if chapter.clues else ()
    beats = (f"- {beat}" for beat in chapter.beats)
    return "\n".join((f"Chapter {chapter.title}: {' '.join(chapter.summary.split())}", *found, *beats))
