"""Results of other tools that were cut off, are in Windows' encodings, or hold loads that are no measurement."""

import codecs
import json
import re
from pathlib import Path
from typing import Any

import pytest

from stend import imports
from stend.base.errors import BadInput
from stend.base.units import GiB, MiB
from stend.imports.given import Given
from stend.imports.taken import Load, Taken
from stend.words import Language, Sentence
from tests.imported import FORMATS, SAMPLES

TEXTS = sorted(name for name in FORMATS if not (SAMPLES / name).is_dir())


def taken(name: str, data: bytes) -> Taken:
    return imports.understood(Given(name, ((name, data),)), FORMATS[name], name)


def figures(load: Load) -> tuple[Any, ...]:
    ways = (load.counts.read, load.counts.write)
    rates = (round(way.ios / load.counts.seconds) for way in ways)
    return (load.phase, load.workload.label, *rates, *(round(way.latency_ns / max(way.ios, 1)) for way in ways))


@pytest.mark.parametrize(
    "coding", ["utf-16-le", "utf-16-be", "utf-8"], ids=["PowerShell", "UTF-16 BE", "UTF-8 with a mark"]
)
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_with_a_byte_order_mark_has_the_same_loads(name: str, coding: str, tmp_path: Path) -> None:
    mark = {"utf-16-le": codecs.BOM_UTF16_LE, "utf-16-be": codecs.BOM_UTF16_BE, "utf-8": codecs.BOM_UTF8}[coding]
    text = (SAMPLES / name).read_text().replace("\r\n", "\n").replace("\n", "\r\n")
    (tmp_path / name).write_bytes(mark + text.encode(coding))
    _, form, read = imports.taken_from(tmp_path / name)
    assert form == FORMATS[name]
    assert read.loads == imports.taken_from(SAMPLES / name)[2].loads


@pytest.mark.parametrize("name", ["elbencho.csv", "ezfio.csv", "iometer.csv", "diskspd.txt", "diskspd-linux.txt"])
def test_a_file_that_was_cut_off_never_makes_another_number(name: str) -> None:
    """`400000` cut after `40` is no rate of 40 IOPS, and a result without its writes is not one of reads alone."""
    data = (SAMPLES / name).read_bytes()
    whole = {figures(load) for load in taken(name, data).loads}
    whole |= {tuple(0 if n > 3 else value for n, value in enumerate(load)) for load in whole}
    read = 0
    end = data.rindex(b"Rand,30,4096,8") if name == "ezfio.csv" else len(data)
    for size in range(50, end, 7):
        try:
            loads = taken(name, data[:size]).loads
        except BadInput:
            continue
        read += 1
        for load in loads:
            waits = figures(load)[4:]
            known = {row for row in whole if row[:4] == figures(load)[:4]}
            assert known, (size, figures(load))
            assert all(wait in {0, *(row[4 + n] for row in known)} for n, wait in enumerate(waits)), size
    assert read, "no cut file was read"


def test_a_row_that_was_cut_off_is_left_out_with_a_note() -> None:
    data = (SAMPLES / "elbencho.csv").read_bytes()
    cut = taken("elbencho.csv", data[: data.index(b",100000,") + 5])
    assert len(cut.loads) == 1
    assert "the last row is cut off: it is left out" in cut.notes


@pytest.mark.parametrize(("name", "rows"), [("elbencho.csv", 3), ("iometer.csv", 2), ("ezfio.csv", 3)])
def test_a_table_that_ends_without_a_line_end_has_a_note_and_no_cut_number(name: str, rows: int) -> None:
    data = (SAMPLES / name).read_bytes().rstrip(b"\n")
    cut = taken(name, data)
    assert len(cut.loads) == rows
    assert [note for note in cut.notes if note.startswith("no line end follows the last row")]
    assert not [note for note in taken(name, data + b"\n").notes if note.startswith("no line end")]


