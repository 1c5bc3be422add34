"""Malformed replies, each with what a careful reader finds in it."""

from __future__ import annotations

import pytest

from tests.parsing.cases import ReplyCase, cases, is_right
from tests.parsing.mangle import mangled
from theact_tui.parsing import parse

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_a_reply_is_read_as_a_careful_reader_would(case: ReplyCase) -> None:
    reply = parse(case.agent, case.raw, case.context)
    assert is_right(case, reply.ok, reply.fields), (reply.ok, reply.fields, reply.steps)
    assert bool(reply.missing) is (case.fields is None)


@pytest.mark.parametrize("agent", ["narrator", "progress", "memory", "keeper"])
def test_accidents_of_writing_do_not_hide_an_answer(agent: str) -> None:
    wrong = [case.raw for case in mangled(agent, 150, seed=2026) if not _reads(case)]
    assert wrong == []


def _reads(case: ReplyCase) -> bool:
    reply = parse(case.agent, case.raw, case.context)
    return is_right(case, reply.ok, reply.fields)
