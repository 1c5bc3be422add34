"""A proxy is for what is elsewhere: a server on this computer is asked directly (S8.1)."""

import socket
from typing import Any

import pytest

from tests.models.conftest import Workshop, collect
from tests.support.fake_server import say
from theact_tui.errors import CallError
from theact_tui.models import addresses
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


@pytest.mark.parametrize("host", ["localhost", "localhost.", "LOCALHOST", "evil.localhost"])
async def test_names_of_this_computer_are_never_looked_up(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    real, asked = socket.getaddrinfo, []

    def resolve(name: Any, *args: Any, **more: Any) -> Any:
        asked.append(name if isinstance(name, str) else name.decode())
        return real(name, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    workshop.server.script("narrator", say("You wake."))
    endpoint = workshop.endpoint(url=f"http://{host}:{workshop.server.port}/v1")
    assert endpoint.local and (await collect(endpoint)).text == "You wake."
    assert (await probe.see(endpoint.profile.base_url, "tiny")).error is None
    assert set(asked) <= {"127.0.0.1", "::1"}
    assert workshop.server.calls[0].headers["host"].startswith(host.lower())
    await endpoint.close()


@pytest.mark.parametrize("proxy", ["socks5://127.0.0.1:9", "socks://x:1", "ftp://x", "::::"])
@pytest.mark.parametrize("model", ["tiny", ""])
async def test_a_proxy_that_cannot_be_used_is_a_sentence(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch, proxy: str, model: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", proxy)
    with pytest.raises(CallError, match=r"The proxy that ALL_PROXY names cannot be used.*\.$") as caught:
        await collect(workshop.endpoint(url="http://model.invalid/v1", model=model))
    assert caught.value.kind == "environment"


async def test_certificates_that_cannot_be_read_are_a_sentence(
    workshop: Workshop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SSL_CERT_DIR", raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere/ca.pem")
    addresses._certificates.cache_clear()
    with pytest.raises(CallError, match="The certificates that SSL_CERT_FILE names cannot be read"):
        await collect(workshop.endpoint(url="http://model.invalid/v1"))
    addresses._certificates.cache_clear()
