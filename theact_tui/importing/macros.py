"""Expand macros of cards and lorebooks (`{{char}}`, `{{random:a,b}}`) once, on import."""

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from theact_tui.errors import UsageError

MAX_MACROS = 20_000
"""Per card or book."""
MAX_INSERTED_LETTERS = 1_000_000
"""Per card or book."""
_MAX_NESTING = 6
_OPEN, _CLOSE = "\ue000", "\ue001"
"""Placeholders for inserted braces, so that a name such as `{{x}}` is not expanded."""
_IF, _ELSE, _END = "\ue002", "\ue003", "\ue004"
_MACRO = re.compile(r"\{\{([^{}]{0,2000})\}\}")
_SCRIPT = re.compile(r"<StatusPlaceHolderImpl ?/>|<UpdateVariable>.*?(?:</UpdateVariable>|\Z)", re.DOTALL)
"""Where a script shows its status, and what it is to change."""
_START = re.compile(r"(?<=\S)(<start>)(?=\S)|<start>", re.IGNORECASE)
_SINGLE = re.compile(r"\{(character|user)\}")
_TAG = re.compile(r"<(bot|char|user)>", re.IGNORECASE)
_DICE = re.compile(r"(\d{0,3})d(\d{1,6})(?:([+-])(\d{1,6}))?|(\d{1,6})", re.IGNORECASE)
_SCRIPTED = frozenset(
    "setvar getvar addvar incvar decvar setdefaultvar setglobalvar getglobalvar settempvar gettempvar tempvar outlet return "
    "equal notequal not_equal greater less greaterequal greater_equal lessequal less_equal and or not all any contains "
    "startswith endswith length calc ? chat_index chatindex isfirstmsg role lastmessageindex".split()
)
_CONDITIONS = frozenset("if when unless each if_pure func pure puredisplay".split())
_SHOWN = frozenset(
    "img image asset emotion audio bgm bg video video-img raw path inlay inlayed inlayeddata button file hiddeninfo".split()
)
"""Macros that only display or play something."""
_AT_RUN_TIME = frozenset(
    "time date weekday isodate isotime idleduration idle_duration timediff lastmessage lastusermessage lastcharmessage "
    "lastmessageid input model maxprompt datetimeformat currentswipeid lastswipeid".split()
)
_NOTHING = frozenset("// comment hidden_key noop banned original trim charversion persona".split())
MACRO = re.compile(r"\{\{|<(?:bot|char|user)>|<img=|<StatusPlace|<UpdateVar", re.IGNORECASE)
_IMAGE = re.compile(r"<img=[^<>]{0,300}>", re.IGNORECASE)
_SHORT = {"character": "char", "user": "user"}
_VARIABLES = "Variables and conditions in its texts: they belong to scripts, which are not run."
_FIELDS = {
    "description": "description",
    "personality": "personality",
    "scenario": "scenario",
    "charfirstmessage": "first_mes",
    "mesexamples": "mes_example",
}


