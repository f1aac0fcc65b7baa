"""Reports: complete without a network, harmless whatever a drive calls itself, readable by machines and people."""

import csv
import re
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import msgspec
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from stend import report
from stend.base.units import GB, GiB
from stend.findings.look.figures import figures, loads
from stend.model.events import Note, Started
from stend.model.record import Run
from stend.model.stats import percentile_s
from stend.report.json import Report, schema
from stend.report.parts.tables import matrix
from stend.words import LANGUAGES, Language, Sentence
from tests.synthetic import Truth, events, made

pytestmark = pytest.mark.together
SCHEMA = Path(__file__).parents[1] / "docs" / "report.schema.json"
NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
TYPST = '#panic("in") $x$ *b* `c` <l> @m \\ "q"'
VOID = {"meta", "br", "img", "input", "hr", "link", "col"}


@cache
def run_of(model: str = "Synthetic 1000", serial: str = "SYN-0001") -> Run:
    truth = Truth(capacity_bytes=8 * GiB, model=model, serial=serial)
    return made("iops", "write-saturation", "idle-recovery", truth=truth, interval_s=20.0, shorten=60, rounds=5)


def metrics(file: Path) -> list[Any]:
    """The families of metrics in a file, by their keepers' own reader."""
    return list(text_string_to_metric_families(file.read_text()))  # type: ignore[no-untyped-call]


def written(run: Run, form: str, folder: Path, lang: str = "en", style: str = "review") -> list[Path]:
    (folder / "run").mkdir(exist_ok=True)
    (folder / "run" / "manifest.toml").write_text('target = "sim:small"\n')
    host = {"cpu": run.plan.device.model, "fio": "fio-3.33"}
    return report.write([(folder / "run", run, host)], form, lang, style, into=folder)


