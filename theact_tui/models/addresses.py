"""Addresses of servers: which are usable, whose host it is, which stay on this computer or network, and HTTP to them."""

from __future__ import annotations

import ipaddress
from collections.abc import Awaitable, Callable
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import ssl

    import httpx2


def check_url(value: str) -> str:
    """`value` as a base URL without a slash at its end. Raises ValueError with a sentence for people."""
    scheme, found, rest = value.strip().partition("://")
    url = (f"{scheme}://{rest}" if found else f"http://{scheme}").rstrip("/")
    parts = urlsplit(url)
    try:
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if parts.username or parts.password:
        raise ValueError("an address must not contain a password; use the API key")
    if not usable:
        raise ValueError(f"{value!r} is not a server address, such as http://127.0.0.1:8080/v1")
    if parts.query or parts.fragment:
        raise ValueError(f"the address {value!r} must not contain ? or #")
    return url


def host_of(base_url: str) -> str:
    """The host name in `base_url`, in lower case."""
    return (urlsplit(base_url).hostname or "").rstrip(".")


def has_path(base_url: str) -> bool:
    """False for a bare host, which usually lacks `/v1`."""
    return bool(urlsplit(base_url).path.strip("/"))


def is_local(base_url: str) -> bool:
    """True for this machine and private addresses. A name that would have to be looked up is remote."""
    host = host_of(base_url)
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_link_local or any(address in net for net in _PRIVATE)


_PRIVATE = [
    ipaddress.ip_network(net) for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
]


# --- connections -----------------------------------------------------------------------------------------------------

_CONNECT_SECONDS = 10.0


def open_http(
    base_url: str, silence: float, *look: Callable[[httpx2.Response], Awaitable[None]]
) -> httpx2.AsyncClient:
    """A client that follows no redirect, and goes through a proxy only to remote hosts. `look` sees each answer before
    its body is read. Call this in a thread first: the HTTP client takes a third of a second to load."""
    import httpx2

    remote = not is_local(base_url)
    return httpx2.AsyncClient(
        timeout=httpx2.Timeout(silence, connect=min(silence, _CONNECT_SECONDS)),
        follow_redirects=False,
        trust_env=remote,
        verify=_certificates(remote),
        event_hooks={"response": list(look)},
    )


@cache
def _certificates(trust_env: bool) -> ssl.SSLContext:
    """Whom to trust. Loading it takes a tenth of a second, so that all clients share it."""
    import httpx2

    return httpx2.create_ssl_context(trust_env=trust_env)
