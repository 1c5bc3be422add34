"""S12, S13: books in every format, with text from models and players as text."""

import errno
import io
import json
import os
import zipfile
from html.parser import HTMLParser
from pathlib import Path
from unicodedata import category
from xml.etree import ElementTree

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from theact_tui.errors import UsageError
from theact_tui.exports.book import Book, BookChapter, CastMember
from theact_tui.exports.write_file import render, write_export
from theact_tui.story.turn import Entry, Turn
from theact_tui.text import emphasized

HOSTILE = "<script>alert(1)</script> [a](javascript:b) **x** & # not a heading\n\n- not a list\n\n1. nor this"


def chapter(title: str, *turns: Turn) -> BookChapter:
    return BookChapter(title=title, turns=turns)


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
        cast=(CastMember(name="Ann & Co", role="keeper"),), names={"ann": "Ann & Co"},
        chapters=(chapter("One", turn), chapter("Two", turn.model_copy(update={"number": 2}))), complete=True,
    )  # fmt: skip


def changed(book: Book, **values: object) -> Book:
    return book.model_copy(update=values)


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.links: list[str | None] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.links += [value for name, value in attrs if name in ("href", "src") or name.startswith("on")]
        self.open += [tag] if tag not in ("meta", "link") else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)


def test_a_turn_reads_player_first_then_what_came_of_it() -> None:
    text = render(book(), "md").decode()
    assert (
        text.index("> You: I say")
        < text.index("\nThe tide is out.")
        < text.index("\n**Ann & Co**")
        < text.index("Long")
    )
    assert "## 1. One" in text and "## 2. Two" in text


@pytest.mark.parametrize("format", ["txt", "md", "html", "epub"])
def test_the_player_s_lines_are_said_by_you_or_left_out(format: str) -> None:
    story = book("We are here.")
    assert "You: I say: We are here." in _text_of(render(story, format))
    without = _text_of(render(changed(story, lines="none"), format))
    assert "I say" not in without and "You:" not in without and "We are here." in without


def lines_told(story: Book, *lines: str) -> list[str]:
    """The player's lines that a book of turns with these lines has."""
    turns = [
        Turn(number=number, chapter="one", entries=(Entry(role="player", text=line),))
        for number, line in enumerate(lines, 1)
    ]
    text = render(changed(story, chapters=(chapter("One", *turns),)), "txt").decode()
    return [line for line in lines if f": {line}\n" in text]


def test_lines_of_three_words_or_fewer_are_left_out_of_a_story() -> None:
    lines = ("I go on.", "Wait…", "I don't know.", "I open the door.", "待つ。", "扉をゆっくり開ける。")
    assert lines_told(book(), *lines) == ["I open the door.", "扉をゆっくり開ける。"]


def test_the_prompts_of_a_directed_chapter_stay_whole_and_are_the_game_master_s() -> None:
    directed = changed(book(), directed=True, player="Game master")
    assert lines_told(directed, "It rains.", "The bell rings.") == ["It rains.", "The bell rings."]
    assert "Game master: I say" in render(directed, "txt").decode()


def test_a_book_of_another_branch_is_named_after_it() -> None:
    other = changed(book(), branch="what-if", branch_title="What if?")
    for format, title in (("md", "# The Tide · What if?"), ("html", "<title>The Tide · What if?</title>")):
        assert title in render(other, format).decode()
    assert "<dc:title>The Tide · What if?</dc:title>" in _text_of(render(other, "epub"))
    assert json.loads(render(other, "json"))["branch"] == "what-if"


@pytest.mark.parametrize("format", ["md", "html", "epub"])
def test_the_title_of_the_pack_stands_under_another_title_only(format: str) -> None:
    other, same = render(book(), format), render(changed(book(), title="Pack"), format)
    texts = [_text_of(one) for one in (other, same)]
    assert ["Pack." in text for text in texts] == [True, False] and all("About it." in text for text in texts)


@pytest.mark.parametrize("format", ["txt", "md", "html", "epub"])
def test_a_line_that_was_kept_from_somebody_says_so(format: str) -> None:
    story = book()
    first = story.chapters[0]
    turns = tuple(turn.model_copy(update={"unaware": ("ann",)}) for turn in first.turns)
    chapters = (first.model_copy(update={"turns": turns}), *story.chapters[1:])
    kept = _text_of(render(changed(story, chapters=chapters), format))
    assert kept.count("did not hear this.") == len(turns)
    before, _, after = kept.partition("did not hear this.")
    assert "I say" in before and "The tide is out." in after
    assert "did not hear" not in _text_of(render(story, format))


