"""The Python API: runs asked from a program or a notebook tell what reports tell, in one sentence what is wrong."""

import html
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import nanoarrow
import numpy as np
import pyarrow
import pytest

import stend
from stend import charts, findings, session, store
from stend.api import keys
from stend.api.runs import Answered
from stend.api.shown import Chart
from stend.api.table import Table
from stend.base import errors, extras
from stend.base.errors import BadInput, Missing, StendError, StepFailed
from stend.base.units import GiB
from stend.findings.look.figures import figures
from stend.report.parts.records import COLUMNS, rows
from stend.words import Language
from tests.fuzz.files import events
from tests.synthetic import Truth, made
from tests.test_package import without

LOAD = "RND 4K 0/100 T4 Q32"


@pytest.fixture(scope="module")
def run() -> stend.Opened:
    """Two tests on a drawn drive, as if opened."""
    record = made(
        "iops", "write-saturation", truth=Truth(capacity_bytes=8 * GiB), interval_s=20.0, shorten=60, rounds=5
    )
    return stend.Opened(Path("drawn"), record)


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A folder of one run."""
    store.create(tmp_path / "one", {"target": "still"}, {})
    list(store.append(tmp_path / "one", (event for event in events())))
    return tmp_path


def test_import_stend_loads_nothing_of_what_is_behind_it() -> None:
    code = (
        "import sys, stend; print(sorted(m for m in sys.modules if m.startswith('stend') or m in {'msgspec', 'numpy'}))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['stend', 'stend.base', 'stend.base.version']"
    assert dir(stend) == sorted(stend.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = stend.nothing  # type: ignore[attr-defined]


def test_a_folder_opens_as_the_run_that_the_store_loads(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = stend.open(top / "one")
    assert [*opened.results] == store.load(top / "one").results
    assert len(opened.samples) == len(store.load(top / "one").samples) > 0
    (top / "runs").mkdir()
    (top / "one").rename(top / "runs" / "one")
    monkeypatch.chdir(top)
    assert stend.open("last").folder == Path("runs/one") == stend.open("on").folder


def test_a_window_is_the_figure_that_reports_show(run: stend.Opened) -> None:
    row = next(f for f in figures(run.record) if f.test == "iops" and f.workload.label == LOAD)
    told = run.window("iops", LOAD)
    assert told == row == run.window("iops", row.workload, "rounds")
    assert told.rounds
    assert dict(run.series("iops", LOAD))[told.rounds[0]] == dict(run.record.series("iops", "rounds", row.workload))[1]
    assert tuple(run.figures) == figures(run.record)


def test_findings_are_those_of_the_report_and_shown_as_sentences(run: stend.Opened) -> None:
    assert list(run.findings) == list(findings.find(run.record))
    assert run.findings
    russian = stend.Opened(run.folder, run.record, "ru").findings
    assert list(russian) == list(run.findings)
    assert "Уверенность" in russian._repr_html_()
    assert "Confidence" in run.findings._repr_html_()


def test_a_chart_is_that_of_the_report_as_vega_lite_and_as_svg(run: stend.Opened) -> None:
    chart, test = run.chart("convergence"), run.record.plan.tests[0]
    assert chart.spec == charts.draw("convergence", run.record, test)
    assert [one.name for one in run.charts("iops")] == [one.name for one in charts.of(run.record, test)]
    bundle = chart._repr_mimebundle_()
    assert bundle["application/vnd.vegalite.v6+json"] == chart.spec
    assert chart.says in bundle["text/plain"]
    assert html.escape(chart.title, quote=False) in bundle["image/svg+xml"]


def test_a_table_for_arrow_has_the_rows_of_the_csv(run: stend.Opened) -> None:
    table, told = run.to_arrow(), list(rows(run.record, "drawn"))
    assert table.columns == tuple(COLUMNS)
    assert len(table) == len(told) == len(run.results)
    for _ in range(2):  # a stream ends; the table does not
        assert nanoarrow.Array(table).to_pylist() == told


def test_an_unmet_steady_state_is_in_what_a_notebook_shows() -> None:
    noisy = Truth(capacity_bytes=8 * GiB, noise=0.5)
    shown = stend.Opened(Path("drawn"), made("iops", truth=noisy, interval_s=20.0, shorten=60, rounds=5))
    assert shown.record.unmet
    assert repr(shown) == "<stend run drawn: iops on synthetic, not steady>"
    assert "STEADY STATE NOT REACHED" in shown.figures._repr_html_()
    assert "teady state not reached" in shown._repr_html_()


def test_a_test_in_a_notebook_is_the_table_of_its_loads(run: stend.Opened) -> None:
    (name, *_) = (test.name for test in run.record.plan.tests)
    shown = run[name]._repr_html_()
    loads = {figure.workload for figure in figures(run.record) if figure.test == name}
    assert shown.count("<tr") > len({load.pattern for load in loads}) > 0
    assert shown.count("<table") >= 1


def test_in_a_terminal_columns_are_as_wide_as_their_widest_word() -> None:
    assert repr(Answered(("run", "n"), [("a", 10), ("longer", 9)], False)) == "run     n\na       10\nlonger  9"


def test_what_a_drive_calls_itself_is_no_markup() -> None:
    answer = Answered(("<b>",), [("<script>\x1b",)], False)
    assert answer._repr_html_().count("&lt;script&gt;\\x1b") == 1
    assert "&lt;b&gt;" in answer._repr_html_()


def test_many_runs_are_listed_asked_and_opened(top: Path) -> None:
    many = stend.open_many(top)
    (one,) = many.list()
    assert one.run == "one"
    assert not many.list(["model=no such*"])
    assert many.list("run=on*")
    answer = many.query("SELECT run, count(*) AS n FROM notes GROUP BY run")
    assert answer.columns == ("run", "n")
    assert "<th>run</th><th>n</th>" in answer._repr_html_()
    assert repr(many.open("last")) == repr(stend.open(top / "one"))


REFUSED: list[tuple[Callable[[stend.Opened, stend.Runs], Any], str]] = [
    (lambda run, many: run.chart("pie"), "drawn has no chart 'pie'; choose from: .*convergence"),
    (lambda run, many: run.charts("latency"), "no results of a test 'latency'; choose from: iops, write-saturation"),
    (
        lambda run, many: run.window("iops", "RND 3K"),
        "iops, rounds: there is no workload 'RND 3K'; choose from: RND .*, ...$",
    ),
    (lambda run, many: run.series("iops", LOAD, "resting"), "iops has no phase 'resting'; it has .*rounds"),
    (lambda run, many: run["iosp"], "no results of a test 'iosp'; did you mean 'iops'\\? Choose from: iops, write-sat"),
    (lambda run, many: run["iops"]["4k"], "'4k' is more than one workload; choose from: RND 4K"),
    (lambda run, many: run["iops"]["RND 4K 0/100 T4 Q33"], "did you mean 'RND 4K 0/100 T4 Q32'\\?"),
    (lambda run, many: run["iops"][""], "there is no workload ''; choose from: RND"),
    (lambda run, many: run.samples["iop"], "the table has no column 'iop'; choose from: time_s"),
    (lambda run, many: run.plot("pie"), "drawn has no chart 'pie'; choose from: .*convergence"),
    (lambda run, many: run.report("docx"), "there is no format 'docx'"),
    (lambda run, many: many.list(["nothing=1"]), "runs have no column 'nothing'"),
    (lambda run, many: many.query("DROP TABLE runs"), "a query only reads"),
    (lambda run, many: many.open("two"), "no run below .* is named 'two'"),
    (lambda run, many: stend.open(many.top), "is not a run folder"),
    (lambda run, many: stend.open(many.top / "one", "de"), "no language 'de'"),
    (lambda run, many: stend.open_many(many.top / "none"), "is not a folder"),
]


@pytest.mark.parametrize("number", range(len(REFUSED)))
def test_what_cannot_be_told_is_one_sentence(number: int, run: stend.Opened, top: Path) -> None:
    ask, sentence = REFUSED[number]
    with pytest.raises(BadInput, match=sentence) as told:
        ask(run, stend.open_many(top))
    assert "\n" not in str(told.value)


FORGIVEN = [
    ("Write Saturation", "write-saturation"),
    ("write_saturation", "write-saturation"),
    ("Насыщение записью", "write-saturation"),
    ("satur", "write-saturation"),
    ("IOPS", "iops"),
]


@pytest.mark.parametrize(("key", "name"), FORGIVEN)
def test_a_test_is_found_by_any_spelling_of_its_name(key: str, name: str, run: stend.Opened) -> None:
    assert run[key] == stend.OpenedTest(run, name)
    assert run[key] in [*run]


@pytest.mark.parametrize(
    "key",
    [
        "RND 4K 0/100",
        "4k randwrite",
        "4KiB random write QD32",
        "rnd_4k_0:100",
        "4096 rand writes T4Q32",
        "write 4kb iodepth=32",
    ],
)
def test_a_workload_is_found_by_any_spelling_of_its_label(key: str, run: stend.Opened) -> None:
    assert run["iops"][key] == run.window("iops", LOAD)


def test_every_label_means_only_itself(run: stend.Opened) -> None:
    labels = {load.label for result in run["iops"].results if (load := getattr(result.step, "workload", None))}
    assert len(labels) > 50
    for label in labels:
        assert keys.workload(label.lower().replace("t4 q32", "q32t4"), [*labels], "iops") == label


def test_samples_are_a_table_with_their_places_in_the_plan(run: stend.Opened) -> None:
    every = run.samples
    assert len(every) == len(run.record.samples)
    (result,) = (r for r in run["iops"].results if r.where.round == 2 and r.where.phase == "rounds" and r.index == 3)
    at = [n for n in range(len(every)) if (every["test"][n], every["round"][n], every["step"][n]) == ("iops", 2, 3)]
    taken = run.record.sampled(result)
    assert [every["time_s"][n] for n in at] == [t for t, _ in taken]
    assert {every["workload"][n] for n in at} == {result.step.workload.label}  # type: ignore[union-attr]
    for n, (_, counts) in zip(at, taken, strict=True):
        assert every["iops"][n] == pytest.approx(counts.iops)
        assert every["mb_s"][n] == pytest.approx(counts.bytes_per_s / 1e6)
        assert every["mean_ms"][n] == pytest.approx(counts.mean_s * 1e3)
        assert every["max_ms"][n] == pytest.approx(counts.max_s * 1e3)
    part = run["write saturation"].samples
    assert set(part["test"]) == {"write-saturation"}
    assert len(part) + len(run["iops"].samples) == len(every)
    assert pyarrow.table(every).to_pydict() == every.to_arrow().to_pydict() == {name: every[name] for name in every}


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables_and_answers_become_data_frames(
    library: str, run: stend.Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a stand-in for the library, which is large, and with the library where it is installed."""
    answer, frame = Answered(("run", "n"), [("a", 10), ("b", None)], False), "df" if library == "pandas" else "pl"
    if not extras.missing(library):
        samples = getattr(run.samples, frame)()
        assert (list(samples.columns), len(samples)) == (list(run.samples.columns), len(run.samples))
        assert samples["iops"].max() == max(run.samples["iops"])
        assert next(iter(getattr(answer, frame)()["n"])) == 10
        assert len(getattr(run.to_arrow(), frame)()) == len(run.results)
    types = dict.fromkeys(("String", "Int64", "Float64", "Boolean"), "a type")
    stand_in = SimpleNamespace(DataFrame=lambda columns, **more: columns, **types)
    monkeypatch.setitem(sys.modules, library, stand_in)
    monkeypatch.setattr(extras, "missing", lambda module: False)
    assert getattr(answer, frame)() == {"run": ["a", "b"], "n": [10, None]}
    assert getattr(run.samples, frame)()["iops"] == run.samples["iops"]
    monkeypatch.setattr(extras, "missing", lambda module: True)
    with pytest.raises(Missing, match=rf"a table for {library} needs {library}, .*`pip install {library}`"):
        getattr(answer, frame)()


