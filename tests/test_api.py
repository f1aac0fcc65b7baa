"""The Python API: runs asked from a program or a notebook tell what reports tell, in one sentence what is wrong."""

import html
import inspect
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nanoarrow
import pytest

import stend
from stend import charts, findings, session, store
from stend.api.arrow import Arrow
from stend.api.runs import Answered
from stend.api.shown import Chart
from stend.base import errors
from stend.base.errors import BadInput, Missing, StendError
from stend.base.units import GiB
from stend.findings.look.figures import figures
from stend.report.parts.records import COLUMNS, rows
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
    assert set(stend.__all__) <= set(dir(stend))
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = stend.nothing  # type: ignore[attr-defined]


def test_a_folder_opens_as_the_run_that_the_store_loads(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened = stend.open(top / "one")
    assert [*opened.results] == store.load(top / "one").results
    assert len(opened.samples) == len(store.load(top / "one").samples)
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


ASKED = """
import stend
run = stend.open({folder!r})
print(run, len(run.figures), len(run.findings), len(run._repr_html_()) > 100, stend.open_many({top!r}).list()[0].run)
print(len(run.charts()) > 0)
for ask in (run.report, run.to_arrow, lambda: stend.open_many({top!r}).query("SELECT 1")):
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
    assert issubclass(Missing, StendError)


ASKS: tuple[Any, ...] = (stend.open, stend.open_many, stend.Opened, stend.Runs, Arrow, Chart, Answered)
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
    assert {"open", "Opened.window", "Opened.findings", "Runs.query", "Arrow.columns"} <= set(every)
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
