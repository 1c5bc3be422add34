import sys

from theact_tui.engine.seat_files import SeatFiles
from theact_tui.paths import Home
from theact_tui.tui.app import TheActApp
from theact_tui.tui.seat.screen import SeatScreen


class SeatApp(TheActApp):
    """The window of a person at a seat: it opens no save."""

    def __init__(self, home: Home, files: SeatFiles, person: str) -> None:
        super().__init__(home)
        self._files, self._person = files, person

    def open_first_screen(self) -> None:
        self.push_screen(SeatScreen(self._files, self._person))


def run_seat(home: Home, files: SeatFiles, person: str) -> int:
    files.sit_down(person)
    app = SeatApp(home, files, person)
    app.run()
    if app.return_code:
        print(f"theact crashed. Details are in {app.crash_file}", file=sys.stderr)
    return app.return_code or 0
