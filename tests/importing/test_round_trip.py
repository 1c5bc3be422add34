"""What goes out and comes in again is shown to each one as before: whispers, sleepers, who was away, and all lore."""

import json
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.importing.chats import jsonl, reply, user, write
from tests.importing.made import chat_save, imported
from tests.support.fake_model import small_pack
from theact_tui.exports.cards import card_of, lorebook
from theact_tui.exports.jsonl import to_jsonl
from theact_tui.importing.chat import guessed
from theact_tui.importing.detect import unpack
from theact_tui.importing.lorebooks import read_lorebook
from theact_tui.importing.macros import Expansion
from theact_tui.importing.plan_card_import import SourceFile, plan_pack
from theact_tui.saves.library import Library
from theact_tui.saves.save import Save
from theact_tui.saves.transfer import read_bundle, write_bundle
from theact_tui.story.agent_views import narrator_view
from theact_tui.story.character_view import apply_turn, attendance, lore_for_narrator, viewpoint_of
from theact_tui.story.game import Game, Spoken, new_game
from theact_tui.story.lore import EVERYONE, NARRATOR, LoreEntry, LoreRoom
from theact_tui.story.pack import Pack, PlayerInfo, addressed
from theact_tui.story.perception import perceive
from theact_tui.story.scene import scene_of
from theact_tui.story.turn import Entry, StageForm, Turn

CAST = ("ann", "bob")
IDS = st.lists(st.sampled_from(CAST), unique=True).map(tuple)
LINES = st.sampled_from(
    ["", "→ Bob: the key", 'I whisper to Ann: "The lamp is out."', '"Bob, wake up!"', "(She lies.)", "Rain?"]
)
PAGES = st.sampled_from(
    ["Rain.", 'Ann comes in.\n\nBob hums. "What?" He goes.', "The stair.\n\nAnn sleeps.\n\nBob waits."]
)
TURNS = st.lists(st.tuples(LINES, PAGES, IDS, IDS, IDS, st.booleans()), min_size=1, max_size=5)
WORDS = st.sampled_from(["key", "bell", "{player} has it", "the Old Stair", "Ann's lamp"])
LORE = st.lists(
    st.builds(
        LoreEntry,
        id=st.just("x"),
        title=st.sampled_from(["", "The bell", "Stairs"]),
        text=st.sampled_from(["{player} rang it.", "It is of iron.", "Nobody alive saw it."]),
        keys=st.lists(st.sampled_from(["key", "bell", "rain"]), unique=True).map(tuple),
        all_of=st.lists(st.sampled_from(["stair", "sea"]), unique=True).map(tuple),
        none_of=st.lists(st.sampled_from(["salt", "sun"]), unique=True).map(tuple),
        any_of=st.lists(st.sampled_from(["rope", "oar"]), unique=True).map(tuple),
        always=st.booleans(),
        known_by=st.sampled_from([(EVERYONE,), (NARRATOR,), ("ann", NARRATOR), ("bob",)]),
        weight=st.sampled_from([100, 5, 900]),
        chapters=st.sampled_from([(), ("one",), ("two",)]),
        probability=st.sampled_from([100, 40]),
        enabled=st.booleans(),
    ),
    max_size=6,
).map(lambda entries: tuple(entry.model_copy(update={"id": f"e{n}"}) for n, entry in enumerate(entries)))  # fmt: skip


def with_turn(game: Game, line: str, page: str, form: StageForm) -> Game:
    """The game after one more turn, told as the engine tells it."""
    scene = scene_of(game, line)
    perception = perceive(scene, page, form)
    stage = perception.stage
    entries = [Entry(role="narrator", text=page), *([Entry(role="player", text=line)] if line else [])]
    entries += [
        Entry(role="character", character=id, text=f'{id.title()} nods. "Aye."') for id in stage.answer
    ]
    perception = perception.with_replies([entry for entry in entries if entry.character])
    turn = Turn(
        number=game.state.turn + 1, chapter="one", entries=tuple(entries), stage=stage, asleep=stage.asleep,
        unaware=perception.unaware, setting=stage.place, mood=stage.mood,
        **attendance(perception.cuts, perception.heard, entries),
    )  # fmt: skip
    spoken = Spoken(parent="", branch="main", turn=turn, present=stage.here)
    return apply_turn(game, spoken)


