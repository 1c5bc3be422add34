"""S16: chats of other programs become saves that can be played on, and go out again as they came."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from tests.importing.chats import EVENING, HEAD, jsonl, one_file, reply, user, write
from tests.importing.made import chat_save, imported, proposed, takes, told
from tests.support.games import new_game, played
from theact_tui.errors import SaveError, UsageError
from theact_tui.exports.jsonl import to_jsonl
from theact_tui.exports.write_file import export_save
from theact_tui.importing.chat import Chat, ChatMessage, ChatNode, chat_tree, rounds_of, spoken_by
from theact_tui.importing.chat_files import read_chats
from theact_tui.importing.plain import plain_text
from theact_tui.importing.report import ImportStopped
from theact_tui.importing.save_chats import plan_chats, write_chats
from theact_tui.packs.library import create_pack, find_packs
from theact_tui.packs.loader import load_pack
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library(tmp_path / "home")


def test_a_chat_becomes_turns_and_its_swipes_takes(tmp_path: Path) -> None:
    with chat_save(tmp_path, jsonl(*EVENING)) as save:
        game = save.load()
        assert (game.info.player.name, game.info.title, game.state.turn) == ("Alex", "Seraphina", 3)
        assert game.state.steering.note == "Be brief."
        assert told(save) == [
            ("Seraphina", "The rain stops."),
            ("player", "I go in."),
            ("Seraphina", "Come."),
            ("player", "Who are you?"),
            ("Seraphina", "Seraphina."),
        ]
        assert [turn.kind for turn in save.turns(1, 3)] == ["opening", "play", "play"]
        assert (takes(save, 1), takes(save, 2)) == (
            ["The rain stops.", "It rains."],
            ["No.", "Come.", "Later."],
        )
        assert save.takes(2) == (2, 3) and save.takes(3) == (1, 1)
        assert {work.turn for work in game.state.pending} == {1, 2, 3}, "memories are made later"
        assert all(turn.witnesses == ("seraphina",) for turn in save.turns(1, 3))
    fsck = subprocess.run(
        ["git", "fsck", "--strict"], cwd=save.folder, capture_output=True, text=True, check=False
    )
    assert fsck.returncode == 0, fsck.stderr


def test_a_group_shares_its_history_and_a_swipe_in_a_round_ends_the_round(
    library: Library, tmp_path: Path
) -> None:
    chat = jsonl(
        user("Hello, all."),
        reply("Hm.", "Hm.", "Hey!", name="Odo"),
        reply("Hello.", name="Maya"),
        reply("Night falls.", name="Narrator", extra={"type": "narrator"}),
        reply("Good night.", name="Maya"),
        head=None,
    )
    with imported(library, write(tmp_path / "in", {"group.jsonl": chat})) as save:
        assert [len(turn.ordered_entries) for turn in save.turns(1, 9)] == [3, 2]
        assert [version.ordered_entries[1:] for version in save.versions(1)] == [
            save.turns(1, 1)[0].ordered_entries[1:],
            (save.versions(1)[1].ordered_entries[1],),
        ]
        assert takes(save, 1) == ["Hello.", "Hey!"]
        assert set(save.turns(1, 1)[0].witnesses) == {"odo", "maya"}


def test_a_group_s_file_brings_its_chats_and_who_is_muted_in_it_is_away(
    library: Library, tmp_path: Path
) -> None:
    told = jsonl(user("Hello."), reply("Hm.", name="Brother Odo"), reply("Hi.", name="Maya"), head=None)
    write(tmp_path / "group chats", {"one.jsonl": told, "other.jsonl": jsonl(*EVENING)})
    group = {
        "name": "The inn",
        "members": ["Brother Odo.png", "Maya.png"],
        "disabled_members": ["Brother Odo.png"],
        "chats": ["one", "../../secret"],
    }
    file = one_file(tmp_path / "groups", group, "7.json")
    plan = plan_chats(read_chats([file])[0])
    assert any("away now: Brother Odo" in line for line in plan.report.changed) and plan.title == "The inn"
    with Save.open(library.path(str(write_chats(plan, library).save))) as save:
        game = save.load()
        assert game.state.present == ("maya",) and game.state.held == {"brother-odo": False}
        assert set(save.turns(1, 1)[0].witnesses) == {"brother-odo", "maya"}, (
            "since when, the files do not say"
        )
    (tmp_path / "group chats" / "one.jsonl").unlink()
    with pytest.raises(UsageError, match="from the folder 'group chats'"):
        read_chats([file])


def test_what_no_reader_should_see_stays_out_and_what_the_user_hid_nobody_knows(tmp_path: Path) -> None:
    chat = jsonl(
        reply("Help!", name="SillyTavern System", is_system=True),
        reply(
            "<think>She must not\nknow.</think>Welcome,<br>\x1b[31m<b>friend</b> &amp; guest.\n```html\n<div>x</div>```"
        ),
        user("I whisper to myself.", is_system=True),
        user("Hi."),
    )
    with chat_save(tmp_path, chat + "\n{half a li") as save:
        assert told(save)[0] == ("Seraphina", "Welcome,\nfriend & guest.")
        assert [turn.witnesses for turn in save.turns(1, 3)] == [("seraphina",), (), ("seraphina",)]
        report = save.files().need("imported/report.yaml").decode()
    assert "1 message of the program itself" in report and "1 damaged line (" in report


def test_a_chat_is_played_on_a_pack_that_has_its_people_or_that_is_named(
    library: Library, tmp_path: Path
) -> None:
    file = one_file(tmp_path, jsonl(reply("Hm.", name="Mara Quint"), user("Hi."), head=None), "a.jsonl")
    packs = tmp_path / "packs"
    own = load_pack(create_pack(packs, "mine"))
    names = [card.name for card in own.characters.values()]
    assert plan_chats(read_chats([file])[0], own=find_packs(packs)).pack.id == "mara-quint"
    chat = jsonl(*(reply("Hm.", name=name.upper()) for name in names), user("Hi."), head=None)
    theirs = one_file(tmp_path / "other", chat, "b.jsonl")
    with imported(library, theirs, own=find_packs(packs)) as save:
        game = save.load()
        assert (game.pack.id, game.info.player.name) == ("mine", "Alex")
        assert save.turns(1, 1)[0].witnesses == tuple(own.characters)
    with imported(library, file, into=own, player="Bo", title="With Mara") as save:
        game = save.load()
        assert (game.pack.id, game.info.title, game.info.player.name) == ("mine", "With Mara", "Bo")
        assert set(game.pack.characters) == {*own.characters, "mara-quint"} and told(save)[0] == (
            "Mara Quint",
            "Hm.",
        )
        assert game.chapter.id == own.first_chapter.id and "mara-quint" in game.chapter.characters


def test_of_more_people_than_a_story_has_the_narrator_says_what_the_others_say(tmp_path: Path) -> None:
    crowd = [reply(f"I am {n}.", name=f"P{n}") for n in range(8)] + [
        reply("Me again.", name=f"P{n}") for n in range(7)
    ]
    with chat_save(tmp_path, jsonl(*crowd, head=None)) as save:
        assert len(save.load().pack.characters) == 7
        assert ("narrator", "P7: I am 7.") in told(save) and len(told(save)) == 15


# --- folders ------------------------------------------------------------------------------------------------------

said = some.tuples(some.sampled_from(["player", "Maya", "Odo"]), some.sampled_from("ab"))
messages = some.lists(said, min_size=1, max_size=7)


@given(some.lists(messages, min_size=1, max_size=12))
@settings(max_examples=200, deadline=None)
def test_chats_with_shared_beginnings_are_one_tree_that_tells_each_of_them_and_no_turn_twice(
    walks: list[list[tuple[str, str]]],
) -> None:
    chats = [
        Chat(
            str(n),
            tuple(
                ChatMessage("player" if who == "player" else "character", words, who) for who, words in walk
            ),
        )
        for n, walk in enumerate(walks)
    ]
    root, ends = chat_tree(chats)
    ways: dict[ChatNode, tuple[object, ...]] = {root: ()}
    left = [root]
    while left:
        node = left.pop()
        for said, child in node.children.items():
            assert said == spoken_by(child.round)
            ways[child] = (*ways[node], said)
            left.append(child)
        assert not any(
            one is not two and said == other[: len(said)] and not one.children
            for said, one in node.children.items()
            for other, two in node.children.items()
        ), "a last turn that only begins another one is told twice"
    for chat in chats:
        *before, last = map(spoken_by, rounds_of(chat.messages))
        way = ways[ends[chat.source]]
        assert list(way[:-1]) == before and spoken_by(ends[chat.source].round)[: len(last)] == last


def test_twelve_files_become_one_save_with_branches_and_no_turn_twice(
    library: Library, tmp_path: Path
) -> None:
    texts: dict[str, str] = {}
    chats: dict[str, list[dict[str, Any]]] = {}
    for n in range(12):
        name = f"Seraphina - Branch #{n}"
        chats[name] = [
            *EVENING[: 2 + n % 4],
            *([user(f"Way {n}."), reply(f"So it is {n}.")] if n < 9 else []),
        ]
        texts[f"{name}.jsonl"] = jsonl(*chats[name])
    texts["twin.jsonl"] = texts["Seraphina - Branch #3.jsonl"]
    with imported(library, write(tmp_path / "Seraphina", texts)) as save:
        titles = {branch.title: branch.name for branch in save.branches()}
        assert set(titles) >= {f"Seraphina - Branch #{n}" for n in range(9) if n != 3}
        for title, branch in titles.items():
            file = [json.loads(line) for line in texts[f"{title}.jsonl"].split("\n")][1:]
            assert [text for _, text in told(save, branch)][: len(file)] == [line["mes"] for line in file]
        seen: set[tuple[str, str]] = set()
        commits = {line.commit for branch in titles.values() for line in save.log(branch=branch)}
        for commit in commits:
            link = save.repository.link(commit)
            blobs = [save.files(commit).id(f"turns/0000/{n:02d}.yaml") for n in range(9)]
            key = (link.parent or "", str(blobs))
            assert key not in seen
            seen.add(key)
        assert save.title_of() == "twin", "the newest file is the one to go on with"


def test_files_of_one_name_from_two_folders_all_come_in(tmp_path: Path) -> None:
    def file(last: str) -> Path:
        histories = [{"msgs": [{"src": {"name": "Odo"}, "text": text}]} for text in ("Hello.", last)]
        document = json.dumps({"histories": {"histories": histories}})
        return write(tmp_path / last, {"cai.json": document}) / "cai.json"

    chats, _ = read_chats([file("Rain."), file("Snow."), file("Snow.")])
    assert [chat.messages[0].text for chat in chats] == ["Hello.", "Rain.", "Hello.", "Snow."]


def test_chats_of_different_stories_are_refused(library: Library, tmp_path: Path) -> None:
    folder = write(
        tmp_path / "in", {"a.jsonl": jsonl(reply("A.")), "b.jsonl": jsonl(reply("B.", name="Odo"), head=None)}
    )
    with pytest.raises(UsageError, match="different stories"):
        imported(library, folder)
    assert not library.names()


# --- out and in again ---------------------------------------------------------------------------------------------


def test_a_chat_goes_out_as_it_came_with_all_that_only_its_program_knows(tmp_path: Path) -> None:
    chat = jsonl(
        reply("Help!", name="SillyTavern System", is_system=True),
        reply("<b>Rain.</b>", "<b>Rain.</b>", "<b>Rain.</b>", "Snow.", force_avatar="x.png", gen_id=7),
        user("Hi.", extra={"bias": "", "unknown": [1, {"deep": None}]}),
        reply("Come.", "No.", "Come."),
        reply("", extra={"image": "a.png"}),
    )
    with chat_save(tmp_path, chat) as save:
        assert [json.loads(line) for line in to_jsonl(save).split("\n")] == [
            json.loads(line) for line in chat.split("\n")
        ]


def test_a_story_of_ours_goes_out_and_in_without_loss(library: Library, tmp_path: Path) -> None:
    with Save.create(tmp_path / "own" / "saves" / "reef", new_game()) as save:
        for n in range(4):
            save.commit(played(save.load(), f"I go on {n}."))
        save.begin_take()
        save.commit(played(save.load(), "I go on 3.", "Another wind.\n\nAnother stone."))
        save.commit(played(save.load(), "The end."))
        file = export_save(save, "jsonl", tmp_path / "reef.jsonl")
        before = [
            [version.ordered_entries for version in save.versions(n)] or [save.turns(n, n)[0].ordered_entries]
            for n in range(1, 6)
        ]
        ours = told(save)
    with imported(library, file) as again:
        assert told(again) == ours
        assert [again.turns(n, n)[0].witnesses for n in range(1, 6)] == [("maya-chen",)] * 5
        after = [
            [version.ordered_entries for version in again.versions(n)]
            or [again.turns(n, n)[0].ordered_entries]
            for n in range(1, 6)
        ]
        plain = [[[(e.role, e.text) for e in version] for version in turn] for turn in before]
        assert [[[(e.role, e.text) for e in version] for version in turn] for turn in after] == plain
        assert to_jsonl(again) == file.read_text("utf-8")


# --- safe ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (json.dumps(HEAD), "without any messages"),
        (jsonl(reply("")), "without any messages"),
        ('{"mes": ' + "[" * 10_000, "not valid|nested"),
        ("<!doctype html><html></html>", "web page"),
        ('{"internal": [], "visible": []}', "without any messages"),
        ('{"prompt": "", "actions": []}', "without any messages"),
        ('{"type": "risuChat"}', "without any messages"),
        ("XQAAAQAAAP9//////////wA", "damaged|unpacks"),
        ("", "empty"),
        ('{"spec": "chara_card_v2", "data": {"name": "X"}}', "not a chat"),
    ],
)
def test_what_cannot_be_a_chat_is_refused_in_a_sentence(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=reason) as refused:
        read_chats([one_file(tmp_path, text, "bad.jsonl")])
    assert refused.value.message.count("\n") == 0 and "bad.jsonl" in refused.value.message


KILLED = """
import os, sys
from pathlib import Path
from theact_tui.importing.chat_files import read_chats
from theact_tui.importing import save_chats
from theact_tui.saves.library import Library
writer = save_chats._Writer
def tell(self, *places, old=writer._commit_node):
    if len(self.commits) == int(sys.argv[3]): os._exit(9)
    return old(self, *places)
