"""The page about the architecture: what it says of files, names and layers holds."""

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
WALKS = re.split(r"^##+ .*$", PAGE[PAGE.index("### From enter") : PAGE.index("## Glossary")], flags=re.M)[1:]


def hops(walk: str) -> Iterator[tuple[str, str]]:
    """Each file of a walk with an empty name, and each name or call with the file before it."""
    file = ""
    for code in re.findall(r"`([^`]+)`", walk):
        name = "" if "/" in code else code
        file = file if name else code
        yield file, name


@cache
def definitions(file: str) -> tuple[str, ...]:
    """The names that are made in a file, each as often as it is: `function`, `CONSTANT`, `Class`, `Class.method`."""
    path = ROOT / "theact_tui" / file
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8") if path.is_file() else "")):
        match node:
            case ast.ClassDef(name=name, body=body):
                functions = (ast.FunctionDef, ast.AsyncFunctionDef)
                names += [name, *(f"{name}.{part.name}" for part in body if isinstance(part, functions))]
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                names.append(name)
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                names.append(name)
            case _:
                pass
    return tuple(names)


def stands(file: str, name: str) -> bool:
    """True if the file exists and the name is made there; a call must be written there in these words."""
    path = ROOT / "theact_tui" / file
    if not path.is_file():
        return False
    return not name or name in definitions(file) or ("(" in name and name in path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("walk", WALKS, ids=["enter", "inspector"])
def test_every_hop_of_a_walk_is_a_file_and_a_name_in_it(walk: str) -> None:
    assert [hop for hop in hops(walk) if not stands(*hop)] == []


@pytest.mark.parametrize("walk", WALKS, ids=["enter", "inspector"])
def test_a_walk_says_how_many_files_it_names(walk: str) -> None:
    files = {file for file, _ in hops(walk)}
    assert f"Files named above: {len(files)}." in walk


def test_every_row_of_the_index_names_one_function_and_every_package_has_a_row() -> None:
    index = PAGE[PAGE.index("## Index") : PAGE.index("## Rules that hold")]
    rows = re.findall(r"^\| (.+) \| `([\w/]+\.py)` \| `([\w.]+)` \|$", index, re.M)
    assert len(rows) == index.count("\n| ") - 1 >= 40
    assert [row for row in rows if definitions(row[1]).count(row[2]) != 1] == []
    assert len({question for question, _, _ in rows}) == len(rows)
    assert {file.partition("/")[0] for _, file, _ in rows} >= set(re.findall(r"^\| `(\w+)/` \|", PAGE, re.M))


def test_a_public_class_or_function_stands_in_one_file() -> None:
    """One name means one thing."""
    files: dict[str, list[str]] = {}
    for path in (ROOT / "theact_tui").rglob("[!_]*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                files.setdefault(node.name, []).append(path.name)
    assert {name: where for name, where in files.items() if where[1:] and not name.startswith("_")} == {}


def test_the_page_names_every_file_that_makes_a_view() -> None:
    """What an agent may know is decided where its view is made."""
    (told,) = re.findall(r"^- \*\*A view is all.*?(?=^- )", PAGE, re.M | re.S)
    theact, making = ROOT / "theact_tui", re.compile(r"(?<!class )\b(?:\w+View|Viewpoint)\((?!PlayView)")
    makers = {
        str(path.relative_to(theact))
        for package in ("story", "engine", "authoring")
        for path in theact.glob(f"{package}/**/*.py")
        if making.search(path.read_text(encoding="utf-8"))
    }
    assert set(re.findall(r"`([\w/]+\.py)`", told)) == makers


def test_the_layers_of_the_page_are_those_of_the_contract() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = settings["tool"]["importlinter"]["contracts"][0]["layers"]
    shown = re.search(r"```\n(cli > [^`]+)```", PAGE)
    assert shown is not None
    assert re.split(r"\s*>\s*", shown[1].strip()) == layers
