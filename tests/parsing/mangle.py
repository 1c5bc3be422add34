"""Makes malformed replies out of known answers: a way of writing an answer down, then accidents that happen to it.

Written from how models fail and not from how the reader reads; with a seed it always makes the same replies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.parsing.cases import BEATS, CAST, FACTS, ReplyCase

Fields = dict[str, Any]

PROSE = (
    "You step over the torn seats. Smoke curls out of the tail section.\n\nSomewhere a strap creaks.",
    '"Did you hear that?" Maya whispers. Nobody answers: the jungle does.\n\n"Stay here," Joaquin says. "I will '
    'look."',
    "The radio crackles: three tones, a pause, three tones. You count them twice — it isn't chance.",
    "You can't breathe for a moment. It's Lena's voice, you're sure of it, though she's on the ridge.",
    "A note is pinned to the door. It reads: mood swings of the sea. Beneath it, in pencil, #7.",
    "The tide's out. (Tom says it won't last.) You've got an hour, maybe less; the reef shows its teeth.\n\n"
    "What do you do?",
    "Old Tom counts on his fingers: one, two, three. 1. Water. 2. Fire. 3. A way home. You nod.",
    "«Allez,» murmure Lena. You follow the beam of her torch – 40% battery, no more – into the crevice.",
    'The sign says "KEEP OUT, OR ELSE", and below it, smaller, "please". You laugh in spite of yourself.',
    "Rain. Rain on the wing, rain in the fuselage, rain in your collar. You pull the tarp tighter and wait for "
    "the light.",
)
REASONS = (
    "Nobody has found water yet.",
    "The storm came, but the beacon is still a secret: Maya keeps quiet.",
    'They heard "something" on the radio; it isn\'t enough.',
    "Two of five beats are open",
)
TEXTS = (
    "Tom snores.",
    "The player promised Maya the last flare.",
    "Locker #7 holds a map, a torch and rope.",
    'Joaquin calls the ridge "the pulpit".',
    "Lena's arm is broken: she hides it.",
    "It's 2 hours to the reef at low tide",
)
RISKS = ("jump across the crevasse", "I climb the mast, in this wind", "pick the lock of the hatch")
MOODS = ("tense", "calm", "urgent", "mysterious", "humorous", "dramatic", "melancholic")


def truths(agent: str, random: Random) -> Fields:
    """A random right answer of `agent`."""
    match agent:
        case "narrator":
            ids = random.sample(list(CAST), random.choice([0, 1, 1, 2, 3]))
            return {
                "narration": random.choice(PROSE),
                "responding_characters": ids,
                "mood": random.choice(MOODS),
            }
        case "progress":
            return {
                "chapter_complete": random.random() < 0.3,
                "reason": random.choice(REASONS),
                "new_beats": random.sample(BEATS, random.choice([0, 1, 1, 2])),
            }
        case "memory":
            updates = [
                {"old": old, "new": random.choice(TEXTS)}
                for old in random.sample(FACTS, random.choice([0, 0, 1, 2]))
            ]
            return {
                "summary": random.choice(REASONS),
                "new": [
                    {"fact": text, "kind": random.choice(["promise", "secret", "none"])}
                    for text in random.sample(TEXTS, random.choice([0, 1, 2, 2]))
                ],
                "remove": random.sample(FACTS, random.choice([0, 0, 1, 2])),
                "changed": updates,
            }
        case _:
            return {"risk": random.choice(RISKS), "difficulty": random.choice([8, 12, 15])}


# Ways of writing a list


def _listed(key: str, items: list[Any], random: Random, indent: str = "") -> str:
    """`key:` and its items in some style of a list."""
    if not items:
        return f"{indent}{key}: " + random.choice(["[]", "none", "", "[ ]", "None", "null", "-"])
    spelled = [_item(key, item, random) for item in items]
    style = random.choice(
        [
            "dash",
            "dash",
            "dot",
            "star",
            "number",
            "flow",
            "inline",
            "quoted",
            "flow lines",
            "tight",
            "long dash",
        ]
    )
    if any(isinstance(item, dict) for item in items):
        return f"{indent}{key}:\n" + "\n".join(_pair(item, random, indent) for item in items)
    short = all(len(text) < 40 and "," not in text for text in spelled)
    match style:
        case "flow" if short:
            return f"{indent}{key}: [{', '.join(spelled)}]"
        case "flow lines":
            return (
                f"{indent}{key}: [\n"
                + "".join(f"{indent}  {json.dumps(text)},\n" for text in spelled)
                + f"{indent}]"
            )
        case "inline" if short and key == "responding_characters":
            return f"{indent}{key}: " + random.choice([", ", " and ", "; ", " / "]).join(spelled)
        case "quoted":
            return f"{indent}{key}: {json.dumps(spelled, ensure_ascii=False)}"
        case "number":
            return (
                f"{indent}{key}:\n" + "\n".join(f"{indent}{n}. {text}" for n, text in enumerate(spelled, 1))
                if key not in {"new_beats", "remove"}
                else f"{indent}{key}:\n" + "\n".join(f"{indent}- {text}" for text in spelled)
            )
        case _:
            mark = {"dot": "• ", "star": "* ", "tight": "-", "long dash": "– "}.get(style, "- ")
            pad = random.choice(["", "  ", "    ", "\t"])
            return f"{indent}{key}:\n" + "\n".join(f"{indent}{pad}{mark}{text}" for text in spelled)


def _item(key: str, item: Any, random: Random) -> str:
    if not isinstance(item, str):
        return str(item)
    if key == "responding_characters":
        name = CAST[item]
        return random.choice(
            [
                item,
                item,
                name,
                name.split()[-1],
                f"{item} ({name})",
                item.upper(),
                item.replace("_", " ").title(),
            ]
        )
    known = BEATS if key == "new_beats" else FACTS if key == "remove" else ()
    if item in known:
        number = known.index(item) + 1
        return random.choice(
            [
                item,
                item,
                item.rstrip("."),
                item.lower(),
                f"{number}. {item}",
                f"#{number}",
                str(number),
                f"[x] {item}",
                f"({number}) {item}",
            ]
        )
    return item


def _pair(item: Fields, random: Random, indent: str) -> str:
    if "fact" in item:
        fact, kind = item["fact"], item["kind"]
        return indent + random.choice(
            [
                f"- fact: {json.dumps(fact)}\n{indent}  kind: {kind}",
                f"- fact: {json.dumps(fact, ensure_ascii=False)}\n{indent}  kind: {kind}",
                f"- {json.dumps(item, ensure_ascii=False)}",
            ]
        )
    old, new = item["old"], item["new"]
    number = FACTS.index(old) + 1
    plain = old.rstrip(".")
    return indent + random.choice(
        [
            f"- old: {old}\n{indent}  new: {new}",
            f"- from: {old}\n{indent}  to: {new}",
            f"- old: {number}\n{indent}  new: {new}",
            f"- {plain} -> {new}",
            f"- '{plain}' => '{new}'",
            f"- Old: {plain}\n{indent}- New: {new}",
            f"- old: {plain}; new: {new}",
            f"- {number}: {new}",
            f"- fact {number} → {new}",
            f'- "{old}" → "{new}"',
            f"- before: {old}\n{indent}  after: {new}",
            f"* **old:** {old}\n{indent}  **new:** {new}",
        ]
    )


# Ways of writing an answer


def _yaml(fields: Fields, random: Random, indent: str = "") -> str:
    made = [_yaml_field(key, value, random, indent) for key, value in fields.items()]
    if random.random() < 0.2:
        random.shuffle(made)
    return "\n".join(made)


def _yaml_field(key: str, value: Any, random: Random, indent: str) -> str:
    if isinstance(value, list):
        return _listed(key, value, random, indent)
    if key in {"narration", "summary"} and random.random() < 0.75:
        mark = random.choice(["|", "|", "|", "|-", ">", "|+", ""])
        pad = random.choice(["  ", "  ", "    ", "\t", ""]) if mark else "  "
        lines = [f"{indent}{pad}{line}" if line else "" for line in str(value).split("\n")]
        if random.random() < 0.2:
            lines = [
                f"{indent}{pad}{' ' * random.randint(0, 3)}{line.strip()}" if line else "" for line in lines
            ]
        return f"{indent}{key}: {mark}\n" + "\n".join(lines)
    if isinstance(value, bool):
        return f"{indent}{key}: " + random.choice(_YES if value else _NO)
    text = str(value)
    style = random.choice(["bare", "bare", "double", "single"])
    if style == "double":
        return f"{indent}{key}: " + json.dumps(text, ensure_ascii=False)
    if style == "single" and "'" not in text:
        return f"{indent}{key}: '{text}'"
    return f"{indent}{key}: {text}"


_YES = ("true", "True", "yes", "Yes.", "TRUE", "yes, it is", "true (all done)")
_NO = ("false", "False", "no", "No.", "FALSE", "not yet", "no, not yet", "false (one beat left)")


def _json(fields: Fields, random: Random, indent: str = "") -> str:
    loose = {key: _loosened(key, value, random) for key, value in fields.items()}
    return json.dumps(loose, ensure_ascii=random.random() < 0.3, indent=random.choice([None, 2, 4]))


def _loosened(key: str, value: Any, random: Random) -> Any:
    if key == "responding_characters" and value and random.random() < 0.3:
        return random.choice(
            [", ".join(value), [{"id": id, "name": CAST[id]} for id in value], dict.fromkeys(value, True)]
        )
    if isinstance(value, bool) and random.random() < 0.3:
        return str(value)
    if isinstance(value, list) and not value and random.random() < 0.3:
        return random.choice([None, "none", ""])
    return value


def _python(fields: Fields, random: Random, indent: str = "") -> str:
    return repr(fields)


def _headings(fields: Fields, random: Random, indent: str = "") -> str:
    mark = random.choice(
        ["# {}", "## {}", "### **{}**", "**{}**", "**{}:**", "[{}]", "=== {} ===", "{}:", "## {}:"]
    )
    made = []
    for key, value in fields.items():
        title = random.choice([key, key.replace("_", " ").title(), key.upper()])
        body = (
            _listed("x", value, random).removeprefix("x:").strip("\n")
            if isinstance(value, list)
            else _said(value, random)
        )
        made.append(f"{mark.format(title)}\n{body.strip() or 'none'}\n")
    return "\n".join(made)


def _said(value: Any, random: Random) -> str:
    return random.choice(_YES if value else _NO) if isinstance(value, bool) else str(value)


def _bold(fields: Fields, random: Random, indent: str = "") -> str:
    mark = random.choice(
        [
            "**{}:** ",
            "**{}**: ",
            "- **{}**: ",
            "* {}: ",
            "{} = ",
            "{}: ",
            "`{}`: ",
            '"{}": ',
            "🔹 {}: ",
            "{} -> ",
        ]
    )
    made = []
    for key, value in fields.items():
        title = random.choice([key, key.replace("_", " ").title()])
        if isinstance(value, list) and any(isinstance(item, dict) for item in value):
            body = "\n" + "\n".join(_pair(item, random, "") for item in value)
        elif isinstance(value, list):
            joint = random.choice([", ", "; "]) if key == "responding_characters" else "; "
            body = (
                joint.join(_item(key, item, random) for item in value)
                if value
                else random.choice(["none", "[]", "None"])
            )
        else:
            body = _said(value, random)
        made.append(mark.format(title) + body)
    return random.choice(["\n", "\n\n"]).join(made)


def _tags(fields: Fields, random: Random, indent: str = "") -> str:
    made = []
    for key, value in fields.items():
        body = (
            _listed("x", value, random).removeprefix("x:").strip()
            if isinstance(value, list)
            else _said(value, random)
        )
        space = random.choice(["", "\n"])
        made.append(f"<{key}>{space}{body}{space}</{key}>")
    return "\n".join(made)


WAYS: tuple[Callable[..., str], ...] = (_yaml, _yaml, _yaml, _json, _json, _python, _headings, _bold, _tags)


# Accidents


def _fenced(text: str, random: Random) -> str:
    name = random.choice(["yaml", "json", "", "yml", "text"])
    fence = random.choice(["```", "```", "~~~"])
    return f"{fence}{name}\n{text}" + random.choice(
        [f"\n{fence}", f"\n{fence}\n", "", f"\n{fence}{chr(10)}{chr(10)}Let me know if you need changes!"]
    )


def _greeted(text: str, random: Random) -> str:
    return (
        random.choice(
            [
                "Sure! Here is the block:\n\n",
                "Here's the requested output:\n",
                "Okay, here you go:\n\n",
                "Output:\n",
            ]
        )
        + text
    )


def _thought(text: str, random: Random) -> str:
    draft = random.choice(
        ["narration: no\nmood: calm", "chapter_complete: true", '{"risk": "no"}', "Let me see."]
    )
    return random.choice(
        [
            f"<think>\n{draft}\n</think>\n\n{text}",
            f"Okay, so {draft}\n</think>\n{text}",
            f"<thinking>{draft}</thinking>{text}",
            f"<|channel|>analysis<|message|>{draft}<|end|><|start|>assistant<|channel|>final<|message|>{text}",
            f"{text}\n\n<think>{draft}",
        ]
    )


def _tokens(text: str, random: Random) -> str:
    return random.choice(
        [
            f"{text}<|im_end|>",
            f"<|im_start|>assistant\n{text}<|im_end|>",
            f"{text}</s>",
            f"{text}<|eot_id|>",
            f"assistant\n{text}",
        ]
    )


def _turned(text: str, random: Random) -> str:
    again = "I go on.\n\nnarration: You go on.\nmood: calm"
    return (
        text
        + random.choice(
            [
                "\n\nPlayer: ",
                "\n\nUser: ",
                "\n<|im_end|>\n<|im_start|>user\n",
                "\n\n### User\n",
                "\n\n**Player:** ",
            ]
        )
        + again
    )


def _returned(text: str, random: Random) -> str:
    return text.replace("\n", "\r\n")


def _renamed(text: str, random: Random) -> str:
    names = {
        "narration": ["Narration", "narrative", "NARRATION", "Narrator", "narración"],
        "responding_characters": [
            "Responding Characters",
            "respondingCharacters",
            "responding-characters",
            "responders",
            "responding_character",
        ],
        "chapter_complete": ["Chapter Complete", "chapterComplete", "chapter_completed", "is_complete"],
        "new_beats": ["New Beats", "newBeats", "beats_hit", "new beats"],
        "difficulty": ["Difficulty", "DC", "dc"],
        "new": ["New", "new_facts", "NEW"],
        "remove": ["removals", "Remove", "delete"],
        "changed": ["changes", "Changed"],
        "reason": ["Reason", "reasoning", "explanation"],
        "mood": ["Mood", "tone", "MOOD"],
    }
    key = random.choice([name for name in names if name in text] or ["mood"])
    return re.sub(
        rf"(?m)(^[\s\-*#\[<`\"'=🔹]*|[{{,]\s*[\"'])(?:{key})(?=[\"'*\]`>\s=]*[:=>\]\n]|$)",
        lambda m: m[1] + names[key][0],
        text,
    )


def _trailing(text: str, random: Random) -> str:
    return re.sub(r"([\]}\"])(\s*[}\]])", r"\1,\2", text) if text.lstrip().startswith("{") else text


def _unclosed(text: str, random: Random) -> str:
    return text.rstrip().removesuffix("}") if text.lstrip().startswith("{") else text


def _commaless(text: str, random: Random) -> str:
    return re.sub(r",\n", "\n", text) if text.lstrip().startswith("{") else text


def _commented(text: str, random: Random) -> str:
    return (
        re.sub(r"(: (?:true|false|\[\]),?)$", r"\1  // as asked", text, count=1, flags=re.M)
        if text.lstrip().startswith("{")
        else text
    )


def _unescaped(text: str, random: Random) -> str:
    return text.replace('\\"', '"').replace("\\n", "\n") if text.lstrip().startswith("{") else text


def _curly(text: str, random: Random) -> str:
    if not text.lstrip().startswith('{"') or '\\"' in text:
        return text
    return re.sub(r'"([^"]*)"', r"“\1”", text)


def _extra(text: str, random: Random) -> str:
    return text if text.lstrip().startswith(("{", "<")) else f"turn: 12\n{text}\nlocation: the beach"


def _same(text: str, random: Random) -> str:
    return text


INNER = (_same, _same, _renamed, _trailing, _unclosed, _commaless, _commented, _unescaped, _curly, _extra)
OUTER = (_same, _fenced, _fenced, _greeted, _thought, _tokens, _turned, _returned)


def mangled(agent: str, count: int, seed: int) -> Iterator[ReplyCase]:
    """`count` malformed replies of `agent`, each with what it says."""
    random = Random(f"{agent}-{seed}")
    for number in range(count):
        fields = truths(agent, random)
        way, inner, outer = random.choice(WAYS), random.choice(INNER), random.choice(OUTER)
        raw = outer(inner(way(fields, random), random), random)
        names = [part.__name__.strip("_") for part in (way, inner, outer)]
        if agent == "narrator":  # of a block the page alone is read
            fields = {"narration": fields["narration"]}
        yield ReplyCase(f"{agent}-{seed}-{number}-{'-'.join(names)}", agent, raw, fields)
