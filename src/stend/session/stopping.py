"""Request the end of a run, by its caller or by signals."""

import signal

ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Stop:
    """The state of a request to end. The run calls it between intervals."""

    def __init__(self) -> None:
        self.requested = self.running = False

    def __call__(self) -> bool:
        """Return True if the end was requested."""
        return self.requested


class Signals(Stop):
    """Ctrl-C, SIGTERM and SIGHUP request the end. They interrupt at once before a run begins and at a second Ctrl-C."""

    def __init__(self) -> None:
        super().__init__()
        for number in ENDINGS:
            signal.signal(number, self._note)

    def _note(self, number: int, frame: object) -> None:
        if not self.running or (self.requested and number == signal.SIGINT):
            raise KeyboardInterrupt
        self.requested = True
