"""Every figure and every note of a result of fio is of what its tool wrote, and limits are where they are."""

import json
from typing import Any

import pytest

from stend.base import limits
from stend.base.errors import BadInput
from stend.base.units import GiB, KiB
from stend.imports import bench_fio, diskplorer, fio
from stend.imports.fio import Latency, Way
from stend.imports.given import Given
from stend.imports.taken import Load, Taken
from stend.model.bins import bin_index
from stend.model.counts import Counts
from stend.model.tally import Tally
from stend.model.workload import Stream, Workload

MEAN = {"mean": 1000}
WAY = {"io_bytes": 4096000, "io_kbytes": 4000, "runtime": 2000, "total_ios": 1000, "lat_ns": MEAN}
OPTIONS = {"rw": "read", "bs": "4k", "direct": "1", "ioengine": "libaio", "iodepth": "4"}


def result(*jobs: dict[str, Any], **top: Any) -> Given:
    defaults = {"jobname": "a", "job options": OPTIONS}
    whole = {"fio version": "fio-3.33", "jobs": [defaults | job for job in jobs], **top}
    return Given("a", (("a", json.dumps(whole, indent=1).encode()),))


def keys(taken: Taken) -> list[str]:
    return [note.key.removeprefix("imported.") for note in taken.notes]


def test_figures_of_a_job_are_those_of_its_directions() -> None:
    """A mean of 1.5 us over 1000 reads is 1.5 ms together; their squares follow from the deviation of a sample."""
    lat = {"mean": 1500, "stddev": 200, "max": 9000}
    clat = {"mean": 900, "percentile": {"50.000000": 800, "99.000000": 2000, "99.900000": 0}}
    write = {"io_bytes": 8192, "io_kbytes": 8, "runtime": 3000, "total_ios": 2, "lat_ns": {"mean": 10, "stddev": 1}}
    given = result({"read": WAY | {"lat_ns": lat}, "write": write, "job options": OPTIONS | {"rw": "rw"}})
    (load,) = fio.read(given).loads
    assert (load.counts.seconds, load.counts.cpu_s) == (3.0, 0)
    assert load.counts.read == Tally(1000, 4096000, 1.5e6, 200**2 * 999 + 1000 * 1500**2, 9000)
    assert load.counts.write == Tally(2, 8192, 20, 1 + 2 * 100)
    assert (load.reported.both, load.reported.read, load.reported.write) == ({}, {}, {})
    (load,) = fio.read(result({"read": WAY | {"clat_ns": clat, "lat_ns": lat | {"mean": 0}}})).loads
    assert load.counts.read == Tally(1000, 4096000, 900_000, 1000 * 900**2)
    assert load.reported.read == load.reported.both == pytest.approx({"p50": 800e-9, "p99": 2000e-9})
    assert load.reported.write == {}


def test_a_direction_without_ios_has_no_longest_response() -> None:
    tally = fio._tally(Way(total_ios=0, io_kbytes=0, lat_ns=Latency(mean=5.0, max=9.0, stddev=2.0)), alone=True)
    assert tally == Tally()
    one = fio._tally(Way(total_ios=1, io_kbytes=0, lat_ns=Latency(mean=5.0, max=9.0, stddev=2.0)), alone=True)
    assert one == Tally(1, 0, 5.0, 25.0, 9.0)


def test_impossible_times_below_0_count_as_none() -> None:
    lat = Latency(mean=-1.0, max=-1.0, stddev=-1.0, bins={100: 1})
    assert fio._tally(Way(total_ios=2, io_kbytes=0, lat_ns=lat), alone=True) == Tally(
        2, 0, 0, 0, 0, {bin_index(100): 1}
    )


def test_bins_of_one_width_are_added() -> None:
    """From 65 536 ns to 131 072 ns fio has 64 bins of 1024 ns; that of 99 328 ns has both 100 000 and 100 001."""
    lat = Latency(bins={100: 3, 100_000: 4, 100_001: 5, 101_000: 1})
    tally = fio._tally(Way(total_ios=13, io_kbytes=0, lat_ns=lat), alone=True)
    assert tally.bins == {bin_index(100): 3, bin_index(100_000): 9, bin_index(101_000): 1}


def test_times_of_fio_2_are_microseconds_and_its_sizes_are_kib() -> None:
    old = Way(io_bytes=40, iops=5.0, runtime=2000, lat=Latency(mean=2.0, stddev=0.5, max=7.0))
    tally = fio._tally(old, alone=True)
    assert tally == Tally(10, 40 * KiB, 20_000.0, 500.0**2 * 9 + 10 * 2000.0**2, 7000.0)


