"""Which engine loads a drive, and whether this host has it."""

from stend import extras, store
from stend.devices import Device, virtual
from stend.engines import Engine

HELD = 5
"""A minute of the clause is told in at least this many intervals."""


def engine_for(device: Device, raw: store.Raw, minute_s: float) -> Engine:
    """The engine that can load this drive, telling about once a second or faster where minutes are short."""
    if isinstance(device, virtual.VirtualDevice):
        return simulated(device, minute_s)
    from stend.engines import fio

    return fio.FioEngine(device.io_path, raw=raw, interval_s=_interval_s(minute_s))


def simulated(device: virtual.VirtualDevice, minute_s: float) -> Engine:
    """What loads a virtual drive."""
    from stend.engines.simulated import SimulatedEngine

    return SimulatedEngine(device.drive, interval_s=_interval_s(minute_s))


def _interval_s(minute_s: float) -> float:
    return min(1.0, max(minute_s / HELD, 0.1))


def can_load(target: str) -> None:
    """Missing unless this host has what makes load on such a target; asked before anything is made or opened."""
    if virtual.claims(target):
        extras.need(f"the virtual drive {target}", "numba")
    else:
        from stend.engines import fio

        fio.probe()
