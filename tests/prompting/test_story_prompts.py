"""What the prompts of the shipped stories say, and how long they are."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.fake_model import small_pack
from tests.support.packs import shipped_pack, with_card
from theact_tui.agents.agent import Agent
from theact_tui.agents.character import CHARACTER
from theact_tui.agents.memory import FACTS, REFLECTION
from theact_tui.agents.narrator import NARRATOR
from theact_tui.agents.prompts import TEMPLATES
from theact_tui.agents.record_keepers import MOMENT, PROGRESS, RECAP, SUMMARY
from theact_tui.agents.suggestions import IDEAS
from theact_tui.story.agent_views import (
    moments_view,
    narrator_view,
    progress_view,
    recap_view,
    suggestion_view,
    summary_view,
)
from theact_tui.story.beats import mark_beats
from theact_tui.story.character_view import memory_view_of, viewpoint_of
from theact_tui.story.game import Game, Recap, SaveInfo, State
from theact_tui.story.pack import Pack, PlayerInfo
from theact_tui.story.steering import Length
from theact_tui.story.turn import Entry, Turn
from theact_tui.story.views import ReflectionView, without_secrets
from theact_tui.text import estimate_tokens

CONTENT = Path(__file__).parents[2] / "content"
PACKS = sorted(folder.name for folder in CONTENT.iterdir() if folder.is_dir())


def game_of(pack: Pack, chapter: str, hit: int = 0, player: str = "") -> Game:
    """A game at the beginning of a chapter, with the first `hit` beats hit and all of its cast on stage."""
    info = SaveInfo(
        id="test",
        title="Test",
        pack=pack.id,
        seed=1,
        player=PlayerInfo(name=player) if player else pack.game.player,
    )
    state = State(chapter=chapter, present=pack.chapters[chapter].characters)
    state, _ = mark_beats(state, pack.chapters[chapter], pack.chapters[chapter].beats[:hit], 0)
    return Game(info=info, pack=pack, state=state)


def text_of(agent: Agent[Any], view: object) -> str:
    return "\n\n".join(section.text for section in agent.sections(view, {}) if section.text)


def character(game: Game, name: str, line: str = "I look at the sea.") -> str:
    said = [Entry(role="player", text=line)]
    return text_of(CHARACTER, viewpoint_of(game, name, said, game.state.present, mood="tense"))


def test_every_template_is_short() -> None:
    assert {agent: size for agent, text in TEMPLATES.items() if (size := estimate_tokens(text)) >= 300} == {}


@pytest.mark.parametrize("name", PACKS)
def test_a_filled_prompt_of_a_shipped_pack_is_short(name: str) -> None:
    pack = shipped_pack(name)
    for chapter in pack.chapters.values():
        game = game_of(pack, chapter.id)
        world, *tail = NARRATOR.sections(narrator_view(game, "opening", "", None, 1), {})
        assert (
            estimate_tokens(world.text) < 330 and sum(estimate_tokens(section.text) for section in tail) < 860
        )
        assert all(estimate_tokens(character(game, person)) < 700 for person in chapter.characters)


ISLAND = shipped_pack("lost-island")
SCHOOL = "02-the-discovery"


@pytest.mark.parametrize(
    ("chapter", "hit", "told"),
    [
        ("01-the-crash", 0, "say no more than this, in words of your own: The receiver is a good design"),
        (SCHOOL, 0, "say no more than this, in words of your own: The receiver is a good design"),
        (SCHOOL, 1, "say no more than this, in words of your own: The receiver is a good design"),
        (SCHOOL, 2, "It may come out now"),
        (SCHOOL, 4, "It may be out by now"),
        ("03-the-beacon", 0, "It may be out by now"),
    ],
)
def test_a_secret_stays_shut_until_its_beat_is_near(chapter: str, hit: int, told: str) -> None:
    prompt = character(game_of(ISLAND, chapter, hit), "maya")
    gates = (
        "say no more than this, in words of your own: The receiver is a good design",
        "It may come out now",
        "You have told it",
        "It may be out by now",
    )
    assert [gate for gate in gates if gate in prompt] == [told]


def test_a_secret_without_a_part_that_may_be_said_keeps_the_rest() -> None:
    pack = with_card(ISLAND, "maya", known="")
    assert "say the part that everybody knows" in character(game_of(pack, "01-the-crash"), "maya")


def test_only_who_does_a_beat_in_its_answer_hears_of_it() -> None:
    game = game_of(ISLAND, SCHOOL, 2)
    point = viewpoint_of(game, "joaquin", (), game.state.present, cue="Joaquin walks off alone into the rain")
    assert "it is yours to do this: Joaquin walks off alone" in text_of(CHARACTER, point)
    assert "yours to do this: " not in character(game, "joaquin")


def test_who_somebody_is_takes_the_narrator_few_words() -> None:
    pack = with_card(ISLAND, "maya", personality="- and more\n" * 99)
    prompt = text_of(NARRATOR, narrator_view(game_of(pack, SCHOOL), "play", "I go.", None, 1))
    assert 0 < prompt.count("and more") < 30


def test_a_character_knows_its_scene() -> None:
    pack = ISLAND.model_copy(update={"game": ISLAND.game.model_copy(update={"voice": "third"})})
    prompt = character(game_of(pack, SCHOOL), "maya")
    here = (
        "“You” above is Sam, the third survivor of the crash.\nAlso here: Father Joaquin.\nThe mood is tense."
    )
    assert here in prompt
    assert "You want: To get the receiver working" in prompt and "I am numerate" in prompt
    assert prompt.index("I look at the sea.") < prompt.index("You are now Maya Chen")
    assert "You remember" not in prompt, "nothing empty is shown"
    assert "told as “he” or “she”" in prompt
    assert "told as “I”" in character(game_of(ISLAND, SCHOOL), "maya")
    salt = shipped_pack("salt-road")
    assert "Constance" not in character(game_of(salt, "01-the-ebb"), "imke")


def test_the_narrator_sees_where_it_leads_and_what_lies_behind() -> None:
    game = game_of(ISLAND, SCHOOL, 2)
    here = game.with_state(present=("maya",), turn=5, views={"joaquin": (2,)})
    prompt = text_of(NARRATOR, narrator_view(here, "play", "I wait.", None, 1))
    for line in (
        "Then tell this: Joaquin walks off alone into the rain (Father Joaquin comes for it).",
        "Behind it all, shown by things and deeds and never told: The island has three tides a day",
        "thanked. Wants: To get the receiver working, and to keep her signature on it out of sight. Hides: She designed",
        "- Father Joaquin, barefoot priest.",
        "Here: Maya Chen. Away: Father Joaquin (for 3 turns)",
    ):
        assert line in prompt, line
    assert "admits he grew up here" not in prompt and "He grew up here" not in prompt
    assert prompt.count("I wait.") == 1 and prompt.endswith("\n\nI wait."), (
        "the player's line stands last and bare"
    )
    done = game_of(ISLAND, SCHOOL, 6).with_state(turn=5)
    asked = text_of(NARRATOR, narrator_view(done, "play", "Go.", None, 1))
    assert "the chapter end: The survivors stand on the ridge" in asked


def test_who_left_a_page_ago_hears_the_line_that_names_them_but_no_whisper_to_another() -> None:
    game = game_of(ISLAND, SCHOOL).with_state(present=("maya",), turn=5, views={"joaquin": (4,)})
    near, gone = "Father Joaquin (not gone far: hears and answers", "Father Joaquin (for 1 turn)"
    earlier = game.with_state(views={"joaquin": (3,)})
    for at, line, shown in (
        (game, "I ask Joaquin what he can feel.", near),
        (game, "→ Joaquin: come back!", near),
        (game, "I wait.", gone),
        (game, "→ Maya: Joaquin knew.", gone),
        (earlier, "I ask Joaquin what he can feel.", "Father Joaquin (for 2 turns)"),
        (game.with_state(held={"joaquin": False}), "I ask Joaquin what he can feel.", gone),
    ):
        assert shown in text_of(NARRATOR, narrator_view(at, "play", line, None, 1)), (line, shown)


def test_a_small_model_is_shown_neither_truth_nor_secrets() -> None:
    view = narrator_view(game_of(ISLAND, SCHOOL), "play", "I wait.", None, 1)
    prompt = text_of(NARRATOR, replace(view, truth="", cast=without_secrets(view.cast)))
    assert "three tides" not in prompt and "She designed" not in prompt and "Maya Chen, aerospace" in prompt


def test_a_packs_own_template_may_say_where_the_players_line_stands() -> None:
    view = narrator_view(game_of(ISLAND, SCHOOL), "play", "Go.", None, 1)
    own = "{lead} {present} {hints}"
    for template, order in (
        (own, ["narrator", "player"]),
        (f"{own} {{line}} Now.", ["narrator", "player", "task"]),
    ):
        sections = [
            section.name for section in NARRATOR.sections(view, {"narrator": template}) if section.text
        ]
        assert sections[-len(order) :] == order


def test_the_opening_page_has_a_prompt_of_its_own() -> None:
    game = game_of(ISLAND, "01-the-crash")
    opening, later = (
        text_of(NARRATOR, narrator_view(game, kind, "", None, 1)) for kind in ("opening", "play")
    )
    assert "Write the first page, " in opening and "Go on in " not in opening
    assert "Go on in " in later
    assert "Stock is taken" not in opening and "The tide rises" not in opening


def test_a_player_called_by_a_pronoun_is_the_hero() -> None:
    game = game_of(small_pack(), "one", player="You")
    prompt = text_of(NARRATOR, narrator_view(game, "play", "I wait.", None, 1))
    assert '"You" is the hero, who' in prompt and "is You" not in prompt


def told_game() -> Game:
    """The island after a turn that both lived through."""
    turn = Turn(
        number=1,
        chapter=SCHOOL,
        entries=(Entry(role="player", text="I climb."), Entry(role="narrator", text="The path is white.")),
        witnesses=("maya", "joaquin"),
    )
    return game_of(ISLAND, SCHOOL, 1).with_turn(turn).with_state(turn=1)


def test_all_clerks_of_a_turn_begin_alike_and_know_who_is_you() -> None:
    game = told_game()
    turn = game.turns[1]
    prompts = [
        text_of(PROGRESS, progress_view(game, [turn], 1)),
        *(text_of(FACTS, memory_view_of(game, name, [1])) for name in ("maya", "joaquin")),
    ]
    shared = "WHAT JUST HAPPENED\n\n> Sam: I climb.\n\nThe path is white."
    assert all(shared in prompt and '"You" in the pages is Sam' in prompt for prompt in prompts)
    assert len({prompt.partition(shared)[0] for prompt in prompts}) == 1
    assert "This is Maya Chen, " in prompts[1]
    task = prompts[1].partition("This is ")[0]
    assert "Mostly nothing or one line" in task and prompts[2].startswith(task), (
        "the second witness's differs at its end"
    )


@pytest.mark.parametrize(
    ("length", "words"),
    [("short", "in one sentence:"), ("normal", "one or two sentences:"), ("long", "two to four sentences:")],
)
def test_a_small_model_is_asked_for_a_short_reply_and_for_no_marks(length: Length, words: str) -> None:
    game = told_game()
    point = replace(viewpoint_of(game, "maya", (), game.state.present), length=length)
    whole, brief = (text_of(CHARACTER, replace(point, is_brief=small)) for small in (False, True))
    assert words in brief and "in double quotes" not in brief
    assert words not in whole and "in double quotes" in whole


def test_all_who_read_told_pages_begin_alike() -> None:
    game = told_game()
    turns = tuple(game.turns.values())
    views = {"maya": (1,), "joaquin": (1,)}
    game = game.with_state(views=views, rolling_summary="They came inland.")
    point = viewpoint_of(game, "maya", (), game.state.present)
    prompts = [
        text_of(NARRATOR, narrator_view(game, "play", "", None, 1)),
        text_of(CHARACTER, point),
        text_of(IDEAS, suggestion_view(game, "ideas")),
        text_of(REFLECTION, ReflectionView(story=point.story, point=point)),
        text_of(RECAP, recap_view(game, game.chapter)),
        text_of(SUMMARY, summary_view(game, "", turns)),
        text_of(MOMENT, moments_view(game, turns)),
    ]
    world = NARRATOR.sections(narrator_view(game, "play", "", None, 1), {})[0].text
    assert all(prompt.startswith(f"{world}\n\nI climb.\n\nThe path is white.\n\n") for prompt in prompts)


def test_progress_is_asked_of_the_next_open_beats_only_and_sees_the_page_before() -> None:
    game = told_game()
    first = game.turns[1]
    page = Entry(role="narrator", text="The chapel is locked.\n\nYou sneeze.")
    for turn in ({"entries": (first.entries[0], page)}, {"number": 2}):
        game = game.with_turn(first.model_copy(update=turn))
    prompt = text_of(PROGRESS, progress_view(game, [game.turns[2]], 1))
    asked = [line for line in prompt.partition("Has this happened")[2].splitlines() if line[1:2] == "."]
    assert [line[:12] for line in asked] == ["1. The chape", "2. Joaquin w", "3. Maya conf", "4. From the "]
    earlier = prompt.partition("The path is white.\n\nTHE PAGE BEFORE")[2]
    assert "The chapel is locked.\n\nYou sneeze." in earlier


def test_a_beat_that_was_not_reached_stands_in_no_recap_prompt() -> None:
    game = game_of(ISLAND, SCHOOL, 5)
    prompt = text_of(RECAP, recap_view(game, game.chapter))
    assert "A whitewashed path leads inland" in prompt and "From the ridge" not in prompt


def test_what_comes_back_from_long_ago_is_new_to_the_prompt_and_told_once() -> None:
    game = game_of(shipped_pack("salt-road"), "02-the-toll")
    told = "5 The sea is coming back two nights early.\n6 Wyn traded a coat for a letter about the sea.\n"
    again = "7 Wyn traded a coat at the market for a letter about the sea."
    game = game.with_state(
        chronicle=told + again, last_summarized_turn=9, rolling_summary="They walked on."
    ).with_recap(
        Recap(chapter="01-the-ebb", title="The Ebb", text="Imke saw the sea coming back two nights early.")
    )
    view = narrator_view(game, "play", "I read the letter by the sea.", None, 1)
    assert view.recalled == ("Wyn traded a coat at the market for a letter about the sea.",)


def test_the_narrator_is_told_what_it_must_not_tell_again() -> None:
    game = game_of(small_pack(), "one")
    told = narrator_view(game, "play", "→ Ann: it is gone (and I am glad).", None, 1)
    prompt = " ".join(section.text for section in NARRATOR.sections(told, {}))
    assert "Only Ann Lee hears my line; the page leaves its words out." in prompt
    assert "What stands in (parentheses) I only think; the page leaves it out." in prompt
    plain = narrator_view(game, "play", "I tell Ann that it is gone.", None, 1)
    assert "leaves" not in " ".join(section.text for section in NARRATOR.sections(plain, {}))
