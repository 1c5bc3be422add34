"""Server addresses: check, tell local from remote, connect."""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Awaitable, Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    import ssl

    import httpx2


def check_url(value: str) -> str:
    """Return `value` as a base URL. Raises ValueError with a sentence."""
    scheme, mark, rest = value.strip().partition("://")
    url = (f"{scheme}://{rest}" if mark else f"http://{scheme}").rstrip("/")
    parts = urlsplit(url)
    try:
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        usable = usable and not re.search(r"\s", url)
    except ValueError:
        usable = False
    if parts.username or parts.password:
        raise ValueError("an address must not contain a password; use the API key")
    if not value.strip():
        raise ValueError("Enter a server address, such as http://127.0.0.1:8080/v1")
    if not usable:
        raise ValueError(f"{value!r} is not a server address, such as http://127.0.0.1:8080/v1")
    if parts.query or parts.fragment:
        raise ValueError(f"the address {value!r} must not contain ? or #")
    return url


def host_of(base_url: str) -> str:
    return (urlsplit(base_url).hostname or "").rstrip(".")


def has_path(base_url: str) -> bool:
    return bool(urlsplit(base_url).path.strip("/"))


def is_local(base_url: str) -> bool:
    """True for this machine and private addresses. Names that need a resolver are remote."""
    host = host_of(base_url)
    if is_loopback_name(host):
        return True
    try:
        address = ipaddress.ip_address(host.partition("%")[0] if ":" in host else host)  # only IPv6 has zones
    except ValueError:
        return False
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_link_local or any(address in net for net in _PRIVATE)


def is_this_computer(base_url: str) -> bool:
    host = host_of(base_url)
    try:
        return is_loopback_name(host) or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_loopback_name(host: str) -> bool:
    return host == "localhost" or host.endswith(".localhost")


_PRIVATE = [
    ipaddress.ip_network(net) for net in ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
]


# --- connections -----------------------------------------------------------------------------------------------------

_CONNECT_SECONDS = 10.0
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")


class UnusableEnvironment(OSError):
    """The message names the variable."""


def open_http(
    base_url: str, silence: float, *look: Callable[[httpx2.Response], Awaitable[None]]
) -> httpx2.AsyncClient:
    """Return a client that follows no redirect and uses a proxy only to remote hosts.

    `look` sees each response before its body. Raises UnusableEnvironment.
    """
    import httpx2

    remote = not is_local(base_url)
    try:
        certificates = _certificates(remote)
    except OSError as error:
        names = _set_variables(_CERTIFICATES)
        raise UnusableEnvironment(
            f"The certificates that {names} names cannot be read. Correct or unset it, and restart."
        ) from error
    try:
        return httpx2.AsyncClient(
            timeout=httpx2.Timeout(silence, connect=min(silence, _CONNECT_SECONDS)),
            follow_redirects=False,
            trust_env=remote,
            verify=certificates,
            transport=_loopback(certificates) if is_loopback_name(host_of(base_url)) else None,
            event_hooks={"response": list(look)},
        )
    except (ImportError, ValueError, httpx2.InvalidURL) as error:
        names = _set_variables(_PROXIES)
        raise UnusableEnvironment(
            f"The proxy that {names} names cannot be used: it must be an address that begins with http://. "
            "Correct or unset it, and restart."
        ) from error


def _set_variables(names: Iterable[str]) -> str:
    spellings = (spelling for name in names for spelling in (name, name.lower()))
    return " or ".join(filter(os.environ.get, spellings)) or "the system"


def _loopback(certificates: ssl.SSLContext) -> httpx2.AsyncBaseTransport:
    import httpx2

    class Loopback(httpx2.AsyncHTTPTransport):
        async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
            request.extensions = {**request.extensions, "sni_hostname": request.url.host}
            try:
                request.url = request.url.copy_with(host="127.0.0.1")
                return await super().handle_async_request(request)
            except httpx2.ConnectError:
                request.url = request.url.copy_with(host="::1")
                return await super().handle_async_request(request)

    return Loopback(verify=certificates, trust_env=False)


@cache
def _certificates(trust_env: bool) -> ssl.SSLContext:
    import httpx2

    return httpx2.create_ssl_context(trust_env=trust_env)
