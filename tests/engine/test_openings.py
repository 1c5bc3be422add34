"""A written first page is told as it is, without a call; an open chapter has no progress to check."""

import asyncio
from pathlib import Path

from tests.engine.conftest import reopened
from tests.support.fake_model import Scripted, narration, small_pack, stage
from tests.support.packs import shipped_pack, with_chapter
from tests.support.seats import Friend
from theact_tui.story.edits import add_lore, set_chapter
from theact_tui.story.pack import Chapter, Pack
from theact_tui.story.script import ChapterScript, Script

PAGES = ("Rain falls on {player}.", "It is noon.")


def open_pack() -> Pack:
    pack = small_pack()
    chapter = Chapter(id="one", title="One", summary="", beats=(), characters=("ann", "bob"), openings=PAGES)
    game = pack.game.model_copy(update={"chapters": ("one",)})
    return pack.model_copy(update={"game": game, "chapters": {"one": chapter}})


async def test_the_first_page_and_its_takes_are_those_that_were_written(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), open_pack())
    session = made.session
    told = []
    for tell in (session.open_story, session.retry, session.retry):
        turn = await tell()
        await session.settle()
        told.append(turn.narration if turn else "")
    assert told[:2] == ["Rain falls on Alex.", "It is noon."] and "lamp gutters" in told[2]
    assert made.model.called().count("narrator") == 1, "only the take that nobody had written"
    assert session.takes == (3, 3) and session.game.turns[1].witnesses == ("ann", "bob")


async def test_an_open_chapter_asks_for_no_beats_and_never_ends_and_lore_added_in_it_stays(
    tmp_path: Path,
) -> None:
    made = await stage(tmp_path, Scripted(), open_pack())
    await made.session.edit(add_lore, ["moon", "tide"], "The moon is a lantern.")
    await made.turn("I look at the moon.")
    again = await reopened(made)
    await again.turn("The moon again.")
    assert all("The moon is a lantern." in prompt for prompt in made.model.prompts("narrator"))
    assert all("\n1. " not in prompt for prompt in made.model.prompts("progress"))
    assert not again.game.state.game_complete
    assert "Next: " not in made.prompt("narrator")


async def test_a_shipped_pack_opens_as_its_author_wrote_it_with_a_model_too(tmp_path: Path) -> None:
    pack = shipped_pack("lost-island")
    made = await stage(tmp_path, Scripted(), pack)
    turn = await made.session.open_story()
    await made.session.settle()
    script = pack.script.chapters[pack.first_chapter.id]
    assert turn and turn.narration.split() == script.opening.replace("{player}", "Alex").split()
    said = {entry.character: entry.text for entry in turn.entries if entry.role == "character"}
    assert said == script.opening_lines
    assert not [name for name in made.model.called() if name == "narrator" or "character" in name]
    another = await made.session.retry()
    assert another and another.narration.split() == script.opened.others[0].split()
    assert [name for name in made.model.called() if "character" in name] == [
        f"character:{id}" for id in script.opening_lines
    ], "what the author lets them say is said once"


async def test_lore_stands_behind_the_reusable_beginning_of_a_prompt(tmp_path: Path) -> None:
    prompts = []
    for name, lore in (
        ("without", {}),
        ("with", {"book": ({"id": "m", "text": "Moonlore.", "keys": ["moon"]},)}),
    ):
        pack = Pack.model_validate({**open_pack().model_dump(), "lore": lore})
        made = await stage(tmp_path / name, Scripted(), pack)
        await made.turn("I look at the moon.", "I call the moon.")
        prompts.append(made.prompt("narrator"))
        await made.session.close()
    plain, told = prompts
    until = told.index("TRUE IN THIS WORLD")
    assert told[:until] == plain[:until] and "I look at the moon." in told[:until] and "Moonlore." in told


async def test_a_written_page_leaves_the_place_of_the_chapter_before(tmp_path: Path) -> None:
    made = await stage(tmp_path, Scripted(), with_chapter(small_pack(), "two", openings=PAGES))
    made.model.answers["narrator"] = narration("Wind.").replace("mood:", "setting: the QUAY\nmood:")
    await made.session.edit(set_chapter, "end")
    await made.turn("I wait.")
    await made.session.go_on()
    await made.turn("I look round.")
    assert made.game.turns[2].narration == "Rain falls on Alex."
    assert "QUAY" not in made.prompt("narrator")


async def test_a_person_at_a_seat_answers_the_first_page_in_words_of_their_own(tmp_path: Path) -> None:
    pack = small_pack()
    script = ChapterScript(
        opening="Rain.", opening_lines={"ann": "“Ay,” I say.", "bob": "“{player}!” I say."}
    )
    pack = pack.model_copy(update={"script": Script(chapters={pack.first_chapter.id: script})})
    made = await stage(tmp_path, Scripted(), pack)
    await made.said("/seat ann")
    friend = Friend(tmp_path, "ann")
    telling = asyncio.create_task(made.session.open_story())
    await friend.answer("“Who is there?” I say.")
    turn = await telling
    assert turn and {reply.character: (reply.text, reply.by) for reply in turn.replies} == {
        "ann": ("“Who is there?” I say.", "Anna"), "bob": ("“Alex!” I say.", ""),
    }  # fmt: skip
    friend.leave()
    await made.turn("Bob?", narrator=narration("Rain.", "bob"), character="“Gone,” I say.")
    later = made.game.turns[2].replies
    assert [reply.text for reply in later] == ["“Gone,” I say."], "the other was for the first page"
    await made.session.close()
