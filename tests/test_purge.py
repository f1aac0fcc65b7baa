"""Purges done by programs that play a drive: what they are told, how they fail, what the operator hears."""

import ast
import json
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from stend import devices
from stend.base.errors import Missing, Refused, StepFailed
from stend.base.programs import missing
from stend.base.units import MiB
from stend.devices import file
from stend.devices.purging import follow
from stend.devices.purging import purge as purger
from stend.devices.purging.table import Drive
from stend.devices.telling import tools
from stend.gate import Gate
from stend.words import Language
from stend.words import text as told
from tests.stand import ours

SPACE = 2 * MiB
SANITIZE = frozenset({"sanitize block"})


@pytest.fixture
def target(tmp_path: Path) -> Iterator[file.FileDevice]:
    """A file that plays the drive, full of data, through the gate."""
    path = tmp_path / "drive.bin"
    path.write_bytes(b"secret!!" * (SPACE // 8))
    device = file.find(str(ours(path)))
    device.door.open(writes=True, destroy=str(path))
    yield device
    device.door.close()


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> "Bench":
    return Bench(tmp_path, monkeypatch)


class Bench:
    """A place for programs that are found before the real ones, and a record of how they were called."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bin, self.calls = folder / "bin", folder / "calls"
        self.bin.mkdir()
        self.calls.touch()
        monkeypatch.setenv("PATH", f"{self.bin}:/usr/bin:/bin")

    def program(self, name: str, script: str) -> None:
        """A shell script of that name; `calls` holds a line a call."""
        path = self.bin / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >> {self.calls}\n{script}\n')
        path.chmod(0o755)

    def answers(self, name: str, *texts: str) -> str:
        """A line of shell that prints one text a call, the last one again and again."""
        for number, text in enumerate(texts):
            (self.bin / f"{name}.{number}").write_text(text)
        count, last = self.bin / f"{name}.count", len(texts) - 1
        which = f"{self.bin}/{name}.$((n > {last} ? {last} : n))"
        return f"n=$(cat {count} 2>/dev/null || echo 0); echo $((n + 1)) > {count}; cat {which}"

    @property
    def called(self) -> list[str]:
        return self.calls.read_text().splitlines()


def log(progress: int, status: str) -> str:
    """As nvme-cli 2.3 prints it."""
    return json.dumps({"nvme0n1": {"sprog": progress, "sstat": {"global_erased": 0, "status": status}}})


def nvme(target: file.FileDevice, can: frozenset[str] = SANITIZE) -> Drive:
    return Drive("nvme", target.identity.path, can, controller=target.identity.path)


def wipe(target: file.FileDevice) -> str:
    return f"dd if=/dev/zero of={target.identity.path} bs=1M count=2 conv=notrunc 2>/dev/null"


def test_a_sanitize_is_followed_to_its_end_and_what_it_left_is_read(target: file.FileDevice, bench: Bench) -> None:
    told: list[str] = []
    logs = bench.answers(
        "log", log(0, "(2) In Progress."), log(32768, "(2) In Progress."), log(65535, "(1) Successful.")
    )
    bench.program("nvme", f'case "$1" in sanitize) {wipe(target)};; *) {logs};; esac')
    said = purger.purge(nvme(target), target.door.opened, report=told.append, poll_s=0)
    assert said == "NVMe Sanitize, block erase (a drive's own purge), a sample read back as zeros"
    assert bench.called[0] == f"nvme sanitize {target.identity.path} --sanact=2"
    assert len(bench.called) == 4
    assert any("50 %" in line for line in told)


def test_a_sanitize_that_is_stuck_ends_with_the_drives_words(target: file.FileDevice, bench: Bench) -> None:
    # an Intel 660p that stood at 655 of 65536 for a week (nvme-cli issue 3027)
    bench.program("nvme", bench.answers("log", "", log(655, "(2) Sanitize in Progress")))
    with pytest.raises(StepFailed, match=r"within .* may still be running; it reports: .*Sanitize in Progress, 1 %"):
        purger.purge(nvme(target), target.door.opened, report=lambda words: None, limit=0.3, poll_s=0.05)


def test_ctrl_c_during_a_sanitize_says_that_the_drive_goes_on(
    target: file.FileDevice, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(seconds: float) -> None:
        raise KeyboardInterrupt

    said = list[str]()
    bench.program("nvme", bench.answers("log", "", log(655, "(2) Sanitize in Progress")))
    monkeypatch.setattr(purger, "time", SimpleNamespace(monotonic=time.monotonic, sleep=stopped))
    with pytest.raises(KeyboardInterrupt):
        purger.purge(nvme(target), target.door.opened, report=said.append)
    assert "still running in the drive" in said[-1]


def test_a_sanitize_that_fails_ends_with_the_drives_words(target: file.FileDevice, bench: Bench) -> None:
    bench.program("nvme", bench.answers("log", "", log(1000, "(3) Sanitize Failed")))
    with pytest.raises(StepFailed, match=r"failed; it reports: .*Sanitize Failed"):
        purger.purge(nvme(target), target.door.opened, report=lambda words: None, poll_s=0)


def test_a_command_that_the_drive_does_not_take_ends_it(target: file.FileDevice, bench: Bench) -> None:
    bench.program("nvme", "echo 'NVMe status: Invalid Command Opcode(0x4001)' >&2; exit 1")
    with pytest.raises(
        StepFailed, match=r"was not purged: `nvme format .* printed: NVMe status: Invalid Command Opcode"
    ):
        purger.purge(nvme(target, frozenset({"format"})), target.door.opened, report=lambda words: None)


def test_a_command_that_hangs_is_ended(target: file.FileDevice, bench: Bench) -> None:
    bench.program("nvme", "echo 'You are about to format'; exec sleep 30")
    with pytest.raises(StepFailed, match=r"did not end within 0.5 s: You are about to format"):
        purger.purge(nvme(target, frozenset({"format"})), target.door.opened, report=lambda words: None, limit=0.5)


def test_a_drive_that_says_done_and_did_nothing_is_found_out(target: file.FileDevice, bench: Bench) -> None:
    bench.program("nvme", "echo Success formatting namespace:1")
    with pytest.raises(StepFailed, match="still holds what it held at byte 0 after NVMe Format"):
        purger.purge(nvme(target, frozenset({"format"})), target.door.opened, report=lambda words: None)


def test_a_drive_whose_erased_blocks_read_as_ones_is_purged_again(target: file.FileDevice, bench: Bench) -> None:
    ones = f"tr '\\0' '\\377' < /dev/zero | dd of={target.identity.path} bs=1M count=2 iflag=fullblock conv=notrunc"
    bench.program("nvme", f"{ones} 2>/dev/null")
    for _ in range(2):
        said = purger.purge(nvme(target, frozenset({"format"})), target.door.opened, report=lambda words: None)
        assert said.endswith("a sample read back as erased: zeros or bytes of FF")
    assert Language("ru").translated(said).endswith("выборка читается как стёртая: нули или байты FF")


def test_a_part_that_keeps_its_data_among_erased_ones_is_found_out(target: file.FileDevice, bench: Bench) -> None:
    ones = f"tr '\\0' '\\377' < /dev/zero | dd of={target.identity.path} bs=1M count=1 iflag=fullblock conv=notrunc"
    bench.program("nvme", f"{ones} 2>/dev/null")
    with pytest.raises(StepFailed, match="still holds what it held at byte 1048576 after NVMe Format"):
        purger.purge(nvme(target, frozenset({"format"})), target.door.opened, report=lambda words: None)


def test_other_data_than_before_is_enough_after_a_crypto_erase(target: file.FileDevice, bench: Bench) -> None:
    bench.program("nvme", f"head -c {SPACE} /dev/urandom | dd of={target.identity.path} conv=notrunc 2>/dev/null")
    drive = Drive("nvme", target.identity.path, frozenset({"format", "format crypto"}), method="crypto")
    said = purger.purge(drive, target.door.opened, report=lambda words: None)
    assert said.endswith("nothing that a sample held before is read any more")


def test_a_failed_security_erase_leaves_no_password(target: file.FileDevice, bench: Bench) -> None:
    bench.program("hdparm", 'case "$*" in *--security-erase*) echo "SG_IO: Input/output error" >&2; exit 5;; esac')
    drive = Drive("sata", target.identity.path, frozenset({"security"}))
    with pytest.raises(StepFailed, match="the password that was set for it is cleared again") as got:
        purger.purge(drive, target.door.opened, report=lambda words: None)
    said = Language("ru").translated(told(str(got.value)))
    assert said.endswith("SG_IO: Input/output error; заданный для очистки пароль снова снят")
    assert " не очищен, вывод `hdparm " in said
    words = ["--security-set-pass", "--security-erase", "--security-disable"]
    assert [next(w for w in words if w in call) for call in bench.called] == words


def test_the_gate_is_checked_before_each_command_and_before_what_is_left_is_read(
    target: file.FileDevice, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, check = type(target.door.opened), type(target.door.opened).check

    def checked(gate: Gate) -> None:
        with bench.calls.open("a") as calls:
            calls.write("check\n")
        check(gate)

    monkeypatch.setattr(kind, "check", checked)
    bench.program("hdparm", f'case "$*" in *--security-erase*) {wipe(target)};; esac')
    drive = Drive("sata", target.identity.path, frozenset({"security"}))
    purger.purge(drive, target.door.opened, report=lambda words: None)
    words = ("--security-set-pass", "--security-erase", "check")
    called = [next(word for word in words if word in call) for call in bench.called]
    assert called == ["check", "check", "--security-set-pass", "check", "--security-erase", "check"]


def test_a_password_that_cannot_be_cleared_is_told_with_the_command(target: file.FileDevice, bench: Bench) -> None:
    bench.program("hdparm", 'case "$*" in *--security-set-pass*) exit 0;; esac; echo "drive is gone" >&2; exit 5')
    drive = Drive("sata", target.identity.path, frozenset({"security"}))
    with pytest.raises(StepFailed, match=r"undo it by hand: `hdparm --user-master u --security-disable stend .*gone"):
        purger.purge(drive, target.door.opened, report=lambda words: None)


def test_a_password_that_cannot_be_cleared_in_time_hides_no_failure(
    target: file.FileDevice, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.program("hdparm", 'case "$*" in *--security-set-pass*) exit 0;; esac; echo "erasing"; exec sleep 30')
    drive = Drive("sata", target.identity.path, frozenset({"security"}))
    monkeypatch.setattr(tools.run, "__kwdefaults__", {"limit_s": 0.3})
    with pytest.raises(
        StepFailed, match=r"--security-erase .* did not end .*; undo it by hand: `hdparm .* did not end"
    ):
        purger.purge(drive, target.door.opened, report=lambda words: None, limit=0.3)


@pytest.mark.parametrize(("code", "words"), [(0, "is cleared again"), (5, "undo it by hand: `hdparm")])
def test_ctrl_c_in_a_security_erase_leaves_no_password_unsaid(
    target: file.FileDevice, bench: Bench, monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    bench.program("hdparm", f'case "$*" in *--security-disable*) exit {code};; esac')
    ask, said = tools.run, list[str]()

    def stopped(*command: str, limit_s: float = 30) -> tools.Output:
        if "--security-erase" in command:
            raise KeyboardInterrupt
        return ask(*command, limit_s=limit_s)

    monkeypatch.setattr(tools, "run", stopped)
    drive = Drive("sata", target.identity.path, frozenset({"security"}))
    with pytest.raises(KeyboardInterrupt):
        purger.purge(drive, target.door.opened, report=said.append)
    assert words in said[-1]
    assert "--security-disable stend" in bench.called[-1]


def test_a_password_that_was_never_set_is_not_cleared(target: file.FileDevice, bench: Bench) -> None:
    bench.program("hdparm", "exit 5")
    drive = Drive("sata", target.identity.path, frozenset({"security"}))
    with pytest.raises(StepFailed):
        purger.purge(drive, target.door.opened, report=lambda words: None)
    assert len(bench.called) == 1


def test_a_format_unit_is_followed_by_request_sense(target: file.FileDevice, bench: Bench) -> None:
    bench.program("sg_format", wipe(target))
    bench.program("sg_requests", bench.answers("sense", "Progress indication: 12.50% done\n", "", ""))
    bench.program("sg_turs", "")
    drive = Drive("scsi", target.identity.path, frozenset({"format"}))
    assert "Format Unit" in purger.purge(drive, target.door.opened, report=lambda words: None, poll_s=0)
    assert [call.split()[0] for call in bench.called] == ["sg_format", "sg_requests", "sg_requests", "sg_turs"]


def test_a_drive_that_formats_without_a_percentage_is_waited_for(target: file.FileDevice, bench: Bench) -> None:
    bench.program("sg_format", wipe(target))
    bench.program("sg_requests", "echo No additional sense")
    bench.program("sg_turs", f"[ $(grep -c ^sg_turs {bench.calls}) -gt 2 ] || exit 2")
    drive, said = Drive("scsi", target.identity.path, frozenset({"format"})), list[str]()
    purger.purge(drive, target.door.opened, report=said.append, poll_s=0)
    assert [call.split()[0] for call in bench.called].count("sg_turs") == 3
    assert said[1:] == ["SCSI Format Unit (a drive's own purge): not ready, without a percentage"]


def test_the_makers_command_is_run_as_it_is_written(target: file.FileDevice, bench: Bench) -> None:
    bench.program("maker", wipe(target))
    drive = Drive("sata", target.identity.path, template="maker --wipe {node} --serial {serial}", serial="S1")
    assert "the maker's command" in purger.purge(drive, target.door.opened, report=lambda words: None)
    assert bench.called == [f"maker --wipe {target.identity.path} --serial S1"]


def test_a_program_that_is_missing_is_named_with_what_installs_it(
    target: file.FileDevice, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(bench.bin))
    with pytest.raises(Missing, match=missing("nvme")):
        purger.purge(nvme(target), target.door.opened, report=lambda words: None)


def test_what_the_table_refuses_runs_nothing(target: file.FileDevice, bench: Bench) -> None:
    bench.program("nvme", "exit 0")
    locked = Drive("sata", target.identity.path, frozenset({"security"}), frozenset({"locked"}))
    with pytest.raises(Refused, match="is not purged: it is locked"):
        purger.purge(locked, target.door.opened, report=lambda words: None)
    assert bench.called == []


def test_nothing_is_purged_through_a_gate_that_is_open_for_reading_only(tmp_path: Path, bench: Bench) -> None:
    path = tmp_path / "drive.bin"
    path.write_bytes(b"secret!!" * (SPACE // 8))
    bench.program("maker", "exit 0")
    device = file.find(str(path))
    device.door.open(writes=False, destroy=None)
    with pytest.raises(Refused, match="reading only"):
        purger.purge(Drive("sata", str(path), template="maker"), device.door.opened, report=lambda words: None)
    device.door.close()
    assert bench.called == []


WRITING_WORDS = (
    "sanitize",
    "format",
    "set-feature",
    "create-ns",
    "delete-ns",
    "detach-ns",
    "attach-ns",
    "--set-sector-size",
    "--yes-i-know-what-i-am-doing",
    "--security-",
    "sg_sanitize",
    "sg_format",
)
MAY_SAY_THEM = {
    "table.py": "makes commands",
    "prepare_table.py": "makes commands",
    "nvme.py": "the write cache",
}


def test_words_that_write_are_given_to_tools_in_known_rooms_alone() -> None:
    found = set()
    for path in sorted(Path(devices.__file__).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Tuple | ast.Call):
                words = [w.value for w in ast.iter_child_nodes(node) if isinstance(w, ast.Constant)]
                tool = bool({"nvme", "hdparm", "sg_sanitize", "sg_format"} & {w for w in words if isinstance(w, str)})
                writes = any(w in WRITING_WORDS or str(w).startswith("--security-") for w in words)
                found |= {path.name} if tool and writes else set()
    assert found == set(MAY_SAY_THEM)


NVME_LOG = '{{"nvme0n1": {{"sprog": {}, "sstat": {}}}}}'


@pytest.mark.parametrize(
    ("kind", "printed", "over", "failed", "percent", "words"),
    [
        ("nvme", NVME_LOG.format(16384, 2), False, False, 25, "in progress, 25 %"),
        ("nvme", NVME_LOG.format(65536, 1 | 8), True, False, 100, "sanitized, 100 %"),
        ("nvme", NVME_LOG.format(99999, 4), True, False, 100, "sanitized, not deallocated, 100 %"),
        ("nvme", NVME_LOG.format(0, 3), True, True, 0, "failed, 0 %"),
        ("nvme", NVME_LOG.format(0, 0), True, True, 0, "never sanitized, 0 %"),
        ("nvme", NVME_LOG.format(0, 5), True, True, 0, "state unknown, 0 %"),
        ("nvme", NVME_LOG.format(32768, '{"status": "(2) In Progress."}'), False, False, 50, "(2) In Progress., 50 %"),
        ("nvme", "no such log", True, True, 0, "no such log"),
        ("ata", "/dev/sda:\n State: SD2 Sanitize operation In Process\n Progress: 0x4000 (25%)", False, False, 25,
         "State: SD2 Sanitize operation In Process; Progress: 0x4000 (25%)"),
        ("ata", "/dev/sda:\n State: SD0 Sanitize Idle\n\n Last: Completed Without Error", True, False, 0,
         "State: SD0 Sanitize Idle; Last: Completed Without Error"),
        ("ata", "/dev/sda:\n State: SD3 Sanitize Operation", True, True, 0, "State: SD3 Sanitize Operation"),
        ("ata", "/dev/sda:\n Last: Completed With Error", True, True, 0, "Last: Completed With Error"),
        ("ata", "one line", True, False, 0, "one line"),
        ("scsi", "Progress indication: 12.5% done", False, False, 12.5, "Progress indication: 12.5% done"),
        ("scsi", "", True, False, 0, "exit code 0"),
        ("scsi", "Sense: sanitize command failed", True, True, 0, "Sense: sanitize command failed"),
    ],
)  # fmt: skip
def test_the_progress_of_a_purge_is_what_its_program_prints(
    kind: str, printed: str, over: bool, failed: bool, percent: float, words: str
) -> None:
    """NVMe 1.4, figure 202 (65,536 is all); ACS-4, 7.36; SPC-5, Request Sense."""
    read = {"nvme": follow.of_nvme, "ata": follow.of_ata, "scsi": follow.of_scsi}[kind]
    assert read(tools.Output(0, printed, "")) == follow.Progress(over, failed, percent, words)
    if kind == "ata":
        assert read(tools.Output(1, printed, "")).failed
