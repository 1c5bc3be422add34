"""A proxy is for what is elsewhere: a server on this computer is asked directly (S8.1)."""

from __future__ import annotations

import pytest

from tests.models.conftest import Workshop, collect
from tests.support.fake_server import say
from theact_tui.models import discovery as probe

NOWHERE = "http://127.0.0.1:9"


async def test_a_server_on_this_computer_is_asked_directly(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, NOWHERE)
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    workshop.server.script("narrator", say("You wake."))
    assert (await probe.see(workshop.server.url, "tiny")).error is None
    endpoint = workshop.endpoint()
    assert (await collect(endpoint)).text == "You wake."
    await endpoint.close()
