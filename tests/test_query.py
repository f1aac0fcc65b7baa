"""SQL over the catalogue: what is answered, in which form, and that nothing else can be reached by it."""

import csv
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from stend import catalogue, store
from stend.base.errors import BadInput
from stend.catalogue import database, parts
from stend.catalogue.columns import COLUMNS
from stend.cli import main
from stend.findings.look.figures import figures
from tests import test_catalogue
from tests.test_catalogue import HOME, RUNS, listed

pytestmark = pytest.mark.together
made = test_catalogue.made

HOSTILE = [
    "SELECT * FROM read_csv('{secret}')",
    "SELECT * FROM read_text('{secret}')",
    "SELECT * FROM read_blob('{secret}')",
    "SELECT * FROM '{secret}'",
    "SELECT * FROM read_json('{secret}')",
    "SELECT * FROM read_parquet('{secret}')",
    "SELECT * FROM sniff_csv('{secret}')",
    "SELECT * FROM read_parquet('{top}/.stend/catalogue/../catalogue/known/*')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM query('COPY runs TO ''{top}/out.csv''')",
    "SELECT * FROM query_table('{secret}')",
    "SELECT * FROM (PIVOT (FROM '{secret}') ON column0 IN ('a') USING count(*))",
    "PIVOT (FROM read_csv('{secret}')) ON column0",
    "SELECT getenv('HOME')",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM 'https://example.org/a.parquet'",
    "SELECT * FROM secret",
    "COPY runs TO '{top}/out.csv'",
    "COPY (SELECT 1) TO '{part}'",
    "EXPLAIN ANALYZE COPY runs TO '{part}'",
    "EXPORT DATABASE '{top}/out'",
    "IMPORT DATABASE '{top}/out'",
    "ATTACH '{top}/out.db'",
    "ATTACH '{secret}' AS s (TYPE sqlite)",
    "INSTALL httpfs",
    "LOAD httpfs",
    "LOAD '{secret}'",
    "SET enable_external_access=true",
    "RESET lock_configuration",
    "PRAGMA database_list",
    "PRAGMA enable_profiling",
    "CALL pragma_version()",
    "CREATE TABLE t AS SELECT 1",
    "INSERT INTO gone VALUES (1)",
    "DELETE FROM gone",
    "DROP VIEW runs",
    "CHECKPOINT",
    "SELECT 1; SELECT 2",
    "SELECT 1; COPY runs TO '{part}'",
    "USE memory",
    "PREPARE a AS SELECT 1",
    "VACUUM",
    "",
    ";",
    "SELEC 1",
    "SELECT nothing FROM runs",
    "SELECT 'x'::INTEGER",
    "SELECT\n  *\nFROM\n  nowhere",
    "\x00",
    "SELECT '\ud800'",
]


