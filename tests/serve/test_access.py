"""S20: who may come in."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theact_tui.errors import UsageError
from theact_tui.serve.access import Access, checked_public_url, checked_token, folder_of, new_secret

HERE = Access("the-right-token-of-today", "127.0.0.1", 8765)
OPEN = replace(HERE, host="0.0.0.0")
PROXIED = replace(HERE, public_url="https://stories.example.org")


@given(st.text())
def test_only_the_token_is_the_token(guess: str) -> None:
    assert HERE.is_token(guess) == (guess == HERE.token)


@given(st.text())
def test_only_a_sealed_cookie_lets_in(cookie: str) -> None:
    assert HERE.visitor(cookie) == ""


def test_a_cookie_lets_its_visitor_in_until_the_token_is_another() -> None:
    secret = new_secret()
    cookie = HERE.seal(secret)
    assert HERE.visitor(cookie) == secret
    tomorrow = replace(HERE, token="the-right-token-of-tomorrow")
    assert tomorrow.visitor(cookie) == "" and tomorrow.session_secret(cookie) == secret
    assert HERE.visitor(f"{new_secret()}.{cookie.partition('.')[2]}") == ""
    assert secret not in folder_of(secret) and folder_of(secret) != folder_of(new_secret())


@pytest.mark.parametrize(
    ("access", "host", "own"),
    [
        (HERE, "127.0.0.1:8765", True),
        (HERE, "localhost:8765", True),
        (HERE, "[::1]:8765", True),
        (HERE, "127.0.0.1", False),
        (HERE, "127.0.0.1:80", False),
        (HERE, "evil.example:8765", False),
        (HERE, "127.0.0.1.evil.example:8765", False),
        (HERE, "192.168.1.5:8765", False),
        (HERE, "", False),
        (HERE, "[::1:8765", False),
        (HERE, "127.0.0.1:port", False),
        (OPEN, "192.168.1.5:8765", True),
        (OPEN, "evil.example:8765", False),
        (PROXIED, "stories.example.org", True),
        (PROXIED, "Stories.Example.Org", True),
        (PROXIED, "evil.example.org", False),
    ],
)
def test_other_names_for_this_server_are_refused(access: Access, host: str, own: bool) -> None:
    assert access.is_own_host(host) is own


@pytest.mark.parametrize(
    ("access", "origin", "own"),
    [
        (HERE, "http://127.0.0.1:8765", True),
        (HERE, "http://localhost:8765", False),
        (HERE, "http://127.0.0.1:8766", False),
        (HERE, "http://evil.example", False),
        (HERE, "null", False),
        (HERE, "", False),
        (PROXIED, "https://stories.example.org", True),
        (PROXIED, "HTTPS://Stories.Example.org", True),
        (PROXIED, "http://stories.example.org", False),
    ],
)
def test_pages_of_others_are_refused(access: Access, origin: str, own: bool) -> None:
    assert access.is_own_origin(origin, "127.0.0.1:8765") is own


def test_an_origin_is_compared_with_the_host_that_was_asked_and_that_one_must_be_ours() -> None:
    assert HERE.is_own_origin("http://localhost:8765", "LOCALHOST:8765")
    assert not HERE.is_own_origin("http://evil.example:8765", "evil.example:8765"), "a name that leads here"


def test_the_link_is_where_a_browser_finds_the_server() -> None:
    assert HERE.link == "http://127.0.0.1:8765/?token=the-right-token-of-today"
    assert PROXIED.link == "https://stories.example.org/?token=the-right-token-of-today"
    assert replace(HERE, host="::1", token="a b&c").link == "http://[::1]:8765/?token=a%20b%26c"


def test_weak_tokens_and_odd_addresses_are_refused() -> None:
    assert len(checked_token("")) >= 32 and checked_token("") != checked_token("")
    with pytest.raises(UsageError, match="too short"):
        checked_token("password")
    assert checked_public_url("https://Stories.example.org/") == "https://stories.example.org"
    for odd in "stories.example.org ftp://x https://x/stories https://x?y=1 http://[abc https://x:no".split():
        with pytest.raises(UsageError, match="--public-url"):
            checked_public_url(odd)
