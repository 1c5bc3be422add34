"""`play --plain`: who listens to it hears who speaks."""

from __future__ import annotations

from tests.support.cli import Run


def test_every_paragraph_begins_with_who_speaks(run: Run) -> None:
    story = ["play", "lost-island", "--plain", "--offline", "--seed", "7", "--player", "Alex"]
    done = run(*story, lines="I ask Maya about the plane.\n/note Keep it dark.\nI climb the rocks.\n")
    assert done.code == 0 and not done.err
    parts = [part for part in done.out.split("\n") if part.strip()]
    assert any(part.startswith("Narrator: ") for part in parts)
    assert "You: I ask Maya about the plane." in parts
    assert any(part.startswith("Maya") and ": " in part for part in parts)
    drawn = set("›>│─━✓✦⚄[]*_#")
    assert not drawn & set(done.out), "nothing that is drawn"
