"""Formats of a book: JSON, plain text, Markdown, HTML and EPUB."""

import io
import json
import re
import zipfile
from collections.abc import Callable
from html import escape

from theact_tui.exports.book import Book, BookChapter
from theact_tui.sentences import curly_quotes
from theact_tui.story.turn import Entry
from theact_tui.text import emphasized, unwrapped_paragraphs


def to_json(book: Book) -> str:
    turns = {"turns": {"__all__": {"steering"}}}
    stored = book.model_dump(
        mode="json", exclude={"names": True, "directed": True, "lines": True, "chapters": {"__all__": turns}}
    )
    return json.dumps({"format": 1, **stored}, ensure_ascii=False, indent=2) + "\n"


def to_text(book: Book) -> str:
    lines = [book.full_title]
    for chapter in book.chapters:
        lines += ["", chapter.title.upper()]
        for turn in chapter.turns:
            for entry in book.entries(turn):
                name = book.speaker(entry)
                lines += ["", f"{name}: {entry.text}" if name else entry.text]
                lines += [f"({missed})"] if (missed := book.missed_by(turn, entry)) else []
    return "\n".join(lines) + "\n"


def _text(book: Book, entry: Entry) -> str:
    is_line = entry.role == "player" and not book.directed
    return f"{book.speaker(entry)}: {entry.text}" if is_line else entry.text


def _set(text: str, escaped: Callable[[str], str], mark: str) -> str:
    """Escape a text and put `mark` around stressed parts."""
    pieces = emphasized(text)
    return "".join(mark.format(escaped(piece)) if stressed else escaped(piece) for piece, stressed in pieces)


# --- Markdown -------------------------------------------------------------------------------------------------------

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~]|&(?=#?\w+;))")
_AT_THE_BEGINNING = re.compile(r"^(\d{1,9}(?=[.)](?:\s|$))|(?=[-+](?:[\s-]|$))|(?==+$))")
"""Start of a line that Markdown would read as list, rule or heading."""


def to_markdown(book: Book) -> str:
    subtitle = f"*{_plain(book.subtitle)}*" if book.subtitle else ""
    parts = [f"# {_plain(book.full_title)}", f"{subtitle} {_plain(book.description)}".strip()]
    cast = [f"- **{_plain(name)}**{_plain(role)}" for name, role in book.members]
    parts += ["\n".join(cast)] if cast else []
    end = book.end
    for number, chapter in enumerate(book.chapters, 1):
        parts.append(f"## {number}. {_plain(chapter.title)}")
        for turn in chapter.turns:
            for entry in book.entries(turn):
                missed = book.missed_by(turn, entry)
                parts.append(_entry_markdown(book, entry) + (f"\n>\n> *{_plain(missed)}*" if missed else ""))
            parts += ["*The End*"] if turn is end else []
    return "\n\n".join(parts) + "\n"


def _entry_markdown(book: Book, entry: Entry) -> str:
    lines = ["\\\n".join(map(_line, part.split("\n"))) for part in unwrapped_paragraphs(_text(book, entry))]
    match entry.role:
        case "player":
            return "\n>\n".join("> " + part.replace("\n", "\n> ") for part in lines)
        case "character":
            return "\n\n".join([f"**{_plain(book.speaker(entry))}**", *lines])
        case "system":
            return "\n\n".join(["### Epilogue", *lines])
        case _:
            return "\n\n".join(lines)


def _line(text: str) -> str:
    return _begun(_set(" ".join(text.split()), _escaped, "*{}*"))


def _plain(text: str) -> str:
    return _begun(_escaped(" ".join(text.split())))


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _begun(line: str) -> str:
    return _AT_THE_BEGINNING.sub(r"\1\\", line, count=1)


# --- HTML -----------------------------------------------------------------------------------------------------------

_STYLE = """
body { max-width: 36em; margin: 3em auto; padding: 0 1em; font: 1.1em/1.6 Georgia, serif; color: #222; }
h1, h2, h3 { font-weight: normal; } h2 { margin-top: 3em; }
nav ol { list-style: none; padding: 0; } a { color: inherit; }
.cast, .player, .end { color: #666; } .player { padding-left: 1em; border-left: 2px solid #bbb; }
.end { text-align: center; } .missed { font-size: .85em; }
.name { font-variant: small-caps; letter-spacing: .05em; margin: 1.4em 0 0; }
.name + p { margin-top: .2em; } .epilogue { border-top: 1px solid #bbb; margin-top: 3em; padding-top: 1em; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } .cast, .player, .end { color: #999; } }
"""


def to_html(book: Book) -> str:
    chapters = "\n".join(
        f'<section id="chapter-{number}">\n{_chapter_html(book, chapter, number)}\n</section>'
        for number, chapter in enumerate(book.chapters, 1)
    )
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(book.language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(book.full_title)}</title>\n'
        f"<style>{_STYLE}</style>\n</head>\n<body>\n{_cover_html(book)}\n{_contents(book)}\n{chapters}\n</body>\n</html>\n"
    )