@pytest.mark.parametrize("column", ["iops", "mb_s", "mean_ms", "max_ms"])
def test_a_plot_draws_samples_over_time_with_the_stamps_of_the_tests(column: str, run: stend.Opened) -> None:
    chart = run["write saturation"].plot(column)
    rows = chart.spec["datasets"]["rows"]
    assert max(row["y"] for row in rows) == pytest.approx(max(run["write saturation"].samples[column]), rel=1e-5)
    assert "detail" in chart.spec["encoding"]
    assert chart.title.startswith("Write Saturation: ")
    assert "<svg" in chart._repr_mimebundle_()["image/svg+xml"]
    both = stend.Opened(run.folder, run.record, "ru").plot(column)
    assert {row["series"] for row in both.spec["datasets"]["rows"]} == {"IOPS", "Насыщение записью"}
    assert both.title.endswith(" во времени")


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize(("name", "told"), [("", "column.test"), ("write saturation", "axis.phase")])
def test_each_point_of_a_plot_is_a_sample_and_the_legend_names_what_its_colours_are(
    name: str, told: str, lang: str, run: stend.Opened
) -> None:
    shown, words = stend.Opened(run.folder, run.record, lang), Language(lang)
    of = shown[name] if name else shown
    chart, samples = of.plot("mean_ms"), of.samples
    title = words.title if not name else lambda key, _: words.phase(key)
    named = [title(key, key) for key in samples["phase" if name else "test"]]
    rows = chart.spec["datasets"]["rows"]
    for series in set(named):
        whole = np.array(
            [y for y, one in zip(samples["mean_ms"], named, strict=True) if y is not None and one == series]
        )
        drawn = np.array([row["y"] for row in rows if row["series"] == series])
        assert np.abs(drawn[:, None] / whole - 1).min(axis=1).max() < 1e-5, "drawn figures are those of the samples"
    assert {row["series"] for row in rows} == set(named)
    assert chart.spec["encoding"]["color"]["title"] == words(told)
    assert chart.spec["encoding"]["color"]["scale"]["domain"] == list(dict.fromkeys(row["series"] for row in rows))
    assert chart.spec["encoding"]["y"]["title"] == words("axis.latency")


