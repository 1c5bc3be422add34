"""Writing a pack from a sentence (S18): whatever a model answers, a pack comes of it, or a sentence and a draft."""

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from tests.authoring.telling import CARDS, CHAPTERS, CONCEPT, STYLES, told_for
from tests.support.cli import Ran, Run
from tests.support.fake_server import Request, ScriptedServer, say, status
from theact_tui.agents.author import AUTHORS, task_text
from theact_tui.agents.prompts import AUTHOR_TEMPLATES
from theact_tui.authoring.draft import Draft
from theact_tui.packs.listing import OUTLINE, shipped_folder
from theact_tui.packs.loader import load_pack
from theact_tui.paths import Home
from theact_tui.story.views import AuthorView
from theact_tui.text import estimate_tokens

PREMISE = "A lighthouse that has been dark for thirty years is lit."
NEW = ("create", PREMISE, "--out", "lamp", "--characters", "2", "--chapters", "2")


def create(run: Run, server: ScriptedServer, *more: str, lines: str = "") -> Ran:
    return run(*NEW, "--base-url", server.url, "--model", "m", *more, lines=lines)


def writes(server: ScriptedServer, style: str, **instead: str) -> None:
    """Let the server write the story in a style; `instead` of some parts it says something else."""

    def answer(request: Request) -> str:
        kind = request.agent.partition(":")[2]
        return instead[kind] if kind in instead else STYLES[style](told_for(request))

    server.script("author", say(answer))


@pytest.mark.parametrize("style", STYLES)
def test_a_pack_comes_of_replies_in_any_form(
    style: str, run: Run, server: ScriptedServer, packs: Path
) -> None:
    writes(server, style)
    ran = create(run, server, "--json")
    assert ran.code == 0, ran.err
    assert ran.json["ok"] and ran.json["findings"] == []
    pack = load_pack(packs / "lamp")
    assert pack.game.title == CONCEPT["title"] and pack.game.player.name == CONCEPT["player_name"]
    assert {card.name for card in pack.characters.values()} == set(CARDS)
    assert [chapter.title for chapter in pack.chapters.values()] == list(CHAPTERS)
    first, last = pack.chapters.values()
    assert first.next == last.id and last.next is None
    assert first.by == {"Ada refuses to row out": "brook" if "brook" in pack.characters else "ada",
                        "Quill shows the log": "quill"}  # fmt: skip
    assert len(first.beats) == len(last.beats) == 4 and last.characters == ("ada",)
    ada, quill = pack.characters["ada"], pack.characters["quill"]
    assert ada.reveal == f"{last.id}/4" and quill.reveal == f"{first.id}/3"
    assert ada.relationships == {"quill": "owes him a boat"} and len(ada.examples) == 2
    assert first.present == () and last.present is None
    assert pack.world.truth and first.openings == (CHAPTERS["The Light"]["opening"],)
    assert any("Old Tom" in note for note in ran.json["notes"]), "what was left out is said"


@pytest.mark.parametrize(
    ("step", "name", "reply"),
    [
        ("concept", "the story", "I'm sorry, but I can't help with that."),
        ("setting", "the world", "```yaml\n```"),
        ("character", "Ada Brook", "I'm sorry, but I can't help with that."),
        ("chapter", "The Light", "```yaml\n```"),
    ],
)
def test_a_step_that_cannot_be_done_is_named_and_the_draft_goes_on_later(
    step: str, name: str, reply: str, run: Run, server: ScriptedServer, packs: Path
) -> None:
    writes(server, "as asked", **{step: reply, "repair": reply})
    ran = create(run, server, "--yes")
    assert ran.code == 1 and name in ran.err and "create --out lamp" in ran.err
    assert not (packs / "lamp").exists()
    before = len(server.calls)
    writes(server, "as asked")
    assert run("create", "--out", "lamp", "--base-url", server.url, "--model", "m", "--yes").code == 0
    load_pack(packs / "lamp")
    asked = [call.agent for call in server.calls[before:]]
    assert "author:concept" not in asked or step == "concept", "what was done is not asked for again"


def test_what_did_not_come_is_asked_for_three_times_and_then_said(
    run: Run, server: ScriptedServer, packs: Path
) -> None:
    bare = json.dumps({"personality": "Says little."})
    writes(server, "as asked", character=bare, repair=bare)
    ran = create(run, server, "--json")
    assert ran.code == 0 and "characters/ada.yaml: secret is missing" in ran.json["notes"]
    assert load_pack(packs / "lamp").characters["ada"].secret == ""
    assert [call.agent for call in server.calls].count("author:repair") == 2 * 3


def test_what_the_checks_find_is_mended_by_the_model(run: Run, server: ScriptedServer, packs: Path) -> None:
    long = {**CHAPTERS["The Light"], "beats": ["They all " + "talk and " * 20 + "wait", "The tide turns"]}
    writes(server, "as asked", chapter=json.dumps(long))
    assert create(run, server, "--yes").code == 0
    assert len(load_pack(packs / "lamp").chapters["01-the-light"].beats) == 4
    mending = [call.prompt for call in server.calls if call.agent == "author:repair"]
    assert any("small models do best with at most 15" in prompt for prompt in mending)


