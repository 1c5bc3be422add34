"""A book as EPUB 3: a cover page, a table of contents, a file for each chapter. The same book gives the same bytes."""

from __future__ import annotations

import io
import zipfile
from html import escape

from theact_tui.exports.book import Book
from theact_tui.exports.html import STYLE, chapter_html, cover_html

_EPOCH = (1980, 1, 1, 0, 0, 0)
_CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">
<rootfiles><rootfile full-path="book/package.opf" media-type="application/oebps-package+xml"/></rootfiles>
</container>
"""


def to_epub(book: Book) -> bytes:
    pages = {"cover": (book.title, cover_html(book))}
    for number, chapter in enumerate(book.chapters, 1):
        pages[f"chapter-{number}"] = (chapter.title, chapter_html(book, chapter, number))
    files = {
        "META-INF/container.xml": _CONTAINER,
        "book/package.opf": _package(book, list(pages)),
        "book/nav.xhtml": _contents(pages),
        "book/style.css": STYLE,
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


def _contents(pages: dict[str, tuple[str, str]]) -> str:
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
