"""The storyteller as a model: pieces, pace, usage."""

from typing import cast

import pytest

from tests.support.storyteller_games import new_game
from theact_tui.errors import CallError
from theact_tui.models.model import Model, Piece, Request, View
from theact_tui.prompting.sections import Prompt
from theact_tui.story.agent_views import narrator_view, progress_view
from theact_tui.story.direct.records import SessionRecord
from theact_tui.story.direct.views import ChapterView, StructuredMemory
from theact_tui.story.pack import Pack
from theact_tui.storyteller import Storyteller


def ask(agent: str, view: View | None) -> Request:
    prompt = Prompt(sections=(), tokens=321, limit=8192)
    return Request(agent=agent, key=agent, prompt=prompt, max_tokens=600, temperature=1.0, view=view)


async def pieces(teller: Storyteller, request: Request) -> list[Piece]:
    return [piece async for piece in teller.stream(request)]


@pytest.mark.parametrize("pace", [None, 100_000.0])
async def test_the_pieces_are_the_reply_and_the_last_one_says_stop(pack: Pack, pace: float | None) -> None:
    teller = Storyteller(pack, 1, pace)
    view = narrator_view(new_game(pack), "opening", "", None, 1)
    got = await pieces(teller, ask("narrator", view))
    assert "".join(piece.text for piece in got) == teller.answer("narrator", view)
    assert len(got) > 2
    assert [piece.finish for piece in got if piece.finish] == ["stop"]
    assert got[-1].usage.prompt == 321
    assert (got[-1].usage.completion or 0) > 10


async def test_with_a_pace_the_prose_comes_word_by_word(pack: Pack) -> None:
    teller = Storyteller(pack, 1, 100_000.0)
    view = narrator_view(new_game(pack), "opening", "", None, 1)
    texts = [piece.text for piece in await pieces(teller, ask("narrator", view))]
    assert all(len(text.split()) == 1 for text in texts[:-1])


async def test_bookkeeping_is_not_paced(pack: Pack) -> None:
    teller = Storyteller(pack, 1, 0.001)
    got = await pieces(teller, ask("progress", progress_view(new_game(pack), [], 1)))
    assert got[-1].finish == "stop"


async def test_d4_offline_a_chapter_is_there_at_once() -> None:
    memory = StructuredMemory(lock={})
    view = ChapterView(
        cast=SessionRecord(session_id="s"), voice="", memory=memory, corrections=(), exchanges=()
    )
    got = await pieces(Storyteller(None, 1, 0.001), ask("chapter", cast("View", view)))
    assert got[-1].finish == "stop"


async def test_an_unknown_agent_is_a_call_error(pack: Pack) -> None:
    with pytest.raises(CallError, match="no part"):
        await pieces(Storyteller(pack, 1), ask("painter", cast("View", object())))


def test_it_is_a_model(pack: Pack) -> None:
    model: Model = Storyteller(pack, 1)
    assert (model.provider, model.name, model.window) == ("storyteller", "offline storyteller", 8192)
    assert model.max_parallel == 4
