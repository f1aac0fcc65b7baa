"""Evidence of a failure: what nvme-cli, smartctl and the kernel tell is kept, and nothing of it fails a run."""

import json
import re
import struct
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from stend import store
from stend.base.programs import missing
from stend.base.sysfs import Kernel
from stend.cli import main
from stend.devices import evidence as evidence_of
from stend.devices.telling import evidence
from stend.devices.telling.evidence import Piece
from stend.model.definition import Idle
from stend.model.events import Event, Note, Position, Result, Telemetry
from stend.model.verified import Fault, Range, Verified
from stend.session import evidence as session
from stend.words import Language, text
from tests.played import Place, nvme_drive
from tests.stand import Stand, let_go, loop_of, name_of, ours, sh
from tests.still import StillDevice

TELEMETRY = b"\x07" + bytes(7) + struct.pack("<HHH", 1, 3, 0) + bytes(498)
"""A log whose first area ends in block 1 and whose second in block 3 (NVMe base specification 2.0, 5.16.1.8)."""


def log_reader(place: Place, *, three: bool, fails: str = "") -> None:
    """nvme-cli as a program: a file per log page, cut to the length that is asked for."""
    bin_ = place.bench.bin
    (bin_ / "log-7").write_bytes(TELEMETRY + bytes(2048 - 512))
    (bin_ / "log-8").write_bytes(TELEMETRY.replace(b"\x07", b"\x08", 1) + bytes(2048 - 512))
    (bin_ / "log-1").write_bytes(b"\x01" * 4096)
    (bin_ / "log-6").write_bytes(b"\x06" * 564)
    (bin_ / "log-13").write_bytes(b"\x0d" + bytes(7) + struct.pack("<Q", 1000) + bytes(4096))
    smart = '"log smart") echo \'{"media_errors": 3}\';;' if three else '"smart-log") echo \'{"media_errors": 3}\';;'
    version = "3.0" if three else "2.16"
    place.bench.program(
        "nvme",
        f"""[ "$1" = version ] && echo "nvme version {version} (git)" && exit 0
command="$1"; [ "$1" = log ] && command="log $2"
for word in "$@"; do
    case "$word" in --log-id=*) id="${{word#*=}}";; --log-len=*) len="${{word#*=}}";; esac
done
case "$command" in
{smart}
get-log)
    case "$id" in {fails or "none"}) echo "NVMe status: Invalid Log Page(0x109)" >&2; exit 1;; esac
    head -c "$len" "{bin_}/log-$id";;
*) exit 1;;
esac""",
    )


@pytest.fixture
def place(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Place]:
    with ExitStack() as end:
        yield Place(Stand(tmp_path, end), monkeypatch, "nvme0n1")


@pytest.mark.block
@pytest.mark.parametrize("three", [False, True])
def test_nvme_logs_are_kept_whole(place: Place, *, three: bool) -> None:
    device = nvme_drive(place)
    log_reader(place, three=three)
    pieces = {piece.name: piece for piece in device.evidence(0.0)}
    sizes = {name: len(piece.data) for name, piece in pieces.items() if piece.name.endswith(".bin")}
    assert sizes == {
        "telemetry-host.bin": 512 + 3 * 512,
        "telemetry-controller.bin": 512 + 3 * 512,
        "error-log.bin": 4096,
        "persistent-events.bin": 1000,
        "self-test.bin": 564,
    }
    assert json.loads(pieces["smart.json"].data) == {"media_errors": 3}
    calls = [call for call in place.bench.called if "get-log" in call]
    assert any("--log-id=7" in call and "--lsp=1" in call for call in calls)  # a new snapshot, once
    assert sum("--log-id=7" in call and "--lsp=1" in call for call in calls) == 1
    assert all("--rae" in call for call in calls if "--log-id=8" in call)  # the log stays for its maker
    assert ("--lsp=2" in calls[-2]) == ("--log-id=13" in calls[-2])


@pytest.mark.block
def test_a_log_that_a_drive_lacks_is_named_with_its_reason(place: Place) -> None:
    device = nvme_drive(place)
    log_reader(place, three=False, fails="7|13")
    pieces = {piece.name: piece for piece in device.evidence(0.0)}
    for name in ("telemetry-host.bin", "persistent-events.bin"):
        assert not pieces[name].data
        assert "Invalid Log Page" in pieces[name].why
    assert pieces["error-log.bin"].data


def test_an_area_that_is_too_long_is_left_out_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    header = b"\x07" + bytes(7) + struct.pack("<HHH", 2, 9, 60000) + bytes(498)
    monkeypatch.setattr(
        evidence, "_get", lambda node, page, size, *more: evidence.Piece(data=(header + bytes(size))[:size])
    )
    piece = evidence._telemetry("/dev/nvme0", "telemetry-host.bin", 7, "--lsp=1")
    assert len(piece.data) == 512 + 9 * 512


def test_a_program_that_hangs_is_given_up() -> None:
    answer = evidence.ask(sys.executable, "-c", "import time; time.sleep(60)", limit_s=0.3)
    assert not answer.data
    assert "no answer" in answer.why


