"""A story takes its pack over that was changed after it began, and loses nothing of its own."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.cli import Run
from tests.support.games import new_game, pack, played
from theact_tui.authoring.draft import Draft
from theact_tui.errors import UsageError
from theact_tui.packs.listing import shipped_folder
from theact_tui.paths import Home
from theact_tui.story.cast import Newcomer, add_character, remove_character
from theact_tui.story.changed_pack import with_changed_pack
from theact_tui.story.edits import add_lore
from theact_tui.story.game import Game
from theact_tui.story.memory import FactsMemory
from theact_tui.story.pack import Character, Pack, World

CAST = {"setting": "A reef.\nNo chart shows it.", "tone": "dry", "rules": 'Nobody says "no".'}

ZOE = Newcomer(Character(name="Zoe", role="a cook", personality="She hums."))


def changed(**parts: object) -> Pack:
    return pack().model_copy(update=parts)


def chapter(**fields: object) -> Pack:
    first = pack().chapters["one"].model_copy(update=fields)
    return changed(chapters={**pack().chapters, "one": first})


def taken(game: Game, now: Pack) -> Game:
    return with_changed_pack(game, pack(), now)


def test_what_did_not_change_stays_as_the_story_has_it() -> None:
    game = add_lore(played(new_game()), ["anchor"], "It is gold.").game
    game = add_character(game, ZOE).game
    game = remove_character(game, "joaquin").game
    assert taken(game, pack()) == game
    after = taken(game, changed(world=World(**{**CAST, "tone": "wet"})))
    assert after.pack.world.tone == "wet"
    assert replace(after, pack=game.pack) == game
    assert after.pack.model_copy(update={"world": game.pack.world}) == game.pack


def test_who_joined_or_left_the_story_stays_so_when_the_cast_changes() -> None:
    game, zoe = add_character(new_game(), ZOE).game, "zoe"
    game = remove_character(game, "joaquin").game
    people = {**pack().characters, "finn": Character(name="Finn", role="boy", personality="Quick.")}
    info = pack().game.model_copy(update={"characters": ("maya", "joaquin", "finn")})
    now = chapter(characters=("maya", "joaquin", "finn"), present=("joaquin", "finn"), by={"land": "joaquin"})
    after = taken(game, now.model_copy(update={"characters": people, "game": info}))
    assert after.pack.game.characters == ("maya", "joaquin", "finn", zoe)
    assert (after.chapter.characters, after.chapter.present) == (("maya", "finn", zoe), ("finn",))
    assert after.chapter.by == {} and after.memories["finn"] == FactsMemory()
    assert after.memories["maya"] == game.memories["maya"]


def test_beats_that_were_reached_are_reached_in_other_words() -> None:
    game = new_game().with_state(beats_hit=("land", "lamp"))
    assert taken(game, chapter(beats=("they land", "spring", "lamp"))).state.beats_hit == (
        "they land",
        "lamp",
    )
    assert taken(game, chapter(beats=("lamp", "fire"))).state.beats_hit == ("lamp",)


def test_what_the_story_uses_cannot_go() -> None:
    without_maya = changed(characters={"joaquin": pack().characters["joaquin"]})
    with pytest.raises(UsageError, match="Maya Chen is in the scene, but not in the pack any more"):
        taken(new_game(), without_maya)
    with pytest.raises(UsageError, match="no chapter 'one' any more, but the story is in it"):
        taken(new_game(), changed(chapters={"two": pack().chapters["two"]}))


@pytest.fixture
def own(run: Run, home: Path) -> Path:
    """A home with a story of the user's own pack; the pack."""
    folder = home / "packs" / "lost-island"
    shutil.copytree(shipped_folder() / "lost-island", folder)
    lines = "I look.\nI wait.\n"
    assert run("play", "lost-island", "--offline", "--save", "one", "--player", "Alex", lines=lines).code == 0
    return folder


def edit(own: Path, file: str, old: str, new: str) -> None:
    text = (own / file).read_text()
    assert old in text
    (own / file).write_text(text.replace(old, new))


def test_the_changed_pack_becomes_an_edit_of_the_save(own: Path, run: Run) -> None:
    assert run("edits", "one", "--pack", "--json").json["files"] == []
    edit(own, "characters/maya.yaml", "Maya Chen", "Maya Blue")
    edit(own, "storyteller.yaml", "Maya", "Mara")
    again = run("play", "lost-island", "--offline", "--save", "one", lines="/edits pack\n")
    assert "The pack of this story was changed. See /edits pack" in again.err
    assert '+name: "Maya Blue"' in again.out and "/adopt pack" in again.out
    shown = run("edits", "one", "--pack", "--json").json
    assert shown["files"] == ["pack/characters/maya.yaml", "pack/storyteller.yaml"] and not shown["adopted"]
    before = run("log", "one", "--json").json
    assert run("edits", "one", "--pack", "--adopt").out.startswith("Applied: pack/characters/maya.yaml")
    newest, *rest = run("log", "one", "--json").json
    assert rest == before and newest["line"] == "changes of the pack applied"
    assert "Maya Blue" in (own.parents[1] / "saves/one/pack/characters/maya.yaml").read_text()
    silent = run("play", "lost-island", "--offline", "--save", "one", lines="I go on.\n")
    assert silent.code == 0 and "was changed" not in silent.err
    assert run("show", "one", "--json").json["turn"] == 3
    assert run("edits", "one", "--pack").out.startswith("The pack of this story was not changed.")


def test_a_changed_pack_that_does_not_fit_is_refused_in_a_sentence(own: Path, run: Run, home: Path) -> None:
    (own / "storyteller.yaml").unlink()
    draft = Draft.of_pack(Home.find(home), own, "lost-island")
    staying = [{"name": name, "text": ""} for id, name in draft.cast.items() if id != "maya"]
    draft.set_cast(staying)
    draft.finish(Home.find(home))
    head = run("log", "one", "--json").json
    refused = run("edits", "one", "--pack", "--adopt")
    assert refused.code == 2 and "Maya Chen is in the scene, but not in the pack any more" in refused.err
    assert run("log", "one", "--json").json == head
