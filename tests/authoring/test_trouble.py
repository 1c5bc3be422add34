"""S16: an imported card has no trouble of its own; a model proposes one, which is used only if the player says so."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.importing import cards
from tests.support.cli import Run
from tests.support.fake_server import Request, ScriptedServer, Step, say, status
from theact_tui.packs.loader import load_pack

WANT, SECRET = "Sera wants the old bell rung once more.", "She sold the clapper."
TROUBLE, GROWS = (
    "The spring dries up.",
    ["Soon the birds leave.", "Then the well falls.", "At last the glade burns."],
)
FORM = {"want": WANT, "secret": SECRET, "trouble": TROUBLE, "grows": GROWS}


@pytest.fixture
def card(tmp_path: Path) -> Path:
    file = tmp_path / "Sera.json"
    file.write_text(json.dumps(cards.v2(scenario="A glade.")), "utf-8")
    return file


def with_model(server: ScriptedServer) -> list[str]:
    return ["--base-url", server.url, "--model", "m"]


def test_what_is_proposed_is_printed_and_put_into_the_pack(
    run: Run, server: ScriptedServer, packs: Path, card: Path
) -> None:
    server.script("author:trouble", say(json.dumps(FORM)))
    done = run("import", str(card), "--trouble", "use", *with_model(server))
    assert done.code == 0 and WANT in done.err and f"Sera hides: {SECRET}" in done.out
    pack = load_pack(packs / "sera")
    sera = pack.characters["sera"]
    assert (sera.want, sera.secret) == (WANT, SECRET)
    assert pack.world.truth == " ".join([TROUBLE, *GROWS]), "for the narrator alone"
    assert sera.personality.startswith("Sera guards the glade"), "the rest of the card is as it came"


def test_a_server_is_given_a_strict_form_and_is_told_of_the_card(
    run: Run, server: ScriptedServer, packs: Path, card: Path
) -> None:
    server.script("author:trouble", say(json.dumps(FORM)))
    assert run("import", str(card), "--trouble", "use", *with_model(server)).code == 0
    (request,) = [each for each in server.calls if each.agent == "author:trouble"]
    schema = request.body["response_format"]["json_schema"]["schema"]
    assert (
        set(schema["required"]) == {"want", "secret", "trouble", "grows"}
        and not schema["additionalProperties"]
    )
    assert (schema["properties"]["grows"]["minItems"], schema["properties"]["grows"]["maxItems"]) == (2, 3)
    assert "guards the glade" in request.prompt and "A glade." in request.prompt


@pytest.mark.parametrize("flags", [[], ["--trouble", "off"], ["--json"]])
def test_nothing_is_asked_where_nobody_can_answer(
    run: Run, server: ScriptedServer, packs: Path, card: Path, flags: list[str]
) -> None:
    assert run("import", str(card), *flags, *with_model(server)).code == 0
    assert not server.calls and not load_pack(packs / "sera").characters["sera"].want


@pytest.mark.parametrize(("answer", "is_used"), [("y\n", True), ("n\n", False), ("", False)])
def test_on_a_terminal_it_is_shown_and_can_be_refused(
    run: Run,
    server: ScriptedServer,
    packs: Path,
    card: Path,
    monkeypatch: pytest.MonkeyPatch,
    answer: str,
    is_used: bool,
) -> None:
    monkeypatch.setattr("theact_tui.cli.packs.is_terminal", lambda _: True)
    server.script("author:trouble", say(json.dumps(FORM)))
    done = run("import", str(card), *with_model(server), lines=answer)
    assert WANT in done.err and "Use it?" in done.err
    assert bool(load_pack(packs / "sera").characters["sera"].want) == is_used
    assert bool(load_pack(packs / "sera").world.truth) == is_used


def test_of_several_cards_each_is_asked_about_and_one_trouble_is_enough(
    run: Run, server: ScriptedServer, packs: Path, card: Path, tmp_path: Path
) -> None:
    other = tmp_path / "Bran.json"
    other.write_text(json.dumps(cards.v2(name="Bran", description="Bran keeps bees.")), "utf-8")
    asked: list[Request] = []

    def form(request: Request) -> str:
        asked.append(request)
        return json.dumps(FORM)

    server.script("author:trouble", say(form), say(form))
    assert run("import", str(card), str(other), "--trouble", "use", *with_model(server)).code == 0
    pack = load_pack(packs / "sera-and-bran")
    assert all(person.want and person.secret for person in pack.characters.values())
    assert pack.world.truth.count(TROUBLE) == 1
    assert '"trouble"' not in asked[1].prompt and TROUBLE in asked[1].prompt


@pytest.mark.parametrize(
    "step", [say("I cannot."), say("{}"), say('{"want": "x"}'), status(401, {"error": {"message": "no"}})]
)
def test_a_model_that_fails_leaves_the_card_as_it_came(
    run: Run, server: ScriptedServer, packs: Path, card: Path, step: Step
) -> None:
    server.script("author:trouble", *[step] * 4)
    ran = run("import", str(card), "--trouble", "use", *with_model(server))
    assert ran.code == 1 and "No conflict was proposed for Sera" in ran.err
    pack = load_pack(packs / "sera")
    assert not (pack.characters["sera"].want or pack.world.truth)


def test_offline_there_is_none_and_who_has_one_is_not_asked_about(
    run: Run, server: ScriptedServer, packs: Path, card: Path
) -> None:
    ran = run("import", str(card), "--trouble", "use", "--offline")
    assert ran.code == 2 and "needs a model" in ran.err
    server.script("author:trouble", say(json.dumps(FORM)))
    again = ["import", str(card), "--into", "sera", "--trouble", "use", *with_model(server)]
    assert run(*again).code == 0 and len(server.calls) == 1
    assert run(*again).code == 0 and len(server.calls) == 1, "it wants something already"