class Page(HTMLParser):
    """What a page consists of: elements in order, with attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.misplaced: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.misplaced.append(tag)

    def handle_data(self, data: str) -> None:
        if "script" not in self.open and "style" not in self.open:
            self.text += data

    def all(self, *tags: str) -> Iterator[dict[str, str | None]]:
        return (attributes for tag, attributes in self.elements if tag in tags)

    @property
    def shape(self) -> list[tuple[str, list[str]]]:
        return [(tag, sorted(attributes)) for tag, attributes in self.elements]


def page(run: Run, folder: Path, lang: str = "en", style: str = "review") -> Page:
    return Page(written(run, "html", folder, lang, style)[0].read_text())


@pytest.mark.parametrize("style", report.STYLES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_page_is_complete_in_itself_and_every_part_has_a_name(tmp_path: Path, lang: str, style: str) -> None:
    made_page = page(run_of(), tmp_path, lang, style)
    assert not made_page.misplaced
    assert not made_page.open
    assert next(made_page.all("html"))["lang"] == lang
    loaded = [a.get(key) or "" for _, a in made_page.elements for key in ("src", "href", "data", "action", "poster")]
    assert [place for place in loaded if place and not place.startswith(("#", "data:"))] == []
    (policy,) = (a["content"] or "" for a in made_page.all("meta") if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    names = [a["id"] for _, a in made_page.elements if "id" in a]
    assert len(names) == len(set(names)) > 5
    assert {(a["href"] or "")[1:] for a in made_page.all("a")} <= set(names)
    assert {a["aria-labelledby"] for _, a in made_page.elements if "aria-labelledby" in a} <= set(names)


@pytest.mark.parametrize("style", report.STYLES)
def test_everybody_can_find_their_way_through_a_page(tmp_path: Path, style: str) -> None:
    made_page = page(run_of(), tmp_path, style=style)
    levels = [int(tag[1]) for tag, _ in made_page.elements if tag in {"h1", "h2", "h3", "h4", "h5", "h6"}]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    tags = [tag for tag, _ in made_page.elements]
    assert tags.count("figure") == tags.count("figcaption") > 5
    assert tags.count("table") == tags.count("caption") > (5 if style == "pts" else 2)
    assert all(a.get("scope") in {"col", "row"} for a in made_page.all("th"))
    assert all(a.get("alt") for a in made_page.all("img"))
    assert tags.index("a") < tags.index("main")
    assert all(a.get("aria-label") for a in made_page.all("nav"))
    sections = [a["aria-labelledby"] for a in made_page.all("section") if "aria-labelledby" in a]
    assert len(sections) == len(set(sections)) > 3
    assert not any(a.get("role") == "region" for _, a in made_page.elements), "a table is no landmark"
    assert tags.count("button") == 3 * tags.count("figure"), "each chart can be saved as SVG, PNG and CSV"


@pytest.mark.parametrize("style", report.STYLES)
def test_a_drives_own_words_never_become_markup(tmp_path: Path, style: str) -> None:
    harmless, nasty = (page(run_of(name, name), tmp_path, style=style) for name in ("Plain", NASTY))  # no short name
    assert nasty.shape == harmless.shape
    assert NASTY in nasty.text
    assert not any(key.startswith("on") for _, a in nasty.elements for key in a)


@pytest.mark.slow
def test_a_drives_own_words_stay_in_their_cell_in_markdown(tmp_path: Path) -> None:
    def cells(model: str) -> list[int]:
        text = written(run_of(model, model), "markdown", tmp_path)[0].read_text()
        assert not re.search(r"(?<!\\)<[a-z/]", text)
        return [line.replace("\\|", "").count("|") for line in text.splitlines() if line.startswith("|")]

    assert cells(NASTY + " | a | b ") == cells("Synthetic 1000")


@pytest.mark.slow
@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("model", [NASTY, TYPST])
def test_a_pdf_is_typeset_whatever_a_drive_calls_itself(tmp_path: Path, model: str, lang: str) -> None:
    made_pdf = written(run_of(model, model), "pdf", tmp_path, lang)[0].read_bytes()
    assert made_pdf.startswith(b"%PDF")
    assert made_pdf.rstrip().endswith(b"%%EOF")


@pytest.mark.parametrize("name", [NASTY.replace("/", "|"), 'a,b;"c"\nd\r\n', "'; drop table runs; --"])
def test_the_name_of_a_folder_stays_in_its_cell(tmp_path: Path, name: str) -> None:
    run = run_of()
    (plain,), (typed,) = (report.write([(tmp_path / name, run, {})], f, into=tmp_path) for f in ("csv", "parquet"))
    with plain.open(newline="") as file:
        assert [row["run"] for row in csv.DictReader(file)] == [name] * len(run.results)
    with duckdb.connect() as database:
        assert database.sql(f"select distinct run from '{typed}'").fetchall() == [(name,)]


def test_russian_is_russian(tmp_path: Path) -> None:
    english, russian = page(run_of(), tmp_path).text, page(run_of(), tmp_path, "ru").text

    def cyrillic(text: str) -> int:
        return sum("а" <= letter <= "я" for letter in text.lower())

    assert cyrillic(english) == 0
    assert cyrillic(russian) > 2000
    assert "раунд" in russian


@pytest.mark.parametrize(
    ("lang", "row", "note"),
    [
        ("en", "8.59 GB of 10 GB native", "the drive is over-provisioned: 8.59 GB of 10 GB native"),
        (
            "ru",
            "8,59 ГБ из 10 ГБ полной ёмкости",
            "резерв накопителя увеличен: доступно 8,59 ГБ из 10 ГБ полной ёмкости",
        ),
    ],
)
@pytest.mark.parametrize("style", report.STYLES)
def test_an_over_provisioned_drive_is_told_with_both_its_sizes(
    tmp_path: Path, style: str, lang: str, row: str, note: str
) -> None:
    began, *rest = events(["iops"], Truth(capacity_bytes=8 * GiB), interval_s=20.0, shorten=60, rounds=5)
    assert isinstance(began, Started)
    drive = msgspec.structs.replace(began.plan.device, facts={"native_bytes": 10 * GB})
    drawn = msgspec.structs.replace(began.plan, device=drive)
    told = Note(t=0, text=Sentence("provisioned", size=drive.capacity_bytes, native=drive.native_bytes))
    run = Run([msgspec.structs.replace(began, plan=drawn), told, *rest])
    text = page(run, tmp_path, lang, style).text.replace("\N{NO-BREAK SPACE}", " ")
    assert row in text
    assert note[1:] in text, "in a review a note begins with a capital"


def test_the_published_schema_is_the_one_that_is_written(tmp_path: Path) -> None:
    path, beside = written(run_of(), "json", tmp_path)
    assert msgspec.json.decode(beside.read_bytes()) == msgspec.json.decode(SCHEMA.read_bytes()) == schema()
    told = msgspec.json.decode(path.read_bytes(), type=Report, strict=True)
    (one,) = told.runs
    assert [f.name for f in one.findings]
    assert set(one.findings[0].sentences) == set(LANGUAGES)
    assert sum(int(row["read_ios"] or 0) for row in one.records) == sum(r.counts.read.ios for r in run_of().results)


def test_every_figure_is_a_metric_of_its_own_that_prometheus_reads(tmp_path: Path) -> None:
    run = run_of('Maker\'s "drive"\\\nof steel')
    (file,) = written(run, "openmetrics", tmp_path)
    families = {family.name: family for family in metrics(file)}
    samples = [sample for family in families.values() for sample in family.samples]
    assert len({(s.name, *sorted(s.labels.items())) for s in samples}) == len(samples)
    (about,) = families["stend_run"].samples
    assert about.labels["model"] == run.plan.device.model
    assert about.labels["virtual"] == "true"
    every = figures(run)
    rates = {tuple(sorted(s.labels.items())): s.value for s in families["stend_iops"].samples}
    assert sorted(rates.values()) == sorted(row.iops for row in every)
    counts = [s.value for s in families["stend_response_time_seconds"].samples if s.name.endswith("_count")]
    assert sorted(counts) == sorted(row.tally.ios for row in every)


def test_runs_whose_folders_have_one_name_are_apart_in_all_data(tmp_path: Path) -> None:
    whole: list[tuple[Path, Run, dict[str, Any]]] = [(tmp_path / top / "1", run_of(), {}) for top in ("old", "=new")]
    every = dict[str, Path]()
    for form in ("csv", "json", "openmetrics", "parquet", "hdr"):
        for path in report.write(whole, form, into=tmp_path / "all"):
            every[path.name] = path
    named = {"old/1", "=new/1"}
    assert {"latency-old-1.hlog", "latency-=new-1.hlog"} <= every.keys()
    told = msgspec.json.decode(every["report.json"].read_bytes(), type=Report)
    assert {one.run for one in told.runs} == {row["run"] for one in told.runs for row in one.records} == named
    samples = [sample for family in metrics(every["report.openmetrics"]) for sample in family.samples]
    assert {sample.labels["run"] for sample in samples} == named
    assert {float(sample.timestamp) for sample in samples} == {run_of().started[0].at}, "when its figures are of"
    with every["records.csv"].open(newline="") as file:
        assert {row["run"] for row in csv.DictReader(file)} == {"old/1", "'=new/1"}, "no formula"
    with duckdb.connect() as database:
        rows = database.sql(f"select distinct run from '{every['records.parquet']}'").fetchall()
    assert {run for (run,) in rows} == named


def test_a_percentile_that_the_sample_cannot_carry_is_no_metric(tmp_path: Path) -> None:
    (file,) = written(run_of(), "openmetrics", tmp_path)
    told: dict[str, list[float]] = {}
    for family in metrics(file):
        for sample in family.samples:
            if "quantile" in sample.labels:
                told.setdefault(sample.labels["quantile"], []).append(sample.value)
    rows = figures(run_of())
    for quantile, percent in (("0.5", 50.0), ("0.99999", 99.999)):
        carried = [value for row in rows if (value := percentile_s(row.tally, percent)) is not None]
        assert sorted(told.get(quantile, [])) == sorted(carried)
    assert len(told["0.5"]) > len(told.get("0.99999", []))


def test_csv_and_parquet_hold_the_same_rows_for_duckdb(tmp_path: Path) -> None:
    (plain,), (typed,) = written(run_of(), "csv", tmp_path), written(run_of(), "parquet", tmp_path)
    with duckdb.connect() as database:
        of_csv, of_parquet = (
            database.sql(f"select test, phase, round, step, read_ios, write_bytes, iops, write_p99_s from '{path}'")
            .order("all")
            .fetchall()
            for path in (plain, typed)
        )
        ((ios, moved),) = database.sql(f"select sum(write_ios), sum(write_bytes) from '{typed}'").fetchall()
    assert of_csv == of_parquet
    assert len(of_csv) == len(run_of().results)
    assert ios == sum(r.counts.write.ios for r in run_of().results)
    assert moved == sum(r.counts.write.bytes for r in run_of().results)
    with plain.open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(of_csv)


def test_a_matrix_has_every_size_and_mix_of_its_phase_alone() -> None:
    run, words = made("block-sweep"), Language("en")
    tables = list(matrix(run, run.plan.tests[0], words))
    assert len(tables) == 2
    for phase, table in zip(("sequential", "random"), tables, strict=True):
        window = {
            (f"{row.workload.read_pct}/{100 - row.workload.read_pct}", words.show(row.workload.block_bytes, "gib")): row
            for row in loads(run, run.plan.tests[0])
            if row.phase == phase and row.direction == "both"
        }
        rows = [(size, zip(table.head[1:], cells, strict=True)) for size, *cells in table.rows]
        shown = {(mix, size): cell for size, cells in rows for mix, cell in cells}
        assert f", {phase}:" in table.title
        assert len(shown) == 36
        assert shown == {place: f"{row.value('iops'):,.0f}" for place, row in window.items()}
