"""A fleet: orders are data, nothing else is unpacked, and who has no certificate or no such drive is refused."""

import os
import pickle
import socket
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec
import pytest

pytest.importorskip("distributed")
pytest.importorskip("cryptography")

from cryptography import x509

from stend import store
from stend.base.errors import BadInput, StepFailed
from stend.fleet import certificates, client, file, locks, sealed, tasks
from stend.fleet.file import Order, Study
from stend.fleet.tasks import Outcome
from stend.session import apart
from tests.forks import Run, child
from tests.storm_end import Torn, end
from tests.waits import PATIENCE_S, wait_for

STEND = [sys.executable, "-m", "stend", "fleet"]
QUICK = Study(["fresh"], quick=True, minute_s=0.2)


@pytest.fixture(autouse=True)
def own_host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STEND_RUNTIME", str(tmp_path / "locks"))
    monkeypatch.setattr(tasks, "HOME", tmp_path / "host")
    monkeypatch.setattr(tasks, "DRIVES", {"SIM-small-1": "sim:small?unit=1"})


def fleet_file(folder: Path, port: int = 1, own: dict[str, object] | None = None) -> Path:
    told: dict[str, object] = {
        "name": "batch",
        "scheduler": f"tls://127.0.0.1:{port}",
        "drives": ["SIM-small-1"],
        "into": str(folder / "home"),
    }
    told |= {"studies": [{"tests": ["fresh"], "quick": True, "minute_s": 0.2}]} | (own or {})
    (folder / "fleet.toml").write_bytes(msgspec.toml.encode(told))
    return folder / "fleet.toml"


def carried(**own: object) -> Outcome:
    order = msgspec.structs.replace(Order("batch", "001-a-01", "SIM-small-1", QUICK, ("001-a-01",)), **own)
    return msgspec.json.decode(tasks.carry(msgspec.json.encode(order)), type=Outcome)


def test_a_matrix_is_drives_times_studies_the_first_study_first(tmp_path: Path) -> None:
    studies = [{"tests": ["iops"]}, {"tests": ["latency"], "quick": True}]
    orders = list(file.load(fleet_file(tmp_path, own={"drives": ["A 1", "B"], "studies": studies})).orders())
    assert [one.cell for one in orders] == ["A-1-2c96-01", "B-01", "A-1-2c96-02", "B-02"]
    assert orders[0].cells == ("A-1-2c96-01", "A-1-2c96-02")
    asked = orders[3].request("/dev/sdb", tmp_path / "x")
    assert (asked.tests, asked.quick, asked.destroy, asked.into) == (["latency"], True, "B", str(tmp_path / "x"))


@pytest.mark.parametrize(
    ("own", "said"),
    [
        ({"drives": ["A", "A"]}, "names the drive A twice"),
        ({"scheduler": "tcp://127.0.0.1:1"}, "matching regex"),
        ({"name": "../up"}, "matching regex"),
        ({"name": "lot\n"}, "matching regex"),
        ({"studies": [{"tests": ["iops"], "target": "/dev/sda"}]}, "unknown field `target`"),
        ({"acceptance": {"lot": 100}}, "cannot fail; add limits"),
    ],
)
def test_what_is_no_fleet_file_is_refused(own: dict[str, object], said: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=said):
        file.load(fleet_file(tmp_path, own=own))


class Evil:
    """What a pickle may do that is not looked at."""

    def __reduce__(self) -> tuple[Callable[..., object], tuple[str]]:
        return exec, ("raise SystemExit(9)",)