@pytest.mark.parametrize("sql", HOSTILE, ids=lambda sql: ascii(sql)[:60])
def test_a_query_reaches_nothing_but_the_tables(
    made: Path, tmp_path: Path, sql: str, capfd: pytest.CaptureFixture[str]
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("top,secret\n1,2\n")
    listed(made)
    part = next((made / HOME / "runs").iterdir())
    before = {path: path.read_bytes() for path in made.rglob("*") if path.is_file()}
    words = sql.replace("{secret}", str(secret)).replace("{top}", str(made)).replace("{part}", str(part))
    assert main(["query", words, str(made)]) == 2
    said = capfd.readouterr()
    assert len(said.err.splitlines()) == 1, said.err
    assert said.out == ""
    assert "defect" not in said.err
    assert {path: path.read_bytes() for path in made.rglob("*") if path.is_file()} == before
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


@pytest.mark.parametrize(
    ("sql", "rows"),
    [
        ("FROM runs", RUNS),
        ("WITH a AS (SELECT run FROM figures) SELECT DISTINCT run FROM a", RUNS),
        ("DESCRIBE figures", len(COLUMNS["figures"])),
        ("SUMMARIZE runs", len(COLUMNS["runs"])),
        ("PIVOT runs ON label IN ('old', 'new') USING count(*) GROUP BY model", 1),
        ("SELECT label, avg(iops) FROM figures JOIN runs USING (run) GROUP BY label", 2),
        ("SELECT unnest(bin), unnest(count) FROM bins WHERE run = 'run1' AND figure = 0 LIMIT 3", 3),
        ("SELECT to_timestamp(started_s) AS at, 1 AS at FROM runs -- as written\n;", RUNS),
        ("SHOW TABLES", len(COLUMNS) + 1),
    ],
)
def test_what_reads_is_answered(made: Path, sql: str, rows: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["query", sql, str(made), "--format", "json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == rows


def test_an_answer_is_a_table_csv_or_json(made: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sql = "SELECT run, label, NULL AS none, quick, tests FROM runs ORDER BY run DESC"
    said = {}
    for form in ("table", "csv", "json"):
        assert main(["query", sql, str(made), *([f"--{form}"] if form != "table" else []), "--limit", "1"]) == 0
        out = capsys.readouterr()
        assert out.err == "(the first 1 rows; --limit 0 prints all)\n"
        said[form] = out.out
    assert said["table"].splitlines()[0].split() == ["run", "label", "none", "quick", "tests"]
    assert said["table"].splitlines()[1].split() == ["run4", "new", "no", "fresh"]
    assert next(csv.reader(said["csv"].splitlines()[1:])) == ["run4", "new", "", "False", '["fresh"]']
    assert json.loads(said["json"]) == [
        {"run": "run4", "label": "new", "none": None, "quick": False, "tests": ["fresh"]}
    ]
    assert main(["query", sql, str(made), "--format", "xml"]) == 2


def test_a_text_is_no_formula_of_a_spreadsheet_and_a_number_stays_one(
    made: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sql = "SELECT '=1+2' AS a, '-x' AS b, '@y' AS c, -5 AS d, '-5.5e3' AS e, -1.5 AS f, 'a=b' AS g"
    assert main(["query", sql, str(made), "--csv"]) == 0
    assert capsys.readouterr().out == "a,b,c,d,e,f,g\n'=1+2,'-x,'@y,-5,-5.5e3,-1.5,a=b\n"
    assert main(["query", sql, str(made), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[0]["a"] == "=1+2"


def test_a_query_that_takes_too_long_is_ended(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("stend.catalogue.database.PATIENCE_S", 0.2)
    assert main(["query", "SELECT count(*) FROM range(10000000) a, range(10000000) b", str(made)]) == 5
    assert "was not done in" in capsys.readouterr().err


def test_what_another_tool_told_is_there_as_it_told_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    samples = Path(__file__).parent / "fixtures/imports"
    assert (
        main(["import", str(samples / "fio-2.21.json"), str(samples / "kdiskmark.txt"), "--into", str(tmp_path)]) == 0
    )
    capsys.readouterr()
    run = store.load(next(path for path in tmp_path.iterdir() if "fio" in path.name))
    with catalogue.opened(tmp_path) as known:
        kinds = known.query("SELECT kind, count(*), count(source_sha256) FROM runs GROUP BY kind").rows
        rows = known.query("SELECT iops, mean_s, p99 FROM figures WHERE run LIKE '%fio%' ORDER BY figure").rows
    assert kinds == [("imported", 2, 2)]
    assert rows == [tuple(row.value(name) for name in ("iops", "mean", "p99")) for row in figures(run)]


def test_what_something_damaged_is_said(made: Path, tmp_path: Path) -> None:
    top = Path(shutil.copytree(made, tmp_path / "runs"))
    listed(top)
    (part,) = parts.read(top / HOME)
    (path,) = (top / HOME / "known").iterdir()
    for column in (msgspec.Raw(b"\xc3"), msgspec.Raw(b"\x90")):
        hurt = part.data.about | {"model": column}
        path.write_bytes(msgspec.msgpack.encode(msgspec.structs.replace(part.data, about=hurt)))
        with pytest.raises(BadInput, match=r"is damaged; delete \.stend/catalogue"):
            listed(top)


def test_a_label_that_was_changed_is_seen_by_who_asks_for_it(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def said(*more: str) -> str:
        assert main(["list", str(top), *more]) == 0
        return capsys.readouterr().out

    top = Path(shutil.copytree(made, tmp_path / "runs"))
    before = said()
    manifest = top / "run1" / "manifest.toml"
    manifest.write_text(manifest.read_text().replace('"old"', '"renamed"'))
    assert said() == before
    assert "renamed" in said("--columns", "run,label")
    manifest.write_text(manifest.read_text().replace('"renamed"', '"again"'))
    assert said("--where", "label=again").splitlines()[1:]
    manifest.write_text(manifest.read_text().replace('"again"', '"at last"'))
    assert "at last" in said("--json")
    with (top / "run2" / "events.jsonl").open("ab") as file:
        file.write(b"nothing that a run writes\n")
    assert "run2: " in said().splitlines()[0], "what a run did is looked at by everybody"
    manifest.write_text(manifest.read_text().replace('"at last"', '"after all"'))
    assert "after all" in said("--sort", "label", "--columns", "label")


def test_duckdb_is_shut_before_it_reads_and_locked_before_the_query(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = list[str]()

    @contextmanager
    def begun() -> Iterator[Any]:
        yield SimpleNamespace(execute=steps.append)

    monkeypatch.setattr(database, "begun", begun)
    monkeypatch.setattr(database, "_forget", lambda known, gone: steps.append("forget"))
    monkeypatch.setattr(database, "_answer", lambda known, duckdb, sql, most: steps.append(sql))
    database.query("SELECT 1", {"runs": [Path("/a"), Path("/b's")]}, ())
    views, ends = steps[len(database.SHUT) : -4], steps[-4:]
    assert tuple(steps[: len(database.SHUT)]) == database.SHUT
    assert views[0] == "forget"
    assert [view.split()[2] for view in views[1:]] == list(COLUMNS)
    assert ends == ["SET allowed_paths=['/a', '/b''s']", *database.LOCKED, "SELECT 1"]


def test_a_run_that_is_left_out_is_named(made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A count over runs without a word about one that could not be read would be wrong."""
    top = Path(shutil.copytree(made, tmp_path / "runs", ignore=shutil.ignore_patterns(".stend")))
    path = top / "run1" / "events.jsonl"
    path.write_bytes(path.read_bytes().replace(b'"version":3', b'"version":9', 1))
    assert main(["query", "SELECT count(*) FROM runs", str(top), "--json"]) == 0
    said = capsys.readouterr()
    assert list(json.loads(said.out)[0].values()) == [RUNS - 1]
    assert "run1 is left out" in said.err
    assert "use a newer stend" in said.err
