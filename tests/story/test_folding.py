"""S5.1: when turns are folded into the rolling summary."""

from theact_tui.story.folding import turns_to_fold, turns_to_keep
from theact_tui.story.turn import Turn


def turns(count: int) -> list[Turn]:
    return [Turn(number=n, chapter="one") for n in range(1, count + 1)]


def numbers(parts: tuple[tuple[Turn, ...], ...]) -> list[list[int]]:
    return [[turn.number for turn in part] for part in parts]


def test_nothing_is_folded_below_the_threshold_or_the_batch() -> None:
    assert turns_to_fold(turns(8), lambda turn: 500, 8192, part_tokens=4096) == ()
    assert turns_to_fold(turns(12), lambda turn: 100, 8192, part_tokens=4096) == ()


def test_a_full_batch_is_folded_and_four_turns_are_kept() -> None:
    assert numbers(turns_to_fold(turns(10), lambda turn: 300, 8192, part_tokens=4096)) == [[1, 2, 3, 4, 5, 6]]


def test_a_small_window_keeps_fewer_but_never_none() -> None:
    assert turns_to_keep(turns(10), lambda turn: 400, 2048) == 2
    assert turns_to_keep(turns(10), lambda turn: 4000, 2048) == 1


def test_a_prompt_that_does_not_fit_folds_at_once_and_keeps_half_of_what_it_holds() -> None:
    forced = turns_to_fold(turns(5), lambda turn: 400, 4096, part_tokens=1024, verbatim_tokens=1_700)
    assert numbers(forced) == [[1, 2], [3]]
    forced = turns_to_fold(turns(2), lambda turn: 400, 2048, part_tokens=600, verbatim_tokens=400)
    assert numbers(forced) == [[1]]
    assert turns_to_fold(turns(1), lambda turn: 9000, 2048, part_tokens=600, verbatim_tokens=0) == ()


def test_a_backlog_is_folded_in_parts_none_lost_none_twice() -> None:
    parts = numbers(turns_to_fold(turns(40), lambda turn: 600, 8192, part_tokens=4096))
    assert [n for part in parts for n in part] == list(range(1, 37))
    assert all(len(part) * 600 <= 4096 for part in parts)
