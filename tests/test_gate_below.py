"""What is used is refused from every node and name that leads to it: no byte of it is written by any verb."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from stend import devices, gate
from stend.base.errors import Refused
from tests import gate_table
from tests.gate_uses import USES, Builder
from tests.gate_uses_alone import ALONE, Used
from tests.gate_verbs import each
from tests.gate_verbs import refused as verbs_refused
from tests.stand import Stand, let_go, loop_of

pytestmark = pytest.mark.block
LOOPS = {
    "a loop": ((),),
    "a loop over a loop": ((), ()),
    "a loop without its first MiB": (("--offset", "1048576"),),
    "a loop for reading over one for writing": ((), ("--read-only",)),
}
"""Ways to come at a thing by loop devices, with the options of each from below."""


@contextlib.contextmanager
def reached(target: str | Path, ways: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    """A loop device over it, or over a loop device over it."""
    with contextlib.ExitStack() as end:
        for options in ways:
            target = loop_of(target, *options)
            end.callback(let_go, target)
        yield str(target)


def refused(target: str, used: Used, stand: Stand) -> None:
    """By the gate, and by every verb that writes, with a name that would be believed."""
    device = devices.find(target)
    name = gate.names_of(device.identity)[0]
    into = used.keep_off or str(stand.folder / "run")
    before = stand.digest()
    with pytest.raises(Refused, match=f"{used.words}|is read-only"):
        device.door.open(writes=True, destroy=name, keep_off=(into,))
    with pytest.raises(Refused, match="has not passed the gate"):
        device.purge()
    verbs_refused(target, name, stand.folder, keep_off=used.keep_off)
    assert stand.digest() == before


def situations(used: Used) -> Iterator[tuple[str | Path, tuple[tuple[str, ...], ...]]]:
    for target in (used.target, *used.names):
        yield target, ()
        yield from ((target, ways) for ways in LOOPS.values())


@pytest.mark.needs("losetup", "mount", "umount")
@pytest.mark.parametrize("build", each(USES))
def test_a_use_is_found_from_wherever_one_comes(stand: Stand, build: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stend.gate.entry.LOCK_PATIENCE_S", 0.2)  # nobody here lets go
    used = build(stand)
    for target, ways in situations(used):
        with reached(target, ways) as node:
            refused(node, used, stand)


def test_there_are_enough_situations() -> None:
    assert sum(part.situations for part in gate_table.parts()) >= 240


@pytest.mark.parametrize("build", each(ALONE))
def test_a_writer_that_no_table_shows_is_found_by_the_kernels_count(
    stand: Stand, build: Builder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stend.gate.refusals.GONE_S", 0)  # nobody here is about to go
    used = build(stand)
    refused(str(used.target), used, stand)
