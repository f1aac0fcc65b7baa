"""Sweeps: what a design draws, drives that are kept as they are done, and the words that choose among them."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import closing, nullcontext
from multiprocessing import current_process, forkserver
from pathlib import Path

import duckdb
import pytest
from jsonschema import Draft202012Validator, ValidationError

from stend import cli
from stend.base.errors import BadInput
from stend.base.process import ticks
from stend.many.sweep import drives, folder, going, pool
from stend.many.sweep.design import Design, Range, parsed
from stend.many.sweep.results import Results, collected
from stend.many.sweep.wish import bound, wish
from stend.report.parts import schemas_many
from stend.session.series import FINISHED
from tests.waits import wait_for

pytestmark = pytest.mark.together

DESIGN = """
target = "sim:small"
tests = ["write-saturation"]
quick = true
drives = 12
[parameters]
"flash.spare_pct" = {from = 7.0, to = 40.0}
flash.dies = {from = 4, to = 32, log = true}
"plan.active_range_pct" = [50, 100]
"""


def written(tmp_path: Path, text: str = DESIGN) -> Path:
    path = tmp_path / "design.toml"
    path.write_text(text)
    return path


def design(text: str = DESIGN) -> Design:
    return parsed(text.encode(), Path("design.toml"))


@pytest.mark.parametrize(("step", "fits"), [(0.5, True), (2, True), (2.5, False), (0, False), (-1, False)])
def test_a_step_is_no_longer_than_its_range(step: float, fits: bool) -> None:
    text = DESIGN.replace("{from = 7.0, to = 40.0}", f"{{from = 10, to = 12, step = {step}}}")
    with nullcontext() if fits else pytest.raises(BadInput, match="cannot have steps of"):
        design(text)


def test_a_hypercube_has_a_drive_in_each_part_of_every_parameter_and_is_drawn_alike_each_time() -> None:
    own = design(DESIGN.replace("= 12", "= 40"))
    spares = sorted(float(point.values["flash.spare_pct"]) for point in own.points())
    assert [int((spare - 7) / 33 * 40) for spare in spares] == list(range(40))
    assert own.points() == design(DESIGN.replace("= 12", "= 40")).points()
    assert len({point.seed for point in own.points()}) == 40
    assert {point.values["plan.active_range_pct"] for point in own.points()} == {50, 100}


def test_a_design_without_a_title_has_the_name_of_its_file() -> None:
    assert design().title == "design"
    assert design('title = "Dies and spare space"' + DESIGN).title == "Dies and spare space"


def test_values_that_could_have_been_lie_evenly_between_both_ends() -> None:
    values = [float(value) for value in design().population("flash.spare_pct")]
    assert 7 < min(values) < 7.1
    assert 39.9 < max(values) < 40
    assert sum(values) / len(values) == pytest.approx(23.5, abs=1e-3)


def test_a_grid_has_every_combination_once() -> None:
    own = design(DESIGN.replace("drives = 12", "").replace("to = 40.0", "to = 40.0, levels = 3"))
    told = [tuple(point.values.values()) for point in own.points()]
    assert len(told) == len(set(told)) == 3 * 5 * 2
    assert {row[0] for row in told} == {7.0, 23.5, 40.0}


def test_whole_numbers_stay_whole_reach_both_ends_and_keep_to_steps() -> None:
    assert {Range(4, 7).at(k / 100) for k in range(101)} == {4, 5, 6, 7}
    logs = [Range(4, 32, log=True).at(k / 1000) for k in range(1001)]
    assert (logs[0], logs[-1], set(map(type, logs))) == (4, 32, {int})
    assert logs.count(4) > logs.count(31)
    assert Range(4096, 16384, step=4096).at(0.6) == 12288


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("sim:small", "/dev/sda"), "is not a virtual drive"),
        (("from = 7.0, to = 40.0", "from = 40.0, to = 7.0"), "not ascending"),
        (("[50, 100]", "[50]"), "two or more different values"),
        (("[50, 100]", "[50, 500]"), "active_range_pct"),
        (("flash.dies", "flash.dice"), "dice"),
        (("plan.active_range_pct", "plan.fullness"), "fullness"),
        (("write-saturation", "write-saturnation"), "write-saturnation"),
        (("from = 4, to = 32, log = true", "from = 0, to = 32, log = true"), "by ratio"),
        (("from = 4, to = 32, log = true", "from = 4, two = 32"), "two"),
        (("quick = true", "quik = true"), "quik"),
    ],
)
def test_a_bad_design_is_refused_in_a_sentence_before_anything_is_made(
    tmp_path: Path, change: tuple[str, str], said: str
) -> None:
    with pytest.raises(BadInput, match=said) as refused:
        going.go(written(tmp_path, DESIGN.replace(*change)), tmp_path / "out", 1)
    assert "\n" not in str(refused.value)
    assert not (tmp_path / "out").exists()


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of twelve drives by two workers."""
    top = tmp_path_factory.mktemp("sweep")
    going.go(written(top), top / "out", 2)
    return top / "out"


