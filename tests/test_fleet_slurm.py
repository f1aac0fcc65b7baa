"""A fleet as jobs of Slurm: the words they are submitted with, and a node that loses its controller amid them."""

import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend import store
from stend.base.errors import BadInput, Missing, StepFailed
from stend.fleet import file, local, locks, slurm, tasks
from stend.fleet.file import Fleet, Order
from stend.model.events import Started
from tests.forks import child
from tests.slurm_node import Slurm
from tests.slurm_node import slurm as slurm_of
from tests.storm_end import end
from tests.waits import wait_for

STEND = [sys.executable, "-m", "stend", "fleet"]
QUICK = {"tests": ["fresh"], "quick": True, "minute_s": 0.2}


def fleet(tmp_path: Path, **own: Any) -> Fleet:
    told: dict[str, Any] = {"name": "lab", "drives": ["S 1", "S2"], "into": str(tmp_path / "home")}
    told |= {"studies": [QUICK, {"tests": ["latency"]}], "slurm": {"home": str(tmp_path / "shared")}}
    told = {name: value for name, value in (told | own).items() if value is not None}
    (tmp_path / "fleet.toml").write_bytes(msgspec.toml.encode(told))
    return file.load(tmp_path / "fleet.toml")


class Queue:
    """Slurm's programs as far as words go: what they were asked, and what they answer."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, **answers: str) -> None:
        self.asked: list[tuple[list[str], str]] = []
        self.answers = {"squeue": "", "sinfo": "drive:S-1:1(S:0),drive:S2:1\n", "scancel": ""} | answers
        monkeypatch.setattr(slurm, "_run", self.answer)

    def answer(self, words: list[str], give: str | None = None) -> str:
        self.asked.append((words, give or ""))
        return self.answers.get(words[0]) or (f"{len(self.scripts)}\n" if words[0] == "sbatch" else "")

    @property
    def scripts(self) -> list[str]:
        return [give for words, give in self.asked if words[0] == "sbatch"]


def test_every_run_is_a_job_with_its_drive_as_a_resource_after_the_one_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, queue, told = fleet(tmp_path, retries=1), Queue(monkeypatch), list[str]()
    assert slurm.run(own, told.append) == 4
    assert told == ["S-1-d015-01: job 1", "S2-01: job 2", "S-1-d015-02: job 3", "S2-02: job 4"]
    lines = queue.scripts[2].splitlines()
    assert lines[0] == "#!/bin/sh"
    assert "#SBATCH --job-name=stend:lab:S-1-d015-02" in lines
    assert "#SBATCH --gres=drive:S-1:1" in lines
    assert "#SBATCH --dependency=afterany:1,singleton" in lines
    assert "#SBATCH --dependency=singleton" in queue.scripts[0].splitlines()
    assert lines[-3] == f"exec stend fleet carry {tmp_path}/shared <<'ORDER'"
    order = msgspec.json.decode(lines[-2] if lines[-1] == "ORDER" else "", type=Order)
    assert (order.serial, order.cell, order.study.tests, order.retries) == ("S 1", "S-1-d015-02", ["latency"], 1)
    assert sorted(order.beside) == ["S 1", "S2"], "drives that its host may have too, to take turns with"
    assert order.trial_s == 0, "a job loads no drive that is not its own"


def test_what_is_in_the_queue_or_complete_is_not_submitted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = fleet(tmp_path)
    waiting = "17|RUNNING|stend:lab:S-1-d015-01|vm\n18|PENDING|stend:lab-2:S2-02|(Priority)\n19|RUNNING|other|vm\n"
    queue = Queue(monkeypatch, squeue=waiting)
    monkeypatch.setattr(tasks, "states", lambda name: {"S2-01": "ended", "S2-02": "cut off"})
    assert slurm.run(own, lambda line: None) == 2
    assert "afterany:17," in queue.scripts[0], "what is running is waited for"
    assert "stend:lab:S2-02" in queue.scripts[1], "a run that was cut off is gone on with"
    told = slurm.states(own)
    assert told["S-1-d015-01"] == "running, job 17 vm"
    assert (told["S2-01"], told["S-1-d015-02"]) == ("ended", "not begun")
    queue.answers["squeue"] += "20|PENDING|stend:lab:S2-02|x\n21|PENDING|stend:lab:S-1-d015-02|x\n"
    assert slurm.run(own, lambda line: None) == 0, "asked again, nothing is left to submit"


def test_a_job_that_ended_without_a_run_says_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = fleet(tmp_path)
    Queue(monkeypatch)
    log = tmp_path / "shared/jobs/lab/S-1-d015-01.log"
    log.parent.mkdir(parents=True)
    log.write_text("x\nS-1-d015-01: refused: this host has no drive S 1\n")
    assert slurm.states(own)["S-1-d015-01"].endswith(
        "; last line of its log: S-1-d015-01: refused: this host has no drive S 1"
    )


def test_waiting_jobs_are_cancelled_and_running_ones_asked_to_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = "17|RUNNING|stend:lab:S-1-d015-01|vm\n18|PENDING|stend:lab:S2-02|(Priority)\n19|RUNNING|other|vm\n"
    queue = Queue(monkeypatch, squeue=waiting)
    assert slurm.stop(fleet(tmp_path)) == 2
    assert [words for words, _ in queue.asked[1:]] == [
        ["scancel", "18"], ["scancel", "--batch", "--signal=INT", "17"],
    ]  # fmt: skip


def test_drives_of_a_fleet_that_was_stopped_are_free_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, shared = fleet(tmp_path), tmp_path / "shared"
    Queue(monkeypatch)
    assert locks.claim(shared, "S 1", locks.Claim("lab", ("001-S-1-01",)), lambda name, cell: True) == ""
    assert locks.claimed(shared, "S 1", "other", lambda name, cell: True) == "lab"
    assert slurm.stop(own) == 0
    assert locks.claimed(shared, "S 1", "other", lambda name, cell: True) == ""


LEFT = "002-S2-02: stopped; it is not collected, and the verdict does not count it"


def test_every_ended_run_is_among_those_that_are_home_whether_it_was_brought_now_or_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, told = fleet(tmp_path), list[str]()
    states = {
        "001-S-1-01": "ended",
        "002-S2-01": "ended",
        "001-S-1-02": "running",
        "002-S2-02": "stopped",
        "003-S3-01": "failed",
    }
    monkeypatch.setattr(slurm, "_states", lambda slurm, fleet: states)
    monkeypatch.setattr("stend.fleet.slurm.home.brought", lambda ask, name, cell, folder: cell == "002-S2-01")
    assert slurm.collect(own, told.append) == [
        tmp_path / f"home/{cell}" for cell in ("001-S-1-01", "002-S2-01", "003-S3-01")
    ]
    assert told == [LEFT, f"002-S2-01: {tmp_path}/home/002-S2-01"]


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"drives": ["S9"]}, "no node of Slurm has the drive S9 as drive:S9; known drives: S-1, S2"),
        ({"together": True}, "`together` does not work with Slurm"),
        ({"drives": {"model": "A*"}, "destroy": ["S2"]}, "Slurm needs serial numbers"),
        ({"slurm": None, "scheduler": "tls://desk:1"}, r"has no \[slurm\]"),
    ],
)
def test_what_slurm_cannot_do_submits_nothing(
    own: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    queue = Queue(monkeypatch)
    asked = fleet(tmp_path, **own)
    with pytest.raises(BadInput, match=said):
        slurm.run(asked, lambda line: None)
    assert queue.scripts == []


@pytest.mark.parametrize(
    "own",
    [{"home": "not/absolute"}, {"home": "/a b"}, {"home": "/a", "options": ["--x\nrm"]}, {"home": "/a", "gres": "a:b"}],
)
def test_no_line_of_the_file_is_another_line_of_the_script(own: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="matching regex"):
        fleet(tmp_path, slurm=own)


def test_the_log_of_a_job_is_below_the_home_of_the_fleet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    queue = Queue(monkeypatch)
    slurm.run(fleet(tmp_path, slurm={"home": "/home/lab"}), lambda line: None)
    assert queue.scripts
    assert all(re.search(r"^#SBATCH --output=/home/lab/jobs/[^/]+/[^/]+\.log$", text, re.M) for text in queue.scripts)


def test_a_word_of_slurm_that_is_not_known_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="unknown field `partitions`"):
        fleet(tmp_path, slurm={"home": "/a", "partitions": "x"})


def test_a_host_without_slurm_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(Missing, match="sinfo is not installed"):
        slurm.run(fleet(tmp_path), lambda line: None)
    (tmp_path / "sinfo").write_text("#!/bin/sh\necho no controller >&2\nexit 1\n")
    (tmp_path / "sinfo").chmod(0o755)
    with pytest.raises(StepFailed, match="sinfo: no controller; existing jobs continue"):
        slurm.run(fleet(tmp_path), lambda line: None)


def at_the_desk(own: Slurm, verb: str, path: Path) -> "subprocess.CompletedProcess[str]":
    """What comes of a verb, and what it says, which is not told apart from what it complains of."""
    words, said = ["fleet", verb, "--slurm", str(path)], own.top / "said.txt"
    code = end(child(words, said, before=lambda: os.environ.update(own.env)))
    return subprocess.CompletedProcess(words, code, told := said.read_text(), told)


def runs(top: Path) -> list[Path]:
    return sorted(path.parent for path in top.glob("shared/runs/lab/*/*/events.jsonl"))


def of_two_nodes(tmp_path: Path) -> list[str]:
    """Two drives of each of two hosts, as lines for Slurm; `tmp_path`/job is stend there, where each has its own."""
    drives = {host: [f"sim:small?unit={2 * n + k}&pace=0.2" for k in (1, 2)] for n, host in enumerate(("one", "two"))}
    named = {host: [word for own in of for word in ("--target", own)] for host, of in drives.items()}
    cases = "".join(f'{host}) set -- "$@" {shlex.join(words)} ;;\n' for host, words in named.items())
    script = f'#!/bin/sh\ncase "$(hostname)" in\n{cases}esac\nexec {sys.executable} -m stend "$@"\n'
    (tmp_path / "job").write_text(script)
    (tmp_path / "job").chmod(0o755)
    told = [subprocess.run([*STEND, "drives", "--slurm", host, *words], capture_output=True, text=True, check=True)
            for host, words in named.items()]  # fmt: skip
    return [line for one in told for line in one.stdout.splitlines()]


@pytest.mark.slow
@pytest.mark.needs("root", "unshare", "munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "sinfo")
def test_jobs_of_two_nodes_survive_the_kill_of_the_controller_and_of_a_node_daemon_and_none_runs_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STEND_RUNTIME", str(tmp_path / "locks"))
    monkeypatch.chdir(tmp_path)
    own = {"home": str(tmp_path / "shared"), "stend": str(tmp_path / "job")}
    fleet(tmp_path, drives=[f"SIM-small-{unit}" for unit in (1, 2, 3, 4)], studies=[QUICK, QUICK], slurm=own)
    path = tmp_path / "fleet.toml"
    with slurm_of(of_two_nodes(tmp_path)) as lab:
        asked = at_the_desk(lab, "run", path)
        assert asked.returncode == 0, asked.stderr
        assert "8 jobs were submitted" in asked.stdout
        wait_for(lambda: runs(tmp_path))
        lab.saved("SIM-small-4-02")
        for daemon in (lab.controller, lab.nodes["one"]):
            daemon.kill()
            daemon.wait()
        lost = at_the_desk(lab, "status", path)
        assert lost.returncode == StepFailed.exit_code
        assert "existing jobs continue" in lost.stderr
        lab.controller, lab.nodes["one"] = lab.controlled(), lab.node("one")
        lab.up(("idle", "mix", "alloc"))
        again = at_the_desk(lab, "run", path)
        assert again.returncode == 0, again.stderr
        assert "0 jobs were submitted" in again.stdout, "its queue came back"
        wait_for(lambda: at_the_desk(lab, "status", path).stdout.count(": ended") == 8)
        wait_for(lambda: not lab.said("squeue", "--noheader"))
        brought = at_the_desk(lab, "collect", path)
        assert "8 of 8 runs are here" in brought.stdout, brought.stderr
    for folder in runs(tmp_path):
        assert sum(isinstance(event, Started) for event in store.read(folder)) == 1
        assert store.load(tmp_path / "home" / folder.name).wrong == ()
        log = tmp_path / f"shared/jobs/lab/{folder.name}.log"
        assert log.read_text().strip() == f"{folder.name}: complete", "what a job says is where its script says"
    assert not list(tmp_path.glob("slurm-*.out"))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_a_job_is_a_request_to_its_run_or_the_end_of_a_job_without_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """A shell reports 128 + N for a process that signal N ended (POSIX, 2.8.2)."""
    order = Order("lab", "S1-01", "S1", file.Study(["fresh"]), retries=2)
    handlers, asked, outcomes = dict[int, Any](), list[tuple[str, str]](), ["failed", "complete", "none is left"]

    def carried(data: bytes) -> bytes:
        handlers[number](number, None)
        return msgspec.json.encode({"cell": order.cell, "outcome": outcomes.pop(0)})

    def to_end(fleet: str, cell: str) -> bool:
        asked.append((fleet, cell))
        return len(outcomes) > 1

    monkeypatch.setattr(signal, "signal", handlers.__setitem__)
    monkeypatch.setattr(local, "drives", lambda targets, busy: {})
    monkeypatch.setattr(tasks, "carry", carried)
    monkeypatch.setattr(tasks, "ask_to_end", to_end)
    monkeypatch.setattr(tasks, "HOME", tasks.HOME)
    monkeypatch.setattr(tasks, "DRIVES", {})
    assert slurm.carry(tmp_path, [], msgspec.json.encode(order)).outcome == "complete"
    assert asked == [("lab", "S1-01")] * 2
    with pytest.raises(SystemExit) as ended:
        slurm.carry(tmp_path, [], msgspec.json.encode(order))
    assert ended.value.code == 128 + number