def test_a_plot_of_an_unmet_steady_state_says_so() -> None:
    noisy = Truth(capacity_bytes=8 * GiB, noise=0.5)
    run = stend.Opened(Path("drawn"), made("iops", truth=noisy, interval_s=20.0, shorten=60, rounds=5))
    assert "STEADY STATE NOT REACHED" in str(run.plot("iops").spec["title"]["subtitle"])
    assert run.plot("Iops Matrix").name == "iops_matrix"


def test_no_text_form_is_a_heap_of_numbers(run: stend.Opened) -> None:
    shown = (run, run["iops"], run.samples, run.to_arrow(), run.window("iops", LOAD), run.plot("iops"))
    assert max(len(repr(it)) for it in shown) < 1200
    assert "RND 4K 0/100 T4 Q32" in repr(run.window("iops", LOAD))


def test_a_run_is_started_and_returned(tmp_path: Path) -> None:
    run = stend.run("fresh", "sim:ideal", quick=True, into=tmp_path / "run", seed=7, label="tried")
    assert run.record.ended
    assert run.record.seed == 7
    assert run.folder == tmp_path / "run"
    assert len(run["fresh"].samples) > 0
    with pytest.raises(BadInput, match="no test"):
        stend.run(["frehs"], "sim:ideal", into=tmp_path / "other")
    with pytest.raises(StepFailed, match=f"its folder is {tmp_path / 'dead'}"):
        stend.run("fresh", "sim:ideal?dies_at_s=1", quick=True, into=tmp_path / "dead")


