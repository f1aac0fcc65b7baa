"""What captures, units of systemd, sweeps and summaries print and pass on, with everything below them replaced."""

import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend.base.errors import BadInput, StepFailed
from stend.cli import _summary, _sweep, _unit, capture
from stend.model.events import Note
from stend.words import text
from tests.synthetic import made

BOOT = ("PATH", "STEND_X", "LC_ALL", "XDG_A", "PYTHONPATH", "NUMBA_B", "TMP")


def test_a_capture_is_wished_for_followed_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from stend.capture import running, spool

    wishes, stops = list[Any](), list[Any]()
    result = SimpleNamespace(
        ios=60, drive=SimpleNamespace(words="sda Disk", begins="b", ends="e"), seconds=20.0, cpu_s=0.5,
        off=0.25, lost=3,
        counted=SimpleNamespace(reads=40, writes=30, discards=10), lost_records=6, notes=("a note",), why=None,
    )  # fmt: skip

    def wish_of(*values: Any) -> Any:
        return running.Wish(**dict(zip(names, values, strict=True)))

    def captured(wish: Any, stop: Any, report: Any) -> Any:
        wishes.append(wish)
        stops.append((stop.running, stop()))
        report(SimpleNamespace(seconds=0))
        report(result)
        return result

    rewritten = list[Any]()
    names = ("target", "seconds", "into", "addresses", "step_ns", "limit_bytes", "ring", "shift")
    monkeypatch.setattr(running, "capture", captured)
    monkeypatch.setattr(capture, "rewrite", lambda line, *, ends=False: rewritten.append((line, ends)))
    monkeypatch.setattr(signal, "signal", lambda *given: None)
    into = tmp_path / "x.steps"
    assert capture.command("/dev/sda", "90s", into, step="2s", limit="1MiB", full="ring", shift="random") == 0
    assert wishes == [wish_of("/dev/sda", 90, into, False, 2_000_000_000, 1 << 20, True, "random")]
    assert stops == [(True, False)]
    assert rewritten == [("20 s, 60 IOs, 3 IOPS, lost 3", False), ("", True)]
    out, err = capsys.readouterr()
    assert err.startswith("/dev/sda: capturing statistics of streams, no addresses, for 1 min 30 s")
    assert out.splitlines() == [
        f"{into}: 60 IOs of sda Disk in 20 s, by b and e",
        "  the block layer counted 80 reads, writes and discards: 25.000% off; 2.50% of a processor",
        "  LOST: 3 IOs (6 records did not fit in the kernel's buffers)",
        f"  {into} was not made: there was no room for a single part", "  a note",
    ]  # fmt: skip
    into.write_bytes(b"")
    result.lost, result.why = 0, "a full disk"
    assert capture.command(also=["sdb"], addresses=True, output=into) == 5
    assert wishes[-1] == wish_of("sdb", 3600, into, True, 10**9, 1 << 62, False, "")
    assert "LOST" not in (told := capsys.readouterr()).out
    assert "was not made" not in told.out
    assert "every IO with its address" in told.err
    result.counted = SimpleNamespace(reads=0, writes=0, discards=0)
    result.off = 0.0
    assert capture.command("/dev/sdc", addresses=True) == 5
    second = capsys.readouterr().out.splitlines()[1]
    assert "keeps no counters of this drive" in second
    assert "off" not in second
    assert wishes[-1].into.name.startswith("sdc-2")
    assert wishes[-1].into.suffix == ".parquet"
    monkeypatch.setattr(spool, "finish", lambda path: 4)
    assert capture.command(finish=into) == 0
    assert f"{into}: 4 parts joined" in capsys.readouterr().out
    for words, more in (("name the drive", {}), ("use stop or ring", {"target": "x", "full": "none"})):
        with pytest.raises(BadInput, match=words):
            capture.command(**more)  # type: ignore[arg-type]


