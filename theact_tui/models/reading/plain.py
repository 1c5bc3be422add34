"""Reads replies that are asked for as prose: takes away what is around the text, refuses what is no answer."""

from __future__ import annotations

import re

from theact_tui.models.reading import strict
from theact_tui.models.reading.context import Context
from theact_tui.models.reading.items import text_of
from theact_tui.models.reading.judge import is_off_task, is_refusal, repeats_prompt
from theact_tui.models.reading.lines import FENCE
from theact_tui.models.reading.loosejson import mappings
from theact_tui.models.reading.scalars import scalar, unwrapped, without_remarks
from theact_tui.models.reading.shapes import key_of
from theact_tui.models.reading.speaker import one_speaker
from theact_tui.models.reading.values import is_instruction, is_nothing, is_placeholder
from theact_tui.story.matching import plain

SPEAKING = frozenset({"character", "actor"})
PROSE_KEYS = (
    "text reply response answer content message output dialogue dialog speech line says said prose narration "
    "story chapter "
    "chapter_text summary updated_summary new_summary rolling_summary recap chapter_recap epilogue memory entry "
    "memories merged_memories memory_entry "
    "new_memory new_entry cell merged merged_summary result character actor reaction resumen texto respuesta "
    "zusammenfassung antwort "
    "resume reponse body final_answer final"
).split()
_LABEL = re.compile(
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


def read_plain(agent: str, text: str, own: str, context: Context) -> tuple[str, str]:
    """The prose of `text` and why there is none; `own` is the speaker's id where it is known."""
    speaks = agent in SPEAKING
    text = prose_of(agent, text, own, context)
    if not re.search(r"\w", text) or is_placeholder(text) or (is_nothing(text) and not speaks):
        return "", "text"
    if is_refusal(text, in_character=speaks) or is_off_task(text, in_character=speaks):
        return "", "text (declined or off task)"
    if _echoes(text, context) or (len(text) < 600 and is_instruction(text)):
        return "", "text (an echo of the prompt)"
    return text, ""


def prose_of(agent: str, text: str, own: str, context: Context) -> str:
    """`text` without what is around the prose, as often as there is something around it."""
    text = _unwrapped(agent, text)
    if agent in SPEAKING:
        text = _unwrapped(agent, one_speaker(text, own, dict(context.active_characters or {})))
    return text


def _unwrapped(agent: str, text: str) -> str:
    for _ in range(6):
        inner = _once(agent, text)
        if inner == text:
            break
        text = inner
    return text


def _once(agent: str, text: str) -> str:
    text = _out_of_tag(_out_of_document(without_remarks(_out_of_fence(text))))
    if agent not in SPEAKING:
        heading = _LABEL if agent == "chapter" else _HEADING
        text = _LABEL.sub("", heading.sub("", text, count=1), count=1).strip() or text
        text = re.sub(r"\A[-*•][ \t]+(?=[^\n]+\Z)", "", text)
    return unwrapped(text) if _one_string(text) else text.strip()


def _one_string(text: str) -> bool:
    return text.strip()[:1] in {'"', "“", "«", "`", "'", "„", "‘"} or "\\n" in text


def _out_of_fence(text: str) -> str:
    """The inside of a fence around the prose; a fence within a text of more is left alone."""
    lines = text.strip().split("\n")
    marks = [index for index, line in enumerate(lines) if FENCE.fullmatch(line)]
    if not marks or any(line.strip() for line in lines[: marks[0]] if len(lines[: marks[0]]) > 3):
        return "\n".join(lines[:-1]) if marks == [len(lines) - 1] and len(lines) > 1 else text
    inside = lines[marks[0] + 1 : marks[1]] if len(marks) > 1 else lines[marks[0] + 1 :]
    return "\n".join(inside) if any(line.strip() for line in inside) else text


def _out_of_document(text: str) -> str:
    """The one text in a JSON or YAML document."""
    bare = text.strip()
    if bare.startswith(("{", "[")):
        exact = strict.parse_json(bare)
        found = (
            exact
            if exact is not None
            else next((one.value for one in mappings(bare, frozenset(PROSE_KEYS))), None)
        )
        return _text_in(found) or text
    head = re.match(r"\A[ \t]*([A-Za-z_]{3,24})[ \t]*:[ \t]*([|>][+-]?)[ \t]*\n", bare)
    if head and key_of(head[1]) in PROSE_KEYS:
        return scalar(head[2], bare[head.end() :].split("\n"))
    if re.match(r"[a-z_]{3,24}:[ \t]*\S[^\n]*\n[a-z_]{3,24}:", bare):
        exact = strict.parse_yaml(bare)
        if isinstance(exact, dict) and set(map(str, exact)) & set(PROSE_KEYS[:14]):
            return _text_in(exact) or text
    return text


def _text_in(found: object) -> str:
    if isinstance(found, list):
        found = next((part for part in found if isinstance(part, dict)), None) or "\n\n".join(
            map(text_of, found)
        )
    if isinstance(found, str):
        return found.strip()
    if not isinstance(found, dict):
        return ""
    texts = {key_of(str(key)): part for key, part in found.items()}
    for key in PROSE_KEYS:
        value = texts.get(key)
        if isinstance(value, dict | list):
            return _text_in(value)
        if isinstance(value, str) and value.strip():
            return value.strip()
    strings = [part for part in texts.values() if isinstance(part, str)]
    return max(strings, key=len, default="").strip()


def _out_of_tag(text: str) -> str:
    """The inside of one XML tag around everything."""
    found = re.fullmatch(
        r"\s*<([a-z][\w-]*)(?:\s[^<>]*)?>\s*(.*?)\s*(?:</\1>)?\s*", text, re.IGNORECASE | re.DOTALL
    )
    return found[2] if found and f"<{found[1]}" not in found[2] else text


def _echoes(text: str, context: Context) -> bool:
    example = plain(context.prompt_example)
    told = plain(text)
    if example and len(told) > 15 and (told == example or (told in example and len(told.split()) > 5)):
        return True
    return repeats_prompt(text, [*(context.beats or ()), *(context.facts or ())])
