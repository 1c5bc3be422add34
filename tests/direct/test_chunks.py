"""When summaries are due (D0, D3, D9)."""

import pytest

from theact_tui.story.direct.notes_due import next_chunk


@pytest.mark.parametrize(
    ("index", "boundary", "ending", "expected"),
    [
        (0, 0, False, None),
        (6, 0, False, None),
        (7, 0, False, (1, 7)),
        (8, 0, False, (1, 7)),
        (14, 0, False, (1, 7)),
        (14, 7, False, (8, 14)),
        (9, 2, False, (3, 9)),
        (13, 7, False, None),
        (23, 21, False, None),
        (23, 21, True, (22, 23)),
        (23, 7, True, (8, 14)),
        (23, 23, True, None),
        (0, 0, True, None),
    ],
)
def test_d3_d9_summaries_are_due_by_chunks_and_a_backlog_is_done_chunk_by_chunk(
    index: int, boundary: int, ending: bool, expected: tuple[int, int] | None
) -> None:
    assert next_chunk(index, index - boundary, ending=ending) == expected