def _contents(book: Book) -> str:
    if len(book.chapters) < 2:
        return ""
    lines = "\n".join(
        f'<li><a href="#chapter-{number}">{number}. {escape(chapter.title)}</a></li>'
        for number, chapter in enumerate(book.chapters, 1)
    )
    return f"<nav>\n<ol>\n{lines}\n</ol>\n</nav>"


def _cover_html(book: Book) -> str:
    cast = "\n".join(f"<li>{escape(name + role)}</li>" for name, role in book.members)
    about = " ".join(
        filter(None, (f"<i>{escape(book.subtitle)}</i>" if book.subtitle else "", escape(book.description)))
    )
    return f'<h1>{escape(book.full_title)}</h1>\n<p class="cast">{about}</p>\n' + (
        f'<ul class="cast">\n{cast}\n</ul>' if cast else ""
    )


def _chapter_html(book: Book, chapter: BookChapter, number: int) -> str:
    end = book.end
    parts = [f"<h2>{number}. {escape(chapter.title)}</h2>"]
    for turn in chapter.turns:
        for entry in book.entries(turn):
            missed = book.missed_by(turn, entry)
            parts.append(_entry_html(book, entry))
            parts += [f'<p class="player missed">{escape(missed)}</p>'] if missed else []
        parts += ['<p class="end">The End</p>'] if turn is end else []
    return "\n".join(parts)


def _entry_html(book: Book, entry: Entry) -> str:
    kind = ' class="player"' if entry.role == "player" else ""
    texts = (
        _set(curly_quotes(part), escape, "<em>{}</em>").replace("\n", "<br/>\n")
        for part in unwrapped_paragraphs(_text(book, entry))
    )
    body = "\n".join(f"<p{kind}>{text}</p>" for text in texts)
    match entry.role:
        case "character":
            return f'<p class="name">{escape(book.speaker(entry))}</p>\n{body}'
        case "system":
            return f'<h3 class="epilogue">Epilogue</h3>\n{body}'
        case _:
            return body


# --- EPUB -----------------------------------------------------------------------------------------------------------

_EPOCH = (1980, 1, 1, 0, 0, 0)
_CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""


def to_epub(book: Book) -> bytes:
    """EPUB 3 with a file per chapter. Equal books give equal bytes."""
    pages = {"cover": (book.title, _cover_html(book))}
    for number, chapter in enumerate(book.chapters, 1):
        pages[f"chapter-{number}"] = (chapter.title, _chapter_html(book, chapter, number))
    files = {
        "META-INF/container.xml": _CONTAINER,
        "book/package.opf": _package(book, list(pages)),
        "book/nav.xhtml": _nav(pages),
        "book/style.css": _STYLE,
        **{f"book/{name}.xhtml": _page(title, body, book.language) for name, (title, body) in pages.items()},
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(zipfile.ZipInfo("mimetype", _EPOCH), "application/epub+zip", zipfile.ZIP_STORED)
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, _EPOCH), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def _page(title: str, body: str, language: str) -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        f'<html xmlns="http://www.w3.org/1999/xhtml" xml:lang="{escape(language)}">\n'
        f'<head><title>{escape(title)}</title><link rel="stylesheet" href="style.css"/></head>\n'
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _nav(pages: dict[str, tuple[str, str]]) -> str:
    lines = "\n".join(
        f'<li><a href="{name}.xhtml">{escape(title)}</a></li>' for name, (title, _) in pages.items()
    )
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">\n'
        "<head><title>Contents</title></head>\n"
        f'<body><nav epub:type="toc" id="toc"><h1>Contents</h1><ol>\n{lines}\n</ol></nav></body>\n</html>\n'
    )


def _package(book: Book, pages: list[str]) -> str:
    items = "\n".join(
        f'<item id="{name}" href="{name}.xhtml" media-type="application/xhtml+xml"/>' for name in pages
    )
    spine = "\n".join(f'<itemref idref="{name}"/>' for name in pages)
    creator = f"<dc:creator>{escape(book.player)}</dc:creator>\n" if book.player.strip() else ""
    modified = (book.created or "2000-01-01T00:00:00")[:19] + "Z"
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n'
        '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" '
        f'xml:lang="{escape(book.language)}">\n'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">\n'
        f'<dc:identifier id="id">urn:theact:{escape(book.id)}:{escape(book.branch)}</dc:identifier>\n'
        f"<dc:title>{escape(book.full_title)}</dc:title>\n<dc:language>{escape(book.language)}</dc:language>\n"
        f"{creator}"
        f'<meta property="dcterms:modified">{escape(modified)}</meta>\n</metadata>\n<manifest>\n'
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>\n'
        f'<item id="style" href="style.css" media-type="text/css"/>\n{items}\n</manifest>\n'
        f"<spine>\n{spine}\n</spine>\n</package>\n"
    )
