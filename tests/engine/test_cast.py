"""Somebody joins a story that is under way, or leaves it for good."""

import json
from pathlib import Path

import pytest

from tests.engine.conftest import reopened
from tests.importing.cards import png, text_chunk, v2
from tests.support.fake_model import Stage, narration, small_pack
from theact_tui.engine.bus import Bus
from theact_tui.engine.commands import run_command
from theact_tui.engine.open_sessions import create_session
from theact_tui.errors import CallError, UsageError
from theact_tui.models.model_for_agent import Offline
from theact_tui.saves.library import Library
from theact_tui.story.pack import Pack
from theact_tui.storyteller import Storyteller


async def test_who_joins_is_there_answers_and_remembers_only_from_then_on(play: Stage) -> None:
    await play.turn("I hide the SAPPHIRE.")
    assert (
        await play.said("/cast add Mara Quist: a smuggler. Dry, quick.") == "Here: Ann Lee, Bob, Mara Quist."
    )
    await play.turn(
        "I open the door.", narrator=narration("A knock.", "mara-quist", present="ann, mara-quist")
    )
    prompt = play.model.prompts("character:mara-quist")[0]
    assert "Mara Quist, a smuggler. Dry, quick." in prompt and "SAPPHIRE" not in prompt
    assert "mara-quist (Mara Quist)" in play.prompt("stage")
    assert len(play.model.prompts("memory:mara-quist")) == 1
    assert "SAPPHIRE" not in play.model.prompts("memory:mara-quist")[0]
    again = await reopened(play)
    assert again.game.pack.name_of("mara-quist") == "Mara Quist"
    assert (await again.session.story_at(0)).pack.characters.keys() == {"ann", "bob"}


async def test_a_retry_keeps_who_joined_after_the_turn(play: Stage) -> None:
    await play.turn("I wait.")
    await play.said("/cast add Mara: a diver")
    await play.said("/retry")
    assert play.game.state.present == ("ann", "bob", "mara")
    await play.turn(
        "I walk on without Mara.", narrator=narration("You leave Mara behind.", "", present="ann, bob")
    )
    assert "mara" not in play.game.state.present
    await play.said("/retry")
    assert list(play.game.state.present) == ["ann", "bob"], "who joined is held by nobody"


async def test_who_was_asked_and_left_for_good_does_not_answer_a_retry(play: Stage) -> None:
    await play.turn("I wait.")
    await play.said("/ask bob ann")
    await play.said("/cast remove bob")
    before = len(play.model.prompts("character:bob"))
    await play.said("/retry")
    assert len(play.model.prompts("character:bob")) == before
    entries = play.game.turns[2].entries
    assert [entry.character for entry in entries if entry.character] == ["ann"]


async def test_who_leaves_for_good_is_in_no_later_chapter_and_stays_in_history(play: Stage) -> None:
    await play.turn("I wait.")
    await play.said("/hush bob")
    assert await play.said("/cast remove bob") == "Here: Ann Lee."
    game = play.game
    assert all("bob" not in chapter.characters for chapter in game.pack.chapters.values())
    assert "bob" in game.memories and game.pack.name_of("bob") == "Bob" and game.state.steering.hushed == ()
    asked = len(play.model.prompts("memory:bob"))
    await play.turn("I wait again.", narrator=narration("The rain goes on.", "bob", present="ann, bob"))
    assert "Bob" not in play.prompt("narrator").split("Here:")[1]
    assert len(play.model.prompts("memory:bob")) == asked
    await play.session.undo(2)
    assert "bob" in play.game.chapter.characters
    await play.said("/redo 2")
    await play.said("/cast add Bob")
    assert "bob" in play.game.state.present


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("/cast add Ann Lee", "already in the story"), ("/cast add /ask Ann: a slip", "cannot begin with a slash"),
        ("/cast what", "Usage"), ("/cast remove zoe", "no “zoe”"),
    ],
)  # fmt: skip
async def test_what_cannot_be_cast_is_said(play: Stage, line: str, reason: str) -> None:
    before = play.game
    with pytest.raises(UsageError, match=reason):
        await play.said(line)
    await play.said("/cast remove bob")
    with pytest.raises(UsageError, match="last character"):
        await play.said("/cast remove ann")
    assert before.pack.characters.keys() == play.game.pack.characters.keys()


SERA = v2(
    description="{{char}} guards the glade for {{user}}. Tall.",
    mes_example="<START>\n{{char}}: Nobody passes.",
    character_book={"entries": [{"keys": ["glade"], "content": "The GLADELORE is old.", "enabled": True}]},
)


