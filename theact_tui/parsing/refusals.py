"""Detect refusals, talk about the task, and echoes of prompt or example."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from theact_tui.parsing.no_answer import is_nothing, is_placeholder, is_unfilled
from theact_tui.parsing.types import ReplyContext
from theact_tui.sentences import quotation_spans
from theact_tui.story.matching import plain

_I = r"(?:i['’]?m|i am|i|we)"
_CANNOT = (
    r"(?:can['’]?t|cannot|can not|could not|couldn['’]t|won['’]t|will not|am unable to|'m unable to|"
    r"unable to|am not able to|'m not able to|must decline|have to decline|don['’]t feel comfortable)"
)
_DO = (
    r"(?:assist|help(?: (?:you )?with| with)|fulfil\w*|comply|provide|generate|create|produce|engage|"
    r"participate|take part|role-?play|write|continue|complete|respond|answer|process|discuss|depict|do (?:that|this)|"
    r"narrate|proceed|summari[sz]e|update|access|see|share)"
)
_DECLINES = (
    rf"\b{_I}\b[^.!?\n]{{0,40}}\b{_CANNOT}\b[^.!?\n]{{0,20}}\b{_DO}\b"
    rf"|\bi (?:must|have to) (?:respectfully )?(?:decline|refuse)\b|\bi decline to\b|\b(?:lo siento|es tut mir leid|"
    rf"je suis désolé|mi dispiace|sinto muito)\b[^.\n]{{0,40}}\b(?:no puedo|kann (?:ich )?nicht|ich kann|"
    rf"ne peux pas|non posso|não posso)\b|\bno puedo (?:ayudar|continuar|cumplir)|对不起|抱歉"
)
_POLICY = r"\b(?:content|usage|safety) (?:polic|guideline)\w*|\bmy (?:guidelines|programming|training)\b"
_AS_AI = (
    r"\bas an? (?:ai|artificial intelligence|large language model|language model|(?:virtual |ai )?assistant)\b"
    r"[^.!?\n]{0,40}\bI\b|\b(?:i['’]?m|i am) (?:just |only )?an? (?:ai|language model|large language|"
    r"virtual assistant)\b"
)
_DECLINING = re.compile(_DECLINES, re.IGNORECASE)
_REFUSAL = re.compile(rf"{_DECLINES}|{_POLICY}", re.IGNORECASE)
_REFUSAL_OF_AI = re.compile(rf"{_DECLINES}|{_POLICY}|{_AS_AI}", re.IGNORECASE)
_TASK = (
    r"\b(?:(?:this|that|your) (?:request|prompt)|assist with (?:that|this|creat\w+)|creating content|"
    r"(?:content|usage|safety) (?:policy|policies|guidelines)|my guidelines|roleplay|role-play|"
    r"fictional (?:story|content)|inappropriate|explicit|generate (?:content|that|this)|fulfil+ (?:that|this|your)|"
    r"continue (?:this|the|with this) (?:story|roleplay|scenario|narrative)|create (?:content|that|this)|comply with)\b"
)
_ABOUT_TASK = re.compile(_TASK, re.IGNORECASE)
_ABOUT_TASK_OR_AI = re.compile(
    rf"{_TASK}|\b(?:as an? ai|language model|(?:i['’]?m|i am) an ai|an ai assistant|my programming)\b",
    re.IGNORECASE,
)
_MACHINES = re.compile(
    r"\b(?:AI|A\.I\.|(?i:artificial intelligence|language model|chatbots?|robots?|androids?))\b"
)
_OFF_TASK = re.compile(
    r"\b(?:how (?:can|may) i (?:help|assist)|what (?:would you like|can i (?:do|help)|"
    r"do you want) (?:me )?(?:to )?(?:do|write|help|know)?|please (?:provide|share|give me|specify|paste|"
    r"clarify|tell me what|let me know)|could you (?:please )?(?:provide|share|clarify|specify)|"
    r"can you (?:please )?(?:provide|share|clarify)|i['’]?(?:ll| will| would) (?:be happy|need|be glad)|"
    r"i['’]?m (?:ready|here|happy|glad) to|i don['’]t (?:see|have) (?:any|the|a|enough)|happy to help|"
    r"glad to help|feel free to|great question|i (?:understand|see) (?:you|that you)|thank you for (?:the|"
    r"your|sharing|providing)|i have (?:updated|completed|finished)|there (?:is|are) no (?:text|story|"
    r"content|turns?)\b|(?:user|player) (?:wants|asked|is asking|has asked|said)|let me know|"
    r"in this (?:task|exercise|prompt)|the (?:instructions?|prompt|task|user)\b)",
    re.IGNORECASE,
)


def names_machine(text: str) -> bool:
    return _MACHINES.search(text) is not None


def is_refusal(text: str, *, in_character: bool = False, has_machines: bool = False) -> bool:
    """True if `text` declines the task. `in_character` only words about the task count; with `has_machines` (a story
    about an AI) speaking as one does not.
    """
    head = text.strip()[:400]
    if in_character:
        start = r"\W*sorry\b" if has_machines else r"\W*(?:sorry|as an ai)\b"
        about_task = _ABOUT_TASK if has_machines else _ABOUT_TASK_OR_AI
        return bool(_DECLINING.search(head) or re.match(start, head, re.I)) and bool(about_task.search(head))
    begins = (_REFUSAL if has_machines else _REFUSAL_OF_AI).search(head)
    return (
        begins is not None and (begins.start() < 160 or len(text) < 500) and not _quoted(head, begins.start())
    )


def is_off_task(text: str, *, in_character: bool = False) -> bool:
    """True if `text` is about the program or its task instead of the story."""
    match = _OFF_TASK.search(text[:300])
    if match is None or in_character:
        return bool(match) and bool(
            re.search(r"\b(?:assist you today|help you today|this task|the prompt)\b", text, re.I)
        )
    return not _quoted(text, match.start()) and (match.start() < 80 or len(text) < 300)


def _quoted(text: str, at: int) -> bool:
    return any(start < at < end for start, end in quotation_spans(text))


def repeats_example(values: Mapping[str, Any], context: ReplyContext) -> bool:
    """True if every text of more than two words stands in the prompt's example."""
    if not (example := plain(context.prompt_example)):
        return False
    free = (value for name, value in values.items() if name not in {"mood", "moment_type"})
    texts = [plain(text) for value in free for text in _texts_in(value)]
    long = [text for text in texts if len(text.split()) > 2]
    return plain(str(values)) == example or (bool(long) and all(text in example for text in long))


def _texts_in(value: Any) -> Iterator[str]:
    """Yield the texts of a raw value, at any depth, without keys."""
    match value:
        case dict():
            for part in value.values():
                yield from _texts_in(part)
        case list():
            for part in value:
                yield from _texts_in(part)
        case _:
            yield str(value)


def has_placeholder(value: Any) -> bool:
    """True if a template was left unfilled anywhere in raw values."""
    match value:
        case str():
            unfilled = bool(value) and not is_nothing(value) and is_unfilled(value)
            return unfilled or any(map(is_placeholder, value.split("\n"))) or "<" in value
        case dict():
            return any(map(has_placeholder, value.values()))
        case list():
            return any(map(has_placeholder, value))
        case _:
            return False
