"""The openai client, and the only module that imports it: load it in a thread, when a call is due.

It turns everything the client raises into `Failed`.
"""

from __future__ import annotations

import json
import ssl
from collections.abc import AsyncGenerator
from contextlib import aclosing
from functools import cache
from typing import Any

import httpx2
import openai

from theact_tui.models.base import Piece
from theact_tui.models.failures import Failed, Place, from_exception, from_status
from theact_tui.models.profiles import host_of, is_local
from theact_tui.models.sse import Body, Bounds, pieces

_CONNECT_SECONDS = 10.0


def open_client(base_url: str, key: str, silence: float) -> openai.AsyncOpenAI:
    """A client that never retries by itself, follows no redirect, and goes through a proxy only to remote hosts."""
    patience = httpx2.Timeout(silence, connect=min(silence, _CONNECT_SECONDS))
    remote = not is_local(base_url)
    http = httpx2.AsyncClient(
        timeout=patience, follow_redirects=False, trust_env=remote, verify=_certificates(remote)
    )
    client = openai.AsyncOpenAI(
        base_url=base_url, api_key=key or "none", max_retries=0, timeout=patience, http_client=http
    )
    if host_of(base_url) != "api.openai.com":
        client.organization = client.project = None
    return client


@cache
def _certificates(trust_env: bool) -> ssl.SSLContext:
    """Whom to trust. Loading it takes a tenth of a second, so that all clients share it."""
    return httpx2.create_ssl_context(trust_env=trust_env)


async def answer(
    client: openai.AsyncOpenAI, body: dict[str, Any], agent: str, place: Place, bounds: Bounds
) -> AsyncGenerator[Piece, None]:
    """One attempt at a call. Raises Failed; closing it closes the connection, which stops the server."""
    started = False
    create = client.chat.completions.with_streaming_response.create
    try:
        async with create(**body, stream=True, extra_headers={"X-Agent": agent}) as response:
            kind = response.headers.get("content-type", "")
            arriving = Body(kind, response.http_response.aiter_bytes())
            async with aclosing(pieces(arriving, place, bounds)) as reply:
                async for piece in reply:
                    started = True
                    yield piece
    except openai.APIStatusError as error:
        answered = error.response
        headers = {name.lower(): value for name, value in answered.headers.items()}
        raise Failed(from_status(error.status_code, _read(answered.text), place, headers)) from error
    except (openai.OpenAIError, httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
        raise Failed(from_exception(error, place, started=started)) from error


def _read(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text