def test_nothing_is_unpacked_that_could_be_a_program() -> None:
    for bad in (
        pickle.dumps(Evil()),
        pickle.dumps(subprocess.run),
        b"cbuiltins\neval\n(S'1'\ntR.",
        b"cos\nsystem\n(S'x'\ntR.",
    ):
        with pytest.raises(BadInput, match="which a fleet does not use"):
            sealed.loads(bad)
    assert sealed.loads(pickle.dumps(tasks.carry)) is tasks.carry
    assert sealed.loads(pickle.dumps({"a": (1, b"x")})) == {"a": (1, b"x")}


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_a_run_is_begun_once_however_often_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "begin", Run)
    assert carried() == Outcome("001-a-01", "complete")
    events = (tasks.HOME / "runs/batch/01/001-a-01/events.jsonl").read_bytes()
    assert carried() == Outcome("001-a-01", "complete")
    assert (tasks.HOME / "runs/batch/01/001-a-01/events.jsonl").read_bytes() == events
    assert tasks.states("batch") == {"001-a-01": "ended"}


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
@pytest.mark.parametrize("minutes", [None, 0.05])
def test_an_inspection_is_an_order_and_names_no_drive(minutes: float | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "begin", Run)
    study = Study(["inspect"], quick=True, survey_minutes=minutes)
    assert carried(study=study) == Outcome("001-a-01", "complete")
    assert carried(study=study) == Outcome("001-a-01", "complete"), "the order matches its run"
    run = store.load(tasks.HOME / "runs/batch/01/001-a-01")
    assert run.plan.reads_only
    assert sum(result.counts.write.ios for result in run.results) == 0


@pytest.mark.slow
def test_a_run_outlives_its_worker_and_is_taken_up_again_once() -> None:
    slow = Order("batch", "001-a-01", "SIM-small-1", Study(["latency"], quick=True, rounds=2), ("001-a-01",))
    code = "import sys\nfrom pathlib import Path\nfrom stend.fleet import tasks\n"
    code += "tasks.HOME, tasks.DRIVES = Path(sys.argv[1]), {'SIM-small-1': 'sim:small?unit=1'}\n"
    code += "tasks.carry(sys.argv[2].encode())"
    told = msgspec.json.encode(slow).decode()
    events = tasks.HOME / "runs/batch/01/001-a-01/events.jsonl"
    with subprocess.Popen([sys.executable, "-c", code, str(tasks.HOME), told]) as worker:
        wait_for(events.exists)
        worker.kill()
    with locks.drive("SIM-small-1") as fd:
        assert fd == -1, "the run has the drive, though its worker is gone"
    assert msgspec.json.decode(tasks.carry(told.encode()), type=Outcome).outcome in ("complete", "not steady")
    assert len(store.load(events.parent).started) == 1


@pytest.mark.parametrize(
    ("meter", "said"),
    [
        ("cmd:touch /tmp/owned", "the meter cmd is not allowed in a fleet, only hwmon, ipmi, own"),
        ("file:/etc/shadow", "the meter file is not allowed in a fleet"),
        ("redfish:https://10.0.0.1/", "the meter redfish is not allowed in a fleet"),
        ("quarch@machine:tcp::10.0.0.1", "the meter quarch is not allowed in a fleet"),
        ("volts", "there is no meter 'volts'"),
    ],
)
def test_no_order_selects_a_meter_that_runs_or_reads_what_it_names(meter: str, said: str, tmp_path: Path) -> None:
    refused = carried(study=msgspec.structs.replace(QUICK, meter=meter))
    assert refused.outcome == "refused"
    assert said in refused.said
    with pytest.raises(BadInput) as known:
        file.load(fleet_file(tmp_path, own={"studies": [{"tests": ["fresh"], "meter": meter}]}))
    assert said in str(known.value)
    assert not list(tmp_path.glob("host/runs/**/*"))


def test_the_meter_of_a_study_is_that_of_its_run() -> None:
    told = carried(study=msgspec.structs.replace(QUICK, meter="own"))
    assert told.outcome == "complete"
    (events,) = tasks.HOME.glob("runs/**/events.jsonl")
    assert '"spec":"own"' in events.read_text()