writer._commit_node = tell
save_chats.write_chats(save_chats.plan_chats(read_chats([Path(sys.argv[1])])[0]), Library(Path(sys.argv[2])))
"""


def test_a_kill_in_the_middle_leaves_nothing_to_be_seen(library: Library, tmp_path: Path) -> None:
    file = one_file(tmp_path / "in", jsonl(*EVENING), "a.jsonl")
    done = subprocess.run([sys.executable, "-c", KILLED, str(file), str(tmp_path / "home"), "2"], check=False)
    assert done.returncode == 9
    assert library.names() == [] and library.saves() == []
    with imported(library, file) as save:
        assert save.turn == 3
    shutil.rmtree(save.folder)


def test_a_disk_that_refuses_is_told_of_and_nothing_is_there(library: Library, tmp_path: Path) -> None:
    file = one_file(tmp_path / "in", jsonl(*EVENING), "a.jsonl")
    found = proposed(tmp_path, file)
    (tmp_path / "home").write_text("This is no folder.")
    with pytest.raises(SaveError, match="Nothing was imported"):
        found.accept()
    assert found.report.save is None


def test_a_long_chat_opens_at_once_and_says_what_it_said_last(library: Library, tmp_path: Path) -> None:
    lines = [user(f"{n} " + "word " * 60) if n % 2 else reply(f"{n} " + "word " * 90) for n in range(120)]
    lines[60]["extra"] = {"memory": "They met."}
    with chat_save(tmp_path, jsonl(*lines)) as save:
        game = save.load()
        assert (game.state.turn, game.state.rolling_summary) == (61, "They met.")
        assert 4 <= len(game.turns) <= 24, "only what prompts need is at hand"
        assert save.state_at(40).state.turn == 40 and len(save.files().names("imported")) == 2
        write_chats(plan_chats(read_chats([tmp_path / "in"])[0]), library)
    assert library.names() == ["seraphina", "seraphina-1"]


def test_prompts_of_a_chat_of_short_lines_hold_its_newest_turns_only(tmp_path: Path) -> None:
    lines = [user("Go on.") if n % 2 else reply("Yes.") for n in range(200)]
    with chat_save(tmp_path, jsonl(*lines)) as save:
        assert save.load().state.views == {"seraphina": tuple(range(78, 102))}


def test_a_turn_too_long_for_a_file_of_a_save_is_refused(library: Library, tmp_path: Path) -> None:
    replies = [reply("word " * 180_000, name=name) for name in "Ann Ben Cora Dan Eve".split()]
    file = one_file(tmp_path / "in", jsonl(user("Tell me."), *replies), "a.jsonl")
    with pytest.raises(SaveError, match="larger than 4 MB"):
        proposed(tmp_path, file).accept()
    assert library.names() == []


class CountedTuple(tuple[ChatMessage, ...]):
    """Counts how often it is gone through."""

    times = 0

    def __iter__(self) -> Iterator[ChatMessage]:
        self.times += 1
        return super().__iter__()


def test_a_tree_of_turns_goes_through_the_messages_as_often_however_many_there_are() -> None:
    def times(turns: int) -> int:
        said = [
            ChatMessage("player", f"{n}") if n % 2 else ChatMessage("character", f"{n}", "Maya")
            for n in range(turns)
        ]
        messages = CountedTuple(said)
        chat_tree([Chat("a", messages)])
        return messages.times

    assert times(200) == times(2)


def test_an_import_says_how_far_it_is_and_one_that_is_stopped_leaves_nothing(
    library: Library, tmp_path: Path
) -> None:
    lines = [user(f"{n}") if n % 2 else reply(f"{n}") for n in range(500)]
    file = one_file(tmp_path / "in", jsonl(*lines), "a.jsonl")
    found = proposed(tmp_path, file)
    steps = list[str]()

    def stop(step: str) -> None:
        steps.append(step)
        if len(steps) == 2:
            raise ImportStopped

    with pytest.raises(ImportStopped, match="Nothing was imported"):
        found.accept(stop)
    assert [*(tmp_path / "home").rglob("*.git")] == [] and library.names() == []
    assert found.accept(steps.append).save == "seraphina"
    assert steps == ["0 of 251 turns", "100 of 251 turns"] + [f"{n} of 251 turns" for n in (0, 100, 200)]


def test_parts_that_fold_and_rows_of_a_table_stand_on_lines_of_their_own() -> None:
    folded = "The door opens. <details><summary>Inventory</summary>A lamp.</details>Rain comes in."
    assert plain_text(folded).split() == "The door opens. Inventory A lamp. Rain comes in.".split()
    assert "Inventory\nA lamp.\nRain" in plain_text(folded)
    table = "<table><tr><td>HP</td><td>3</td></tr><tr><td>MP</td><td>4</td></tr></table>"
    assert plain_text(table) == "HP 3\nMP 4"
    assert (
        plain_text("One.<blockquote>Two.</blockquote>Three.<ul><li>a<li>b</ul>")
        == "One.\nTwo.\nThree.\n\na\nb"
    )
