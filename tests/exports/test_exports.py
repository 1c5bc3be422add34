"""S12, S13: books in every format, with text from models and players as text."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest

from theact_tui.errors import UsageError
from theact_tui.exports import render
from theact_tui.exports.book import Book, Leaf
from theact_tui.story.turn import Entry, Turn

HOSTILE = "<script>alert(1)</script> [a](javascript:b) **x** & # not a heading\n\n- not a list\n\n1. nor this"


def book(text: str = "The tide is out.", title: str = "The Tide") -> Book:
    turn = Turn(
        number=1,
        chapter="one",
        entries=(
            Entry(role="narrator", text=text),
            Entry(role="player", text=f"I say: {text}"),
            Entry(role="character", text=text, character="ann"),
            Entry(role="system", text="Long after."),
        ),
    )
    return Book(
        id="id", title=title, pack="Pack", description="About it.", player="Alex", branch="main", branch_title="main",
        created="",
        cast=(("Ann & Co", "keeper"),), names={"ann": "Ann & Co"},
        chapters=(Leaf("One", (turn,)), Leaf("Two", (turn.model_copy(update={"number": 2}),))), complete=True,
    )  # fmt: skip


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)


def test_a_turn_reads_player_first_then_what_came_of_it() -> None:
    text = render(book(), "md").decode()
    assert (
        text.index("> I say")
        < text.index("\nThe tide is out.")
        < text.index("\n**Ann & Co**")
        < text.index("Long")
    )
    assert "## 1. One" in text and "## 2. Two" in text and text.endswith("*The End*\n")


def test_a_book_of_another_branch_is_named_after_it() -> None:
    other = replace(book(), branch="what-if", branch_title="What if?")
    for format, title in (("md", "# The Tide · What if?"), ("html", "<title>The Tide · What if?</title>")):
        assert title in render(other, format).decode()
    with zipfile.ZipFile(io.BytesIO(render(other, "epub"))) as epub:
        found = [epub.read(name).decode() for name in epub.namelist() if name.endswith(".opf")]
    assert "<dc:title>The Tide · What if?</dc:title>" in found[0]
    assert json.loads(render(other, "json"))["branch"] == "what-if"


def test_hostile_text_stays_text() -> None:
    markdown = render(book(HOSTILE, title=HOSTILE), "md").decode()
    assert (
        "<script" not in markdown.replace("\\<", "")
        and "\n- not" not in markdown
        and "\n1. nor" not in markdown
    )
    page = render(book(HOSTILE, title=HOSTILE), "html").decode()
    tags = Tags()
    tags.feed(page)
    assert "script" not in tags.tags and "a" not in tags.tags and "&lt;script&gt;" in page


def test_an_epub_has_a_cover_contents_and_a_file_for_each_chapter() -> None:
    archive = zipfile.ZipFile(io.BytesIO(render(book(HOSTILE), "epub")))
    assert archive.testzip() is None and archive.namelist()[0] == "mimetype"
    assert archive.infolist()[0].compress_type == zipfile.ZIP_STORED
    pages = [name for name in archive.namelist() if name.endswith((".xhtml", ".opf", ".xml"))]
    assert {"book/cover.xhtml", "book/chapter-1.xhtml", "book/chapter-2.xhtml", "book/nav.xhtml"} <= set(
        pages
    )
    for name in pages:
        ElementTree.fromstring(archive.read(name))


def test_json_holds_the_turns_as_stored() -> None:
    document = json.loads(render(book(), "json"))
    assert (
        document["title"] == "The Tide"
        and document["chapters"][0]["turns"][0]["entries"][0]["role"] == "narrator"
    )


def test_the_same_book_gives_the_same_bytes() -> None:
    assert all(render(book(), ending) == render(book(), ending) for ending in ("md", "html", "json", "epub"))


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UsageError, match="md, html, json, epub"):
        render(book(), "pdf")
