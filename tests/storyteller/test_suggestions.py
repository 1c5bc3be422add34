"""Without a model, three lines are offered; the first leads to the next beat."""

from dataclasses import replace

import pytest

from tests.support.packs import shipped_pack
from tests.support.storyteller_games import Table, new_game
from theact_tui.story.agent_views import suggestion_view
from theact_tui.story.game import Game
from theact_tui.story.turn import Entry, Turn
from theact_tui.storyteller import Storyteller
from theact_tui.storyteller.book import ScriptBook


def offered(game: Game, told: str) -> list[str]:
    game.turns[1] = Turn(
        number=1, chapter=game.chapter.id, entries=(Entry(role="narrator", text=told),) if told else ()
    )
    return Storyteller(game.pack, 1).answer("ideas", suggestion_view(game, "ideas")).splitlines()


@pytest.mark.parametrize("name", ["lost-island", "salt-road", "horsell-pit"])
def test_the_first_line_leads_to_the_next_beat(name: str) -> None:
    pack = shipped_pack(name)
    game = new_game(pack)
    cues = pack.script.chapters[pack.first_chapter.id].scenes[0].cues
    lines = offered(game, "He opens a drawer. " + " ".join(f"the {cue.rstrip('.')}." for cue in cues))
    assert len(lines) == 3 and any(cue.rstrip(".") in lines[0] for cue in cues)
    assert all(line.startswith("I ") and line.endswith(".") for line in lines)
    assert not any("closer look" in line for line in offered(game, ""))


def test_who_walked_off_is_offered_the_way_back() -> None:
    game = new_game(shipped_pack("guest-in-nine")).with_state(present=())
    assert "I go back to Dorothy." in offered(game, "You go.")


@pytest.mark.parametrize("name", ["guest-in-nine", "horsell-pit"])
def test_a_question_that_is_offered_is_answered_at_once(name: str) -> None:
    """By the one who is asked, with an answer that was not given before."""
    pack, asked = shipped_pack(name), 0
    table, book = Table(pack), ScriptBook(pack, 1, "Sam")
    table.open()
    while not table.game.state.game_complete:
        view = replace(suggestion_view(table.game, "ideas"), earlier=tuple(table.turns))
        offers = table.teller.answer("ideas", view).splitlines()
        assert len(offers) == 3
        question = next((line for line in offers if line.startswith("I ask ")), "")
        if not question or table.game.state.transition:
            table.play("I wait.")
            continue
        before = {" ".join(entry.text.split()) for turn in table.turns for entry in turn.entries}
        turn, asked = table.play(question), asked + 1
        id = next(id for id in pack.characters if f"I ask {book.short(id)} " in question)
        reply = next(entry for entry in turn.entries if entry.character)
        lines = [page.passage.lines.get(id, "-") for page in book.all_pages]
        lines += [answer.line for answer in book.all_answers(id)]
        assert not turn.new_beats and reply.character == id
        assert any(" ".join(line.split()) in reply.text for line in lines), (question, reply)
        assert reply.text not in before, (question, reply)
        table.play("I wait.")
    assert asked > 5