@pytest.mark.parametrize(
    ("size_bytes", "nearly", "ios"),
    [
        (4096 * 1000, 990.0, 1000),
        (4096 * 1000, 1049.0, 1000),
        (3000 * 100, 100.4, 100),
        (4096, 1.0, 1),
        (4096 * 3, 0.9, 1),
        (4096 * 3, 0.4, 0),
        (0, 0.0, 0),
        (0, 5.0, 5),
    ],
)
def test_ios_that_old_versions_do_not_count_follow_from_bytes_and_iops(
    size_bytes: int, nearly: float, ios: int
) -> None:
    assert fio._counted(size_bytes, nearly) == ios


@pytest.mark.parametrize(
    ("mean", "power"),
    [
        (0.0, None), (0.99, None), (1.0, 1), (1.02, 1), (2.0, 2), (3.0, None), (3900.0, None), (3902.0, 4096),
        (4096.0, 4096), (4300.0, 4096), (4312.0, None), (float(1 << 30), 1 << 30), (float(1 << 31), None),
    ],
)  # fmt: skip
def test_a_mean_size_within_a_twentieth_of_a_power_of_two_is_that(mean: float, power: int | None) -> None:
    assert fio._power(mean) == power


@pytest.mark.parametrize(
    ("options", "read", "write", "size", "word"),
    [
        ({}, (10, 40960), (10, 43008), 4096, ""),
        ({}, (10, 40960), (10, 43009), 4198, "several"),
        ({}, (10, 43009), (10, 40960), 4198, "several"),
        ({"bs": "4k"}, (10, 40960), (10, 81920), 6144, ""),
        ({"bs": "4k"}, (10, 40961), (10, 81920), 4096, ""),
        ({"blocksize": "8k"}, (3, 10000), (0, 0), 8192, ""),
        ({"bs": "8k", "bssplit": "4k/50:8k/50"}, (10, 40960), (0, 0), 4096, ""),
        ({"bs": "8k", "bssplit": "4k/50:8k/50"}, (10, 40961), (0, 0), 4096, "several"),
        ({}, (0, 0), (0, 0), 0, "unknown"),
        ({"bs": "4k"}, (0, 0), (0, 0), 4096, ""),
        ({}, (3, 10000), (0, 0), 3333, "unknown"),
    ],
)
def test_the_block_size_of_a_job_is_its_mean_its_option_or_a_power_of_two(
    options: dict[str, str], read: tuple[int, int], write: tuple[int, int], size: int, word: str
) -> None:
    """1.05 x 4096 is 4300.8: sizes that differ by no more than a twentieth count as one."""
    assert fio._sizes(options, Counts(1.0, 0, Tally(*read), Tally(*write))) == (size, word)


LAT, LISTED, BINNED = Latency(mean=1.0), Latency(mean=1.0, percentile={"50": 1}), Latency(mean=1.0, bins={1: 1})


@pytest.mark.parametrize(
    ("times", "alone", "apart"),
    [
        ({}, "lat_ns", "lat_ns"),
        ({"lat_ns": Latency()}, "lat_ns", "lat_ns"),
        ({"clat_ns": LAT}, "clat_ns", "clat_ns"),
        ({"lat_ns": LAT, "clat_ns": LAT}, "lat_ns", "lat_ns"),
        ({"lat_ns": LAT, "clat_ns": LISTED}, "clat_ns", "lat_ns"),
        ({"lat_ns": LISTED, "clat_ns": LISTED}, "lat_ns", "lat_ns"),
        ({"lat_ns": LISTED, "clat_ns": BINNED}, "clat_ns", "clat_ns"),
        ({"lat_ns": Latency(percentile={"50": 1}), "clat_ns": LAT}, "clat_ns", "clat_ns"),
        ({"lat_ns": LAT, "clat_ns": Latency(bins={1: 1})}, "clat_ns", "clat_ns"),
        ({"lat": LAT, "clat": LISTED}, "clat", "lat"),
    ],
)
def test_response_times_with_bins_come_before_those_with_percentiles(
    times: dict[str, Any], alone: str, apart: str
) -> None:
    assert fio.response(Way(**times), alone=True)[0] == alone
    assert fio.response(Way(**times), alone=False)[0] == apart