def test_a_drive_that_is_not_there_or_another_fleets_is_refused(tmp_path: Path) -> None:
    assert carried(serial="SN9") == Outcome("001-a-01", "refused", "this host has no drive SN9")
    others = locks.Claim("other", ("001-a-01",))
    assert locks.claim(tasks.HOME, "SIM-small-1", others, tasks._open) == ""
    said = carried()
    assert said.outcome == "refused"
    assert said.said == "the drive SIM-small-1 belongs to the fleet other until that ends"
    assert [path.read_bytes() for path in (tasks.HOME / "claims").glob("*.json")] == [msgspec.json.encode(others)]
    assert tasks.halt("other") == 0, "and is nobody's once that is stopped"
    assert locks.claim(tasks.HOME, "SIM-small-1", locks.Claim("batch"), tasks._open) == ""


def test_nobody_begins_on_a_drive_while_a_process_has_its_lock() -> None:
    with locks.drive("SN1") as fd:
        assert fd >= 0
        holder = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"], pass_fds=(fd,))
    with locks.drive("SN1") as again:
        assert again == -1, "the run has it, whoever began the run is gone"
    holder.kill()
    holder.wait()
    with locks.drive("SN1") as again:
        assert again >= 0


def test_no_name_leads_out_of_the_runs(tmp_path: Path) -> None:
    (tmp_path / "host/runs/batch/a/a").mkdir(parents=True)
    (tmp_path / "secret").write_text("x")
    for fleet, cell, name in (("batch", "a", "../../../../secret"), ("..", "a", "x"), ("batch", "../..", "secret")):
        with pytest.raises(BadInput, match="is no"):
            tasks.piece(fleet, cell, name, 0)
    for cell in ("a-..", "a-.", "a-", ""):  # the end of a name is a folder too
        with pytest.raises(BadInput, match="is no"):
            tasks.listing("batch", cell)


def test_a_certificate_is_made_once_and_its_key_is_for_its_owner(tmp_path: Path) -> None:
    (made,) = certificates.make(tmp_path / "c", ["one"])
    assert (made.with_suffix(".key").stat().st_mode & 0o777) == 0o600
    with pytest.raises(BadInput, match="has a certificate for one already"):
        certificates.make(tmp_path / "c", ["one"])
    with pytest.raises(BadInput, match=r"two\.pem is missing"):
        sealed.security(tmp_path / "c", "two")


@pytest.mark.parametrize(
    "name", ["../evil", "a/b", "a b", 'h"q', "лаб", "", ".", "-x", "x\n", "x" * 64, "one", "authority"]
)
def test_a_name_that_no_host_has_leaves_nothing_behind(tmp_path: Path, name: str) -> None:
    with pytest.raises(BadInput, match=r"name of a host|used twice"):
        certificates.make(tmp_path / "c", ["one", name])
    assert list(tmp_path.iterdir()) == []
    certificates.make(tmp_path / "c", ["one", "10.0.0.5", "host_1", "x" * 63])


def test_the_authority_signs_hosts_and_hosts_sign_nothing(tmp_path: Path) -> None:
    """RFC 5280, 4.2.1.9: basic constraints of an authority are critical; `pathlen` 0 forbids authorities below it."""
    (made,) = certificates.make(tmp_path / "c", ["one"])
    for path, signs, below in ((tmp_path / "c/authority.pem", True, 0), (made, False, None)):
        limits = x509.load_pem_x509_certificate(path.read_bytes()).extensions.get_extension_for_class(
            x509.BasicConstraints
        )
        assert (limits.critical, limits.value.ca, limits.value.path_length) == (True, signs, below)


@contextmanager
def served(folder: Path, *hosts: list[str]) -> Iterator[int]:
    """A scheduler, and a worker for each list of drives, with a runtime folder of its own as on hosts; the port."""
    names = [f"host-{number}" for number in range(len(hosts))]
    certificates.make(folder / "papers", ["sched", "desk", *names])
    papers = ["--certificates", str(folder / "papers"), "--name"]
    words = [*STEND, "scheduler", "tls://127.0.0.1:0", *papers, "sched"]
    with ExitStack() as end:
        scheduler = end.enter_context(subprocess.Popen(words, stdout=subprocess.PIPE, text=True))
        end.callback(scheduler.kill)
        assert scheduler.stdout
        address = scheduler.stdout.readline().strip()
        for name, drives in zip(names, hosts, strict=True):
            named = [word for one in drives for word in ("--target", one)]
            words = [*STEND, "worker", address, *papers, name, *named, "--into", str(folder / name)]
            env = os.environ | {"STEND_RUNTIME": str(folder / f"locks-{name}")}
            quiet = subprocess.DEVNULL
            end.callback(end.enter_context(subprocess.Popen(words, stdout=quiet, stderr=quiet, env=env)).kill)
        yield int(address.rpartition(":")[2])


