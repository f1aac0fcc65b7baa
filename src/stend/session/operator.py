"""Interface to the operator of a run: naming the drive and showing urgent messages."""

from stend.devices import Device


class Operator:
    """No operator: a request must name the drive itself, and messages are dropped."""

    def names(self, device: Device) -> str | None:
        """Return the drive's serial, or a file's full path, after showing what will be destroyed; None to refuse."""
        return None

    def report(self, words: str) -> None:
        """Show a message: the progress of a purge, or a drive that could not be restored."""
