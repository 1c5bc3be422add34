"""Where a page is to go, chosen by what was told lately."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.packs import shipped_pack, with_card, with_chapter
from theact_tui.agents.narrator import NARRATOR
from theact_tui.story.agent_views import narrator_view
from theact_tui.story.game import Game, new_game
from theact_tui.story.memory import Fact, FactsMemory
from theact_tui.story.pacing import Lead, lead_of, passed_by, record_return
from theact_tui.story.pack import Pack
from theact_tui.story.secrets import decisions_of
from theact_tui.story.turn import Decisions, Ruling, Turn

PACK = shipped_pack("guest-in-nine")
KEYS, FORKS, TRAY, *_ = PACK.first_chapter.beats
SALT = shipped_pack("salt-road")
FREE = SALT.first_chapter.beats[2]
MULE = with_chapter(SALT, SALT.first_chapter.id, by={FREE: "player"}, offers={FREE: "The mule sinks"})


def at(turn: int, *, beat: int = 0, hit: int = 0, pack: Pack = PACK, led: tuple[str, ...] = ()) -> Game:
    """A game after a turn, its last beat in turn `beat`; `led`: leads of the last turns, about the next beat."""
    game = new_game(pack, title="T", player="Jo Pellew", seed=1, created="")
    game = game.with_state(turn=turn, last_beat_turn=beat, beats_hit=pack.first_chapter.beats[:hit])
    next_beat = next(iter(game.unmet_beats), "")
    ways = ("",) * (len(led) == 0) + led
    turns = [
        Turn(number=n, chapter=game.state.chapter, decisions=Decisions(lead=way, next_beat=next_beat))
        for n, way in enumerate(ways, turn + 1 - len(ways))
    ]
    return replace(game, turns={one.number: one for one in turns})


def task(game: Game, line: str, *, people_speak: bool = True) -> str:
    view = narrator_view(game, "play", line, None, 1, people_speak=people_speak)
    return "\n".join(one.text for one in NARRATOR.sections(view, {}))


@pytest.mark.parametrize(
    ("game", "way", "words"),
    [
        (at(4, beat=4), "beat", f"Then tell one of these, the one my line leads to, else the first: {KEYS}; or {FORKS}"),
        (at(7, beat=4), "complicate", "Then something gets in the way"),
        (at(11, beat=4), "another way", f"Then let it come another way, through somebody else or elsewhere: {KEYS}."),
        (at(14, beat=4), "meanwhile", f"meanwhile, out of sight, this has happened: {KEYS}."),
        (at(4, beat=4, hit=5), "end", "Then let something that is open be paid, and the chapter end: The player has"),
        (at(4, beat=4, hit=2, pack=MULE), "offer", f"Only I can do this: {FREE}."),
        (at(5, beat=4, hit=2, pack=MULE, led=("offer",)), "course", "nor agrees to it, somebody else does it"),
    ],
)  # fmt: skip
def test_a_page_brings_one_thing(game: Game, way: str, words: str) -> None:
    assert lead_of(game, "I nod.").way == way
    assert words in task(game, "I nod.")


def test_the_second_page_before_a_choice_passes_it_and_a_last_one_stays_the_players() -> None:
    course = at(6, beat=4, hit=2, pack=MULE, led=("offer", "course"))
    assert [passed_by(turn) for turn in course.turns.values()] == ["", FREE]
    passed = course.with_state(passed=(FREE,))
    assert FREE not in passed.unmet_beats and lead_of(passed, "I nod.").beat != FREE
    chapter = MULE.first_chapter
    pack = with_chapter(MULE, chapter.id, beats=chapter.beats[:3])
    left_alone = [at(6, beat=4, hit=2, pack=pack, led=led) for led in _GROWING]
    assert [lead_of(game, "I nod.").way for game in left_alone] == ["offer", "worse", "worse", "worse"]
    earlier = "Then something that I did, took or promised earlier comes to light and bears on this, which only I can"
    assert f"{earlier} do, and a yes does it: {FREE}." in task(left_alone[1], "I nod.")
    brief = task(left_alone[1], "I nod.", people_speak=False)
    assert f"Then it gets worse and does not wait: {MULE.first_chapter.offers[FREE]}. " in brief


_GROWING: list[tuple[str, ...]] = [(), ("offer",), ("offer", "worse"), ("offer", "worse", "worse")]


def test_direction_and_a_missed_throw_come_first_and_put_the_beat_off() -> None:
    game = at(4, beat=4)
    assert lead_of(game, "I nod.", is_directed=True, is_missed=True) == Lead("direction", KEYS)
    assert lead_of(game, "I nod.", is_missed=True) == Lead("price", KEYS)
    ruling = Ruling(resolution="3 against 12", roll=3, difficulty=12, risk="I nod")
    told = "\n".join(s.text for s in NARRATOR.sections(narrator_view(game, "play", "I nod.", ruling, 1), {}))
    assert f"Later: {KEYS}." in told and "before my eyes" not in told


def test_of_all_leads_exactly_one_orders_something() -> None:
    for since in range(12):
        for hit in range(6):
            for pack in (PACK, MULE):
                for line in ("", "I nod.", "Teddy, come here!"):
                    told = task(at(4 + since, beat=4, hit=hit, pack=pack), line)
                    assert sum(told.count(order) for order in _ORDERS) == 1, (since, hit, line)


_ORDERS = (
    "Then, in full: ", "Then tell one of these, ", "Then tell this: ", "Then let ", "Then something ", "Then it gets worse",
    "Tell in one sentence ",
)  # fmt: skip


def test_the_line_chooses_among_the_next_beats() -> None:
    chapter = PACK.first_chapter
    lead = lead_of(at(4, beat=4), "I nod.")
    assert lead == Lead("beat", KEYS, choices=((KEYS,), (FORKS, TRAY), (chapter.beats[3],)))
    left = at(4, beat=4, hit=3)
    assert lead_of(left, "I nod.").choices == ((chapter.beats[3],),), (
        "the last beat ends the chapter: not before its time"
    )
    assert f"Then tell this: {chapter.beats[3]}." in task(left, "I nod.")
    for game in (at(4, beat=4), left):
        assert "Tell no more of it than one good page holds; the rest comes next." in task(game, "I nod.")
    owning_up = with_card(PACK, "dorothy", reveal=f"{chapter.id}/2")
    before = lead_of(at(4, beat=4, pack=owning_up), "I nod.")
    assert (FORKS, TRAY) not in before.choices, "a confession is not chosen before its page"
    own_page = at(4, beat=4, hit=1, pack=owning_up)
    assert lead_of(own_page, "I nod.").is_confession
    assert "not come out in one speech" in task(own_page, "I nod.")


def test_what_the_player_did_earlier_bears_on_the_end_of_a_chapter() -> None:
    bears = "One of them has noticed something that I did, took or promised earlier; it bears on this, and stays between us."
    pack = with_chapter(SALT, SALT.first_chapter.id, by={SALT.first_chapter.beats[-1]: "player"})
    last = len(pack.first_chapter.beats) - 2
    assert bears in task(at(6, beat=6, hit=last, pack=pack), "I nod."), "only a choice comes after it"
    assert bears in task(at(6, beat=6, hit=4), "I nod.")
    assert bears not in task(at(6, beat=6, hit=2), "I nod.") and bears not in task(at(6, beat=6), "I nod.")
    assert bears not in task(at(6, beat=6, hit=4), "I nod.", people_speak=False)


def test_a_choice_is_offered_behind_the_beat_before_it_and_nothing_comes_before_it() -> None:
    before_a_choice = at(4, beat=4, hit=1, pack=MULE)
    beat = MULE.first_chapter.beats[1]
    assert lead_of(before_a_choice, "I nod.") == Lead("beat", beat, then=FREE, choices=((beat,),))
    sinks = MULE.first_chapter.offers[FREE]
    assert f"The page ends with this, in full: {sinks}. Only I can do this: {FREE}." in task(
        before_a_choice, "I nod."
    )
    offered = Decisions(lead="beat", next_beat=MULE.first_chapter.beats[1], then=FREE)
    game = at(5, beat=5, hit=2, pack=MULE)
    for told, way in (((offered.next_beat,), "course"), ((), "offer")):
        turn = game.turns[5].model_copy(update={"decisions": offered, "new_beats": told})
        assert lead_of(replace(game, turns={5: turn}), "I nod.").way == way, "a page may not come to its end"
    assert not lead_of(before_a_choice, "I nod.", people_speak=False).then, (
        "a brief page offers nothing behind a beat"
    )
    assert lead_of(at(7, beat=4), "I nod.").then == "", "where something gets in the way nothing follows"


def test_a_small_beat_is_told_on_the_page_of_the_beat_before_if_its_author_says_so() -> None:
    pack = with_chapter(PACK, PACK.first_chapter.id, same_page=(FORKS,))
    lead = lead_of(at(4, beat=4, pack=pack), "I nod.")
    assert lead.choices[0] == (KEYS, FORKS)
    assert f"{KEYS}, and on the same page: {FORKS}; or " in task(at(4, beat=4, pack=pack), "I nod.")


def test_a_beat_that_comes_another_way_offers_no_choice_behind_it() -> None:
    late = at(11, beat=4, hit=1, pack=MULE)
    assert (lead_of(late, "I nod.").way, lead_of(late, "I nod.").then) == ("another way", "")


def test_nothing_leads_where_a_story_begins_or_after_its_end() -> None:
    start = new_game(PACK, title="T", player="Jo", seed=1, created="")
    for game in (start, at(5).with_state(game_complete=True)):
        assert lead_of(game, "Where?").way == ""
    assert "the chapter end: " not in task(start, "I nod.")


def test_nothing_gets_in_the_way_of_a_line_that_calls_somebody_or_waits() -> None:
    for line in ("", "Teddy, come here!"):
        assert lead_of(at(7, beat=4), line).way == "beat"


def test_people_who_do_not_speak_on_the_page_do_their_beat_in_an_answer() -> None:
    lead = lead_of(at(4, beat=4), "I nod.", people_speak=False)
    assert lead == Lead("beat", KEYS, actor="dorothy")
    told = task(at(4, beat=4), "I nod.", people_speak=False)
    assert "lead up to this, which Dorothy Vane does in the answer after the page: " in told
    assert "Dorothy Vane will answer after the page." in told and "Nobody speaks yet." in told


def test_a_model_that_does_not_read_the_truth_reads_what_can_be_found() -> None:
    game = at(4, beat=4)
    view = narrator_view(game, "play", "I nod.", None, 1)
    shown, hidden = (
        "\n".join(s.text for s in NARRATOR.sections(replace(view, truth=truth), {}))
        for truth in (view.truth, "")
    )
    clues = PACK.first_chapter.clues
    assert not any(clue in shown for clue in clues) and view.truth.strip() in shown
    assert sum(f"To be found here: {clue}." in hidden for clue in clues) == 1
    assert "by its deed" not in hidden.casefold()
    assert len({_clue_at(turn) for turn in range(4, 4 + len(clues))}) == len(clues), "one a page, by turns"


def _clue_at(turn: int) -> str:
    view = replace(narrator_view(at(turn, beat=turn), "play", "I nod.", None, 1), truth="")
    told = "\n".join(section.text for section in NARRATOR.sections(view, {}))
    return told.partition("To be found here: ")[2].splitlines()[0]


class Owing(Fact):
    """A fact of a kind."""

    kind: Any = ""


def owing(game: Game, *facts: tuple[str, int, str], only: str = "") -> Game:
    lines = tuple(Owing(text=text, turn=turn, important=True, kind=kind) for text, turn, kind in facts)
    for holder in [only] if only else game.state.present:
        game = game.with_memory(holder, FactsMemory(key_facts=lines))
    return game


def test_a_promise_comes_back_once_and_not_too_often() -> None:
    promise, gift = ("Jo promised Teddy a song.", 2, "promise"), ("Jo gave Teddy a coin.", 3, "gift")
    game = owing(at(9, beat=7), gift, promise, ("Teddy wore a tie.", 1, "none"))
    assert lead_of(game, "I nod.") == Lead("come back", KEYS, promise[0])
    assert f"Then let this matter again: {promise[0]}" in task(game, "I nod.")
    assert decisions_of(game, lead_of(game, "I nod.")).returns == promise[0]
    told = record_return(game.with_state(turn=10, last_beat_turn=8), promise[0])
    assert told.state.came_back == {promise[0]: 10}
    assert lead_of(told.with_state(turn=12, last_beat_turn=10), "I nod.").way == "beat"
    again = told.with_state(turn=13, last_beat_turn=11)
    assert lead_of(again, "I nod.") == Lead("come back", KEYS, gift[0]), "each comes back once"
    secretly = owing(at(9, beat=7), promise, only="teddy")
    assert lead_of(secretly, "I nod.").way == "beat", "Dorothy is there, who does not know of it"
    summary = "Dorothy promised nothing. Teddy sat down. A song came from the street."
    told = secretly.with_memory("dorothy", FactsMemory(summary=summary))
    assert lead_of(told, "I nod.").way == "beat", (
        "its words are strewn over her summary, which does not tell it"
    )
    alone = secretly.with_state(present=("teddy",))
    assert lead_of(alone, "I nod.") == Lead("come back", KEYS, promise[0])
    reworded = "Jo has promised a song to Teddy."
    assert lead_of(alone.with_state(came_back={reworded: 2}), "I nod.").way == "beat", "in other words"
    for unnamed in ("She promised Teddy a song.", "Er versprach Teddy ein Lied.", "彼は歌を約束した。"):
        assert lead_of(owing(at(9, beat=7), (unnamed, 2, "promise")), "I nod.").way == "beat", "who did?"
    young = owing(at(5, beat=3), promise)
    assert lead_of(young, "I nod.").way == "beat"
    away = owing(at(9, beat=7), promise, only="ines")
    assert lead_of(away, "I nod.").way == "beat", "its holder is not there"
    for beat in (7, 8):
        just = owing(at(8, beat=beat), promise)
        assert lead_of(just, "I nod.").way == "beat", (
            "while beats come, or one waits for a line, the next one does"
        )


def test_a_beat_that_was_about_to_begin_was_no_offer() -> None:
    announced = Decisions(lead="beat", next_beat=KEYS, then=FORKS)
    game = at(7, beat=4, hit=1)
    told = Turn(number=4, chapter=game.state.chapter, decisions=announced, new_beats=(KEYS,))
    assert lead_of(replace(game, turns={4: told, **game.turns}), "I nod.").way == "complicate"


def test_a_page_may_tell_an_occasion_word_for_word_and_repeats_no_other_order() -> None:
    last = PACK.chapters["03-checking-out"]
    (write,), (occasion,) = last.offers.keys(), last.offers.values()
    game = at(9, beat=9).with_state(chapter=last.id, beats_hit=last.beats[:-2])
    for told in (game, game.with_state(beats_hit=last.beats[:-1])):
        view = narrator_view(told, "play", "I nod.", None, 1)
        assert occasion in "\n".join(one.text for one in NARRATOR.sections(view, {}))
        assert NARRATOR.echoes is not None
        echoes = NARRATOR.echoes(view, {})
        assert echoes.cut(f"Nobody sat. {occasion}.") == f"Nobody sat. {occasion}."
        assert echoes.cut(f"Nobody sat. Only I can do this: {write}.") == "Nobody sat."