def at_the_desk(
    verb: str, path: Path | str, papers: Path, patience_s: float = PATIENCE_S
) -> "subprocess.CompletedProcess[str]":
    """What comes of a verb, and what it says, which is not told apart from what it complains of."""
    words, said = ["fleet", verb, str(path), "--certificates", str(papers), "--name", "desk"], papers / "said.txt"
    try:
        code = end(child(words, said, before=lambda: setattr(client, "PATIENCE_S", patience_s)))
    except Torn as hung:
        raise Torn(f"{hung}: {said.read_text()}") from hung
    return subprocess.CompletedProcess(words, code, told := said.read_text(), told)


@pytest.mark.slow
@pytest.mark.usefixtures("warm")
def test_a_matrix_runs_and_comes_home_and_strangers_are_not_spoken_to(tmp_path: Path) -> None:
    papers = tmp_path / "papers"
    with served(tmp_path, ["sim:small?unit=1", "sim:small?unit=2"]) as port:
        lot = {"sample": 2, "accept": 0, "limits": ["iops[fresh] > 1"]}
        path = fleet_file(tmp_path, port, {"drives": {"model": "stend small", "count": 2}, "acceptance": lot})
        ran, asked, brought = (at_the_desk(verb, path, papers) for verb in ("run", "status", "collect"))
        assert (ran.returncode, asked.returncode, brought.returncode) == (0, 0, 0), ran.stderr + brought.stderr
        assert "2 of 2 runs are complete" in ran.stdout
        told = at_the_desk("drives", f"tls://127.0.0.1:{port}", papers)
        assert tomllib.loads(told.stdout)["drives"] == ["SIM-small-1", "SIM-small-2"]
        assert "accepted" in brought.stdout.lower()
        assert list((tmp_path / "home").glob("*.html"))
        assert "SIM-small-1 (stend small 134 MB)" in asked.stdout
        for cell in ("SIM-small-1-01", "SIM-small-2-01"):
            home, there = tmp_path / "home" / cell, tmp_path / "host-0/runs/batch/01" / cell
            assert (home / "events.jsonl").read_bytes() == (there / "events.jsonl").read_bytes()
            assert store.load(home).wrong == ()
        nobody = at_the_desk("run", fleet_file(tmp_path, port, {"name": "other", "drives": ["SN9"]}), papers, 20.0)
        assert nobody.returncode == 2
        assert "no host announces the drive SN9; announced: SIM-small-1, SIM-small-2" in nobody.stderr
        certificates.make(tmp_path / "strange", ["desk"])
        stranger = at_the_desk("status", path, tmp_path / "strange", 2.0)
        assert stranger.returncode == StepFailed.exit_code
        assert "cannot be reached" in stranger.stderr
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE_S) as plain:
            plain.sendall(b"hello, this is no TLS at all")
            with suppress(ConnectionError):
                assert b"compression" not in plain.recv(4096), "a word of Dask's greeting"
        words = [
            *STEND,
            "worker",
            f"tls://127.0.0.1:{port}",
            "--certificates",
            str(tmp_path / "strange"),
            "--name",
            "desk",
        ]
        drive = ["--target", "sim:small?unit=9", "--into", str(tmp_path / "other")]
        with subprocess.Popen([*words, *drive], stdout=subprocess.PIPE, text=True) as worker:
            assert worker.stdout
            said = [worker.stdout.readline() for _ in range(2)]
            worker.kill()
        assert "cannot be reached" in said[1]
        assert "SIM-small-9" not in at_the_desk("status", path, papers).stdout