def test_a_step_is_changed_by_a_sentence_and_accepted(run: Run, server: ScriptedServer, packs: Path) -> None:
    other = {**CONCEPT, "title": "The Late Lamp"}
    writes(server, "as asked")
    server.script("author:concept", say(json.dumps(CONCEPT)), say(json.dumps(other)))
    ran = create(run, server, lines="call it late\n" + "\n" * 8)
    assert ran.code == 0, ran.err
    changing = [call.prompt for call in server.calls if call.agent == "author:concept"][1]
    assert "call it late" in changing and "The Dark Lamp" in changing
    assert load_pack(packs / "lamp").game.title == "The Late Lamp"


def test_a_server_that_fails_keeps_what_was_done(
    run: Run, server: ScriptedServer, packs: Path, home: Path
) -> None:
    writes(server, "as asked")
    server.script("author:chapter", status(401, {"error": {"message": "no"}}))
    ran = create(run, server, "--yes")
    assert ran.code == 1 and "The Light" in ran.err and len(ran.err.strip().splitlines()[-1]) < 600
    assert (home / "drafts" / "lamp" / "characters" / "quill.yaml").exists()


def test_without_a_model_questions_make_a_pack_that_plays_to_its_end(run: Run, packs: Path) -> None:
    ran = run(*NEW, "--offline", lines=ANSWERS)
    assert ran.code == 0, ran.err
    pack = load_pack(packs / "lamp")
    assert pack.chapters["01-the-light"].by == {"Ada refuses to row": "ada"}
    assert run("check", "lamp").code == 0
    told = run(
        "play", "lamp", "--offline", "--save", "one", lines="I look.\nWho are you?\n" + "Go on.\n" * 14
    )
    assert told.code == 0 and run("show", "one", "--json").json["game_complete"]
    assert OUTLINE in " ".join(told.err.split()) and (packs / "lamp" / "storyteller.yaml").exists()
    assert "Wind's round" in told.out


def test_questions_go_on_where_they_ended(run: Run, packs: Path) -> None:
    lines = ANSWERS.splitlines(keepends=True)
    for cut in (1, 6, 12, 20):
        ran = run("create", PREMISE, "--out", f"lamp{cut}", "--offline", lines="".join(lines[:cut]))
        assert ran.code == 2 and f"create --out lamp{cut}" in ran.err
    assert run("create", "--out", "lamp20", "--offline", lines="".join(lines[20:])).code == 0
    load_pack(packs / "lamp20")


ANSWERS = """\
The Lamp
A dark lighthouse is lit. You have the key.
Wren Hallam
the keeper's grandchild
Ada Brook: ferrywoman

The Light: The lamp burns.
The Crossing: They row out.

Skerry Point in 1962. A village of nine houses.
Quiet and salty.
Nobody crosses at flood.
Ada lights the lamp for her brother.
Answers with the weather.
To keep the lamp lit.
She rowed away.

"Wind's round," she says.


The light is seen
Ada refuses to row (Ada)
The log is found
The boat is readied


The boat is in the water.
The ferry drops you on the slip. A light turns.
The tide turns
A figure is seen
They land
Ada tells of her brother (Ada)


They stand in the lamp room.

"""


def test_a_played_story_becomes_a_pack_that_begins_where_it_stands(run: Run, packs: Path) -> None:
    lines = "I look.\nI wait.\nGo on.\n"
    assert run("play", "lost-island", "--offline", "--save", "one", "--player", "Alex", lines=lines).code == 0
    state = run("show", "one", "--json").json
    ran = run("create", "--from", "one", "--out", "later", "--offline")
    assert ran.code == 0, ran.err
    pack, before = load_pack(packs / "later"), load_pack(shipped_folder() / "lost-island")
    assert pack.world == before.world and pack.game.player.name == "Alex"
    assert {id: card.secret for id, card in pack.characters.items()} == {
        id: card.secret for id, card in before.characters.items()
    }
    assert list(pack.first_chapter.beats) == [beat["text"] for beat in state["beats"] if not beat["hit"]]
    assert run("play", "later", "--offline", "--save", "two", lines="Go on.\n" * 12).code == 0
    assert run("show", "two", "--json").json["game_complete"]


