"""The line above the story: what goes first where it is narrow."""

from dataclasses import replace

from tests.support.said import plain
from theact_tui.tui.widgets.header import Whereabouts

WHERE = Whereabouts(title="The Lost Island", chapter="1 The Crash", turn=7, branch="main", mood="melancholic")


def test_who_tells_the_story_stays_when_the_mood_needs_the_room() -> None:
    offline = replace(WHERE, model="offline storyteller")
    assert "melancholic  offline storyteller" in plain(offline.fitted(100))
    assert "main  offline storyteller" in plain(offline.fitted(78))
    assert "turn 7  offline storyteller" in plain(offline.fitted(60))


def test_the_name_of_a_model_goes_before_its_tokens_and_the_mood() -> None:
    model = replace(WHERE, model="llama-3.1-8b-instruct", used=5200, window=8192)
    assert "melancholic  llama-3.1-8b-instruct 5.2k/8k" in plain(model.fitted(100))
    assert "melancholic  5.2k/8k" in plain(model.fitted(78))
    assert "turn 7  5.2k/8k" in plain(model.fitted(50))


def test_the_turn_stays_beside_the_longest_names() -> None:
    for name in ("The unabridged chronicle of everything that ever happened", "燈台の物語" * 12):
        long = replace(WHERE, title=name, chapter=f"1 {name}")
        assert "turn 7" in long.fitted(78).fitted(78).plain