@dataclass(slots=True)
class Expansion:
    """Expands the texts of one card or book, and records losses."""

    char: str = ""
    """Empty in a book without card: `{{char}}` then stays."""
    group: str = ""
    seed: str = ""
    single: bool = False
    """The file uses `{character}` and `{user}` with single braces."""
    fields: Mapping[str, str] = field(default_factory=dict)
    left_out: dict[str, None] = field(default_factory=dict)
    player: str = "{player}"
    _count: int = 0
    _inserted: int = 0
    _chance: random.Random = field(init=False)
    _names: dict[str, str] = field(init=False)

    def __post_init__(self) -> None:
        self._chance = random.Random(self.seed)
        everyone = ("group", "groupnotmuted", "notchar", "charifnotgroup")
        self._names = dict.fromkeys(("char", "bot", "c"), self.char) | dict.fromkeys(
            ("user", "u"), self.player
        )
        self._names |= dict.fromkeys(everyone, self.group or self.char)

    def __call__(self, text: str) -> str:
        """Expand all macros that can be settled now. Raises UsageError beyond the limits."""
        if self.single:
            text = _SINGLE.sub(lambda match: self._put(self._names[_SHORT[match[1]]]), text)
        if "{{" in text or "<" in text:
            text, _ = _without(text, "{{//", "}}")
            text, scripts = _without(text, "<%", "%>")
            text, marks = _SCRIPT.subn("", text)
            text = _IMAGE.sub("", text)
            if scripts or marks:
                self._say("Scripts in its texts: removed, never run.")
            text = _START.sub(lambda match: "\n" if match[1] else "", text)
            text = _TAG.sub(lambda match: self._named(match[1].lower(), match[0]), text)
            for _ in range(_MAX_NESTING):
                text, changed = _MACRO.subn(self._macro, text)
                if not changed:
                    break
            text = _first_branches(text)
        return text.replace(_OPEN, "{").replace(_CLOSE, "}")

    def _macro(self, match: re.Match[str]) -> str:
        self._count += 1
        if self._count > MAX_MACROS:
            raise UsageError(
                f"The card or lorebook has more than {MAX_MACROS:,} macros and cannot be imported."
            )
        body, whole = match[1].strip(), _settled(match[0])
        name, _, rest = re.sub(r"^([^\s:]+)(?:::|:|\s+)", r"\1\0", body, count=1).partition("\0")
        mark, name = name[:1], name.lower().lstrip("!?~>#:")
        if name in _CONDITIONS or name == "else" or mark == "/":
            self._say(_VARIABLES)
            return {"else": _ELSE}.get(name, _END if mark == "/" else _IF)
        if name in self._names:
            return self._named(name, whole)
        match name:
            case "random" | "pick":
                choices = rest.split("::") if "::" in rest else re.split(r"(?<!\\),", rest)
                return self._chance.choice(choices).replace("\\,", ",").strip()
            case "roll":
                return self._rolled(rest)
            case "newline" | "br":
                return "\n"
            case "space":
                return " "
            case "reverse":
                return rest[::-1]
            case "lower" | "upper":
                return rest.lower() if name == "lower" else rest.upper()
            case "bo" | "bc" | "decbo" | "decbc":
                return (_OPEN if name.endswith("bo") else _CLOSE) * (1 if name.startswith("dec") else 2)
        if name in _NOTHING or name in _SHOWN or name.startswith("//"):
            return ""
        if name in _FIELDS:
            return self._put(self.fields.get(_FIELDS[name], ""))
        if name in _AT_RUN_TIME:
            self._say(f"{{{{{name}}}}}: it works only in a running chat, so it was removed.")
            return ""
        if name in _SCRIPTED or name.startswith("."):
            self._say(_VARIABLES)
            return ""
        self._say(f"{{{{{body[:40]}}}}}: unknown, kept as text.")
        return whole

    def _named(self, macro: str, whole: str) -> str:
        if not self._names[macro]:
            self._say(f"{{{{{macro}}}}}: here is nobody that it stands for, so it is kept as text.")
        return self._put(self._names[macro]) or whole

    def _say(self, sentence: str) -> None:
        self.left_out[sentence] = None

    def _put(self, text: str) -> str:
        self._inserted += len(text)
        if self._inserted > MAX_INSERTED_LETTERS:
            raise UsageError(
                "The card or lorebook repeats its own texts by macros until they are too long, "
                "and cannot be imported."
            )
        return _settled(text)

    def _rolled(self, dice: str) -> str:
        match = _DICE.fullmatch(dice.strip())
        if match is None:
            return ""
        count, sides = int(match[1] or 1), int(match[2] or match[5] or 1)
        total = sum(self._chance.randint(1, max(1, sides)) for _ in range(min(count, 100)))
        return str(total + int(f"{match[3]}{match[4]}" if match[4] else 0))


@dataclass(slots=True)
class _Part:
    text: str = ""
    is_over: bool = False
    """The other branch follows."""
    is_behind_a_part: bool = False
    """It ends with another conditional part."""

    def add(self, text: str, *, is_part: bool = False) -> None:
        """Append text; of adjacent conditional parts only the first stays."""
        if not (self.is_over or (is_part and self.is_behind_a_part)):
            self.text += text
        self.is_behind_a_part = is_part or (self.is_behind_a_part and not text.strip())


def _first_branches(text: str) -> str:
    if not any(sign in text for sign in (_IF, _ELSE, _END)):
        return text
    open_parts = [_Part()]
    for piece in re.split(f"([{_IF}{_ELSE}{_END}])", text):
        if piece == _IF:
            open_parts.append(_Part())
        elif piece == _ELSE:
            open_parts[-1].is_over = len(open_parts) > 1
        elif piece != _END:
            open_parts[-1].add(piece)
        elif len(open_parts) > 1:
            part = open_parts.pop()
            open_parts[-1].add(part.text, is_part=True)
    return "".join(part.text for part in open_parts)


def _settled(text: str) -> str:
    return text.replace("{", _OPEN).replace("}", _CLOSE)


def _without(text: str, begin: str, end: str) -> tuple[str, int]:
    first, *rest = text.split(begin)
    parts, cut = [first], 0
    for part in rest:
        _, separator, after = part.partition(end)
        parts.append(after if separator else begin + part)
        cut += bool(separator)
    return "".join(parts), cut