ASKED = """
import stend
run = stend.open({folder!r})
print(run, len(run.figures), len(run.findings), len(run._repr_html_()) > 100, stend.open_many({top!r}).list()[0].run)
print(len(run.charts()) > 0)
many = stend.open_many({top!r})
for ask in (lambda: run.report("pdf"), run.samples.__arrow_c_stream__, lambda: many.query("SELECT 1")):
    try: ask()
    except stend.api.opened.BadInput: raise
    except Exception as error: print(type(error).__name__, error)
"""


def test_without_extras_a_run_opens_and_says_what_is_missing(top: Path) -> None:
    words = without()
    words[2] = words[2].partition("from stend.cli")[0] + ASKED.format(folder=str(top / "one"), top=str(top))
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    first, drawn, *others = done.stdout.splitlines()
    assert first.startswith(f"<stend run {top / 'one'}: ")
    assert (first.endswith(" True one"), drawn) == (True, "True")
    assert len(others) == 3
    assert all(line.startswith("Missing ") and "`pip install 'stend[report]'`" in line for line in others)
    assert [line.split(" needs ")[0] for line in others[1:]] == [
        "Missing a table for Arrow",
        "Missing a query of the catalogue",  # before any run is read
    ]
    assert issubclass(Missing, StendError)


ASKS: tuple[Any, ...] = (
    *(stend.run, stend.open, stend.open_many, stend.Opened, stend.OpenedTest),
    *(stend.Runs, Table, Chart, Answered),
)
MAKES: tuple[Any, ...] = (session.Request, session.planned, session.start, session.resume)


def named() -> Iterator[tuple[str, Any]]:
    """Every public name of the API, with what it is."""
    for one in (*ASKS, *MAKES):
        yield one.__name__, one
        if one in ASKS and inspect.isclass(one):
            yield from ((f"{one.__name__}.{name}", it) for name, it in vars(one).items() if _told(name, it))


def _told(name: str, it: Any) -> bool:
    return not name.startswith("_") and (callable(it) or isinstance(it, property) or hasattr(it, "func"))


def test_every_public_name_says_its_units_its_errors_and_its_source() -> None:
    every = dict(named())
    assert {"open", "Opened.window", "Opened.findings", "Runs.query", "Table.columns"} <= set(every)
    for name, it in every.items():
        text = inspect.getdoc(it) or ""
        first, *_ = text.splitlines() or [""]
        assert first.endswith("."), name
        assert [word for word in ("Units:", "Errors:", "Source:") if f"\n{word} " not in text] == [], name


def test_every_error_that_a_docstring_names_exists() -> None:
    known = set(vars(errors))
    for name, it in named():
        said = (inspect.getdoc(it) or "").partition("\nErrors: ")[2].partition("\nSource:")[0]
        words = set(re.findall(r"\b[A-Z]\w+\b", said)) - {"DuckDB", "Altair", "SVG"}
        assert words <= known, name


def test_a_terminal_of_ipython_prints_a_result_and_a_chart_as_they_are_said(run: stend.Opened) -> None:
    for shown in (run.figures, run.charts()[0]):
        printed = list[str]()
        shown._repr_pretty_(SimpleNamespace(text=printed.append), cycle=False)
        assert printed == [repr(shown)]
