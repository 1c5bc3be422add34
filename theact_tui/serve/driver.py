from typing import Any

from textual.app import App
from textual.drivers.web_driver import WebDriver


class PageDriver(WebDriver):
    def __init__(self, app: App[Any], **options: Any) -> None:
        super().__init__(app, **options)
        self.app = app

    def start_application_mode(self) -> None:
        super().start_application_mode()
        self.app.watch(self.app, "title", lambda title: self.write(f"\x1b]2;{title}\x07"))
