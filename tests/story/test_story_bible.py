"""What a narrator reads who may know how the story ends."""

from dataclasses import replace

from tests.support.packs import shipped_pack, with_card
from theact_tui.agents.character import CHARACTER
from theact_tui.agents.narrator import NARRATOR
from theact_tui.prompting.sections import Section
from theact_tui.story.agent_views import narrator_view
from theact_tui.story.character_view import viewpoint_of
from theact_tui.story.game import Game, new_game
from theact_tui.story.memory import FactsMemory, Reflection
from theact_tui.story.story_bible import story_bible

PACK = shipped_pack("guest-in-nine")
DOROTHY = PACK.characters["dorothy"]


def begun() -> Game:
    return new_game(PACK, title="T", player="Jo", seed=1, created="").with_state(turn=1)


def sections(game: Game, bible: str) -> list[Section]:
    view = narrator_view(game, "play", "I nod.", None, 1)
    return [one for one in NARRATOR.sections(replace(view, bible=bible), {}) if one.text]


def test_it_holds_all_that_a_pack_tells_of_people_and_chapters() -> None:
    told = " ".join(story_bible(PACK).split())
    for card in PACK.characters.values():
        for text in (card.name, card.want, card.secret, *card.examples, *card.relationships.values()):
            assert " ".join(text.split()).rstrip(".") in told
    for chapter in PACK.chapters.values():
        assert all(beat in told for beat in chapter.beats) and chapter.title in told
        assert chapter.clues and all(clue in told for clue in chapter.clues)
    assert " ".join(PACK.world.truth.split()) in told


def test_it_stands_in_the_system_message_and_what_it_says_nowhere_else() -> None:
    world, bible, *rest = sections(begun(), story_bible(PACK))
    assert (world.part, bible.part) == ("system", "system")
    after = "\n".join(one.text for one in rest)
    for once in (DOROTHY.secret, DOROTHY.personality, PACK.world.truth):
        assert " ".join(once.split()) in " ".join(bible.text.split())
        assert " ".join(once.split())[:40] not in " ".join(after.split())
    assert "Here: Dorothy Vane" in after, "who is there changes from page to page"


def test_strangers_know_of_the_hero_what_can_be_seen() -> None:
    seen = f"people see in Jo {PACK.game.player.known_as.strip()}."
    assert any(seen in one.text for one in sections(begun(), story_bible(PACK)))
    assert not any(seen in one.text for one in sections(begun(), "")), (
        "a small model tells it instead of the page"
    )


def test_what_has_changed_since_is_told_beside_it() -> None:
    pack = with_card(PACK, "dorothy", want="To get one more\nnight.")
    as_written = sections(replace(begun(), pack=pack), story_bible(pack))[2:]
    assert not any("wants by now" in one.text for one in as_written)
    wants = FactsMemory(reflection=Reflection(turn=1, want="To see the sea once."))
    game = begun().with_memory("dorothy", wants).with_state(told_secrets=("dorothy",))
    after = "\n".join(one.text for one in sections(game, story_bible(PACK))[2:])
    assert "Dorothy Vane wants by now: To see the sea once." in after
    assert (
        f"Dorothy Vane. Has told, to those who heard it, what was hidden: {DOROTHY.secret.strip()}" in after
    )


def test_no_character_reads_it() -> None:
    game = begun()
    prompt = "\n".join(
        one.text for one in CHARACTER.sections(viewpoint_of(game, "ines", (), ("dorothy", "ines")), {})
    )
    assert DOROTHY.secret[:40] not in prompt and PACK.world.truth[:40] not in prompt