def test_a_missing_program_is_named_with_its_package() -> None:
    assert "is not installed" in evidence.ask("stend-no-such-program").why


RECORDS = [
    b"6,100,1000000,-;sd 2:0:0:0: [sdb] old",
    b"3,101,20000000,-;blk_update_request: I/O error, dev sdb, sector 2048 op 0x0:(READ)\n SUBSYSTEM=block",
    b"3,102,21000000,-;blk_update_request: I/O error, dev sdbc, sector 1 op 0x0:(READ)",
    b"3,103,22000000,-;Buffer I/O error on dev sdb1, logical block 0",
    b"4,104,23000000,-;ata3.00: exception Emask 0x0",
    b"4,105,24000000,-;ata31.00: exception Emask 0x0",
    b"4,106,25000000,-;sd 12:0:0:0: attached",
    b"broken",
]


def test_only_lines_of_the_time_that_name_the_drive_are_kept() -> None:
    piece = evidence.kernel_lines({"sdb", "ata3", "2:0:0:0"}, 15.0, lambda: iter(RECORDS))
    assert [line.split("]", 1)[0] for line in piece.data.decode().splitlines()] == [
        "[20.000000",
        "[22.000000",
        "[23.000000",
    ]


def test_the_names_of_a_drive_are_those_of_the_kernel_s_log(tmp_path: Path) -> None:
    for place, node in (
        ("pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sdb", "sdb"),
        ("pci0000:00/0000:00:1d.0/0000:3d:00.0/nvme/nvme4/nvme4n1", "nvme4n1"),
    ):
        (tmp_path / "sys/devices" / place).mkdir(parents=True)
        (tmp_path / "sys/class/block").mkdir(parents=True, exist_ok=True)
        (tmp_path / "sys/class/block" / node).symlink_to(tmp_path / "sys/devices" / place)
    kernel = Kernel(tmp_path)
    assert evidence.names_of(kernel, "sdb") == {"sdb", "ata3", "2:0:0:0"}
    assert evidence.names_of(kernel, "nvme4n1") == {"nvme4n1", "nvme4", "0000:3d:00.0"}


# The wrapper of a run


class Witness(StillDevice):
    def __init__(self, *pieces: Piece, breaks: bool = False) -> None:
        super().__init__()
        self.pieces, self.breaks = pieces, breaks

    def evidence(self, since_s: float) -> Iterator[Piece]:
        yield from self.pieces
        if self.breaks:
            raise OSError(5, "Input/output error")


def notes(folder: Path, device: StillDevice, *events: Event) -> list[Note]:
    def all_events() -> Iterator[Event]:
        yield from events

    return [e for e in session.kept(all_events(), device, folder) if isinstance(e, Note) and e.kind == "evidence"]  # type: ignore[arg-type]


FAILURE = Note(t=3.0, text=text("the drive has gone"), kind="failure")


def test_a_failure_keeps_files_and_says_what_is_missing(tmp_path: Path) -> None:
    device = Witness(Piece("a.bin", b"x" * 4096), Piece("b.bin", b"", text("Invalid Log Page")))
    (note,) = notes(tmp_path, device, FAILURE)
    assert note.text == "kept in evidence/0: a.bin (4 KiB); not available: b.bin (Invalid Log Page)"
    assert (tmp_path / "evidence/0/a.bin").read_bytes() == b"x" * 4096
    assert not (tmp_path / "evidence/0/b.bin").exists()


def test_evidence_never_fails_a_run(tmp_path: Path) -> None:
    (tmp_path / "evidence").write_text("in the way")
    (note,) = notes(tmp_path, Witness(Piece("a.bin", b"x"), breaks=True), FAILURE)
    assert note.text.startswith("no evidence was kept; not available: ")
    (note,) = notes(tmp_path / "other", Witness(Piece("a.bin", b"x"), breaks=True), FAILURE)
    assert "a.bin (1 B" in note.text
    assert "other logs" in note.text


def test_a_drive_without_logs_adds_no_note(tmp_path: Path) -> None:
    assert notes(tmp_path, StillDevice(), FAILURE) == []
    assert not (tmp_path / "evidence").exists()


def test_a_counter_that_moves_is_a_reason_and_heat_is_none(tmp_path: Path) -> None:
    looks = [
        Telemetry(t=float(t), values={"media_errors": errors, "critical_warning": 0, "temperature_c": 40 + t})
        for t, errors in enumerate((0, 0, 2, 2, 3))
    ]
    device = Witness(Piece("a.bin", b"x"))
    assert [note.t for note in notes(tmp_path, device, *looks)] == [2.0, 4.0]


def test_the_evidence_of_a_run_is_limited(tmp_path: Path) -> None:
    device = Witness(Piece("a.bin", b"x"))
    assert len(notes(tmp_path, device, *[FAILURE] * 20)) == 8


