"""Which engine loads a drive, and whether this host has it."""

from stend import extras, store
from stend.devices import Device, virtual
from stend.engines import Engine

HELD = 5
"""A minute of the clause is told in at least this many intervals."""


def engine_for(device: Device, raw: store.Raw, minute_s: float) -> Engine:
    """The engine that can load this drive, telling about once a second or faster where minutes are short."""
    interval_s = min(1.0, max(minute_s / HELD, 0.1))
    if isinstance(device, virtual.VirtualDevice):
        from stend.engines import simulated

        return simulated.SimulatedEngine(device.drive, interval_s=interval_s)
    from stend.engines import fio

    return fio.FioEngine(device.io_path, raw=raw, interval_s=interval_s)


def can_load(target: str) -> None:
    """Missing unless this host has what makes load on such a target; asked before anything is made or opened."""
    if virtual.claims(target):
        extras.need(f"the virtual drive {target}", "numba")
    else:
        from stend.engines import fio

        fio.probe()
