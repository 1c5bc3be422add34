"""HTTP to the servers of models. Import this in a thread: the HTTP client takes a third of a second to load."""

from __future__ import annotations

import ssl
from collections.abc import Awaitable, Callable
from functools import cache

import httpx2

from theact_tui.models.addresses import is_local

_CONNECT_SECONDS = 10.0


def open_http(
    base_url: str, silence: float, *look: Callable[[httpx2.Response], Awaitable[None]]
) -> httpx2.AsyncClient:
    """A client that follows no redirect, and goes through a proxy only to remote hosts. `look` sees each answer before
    its body is read."""
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
    return httpx2.create_ssl_context(trust_env=trust_env)
