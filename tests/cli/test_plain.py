"""`play --plain`: who listens to it hears who speaks."""

import pytest

from tests.support.cli import Run
from theact_tui.cli.play import PlainPrinter, ProsePrinter, for_listening
from theact_tui.engine import events

DRAWN = set("›>│─━✓✦⚄[]*_#|·•◂▸")


def test_every_paragraph_begins_with_who_speaks(run: Run) -> None:
    story = ["play", "lost-island", "--plain", "--offline", "--seed", "7", "--player", "Alex"]
    done = run(
        *story, lines="I ask Maya about the plane.\n/note Keep it dark.\nI climb the rocks.\nI wait.\n"
    )
    assert done.code == 0 and not done.err
    parts = [part for part in done.out.split("\n") if part.strip()]
    assert any(part.startswith("Narrator: ") for part in parts)
    assert "You: I ask Maya about the plane." in parts
    assert any(part.startswith("Maya") and ": " in part for part in parts)
    speakers = {part.partition(": ")[0] for part in parts}
    assert speakers == {"You", "Narrator", "Maya Chen", "Father Joaquin", "Program", "Beat reached"}
    assert not DRAWN & set(done.out), "nothing that is drawn"


def test_what_commands_say_is_heard_as_words(run: Run) -> None:
    story = ["play", "lost-island", "--plain", "--offline", "--seed", "7", "--player", "Alex"]
    asked = ("/status", "/memory maya", "/moments", "/history", "/help", "/lore")
    done = run(*story, lines="\n".join(("I ask Maya about the plane.", "I climb the rocks.", *asked)))
    assert done.code == 0 and done.out.count("Program: ") == len(asked)
    assert not DRAWN & set(done.out)
    assert "length short or normal or long, how much" in done.out
    assert "The Crash, turn 2, branch main" in done.out and "turn 1, Ten people are in the raft" in done.out


def test_a_command_without_its_slash_is_told_with_a_line_below(run: Run) -> None:
    done = run("play", "lost-island", "--offline", "--seed", "7", lines="help\nI wait.\nQuit\n")
    assert done.code == 0 and "> help" in done.out and "> Quit" in done.out
    assert done.err.count("Sent to the story. /help lists the commands, /quit leaves.") == 2


@pytest.mark.parametrize(
    ("drawn", "heard"),
    [
        ("  · 6 to come", "6 to come"),
        ("  ✓ The tide rises\n  ✓ It falls", "Done: The tide rises\nDone: It falls"),
        ("--- The Crash ---", "The Crash"),
        ("*really* _so_ snake_case", "really so snake_case"),
        (
            "*  1. turn 3   discovery: a door\n* included in the narrator's prompt",
            "1. turn 3, discovery: a door",
        ),
        ("He waits… no—now. It's “fine”.", "He waits… no—now. It's “fine”."),
    ],
)
def test_signs_become_words_and_pauses(drawn: str, heard: str) -> None:
    assert for_listening(drawn).strip() == heard


@pytest.mark.parametrize("live", [False, True])
def test_what_is_stressed_is_printed_without_its_marks(
    live: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    printer, text = ProsePrinter(live=live), "*She nods* **twice**: 2 * 3 is *six.*\n"
    for piece in ("*She no", "ds* **tw", "ice**: 2 * 3 is *six.", "*\n"):
        printer(events.NarrationToken(text=piece, replace=False))
    printer(events.PageTold(text=text))
    assert capsys.readouterr().out.strip() == "She nods twice: 2 * 3 is six."


@pytest.mark.parametrize("printer", [PlainPrinter(), ProsePrinter(live=False), ProsePrinter(live=True)])
def test_a_page_is_printed_once_before_it_is_known_who_answers(
    printer: PlainPrinter | ProsePrinter, capsys: pytest.CaptureFixture[str]
) -> None:
    printer(events.PageTold(text="The lamp gutters."))
    printer(events.NarrationFinished(text="The lamp gutters.", mood="calm", responding=(), present=()))
    assert capsys.readouterr().out.count("The lamp gutters.") == 1


def test_plain_without_a_command_says_where_it_belongs(run: Run) -> None:
    done = run("--plain")
    assert done.code == 2 and "theact-tui play PACK --plain" in done.err
