"""Access to the server: link with token, cookie, own addresses. The cookie is the visitor's secret, sealed with the
token: the seal grants access, the secret names the home.
"""

import hashlib
import hmac
import ipaddress
import re
import secrets
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from theact_tui.errors import UsageError

_MIN_TOKEN_LETTERS = 16
_SECRET = re.compile(r"[A-Za-z0-9_-]{43}")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_loopback(host: str) -> bool:
    address = _address(host.strip("[]"))
    return address.is_loopback if address else host == "localhost"


def checked_token(token: str) -> str:
    """Return `token`, or a random one if empty. Raises UsageError for a short token."""
    if token and len(token) < _MIN_TOKEN_LETTERS:
        raise UsageError(
            f"The token is too short to be safe. Use at least {_MIN_TOKEN_LETTERS} characters, or leave it out."
        )
    return token or secrets.token_urlsafe(24)


def checked_public_url(url: str) -> str:
    """Return the origin of `url`, such as `https://stories.example.org`. Raises UsageError."""
    if not url:
        return ""
    try:
        parts = urlsplit(url.rstrip("/"))
        usable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        usable = False
    if not usable or parts.path or parts.query:
        raise UsageError("--public-url needs an address without a path, such as https://stories.example.org.")
    return f"{parts.scheme}://{parts.netloc.lower()}"


def new_secret() -> str:
    return secrets.token_urlsafe(32)


def folder_of(secret: str) -> str:
    """Return the name of a visitor's home; it does not reveal the secret."""
    return hashlib.sha256(secret.encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Access:
    token: str
    host: str
    port: int
    public_url: str = ""
    """Address at a reverse proxy; empty without one."""

    @property
    def cookie(self) -> str:
        """Name of the cookie; servers on other ports have their own."""
        return f"theact_{self.port}"

    @property
    def link(self) -> str:
        """First address of a visitor."""
        host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)
        shown = f"[{host}]" if ":" in host else host
        return f"{self.public_url or f'http://{shown}:{self.port}'}/?token={quote(self.token, safe='')}"

    def is_token(self, text: str) -> bool:
        return _equal(text, self.token)

    def seal(self, secret: str) -> str:
        return f"{secret}.{hmac.new(self.token.encode(), secret.encode(), hashlib.sha256).hexdigest()}"

    def visitor(self, cookie: str) -> str:
        """Return the secret of a cookie sealed with this token, else ""."""
        secret = self.session_secret(cookie)
        return secret if secret and _equal(cookie, self.seal(secret)) else ""

    def session_secret(self, cookie: str) -> str:
        """Return the secret of a cookie sealed with any token. It grants no access; it names the home."""
        secret = cookie.partition(".")[0]
        return secret if _SECRET.fullmatch(secret) else ""

    def is_own_host(self, host: str) -> bool:
        """True for a `Host` header of this server. Others may come from DNS rebinding."""
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port or 80
        except ValueError:
            return False
        if self.public_url and host.lower() == urlsplit(self.public_url).netloc:
            return True
        ours = name in _LOOPBACK or name == self.host.strip("[]").lower()
        return port == self.port and (ours or (not is_loopback(self.host) and _address(name) is not None))

    def is_own_origin(self, origin: str, host: str) -> bool:
        """True for the `Origin` of this server's pages, requested as `host`."""
        if self.public_url and origin.lower() == self.public_url:
            return True
        return self.is_own_host(host) and origin.lower() == f"http://{host.lower()}"


def _equal(actual: str, right: str) -> bool:
    return hmac.compare_digest(actual.encode("utf-8", "replace"), right.encode())


def _address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(name)
    except ValueError:
        return None