def test_a_row_of_iometer_with_decimal_commas_is_left_out_with_a_note() -> None:
    data = (SAMPLES / "iometer.csv").read_bytes()
    assert b"ALL,All,4 KiB; 100% Read; 0% random,1,4,4,80000.5,80000.5," in data
    cut = taken("iometer.csv", data.replace(b"80000.5", b"80000,5"))
    assert [load.phase for load in cut.loads] == ["All in one"]
    alone = data[: data.rindex(b"'Results")].replace(b"80000.5", b"80000,5")
    with pytest.raises(BadInput, match="decimal commas shift the cells of all its rows"):
        taken("iometer.csv", alone)
    note = "a row of 4 KiB; 100% Read; 0% random has a decimal comma that shifts its cells: it is left out"
    assert note in cut.notes


def test_a_write_latency_that_was_cut_after_its_first_digit_is_left_out() -> None:
    data = (SAMPLES / "iometer.csv").read_bytes().rstrip(b"\n")
    assert data.endswith(b",40")
    assert taken("iometer.csv", data[:-1]).loads[-1].counts.write.max_ns == 0


def test_a_text_of_kdiskmark_without_its_last_lines_has_a_note() -> None:
    data = (SAMPLES / "kdiskmark.txt").read_bytes()
    note = "its last lines (Date, OS) are missing: if it was cut off, loads are missing"
    assert note in taken("kdiskmark.txt", data[: data.index(b"[Write]")]).notes
    assert note not in taken("kdiskmark.txt", data).notes


def test_a_load_that_crystaldiskmark_did_not_run_is_no_rate_of_0() -> None:
    text = (SAMPLES / "crystaldiskmark.txt").read_text()
    for rate in ("1572.864 MB/s [   1500.0 IOPS] <  5300.00 us>", "204.800 MB/s [  50000.0 IOPS] < 10100.00 us>"):
        assert rate in text
        text = text.replace(rate, "0.000 MB/s [      0.0 IOPS] <     0.00 us>")
    read = taken("crystaldiskmark.txt", text.encode())
    assert [load.counts.ios > 0 for load in read.loads] == [True] * 4
    assert "2 of 6 loads hold no IO and are left out" in read.notes


def test_rates_with_a_decimal_comma_are_no_lack_of_io() -> None:
    text = (SAMPLES / "crystaldiskmark.txt").read_text()
    with pytest.raises(BadInput, match=r"not written as `2048\.000 MB/s`, with a decimal point"):
        taken("crystaldiskmark.txt", text.replace(".152 MB", ",152 MB").replace(".0 IOPS", ",0 IOPS").encode())
    some = taken("crystaldiskmark.txt", text.replace("2097.152 MB", "2097,152 MB").encode())
    assert "1 line with a rate cannot be read and is left out" in some.notes


def job(**sections: Any) -> bytes:
    way = {"io_bytes": 4096000, "io_kbytes": 4000, "runtime": 1000, "total_ios": 1000, "iops": 1000}
    options = {"rw": "randrw", "bs": "4k", "direct": "1", **sections.pop("options", {})}
    jobs = sections.pop("jobs", 1)
    ways = {
        name: way | {"lat_ns": {"mean": 1000}} | (more if isinstance(more, dict) else {})
        for name, more in sections.items()
    }
    document = {"fio version": "fio-3.33", "jobs": [{"jobname": "a", "job options": options, **ways}] * jobs}
    return json.dumps(document).encode()


COMPLETION = {"mean": 700, "max": 9000, "percentile": {"50.000000": 600, "99.000000": 2000}}
OF_CLAT = "response times are of completion (clat)"


@pytest.mark.parametrize(
    ("read", "jobs", "mean_ns", "p50_ns", "starts"),
    [
        ({"clat_ns": COMPLETION}, 1, 700, 600, ["percentiles are fio's own", OF_CLAT]),
        ({"clat_ns": COMPLETION, "lat_ns": {"mean": 1000, "percentile": {"50.000000": 950}}}, 1, 1000, 950,
         ["percentiles are fio's own"]),
        ({"clat_ns": COMPLETION, "lat_ns": {"mean": 0}}, 1, 700, 600, ["percentiles are fio's own", OF_CLAT]),
        ({"clat_ns": COMPLETION}, 2, 1000, None, ["fio lists the threads of a load one by one"]),
        ({"clat_ns": {"mean": 700}}, 1, 1000, None, ["percentiles are not stated"]),
        ({"clat_ns": COMPLETION | {"bins": {"600": 1000}}}, 1, 700, None, [OF_CLAT]),
        ({"lat_ns": {"mean": 0}}, 1, 0, None, ["response times are not stated for every load"]),
    ],
    ids=["clat", "lat", "disable_lat", "threads apart", "none", "bins", "gtod_reduce"],
)  # fmt: skip
def test_mean_and_percentiles_of_a_load_of_fio_are_of_one_latency(
    read: dict[str, Any], jobs: int, mean_ns: float, p50_ns: float | None, starts: list[str]
) -> None:
    kept = taken("fio-3.33.json", job(read=read, jobs=jobs))
    (load,) = kept.loads
    assert load.counts.read.latency_ns / load.counts.read.ios == mean_ns
    assert load.reported.read.get("p50") == (p50_ns and pytest.approx(p50_ns * 1e-9))
    about = [note for note in kept.notes if "percentiles" in note or "response times" in note]
    assert [note.startswith(start) for note, start in zip(about, starts, strict=True)] == [True] * len(starts)