@pytest.mark.parametrize(
    ("job", "notes"),
    [
        ({"read": WAY}, ["no_percentiles"]),
        ({"read": WAY | {"lat_ns": {}}}, ["no_waits"]),
        ({"read": WAY, "write": WAY | {"lat_ns": {}}}, ["no_waits"]),
        ({"read": WAY, "write": {"runtime": 0}}, ["no_percentiles"]),
        ({"read": WAY | {"lat_ns": MEAN | {"bins": {"5": 1}}}}, []),
        ({"read": WAY | {"lat_ns": MEAN | {"percentile": {"50": 5}}}}, ["fio_own"]),
        ({"read": WAY | {"lat_ns": MEAN | {"percentile": {"50": 5}, "bins": {"5": 1}}}}, []),
        ({"read": WAY | {"clat_ns": MEAN | {"percentile": {"50": 5}}}}, ["fio_own", "clat"]),
        ({"read": WAY | {"lat_ns": {}, "clat_ns": MEAN}}, ["no_percentiles", "clat"]),
        ({"read": {"io_bytes": 4000, "runtime": 9, "total_ios": 9, "lat": MEAN}}, ["fio_2", "no_percentiles"]),
        ({"read": {"io_bytes": 4000, "runtime": 9, "iops": 9, "lat": MEAN}}, ["fio_2", "ios", "no_percentiles"]),
        ({"read": WAY, "trim": {"total_ios": 3}}, ["no_percentiles", "trims"]),
        ({"read": WAY, "error": 5}, ["no_percentiles", "error"]),
        ({"read": WAY, "job options": {}}, ["no_percentiles", "buffered", "options"]),
        ({"read": WAY, "job options": {"direct": "0"}}, ["no_percentiles", "buffered"]),
        ({"read": WAY, "job options": OPTIONS | {"rate": "0", "fsync": "0", "sync": "none"}}, ["no_percentiles"]),
        ({"read": WAY, "job options": OPTIONS | {"latency_target": "5"}}, ["no_percentiles", "limited"]),
        ({"read": WAY, "job options": OPTIONS | {"fdatasync": "1", "sync": "dsync"}},
         ["no_percentiles", "flushed", "synced"]),
        ({"read": WAY, "write": WAY | {"io_bytes": 9999999}, "job options": {"direct": "1"}},
         ["no_percentiles", "fio_sizes"]),
    ],
)  # fmt: skip
def test_a_result_of_fio_has_a_note_on_each_thing_that_it_lacks(job: dict[str, Any], notes: list[str]) -> None:
    assert keys(fio.read(result(job))) == notes


def test_notes_state_their_numbers_and_the_job_once() -> None:
    jobs = [{"read": WAY, "trim": {"total_ios": n}, "error": n, "job options": OPTIONS | {"rate": "5"}} for n in (0, 4)]
    taken = fio.read(result(*jobs))
    values = {note.key: note.values for note in taken.notes}
    assert keys(taken) == ["no_percentiles", "trims", "limited", "error"]
    assert (values["imported.trims"]["n"], values["imported.error"]) == (4, {"name": "a", "n": 4})


def test_threads_that_are_listed_one_by_one_are_one_load_without_percentiles() -> None:
    listed = {"read": WAY | {"lat_ns": MEAN | {"percentile": {"50": 5}}}, "groupid": 3}
    taken = fio.read(result(listed, listed, listed | {"groupid": 4}, listed | {"jobname": "b", "groupid": 4}))
    assert [(load.phase, load.workload.threads, load.counts.read.ios) for load in taken.loads] == [
        ("a", 2, 2000), ("a", 1, 1000), ("b", 1, 1000),
    ]  # fmt: skip
    assert [load.counts.seconds for load in taken.loads] == [2.0] * 3
    assert [bool(load.reported.both) for load in taken.loads] == [False, True, True]
    assert keys(taken) == ["fio_own", "apart", "together"]


@pytest.mark.parametrize(
    ("hosts", "notes", "names"),
    [
        ([("h", 1)], [], ["a"]),
        ([("h", 1), ("i", 1)], ["hosts"], ["a h:1", "a i:1"]),
        ([("h", 1), ("h", 2)], ["servers"], ["a h:1", "a h:2"]),
        ([("h", 1), ("h", 2), ("i", 1)], ["servers"], ["a h:1", "a h:2", "a i:1"]),
    ],
)
def test_jobs_of_several_servers_are_loads_of_their_own(
    hosts: list[tuple[str, int]], notes: list[str], names: list[str]
) -> None:
    job = {"jobname": "a", "job options": OPTIONS, "read": WAY}
    every = [job | {"hostname": host, "port": port} for host, port in hosts] + [job | {"jobname": "All clients"}]
    taken = fio.read(result(client_stats=every))
    told = {note.key.removeprefix("imported."): note.values for note in taken.notes}
    assert list(told) == ["no_percentiles", *notes, *["together"] * (len(hosts) > 1)]
    assert [load.phase for load in taken.loads] == names
    if "servers" in told:
        assert told["servers"] == {"n": len(hosts), "hosts": len({host for host, _ in hosts})}
    if "hosts" in told:
        assert told["hosts"] == {"n": 2}
    both = fio.read(result(job, client_stats=every))
    assert ([load.phase for load in both.loads], keys(both)) == (["a"], ["no_percentiles", "clients"])


