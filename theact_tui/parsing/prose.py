"""Prose replies: remove wrappers around the text, reject texts that are no answer."""

import re
from textwrap import dedent

from theact_tui.parsing.json_objects import objects_in, yaml_value
from theact_tui.parsing.no_answer import is_instruction, is_nothing, is_placeholder
from theact_tui.parsing.refusals import is_off_task, is_refusal
from theact_tui.parsing.speakers import before_answers, one_speaker
from theact_tui.parsing.types import ReplyContext
from theact_tui.parsing.unwrap import FENCE, is_one_speech, is_preamble, is_rule, unwrapped, without_remarks
from theact_tui.story.names import forms, name_pattern
from theact_tui.story.pack import MOODS

PROSE_KEYS = tuple(
    "text reply response answer content message output dialogue dialog speech line says said prose narration narrator "
    "narrative story chapter chapter_text summary updated_summary new_summary rolling_summary recap chapter_recap epilogue "
    "memory entry diary diary_entry memories merged_memories memory_entry new_memory new_entry cell merged merged_summary "
    "result character actor reaction body final_answer final".split()
)
SPEAKING = frozenset({"character", "actor"})
LABEL = re.compile(
    r"\A[ \t]*(?:[#>]{1,6}[ \t]*)?[*_\[\"']{0,3}(?:(?:the|your|my|new|updated|final|rolling|revised|short|brief|"
    r"merged|first-person|chapter(?: \w+)?) ){0,3}"
    rf"(?:{'|'.join(key.replace('_', '[ _]') for key in PROSE_KEYS)})(?: (?:of|for) [^\n:.]{{0,40}}| so "
    rf"far)?(?:[ \t]*\([^()\n]{{0,40}}\))?[*_\]\"']{{0,3}}[ \t]*"
    r"(?::[*_]{0,3}|(?=\n))[ \t]*(?:\|[+-]?[ \t]*(?=\n))?",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"\A(?:#{1,6}[ \t][^\n]{0,80}\n+|[*_]{0,2}(?:chapter|epilogue|recap|summary)\b[^\n.!?]{0,60}\n[ "
    r"\t]*\n)(?=\s*\S)",
    re.IGNORECASE,
)


def read_plain(agent: str, text: str, own: str, context: ReplyContext) -> tuple[str, str]:
    """Return the prose of `text`, and why there is none; `own` is the speaker's id if known."""
    speaks = agent in SPEAKING
    text = prose_of(agent, text, own, context)
    if not re.search(r"\w", text) or is_placeholder(text) or (is_nothing(text) and not speaks):
        return "", "text"
    declines = is_refusal(text, in_character=speaks, has_machines=context.has_machines)
    if not context.is_scripted and (declines or is_off_task(text, in_character=speaks)):
        return "", "text (declined or off task)"
    if len(text) < 600 and is_instruction(text):
        return "", "text (an echo of the prompt)"
    if agent == "cell" and _is_document(text):
        return "", "text (keys and values)"
    return text, ""


def _is_document(text: str) -> bool:
    """True for JSON, and for lines that are all keys or indented below one."""
    if text.startswith(("{", "[")):
        return any(objects_in(text))
    lines = [line for line in text.split("\n") if line.strip()]
    return len(lines) > 1 and all(re.match(r"[a-z_]{2,24}:(?:\s|$)|[ \t]", line) for line in lines)


def prose_of(agent: str, text: str, own: str, context: ReplyContext) -> str:
    """Remove wrappers around the prose until none is left."""
    text = _unwrapped(agent, text)
    if agent in SPEAKING:
        text = _unwrapped(agent, one_speaker(text, own, dict(context.active_characters or {})))
        speaker = (context.active_characters or {}).get(own, "")
        if context.player and not {*forms(context.player)} & {*forms(speaker)}:
            text = _without_acts_of(context.player, text)
    return text


def _without_acts_of(player: str, text: str) -> str:
    """Cut lines at the end that tell what the player's character does."""
    states = "and|or|is|was|has|had|will|would|can|could|must|may|might|should"
    acts = re.compile(rf"[*_]*{name_pattern(player)}[*_]*[ \t]+(?!(?:{states})\b)[a-z]")
    lines = text.split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or acts.match(lines[-1])):
        lines.pop()
    return "\n".join(lines)


def _unwrapped(agent: str, text: str) -> str:
    for _ in range(6):
        inner = _unwrap_once(agent, text)
        if inner == text:
            break
        text = inner
    return text


def _unwrap_once(agent: str, text: str) -> str:
    text = _out_of_tag(_out_of_document(without_remarks(_out_of_fence(text))))
    if agent not in SPEAKING:
        heading = LABEL if agent == "chapter" else _HEADING
        text = LABEL.sub("", heading.sub("", text, count=1), count=1).strip() or text
        text = re.sub(r"\A[-*•][ \t]+(?=[^\n]+\Z)", "", text)
        announced = re.match(r"[^:\n]{1,80}:(?=[ \t]+\S)", text)
        text = text[announced.end() :] if announced and is_preamble(announced[0]) else text
    if agent in SPEAKING and is_one_speech(text):
        return text.strip()
    return unwrapped(text) if _one_string(text) else text.strip()


