"""S20: the app in a real Chromium."""

from collections.abc import Callable
from pathlib import Path

from tests.browser.driving import TOKEN, Server, Visitor

Come = Callable[[], Visitor]


def test_a_turn_is_typed_inspected_and_resized_and_outlives_a_lost_connection_and_the_server(
    tmp_path: Path, visitor: Come
) -> None:
    me, home = visitor(), tmp_path / "home"
    with Server(home) as first:
        me.open(first.link)
        assert TOKEN not in me.page.url
        me.begin()
        me.say("I look around and listen.")
        me.sees("turn 2")
        wide = max(len(line) for line in me.text.splitlines())
        me.press("F2")
        me.sees("WHO KNOWS")
        me.page.set_viewport_size({"width": 760, "height": 500})
        me.until(lambda: max(len(line) for line in me.text.splitlines()) < wide - 10)
        me.press("Escape")
        me.sees("I look around and listen.")
        me.page.keyboard.type("Half a line")
        me.sees("Half a line")
        with me.page.expect_event("load"):
            me.lose_connection()
        for text in ("Half a line", "I look around and listen.", "turn 2"):
            me.sees(text)
    with Server(home, port=first.port):
        me.sees("CONTINUE")
        me.press("Enter")
        me.sees("I look around and listen.")


def test_a_story_is_its_visitors_alone_until_it_goes_from_browser_to_browser(
    server: Server, visitor: Come, tmp_path: Path
) -> None:
    me, you = visitor(), visitor()
    me.open(server.link)
    me.begin()
    me.say("My secret is under the stone.")
    me.sees("turn 2")
    you.open(server.link)
    you.sees("No stories yet")
    with me.page.expect_download() as coming:
        me.say("/export save")
    file = tmp_path / coming.value.suggested_filename
    coming.value.save_as(file)
    assert file.suffix == ".theact" and file.read_bytes().startswith(b"# v2 git bundle")
    me.sees("Your browser downloads")
    assert str(server.home) not in me.text
    you.press("i")
    you.sees("Upload a file")
    you.press("Enter")
    you.page.locator("#upload input").set_input_files(file)
    you.page.get_by_role("button", name="Upload").click()
    you.page.get_by_text("Uploaded. Press i again").wait_for()
    you.page.get_by_role("button", name="Close").click()
    you.press("i")
    you.sees(file.stem)
    you.press("Enter")
    you.sees("A whole story")
    you.press("Enter")
    you.sees("Imported as")


def test_who_quits_or_opens_another_tab_is_told_and_a_foreign_page_reaches_nothing(
    server: Server, visitor: Come
) -> None:
    me = visitor()
    me.open(server.link)
    second = me.context.new_page()
    second.goto(server.url)
    me.page.get_by_text("The story is open in another tab.").wait_for()
    me.page.get_by_role("button", name="Open again").click()
    me.sees("NEW STORY")
    me.press("Control+q")
    me.page.get_by_text("You left. Your story is saved.").wait_for()
    me.page.get_by_role("button", name="Open again").wait_for()
    second.close()
    me.page.route(
        "http://evil.example/", lambda route: route.fulfill(body="<p>evil</p>", content_type="text/html")
    )
    me.page.goto("http://evil.example/")
    address = server.url.replace("http", "ws") + "/ws"
    assert me.page.evaluate(
        "address => new Promise(done => { const socket = new WebSocket(address);"
        " socket.onopen = () => done('open'); socket.onerror = () => done('refused'); })",
        address,
    ) == "refused"  # fmt: skip
    read = "url => fetch(url, { credentials: 'include' }).then(answer => answer.text(), () => 'refused')"
    assert me.page.evaluate(read, f"{server.url}/ready") == "refused"
    framed = (
        "url => new Promise(done => { const frame = document.body.appendChild(document.createElement('iframe'));"
        " frame.onload = done; frame.src = url; })"
    )
    me.page.evaluate(framed, server.url)
    assert all("terminal" not in frame.content() for frame in me.page.frames[1:])