def _text_of(file: bytes) -> str:
    return "\n".join(pages(file))


def test_hostile_text_stays_text_on_a_page() -> None:
    page = render(book(HOSTILE, title=HOSTILE), "html").decode()
    tags = Tags()
    tags.feed(page)
    assert not tags.open and tags.links == ["#chapter-1", "#chapter-2"]
    assert "script" not in tags.tags and "&lt;script&gt;" in page


TRICKY = (
    "<script>alert(1)</script>", "[a](javascript:b)", "![a](http://evil.example/x.png)", "**x** _y_ `z` ~~w~~", "# no",
    "#", "- no list", "+ nor this", "* nor", "1. nor that", "2) nor", "1.", "-", "---", "===", "***", "> quote",
    "| a | b |", "&lt;b&gt; &amp; &#65;", "``` \n code", "A line\nand ===\n===", "Roses\n---", "1985. A good year.",
    "\\[x\\]", "a\\", "<!-- x -->", "<http://evil.example>", "[a]: http://evil.example", "    code", "\tcode", "!",
    "Tom & Jerry!", "3.5 m", "...", "-5 degrees",
)  # fmt: skip
MARKDOWN = MarkdownIt("commonmark").enable(["table", "strikethrough"])


@pytest.mark.parametrize("text", TRICKY)
def test_every_text_comes_through_markdown_as_it_was(text: str) -> None:
    tokens = MARKDOWN.parse(render(book(text, title=text), "md").decode())
    inline = [token for token in tokens if token.type == "inline"]
    read = ["".join(_words(child) for child in token.children or ()) for token in inline]
    wanted = "\n".join(" ".join(line.split()) for line in text.strip("\n").split("\n"))
    told = "".join(piece for piece, _ in emphasized(wanted))
    assert read[1:].count(told) == 4  # narrator and character, in two chapters
    assert read[0] == wanted.replace("\n", " ")
    kinds = {child.type for token in inline for child in token.children or ()}
    assert not kinds & {"link_open", "image", "html_inline", "code_inline", "s_open"}
    assert [token.tag for token in tokens if token.type == "heading_open"] == ["h1", "h2", "h3", "h2", "h3"]
    blocks = {token.type for token in tokens}
    assert not blocks & {"fence", "code_block", "html_block", "ordered_list_open", "table_open"}
    assert [token.type for token in tokens].count("bullet_list_open") == 1


def test_what_is_stressed_is_set_in_italics() -> None:
    story = book('*Fog & rain.* "Ada!" 2 * 3 * 4, a*b*c, **now** and *never.')
    page = "<em>Fog &amp; rain.</em> “Ada!” 2 * 3 * 4, a*b*c, <em>now</em> and *never."
    assert page in render(story, "html").decode()
    assert (
        '*Fog & rain.* "Ada!" 2 \\* 3 \\* 4, a\\*b\\*c, *now* and \\*never.' in render(story, "md").decode()
    )


def _words(token: Token) -> str:
    return "\n" if token.type in ("softbreak", "hardbreak") else token.content


def test_a_verse_keeps_its_lines() -> None:
    verse = book("Full fathom five\nthy father lies.")
    assert "Full fathom five\\\nthy father lies." in render(verse, "md").decode()
    assert "<p>Full fathom five<br/>\nthy father lies.</p>" in render(verse, "html").decode()


STEERING = "A\x1b]0;owned\x07 \x1b[2Jb\x00 \u202ec \ud800 \uffff \x9bd"


@pytest.mark.parametrize("format", ["md", "html", "json", "epub"])
def test_a_book_holds_no_sign_that_acts_or_that_no_file_may_hold(format: str) -> None:
    hostile = changed(book(STEERING, title=STEERING), player=STEERING, description=STEERING, pack=STEERING)
    hostile = changed(hostile, cast=(CastMember(name=STEERING, role=STEERING),), names={"ann": STEERING})
    for text in pages(render(hostile, format)):
        assert not {sign for sign in text if sign != "\n" and category(sign) in ("Cc", "Cf", "Cs", "Cn")}
        assert "owned" not in text


