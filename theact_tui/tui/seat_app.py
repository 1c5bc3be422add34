from theact_tui.engine.seat_files import SeatFiles
from theact_tui.paths import Home
from theact_tui.tui.app import TheActApp, run_to_end
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
    return run_to_end(SeatApp(home, files, person))
