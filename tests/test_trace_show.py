"""What is said of a trace: the same as plain loops over its IOs find, and what is not known is said to be unknown."""

import dataclasses
import json
import re
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest
from jsonschema import Draft202012Validator, ValidationError

from stend import trace
from stend.base.errors import BadInput
from stend.base.units import MiB
from stend.charts.traced import pictures
from stend.cli import main
from stend.model.stats import bin_index
from stend.report.parts import traced as pages
from stend.report.parts.traced_plain import plain
from stend.trace import steps
from stend.trace.described import FINE, Described, described, frequent
from stend.trace.folding import steps as folded
from stend.trace.form import READ, WRITE
from stend.trace.playable import EXAMPLE
from stend.trace.steps import Step
from stend.trace.taken import reading
from stend.words import Language
from tests import pictures as drawn
from tests.test_trace_damaged import mutated
from tests.test_trace_readers import MSR, SAMPLES
from tests.test_trace_readers import read as taken
from tests.traced import HOT_BYTES, columns, known, written


def said(whole: Described, lang: str = "en") -> str:
    sections = pages.traced(whole, lang, drawn=False).every
    return "\n".join(text for section in sections for text in section.texts)


def value(whole: Described, title: str, item: str) -> str:
    tables = [table for section in pages.traced(whole, "en", drawn=False).every for table in section.tables]
    return next(row[1] for table in tables if table.title == title for row in table.rows if row[0] == item)