def test_of_one_event_64_mib_are_kept_at_most(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = Piece("large.bin", bytes((64 << 20) + 1))
    (note,) = notes(tmp_path, Witness(large, Piece("a.bin", b"x")), FAILURE)
    assert note.text == "kept in evidence/0: a.bin (1 B); not available: large.bin (more than 64 MiB in total)"
    monkeypatch.setattr(session, "MOST_BYTES", 100)
    pieces = [Piece("a", bytes(60)), Piece("b", bytes(40)), Piece("c", bytes(1))]
    (note,) = notes(tmp_path / "more", Witness(*pieces), FAILURE)
    assert [file.name for file in sorted((tmp_path / "more/evidence/0").iterdir())] == ["a", "b"]
    assert "c (more than 100 B in total)" in note.text


def test_logs_that_are_left_after_three_minutes_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 0.0, 180.0, 180.5])
    monkeypatch.setattr("time.monotonic", lambda: next(clock))
    (note,) = notes(tmp_path, Witness(*(Piece(name, b"x") for name in "abc")), FAILURE)
    monkeypatch.undo()
    assert note.text.startswith("kept in evidence/0: a (1 B), b (1 B); not available: ")
    assert "3 min" in note.text


@pytest.mark.parametrize(
    ("event", "needs"),
    [
        (FAILURE, True),
        (Note(t=1.0, text=text("x"), kind="stall"), False),
        (Telemetry(t=1.0, values={"crc_errors": 1}), False),
        (Telemetry(t=1.0, values={"media_errors": 1}), True),
        (Telemetry(t=1.0, values={"media_errors": 0, "critical_warning": 4}), True),
        (Telemetry(t=1.0, values={"media_errors": 0, "critical_warning": 2}), False),
    ],
)
def test_evidence_is_collected_for_a_failure_and_for_errors_of_the_drive(event: Event, needs: bool) -> None:
    assert session._needs(event, {"media_errors": 0, "critical_warning": 0}, set()) is needs


def test_lost_content_is_evidence_once_a_test_and_a_block_that_was_read_at_last_is_none() -> None:
    """A drive that returns other data than was written is as much a failure as one that reports an error."""

    def result(test: str, fault: Fault) -> Event:
        bad = Range(fault=fault, first_bytes=0, end_bytes=512, blocks=1)
        where = Position(test=test, phase="read", round=1)
        return Result(where=where, index=0, step=Idle(seconds=1), t=1.0, verified=Verified(blocks=8, bad=(bad,)))

    lost = set[str]()
    events = [result("media", "reread"), *(result(test, "wrapped") for test in ("media", "media", "iops", "iops"))]
    assert [session._needs(event, {}, lost) for event in events] == [False, True, False, True, False]


@pytest.fixture
def full_loop(tmp_path: Path) -> Iterator[str]:
    """A loop device whose file system has a quarter of the room that the device promises."""
    small = tmp_path / "small"
    small.mkdir()
    sh("mount", "-t", "tmpfs", "-o", "size=16m", "none", small)
    try:
        with (small / "full.bin").open("wb") as file:
            file.truncate(64 << 20)
        node = loop_of(ours(small / "full.bin"))
        yield node
        let_go(node)
    finally:
        sh("umount", small)


@pytest.mark.fio
@pytest.mark.block
def test_a_failed_run_keeps_the_kernel_s_lines(tmp_path: Path, full_loop: str) -> None:
    folder = tmp_path / "run"
    asked = ["write-saturation", "--quick", "--target", full_loop, "--destroy-data", name_of(full_loop)]
    assert main(["run", *asked, "--into", str(folder)]) == 5
    run = store.load(folder)
    (note,) = [note for note in run.notes if note.kind == "evidence"]
    numbered = note.text.split("kept in evidence/")[1].split(":")[0]
    log = (folder / "evidence" / numbered / "kernel.log").read_text()
    assert log
    assert all(Path(full_loop).name in line for line in log.splitlines())
    failure = (folder / "events.jsonl").read_text().splitlines()[int(numbered)]
    assert '"kind":"failure"' in failure
    assert main(["verify", str(folder)]) == 0
    assert note.text.split(";")[0] in (folder / "report.html").read_text().replace("\u00a0", " ")


def test_a_virtual_drive_has_no_evidence() -> None:
    assert list(evidence_of(StillDevice(), 0.0)) == []


@pytest.mark.parametrize(
    "held",
    [
        "kept in evidence/7: error-log.bin (4 KiB), smart.json (2 KiB); not available: ",
        "no evidence was kept; not available: ",
    ],
)
@pytest.mark.parametrize(
    "reason",
    [
        missing("smartctl"),
        "a header that is too short",
        "only its header: each of its areas exceeds 16 MiB",
        "no answer within 30 s",
        "exit code 1, no data",
        "smartctl cannot be run: Operation not permitted",
        "/dev/kmsg: Operation not permitted",
        "no line names the drive",
        "more than 64 MiB in total",
    ],
)
def test_a_russian_report_has_no_english_reasons(held: str, reason: str) -> None:
    """Names of files, programs and commands stay as they are."""
    lists = (
        f"telemetry-host.bin ({reason}), smart.json ({reason}), kernel.log ({reason}), further logs (more than 180 s)"
    )
    said = Language("ru").translated(held + lists)
    names = r"[a-z-]+\.(bin|json|log)|evidence/7|smartctl|/dev/kmsg|`[^`]*`"
    assert not re.search("[A-Za-z]", re.sub(names, "", said)), said