def _one_string(text: str) -> bool:
    return text.strip()[:1] in {'"', "“", "«", "`", "'", "„", "‘"} or "\\n" in text


def _out_of_fence(text: str) -> str:
    """Return the inside of a fence around the prose; a fence in a longer text stays."""
    lines = text.strip().split("\n")
    marks = [index for index, line in enumerate(lines) if FENCE.fullmatch(line)]
    if not marks or any(line.strip() for line in lines[: marks[0]] if len(lines[: marks[0]]) > 3):
        return "\n".join(lines[:-1]) if marks == [len(lines) - 1] and len(lines) > 1 else text
    inside = lines[marks[0] + 1 : marks[1]] if len(marks) > 1 else lines[marks[0] + 1 :]
    return "\n".join(inside) if any(line.strip() for line in inside) else text


def _out_of_document(text: str) -> str:
    """Return the text in an object, or in a YAML block of several keys."""
    bare = text.strip()
    if bare.startswith(("{", "[")):
        value = next((value for _, value in objects_in(bare)), None)
    else:
        head = re.match(
            r"([A-Za-z_]{3,24})[ \t]*:[ \t]*(?:[|>][+-]?[ \t]*\n|[^\n]*\n(?:.*\n)*[a-z_]{3,24}:[ \t\n])", bare
        )
        value = yaml_value(bare) if head and head[1].casefold() in PROSE_KEYS else None
    return _text_in(value) or text


def _text_in(value: object) -> str:
    """Return an object's text under a key for prose, else its longest; of a list that of its first object."""
    if isinstance(value, list):
        value = next((item for item in value if isinstance(item, dict)), None)
    if not isinstance(value, dict):
        return ""
    texts = {str(key).casefold(): item.strip() for key, item in value.items() if isinstance(item, str)}
    return next(
        (texts[key] for key in PROSE_KEYS if texts.get(key)), max(texts.values(), key=len, default="")
    )


def _out_of_tag(text: str) -> str:
    tag = re.fullmatch(r"\s*<([a-z][\w-]*)>\s*(.*?)\s*(?:</\1>)?\s*", text, re.IGNORECASE | re.DOTALL)
    return tag[2] if tag and f"<{tag[1]}" not in tag[2] else text


# own templates of packs may ask for a block with these keys; of it the page is told
PAGE_KEYS = ("narration", "responding_characters", "mood", "present", "asleep", "heard_by", "setting")
_KEY = re.compile(
    rf"(?P<indent>[ \t]*)[^\w\n]{{0,6}}(?P<name>{'|'.join(PAGE_KEYS).replace('_', '[ _]')})[\"'*_`]{{0,4}}[ \t]*"
    r"[:=：][*_`]{0,3}[ \t]*(?P<rest>.*)",
    re.IGNORECASE,
)
_BEGUN_KEY = re.compile(r"[\W_]{0,6}(?P<name>[a-z_]{1,20})\Z", re.IGNORECASE)
_BLOCK_MARK = re.compile(r"[|>][+-]?\d?[ \t]*\Z")


def page_key(line: str) -> re.Match[str] | None:
    """Match the key of a block at a line's beginning: `name`, `indent`, and the `rest` after it."""
    return _KEY.fullmatch(line)


def may_follow(key: re.Match[str]) -> bool:
    """True if the rest of a line may be the value of its key, and is no sentence of the page."""
    rest = key["rest"]
    if key["name"].casefold() != "mood" or not rest or is_nothing(rest):
        return True
    return len(rest.split()) <= 4 or any(mood[:5] in rest[:24].casefold() for mood in MOODS)


def read_page(text: str, context: ReplyContext) -> tuple[str, str]:
    """Return the page, and the missing field if there is none. Blocks, answers and turns after the page are cut off."""
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
    """Return the text under `narration`: of a JSON object, else of a block, up to its next key or a fence."""
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
    """Return the text of the first key `narration`, at any depth."""
    if isinstance(value, dict) and isinstance(value.get("narration"), str):
        return str(value["narration"])
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return next(filter(None, map(_under_narration, items)), "")


def _is_block(text: str) -> bool:
    """True for a reply that begins like an object or block, or that has the key `narration`."""
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
    """Cut `text` before a fence or the keys of a block that follow a page."""
    lines = text.split("\n")
    first = next((at for at, line in enumerate(lines) if line.strip() and not FENCE.fullmatch(line)), 0)
    for at in range(first + 1, len(lines)):
        key = page_key(lines[at])
        if FENCE.fullmatch(lines[at]) or (key and may_follow(key) and _all_keys(lines[at:])):
            return "\n".join(lines[:at])
    return text


def _all_keys(lines: list[str]) -> bool:
    return all(not line.strip() or line[:1] in " \t-*" or page_key(line) for line in lines)
