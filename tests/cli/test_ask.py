"""Questions about a story on the command line."""

from __future__ import annotations

from tests.support.cli import Run


def test_since_names_the_turn_of_a_remembered_line(played: Run) -> None:
    memory = played("show", "one", "--json").json["characters"][0]["memory"]
    line = memory["key_facts"][0]
    answer = played("since", "one", line["text"], "--json").json
    (person,) = [person for person in answer["people"] if person["text"] == line["text"]]
    assert answer["kind"] == "line" and person["since"] == line["turn"] == person["steps"][-1]["turn"]
    assert person["most_like"] is None or person["most_like"]["turn"] == line["turn"]
    said = played("since", "one", line["text"])
    assert said.code == 0 and f"since turn {line['turn']}" in said.out


def test_since_refuses_what_nobody_knows_and_a_turn_that_is_not_there(played: Run) -> None:
    unknown = played("since", "one", "zebra crossing the tundra")
    assert unknown.code == 2 and "is like" in unknown.err
    assert played("since", "one", "lamp", "--turn", "99").code == 2
