"""The power that a drive reports itself: a virtual drive the power of its model."""

from stend.base.errors import BadInput
from stend.devices import Device
from stend.devices.virtual import VirtualDevice
from stend.meters import Meter, Value
from stend.model.events import MeterFacts


def opened(address: str, device: Device) -> Meter:
    """Return the meter of a drive; raise BadInput for a drive that does not report its power."""
    if not isinstance(device, VirtualDevice):
        raise BadInput(f"{device.identity.target} does not report its power; choose another meter with --meter")
    return Virtual(device)


class Virtual:
    """The power of a virtual drive, from its model, without error."""

    def __init__(self, device: VirtualDevice) -> None:
        self.facts = MeterFacts(spec="own", name="model of the virtual drive", error_pct=0.0)
        self.power = device.sim.drive.power
        self.power.read()

    def read(self) -> list[Value]:
        """Return the values since the last call."""
        return [Value(*row) for row in self.power.read()]

    def words(self) -> list[str]:
        """Return nothing: the model has no gaps."""
        return []

    def quiet(self, resting: bool) -> None:
        """Do nothing: reading the model does not disturb it."""

    def close(self) -> None:
        """Do nothing."""