def results(into: Path) -> Results:
    return collected(folder.opened(into), folder.lines(into))


@pytest.mark.slow
def test_what_workers_find_is_what_a_run_of_the_same_drive_finds(swept: Path) -> None:
    own = folder.opened(swept)
    told = sorted(folder.lines(swept), key=lambda line: line["drive"])
    assert [line["drive"] for line in told] == list(range(1, 13))
    again = drives.run(own, own.points()[4])
    assert json.loads(json.dumps(again)) == told[4]
    assert again["figures"][0]["iops"] != told[5]["figures"][0]["iops"]


@pytest.mark.slow
def test_the_table_has_a_row_a_drive_and_figure_with_parameters_as_columns(swept: Path) -> None:
    rows = duckdb.execute(
        f'SELECT drive, "flash.dies", "plan.active_range_pct", state, iops FROM \'{swept / folder.TABLE}\' ORDER BY ALL'
    ).fetchall()
    kept = [(line, figure) for line in folder.lines(swept) for figure in line["figures"]]
    wanted = [
        (line["drive"], line["values"]["flash.dies"], line["values"]["plan.active_range_pct"], f["state"], f["iops"])
        for line, f in kept
    ]
    assert rows == sorted(wanted)
    assert len(rows) == 36


@pytest.mark.slow
def test_a_torn_line_is_run_again_and_nothing_else(swept: Path, tmp_path: Path) -> None:
    path, out = written(tmp_path), tmp_path / "out"
    out.mkdir()
    (out / folder.DESIGN).write_bytes((swept / folder.DESIGN).read_bytes())
    whole = (swept / folder.LINES).read_bytes()
    torn = whole[: whole.rindex(b'"figures"')]
    (out / folder.LINES).write_bytes(torn)
    heard: list[int] = []
    going.go(path, out, 1, lambda done, of: heard.append(done))
    assert heard == [11, 12]
    assert sorted((out / folder.LINES).read_bytes().splitlines()) == sorted(whole.splitlines())


@pytest.mark.slow
def test_another_design_does_not_mix_with_the_drives_that_are_there(swept: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    with pytest.raises(BadInput, match="another design"):
        going.go(written(tmp_path, DESIGN.replace("= 12", "= 13")), swept, 1)
    with pytest.raises(BadInput, match="is not a sweep"):
        going.go(written(tmp_path), other, 1)
    going.go(written(tmp_path, f'best = "iops[histogram]"\n{DESIGN}'), swept, 1)
    assert folder.opened(swept).written.best == "iops[histogram]"


@pytest.mark.slow
def test_killed_at_any_moment_it_goes_on_and_no_worker_outlives_it(tmp_path: Path) -> None:
    path, out = written(tmp_path, DESIGN.replace("= 12", "= 30")), tmp_path / "out"
    words = [sys.executable, "-m", "stend", "sweep", str(path), "--into", str(out), "--workers", "2"]
    process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not (out / folder.LINES).exists() or (out / folder.LINES).read_bytes().count(b"\n") < 5:
        assert process.poll() is None
        time.sleep(0.01)
    begun = _below(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert len(begun) >= 4, "who keeps track, whose forks they are, and two of them"
    wait_for(lambda: not any(ticks(int(pid)) for pid in begun))
    before = [line["drive"] for line in folder.lines(out)]
    assert 5 <= len(before) < 30
    going.go(path, out, 1)
    after = [line["drive"] for line in folder.lines(out)]
    assert after[: len(before)] == before
    assert sorted(after) == list(range(1, 31))


def _below(pid: int | str) -> list[str]:
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has ended meanwhile
        return []
    return [*children, *(deeper for child in children for deeper in _below(child))]


def test_workers_begin_each_for_itself_where_the_one_they_were_forks_of_can_have_no_socket(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(forkserver, "ensure_running", forkserver.ForkServer().ensure_running)
    monkeypatch.setitem(current_process()._config, "tempdir", f"/tmp/{'long' * 30}")  # type: ignore[attr-defined]
    assert pool.context().get_start_method() == "spawn"


@pytest.mark.slow
def test_a_drive_that_cannot_be_built_is_told_with_its_reason_and_the_others_go_on(tmp_path: Path) -> None:
    text = DESIGN.replace("drives = 12", "").replace('"plan.active_range_pct" = [50, 100]', '"dies_at_s" = [0, 1]')
    text = text.replace("to = 40.0", "to = 40.0, levels = 2").replace("log = true", "levels = 2")
    path, out = written(tmp_path, text), tmp_path / "out"
    going.go(path, out, 2)
    told = list(folder.lines(out))
    dead = [line for line in told if line["values"]["dies_at_s"] == 1]
    assert len(told) == 8
    assert len(dead) == 4
    assert all(line["outcome"] == "failed" and line["reason"] for line in dead)
    assert all(line["outcome"] in FINISHED for line in told if line not in dead)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--require", "iops > 1"], "--require needs --best"),
        (["--best", "iosp[histogram]"], "neither a quantity nor a parameter"),
        (["--best", "most of all"], "is not a figure or parameter"),
        (["--best", "iops", "--require", "p99.9[histogram] < much"], "much"),
        (["--best", "iops", "--require", "latnecy < 1 ms"], "neither a quantity nor a parameter"),
        (["--figure", "least iops"], "is not a figure"),
        (["--figure", "flash.spare_pct"], "neither a quantity nor a parameter"),
    ],
)
@pytest.mark.parametrize("dry", [[], ["--dry-run"]])
def test_a_wish_that_cannot_be_met_is_refused_before_any_drive_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str, dry: list[str]
) -> None:
    path = written(tmp_path, DESIGN)
    assert cli.main(["sweep", str(path), "--into", str(tmp_path / "swept"), *words, *dry]) == 2
    assert says in capsys.readouterr().err
    assert not (tmp_path / "swept").exists()


