"""The shipped packs as different players meet them: answers, quiet passages, memories, summaries, the end."""

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.support.packs import shipped_pack
from tests.support.storyteller_games import Table, new_game
from theact_tui.sentences import sentences
from theact_tui.story.character_view import viewpoint_of
from theact_tui.story.edits import hold
from theact_tui.story.matching import stems
from theact_tui.story.memory import MAX_FACTS, FactsMemory, lines_of
from theact_tui.story.pack import Pack
from theact_tui.story.turn import Entry
from theact_tui.storyteller import Storyteller
from theact_tui.storyteller.book import ScriptBook, in_time
from theact_tui.storyteller.stock import stock
from theact_tui.storyteller.who_answers import best_answer

PACKS = ("lost-island", "horsell-pit", "salt-road", "guest-in-nine")
PLAYERS = {
    "terse": ("look", "go on", "wait", "ok", "n", "look around", "yes", "take it"),
    "talker": (
        "Who are you?", "Are you all right?", "What should we do now?", "Are you afraid?", "Do you have any family?",
        "How long will it take?", "Do you believe in God?", "What was that noise?", "Is there a way home?", "Thank you.",
        "Are you sure about that?", "What do you like best?", "Are we going to die?", "Hello", "You are an idiot.",
    ),
    "explorer": (
        "I search everything for something useful", "I climb up to see better", "I put a stone in my pocket",
        "I pull the lever", "I write my name in the sand", "I sing a song", "I smash it to pieces", "I run away",
        "I dig a hole", "I taste it", "I hide", "I give them my coat",
    ),
    "stranger": (
        "asdf qwertz", "ok", "Ich verstehe kein Wort.", "42", "!!!", "fuck off", "这是什么地方？", "no", "lol",
        "I fly to the moon on my laptop", "x" * 300, "I want to go home " * 30,
    ),
}  # fmt: skip
GAMES = [
    *((pack, player) for pack in PACKS for player in ("terse", "talker", "stranger")),
    ("horsell-pit", "explorer"), ("guest-in-nine", "explorer"),
]  # fmt: skip
MOST_TURNS = 80


def occasion_lines(pack: Pack, occasion: str) -> set[str]:
    """What all the pack's voices have for an occasion, each on one line."""
    voices = pack.script.voices.values()
    return {" ".join(line.split()) for voice in voices for line in voice.lines[occasion]}


def nothing_is_told_twice_or_left_unfilled(table: Table) -> None:
    book = ScriptBook(table.game.pack, table.game.info.seed, "Sam")
    quiet = [book.passage_of(turn) for turn in table.turns]
    indexes = Counter((turn.chapter, page.index) for turn, page in zip(table.turns, quiet, strict=True)
                      if page and page.kind == "ambient")  # fmt: skip
    assert all(count == 1 for count in indexes.values())
    narrations = [turn.narration for turn in table.turns]
    last: dict[tuple[str | None, str], int] = {}
    for turn in table.turns:
        for entry in (entry for entry in turn.entries if entry.role != "player"):
            for part in entry.text.split("\n\n"):
                apart = turn.number - last.get((entry.character, part), -99)
                assert apart > (99 if len(part.split()) > 40 else 12), part
                last[entry.character, part] = turn.number
    told = " ".join(entry.text for turn in table.turns for entry in turn.entries if entry.role != "player")
    assert not re.search(
        r"\{\w+\}|\?\.|\.\.(?!\.)(?<!\.\.\.)|\bYou you\b|\byou you\b|,,| ,", told.replace("...", "…")
    )
    assert not any(text in narration for text in stock().quiet for narration in narrations)


def test_the_story_waits_for_somebody_who_was_sent_away_and_says_so() -> None:
    table = Table.opened(shipped_pack("horsell-pit"))
    table.game = hold(table.game, ["ogilvy"], here=False).game
    turns = table.play_all(["I go on."] * 4)
    assert not any(turn.new_beats for turn in turns)
    waiting = [text.format(name="Ogilvy") for text in stock().waiting]
    assert all(turn.narration.split("\n\n")[-1] in waiting for turn in turns)
    assert len({turn.narration for turn in turns}) == 4
    table.game = hold(table.game, ["ogilvy"], here=True).game
    assert table.play("I go on.").new_beats