def test_the_name_of_a_load_keeps_its_host() -> None:
    long = {"jobname": "b" * 99, "read": WAY, "job options": OPTIONS}
    taken = fio.read(result(client_stats=[long | {"hostname": name, "port": 8} for name in ("one", "two")]))
    assert [load.phase for load in taken.loads] == ["b" * 54 + " one:8", "b" * 54 + " two:8"]


def test_at_most_twenty_notes_and_five_lines_around_a_result_are_kept() -> None:
    jobs = [{"jobname": str(n), "read": WAY, "error": n, "groupid": n} for n in range(40)]
    assert keys(fio.read(result(*jobs))) == ["no_percentiles"] + ["error"] * 19
    (name, data), *_ = result({"read": WAY}).files
    taken = fio.read(Given(name, ((name, b"".join(b"line %d\n" % n for n in range(9)) + data + b"\n" + data),)))
    assert keys(taken) == ["says"] * 5 + ["documents", "no_percentiles"]
    assert [note.values["text"] for note in taken.notes[:5]] == [f"line {n}" for n in range(5)]
    assert taken.notes[5].values["n"] == 2
    assert keys(fio.read(Given(name, ((name, b"line\n" + data),)))) == ["says", "no_percentiles"]


def test_what_a_result_of_fio_states_of_itself() -> None:
    taken = fio.read(result({"read": WAY}, timestamp=60, **{"global options": {"filename": "/dev/x"}}))
    assert (taken.version, taken.at, taken.drive) == ("3.33", 60, {"target": "/dev/x"})
    assert fio.read(result({"read": WAY, "job options": {"filename": "/y"}})).drive == {"target": "/y"}
    given = result({"read": WAY})
    assert fio.claims(given)
    assert not fio.claims(given._replace(folder=True))
    assert not fio.claims(result({"read": WAY, "jobname": "job(r_idx=1"}))


@pytest.mark.parametrize(
    ("way", "possible"),
    [
        ({"total_ios": limits.MOST, "io_kbytes": 0}, True),
        ({"iops": 1e15, "runtime": 1e15}, False),
        ({"iops": 9e12, "runtime": 1e9}, True),
        ({"iops": 9.3e12, "runtime": 1e9}, False),
    ],
)
def test_no_more_ios_than_a_record_can_have(way: dict[str, Any], possible: bool) -> None:
    if possible:
        assert fio._tally(Way(**way), alone=True).ios <= limits.MOST
    else:
        with pytest.raises(BadInput, match=r"^it has impossible figures$"):
            fio._tally(Way(**way), alone=True)


@pytest.mark.parametrize(
    ("job", "reason"),
    [
        ({"mixed": WAY}, "it has reads and writes in one sum"),
        ({"trim": {"total_ios": 1}}, "its jobs only trimmed"),
        ({"mixed": WAY, "write": {"runtime": 1}}, ""),
        ({"trim": {"total_ios": 1}, "read": {"io_bytes": 4096, "io_kbytes": 4}}, ""),
        ({"trim": {"total_ios": 1}, "write": {"total_ios": 1}}, ""),
        ({"trim": {"total_ios": 0}}, ""),
    ],
)
def test_sums_and_trims_alone_are_refused(job: dict[str, Any], reason: str) -> None:
    if reason:
        with pytest.raises(BadInput, match=reason):
            fio.read(result(job))
    else:
        assert len(fio.read(result(job)).loads) == 1


@pytest.mark.parametrize(
    ("options", "name", "entries", "ways", "told"),
    [
        ({}, "RandRead", 1, (1, 0), (100, 100, 1, 1)),
        ({}, "seq", 1, (1, 3), (0, 25, 1, 1)),
        ({"rw": "write"}, "", 1, (0, 0), (0, 0, 1, 1)),
        ({"rw": "randread"}, "", 1, (0, 0), (100, 100, 1, 1)),
        ({"rw": "rw"}, "", 3, (1, 1), (0, 50, 3, 1)),
        ({"rw": "rw", "numjobs": "2"}, "", 3, (1, 1), (0, 50, 3, 1)),
        ({"rw": "rw", "numjobs": "5"}, "", 3, (1, 1), (0, 50, 5, 1)),
        ({"rw": "rw", "ioengine": "libaio", "iodepth": "7"}, "", 1, (1, 1), (0, 50, 1, 7)),
    ],
)
def test_a_job_without_options_is_of_its_name_and_counts(
    options: dict[str, str], name: str, entries: int, ways: tuple[int, int], told: tuple[int, ...]
) -> None:
    counts = Counts(1.0, 0, *(Tally(ios, ios * 4096) for ios in ways))
    load, unknown = fio.workload(options, counts, name, entries)
    assert (load.random_pct, load.read_pct, load.threads, load.depth) == told
    assert ("threads and queue depth" in unknown, "random or sequential" in unknown) == (not options, not options)


