"""How a run is asked to end: by whoever holds it, or by signals."""

import signal

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop:
    """A question that the run asks between intervals: has somebody asked for its end?"""

    def __init__(self) -> None:
        self.asked = self.running = False

    def __call__(self) -> bool:
        """Whether the end was asked for."""
        return self.asked


class Signals(Stop):
    """Ctrl-C, SIGTERM and SIGHUP ask for the end; at once before a run begins and at a second Ctrl-C."""

    def __init__(self) -> None:
        super().__init__()
        for number in ENDINGS:
            signal.signal(number, self._note)

    def _note(self, number: int, frame: object) -> None:
        if not self.running or (self.asked and number == signal.SIGINT):
            raise KeyboardInterrupt
        self.asked = True
