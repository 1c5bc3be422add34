"""GBNF grammars for small models: a page without speech, a reply with one speaker."""

import json

from theact_tui.sentences import closing_mark, ends_sentence
from theact_tui.story.names import short_name
from theact_tui.story.pack import Voice
from theact_tui.story.steering import Length, language_name
from theact_tui.text import flat

_QUOTES = '\\"“”„«»「」『』'
_ENDS = ".!?…。！？"
_OTHER_SIGNS = f"{_ENDS}\\n{_QUOTES}:'‘’"
_RULES = f"""text ::= words (['’] [a-z] words?)* [{_ENDS}]+
words ::= [^{_OTHER_SIGNS}]* [^{_OTHER_SIGNS}, ]
"""  # an apostrophe stands in a word, so that it opens no quotation
# first words of pages, and of deeds in a reply; other languages begin as they like
_OPENINGS = {"": ("You", "Your"), "German": ("Du", "Dein", "Deine")}
_SELF = {"": ("I", "My"), "German": ("Ich", "Mein", "Meine")}
_OTHER = {"": ("He", "She", "They", "says"), "German": ("Er", "Sie", "sagt")}
_SENTENCES: dict[Length, int] = {"short": 2, "normal": 4, "long": 8}
"""Most of a page, or of what follows a part of one."""
_SPOKEN_SIGNS = 140
"""Most of one speech. Held to words instead, a small model went on without spaces, in another script."""
_PARTS: dict[Length, int] = {
    "short": 0,
    "normal": 1,
    "long": 4,
}  # of a reply after its first: speech or deeds


def page_grammar(language: str, length: Length, so_far: str = "") -> str:
    """Return the grammar of a page, or of what follows the text `so_far`."""
    openings = _OPENINGS.get(language_name(language))
    first = f"({_words(openings)}) [ ’'] text" if openings else "text"
    gap = '" "' if openings else '" "?'  # not every script has one
    most = _SENTENCES[length] - 1
    if so_far:
        first = _unfinished(so_far) or '("\\n\\n" | " "?) text'
        return f"root ::= ({first} ({gap} text){{0,{most}}})?\n{_RULES}"
    return f"root ::= {first} ({gap} text){{1,{most}}}\n{_RULES}"


def reply_grammar(
    name: str, voice: Voice, language: str, length: Length, *, speaks_first: bool, so_far: str = ""
) -> str:
    """Return the grammar of a reply, or of what follows the text `so_far`."""
    words = (_SELF if voice == "first" else _OTHER).get(language_name(language), ())
    own = words if voice == "first" or not words else (name, short_name(name), *words)
    act = f"({_words(own)}) [ ’'] text" if own else "text"
    begin = "speech" if speaks_first else 'act " " speech'
    root = f'{begin} (" " (speech | act)){{0,{_PARTS[length]}}}'
    if so_far:
        unfinished = _unfinished(so_far)
        first = {"": '" "? (speech | act)', "text": '(text | " "? speech)'}.get(unfinished, unfinished)
        root = f'({first} (" " (speech | act)){{0,{_PARTS[length]}}})?'
    return (
        f"root ::= {root}\n"
        f"speech ::= [{_QUOTES}] [^{_QUOTES}\\n:]{{1,{_SPOKEN_SIGNS}}} [{_ENDS},–—] [{_QUOTES}]\n"
        f"act ::= {act}\n{_RULES}"
    )


def _unfinished(so_far: str) -> str:
    """Return the rule for the rest of the speech or sentence with which a text breaks off; "" if it ends with one."""
    if closing_mark(f"{so_far}…"):  # a mark at the very end opens only if something follows
        return f"[^{_QUOTES}\\n:]* [{_QUOTES}]"
    return "" if ends_sentence(so_far) else "text"


def _words(words: tuple[str, ...]) -> str:
    # of JSON's escapes the server knows those of quotation marks and backslashes
    return " | ".join(json.dumps(flat(word), ensure_ascii=False) for word in dict.fromkeys(words))