def a_turn_lies_between_two_beats_and_a_sentence_takes_up_the_line_before_one(table: Table) -> None:
    for before, turn in pairwise(table.turns):
        if turn.new_beats:
            beats = table.game.pack.chapters[turn.chapter].beats
            scenes = table.game.pack.script.chapters[turn.chapter].scenes
            assert not before.new_beats or scenes[beats.index(turn.new_beats[0])].follows
            starts = {start_of(scene.narration) for scene in scenes}
            ways = {start_of(way.narration) for scene in scenes for way in scene.ways}
            assert start_of(turn.narration) not in starts - ways, turn.player_text


def start_of(text: str) -> str:
    return " ".join(text.split())[:40]


def chapters_of_one_who_goes_along_are_eight_to_fourteen_turns_long(table: Table) -> None:
    for past in table.game.state.chapter_history:
        assert 8 <= past.last_turn - past.first_turn + 1 <= 14


SAID = {
    "trust": "I trust you.", "comfort": "Don't worry, it will be all right.", "call": "Come back!", "thanks": "Thank you.",
    "go": "Let's go on.", "opinion": "What do you make of this?", "doubt": "I don't believe you.", "refusal": "No, I refuse.",
    "praise": "Well done!", "help": "Let me help you.", "need": "I am tired.", "warning": "Be careful!", "threat": "Or else!",
    "alone": "Leave me alone.", "muddle": "I don't understand.", "weather": "Nice day today.", "promise": "I promise.",
    "sorry": "I am sorry.", "joke": "Tell me a joke.", "hello": "Hello there.", "who": "Who are you?", "plan": "What now?",
}  # fmt: skip


@pytest.mark.parametrize("name", PACKS)
def test_everybody_has_an_answer_to_what_players_often_say(name: str) -> None:
    book = ScriptBook(shipped_pack(name), 1, "Sam")
    for text in SAID.values():
        line = book.read(text)
        assert line.kind == "talk", text
        for id in shipped_pack(name).characters:
            assert best_answer(book.answers(id, "", 0), line.matter), (id, text)


def a_talker_is_answered(table: Table) -> None:
    talk = [turn for turn in table.turns if not turn.new_beats and turn.kind == "play" and turn.number > 1]
    silent = [turn for turn in talk if not any(entry.role == "character" for entry in turn.entries)]
    assert len(talk) > 20 and not silent
    owned_up = occasion_lines(table.game.pack, "unanswered")
    unanswered = sum(" ".join(entry.text.split()) in owned_up for turn in talk for entry in turn.entries)
    assert unanswered < len(talk) / 4


def a_stranger_is_met_with_patience(table: Table) -> None:
    puzzled = occasion_lines(table.game.pack, "puzzled")
    said = [" ".join(entry.text.split()) for turn in table.turns for entry in turn.entries]
    assert any(line in said for line in puzzled)
    for turn in table.turns:
        assert len(turn.narration.split()) <= 330


def memories_read_like_memories(table: Table) -> None:
    pages = ScriptBook(table.game.pack, 1, "Sam").all_pages
    assert any(memory.summary for memory in table.game.memories.values())
    for id, memory in table.game.memories.items():
        lines = [line.text for line in lines_of(memory)]
        assert lines
        assert len(set(lines)) == len(lines)
        assert all(1 <= line.turn <= len(table.turns) for line in lines_of(memory))
        assert not memory.summary or 2 <= len(sentences(memory.summary)) <= 5
        assert len(set(sentences(memory.summary))) == len(sentences(memory.summary))
        assert "; " not in memory.summary
        if isinstance(memory, FactsMemory):
            assert len(lines) <= MAX_FACTS
            minds = {page.passage.minds.get(id) for page in pages}
            assert sentences(memory.summary)[-1] in minds
        else:
            own = table.game.pack.name_of(id).split()[0]
            assert not any(
                re.match(rf"{own} \w+(?:ed|s)\b", text) for text in [*lines, *sentences(memory.summary)]
            )


