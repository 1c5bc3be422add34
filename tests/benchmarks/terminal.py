"""A terminal nobody looks at."""

from textual.drivers.headless_driver import HeadlessDriver


class Terminal(HeadlessDriver):
    """Frames are made into what a terminal would be sent, as in a real one; that is thrown away.

    For `app.driver_class`, with `app.run_test(headless=False)`.
    """

    @property
    def is_headless(self) -> bool:
        return False