def test_a_unit_of_systemd_has_the_command_its_log_and_no_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran, answers = list[list[str]](), {"MainPID": "77\n", "ActiveState": "active\n", "ExecMainStatus": "3\n"}
    failed = {"code": 0}

    def run(words: list[str], **how: Any) -> Any:
        ran.append(words)
        name = next((word.partition("=")[2] for word in words if word.startswith("--property=")), "")
        code = failed["code"] if words[0] == "systemd-run" else 0
        return SimpleNamespace(returncode=code, stdout=answers.get(name, ""), stderr="no bus\n" if code == 1 else "")

    monkeypatch.setattr(subprocess, "run", run)
    monkeypatch.setattr(_unit, "_has_systemd", lambda: True)
    monkeypatch.setattr("stend.cli._unit.os.environ", dict.fromkeys((*BOOT, "SECRET", "MY_PATH"), "v"))
    monkeypatch.chdir(tmp_path)
    unit = _unit.begin(["run", "cost $5"], tmp_path / "a run", tmp_path / "log")
    assert isinstance(unit, _unit.Unit)
    assert str(unit).startswith("unit stend-a-run-")
    assert ran[0] == ["systemctl", "reset-failed", unit.name]
    begin = ran[1]
    assert begin[:4] == ["systemd-run", "--quiet", "--service-type=exec", f"--unit={unit.name}"]
    assert begin[begin.index("--") + 1 :] == [sys.executable, "-m", "stend", "run", "cost $$5"]
    named = [word.removeprefix("--setenv=") for word in begin if word.startswith("--setenv=")]
    assert named == [f"{name}=v" for name in BOOT]
    assert [word for word in begin if "append:" in word] == [
        f"--property=Standard{name}=append:{tmp_path / 'log'}" for name in ("Output", "Error")
    ]
    assert f"--working-directory={tmp_path}" in begin
    assert set(_unit.ENDS) <= set(begin)
    assert (unit.pid, unit.over()) == (77, None)
    answers["ActiveState"] = "failed\n"
    assert unit.over() == 3
    assert _unit._name(tmp_path / "a run") == unit.name != _unit._name(tmp_path / "b/a run")
    assert len(_unit._name(tmp_path / ("x" * 200))) == len("stend--12345678.service") + 80
    for failed["code"], reason in ((1, "no bus"), (2, "systemd-run ended with exit code 2")):
        with pytest.raises(StepFailed, match=f"systemd cannot start {unit.name}: {reason}"):
            _unit.begin(["run"], tmp_path / "a run", tmp_path / "log")


@pytest.mark.parametrize(
    ("root", "booted", "there"), [(True, True, True), (False, True, True), (True, False, True), (True, True, False)]
)
def test_a_unit_needs_root_a_running_systemd_and_its_program(
    root: bool, booted: bool, there: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stend.cli._unit.os.geteuid", lambda: 0 if root else 1000)
    monkeypatch.setattr(_unit, "BOOTED", tmp_path if booted else tmp_path / "none")
    monkeypatch.setattr(
        "stend.cli._unit.shutil.which", lambda name: "/bin/x" if there and name == "systemd-run" else None
    )
    assert _unit._has_systemd() is (root and booted and there)
    begun = SimpleNamespace(pid=5, poll=lambda: 4, returncode=None)
    monkeypatch.setattr("stend.cli._unit.apart.begin", lambda words, log: begun)
    if not _unit._has_systemd():
        process = _unit.begin(["run"], tmp_path, tmp_path / "log")
        assert (str(process), process.pid, process.over()) == ("process 5", 5, 4)
        process.leave()
        assert begun.returncode == 0


def test_progress_of_a_sweep_is_one_moving_line_or_a_few_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    now = [100.0]
    monkeypatch.setattr(_sweep, "time", SimpleNamespace(monotonic=lambda: now[0]))
    show = _sweep._progress()
    for done in range(4, 41):
        show(done, 40)
        now[0] += 30
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == _sweep.STEPS - 1
    assert lines[0] == "4 of 40 drives"
    assert lines[1] == "6 of 40 drives, 17 min remaining"
    assert lines[-1] == "40 of 40 drives"
    moving = list[Any]()
    monkeypatch.setattr(sys, "stderr", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(_sweep, "rewrite", lambda line, *, ends: moving.append((line, ends)))
    show = _sweep._progress()
    show(0, 2)
    now[0] += 60
    show(1, 2)
    show(2, 2)
    assert moving == [("0 of 2 drives", False), ("1 of 2 drives, 1 min remaining", False), ("2 of 2 drives", True)]


def test_the_schema_of_a_summary_has_every_field_of_one() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    run = made("wake", interval_s=60.0)
    run.add(Note(t=0, text=text("a note")))
    shown, schema = _summary.figures(run), _summary.schema()
    jsonschema.validate(shown, schema)
    result = next(row for row in shown["results"] if "read" in row)
    for place, field in (((), "stamps"), (("drive",), "serial"), (("results", 0), "gap_s")):
        broken: Any = _summary.figures(run)
        inner = broken
        for step in place:
            inner = inner[step]
        del inner[field]
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, schema)
    assert set(result["read"]) == {"ios", *(f"{name}_s" for name in _summary.WAITS)}
