"""Small readings of single values: yes or no, a number, one of several words, nothing, a placeholder."""

from __future__ import annotations

import re

_NOTHING = re.compile(
    r"(?:none|null|nil|nothing(?: new| changed| to \w+)?|no ?one|nobody|n/?a|not applicable|empty|no(?:ne)? "
    r"(?:new )?(?:\w+ )?(?:change|"
    r"update|fact|"
    r"beat|character|addition|removal|moment|item|respon\w*)s?(?: \w+)?|none (?:yet|of them|so far|at this time|"
    r"needed|"
    r"this turn|hit|new|apply|at all)|unchanged|no changes?(?: needed)?|undefined|~|-{1,3}|–|—|\[\s*\]|\{\s*\}|"
    r"\(\s*\)|\"\"|''"
    r"|ninguno|ninguna|ningun|nadie|nada|vacio|vacío|keine?|keiner|keines|niemand|nichts|leer|aucune?|personne|"
    r"rien|"
    r"nessuno|nessuna|nenhum|nenhuma|ningún)",
    re.IGNORECASE,
)
_YES = re.compile(
    r"(?:true|yes|y|yeah|yep|complete|completed|done|finished|fulfilled|si|sí|ja|oui|sim|verdadero|cierto|wahr|"
    r"richtig|vrai|"
    r"vero|verdadeiro|1|on|t|abgeschlossen|completo|是|真|已完成|完成|да|terminé|terminado|✓|✔|✅|☑)(?![\w])",
    re.IGNORECASE,
)
_NO = re.compile(
    r"(?:false|no|n|nope|not|never|incomplete|unfinished|uncompleted|ongoing|in[ -]progress|pending|partial|"
    r"partially|"
    r"partly|almost|nearly|nein|nicht|否|假|未完成|不|нет|non|pas|não|nao|falso|falsch|faux|incompleto|unvollständig|"
    r"0|off|f|✗|✘|❌|"
    r"☐|still)"
    r"(?![\w])",
    re.IGNORECASE,
)
_EITHER = re.compile(
    r"\b(?:true|yes|false|no)\b\s*(?:/|\||\bor\b|,\s*or\b|\boder\b|\bou\b|\bo\b)\s*\b(?:true|yes|false|no)\b",
    re.IGNORECASE,
)
_FRACTION = re.compile(r"([-+]?\d*[.,]?\d+)\s*(?:/|out of|of|von|sur|de)\s*(\d+(?:\.\d+)?)", re.IGNORECASE)
_PERCENT = re.compile(r"([-+]?\d*[.,]?\d+)\s*(?:%|percent|per cent)", re.IGNORECASE)
_PLAIN_NUMBER = re.compile(r"[-+−]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d{1,2})?")
_PLACEHOLDER = re.compile(
    r"<[^<>]{1,200}>|\{\{?[a-z_ ]{1,60}\}?\}|\[(?:your|insert|list of|describe|write|a brief|brief|ids?|"
    r"character[_ ]?ids?|ids of)\b[^\[\]]{0,160}\]|\[(?:narration|mood|text|reason|summary|(?:new |old )?facts?|"
    r"beats?|string)\]|(?:string|str|text|bool|boolean|number|float|int|integer|array|list|object|any|"
    r"id|ids|value|enum|type|string\[\]|list\[str\]|array of strings?|list of strings?|list of ids|id1|id2|"
    r"character_?id\w*|new fact|old fact|old text|new text|fact text)|\((?:your|a new|an? (?:short|new|brief)|"
    r"the (?:fact|new|old|reason)|true or false|"
    r"true/false|numbers?|one (?:short )?sentence|\d+(?:\.\d+)? to \d+|ids?|yes or no|in \d+)\b[^()\n]{0,120}\)"
    r"|\.{2,}|…|_{2,}|x{3,}|tbd|todo"
    r"|(?:(?:insert|write|put|add|enter|describe|fill in|provide|your|the|a) ){1,2}[^.!?]{0,80} (?:here|goes "
    r"here|go here)\.?"
    r"|(?:string|boolean|number|array|object|true|null)\s*(?:\|\s*(?:string|boolean|number|array|object|false|"
    r"null)\s*)+"
    r"|\d+(?:-| to |–)\d+ (?:short )?(?:words|sentences)\b[^.!?]{0,80}"
    r"|your (?:narration|narrative|prose|text|summary|reason|story|answer|reply|response)(?: text)?",
    re.IGNORECASE,
)
_ABOUT_THE_REPLY = re.compile(
    r"\b(?:you are the narrator|interactive story|write (?:the )?narration|return only|(?:second|third|first) "
    r"person,|(?:present|past) tense|\d+ ?(?:-|–|to) ?\d+ (?:words|sentences)|(?:under|at most|up to|max(?:imum)?) \d+ "
    r"words|yaml|json|key[- ]value|responding_characters|chapter_complete|new_beats|moment_type|moment_summary|"
    r"comma[- ]separated|list of (?:ids|characters)|one[- ]sentence|never speaks? for the player|ids? of (?:the )?"
    r"characters)\b",
    re.IGNORECASE,
)
"""Words that nobody in a story needs."""
_MAY_BE_TOLD = re.compile(
    r"\b(?:your task is|(?:write|continue) the story|respond with|return (?:a|the)|(?:first|second|third) person|about "
    r"\d+ words|one of (?:the|:)|(?:do not|don't|never) (?:speak|decide|act|invent|write|use))\b",
    re.IGNORECASE,
)
"""Words of instructions that are said in stories too; alone they prove nothing."""


def is_nothing(text: str) -> bool:
    """True for the many words for an empty value."""
    bare = text.strip().strip("\"'`*.()!;,").strip() or text.strip()
    return _NOTHING.fullmatch(bare) is not None


def is_placeholder(text: str) -> bool:
    """True for what stands in a template where a value should be: `<text>`, `string`, `...`."""
    bare = text.strip().strip("\"'`*").strip()
    return _PLACEHOLDER.fullmatch(bare) is not None


def is_instruction(text: str) -> bool:
    """True for a text that tells how to answer instead of answering."""
    sure = {mark.casefold() for mark in _ABOUT_THE_REPLY.findall(text)}
    perhaps = {mark.casefold() for mark in _MAY_BE_TOLD.findall(text)}
    if not sure:
        return len(perhaps) >= 3
    return len(sure | perhaps) >= 2 or len(text.split()) <= 12


def flag_of(text: str) -> bool | None:
    """True or false as `text` begins with it; None for neither and for both offered."""
    bare = re.sub(r"^[\s\"'`*_(\[{<#:=-]+", "", text)
    if _EITHER.match(bare):
        return None
    if _NO.match(bare):
        return False
    if not _YES.match(bare):
        return None
    return not re.match(r"[^.!?;\n]{0,12}\bnot\b", bare[3:], re.IGNORECASE)


def number_of(text: str) -> float | None:
    """The number `text` begins with: `.75`, `0,3`, `8/10`, `80%`, `about 0.7 (high)`."""
    bare = text.strip().strip("\"'`*").strip()
    fraction = _FRACTION.search(bare)
    if fraction and float(fraction[2]) > 0:
        return round(_decimal(fraction[1]) / float(fraction[2]), 6)
    percent = _PERCENT.search(bare)
    if percent:
        return round(_decimal(percent[1]) / 100, 6)
    plain = _PLAIN_NUMBER.search(bare)
    if plain is None or plain.start() > 30:
        return None
    return _decimal(plain[0])


def _decimal(text: str) -> float:
    return float(text.replace(",", ".").replace("−", "-"))