@pytest.mark.parametrize("name", ["sera.png", "A card of hers.json"])
async def test_a_card_joins_as_it_is_with_its_lore_for_its_own_prompts(
    play: Stage, tmp_path: Path, name: str
) -> None:
    file = tmp_path / name
    file.write_bytes(png(text_chunk(SERA)) if name.endswith("png") else json.dumps(SERA).encode())
    await play.turn("I hide the SAPPHIRE.")
    here, *left = (await play.said(f"/cast add '{file}'")).splitlines()
    assert here == "Here: Ann Lee, Bob, Sera."
    assert left == ["Left out: 1 greeting of Sera, for there is a first page already (2 words)."]
    card = play.game.pack.characters["sera"]
    assert (card.role, card.personality) == ("", "Sera guards the glade for Alex. Tall.")
    assert card.examples == ("Nobody passes.",)
    await play.turn(
        "I ask about the glade.", narrator=narration("A knock.", "sera, ann", present="ann, bob, sera")
    )
    mine, anns = play.model.prompts("character:sera")[0], play.prompt("character:ann")
    assert "GLADELORE" in mine and "SAPPHIRE" not in mine and "GLADELORE" not in anns
    again = await reopened(play)
    assert again.game.pack.lore == play.game.pack.lore


async def test_a_model_proposes_who_somebody_is_from_what_was_told_and_nobody_joins_yet(play: Stage) -> None:
    await play.turn(
        "I wave back.", narrator=narration("MARAPAGE: the smuggler Mara waves from her boat.", "")
    )
    before = (play.game, play.session.save.head)
    play.model.answers["casting"] = CallError("refused", "Nobody answers.")
    with pytest.raises(CallError, match="Nobody answers"):
        await play.said("/cast add Mara")
    play.model.asked.clear()
    play.model.answers["casting"] = "Mara: The smuggler.\nDry and quick. Pays every debt."
    line = (await play.said("/cast add mara")).splitlines()[1]
    assert line == "/cast add mara: The smuggler. Dry and quick. Pays every debt."
    assert (play.game, play.session.save.head) == before
    prompt = play.model.prompts("casting")[0]
    assert "MARAPAGE" in prompt and "mara joins the story" in prompt
    assert "SECRET" not in prompt and "one finds the stair" not in prompt
    await play.said(line)
    card = play.game.pack.characters["mara"]
    assert (card.role, card.personality) == ("The smuggler", "Dry and quick. Pays every debt.")
    await play.turn("I greet her.", narrator=narration("She lands.", "mara", present="ann, bob, mara"))
    for key in ("character:mara", "memory:mara"):
        assert all("MARAPAGE" not in prompt for prompt in play.model.prompts(key))


async def test_without_a_model_it_is_said_what_to_type(tmp_path: Path) -> None:
    def offline(pack: Pack, seed: int) -> Offline:
        return Offline(Storyteller(pack, seed))

    session = await create_session(Library(tmp_path), small_pack(), "T", "Alex", 1, offline, Bus())
    with pytest.raises(
        UsageError, match=r"cannot describe anyone\. Say who it is, as in “Mara: a tired diver”\."
    ):
        await run_command(session, "/cast add Mara")
    await session.close()


async def test_a_name_in_another_script_is_described_and_resolves(play: Stage) -> None:
    assert await play.said("/cast add はるか：密輸業者。すばやい。") == "Here: Ann Lee, Bob, はるか."
    await play.said("/cast add Jörg Müßig: der Wirt. Brummig.")
    people = play.game.pack.characters
    assert (people["haruka"].role, people["haruka"].personality) == ("密輸業者", "すばやい。")
    assert people["jorg-muig"].role == "der Wirt"
    await play.turn(
        "I open the door.", narrator=narration("A knock.", "はるか, JÖRG MÜSSIG", present="ann, はるか, jörg")
    )
    turn = play.game.turns[1]
    assert [e.character for e in turn.entries if e.character] == ["haruka", "jorg-muig"] and not turn.notices
    await play.said("/hush はるか")
    assert play.session.steering.hushed == ("haruka",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"), ("no card", "cannot be imported"), (json.dumps(SERA | {"spec": 3}) + "]", "not valid JSON"),
    ],
)  # fmt: skip
async def test_a_file_that_is_no_card_is_refused(play: Stage, tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(UsageError, match=reason):
        await play.said(f"/cast add {tmp_path}/x.json")
    with pytest.raises(UsageError, match="There is no file"):
        await play.said("/cast add ~/none of these/at all.png")


async def test_who_joined_is_there_after_a_kill_and_gone_after_an_undo(play: Stage) -> None:
    await play.turn("I wait.")
    await play.said("/cast add Mara: a diver")
    await play.said("/cast remove bob")
    again = await play.killed()
    chapter = again.game.chapter
    assert chapter.characters == ("ann", "mara") and again.game.state.present == ("ann", "mara")
    await again.said("/undo")
    assert again.game.chapter.characters == ("ann", "bob")
    assert again.game.state.present == ("ann", "bob") and "mara" not in again.game.memories
    await again.said("/redo")
    assert again.game.chapter.characters == ("ann", "mara")
    await again.turn("I go on.")
    assert set(again.game.turns[2].witnesses) == {"ann", "mara"}


async def test_a_name_inside_another_name_stays_within_reach(play: Stage) -> None:
    await play.said("/cast add Bob Bobson: a son")
    await play.said("/cast add Old Bobson: his father")
    assert await play.said("/hush bob") == "Bob stays silent until you use /hush again."
    with pytest.raises(UsageError, match=r"'bobson' can be several characters\. .* bob-bobson, old-bobson\."):
        await play.said("/hush bobson")
    with pytest.raises(UsageError, match=r"no “what”.* /ask takes only names; write a question"):
        await play.said("/ask bob what do you see?")
