"""The page of a narrator's reply: prose as it comes, or the text under `narration` of an object or block.

Own templates of packs may still ask for such a block; the program's own prompts do not.
"""

import re
from textwrap import dedent

from theact_tui.parsing.json_objects import objects_in
from theact_tui.parsing.prose import read_plain
from theact_tui.parsing.speakers import before_answers
from theact_tui.parsing.types import ReplyContext
from theact_tui.parsing.values import FENCE, is_nothing, is_preamble, is_rule, unwrapped, without_remarks
from theact_tui.story.pack import MOODS

PAGE_KEYS = ("narration", "responding_characters", "mood", "present", "asleep", "heard_by", "setting")
_KEY = re.compile(
    rf"(?P<indent>[ \t]*)[^\w\n]{{0,6}}(?P<name>{'|'.join(PAGE_KEYS).replace('_', '[ _]')})[\"'*_`]{{0,4}}[ \t]*"
    r"[:=：][*_`]{0,3}[ \t]*(?P<rest>.*)",
    re.IGNORECASE,
)
_BEGUN_KEY = re.compile(r"[\W_]{0,6}(?P<name>[a-z_]{1,20})\Z", re.IGNORECASE)
_BLOCK_MARK = re.compile(r"[|>][+-]?\d?[ \t]*\Z")


def page_key(line: str) -> re.Match[str] | None:
    """The key of a block that a line begins with: its `name`, `indent`, and the `rest` after it."""
    return _KEY.fullmatch(line)


def may_follow(key: re.Match[str]) -> bool:
    """True if the rest of a line may be the value of its key, and is no sentence of the page."""
    rest = key["rest"]
    if key["name"].casefold() != "mood" or not rest or is_nothing(rest):
        return True
    return len(rest.split()) <= 4 or any(mood[:5] in rest[:24].casefold() for mood in MOODS)


def read_page(text: str, context: ReplyContext) -> tuple[str, str]:
    """The page, and the missing field if there is none. Blocks, answers and turns after the page are cut off."""
    if _is_block(text):
        page = unwrapped(_narration(text))
        if re.fullmatch(r"\(.*\)", page):  # as in the template
            page = ""
        if page:
            page, missing = read_plain("narrator", page, "", context)
        missing = "" if page else "narration"
    else:
        page, missing = read_plain("narrator", _before_block(without_remarks(text)), "", context)
    people = dict(context.active_characters or {})
    if context.player:
        people = {"player": context.player, **people}
    return before_answers(page, people), missing


def _narration(text: str) -> str:
    """The text under `narration`: of a JSON object, else of a block, up to its next key or a fence."""
    if "{" in text:
        for step, value in objects_in(text):
            if step != "yaml" and (page := _under_narration(value)):
                return page
    lines = text.split("\n")
    keys = ((number, key) for number, line in enumerate(lines) if (key := page_key(line)))
    number, key = next(((n, key) for n, key in keys if key["name"].casefold() == "narration"), (0, None))
    if key is None:
        return ""
    below: list[str] = []
    for at, line in enumerate(lines[number + 1 :], number + 1):
        following = page_key(line)
        is_outside = following and len(following["indent"]) <= len(key["indent"]) and may_follow(following)
        if FENCE.fullmatch(line) or is_outside or (following and all(map(page_key, lines[at:]))):
            break
        below.append(line)
    first = "" if _BLOCK_MARK.fullmatch(key["rest"]) else key["rest"]
    return "\n".join(filter(None, (first, dedent("\n".join(below))))).strip()


def _under_narration(value: object) -> str:
    """The text of the first key `narration`, at any depth."""
    if isinstance(value, dict) and isinstance(value.get("narration"), str):
        return str(value["narration"])
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, map(_under_narration, items)), "")


def _is_block(text: str) -> bool:
    """True for a reply that begins as an object or block does, or that has the key `narration`."""
    lines = [
        line for line in text.split("\n") if line.strip() and not FENCE.fullmatch(line) and not is_rule(line)
    ]
    head = next((line for line in lines if not is_preamble(line)), "")
    if not head or head.lstrip().startswith(("{", "[{", '"{', "<")) or page_key(head):
        return True
    begun = _BEGUN_KEY.fullmatch(head) if len(lines) == 1 else None
    if begun and any(key.startswith(begun["name"].casefold()) for key in PAGE_KEYS):
        return True
    keys = filter(None, map(page_key, lines))
    return any(key["name"].casefold() == "narration" for key in keys) or '"narration":' in text


def _before_block(text: str) -> str:
    """`text` up to a fence or the keys of a block that follow a page."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip() and not FENCE.fullmatch(line)), 0)
    for at in range(first + 1, len(lines)):
        key = page_key(lines[at])
        if FENCE.fullmatch(lines[at]) or (key and may_follow(key) and _all_keys(lines[at:])):
            return "\n".join(lines[:at])
    return text


def _all_keys(lines: list[str]) -> bool:
    return all(not line.strip() or line[:1] in " \t-*" or page_key(line) for line in lines)
