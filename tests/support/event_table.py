"""The table of events in `docs/events.md`, made from the source of the events."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "events.md"
SOURCE = ROOT / "theact_tui" / "engine" / "events.py"
HEADING = re.compile(r"# --- (.+?) -+$")
INTRODUCTION = """# Events

The engine publishes what happens as events. Screens, the call ledger, `play --events` and tests subscribe to them. An
event is frozen and can be written as one line of JSON with `Event.to_json`. Publishing never blocks and never raises;
every subscriber gets the events in order, and one that fails or lags does not disturb the others.

Generated from `theact_tui/engine/events.py` by `python -m tests.support.rewrite`; a test fails when this page is
not current. Names and fields are a contract: they may be added to, and are neither renamed nor removed.
"""


def _sections() -> Iterator[str]:
    text = SOURCE.read_text(encoding="utf-8")
    lines = text.splitlines()
    headings = {number: found[1] for number, line in enumerate(lines, 1) if (found := HEADING.match(line))}
    for node in ast.parse(text).body:
        if not isinstance(node, ast.ClassDef) or not _is_event(node):
            continue
        for number in sorted(number for number in headings if number < node.lineno):
            yield f"## {headings.pop(number).capitalize()}\n"
        yield _event(node)


def _is_event(node: ast.ClassDef) -> bool:
    return node.name == "Event" or any(
        isinstance(base, ast.Name) and base.id == "Event" for base in node.bases
    )


def _event(node: ast.ClassDef) -> str:
    is_base = node.name == "Event"
    name = re.sub(r"(?<!^)(?=[A-Z])", "_", node.name).lower()
    told = "Every event has these fields; the bus fills them in. Its JSON also has `type`, the name below."
    about = told if is_base else ast.get_docstring(node) or ""
    rows = list(_fields(node))
    lines = ["## Of all events" if is_base else f"### `{name}`", ""]
    if about:
        lines += [" ".join(about.split()), ""]
    if rows:
        lines += ["| field | type | default | meaning |", "|---|---|---|---|", *rows, ""]
    return "\n".join(lines)


def _fields(node: ast.ClassDef) -> Iterator[str]:
    for field, following in zip(node.body, [*node.body[1:], None], strict=True):
        if not isinstance(field, ast.AnnAssign) or not isinstance(field.target, ast.Name):
            continue
        meaning = ""
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            meaning = " ".join(str(following.value.value).split())
        kind = ast.unparse(field.annotation).replace("|", "\\|")
        default = f"`{ast.unparse(field.value)}`" if field.value else ""
        yield f"| `{field.target.id}` | `{kind}` | {default} | {meaning} |"


def generated() -> dict[Path, str]:
    return {DOCUMENT: "\n".join([INTRODUCTION, *_sections()])}
