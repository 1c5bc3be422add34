"""A chapter made by commands: its texts in files, its save filled in."""

from pathlib import Path

from tests.support.cli import Run


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def filled(run: Run, folder: Path) -> None:
    """The save `Tower` in DRAFT, filled in."""
    assert run("new", "Tower").code == 0
    person = f"2:Bo:{write(folder, 'bo.txt', 'Bo makes ropes.')}"
    world, chapter = write(folder, "w.txt", "A drowned city."), write(folder, "c.txt", "In the tower.")
    set_ = run(
        "set",
        "Tower",
        "--world",
        world,
        "--chapter",
        chapter,
        "--agents",
        "2",
        "--agent",
        "1:Kara:",
        "--agent",
        person,
    )
    assert set_.code == 0, set_.err


def locked(run: Run, folder: Path) -> None:
    """The same, locked: prompts can be given."""
    filled(run, folder)
    done = run("lock", "Tower")
    assert done.code == 0, done.err