@pytest.mark.parametrize("options", [{"bs": "4k,64k"}, {"bs": "4k", "bssplit": "4k/50:64k/50"}, {"bsrange": "4k-64k"}])
def test_a_load_of_several_block_sizes_has_their_mean_and_is_of_no_known_size(options: dict[str, str]) -> None:
    large = {"io_bytes": 1000 * 65536 + 512, "io_kbytes": 64000}
    kept = taken("fio-3.33.json", job(read=1, write=large, options={"bs": ""} | options))
    (load,) = kept.loads
    assert load.workload.block_bytes == (4096000 + 1000 * 65536 + 512) // 2000
    assert load.reported.unknown == ("block size",)
    assert "a mixes several block sizes: its mean size is used" in kept.notes


def test_a_name_in_latin_1_does_not_stop_an_import() -> None:
    assert taken("fio-3.33.json", job(read=1).replace(b'"a"', b'"\xe9"')).loads[0].counts.read.ios == 1000


@pytest.mark.parametrize("text", ["3;fio-3.33;a;0;0;8\n", "a: (groupid=0, jobs=1): err= 0: pid=1: Mon\n"])
def test_other_outputs_of_fio_are_named(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(BadInput, match=r"fio's text or terse output, which is not imported; use --output-format=json"):
        imports.taken_from(tmp_path / "a.txt")


def test_a_link_to_nothing_is_not_proposed_as_itself(tmp_path: Path) -> None:
    (tmp_path / "a.json").symlink_to("nowhere")
    with pytest.raises(BadInput, match=r"a\.json cannot be read: it is a link to a file that does not exist$"):
        imports.taken_from(tmp_path / "a.json")


def test_sums_and_trims_of_fio_are_named_and_are_not_called_no_io() -> None:
    name = "fio-3.33.json"
    with pytest.raises(BadInput, match="reads and writes in one sum"):
        taken(name, job(mixed=1))
    assert taken(name, job(mixed=1, read=1, write=1)).loads == taken(name, job(read=1, write=1)).loads
    with pytest.raises(BadInput, match="only trimmed"):
        taken(name, job(trim=1))
    assert "1000 trims are left out" in taken(name, job(trim=1, read=1)).notes


@pytest.mark.parametrize(
    ("option", "note"),
    [
        ({"rate_iops": "1000"}, "fio limited the rate of a (rate_iops=1000): its IOPS do not show what the drive can"),
        ({"rate": "10m", "thinktime": "5"}, "fio limited the rate of a (rate=10m, thinktime=5)"),
        ({"fsync": "1"}, "fio flushed after writes of a (fsync=1): flushes are not in its response times"),
        ({"sync": "1"}, "fio made each write of a durable (sync=1)"),
    ],
)
def test_a_limited_or_synced_job_of_fio_has_a_note(option: dict[str, str], note: str) -> None:
    notes = taken("fio-3.33.json", job(read=1, write=1, options=option)).notes
    assert [text for text in notes if text.startswith(note)], notes
    plain = taken("fio-3.33.json", job(read=1, write=1, options={"sync": "0", "rate_iops": "0"})).notes
    assert not [text for text in plain if "limited" in text or "durable" in text]


def test_jobs_of_fio_s_clients_are_its_jobs_and_those_of_two_hosts_are_not_added() -> None:
    """`fio --client` lists its jobs in `client_stats`, with their host and port, and ends with their sums."""
    name, plain = "fio-3.33.json", job(read=1, write=1)
    document = json.loads(plain)
    (alone,) = document.pop("jobs")

    def of(*hosts: str) -> bytes:
        every = [alone | {"hostname": host, "port": 8765} for host in hosts] + [alone | {"jobname": "All clients"}]
        return json.dumps(document | {"client_stats": every}).encode()

    assert taken(name, of("lab1")).loads == taken(name, plain).loads
    assert taken(name, of("lab1")).notes == taken(name, plain).notes
    two = taken(name, of("lab1", "lab2"))
    assert [load.phase for load in two.loads] == ["a lab1:8765", "a lab2:8765"]
    assert [load.counts for load in two.loads] == [taken(name, plain).loads[0].counts] * 2
    assert [note for note in two.notes if note not in taken(name, plain).notes] == [
        "the result is of 2 hosts: loads that ran at the same time are listed host by host and never added",
        "jobs of one group ran at the same time: each one's figures are under the load of the others",
    ]
    many = Language("ru").translated(Sentence("imported.hosts", n=21))
    assert many.startswith("результат с 21 хоста: ")
    ports = json.loads(of("lab1", "lab1"))
    ports["client_stats"][1]["port"] = 8766
    told = taken(name, json.dumps(ports).encode())
    assert [load.phase for load in told.loads] == ["a lab1:8765", "a lab1:8766"]
    assert [note[:45] for note in told.notes if "server" in note] == ["the result is of 2 fio servers on 1 host: loa"]
    assert not any("of 2 hosts" in note for note in told.notes)
    assert (
        Language("ru")
        .translated(Sentence("imported.servers", n=21, hosts=3))
        .startswith("результат 21 сервера fio на 3 хостах: ")
    )


@pytest.mark.parametrize("name", ["elbencho.csv", "ezfio.csv", "iometer.csv"])
def test_a_table_that_a_spreadsheet_saved_again_is_named_as_that(name: str, tmp_path: Path) -> None:
    """Where decimals have a comma, spreadsheets save CSV with semicolons, and numbers as they show them."""
    place = tmp_path / name
    place.write_text((SAMPLES / name).read_text().replace(",", ";"))
    with pytest.raises(BadInput, match="has semicolons between its cells, as a spreadsheet saves it"):
        imports.taken_from(place)
    place.write_text("a;b\n1;2\n")
    with pytest.raises(BadInput, match="is not in a known format"):
        imports.taken_from(place)


@pytest.mark.parametrize(("cell", "changed"), [("80000.5", '"80000,5"'), ("2400015", '"2,400,015"')])
def test_a_table_with_commas_in_its_numbers_is_refused_with_the_line(cell: str, changed: str, tmp_path: Path) -> None:
    """Quoted, they shift no cell, and would count as figures that were not stated."""
    place = tmp_path / "iometer.csv"
    place.write_text((SAMPLES / "iometer.csv").read_text().replace(cell, changed))
    told = changed.strip('"')
    with pytest.raises(BadInput, match=rf"line 20 has a number with a comma \({told}\), as a spreadsheet saves it"):
        imports.taken_from(place)


@pytest.mark.parametrize(
    ("test", "tries", "span"),
    [
        ("1000 MB [C: 45.8% (54.4/118.8 GB)] (x5)", 5, 1000 * MiB),  # version 3
        ("1024 MiB [D: 40.0% (186.4/465.8 GiB)] (x3)  [Interval=5 sec]", 3, 1024 * MiB),  # 4 to 6
        ("64 GiB (x1) [D: 40% (186/466GiB)]", 1, 64 * GiB),  # 7 and 8
    ],
)
def test_size_and_tries_of_crystaldiskmark_are_read_from_every_version(test: str, tries: int, span: int) -> None:
    text = re.sub("(?m)^  Test : .*$", f"  Test : {test}", (SAMPLES / "crystaldiskmark-5.txt").read_text())
    found = taken("crystaldiskmark-5.txt", text.encode())
    assert Sentence("imported.best", n=tries) in found.notes
    assert {load.workload.range_bytes for load in found.loads} == {span}
