"""Parts of a capture: what is kept when there is no more room, and what becomes of one that was cut off."""

import os
from pathlib import Path

import numpy as np
import pytest

from stend.base.errors import BadInput, StepFailed
from stend.base.units import KiB
from stend.capture import spool
from stend.capture.spool import Full, Spool
from stend.model.tally import Tally
from stend.trace import form, steps
from stend.trace.form import About
from stend.trace.steps import SECOND_NS, Part, Step
from tests.stand import sh

ABOUT = About(source="test")


def second(number: int, ios: int = 10) -> Step:
    bins = {int(n): 1 for n in np.random.default_rng(number).choice(1800, ios, replace=False)}
    return Step(number * SECOND_NS, SECOND_NS, 0, {}, (Part(0, 4096, True, Tally(ios=ios, bins=bins)),))


def kept(path: Path) -> list[int]:
    return [step.start_ns // SECOND_NS for step in steps.opened(path)]


def filled(made: Spool, many: int, ios: int = 500) -> None:
    for n in range(many):
        made.add(spool.of_steps([second(n, ios)], SECOND_NS, ABOUT), ios)


def test_parts_become_one_file_and_are_gone(tmp_path: Path) -> None:
    made = Spool(tmp_path / "a.steps", 1 << 62, ring=False)
    filled(made, 3)
    made.join(ABOUT)
    assert kept(tmp_path / "a.steps") == [0, 1, 2]
    assert os.listdir(tmp_path) == ["a.steps"]


def test_at_its_limit_the_oldest_give_way_and_are_counted(tmp_path: Path) -> None:
    made = Spool(tmp_path / "a.steps", 8 * KiB, ring=True)
    filled(made, 20)
    made.join(ABOUT)
    left = kept(tmp_path / "a.steps")
    assert left == list(range(20 - len(left), 20))
    assert 1 < len(left) < 20
    assert (made.gone_parts, made.gone_ios) == (20 - len(left), 500 * (20 - len(left)))


def test_what_fills_its_limit_to_the_byte_fits(tmp_path: Path) -> None:
    filled(made := Spool(tmp_path / "new/a.steps", 1 << 62, ring=False), 2)
    size = sum(path.stat().st_size for path in made.folder.iterdir())
    filled(Spool(tmp_path / "b.steps", size, ring=False), 2)
    with pytest.raises(Full):
        filled(Spool(tmp_path / "c.steps", size - 1, ring=False), 2)


def test_at_its_limit_it_stops_and_keeps_what_came_first(tmp_path: Path) -> None:
    made = Spool(tmp_path / "a.steps", 8 * KiB, ring=False)
    with pytest.raises(Full, match="8 KiB are filled"):
        filled(made, 20)
    made.join(ABOUT)
    left = kept(tmp_path / "a.steps")
    assert left == list(range(len(left)))
    assert 1 < len(left) < 20
    assert made.gone_ios == 500


def test_a_part_that_cannot_fit_leaves_none_in_a_ring_and_all_ios_are_counted(tmp_path: Path) -> None:
    filled(made := Spool(tmp_path / "a.steps", 1 << 62, ring=True), 2)
    assert made.held
    made.limit_bytes = 100
    with pytest.raises(Full):
        filled(made, 1)
    assert not made.held
    assert not os.listdir(made.folder)
    assert made.gone_ios == 3 * 500


@pytest.mark.block
@pytest.mark.needs("root", "mount", "umount")
@pytest.mark.parametrize("ring", [False, True])
def test_on_a_disk_that_is_full_the_same_and_the_parts_wait_for_room(tmp_path: Path, ring: bool) -> None:
    place = tmp_path / "small"
    place.mkdir()
    sh("mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", place)
    try:
        made = Spool(place / "a.steps", 1 << 62, ring=ring)
        if ring:
            filled(made, 20)
            assert made.gone_parts > 10
        else:
            with pytest.raises(Full, match="the disk is full"):
                filled(made, 20)
        with pytest.raises(StepFailed, match=r"its parts are in .*--finish"):
            made.join(ABOUT)
        sh("mount", "-o", "remount,size=1m", "tmpfs", place)
        assert spool.finish(place / "a.steps") == len(kept(place / "a.steps")) > 2
    finally:
        sh("umount", place)


def test_a_capture_that_was_cut_off_is_finished_as_far_as_its_parts_go(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    made = Spool(path, 1 << 62, ring=False)
    for n in range(3):
        batch = {name: np.array([n * 10, n * 10 + 1]) for name in ("t_ns", "op", "offset", "length")}
        made.add(spool.of_ios([batch | {"op": np.zeros(2)}], ABOUT), 2)
    (spool.parts_of(path) / ".000003-77.part").write_bytes(b"PAR1 torn")
    assert spool.finish(path) == 3
    trace = form.opened(path)
    assert next(trace.batches())["t_ns"].tolist() == [0, 1, 10, 11, 20, 21]
    assert any("cut off" in note for note in trace.about.notes)
    filled(Spool(tmp_path / "one.steps", 1 << 62, ring=False), 1)
    assert (spool.finish(tmp_path / "one.steps"), kept(tmp_path / "one.steps")) == (1, [0])


def test_a_file_that_is_there_is_not_written_over(tmp_path: Path) -> None:
    (tmp_path / "a.steps").write_text("mine")
    with pytest.raises(BadInput, match="is there already"):
        Spool(tmp_path / "a.steps", 1, ring=False)
    assert (tmp_path / "a.steps").read_text() == "mine"
    with pytest.raises(BadInput, match="no parts"):
        spool.finish(tmp_path / "a.steps")
