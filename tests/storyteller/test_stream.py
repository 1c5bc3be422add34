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
    assert not pace or all(len(piece.text.split()) == 1 for piece in got[:-1]), "word by word"
    model: Model = teller
    assert (model.provider, model.name, model.window, model.max_parallel) == (
        "storyteller", "offline storyteller", 8192, 4
    )  # fmt: skip


async def test_bookkeeping_and_chapters_are_not_paced(pack: Pack) -> None:
    people, memory = SessionRecord(session_id="s"), StructuredMemory(lock={})
    chapter = ChapterView(cast=people, voice="", memory=memory, corrections=(), exchanges=())
    for agent, view in (
        ("progress", progress_view(new_game(pack), [], 1)),
        ("chapter", cast("View", chapter)),
    ):
        assert (await pieces(Storyteller(pack, 1, 0.001), ask(agent, view)))[-1].finish == "stop"


async def test_an_unknown_agent_is_a_call_error(pack: Pack) -> None:
    with pytest.raises(CallError, match="no part"):
        await pieces(Storyteller(pack, 1), ask("painter", cast("View", object())))
