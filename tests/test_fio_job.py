"""Which words fio is started with: where each thread writes, how far, and with what."""

from pathlib import Path

import msgspec
import pytest

from stend.base import fio_features
from stend.base.errors import Missing
from stend.base.units import KiB, MiB
from stend.engines._fio_job import Section, arguments, parts
from stend.model.definition import Workload

FILL = Workload(random_pct=0, read_pct=0, block_bytes=128 * KiB, start_bytes=MiB, range_bytes=4 * MiB, threads=2)
RANDOM = Workload(random_pct=100, read_pct=0, block_bytes=4 * KiB, start_bytes=MiB, range_bytes=4 * MiB, threads=3)


def words(workload: Workload, *sections: Section, path: str = "/dev/x", seed: int = 7) -> list[str]:
    return arguments(workload, list(sections or [Section(0, MiB)]), path=path, ioengine="libaio", seed=seed)


def changed(workload: Workload, **fields: object) -> Workload:
    return msgspec.structs.replace(workload, **fields)


def test_random_load_has_one_range_for_all_its_threads() -> None:
    assert parts(RANDOM) == [[Section(MiB, 4 * MiB, threads=3)]]
    limited = parts(RANDOM, limit_bytes=10 * 4 * KiB - 1)
    assert limited == [[Section(MiB, 4 * MiB, n * 4 * KiB) for n in (4, 3, 3)]]
    assert parts(RANDOM, limit_bytes=4 * KiB) == [[Section(MiB, 4 * MiB, 4 * KiB)]]


def test_a_stream_has_a_slice_for_each_thread() -> None:
    assert parts(FILL) == [[Section(MiB, 2 * MiB), Section(3 * MiB, 2 * MiB)]]
    few = changed(FILL, range_bytes=128 * KiB)
    assert parts(few) == [[Section(MiB, 128 * KiB)]]
    odd = changed(FILL, range_bytes=3 * 128 * KiB)
    assert parts(odd) == [[Section(MiB, 256 * KiB), Section(MiB + 256 * KiB, 128 * KiB)]]


def test_a_stream_that_goes_on_first_does_what_is_left_of_each_slice() -> None:
    half, quarter = MiB, 512 * KiB
    assert parts(FILL, from_bytes=MiB) == [
        [Section(MiB + quarter, 2 * MiB - quarter, 2 * MiB - quarter),
         Section(3 * MiB + quarter, 2 * MiB - quarter, 2 * MiB - quarter)],
        [Section(MiB, 2 * MiB), Section(3 * MiB, 2 * MiB)],
    ]  # fmt: skip
    assert parts(FILL, from_bytes=4 * MiB) == parts(FILL)
    assert parts(FILL, from_bytes=5 * MiB) == parts(FILL, from_bytes=MiB)
    assert parts(FILL, from_bytes=MiB + 100 * KiB) == parts(FILL, from_bytes=MiB)
    first, rest = parts(FILL, from_bytes=2 * MiB, limit_bytes=3 * MiB)
    assert first == [Section(MiB + half, half, half), Section(3 * MiB + half, half, half)]
    assert rest == [Section(MiB, 2 * MiB, quarter), Section(3 * MiB, 2 * MiB, quarter)]
    (only,) = parts(FILL, from_bytes=2 * MiB, limit_bytes=MiB)
    assert [section.io_bytes for section in only] == [quarter, quarter]


def test_every_byte_of_a_range_is_written_so_often_and_its_odd_end_too() -> None:
    assert parts(FILL, limit_bytes=8 * MiB) == [[Section(MiB, 2 * MiB, 4 * MiB), Section(3 * MiB, 2 * MiB, 4 * MiB)]]
    odd = changed(FILL, range_bytes=4 * MiB + 512)
    (told,) = parts(odd, limit_bytes=2 * odd.range_bytes)
    assert told[-1] == Section(5 * MiB, 512, 1024, block_bytes=512)
    (part,) = parts(odd, limit_bytes=MiB)
    assert [section.block_bytes for section in part] == [0, 0]
    assert [section.io_bytes for section in part] == [512 * KiB, 512 * KiB]
    (uneven,) = parts(FILL, limit_bytes=4 * MiB + 128 * KiB)
    assert [section.io_bytes for section in uneven] == [2 * MiB + 128 * KiB, 2 * MiB]


