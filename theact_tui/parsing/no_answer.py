"""Texts that are no answer."""

import re

_NOTHING = re.compile(
    r"(?:none|null|nil|nothing(?: new| changed| to \w+)?|no ?one|nobody|n/?a|not applicable|empty|"
    r"no(?:ne)? (?:new )?(?:\w+ )?(?:change|update|fact|beat|character|addition|removal|moment|item|"
    r"respon\w*)s?(?: \w+)?|none (?:yet|of them|so far|at this time|needed|this turn|hit|new|apply|at all)|"
    r"unchanged|no changes?(?: needed)?|undefined|~|-{1,3}|–|—|\[\s*\]|\{\s*\}|\(\s*\)|\"\"|'')",
    re.IGNORECASE,
)
_BLANK = (
    r"<[^<>]{1,200}>|\{\{?[a-z_ ]{1,60}\}?\}|\[(?:your|insert|list of|describe|write|a brief|brief|ids?|"
    r"character[_ ]?ids?|ids of)\b[^\[\]]{0,160}\]|\[(?:narration|mood|text|reason|summary|(?:new |"
    r"old )?facts?|beats?|string)\]|(?:string|str|text|bool|boolean|number|float|int|integer|array|list|"
    r"object|any|id|ids|value|enum|type|null|string\[\]|list\[str\]|array of strings?|list of strings?|"
    r"list of ids|id1|id2|character_?id\w*)|\.{2,}|…|_{2,}|x{3,}|tbd|todo"
)
_PLACEHOLDER = re.compile(
    rf"{_BLANK}|(?:new|old) (?:fact|text)|fact text|\((?:your|a new|"
    r"an? (?:short|new|brief)|the (?:fact|new|old|reason)|true or false|true/false|numbers?|"
    r"one (?:short )?sentence|\d+(?:\.\d+)? to \d+|ids?|yes or no|in \d+)\b[^()\n]{0,120}\)|"
    r"(?:(?:insert|write|put|add|enter|describe|fill in|provide) ){1,2}[^.!?]{0,80} (?:here|goes here|go here)\.?|"
    r"(?:string|boolean|number|array|object|true|"
    r"null)\s*(?:\|\s*(?:string|boolean|number|array|object|false|null)\s*)+|\d+(?:-| to |"
    r"–)\d+ (?:short )?(?:words|sentences)\b[^.!?]{0,80}|your (?:narration|narrative|prose|text|summary|"
    r"reason|story|answer|reply|response)(?: text)?",
    re.IGNORECASE,
)
_BLANK_TEXT = re.compile(_BLANK, re.IGNORECASE)
_ABOUT_THE_REPLY = re.compile(
    r"\b(?:you are the narrator|interactive story|write (?:the )?narration|return only|(?:second|third|first) "
    r"person,|(?:present|past) tense|\d+ ?(?:-|–|to) ?\d+ (?:words|sentences)|(?:under|at most|up to|max(?:imum)?) \d+ "
    r"words|yaml|json|key[- ]value|responding_characters|moment_type|moment_summary|"
    r"comma[- ]separated|list of (?:ids|characters)|one[- ]sentence|never speaks? for the player|ids? of (?:the )?"
    r"characters)\b",
    re.IGNORECASE,
)


def is_nothing(text: str) -> bool:
    """True for words for an empty value."""
    bare = text.strip().strip("\"'`*.()!;,").strip() or text.strip()
    return _NOTHING.fullmatch(bare) is not None


def is_blank(text: str) -> bool:
    """True for a template's unfilled place, by its form alone: `<text>`, `string`, `...`."""
    return _BLANK_TEXT.fullmatch(text.strip().strip("\"'`*").strip()) is not None


def is_placeholder(text: str) -> bool:
    """True for a blank, or words that tell what belongs there."""
    bare = text.strip().strip("\"'`*").strip()
    return _PLACEHOLDER.fullmatch(bare) is not None


def is_unfilled(text: str) -> bool:
    """True for a placeholder, a remark in brackets, or signs without a word."""
    return is_placeholder(text) or re.fullmatch(r"\(.*\)|\W*", text, re.DOTALL) is not None


def is_instruction(text: str) -> bool:
    """True for a text that tells how to answer instead of answering."""
    sure = {mark.casefold() for mark in _ABOUT_THE_REPLY.findall(text)}
    return len(sure) >= 2 or (bool(sure) and len(text.split()) <= 12)
