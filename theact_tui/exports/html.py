"""A book as one HTML page that needs nothing else. Everything in it is escaped; it runs no script."""

from __future__ import annotations

from html import escape

from theact_tui.exports.book import Book, BookChapter
from theact_tui.story.turn import Entry
from theact_tui.text import emphasized, paragraphs

STYLE = """
body { max-width: 36em; margin: 3em auto; padding: 0 1em; font: 1.1em/1.6 Georgia, serif; color: #222; }
h1, h2, h3 { font-weight: normal; } h2 { margin-top: 3em; }
nav ol { list-style: none; padding: 0; } a { color: inherit; }
.cast, .player, .end { color: #666; } .player { padding-left: 1em; border-left: 2px solid #bbb; }
.end { text-align: center; }
.name { font-variant: small-caps; letter-spacing: .05em; margin: 1.4em 0 0; }
.name + p { margin-top: .2em; } .epilogue { border-top: 1px solid #bbb; margin-top: 3em; padding-top: 1em; }
@media (prefers-color-scheme: dark) { body { background: #181818; color: #ddd; } .cast, .player, .end { color: #999; } }
"""


def to_html(book: Book) -> str:
    chapters = "\n".join(
        f'<section id="chapter-{number}">\n{chapter_html(book, chapter, number)}\n</section>'
        for number, chapter in enumerate(book.chapters, 1)
    )
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(book.language)}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width">\n<title>{escape(book.full_title)}</title>\n'
        f"<style>{STYLE}</style>\n</head>\n<body>\n{cover_html(book)}\n{_contents(book)}\n{chapters}\n</body>\n</html>\n"
    )


def _contents(book: Book) -> str:
    if len(book.chapters) < 2:
        return ""
    lines = "\n".join(
        f'<li><a href="#chapter-{number}">{number}. {escape(chapter.title)}</a></li>'
        for number, chapter in enumerate(book.chapters, 1)
    )
    return f"<nav>\n<ol>\n{lines}\n</ol>\n</nav>"


def cover_html(book: Book) -> str:
    cast = "\n".join(f"<li>{escape(name + role)}</li>" for name, role in book.members)
    return (
        f"<h1>{escape(book.full_title)}</h1>\n"
        f'<p class="cast"><i>{escape(book.pack)}.</i> {escape(book.description)}</p>\n'
        + (f'<ul class="cast">\n{cast}\n</ul>' if cast else "")
    )


def chapter_html(book: Book, chapter: BookChapter, number: int) -> str:
    end = book.end
    parts = [f"<h2>{number}. {escape(chapter.title)}</h2>"]
    for turn in chapter.turns:
        parts += [entry_html(book, entry) for entry in turn.told]
        parts += ['<p class="end">The End</p>'] if turn is end else []
    return "\n".join(parts)


def entry_html(book: Book, entry: Entry) -> str:
    kind = ' class="player"' if entry.role == "player" else ""
    said = "\n".join(f"<p{kind}>{_lines(part)}</p>" for part in paragraphs(entry.text))
    match entry.role:
        case "character":
            return f'<p class="name">{escape(book.speaker(entry))}</p>\n{said}'
        case "system":
            return f'<h3 class="epilogue">Epilogue</h3>\n{said}'
        case _:
            return said


def _lines(paragraph: str) -> str:
    return "<br/>\n".join(map(_line, paragraph.split("\n")))


def _line(text: str) -> str:
    return "".join(
        f"<em>{escape(piece)}</em>" if stressed else escape(piece) for piece, stressed in emphasized(text)
    )
