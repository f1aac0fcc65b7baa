"""Who stands beside a run: asked to name the drive once more, and told what cannot wait."""

from stend.devices import Device


class Operator:
    """Nobody: answers nothing, so that only a request that names the drive passes, and hears nothing."""

    def names(self, device: Device) -> str | None:
        """The drive's serial, or a file's full path, from who has just been told what will be destroyed."""
        return None

    def hear(self, words: str) -> None:
        """How far a purge is; a drive that could not be put back."""
