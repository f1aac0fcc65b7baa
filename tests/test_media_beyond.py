"""Media tests of drives that the issue does not name; what each must come to was written down before it was run."""

import os
from pathlib import Path

import msgspec
import pytest

from stend.base.units import MiB
from stend.engines.verify import VerifyEngine
from stend.model.record import Run
from stend.model.workload import Verify
from stend.planning import plan as planning
from stend.runner.loop import run
from tests.liar import Honest, mounted
from tests.liars import Wrapping
from tests.zoo import ODD, SIZE, content, drive_at, ran, said

pytestmark = pytest.mark.needs("root", "FUSE in the kernel")


class DropsAndWraps(Wrapping):
    """Writes behind the real capacity are lost; reads there wrap."""

    def write(self, at: int, data: bytes) -> None:
        super().write(at, data[: max(self.real - at, 0)])


class Swapped(Honest):
    """Its first and second 8 MiB are at each other's place, for reads and for writes: a drive may do so."""

    def _place(self, at: int) -> int:
        return at ^ (8 * MiB) if at < 16 * MiB else at

    def write(self, at: int, data: bytes) -> None:
        super().write(self._place(at), data)

    def read(self, at: int, size: int) -> bytes:
        return super().read(self._place(at), size)


class Shifted(Honest):
    """Every read is late by one byte."""

    def read(self, at: int, size: int) -> bytes:
        return b"\x5a" + super().read(at, size)[:-1]


class Short(Honest):
    """Of a read only the first 128 KiB are right."""

    def read(self, at: int, size: int) -> bytes:
        kept = super().read(at, size)[: 128 * 1024]
        return kept + bytes(size - len(kept))


class Tired(Honest):
    """After the first pass over the drive it stores nothing any more."""

    written = 0

    def write(self, at: int, data: bytes) -> None:
        self.written += len(data)
        if self.written <= SIZE:
            super().write(at, data)


def test_reads_that_wrap_over_dropped_writes_show_the_wrap_and_keep_the_beginning(tmp_path: Path) -> None:
    with mounted(tmp_path / "drive", lambda: DropsAndWraps(SIZE, ODD)) as path:
        past = ran(path)
    assert said(past)["wraps"]["wrap"] == ODD
    assert said(past)["wraps"]["first"] == ODD
    assert content(past).kept_bytes == ODD


def test_a_drive_that_remaps_places_in_both_directions_is_honest(tmp_path: Path) -> None:
    with mounted(tmp_path / "drive", lambda: Swapped(SIZE)) as path:
        assert list(said(ran(path))) == ["real"]


def test_data_that_is_shifted_is_other_content_and_no_wrong_bits(tmp_path: Path) -> None:
    with mounted(tmp_path / "drive", lambda: Shifted(SIZE)) as path:
        assert list(said(ran(path))) == ["less", "all_dropped"]


def test_long_reads_that_are_cut_are_zeroed_in_every_mebibyte(tmp_path: Path) -> None:
    with mounted(tmp_path / "drive", lambda: Short(SIZE)) as path:
        past = ran(path)
    assert content(past).kept_bytes == SIZE // 8
    assert said(past)["scattered_zeroed"]["places"] == SIZE // MiB


def test_a_second_fill_that_is_lost_is_not_taken_for_the_first_one(tmp_path: Path) -> None:
    with mounted(tmp_path / "drive", lambda: Tired(SIZE)) as path:
        device = drive_at(path)
        names, profile, _ = planning.gather(("media",), None, {})
        (test,) = planning.draw(names, profile, device.identity).tests
        load = test.phases[0].round[0].workload  # type: ignore[union-attr]
        engine = VerifyEngine(str(path))
        for number, kept in ((1, True), (2, False)):
            for read_pct in (0, 100):
                part = msgspec.structs.replace(load, read_pct=read_pct, verify=Verify(number=number))
                step = engine.start(part, seed=9)
                while step.next() is not None:
                    pass
            assert (step.verified.count("dropped") == 0) == kept
        assert step.verified.count("dropped") == SIZE // 512


def test_a_test_that_was_stopped_decides_nothing_about_the_capacity(tmp_path: Path) -> None:
    path = tmp_path / "drive"
    path.write_bytes(b"")
    os.truncate(path, 1024 * MiB)
    device = drive_at(path)
    names, profile, _ = planning.gather(("media",), None, {})
    plan = planning.draw(names, profile, device.identity)
    past = Run()

    def stopping() -> bool:
        return len(past.of("media", "read")) > 1

    for _ in run(plan, device, VerifyEngine(str(path)), seed=1, at=0.0, past=past, stopping=stopping):
        pass
    assert past.ended is not None
    assert past.ended.outcome == "stopped"
    assert list(said(past)) == ["partly"]