def test_footprint_zones_and_heat_are_what_loops_over_the_ios_find(tmp_path: Path) -> None:
    own, places = columns(), known(tmp_path).places
    assert places is not None
    cells: dict[int, set[int]] = {READ: set(), WRITE: set()}
    begun = Counter[int]()
    for op, offset, length in zip(own["op"].tolist(), own["offset"].tolist(), own["length"].tolist(), strict=True):
        cells[op] |= set(range(offset // FINE, (offset + length - 1) // FINE + 1))
        begun[offset // places.coarse_bytes] += 1
    assert places.fine_bytes == FINE
    sizes = (cells[READ], cells[WRITE], cells[READ] | cells[WRITE])
    assert places.touched_bytes == tuple(len(one) * FINE for one in sizes)
    assert places.span_bytes == (own["offset"] + own["length"]).max()
    counts = sorted(begun.values(), reverse=True)
    for size, share in places.zones:
        assert share == pytest.approx(sum(counts[: round(size * len(counts))]) / len(own["op"]))
    assert places.heat.sum() == len(own["op"])
    hot_rows = -(-HOT_BYTES // places.row_bytes)
    assert places.heat[READ, :, :hot_rows].sum() > 0.85 * places.heat[READ].sum()
    pause = slice(int(20.1e9 // places.step_ns) + 1, int(24.9e9 // places.step_ns))
    assert places.heat[:, :10].sum() > 0
    assert places.heat[:, pause].sum() == 0


def test_depths_that_follow_from_response_times_are_those_of_a_plain_count(tmp_path: Path) -> None:
    own, whole = columns(), known(tmp_path)
    ends = own["t_ns"] + own["latency_ns"]
    depths = Counter(1 + int((ends[max(i - 300, 0) : i] > t_ns).sum()) for i, t_ns in enumerate(own["t_ns"].tolist()))
    assert whole.whole.depths == dict(depths)
    assert max(depths) > 2
    assert whole.derived
    assert "Queue depths are derived" in said(whole)


def test_depths_that_the_source_tells_are_taken_as_they_are(tmp_path: Path) -> None:
    own = columns()
    whole = described(written(tmp_path, own | {"depth": np.full(len(own["op"]), 7)}))
    assert (whole.whole.depths, whole.derived) == ({7: len(own["op"])}, False)


def test_times_between_ios_are_in_the_bins_of_their_differences(tmp_path: Path) -> None:
    gaps, between = known(tmp_path).gaps, np.diff(columns()["t_ns"])
    assert gaps is not None
    assert dict(gaps.bins) == dict(Counter(map(bin_index, between.tolist())))
    assert (gaps.ios, gaps.max_ns, gaps.latency_ns) == (len(between), between.max(), between.sum())
    assert gaps.deviation_s == pytest.approx(np.std(between, ddof=1) / 1e9)


def test_batches_of_any_size_say_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = plain(known(tmp_path))
    made = trace.opened(tmp_path / "t.parquet")
    small = [{name: part[name] for name in part} for part in made.batches(rows=97)]
    assert len(small) > 50
    trace.write(tmp_path / "small.parquet", small, made.about)
    monkeypatch.setattr(trace.Trace, "batches", lambda self, columns=(): iter(small))
    again = plain(described(made))
    assert again.pop("gaps") == pytest.approx(first.pop("gaps"))
    assert again == first


def test_the_fewest_streams_that_make_a_share_are_counted(tmp_path: Path) -> None:
    parts = known(tmp_path).parts
    assert [part.key.label for part in parts][:2] == ["RND 8K R", "SEQ 64K W"]
    assert [len(frequent(parts, share)) for share in (0.01, 0.9, 1.0)] == [1, 1, len(parts)]
    assert "1 of 4 IO streams makes up 94% of the IOs: RND 8K R" in said(known(tmp_path))


def test_the_idle_pause_and_the_busy_half_are_told(tmp_path: Path) -> None:
    whole = known(tmp_path)
    rates = [pages.rate(step) for step in whole.steps]
    assert rates[20:25] == [0] * 5
    assert [step.idle_ns for step in whole.steps[20:25]] == [10**9] * 5
    peak = pages.busiest(whole)
    assert peak is not None
    assert pages.rate(peak) == max(rates) == 600


def test_what_a_source_does_not_tell_is_said_to_be_unknown(tmp_path: Path) -> None:
    own = columns()
    whole = described(written(tmp_path, {name: own[name] for name in ("t_ns", "op", "offset", "length")}))
    text = said(whole)
    for words in (
        "Response times are unknown",
        "neither queue depths nor response times",
        "compressibility is unknown",
    ):
        assert words in text
    told = plain(whole)
    assert told["depth"] is told["idle_share"] is told["compressibility"] is None
    assert told["operations"]["reads"]["seconds"] is None
    names = [picture.name for picture in pictures(whole, Language("en"))]
    assert names == ["shares", "stream_map", "heat", "heat"]


def test_without_times_nothing_is_drawn_over_time_and_no_rate_is_told(tmp_path: Path) -> None:
    whole = described(taken(b"fio version 2 iolog\n/d write 0 4096\n/d read 4096 4096\n", tmp_path))
    text = said(whole)
    assert "only the order of IOs is known" in text
    assert "IOPS" not in text
    assert [picture.name for picture in pictures(whole, Language("en"))] == ["shares"]
    assert plain(whole)["seconds"] is None


def test_a_capture_lasts_longer_than_its_ios(tmp_path: Path) -> None:
    made = written(tmp_path)
    ios = described(made)
    longer = msgspec.structs.replace(made.about, seconds=ios.end_ns / 1e9 + 30)
    whole = described(dataclasses.replace(made, about=longer))
    assert whole.end_ns == ios.end_ns + 30 * steps.SECOND_NS
    assert whole.ios == ios.ios
    assert plain(whole)["idle_share"] > plain(ios)["idle_share"]


def test_statistics_without_addresses_say_the_same_but_for_places(tmp_path: Path) -> None:
    made = written(tmp_path)
    kept = tmp_path / "t.steps"
    every = list(folded(made.batches()))
    kept.write_bytes(steps.header(steps.SECOND_NS, made.about) + steps.packed(every))
    with reading(kept) as given:
        alone = described(given)
    whole = described(made)
    assert (alone.places, alone.gaps) == (None, None)
    assert [p.tally for p in alone.parts] == [p.tally for p in whole.parts]
    assert "only statistics were kept" in said(alone)
    assert "Reads and writes touch" not in said(alone)


def test_an_empty_trace_is_refused_and_so_is_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="no IO"):
        described(trace.write(tmp_path / "t.parquet", [], trace.About(source="made")))
    with pytest.raises(BadInput, match="No such file"), reading(tmp_path / "nowhere"):
        pass


@pytest.mark.parametrize("name", SAMPLES)
def test_every_reason_and_note_is_said_in_russian(tmp_path: Path, name: str) -> None:
    lines = SAMPLES[name].splitlines()
    data = lines[0] + b"\n" + mutated(lines[:400], 4000, seed=1) + (MSR if name == "msr" else b"")
    about = taken(data, tmp_path, name.partition(" ")[0]).about
    words = Language("ru")
    told = [*about.malformed, *about.skipped, *about.notes]
    assert len(told) > 3
    assert [text for text in told if not re.search("[а-я]", words.translated(text))] == []


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_pages_of_all_formats_are_written_and_their_charts_have_data(tmp_path: Path, lang: str) -> None:
    whole = known(tmp_path)
    made = pages.write(whole, ["html", "json", "markdown"], lang, tmp_path / "out")
    assert all(path.stat().st_size > 1000 for path in made)
    shown = list(pictures(whole, Language(lang)))
    assert [picture.name for picture in shown] == [
        "shares", "stream_map", "depth", "depth", "response", "heat", "heat"
    ]  # fmt: skip
    for picture in shown:
        assert picture.says
        assert all(picture.spec["datasets"].values())


def test_the_specifications_are_the_golden_ones(tmp_path: Path) -> None:
    found: dict[str, str] = {}
    for picture in pictures(known(tmp_path), Language("en")):
        found.setdefault(picture.name, drawn.short(picture.spec))
    folder = drawn.FOLDER.parent / "traced"
    assert found == {path.stem: path.read_text() for path in folder.glob("*.json")}, (
        "write anew with python -m tests.test_trace_show, and read the diff"
    )


def test_the_json_is_as_its_schema_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    written(tmp_path)
    assert main(["schema", "trace"]) == 0
    validator = Draft202012Validator(json.loads(capsys.readouterr().out))
    assert main(["trace", "show", str(tmp_path / "t.parquet"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    validator.validate(told)
    bare = described(taken(b"fio version 2 iolog\n/d write 0 4096\n/d sync 0 0\n", tmp_path))
    validator.validate(json.loads(json.dumps(plain(bare))))
    told["streams"][0]["ios"] = "many"
    with pytest.raises(ValidationError, match="'many'"):
        validator.validate(told)


def test_show_and_convert_tell_what_was_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given = tmp_path / "hm_0.csv"
    given.write_bytes(MSR + b"nonsense\n")
    assert main(["trace", "show", str(given), "--lang", "ru"]) == 0
    out = capsys.readouterr().out
    assert "1 из 4 строк прочесть не удалось" in out
    assert "число полей в строке — не 7" in out
    made = tmp_path / "hm.parquet"
    assert main(["trace", "convert", str(given), str(made)]) == 0
    assert "malformed: 1 line: it has not 7 fields" in capsys.readouterr().out
    assert trace.opened(made).ios == 3
    assert main(["trace", "convert", str(given), str(made)]) == BadInput.exit_code
    assert main(["trace", "show", str(given), str(made)]) == BadInput.exit_code
    assert main(["trace", "show", str(given), "--format", "docx", "--into", str(tmp_path)]) == BadInput.exit_code


def test_the_trace_that_stend_ships_is_shown_by_its_name_and_is_converted_already(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["trace", "show", "example"]) == 0
    assert capsys.readouterr().out.startswith("4,000 IOs")
    assert main(["trace", "convert", str(EXAMPLE), "made.parquet"]) == BadInput.exit_code
    assert "is a Parquet file already" in capsys.readouterr().err
    assert main(["plan", "replay", "--target", "sim:small", "--trace", "example"]) == 0
    Path("example").write_text("of the user")
    assert main(["trace", "show", "example"]) == BadInput.exit_code
    assert main(["plan", "replay", "--target", "sim:small", "--trace", "example"]) == BadInput.exit_code


def test_a_drive_that_is_hot_all_over_has_even_zones(tmp_path: Path) -> None:
    many = 4000
    even = {
        "t_ns": np.arange(many),
        "op": np.zeros(many),
        "offset": np.arange(many) * MiB,
        "length": np.full(many, 4096),
    }
    places = described(written(tmp_path, even)).places
    assert places is not None
    assert [share for _, share in places.zones] == pytest.approx([0.05, 0.2, 1.0])


def test_zones_lie_beside_one_another_and_half_of_the_issues_are_told(tmp_path: Path) -> None:
    own = columns()
    depth = np.where(np.arange(len(own["op"])) % 5 < 2, 1, 9)
    whole = described(written(tmp_path, own | {"depth": depth}))
    tables = {one.title: one.rows for part in pages.traced(whole, "en", drawn=False).every for one in part.tables}
    assert [row[1] for row in tables["Hot zones of the touched range"]] == ["5%", "15%", "80%"]
    shares = [float(row[2].rstrip("%")) for row in tables["Hot zones of the touched range"]]
    assert sum(shares) == pytest.approx(100, abs=1)
    assert shares[0] / 5 > shares[1] / 15 > shares[2] / 80
    load = {row[0]: row[1] for row in tables["Depth, idle and arrival"]}
    assert (load["queue depth at issue, lower median"], load["queue depth at issue, highest"]) == ("9", "9")
    depths: tuple[dict[int, int], ...] = ({1: 5, 2: 4, 7: 1}, {1: 4, 2: 2, 7: 4}, {3: 1}, {})
    assert [Step(0, 1, None, told, ()).half_depth for told in depths] == [1, 2, 3, 0]


if __name__ == "__main__":
    import tempfile

    place = drawn.FOLDER.parent / "traced"
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        for one in reversed(list(pictures(known(Path(name)), Language("en")))):
            (place / f"{one.name}.json").write_text(drawn.short(one.spec))


@pytest.mark.parametrize("ios", [1, 200])
def test_ios_of_one_moment_have_no_rate(ios: int, tmp_path: Path) -> None:
    path = tmp_path / "app.iolog"
    lines = [f"5 /dev/a read {n * 8192} 4096" for n in range(ios)]
    path.write_text("\n".join(["fio version 3 iolog", "0 /dev/a add", "0 /dev/a open", *lines, ""]))
    with reading(path) as source:
        whole = described(source)
    for lang in ("en", "ru"):
        assert "IOPS" not in said(whole, lang)
    assert "the rate is unknown" in said(whole)
    assert value(whole, "Depth, idle and arrival", "average rate") == "unknown"


def test_no_more_bytes_are_touched_than_were_moved(tmp_path: Path) -> None:
    count, half = 1000, 2048
    offsets = np.arange(count) * 64 * MiB * 1024 + half  # 64 GiB apart: units far larger than the writes
    own = {
        "t_ns": np.arange(count) * 10**6,
        "op": np.full(count, WRITE),
        "offset": offsets,
        "length": np.full(count, half),
    }
    whole = described(written(tmp_path, own))
    assert whole.places is not None
    assert whole.places.fine_bytes > FINE
    assert whole.places.touched_bytes == (0, count * half, count * half)
    assert value(whole, "Footprint", "bytes written per byte touched by writes") == "1"


@pytest.mark.parametrize("action", ["trim 0 65536", "sync 0 0"])
def test_a_trace_without_reads_and_writes_has_no_footprint_and_is_no_statistics(action: str, tmp_path: Path) -> None:
    path = tmp_path / "app.iolog"
    lines = [f"{n * 1000} /dev/a {action}" for n in range(9)]
    path.write_text("\n".join(["fio version 3 iolog", "0 /dev/a add", "0 /dev/a open", *lines, ""]))
    with reading(path) as source:
        text = said(described(source))
    assert "There are no reads or writes" in text
    assert "only statistics were kept" not in text


def test_one_io_in_flight_is_not_plural(tmp_path: Path) -> None:
    own = columns()
    whole = described(written(tmp_path, own | {"depth": np.full(len(own["op"]), 1)}))
    assert "The mean queue depth at issue is 1, including the issued IO." in said(whole)
    assert "1 IOs" not in said(whole)
    assert "1\u00a0times" not in said(whole)


def test_no_share_is_rounded_to_none_or_all(tmp_path: Path) -> None:
    count = 10_000
    op = np.where(np.arange(count) < 4, WRITE, READ)
    own = columns() | {"t_ns": np.arange(count) * 10**9, "op": op, "offset": np.arange(count) * 8192}
    own |= {"length": np.full(count, 4096), "latency_ns": np.full(count, 1000)}
    own = {name: values for name, values in own.items() if len(values) == count}
    text = said(described(written(tmp_path, own)))
    assert "Reads are > 99.9% of them" in text
    assert "The drive was idle > 99.9% of the time." in text
    assert "RND 4K R > 99.9%" in text
    own["op"] = np.where(np.arange(count) < 30, READ, WRITE)
    assert "Reads are 0.3% of them" in said(described(written(tmp_path, own)))
    own["op"] = np.where(np.arange(count) < 30, WRITE, READ)
    assert "Reads are 99.7% of them" in said(described(written(tmp_path, own)))
    own["op"] = np.where(np.arange(count) < 3, READ, WRITE)
    assert "Reads are < 0.1% of them" in said(described(written(tmp_path, own)))


def of_lines(folder: Path, *ios: tuple[float, str, int, float]) -> Described:
    """A trace of MSR's format with these times, operations, addresses and response times in seconds."""
    path = folder / "few.csv"
    start = 128_166_372_003_061_629
    rows = (f"{start + int(t * 1e7)},usr,0,{op},{at},4096,{int(took * 1e7)}" for t, op, at, took in ios)
    path.write_text("\n".join(rows) + "\n")
    with reading(path) as opened:
        return described(opened)


@pytest.mark.parametrize("took_s", [0.0, 1e-4])
def test_response_times_of_one_bin_are_a_line(tmp_path: Path, took_s: float) -> None:
    whole = of_lines(tmp_path, *((n / 100, "Read", n * 4096, took_s) for n in range(50)))
    (shown,) = (picture for picture in pictures(whole, Language("en")) if picture.name == "response")
    rows = shown.spec["datasets"]["rows"]
    low, high = shown.spec["encoding"]["x"]["scale"]["domain"]
    assert [row["beyond"] for row in rows] == [100, 100]
    assert low * 1.5 < high


@pytest.mark.parametrize("cells", [1, 2, 8])
def test_the_hottest_part_of_few_places_is_no_smaller_than_one_place(tmp_path: Path, cells: int) -> None:
    whole = of_lines(tmp_path, *((n / 100, "Write", n % cells * 4096, 1e-4) for n in range(40)))
    assert whole.places
    assert whole.places.zones[0] == pytest.approx((1 / cells, 1 / cells))