@pytest.mark.parametrize("name", PACKS)
def test_the_material_is_complete(name: str) -> None:
    pack = shipped_pack(name)
    cells = pack.game.memory == "cells"
    for id, chapter in pack.chapters.items():
        told, stage = pack.script.chapters[id], chapter.opening_cast
        assert told.thread and "; " not in told.thread and told.opened.gist and told.opened.others
        assert set(told.opened.diary if cells else told.opened.minds) == set(stage)
        for scene in told.scenes:
            stage = stage if scene.present is None else scene.present
            assert scene.gist and "; " not in scene.gist
            assert set(scene.diary if cells else scene.minds) == set(stage)
        straight = {index for index, scene in enumerate(told.scenes) if scene.follows}
        left = sorted(told.ambient, key=lambda passage: passage.before or len(chapter.beats) + 1)
        for beats in set(range(len(chapter.beats))) - straight:
            left.remove(next(passage for passage in left if in_time(passage, beats)))
    for voice in pack.script.voices.values():
        for occasion in ("look", "go", "take", "fight", "other", "wait", "unanswered", "repeated", "puzzled"):
            assert voice.lines.get(occasion), occasion
        assert len(voice.answers) >= 25


@pytest.mark.parametrize("name", PACKS)
def test_other_openings_are_other_tellings_of_the_same(name: str) -> None:
    for told in shipped_pack(name).script.chapters.values():
        for other in told.opened.others:
            assert 90 <= len(other.split()) <= 300
            shared = stems(other) & stems(told.opening)
            assert len(shared) >= 15 and not set(sentences(other)) & set(sentences(told.opening))


AFTER = (
    "I look around.", "I wait.", "I go on.", "I ask what happens now.", "I sit down and listen.", "Go on.",
)  # fmt: skip


def after_the_end_nothing_is_told_twice_within_twenty_turns(table: Table) -> None:
    told: dict[str, int] = {}
    for number in range(30):
        turn = table.play(AFTER[number % len(AFTER)])
        assert turn.narration.strip()
        for part in turn.narration.split("\n\n"):
            assert turn.number - told.get(part, -20) >= 20, part
            told[part] = turn.number


@pytest.mark.parametrize(("name", "player"), GAMES)
def test_a_whole_game(name: str, player: str) -> None:
    table = Table(shipped_pack(name), seed=len(player))
    lines = PLAYERS[player]
    for number in range(MOST_TURNS):
        if not table.game.state.game_complete:
            table.play(lines[number % len(lines)])
    assert table.game.state.game_complete
    nothing_is_told_twice_or_left_unfilled(table)
    a_turn_lies_between_two_beats_and_a_sentence_takes_up_the_line_before_one(table)
    memories_read_like_memories(table)
    match player:
        case "terse":
            chapters_of_one_who_goes_along_are_eight_to_fourteen_turns_long(table)
            after_the_end_nothing_is_told_twice_within_twenty_turns(table)
        case "talker":
            a_talker_is_answered(table)
        case "stranger":
            a_stranger_is_met_with_patience(table)


@pytest.mark.parametrize("name", PACKS)
def test_what_is_asked_again_is_answered_in_other_words_however_long_ago_it_was(name: str) -> None:
    pack = shipped_pack(name)
    teller, game = Storyteller(pack, 1), new_game(pack)
    asked = (Entry(role="player", text="What do we do next?"),)
    for character in game.state.present:
        view = viewpoint_of(game, character, asked, (character,))
        said: list[str] = []
        for _ in range(8):
            said.append(teller.answer("character", replace(view, said=tuple(said))))
        assert len(set(said)) == 8
