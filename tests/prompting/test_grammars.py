"""Grammars that hold small models: names stand in them as the server's parser reads them."""

from __future__ import annotations

import re

import pytest

from theact_tui.agents.prose_grammar import reply_grammar

ESCAPES = set('n"\\')
"""What llama.cpp's parser reads after a backslash, of those that a grammar of ours needs."""


@pytest.mark.parametrize(
    "name", ["Ann\fBell", "Ann\tBell", "Ann\x08 Bell", "Ann\x7f\x01", 'Ann "Bell" \\ Orr']
)
def test_any_name_stands_in_a_grammar(name: str) -> None:
    grammar = reply_grammar(name, "third", "", "normal", speaks_first=True)
    assert set(re.findall(r"\\(.)", grammar)) <= ESCAPES
    assert all(sign.isprintable() or sign == "\n" for sign in grammar)
    assert len(grammar.split("\n")) == len(
        reply_grammar("Ann", "third", "", "normal", speaks_first=True).split("\n")
    )
