"""S5.4: which moments are kept, and which are told."""

from theact_tui.story.moments import MAX_MOMENTS, Moment, add_moment, moment_of, top_moments


def moment(turn: int, significance: float, *, pinned: bool = False) -> Moment:
    return Moment(
        turn=turn, type="discovery", summary=f"found {turn}", significance=significance, pinned=pinned
    )


def test_what_is_no_moment() -> None:
    assert moment_of(1, "discovery", "a warm spring", None) == Moment(
        turn=1, type="discovery", summary="a warm spring", significance=0.5
    )
    assert moment_of(1, "picnic", "a warm spring", 0.5) is None
    assert moment_of(1, None, "a warm spring", 0.5) is None
    assert moment_of(1, "discovery", "  ", 0.5) is None
    assert moment_of(1, "discovery", "a warm spring", 1.5) is None
    assert moment_of(1, "discovery", "a warm spring", -0.1) is None


def test_at_most_fifteen_the_least_significant_goes_at_a_tie_the_oldest() -> None:
    kept: tuple[Moment, ...] = ()
    for turn in range(1, MAX_MOMENTS + 1):
        kept = add_moment(kept, moment(turn, 0.3 if turn in (4, 9) else 0.8))
    after = add_moment(kept, moment(99, 0.5))
    assert len(after) == MAX_MOMENTS and 4 not in {m.turn for m in after} and 9 in {m.turn for m in after}
    assert add_moment(after, moment(100, 0.1)) == after


def test_a_pinned_moment_never_goes() -> None:
    kept: tuple[Moment, ...] = (moment(1, 0.0, pinned=True),)
    for turn in range(2, 40):
        kept = add_moment(kept, moment(turn, 0.9))
    assert kept[0].turn == 1 and len(kept) == MAX_MOMENTS


def test_the_top_five_are_told_in_turn_order() -> None:
    moments = [moment(turn, turn / 100) for turn in (50, 10, 40, 20, 30, 60)]
    assert [m.turn for m in top_moments(moments)] == [20, 30, 40, 50, 60]
