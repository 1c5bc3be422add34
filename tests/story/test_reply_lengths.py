"""No reply within the bounds keeps the sentence splitters busy, however often a sign comes in it."""

import pytest

from tests.support.cpu_time import cpu_seconds
from theact_tui.sentences import sentence_spans

SIGNS = ("“", "a“", '"', "” “", "«", "‘", "(", "*", ". ", "...", "。")
LONGEST = 16_000
"""Characters."""


@pytest.mark.parametrize("sign", SIGNS)
def test_no_sign_takes_long_to_split_into_sentences(sign: str) -> None:
    assert cpu_seconds(lambda: sentence_spans((sign * LONGEST)[:LONGEST])) < 0.5
