"""The language of the code: vague names, idioms and docstring words may only become fewer."""

from __future__ import annotations

from functools import cache

from tests.support.word_figures import (
    COMMAND,
    Figures,
    measure,
    measure_package,
    raised,
    read_limits,
    risen,
)

NONE = Figures(0, 0, 0, 0, 0)
package = cache(measure_package)


def test_no_file_has_more_vague_names_idioms_or_docstring_words_than_before() -> None:
    assert risen(read_limits(), package()) == [], (
        f"Use plainer names and shorter docstrings; after moving code between files run `{COMMAND}`."
    )


def test_the_package_has_no_more_of_them_than_before() -> None:
    assert raised(read_limits(), package()) == []


def test_names_and_docstrings_are_counted() -> None:
    lines = [
        "class Page:",
        "    told: int",
        "    def told_by(self, found):",
        '        """What is told of somebody."""',
    ]
    source = "\n".join([*lines, "        made = 1", ""])
    assert measure(source)[0] == Figures(outer=1, local=1, parts=3, idioms=4, words=5)


def test_a_file_that_moved_keeps_its_figures_and_a_new_one_must_meet_the_goal() -> None:
    poor, limits = Figures(2, 3, 1, 4, 50), {"old.py": Figures(2, 3, 1, 4, 50)}
    assert risen(limits, {"new.py": (poor, NONE)}) == []
    assert risen(limits, {"old.py": (poor, NONE), "new.py": (Figures(1, 0, 0, 0, 0), NONE)}) == [
        "new.py: outer 1, allowed 0"
    ]


def test_a_figure_may_rise_in_a_file_that_meets_the_goal() -> None:
    assert risen({"a.py": NONE}, {"a.py": (Figures(0, 0, 0, 0, 60), Figures(0, 0, 0, 0, 70))}) == []
    assert risen({"a.py": NONE}, {"a.py": (Figures(0, 0, 0, 0, 71), Figures(0, 0, 0, 0, 70))}) == [
        "a.py: words 71, allowed 70"
    ]


def test_figures_of_the_whole_package_are_never_raised() -> None:
    limits = {"a.py": Figures(1, 1, 1, 1, 10), "b.py": NONE}
    assert raised(limits, {"b.py": (Figures(1, 1, 1, 1, 10), NONE)}) == []
    assert raised(limits, {"a.py": (Figures(1, 2, 1, 1, 9), NONE)}) == ["local 2, allowed 1"]
