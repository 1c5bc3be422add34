"""Malformed replies, each with what a careful reader finds in it."""

from __future__ import annotations

import pytest

from tests.parsing.cases import ISLAND, ReplyCase, cases, held_out, is_right
from tests.parsing.test_laws import assert_known, assert_said
from theact_tui.parsing import parse

MISSED = {
    *"d04-one-object d05-between-text d08-markdown l05-strings-for-lists l07-flat l09-markdown".split(),
    *"m18-lists m19-replace-with m31-json-inner-quotes m54-operations n07-schema p23-one-line".split(),
    *"p38-sentence p40-either s08-xml-unclosed s16-yaml-in-json s17-json-in-json s21-table u12".split(),
    *"u36 u52 v22 v58 w25-correction x06 x16 x21 x34 x53 x54 x57 x70 x71 x72 x73 x74 x76 x90 y10".split(),
    *"y21 y22 y48 y53 y63 y67".split(),
    "sixth memory JSON inside a JSON string",
    "sixth memory a remark behind a hash",
    "sixth memory objects side by side",
    "sixth narrator YAML in a JSON string",
    "sixth narrator a correction of itself",
}
"""Replies of rare shapes of which one field is lost: too few models write them to pay for code of their own."""
CASES = tuple(case for case in cases() if case.id not in MISSED)
RARE = tuple(case for case in cases() if case.id in MISSED)


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_a_reply_is_read_as_a_careful_reader_would(case: ReplyCase) -> None:
    reply = parse(case.agent, case.raw, case.context)
    assert is_right(case, reply.ok, reply.fields), (reply.ok, reply.fields, reply.steps)
    assert bool(reply.missing) is (case.fields is None)


@pytest.mark.parametrize("case", RARE, ids=[case.id for case in RARE])
def test_what_is_lost_of_a_rare_shape_is_not_made_up(case: ReplyCase) -> None:
    reply = parse(case.agent, case.raw, case.context)
    assert not is_right(case, reply.ok, reply.fields), "read by now: take it from the list"
    assert_said(reply, case.raw)
    if case.context is ISLAND:
        assert_known(reply)


def test_most_replies_are_read_that_the_reader_was_not_written_for() -> None:
    """They were written down, with what they say, before the reader was made smaller and without a look at what it made
    of them. Of the 165 that are still asked for it read 155 then."""
    wrong = [case.id for case in held_out() if not _reads(case)]
    assert len(wrong) <= 11, wrong


def _reads(case: ReplyCase) -> bool:
    reply = parse(case.agent, case.raw, case.context)
    return is_right(case, reply.ok, reply.fields)