def pages(file: bytes) -> list[str]:
    """All texts of a book; those that are XML are well formed."""
    if not file.startswith(b"PK"):
        return [file.decode()]
    archive = zipfile.ZipFile(io.BytesIO(file))
    for name in archive.namelist():
        if name.endswith((".xhtml", ".opf", ".xml")):
            ElementTree.fromstring(archive.read(name))
    return [archive.read(name).decode() for name in archive.namelist()]


def test_a_book_that_lost_its_names_is_still_a_book() -> None:
    """An EPUB with an empty title, creator or entry in its contents is refused by readers."""
    nameless = changed(book(title=" "), player="", pack="", description="")
    package, contents = (page for page in pages(render(nameless, "epub")) if "<dc:" in page or "<nav" in page)
    assert "<dc:title>A story</dc:title>" in package and "creator" not in package
    assert ">A story</a>" in contents
    assert "the player" not in render(nameless, "html").decode() + render(nameless, "md").decode()


@pytest.mark.parametrize("format", ["md", "html", "epub"])
def test_a_story_that_is_complete_says_so_after_its_epilogue(format: str) -> None:
    def told(book: Book) -> str:
        return "\n".join(page for page in pages(render(book, format)) if "Opening" in page or "After" in page)

    opening, ending, after = (
        Turn(number=n, chapter="one", entries=(Entry(role="narrator", text=text), *more))
        for n, text, more in (
            (1, "Opening.", ()), (2, "Ending.", (Entry(role="system", text="Long since."),)), (3, "After.", ())
        )
    )  # fmt: skip
    played_on = changed(book(), chapters=(chapter("One", opening, ending, after),))
    places = [
        told(played_on).index(words) for words in ("Ending.", "Epilogue", "Long since.", "The End", "After.")
    ]
    assert places == sorted(places)
    unsung = changed(book(), chapters=(chapter("One", opening, after),))
    assert told(unsung).index("The End") > told(unsung).index("After.")
    assert "The End" not in told(changed(unsung, complete=False))


def test_an_epub_has_a_cover_contents_and_a_file_for_each_chapter() -> None:
    file = render(book(HOSTILE), "epub")
    archive = zipfile.ZipFile(io.BytesIO(file))
    assert archive.testzip() is None and archive.namelist()[0] == "mimetype"
    assert archive.infolist()[0].compress_type == zipfile.ZIP_STORED
    parts = ("cover", "chapter-1", "chapter-2", "nav")
    assert {f"book/{part}.xhtml" for part in parts} <= {*archive.namelist()}
    assert len(pages(file)) == len(archive.namelist()), "all that are XML are well formed"


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


def exported_to(to: Path, home: Path, text: bytes = b"new") -> Path:
    return write_export(text, to, home, "The inn", "md")


@pytest.mark.posix("links")
def test_an_export_replaces_plain_files_alone_and_none_of_the_home(tmp_path: Path) -> None:
    home = tmp_path / "home"
    head = home / "saves" / "inn" / ".git" / "HEAD"
    head.parent.mkdir(parents=True)
    head.write_text("ref", "utf-8")
    plain, pipe, link = tmp_path / "a.md", tmp_path / "pipe", tmp_path / "link.md"
    plain.write_text("old", "utf-8")
    os.mkfifo(pipe)
    link.symlink_to(plain)
    through = tmp_path / "through"
    through.symlink_to(head.parent, target_is_directory=True)
    for bad in (
        head,
        home / "new.md",
        pipe,
        link,
        through / "HEAD",
        tmp_path / ("x" * 300),
        Path("/dev/null"),
    ):
        with pytest.raises(UsageError) as refused:
            exported_to(bad, home)
        assert len(refused.value.message) < 300
    assert (plain.read_text("utf-8"), head.read_text("utf-8")) == ("old", "ref")
    assert exported_to(plain, home) == plain and plain.read_text("utf-8") == "new"
    assert exported_to(home / "exports" / "b.md", home).read_text("utf-8") == "new"


def test_an_export_that_fails_leaves_the_file_before_and_nothing_beside_it(tmp_path: Path) -> None:
    def fails(file: Path) -> None:
        file.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(UsageError, match="No space left"):
        write_export(fails, tmp_path / "a.theact", tmp_path / "home", "The inn", "save")
    assert not [*tmp_path.iterdir()]
