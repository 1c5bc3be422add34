"""Macros of cards and lorebooks (`{{char}}`, `{{random:a,b}}`), settled once when they come in; nothing that acts stays."""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from theact_tui.errors import UsageError

MAX_MACROS = 20_000
"""Of one card or book."""
MAX_MADE = 1_000_000
"""Characters that the macros of one card or book put in."""
_LEVELS = 3
_OPEN, _CLOSE = "\ue000", "\ue001"
"""Stand for braces in what was put in, so that a name such as `{{x}}` is not expanded in its turn."""
_MACRO = re.compile(r"\{\{([^{}]{0,2000})\}\}")
_STATUS = re.compile(r"<StatusPlaceHolderImpl ?/>")
_START = re.compile(r"(?<=\S)(<start>)(?=\S)|<start>", re.IGNORECASE)
_SINGLE = re.compile(r"\{(character|user)\}")
_TAG = re.compile(r"<(bot|char|user)>", re.IGNORECASE)
_DICE = re.compile(r"(\d{0,3})d(\d{1,6})(?:([+-])(\d{1,6}))?|(\d{1,6})", re.IGNORECASE)
_SCRIPTED = frozenset(
    "setvar getvar addvar incvar decvar setglobalvar getglobalvar if /if else elseif outlet".split()
)
_AT_RUN_TIME = frozenset(
    "time date weekday isodate isotime idleduration idle_duration timediff lastmessage lastusermessage lastcharmessage "
    "lastmessageid input model maxprompt datetimeformat currentswipeid lastswipeid".split()
)
_NOTHING = frozenset("// comment hidden_key noop banned original trim charversion persona".split())
_SHORT = {"character": "char", "user": "user"}
_FIELDS = {
    "description": "description",
    "personality": "personality",
    "scenario": "scenario",
    "charfirstmessage": "first_mes",
    "mesexamples": "mes_example",
}


@dataclass(slots=True)
class Expansion:
    """Expands the texts of one card or book, and notes what could not be kept."""

    char: str = ""
    """Empty in a book that belongs to no card: then `{{char}}` stays as it is."""
    group: str = ""
    seed: str = ""
    """Makes dice and choices: the same seed, the same text."""
    single: bool = False
    """The file writes `{character}` and `{user}` with one brace."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """The texts of the card, which may be named in its texts."""
    left_out: dict[str, None] = field(default_factory=dict)
    _count: int = 0
    _made: int = 0
    _chance: random.Random = field(init=False)
    _names: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        everyone = ("group", "groupnotmuted", "notchar", "charifnotgroup")
        self._names = {"char": self.char, "bot": self.char, "user": "{player}"}
        self._names |= dict.fromkeys(everyone, self.group or self.char)

    def __call__(self, text: str) -> str:
        """The text with every macro that can be settled now in its final words. UsageError beyond the limits."""
        if self.single:
            text = _SINGLE.sub(lambda found: self._put(self._names[_SHORT[found[1]]]), text)
        if "{{" in text or "<" in text:
            text, _ = _without(text, "{{//", "}}")
            text, _ = _without(text, "{{else}}", "{{/if}}")
            text, scripts = _without(text, "<%", "%>")
            text, marks = _STATUS.subn("", text)
            if scripts or marks:
                self.left_out["Scripts in its texts: removed, never run."] = None
            text = _START.sub(lambda found: "\n" if found[1] else "", text)
            text = _TAG.sub(lambda found: self._put(self._names[found[1].lower()]) or found[0], text)
            for _ in range(_LEVELS):
                text, changed = _MACRO.subn(self._macro, text)
                if not changed:
                    break
        return text.replace(_OPEN, "{").replace(_CLOSE, "}")

    def _macro(self, found: re.Match[str]) -> str:
        self._count += 1
        if self._count > MAX_MACROS:
            raise UsageError(
                f"The card or lorebook has more than {MAX_MACROS:,} macros and cannot be imported."
            )
        body, whole = found[1].strip(), _settled(found[0])
        name, _, rest = re.sub(r"^([^\s:]+)(?:::|:|\s+)", r"\1\0", body, count=1).partition("\0")
        name = name.lower().lstrip("!?~>#")
        if name in self._names:
            return self._put(self._names[name]) or whole
        match name:
            case "random" | "pick":
                choices = rest.split("::") if "::" in rest else re.split(r"(?<!\\),", rest)
                return self._chance.choice(choices).replace("\\,", ",").strip()
            case "roll":
                return self._rolled(rest)
            case "newline" | "space":
                return "\n" if name == "newline" else " "
            case "reverse":
                return rest[::-1]
        if name in _NOTHING or name.startswith("//"):
            return ""
        if name in _FIELDS:
            return self._put(self.fields.get(_FIELDS[name], ""))
        if name in _AT_RUN_TIME:
            self.left_out[f"{{{{{name}}}}}: it works only in a running chat, so it was removed."] = None
            return ""
        if name in _SCRIPTED or name.startswith("."):
            self.left_out[
                "Variables and conditions in its texts: they belong to scripts, which are not run."
            ] = None
            return ""
        self.left_out[f"{{{{{body[:40]}}}}}: unknown, kept as text."] = None
        return whole

    def _put(self, text: str) -> str:
        """A text that a macro stands for."""
        self._made += len(text)
        if self._made > MAX_MADE:
            raise UsageError(
                "The card or lorebook repeats its own texts by macros until they are too long, "
                "and cannot be imported."
            )
        return _settled(text)

    def _rolled(self, dice: str) -> str:
        found = _DICE.fullmatch(dice.strip())
        if found is None:
            return ""
        count, sides = int(found[1] or 1), int(found[2] or found[5] or 1)
        total = sum(self._chance.randint(1, max(1, sides)) for _ in range(min(count, 100)))
        return str(total + int(f"{found[3]}{found[4]}" if found[4] else 0))


def _settled(text: str) -> str:
    """`text` with braces that are not looked at again."""
    return text.replace("{", _OPEN).replace("}", _CLOSE)


def _without(text: str, begin: str, end: str) -> tuple[str, int]:
    """`text` without the parts from `begin` to `end`, and how many these were."""
    first, *rest = text.split(begin)
    kept, cut = [first], 0
    for part in rest:
        _, found, after = part.partition(end)
        kept.append(after if found else begin + part)
        cut += bool(found)
    return "".join(kept), cut