def shown(game: Game) -> dict[str, Any]:
    """What each character and the narrator are shown of what was told, and of lore, in the turn to come."""
    views: dict[str, Any] = {
        id: viewpoint_of(game, id, (Entry(role="player", text="The key and the bell."),), game.state.present)
        for id in CAST
    }
    told = {id: (view.turns, view.now, _lore(view.lore)) for id, view in views.items()}
    scene = scene_of(game, "Well?")
    narrator = _lore(lore_for_narrator(game, "The key and the bell.", LoreRoom()))
    before = (scene.here, scene.asleep, scene.place, scene.mood, scene.answered)
    return {**told, "narrator": (narrator, before, [turn.ordered_entries for turn in game.turns.values()])}


def everything(game: Game) -> list[Any]:
    """The whole views of each character and of the narrator in the turn to come, with secrets, memories and notes."""
    said = (Entry(role="player", text="The key and the bell."),)
    people = [viewpoint_of(game, id, said, game.state.present) for id in CAST]
    return [*people, narrator_view(game, "play", "The key and the bell.", None, 1)]


def _lore(matches: Any) -> list[tuple[str, str, bool]]:
    return [(match.entry.name, match.entry.text, match.fired) for match in matches]


def pack_with(lore: tuple[LoreEntry, ...]) -> Pack:
    return small_pack().model_copy(update={"lore": {"book": lore}})


@settings(max_examples=12, phases=[Phase.generate], suppress_health_check=[HealthCheck.too_slow])
@given(TURNS, LORE)
def test_a_story_comes_in_again_with_what_each_one_knew(
    turns: list[Any], lore: tuple[LoreEntry, ...]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        pack = pack_with(lore)
        game = new_game(pack, title="T", player="Alex", seed=1, created="")
        library = Library(home)
        with library.create(game) as save:
            for line, page, here, asleep, answer, moved in turns:
                said = StageForm(
                    here=here, asleep=asleep, answer=answer, elsewhere=moved, place="x",
                    only={"1": ("bob",), "2": ("ann", "cid"), "B": ("ann", "bob")},
                )  # fmt: skip
                game = with_turn(game, line, page, said)
                save.commit(game)
            write_bundle(save.repository, home / "whole.bundle")
            chat = to_jsonl(save)
        write(home / "chat", {"a.jsonl": chat})
        with imported(library, home / "chat" / "a.jsonl", into=pack, player="Alex") as again:
            back = replace(again.load(), info=game.info)
            assert shown(back) == shown(game)
        read_bundle(home / "whole.bundle", home / "copy")
        with Save.open(home / "copy") as copy:
            assert shown(copy.load()) == shown(game)
            assert everything(copy.load()) == everything(game)


@given(LORE)
def test_lore_comes_in_again_as_it_was_for_whoever_plays(lore: tuple[LoreEntry, ...]) -> None:
    pack = pack_with(lore)
    game = new_game(pack, title="T", player="Alex", seed=1, created="")
    names = {**pack.names}
    for book in (lorebook(pack), lorebook(game.pack, game)) if lore else ():
        found = read_lorebook(json.loads(book), Expansion(), people=names)
        assert found.entries == tuple(replace_enabled(entry) for entry in lore)
        assert addressed(pack_with(found.entries), PlayerInfo(name="Alex")).lore == {
            "book": tuple(map(replace_enabled, game.pack.lore["book"]))
        }


def replace_enabled(entry: LoreEntry) -> LoreEntry:
    """An entry that nothing can bring up comes in turned off."""
    return entry.model_copy(update={"enabled": entry.enabled and bool(entry.keys or entry.always)})


@given(LORE)
def test_the_lore_of_a_card_is_still_known_to_those_alone_who_knew_it(lore: tuple[LoreEntry, ...]) -> None:
    pack = pack_with(lore)
    data = card_of(pack, "ann", secret=True)["data"]
    people = {"ann": "Ann Lee"}
    found = read_lorebook(
        data.get("character_book", {}), Expansion(), known_by=("ann", NARRATOR), people=people
    ).entries
    told = {(entry.name, entry.text): entry.known_by for entry in found}
    assert {entry.name for entry in lore if {EVERYONE, "ann"} & {*entry.known_by}} <= {
        name for name, _ in told
    }
    for entry in lore:
        known = told.get((entry.name, entry.text))
        if known and sum(other.name == entry.name and other.text == entry.text for other in lore) == 1:
            assert (EVERYONE in known, "ann" in known) == (
                EVERYONE in entry.known_by,
                "ann" in entry.known_by,
            )
    assert told["Secret", pack.characters["ann"].secret] == ("ann",)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow])