# Trees of bench-fio


def tree(*names: str, left: int = 0, **top: Any) -> Given:
    files = tuple((name, result({"read": WAY, "job options": {"rw": "read"}}, **top).files[0][1]) for name in names)
    return Given("t", files, folder=True, left=left)


def test_a_tree_of_bench_fio_is_claimed_if_most_of_its_files_are_loads() -> None:
    assert bench_fio.claims(tree("d/read-1-1.json"))
    assert bench_fio.claims(tree("read-1-1.json", "read-1-2.json", "x.json"))
    assert not bench_fio.claims(tree("read-1-1.json", "x.json"))
    assert not bench_fio.claims(tree("read-1-1.json")._replace(folder=False))


def test_a_file_of_bench_fio_is_one_load_and_others_have_a_note() -> None:
    taken = bench_fio.read(tree("d/read-4-2.json", "randwrite-1-1.json", "x.json", left=7, timestamp=50))
    assert [(load.phase, load.workload.label) for load in taken.loads] == [
        ("read", "SEQ 4K 100/0 T2 Q4"), ("randwrite", "RND 4K 100/0 T1 Q1"),
    ]  # fmt: skip
    assert (taken.version, taken.at) == ("(fio 3.33)", 50)
    assert keys(taken) == ["no_percentiles", "buffered", "misnamed", "logs"]
    assert (taken.notes[2].values, taken.notes[-1].values) == ({"name": "x.json"}, {"n": 7})
    assert {load.reported.unknown for load in taken.loads} == {()}
    with pytest.raises(BadInput, match=r"^it has no file with the name of a load, such as randread-16-8.json$"):
        bench_fio.read(tree("x.json"))
    with pytest.raises(BadInput, match=r"^it holds several results of one load"):
        bench_fio.read(tree("a/read-1-1.json", "b/read-1-1.json"))
    with pytest.raises(BadInput, match=r"^read-1-1\.json: it has no complete JSON"):
        bench_fio.read(tree("read-1-1.json")._replace(files=(("read-1-1.json", b"x"),)))


def test_a_tree_of_bench_fio_began_with_its_first_file() -> None:
    files = [tree(f"read-{n}-1.json", timestamp=at).files[0] for n, at in ((1, 70), (2, 60), (3, 80))]
    assert bench_fio.read(Given("t", tuple(files), folder=True)).at == 60


# Grids of diskplorer


@pytest.mark.parametrize(
    ("tally", "size"),
    [(Tally(), 99), (Tally(2, 2048), 1024), (Tally(3, 100), 512), (Tally(2, 1537), 1024), (Tally(1, 4 * GiB), GiB)],
)
def test_the_size_of_a_cell_is_its_mean_in_whole_sectors(tally: Tally, size: int) -> None:
    assert diskplorer._size(tally, 99) == size


def test_a_cell_of_diskplorer_has_reads_and_writes_of_its_rates() -> None:
    counts = Counts(1.0, 0, Tally(100, 409_600), Tally(10, 1_310_720))
    blank = Workload(random_pct=0, read_pct=0, block_bytes=512, threads=1, depth=1)
    name = "job(r_idx=1,w_idx=2,write_bw=13107200,r_iops=300)"
    cell = diskplorer._cell(name, Load(blank, counts))
    reads, writes = (Stream(share=75, random=True, read=True, block_bytes=4096),
                     Stream(share=25, random=False, read=False, block_bytes=131_072))  # fmt: skip
    assert cell.workload.streams == (reads, writes)
    assert (cell.workload.rate_iops, cell.workload.threads, cell.workload.depth) == (400, 1, 1000)
    least = diskplorer._cell("job(r_idx=0,w_idx=0,write_bw=0,r_iops=9)", Load(blank, counts))
    assert [(stream.share, stream.read) for stream in least.workload.streams] == [(100, True)]
    assert least.workload.rate_iops == 10
    with pytest.raises(BadInput, match=r"^its job x is not a cell of its grid$"):
        diskplorer._cell("x", Load(blank, counts))
