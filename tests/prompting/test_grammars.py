"""Grammars that hold small models: names stand in them as the server's parser reads them."""

import re

import pytest

from theact_tui.agents.prose_grammar import page_grammar, reply_grammar

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


@pytest.mark.parametrize(
    ("so_far", "page", "reply"),
    [
        ("The lamp gutters.", '("\\n\\n" | " "?) text', '" "? (speech | act)'),
        ("The lamp", "text", '(text | " "? speech)'),
        ("“Go now.", "[^", "[^"),
        ('She turns. "', "[^", "[^"),
        ("“Go,” she says", "text", '(text | " "? speech)'),
    ],
)
def test_a_rest_ends_the_sentence_or_speech_that_was_cut_and_may_be_nothing(
    so_far: str, page: str, reply: str
) -> None:
    root = page_grammar("", "normal", so_far).split("\n")[0]
    assert root.startswith(f"root ::= ({page}") and root.endswith(")?")
    root = reply_grammar("Ann", "third", "", "normal", speaks_first=True, so_far=so_far).split("\n")[0]
    assert root.startswith(f"root ::= ({reply}") and root.endswith(")?")


def test_somebody_speaks_in_every_reply() -> None:
    deed, said = (
        reply_grammar("Ann", "third", "", "normal", speaks_first=first).split("\n")[0]
        for first in (False, True)
    )
    assert deed.startswith('root ::= act " " speech') and said.startswith("root ::= speech")