@given(LORE)
def test_cards_and_a_lorebook_make_a_pack_in_which_each_one_is_shown_the_same_lore(
    lore: tuple[LoreEntry, ...],
) -> None:
    """Chapters and chances are of the pack that was left."""
    anywhere = {"chapters": (), "probability": 100}
    entries = [
        entry.model_copy(update={**anywhere, "text": f"{entry.text} {n}"}) for n, entry in enumerate(lore)
    ]
    pack = pack_with(tuple(entries))
    data = [json.dumps(card_of(pack, id, secret=True)).encode() for id in CAST]
    data += [lorebook(pack)] if lore else []
    files = [SourceFile(Path(f"{n}.json"), each, unpack(each, "x")) for n, each in enumerate(data)]
    back = plan_pack(files, Path("nowhere")).pack
    assert back is not None
    ids = {name: id for id, name in back.names.items()}
    before, after = (new_game(each, title="T", player="Alex", seed=1, created="") for each in (pack, back))
    known = {entry.text for entry in before.pack.lore_entries}

    def told(matches: Any) -> list[str]:
        return sorted(text for _, text, fired in _lore(matches) if fired and text in known)

    for line in ("The key and the bell.", "A rope, a stair and the sea in the rain.", "Salt?"):
        said = (Entry(role="player", text=line),)
        for id in CAST:
            other = ids[pack.name_of(id)]
            shown = viewpoint_of(before, id, said, before.state.present).lore
            assert told(viewpoint_of(after, other, said, after.state.present).lore) == told(shown), (id, line)
            assert back.characters[other].personality.startswith(pack.characters[id].personality)
        shown, again = (lore_for_narrator(game, line, LoreRoom()) for game in (before, after))
        assert told(again) == told(shown), line


# --- chats of other programs ---------------------------------------------------------------------------------------------


def test_a_message_is_heard_by_who_spoke_lately_is_called_or_speaks_next_and_was_not_away() -> None:
    lines = [
        ("Ann", "Hm."),
        ("Bob", "Aye."),
        *[("Cid", f"{n}.") for n in range(4)],
        ("Cid", "Ann, come."),
        ("Bob", "So."),
        ("Ann", "I am back."),
    ]
    heard = guessed(lines)
    assert heard[0] == ("Ann", "Bob")
    assert heard[3] == ("Ann", "Bob", "Cid") and heard[4] == ("Bob", "Cid") and heard[5] == ("Cid",)
    assert heard[6] == ("Ann", "Bob", "Cid"), "Ann is called, Bob speaks next"
    assert heard[7] == ("Bob", "Cid"), "Ann was away until she spoke"


def test_in_a_group_chat_only_who_was_there_as_far_as_one_can_tell_has_heard_it(tmp_path: Path) -> None:
    lines = [reply("Hm.", name="Ann"), reply("Aye.", name="Bob")]
    lines += [line for n in range(3) for line in (user(f"Cid, {n}?"), reply(f"{n}.", name="Cid"))]
    with chat_save(tmp_path, jsonl(*lines)) as save:
        game = save.load()
        last = game.turns[game.state.turn]
        names = [game.pack.name_of(id) for id in last.witnesses]
    assert names == ["Cid"]


def test_a_turn_whose_hearers_are_not_decided_is_asked_about_again(tmp_path: Path) -> None:
    stage = {"stage": {"here": ["Ann Lee", "Bob"], "by": "pending"}}
    told = {"theact": {"turn": 1, "format": 2, "witnesses": ["Ann Lee"], **stage}}
    chat = jsonl(user("I go.", extra=told), reply("So.", name="Ann Lee"), user("Well?"))
    with chat_save(tmp_path, chat, into=small_pack()) as save:
        pending = [(work.agent, work.turn) for work in save.load().state.pending if work.turn == 1]
    assert pending == [("stage", 1)]


@pytest.mark.parametrize(
    "junk", [{"heard": 5, "stage": {"here": 3}}, {"heard": {"Ann Lee": {"page": "x"}}}, {"mood": "odd"}]
)
def test_facts_of_a_turn_that_cannot_be_read_are_left_out(junk: dict[str, Any], tmp_path: Path) -> None:
    line = user("I go.", extra={"theact": {"turn": 1, "witnesses": ["Ann Lee"], **junk}})
    with chat_save(tmp_path, jsonl(line), into=small_pack()) as save:
        assert [turn.player_text for turn in save.load().turns.values()] == ["I go."]
