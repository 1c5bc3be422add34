"""Malformed replies, each with what a careful reader finds in it."""

from __future__ import annotations

import pytest

from tests.reading.cases import Case, right_fields
from tests.reading.corpus_fifth import FIFTH
from tests.reading.corpus_fourth import FOURTH
from tests.reading.corpus_narrator import NARRATOR_CASES
from tests.reading.corpus_others import OTHER_CASES
from tests.reading.corpus_second import SECOND
from tests.reading.corpus_sixth_others import SIXTH
from tests.reading.corpus_third import THIRD
from tests.reading.corpus_unseen import UNSEEN
from tests.reading.mangle import mangled
from theact_tui.models.reading import read

SEEN = (*NARRATOR_CASES, *OTHER_CASES, *SECOND, *THIRD, *FOURTH, *FIFTH, *SIXTH)


@pytest.mark.parametrize("case", SEEN, ids=[case.id for case in SEEN])
def test_a_reply_is_read_as_a_careful_reader_would(case: Case) -> None:
    reading = read(case.agent, case.raw, case.context)
    right, of = right_fields(case, reading.ok, reading.fields)
    assert right == of, (reading.ok, reading.fields, reading.steps)


def test_replies_kept_out_of_sight_are_read_as_well() -> None:
    counts = [_score(case) for case in UNSEEN]
    assert sum(right == of for right, of in counts) >= 0.9 * len(UNSEEN)
    assert sum(right for right, _ in counts) >= 0.95 * sum(of for _, of in counts)


@pytest.mark.parametrize("case", [c for c in (*SEEN, *UNSEEN) if c.fields is None], ids=lambda case: case.id)
def test_what_holds_no_answer_is_a_failure_that_names_what_is_missing(case: Case) -> None:
    reading = read(case.agent, case.raw, case.context)
    assert not reading.ok
    assert reading.missing


@pytest.mark.parametrize("agent", ["narrator", "progress", "memory", "keeper"])
def test_accidents_of_writing_do_not_hide_an_answer(agent: str) -> None:
    counts = [_score(case) for case in mangled(agent, 150, seed=2026)]
    assert sum(right == of for right, of in counts) >= 0.97 * len(counts)


def _score(case: Case) -> tuple[int, int]:
    reading = read(case.agent, case.raw, case.context)
    return right_fields(case, reading.ok, reading.fields)
