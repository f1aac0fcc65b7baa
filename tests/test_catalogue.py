"""The catalogue of a folder: what it holds, what changes it, who may be killed over it, what nobody can ask of it."""

import json
import os
import re
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import catalogue, store
from stend.base.units import GiB
from stend.catalogue import parts, taking
from stend.catalogue.columns import COLUMNS, About
from stend.cli import main
from stend.findings.look.figures import figures
from stend.live.shelf import Shelf
from tests.forks import true_for_nobody
from tests.sides import folder
from tests.synthetic import Truth
from tests.test_package import core

HOME = Path(".stend/catalogue")
RUNS = 5
pytestmark = pytest.mark.together


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five runs of a synthetic drive, one of them in a folder of its own, and a folder that holds none."""
    top = tmp_path_factory.mktemp("runs")
    for seed in range(1, RUNS + 1):
        path = top / "lot" / f"run{seed}" if seed == RUNS else top / f"run{seed}"
        label = "old" if seed < 3 else "new"
        folder(path, seed=seed, truth=Truth(capacity_bytes=8 * GiB), names=("fresh",), label=label)
    (top / "notes").mkdir()
    return top


@pytest.fixture
def top(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "runs", ignore=shutil.ignore_patterns(".stend")))


def listed(top: Path) -> list[str]:
    with catalogue.opened(top) as known:
        return [one.run for one in known.runs]


def counted(top: Path) -> dict[str, int]:
    with catalogue.opened(top) as known:
        return dict(known.query(" UNION ALL ".join(f"SELECT '{one}', count(*) FROM {one}" for one in COLUMNS)).rows)


ALL = ["run1", "run2", "run3", "run4", "lot/run5"]


def test_a_list_has_a_line_a_run_and_the_reason_of_each_that_cannot_be_read(
    top: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (top / "run2" / "events.jsonl").write_text("something else\n")
    assert main(["list", str(top)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == f"{top}/run2: {top}/run2/events.jsonl is not a stend event file"
    assert said[1].split() == ["run", "started", "model", "tests", "outcome"]
    assert [line.split()[0] for line in said[2:]] == [f"{top}/{name}" for name in ALL if name != "run2"]
    assert {line.split()[-1] for line in said[2:]} == {"complete"}


def test_runs_are_chosen_ordered_and_cut(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def names(*more: str) -> list[str]:
        assert main(["list", str(top), "--columns", "run,label", *more]) == 0
        return [line.split()[0].removeprefix(f"{top}/") for line in capsys.readouterr().out.splitlines()[1:]]

    assert names() == ALL
    assert names("--where", "label=OL*") == ["run1", "run2"]
    assert names("--where", "label!=old", "--sort", "-started") == ["lot/run5", "run4", "run3"]
    assert names("--where", "seed>=4", "--where", "folder=lot") == ["lot/run5"]
    assert names("--where", "tests=fre*", "--last", "2") == ["run4", "lot/run5"]
    assert main(["list", str(top), "--where", "label=x"]) == 0
    assert capsys.readouterr().out == f"no runs of that kind below {top}\n"


@pytest.mark.parametrize(
    "more",
    [
        ["--columns", "colour"],
        ["--sort", "colour"],
        ["--where", "label"],
        ["--where", "seed>x"],
        ["--where", "label>1"],
    ],
)
def test_what_runs_have_not_is_asked_in_vain(top: Path, more: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", str(top), *more]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_json_has_every_column_and_every_broken_folder(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (top / "run3" / "events.jsonl").write_text("")
    assert main(["list", str(top), "--json"]) == 0
    *runs, broken = json.loads(capsys.readouterr().out)
    assert [set(COLUMNS["runs"]) | {"path"}] * 4 == [set(one) for one in runs]
    assert (broken["run"], broken["path"], "is empty" in broken["error"]) == ("run3", f"{top}/run3", True)


def test_a_figure_in_the_catalogue_is_the_figure_of_the_run(made: Path) -> None:
    run = store.load(made / "run1")
    names = "state, direction, threads, depth, ios, iops, bytes_per_s, mean_s, max_s, p99"
    with catalogue.opened(made) as known:
        rows = known.query(f"SELECT {names} FROM figures WHERE run = 'run1' ORDER BY figure").rows
        bins = dict(known.query("SELECT figure, list_sum(count) FROM bins WHERE run = 'run1'").rows)
    asked = ("iops", "throughput", "mean", "max", "p99")
    assert [row[:5] for row in rows] == [
        (f.state, f.direction, f.workload.threads, f.workload.depth, f.tally.ios) for f in figures(run)
    ]
    assert [row[5:] for row in rows] == [tuple(f.value(name) for name in asked) for f in figures(run)]
    assert bins == {i: sum(f.tally.bins.values()) for i, f in enumerate(figures(run)) if f.tally.bins}


def test_every_record_and_finding_is_there(made: Path) -> None:
    run = store.load(made / "run2")
    with catalogue.opened(made) as known:
        ended = known.query("SELECT DISTINCT ended_s FROM rounds WHERE run = 'run2' ORDER BY 1").rows
        ways = known.query("SELECT step, ended_s, list(direction) FROM rounds WHERE run = 'run2' GROUP BY ALL").rows
        found = known.query("SELECT count(*) FROM findings WHERE run = 'run2'").rows
    assert [t for (t,) in ended] == sorted({r.t for r in run.results if r.counts.seconds})
    mixed = {(r.index, r.t): bool(r.counts.read.ios and r.counts.write.ios) for r in run.results}
    assert False in mixed.values()
    for step, ended_s, directions in ways:
        assert directions == (["both", "read", "write"] if mixed[step, ended_s] else ["both"])
    assert found[0][0] > 3


def test_only_what_changed_is_read_again(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert listed(top) == ALL
    read: list[str] = []
    load = store.load

    def heard(path: Path) -> Any:
        read.append(path.name)
        return load(path)

    monkeypatch.setattr(store, "load", heard)
    assert listed(top) == ALL
    assert read == []
    shutil.rmtree(top / "run1")
    (top / "run2").rename(top / "moved")
    with (top / "run4" / "manifest.toml").open("a") as file:
        file.write("# seen\n")
    lines = (top / "run3" / "events.jsonl").read_bytes().splitlines(keepends=True)
    (top / "run3" / "events.jsonl").write_bytes(b"".join(lines[:-1]))
    assert sorted(listed(top)) == ["lot/run5", "moved", "run3", "run4"]
    assert sorted(read) == ["moved", "run3", "run4"]
    with catalogue.opened(top) as known:
        ends = dict(known.query("SELECT run, outcome FROM runs").rows)
        counts = known.query("SELECT run, count(*) FROM figures GROUP BY run").rows
    assert ends == {"lot/run5": "complete", "moved": "complete", "run3": "unfinished", "run4": "complete"}
    assert len({count for _, count in counts}) == 1, "what was said before of a run counts no more"


def test_a_query_is_answered_for_the_chosen_runs_alone(top: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def asked(sql: str, *where: str) -> list[str]:
        assert main(["query", sql, str(top), "--csv", *where]) == 0
        return capsys.readouterr().out.split()[1:]

    whole = asked("SELECT run FROM runs ORDER BY started_s")
    assert whole == ALL
    assert asked("SELECT run FROM runs ORDER BY started_s", "--where", "label=new") == ["run3", "run4", "lot/run5"]
    assert asked("SELECT DISTINCT run FROM figures", "--where", "run=run4") == ["run4"]
    assert asked("SELECT run FROM runs", "--where", "label=none") == []
    assert main(["query", "FROM runs", str(top), "--where", "label"]) == 2


def test_a_list_that_is_polled_shows_all_runs_at_once_and_reads_a_few_at_a_time(top: Path) -> None:
    def polled() -> tuple[list[str], list[str]]:
        rows = Shelf(top).rows(columns=["model"], most=2)
        assert not [row for row in rows if "error" in row]
        return [row["run"] for row in rows if "model" in row], [row["run"] for row in rows if row.get("unread")]

    read, unread = polled()
    assert read == ["run4", "run3"]
    assert sorted(unread) == ["lot/run5", "run1", "run2"]
    assert polled() == (["run4", "run3", "run2", "run1"], ["lot/run5"])
    assert polled() == (ALL[::-1], [])
    shutil.rmtree(top / "run3")
    assert polled() == (["lot/run5", "run4", "run2", "run1"], [])


def test_many_parts_become_one_and_say_the_same(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = counted(top)
    shutil.rmtree(top / ".stend")
    monkeypatch.setattr(catalogue, "BATCH", 1)
    monkeypatch.setattr(parts, "MOST_PARTS", 3)
    assert counted(top) == whole
    assert len(list((top / HOME / "known").iterdir())) == 2
    assert {len(list((top / HOME / table).iterdir())) for table in COLUMNS} == {2}


def killed(act: Callable[[], object], at: int) -> bool:
    """Whether a process of its own that does this is killed at the `at`th file that it names, writes or takes away."""
    pid = os.fork()
    if not pid:
        left = [at]

        def counting(plain: Callable[..., Any]) -> Callable[..., Any]:
            def counted(*args: Any, **named: Any) -> Any:
                left[0] -= 1
                if not left[0]:
                    os.kill(os.getpid(), signal.SIGKILL)
                return plain(*args, **named)

            return counted

        for name in ("rename", "unlink", "write_bytes", "mkdir"):
            setattr(Path, name, counting(getattr(Path, name)))
        os.fsync = counting(os.fsync)
        act()
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(pid, 0)[1])


@pytest.mark.slow
def test_a_writer_may_be_killed_at_any_step(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    few = Path(shutil.copytree(made, tmp_path / "few", ignore=shutil.ignore_patterns(".stend", "run3", "lot")))
    whole = counted(few)
    shutil.rmtree(few / ".stend")
    monkeypatch.setattr(catalogue, "BATCH", 2)
    monkeypatch.setattr(parts, "MOST_PARTS", 1)
    for steps in range(100):
        top = Path(shutil.copytree(few, tmp_path / str(steps)))
        if not killed(lambda top=top: listed(top), 1 + 9 * steps):  # type: ignore[misc]
            break
        assert counted(top) == whole, steps
    assert 5 < steps < 99


def test_two_writers_at_once_lose_nothing_and_take_nothing_in_twice(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "BATCH", 1)
    children = [os.fork() or os._exit(0 if listed(top) == ALL else 1) for _ in range(3)]
    assert [os.waitpid(pid, 0)[1] for pid in children] == [0, 0, 0]
    known = parts.read(top / HOME)
    assert sorted(place for part in known for place in part.data.places) == sorted(ALL)


def test_a_part_that_is_torn_is_made_again(top: Path) -> None:
    whole = counted(top)
    (path,) = (top / HOME / "figures").iterdir()
    path.write_bytes(path.read_bytes()[:-7])
    assert counted(top) == whole
    max((top / HOME / "known").iterdir()).write_bytes(b"{")
    assert counted(top) == whole


@pytest.mark.needs("root")
def test_where_nothing_can_be_written_it_is_made_elsewhere(made: Path) -> None:
    assert counted(made)["runs"] == len(listed(made))

    def by_nobody(top: Path, wanted: list[str]) -> bool:
        return true_for_nobody(lambda: listed(top) == wanted and counted(top)["runs"] == len(wanted))

    with tempfile.TemporaryDirectory() as name:
        top = Path(shutil.copytree(made, f"{name}/runs", ignore=shutil.ignore_patterns(".stend")))
        Path(name).chmod(0o755)
        top.chmod(0o755)
        assert by_nobody(top, ALL), "there is none"
        assert not (top / ".stend").exists()
        listed(top)
        before = {path: path.stat().st_mtime_ns for path in (top / ".stend").rglob("*")}
        assert by_nobody(top, ALL), "it is up to date"
        (top / "run4").rename(top / "run0")
        assert by_nobody(top, [name.replace("run4", "run0") for name in ALL]), "it lacks a run"
        assert {path: path.stat().st_mtime_ns for path in (top / ".stend").rglob("*")} == before


@pytest.mark.needs("root")
def test_a_folder_that_this_user_may_not_open_is_listed_with_the_reason(top: Path, made: Path) -> None:
    assert listed(made) == ALL  # imports what nobody may not
    for path in (*top.parents, top):
        path.chmod(path.stat().st_mode | 0o055)
    (top / "run2").chmod(0)
    (top / "lost+found").mkdir(0)
    (top / "notes.txt").write_text("no run")

    def looked() -> bool:
        with catalogue.opened(top) as known:
            return [f"{b.run}: {b.why}" for b in known.broken] == ["run2: it cannot be read"] and len(known.runs) == 4

    assert true_for_nobody(looked)
    assert listed(top) == ALL, "root may read it"


@pytest.mark.parametrize(
    "words",
    [
        ["verify", "{top}"],
        ["verify", "{top}/run2"],
        ["compare", "{top}/run1", "{top}/run2"],
        ["compare", "{top}/run2", "{top}/run1"],
        ["list", "{top}/run2"],
        ["query", "FROM runs", "{top}/run2"],
    ],
    ids=" ".join,
)
def test_a_verb_says_of_a_folder_that_this_user_may_not_open_that_it_cannot_be_read(
    words: list[str], top: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = str(top / "run2")

    def shut(call: Callable[..., Any]) -> Callable[..., Any]:
        def tried(path: Any, *more: Any, **named: Any) -> Any:
            if not isinstance(path, int) and os.fspath(path).startswith(f"{closed}/"):
                raise PermissionError(13, "Permission denied", path)
            return call(path, *more, **named)

        return tried

    with monkeypatch.context() as patch:
        for name in ("stat", "open"):
            patch.setattr(os, name, shut(getattr(os, name)))
        access = os.access
        patch.setattr(os, "access", lambda path, mode, **more: str(path) != closed and access(path, mode, **more))
        code = main([word.format(top=top) for word in words])
    told = capsys.readouterr()
    assert code == 2
    assert re.search(f"{top}/run2(/events.jsonl)? cannot be read: Permission denied", told.out + told.err)


def test_a_run_is_known_at_its_end_where_there_is_a_catalogue(top: Path) -> None:
    taking.learn(top / "run1")
    assert not (top / ".stend").exists()
    listed(top)
    folder(top / "run6", seed=6, truth=Truth(capacity_bytes=8 * GiB), names=("fresh",))
    taking.learn(top / "run6")
    assert {place for part in parts.read(top / HOME) for place in part.data.places} == {*ALL, "run6"}


def test_without_duckdb_runs_are_listed_and_a_query_says_what_is_missing(top: Path) -> None:
    (top / "run2" / "events.jsonl").write_text("something else\n")
    plain = core("list", str(top), folder=top)
    assert (plain.returncode, plain.stderr) == (0, "")
    assert not list((top / HOME).glob("*/*.parquet"))
    again = core("list", str(top), folder=top)
    assert again.stdout == plain.stdout
    assert [line.split()[0] for line in plain.stdout.splitlines()[2:]] == [f"{top}/{n}" for n in ALL if n != "run2"]
    asked = core("query", "FROM runs", str(top), folder=top)
    assert asked.returncode == 4
    assert asked.stderr == "stend: `stend query` needs duckdb, which is not installed: `pip install 'stend[report]'`\n"
    assert counted(top)["runs"] == RUNS - 1, "whoever has it reads again what was taken in without"


def test_a_run_is_shown_by_a_part_of_its_name(
    top: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(top.parent)
    shown = []
    for word in ("runs/lot/run5", "run5", "last"):
        assert main(["show", word]) == 0
        shown.append(capsys.readouterr().out)
    assert len(set(shown)) == 1
    assert main(["show", "run"]) == 2
    assert (
        "'run' matches 5 runs below runs: run3, run4, lot/run5, ...; name one of them in full"
        in capsys.readouterr().err
    )
    assert main(["show", "nothing"]) == 2


def test_sides_are_chosen_from_the_catalogue_and_what_cannot_be_read_is_left_out(
    top: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (top / "run3" / "events.jsonl").write_text("something else\n")
    assert main(["compare", str(top), "--by", "label"]) == 0
    said = capsys.readouterr()
    assert said.out.splitlines()[0] == "old (2) | new (2)"
    assert said.err.splitlines() == [
        f"stend: {top}/run3 is left out: {top}/run3/events.jsonl is not a stend event file"
    ]
    assert main(["compare", str(top), "--by", "label", "--where", "seed!=4"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "old (2) | new (1)"
    assert main(["compare", str(top), "--by", "label", "--where", "seed>90"]) == 2
    assert main(["compare", f"{top}/run1", f"{top}/run2", "--where", "seed>90"]) == 2


def test_a_folder_that_cannot_be_read_is_kept_with_its_reason_beside_those_that_can() -> None:
    kinds: dict[Any, Any] = {str: "x", int: 1, float: 1.5, bool: True, tuple[str, ...]: ("fresh",)}
    about: dict[str, Any] = {name: kinds.get(kind) for name, kind in About.__annotations__.items()}
    first, last = (About(**(about | {"stamps": (), "deviations": (), "run": run})) for run in "ac")
    entries = [
        parts.Entry("a", (1, 2, 3), 7, "", first),
        parts.Entry("b", (4, 5, 6), 8, "it is torn", None),
        parts.Entry("c", (7, 8, 9), 9, "", last),
    ]
    data = msgspec.msgpack.decode(msgspec.msgpack.encode(parts.content(entries, {})), type=parts.Content)
    assert parts.entries_of(parts.Part(1, data)) == entries