@pytest.mark.slow
@pytest.mark.parametrize("kept", [0, 1])
def test_a_best_figure_that_is_one_of_several_is_refused_after_the_first_drive(tmp_path: Path, kept: int) -> None:
    """Only a drive that has run shows which figures there are. A folder that has one needs no more."""
    out, own = tmp_path / "swept", design()
    if kept:
        folder.begin(own, written(tmp_path), out)
        with closing(folder.Appending(out)) as lines:
            lines.add(drives.run(own, own.points()[0]))
    with pytest.raises(BadInput, match="but --best needs one"):
        going.go(written(tmp_path, f'best = "iops"\n{DESIGN}'), out, 1)
    assert len(list(folder.lines(out))) == 1


def test_the_best_are_those_for_which_all_holds_in_their_order(swept: Path) -> None:
    own = results(swept)
    limit = sorted(row["flash.spare_pct"] for row in own.values)[7]
    asked = wish(own, "iops[histogram]", [f"flash.spare_pct < {limit}", "p99.9[histogram] < 1 s"])
    assert asked is not None
    told = [
        (next(f["iops"] for f in line["figures"] if f["phase"] == "histogram"), i)
        for i, line in enumerate(own.drives)
        if line["values"]["flash.spare_pct"] < limit
    ]
    assert asked.allowed(own) == [i for _, i in sorted(told, reverse=True)]
    assert len(told) == 7
    none = wish(own, "iops[histogram]", ["p99.9[histogram] < 1 us"])
    assert none is not None
    assert none.allowed(own) == []
    least = wish(own, "flash.dies", [])
    assert least is not None
    assert own.values[least.allowed(own)[0]]["flash.dies"] == min(row["flash.dies"] for row in own.values)


@pytest.mark.slow
def test_numbers_have_units_of_their_quantity(swept: Path) -> None:
    own = results(swept)
    assert bound(own, "p99.9[histogram]<5ms").value == pytest.approx(0.005)
    assert bound(own, "iops[saturated] >= 100k").value == 100_000
    wrong = {
        "iops[saturated] > 5 ms": "not a unit",
        "iops": "is not a limit",
        "iops[nonsense] > 1": "matches no figure",
        "speed[saturated] > 1": "neither a quantity",
    }
    for text, why in wrong.items():
        with pytest.raises(BadInput, match=why):
            bound(own, text)
    with pytest.raises(BadInput, match="needs one"):
        wish(own, "iops", [])
    with pytest.raises(BadInput, match="--best"):
        wish(own, "", ["iops > 1"])


@pytest.mark.slow
@pytest.mark.parametrize("lang", ["en", "ru"])
def test_the_verb_tells_what_drives_what_and_writes_every_format(
    swept: Path, tmp_path: Path, lang: str, capfd: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path)
    forms = [word for form in ("html", "pdf", "markdown", "json") for word in ("--format", form)]
    best = ["--best", "least flash.spare_pct", "--require", "iops[histogram] > 1k"]
    assert cli.main(["sweep", str(path), "--into", str(swept), "--lang", lang, *best, *forms]) == 0
    assert "flash.dies" in capfd.readouterr().out
    names = (
        ("sweep.html", "sweep.pdf", "sweep.md") if lang == "en" else ("sweep.ru.html", "sweep.ru.pdf", "sweep.ru.md")
    )
    assert all((swept / name).stat().st_size > 1000 for name in (*names, "sweep.json"))
    told = json.loads((swept / "sweep.json").read_text())
    check = Draft202012Validator(schemas_many.sweep())
    check.validate(told)
    for spoiled in (told | {"drives": "many"}, told | {"figures": [told["figures"][0] | {"first": {"flash.dies": 1}}]}):
        with pytest.raises(ValidationError):
            check.validate(spoiled)
    assert told["drives"] == 12
    assert told["best"]["drives"][0]["target"].startswith("sim:small?flash.spare_pct=")
