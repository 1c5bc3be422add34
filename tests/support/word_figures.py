"""Count what makes the package hard to read: vague names, idioms and long docstrings. Written to `tests/word_figures.txt` by
`python -m tests.support.word_figures`, which refuses to raise the sum of a figure.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[2] / "theact_tui"
FILE = Path(__file__).parents[1] / "word_figures.txt"
VAGUE = frozenset(
    "told found made known kept said came come given gone got tell knows each here there what who how which thing things "
    "such".split()
)
VAGUE_PARTS = frozenset("told made known came said kept found tell".split())
IDIOMS = [
    re.compile(idiom, re.IGNORECASE)
    for idiom in (
        r"\b(?:some|no)body\b",
        r"^\W*(?:what|who|whose|whom|which|where|of|that|the same)\b",
        r"\bis (?:said|told|known|meant) (?:of|to)\b",
        r"\b(?:some|part|much|nothing|more|all) of it\b",
        r"\bwhat (?:is|was|stands|comes|can)\b",
        r"\bone (?:is|who|may)\b",
        r"\bcomes? of\b",
        r"\bof which\b",
    )
]
COMMAND = "python -m tests.support.word_figures"


class Figures(NamedTuple):
    """Counts for one file or the package."""

    outer: int
    """Vague names that other functions see: functions, classes, arguments, attributes."""
    local: int
    """Vague names of local variables."""
    parts: int
    """Names with a vague word between underscores."""
    idioms: int
    words: int
    """Words in docstrings."""


GOALS = {"outer": 0.003, "local": 0.01, "parts": 0.007, "idioms": 0.005, "words": 0.7}
"""Share of the outer, local or all names; idioms for each docstring word; docstring words for each line."""


def bound_names(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """Yield each name that the code binds, and whether other functions see it. Fields of classes are contracts: left out."""
    fields = {
        line.target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for line in node.body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
    }
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                bound = name, True
            case ast.arg(arg=name) | ast.Attribute(attr=name, ctx=ast.Store()):
                bound = name, True
            case ast.Name(id=name, ctx=ast.Store()):
                bound = name, False
            case _:
                continue
        if name not in fields and name.strip("_") not in ("", "self", "cls"):
            yield bound[0].strip("_"), bound[1]


def docstrings(tree: ast.AST) -> Iterator[str]:
    """Yield docstrings, those of constants and fields too."""
    for node in ast.walk(tree):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                yield text
            case _:
                pass


def measure(source: str) -> tuple[Figures, Figures]:
    """Return the figures of a file's source, and the most it may have at the goal."""
    tree = ast.parse(source)
    names, texts = list(bound_names(tree)), list(docstrings(tree))
    outer = [name for name, is_outer in names if is_outer]
    local = [name for name, is_outer in names if not is_outer]
    words = sum(len(text.split()) for text in texts)
    figures = Figures(
        outer=sum(name in VAGUE for name in outer),
        local=sum(name in VAGUE for name in local),
        parts=sum(not VAGUE_PARTS.isdisjoint(name.split("_")) for name, _ in names),
        idioms=sum(len(idiom.findall(text)) for text in texts for idiom in IDIOMS),
        words=words,
    )
    bases = Figures(len(outer), len(local), len(names), words, source.count("\n"))
    goal = Figures(*(int(GOALS[field] * base) for field, base in zip(Figures._fields, bases, strict=True)))
    return figures, goal


def measure_package() -> dict[str, tuple[Figures, Figures]]:
    """Return figures and goal for each file of the package."""
    return {
        path.relative_to(PACKAGE).as_posix(): measure(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def read_limits() -> dict[str, Figures]:
    """Return the figures on disk. A merge of two branches may leave two lines for a file: the lower figures count."""
    limits: dict[str, Figures] = {}
    for line in FILE.read_text(encoding="utf-8").splitlines():
        path, *numbers = line.split()
        figures = Figures(*map(int, numbers))
        limits[path] = Figures(*map(min, figures, limits.get(path, figures)))
    return limits


def total(rows: Mapping[str, Figures]) -> Figures:
    """Return the figures of the package."""
    return Figures(*map(sum, zip(*rows.values(), strict=True))) if rows else Figures(0, 0, 0, 0, 0)


def risen(limits: Mapping[str, Figures], package: Mapping[str, tuple[Figures, Figures]]) -> list[str]:
    """Return a line for each figure above both its limit and its goal. New files share the limits of files that are gone."""
    spare = list(total({path: row for path, row in limits.items() if path not in package}))
    lines = []
    for path, (figures, goal) in package.items():
        allowed = [max(both) for both in zip(limits.get(path, goal), goal, strict=True)]
        for place, (field, count) in enumerate(zip(Figures._fields, figures, strict=True)):
            excess = max(0, count - allowed[place])
            if path not in limits:
                lent = min(excess, spare[place])
                spare[place] -= lent
                excess -= lent
            if excess:
                lines.append(f"{path}: {field} {count}, allowed {allowed[place]}")
    return lines


def raised(limits: Mapping[str, Figures], package: Mapping[str, tuple[Figures, Figures]]) -> list[str]:
    """Return a line for each figure of the whole package that is above the sum of its limits."""
    now, most = total({path: figures for path, (figures, _) in package.items()}), total(limits)
    rows = zip(Figures._fields, now, most, strict=True)
    return [f"{field} {count}, allowed {limit}" for field, count, limit in rows if count > limit]


def main() -> None:
    """Write the figures, unless the sum of one rose."""
    package = measure_package()
    if FILE.exists() and (lines := raised(read_limits(), package)):
        sys.exit("Not written: the package has more than before. " + "; ".join(lines))
    rows = (f"{path} {' '.join(map(str, figures))}\n" for path, (figures, _) in package.items())
    FILE.write_text("".join(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