def test_a_section_is_a_job_and_only_an_endless_one_is_ended_by_time() -> None:
    told = words(FILL, Section(1, 2, threads=4), Section(5, 6))
    assert "--time_based=1" in told
    assert told[-7:] == ["--name=s0", "--offset=1", "--size=2", "--numjobs=4", "--name=s1", "--offset=5", "--size=6"]
    told = words(FILL, Section(1, 2, 3), Section(5, 6, 7, block_bytes=512))
    assert not any("time" in word for word in told)
    assert told[-10:] == ["--name=s0", "--offset=1", "--size=2", "--io_size=3",
                          "--name=s1", "--offset=5", "--size=6", "--io_size=7", "--bs=512", "--iodepth=1"]  # fmt: skip


def test_who_only_reads_says_so_and_brings_no_data() -> None:
    read = words(changed(RANDOM, read_pct=100))
    assert read[:3] == ["--output-format=json+", "--eta=never", "--readonly"]
    assert "--rw=randread" in read
    assert not any("buffers" in word for word in read)
    assert "--readonly" not in words(changed(RANDOM, read_pct=99))


@pytest.mark.parametrize(
    ("fields", "told", "untold"),
    [
        ({"read_pct": 0}, ["--rw=randwrite", "--bs=4096"], ["rwmixread", "percentage_random", "bssplit", "blockalign"]),
        ({"read_pct": 35}, ["--rw=randrw", "--rwmixread=35"], []),
        ({"random_pct": 40}, ["--percentage_random=40"], []),
        ({"random_pct": 0}, ["--rw=write"], ["percentage_random"]),
        ({"block_mix": ((512, 4), (4096, 96))}, ["--bssplit=512/4:4096/96"], ["--bs="]),
        ({"align_bytes": 8192}, ["--blockalign=8192"], []),
        ({"zones": ((50, 5), (50, 95))}, ["--random_distribution=zoned:50/5:50/95"], []),
        ({"entropy_pct": 30}, ["--buffer_compress_percentage=70", "--refill_buffers=1"], []),
        ({"entropy_pct": 100}, ["--refill_buffers=1"], ["buffer_compress"]),
        ({"depth": 32}, ["--iodepth=32"], []),
    ],
)
def test_a_workload_in_fios_words(fields: dict[str, object], told: list[str], untold: list[str]) -> None:
    found = words(changed(RANDOM, **fields))
    assert set(told) <= set(found)
    assert not [word for word in found for part in untold if part in word]


def test_the_seed_is_never_nought_and_a_colon_in_a_path_is_no_second_file() -> None:
    assert "--randseed=7" in words(RANDOM)
    assert "--randseed=1" in words(RANDOM, seed=0)
    assert r"--filename=/dev/disk/by-path/pci-0000\:01" in words(RANDOM, path="/dev/disk/by-path/pci-0000:01")


@pytest.mark.parametrize(
    ("machine", "keeps", "told"),
    [
        ("x86_64", "tsc\n", ["--clocksource=cpu"]),
        ("x86_64", "kvm-clock\n", ["--clocksource=clock_gettime"]),
        ("x86_64", "", []),
        ("x86_64", None, []),
        ("aarch64", "arch_sys_counter\n", []),
    ],
)
def test_the_clock_is_the_one_that_the_kernel_trusts(
    machine: str, keeps: str | None, told: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platform.machine", lambda: machine)
    monkeypatch.setattr(fio_features, "CLOCKSOURCE", tmp_path / "current_clocksource")
    if keeps is not None:
        fio_features.CLOCKSOURCE.write_text(keeps)
    assert fio_features.clock() == told


def test_a_fio_that_answers_with_no_text_is_missing(tmp_path: Path) -> None:
    program = tmp_path / "fio"
    program.write_text("#!/bin/sh\nprintf '\\377\\376'\n")
    program.chmod(0o755)
    with pytest.raises(Missing, match="does not know"):
        fio_features._features(str(program), 0)