def test_a_story_of_one_is_about_somebody_else_than_the_player(
    run: Run, server: ScriptedServer, packs: Path
) -> None:
    alone = {"Ada Brook": "ferrywoman"}
    with_player = {**CONCEPT, "characters": {"Wren Hallam": "the keeper's grandchild", **alone}}
    beats = [
        "The light is seen",
        "Wren lights a match (Wren Hallam)",
        "The boat knocks (the boat)",
        "Ada owns up (Ada)",
    ]
    only = {**CHAPTERS["The Light"], "beats": beats, "characters": ["Ada Brook", "Wren Hallam"]}
    writes(server, "as asked", concept=json.dumps({**with_player, "chapters": {"The Light": "it burns"}}),
           chapter=json.dumps(only))  # fmt: skip
    ran = create(run, server, "--characters", "1", "--chapters", "1", "--json")
    assert ran.code == 0, ran.err
    assert [note for note in ran.json["notes"] if "Wren" in note] == []
    pack = load_pack(packs / "lamp")
    assert [card.name for card in pack.characters.values()] == ["Ada Brook"]
    chapter = pack.first_chapter
    assert chapter.beats[1:3] == ("Wren lights a match", "The boat knocks") and chapter.by == {
        "Ada owns up": "ada"
    }
    prompts = {call.agent: call.prompt for call in server.calls}
    assert "1 character for the player to meet, and 1 chapter" in prompts["author:concept"]
    assert (
        "relationships" not in prompts["author:character"]
        and "Characters:" not in prompts["author:character"]
    )
    assert "the act of Ada Brook, that name" in prompts["author:chapter"]


def test_owners_in_square_brackets_and_two_who_tell_their_secrets_are_read(
    run: Run, server: ScriptedServer, packs: Path
) -> None:
    beats = ["The light is seen", "The boat knocks", "Ada owns up. [Ada]", "Quill owns up (Quill)"]
    told = {**CHAPTERS["The Light"], "beats": beats, "secret_of": "Ada and Quill"}
    concept = json.dumps({**CONCEPT, "chapters": {"The Light": "it burns"}})
    writes(server, "as asked", concept=concept, chapter=json.dumps(told))
    assert create(run, server, "--chapters", "1", "--json").code == 0
    pack = load_pack(packs / "lamp")
    assert pack.first_chapter.by == {"Ada owns up.": "ada", "Quill owns up": "quill"}
    assert [card.reveal[-2:] for card in pack.characters.values() if card.reveal] == ["/3", "/4"]


def test_a_story_with_nobody_but_the_player_is_asked_for_again(run: Run, server: ScriptedServer) -> None:
    nobody = json.dumps({**CONCEPT, "characters": {"Wren Hallam": "the grandchild", "You": "the player"}})
    writes(server, "as asked", concept=nobody, repair=nobody)
    ran = create(run, server, "--yes")
    assert ran.code == 1 and "gave no characters" in ran.err
    mending = next(call.prompt for call in server.calls if call.agent == "author:repair")
    assert "2 characters requested without the player, only 0 written" in mending


@pytest.mark.parametrize("kind", AUTHORS)
def test_an_author_is_told_one_small_task(kind: str) -> None:
    words = dict.fromkeys("characters chapters name role number title ending people others".split(), "x")
    view = AuthorView(kind=kind, plan="A lamp.", words=words)
    assert estimate_tokens(task_text(view)) < 300
    assert estimate_tokens(AUTHOR_TEMPLATES["author"]) < 300


@pytest.mark.parametrize("moment", range(0, 32, 3))
def test_a_kill_at_any_write_loses_at_most_the_step_in_hand(
    moment: int, run: Run, server: ScriptedServer, home: Path, packs: Path
) -> None:
    writes(server, "as asked")
    model = ("--base-url", server.url, "--model", "m", "--yes")
    if not (child := os.fork()):
        left = iter(range(moment))
        sys.addaudithook(
            lambda event, _: os._exit(9) if event == "os.rename" and next(left, None) is None else None
        )
        try:
            os._exit(run(*NEW, *model).code)
        finally:
            os._exit(1)  # else an error would make it a second pytest
    killed = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    before = [call.agent for call in server.calls]
    assert killed == 9
    draft = home / "drafts" / "lamp"
    if (draft / "draft.yaml").exists():
        assert run("create", "--out", "lamp", *model).code == 0
        again = [call.agent for call in server.calls[len(before) :]]
        assert len(again) + len(before) <= 6 + 1, "one step at most is done twice"
    elif not packs.joinpath("lamp").exists():
        assert not before and run(*NEW[:3], "lamp2", *NEW[4:], *model).code == 0
        return
    load_pack(packs / "lamp")


@pytest.mark.parametrize(("id", "made"), [("", "the-loaf"), ("bakery", "bakery")])
def test_a_pack_is_called_after_its_title_unless_its_id_was_chosen(
    tmp_path: Path, id: str, made: str
) -> None:
    home = Home.find(tmp_path).create()
    draft = Draft.begin(home, "In a village bakery the bread will not rise", id)
    shutil.copytree(shipped_folder() / "lost-island", draft.folder, dirs_exist_ok=True)
    draft.write("game.yaml", {"title": "The Loaf"})
    folder = draft.finish(home)
    assert folder == home.packs / made == draft.folder and draft.id == made
    assert load_pack(folder).game.id == made
