from typing import Any

from textual.app import App
from textual.drivers.web_driver import WebDriver
from textual.message import Message


class ServerGone(Message):
    """The server of this visitor's app ended, or was killed. The app handles it by name."""


class PageDriver(WebDriver):
    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self.app = app

    def run_input_thread(self) -> None:
        """Read until the server closes our input or is gone; then the app saves and ends."""
        super().run_input_thread()
        self.app.post_message(ServerGone())

    def start_application_mode(self) -> None:
        super().start_application_mode()
        self.app.watch(self.app, "title", lambda title: self.write(f"\x1b]2;{title}\x07"))
