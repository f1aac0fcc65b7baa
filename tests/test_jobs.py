"""A plan as fio job files: plain fio understands each of them, does what they say, and no file names a drive."""

import json
import subprocess
from pathlib import Path

import pytest

from stend import suite
from stend.base.units import KiB, MiB
from stend.cli import main
from stend.engines import fio_jobs
from stend.model.definition import Bytes, Hold, Identity, Phase, Plan, PlannedTest, Seconds, Workload
from stend.planning import plan as planning
from tests.still import IDENTITY

WRITE = Workload(random_pct=100, read_pct=0, block_bytes=4 * KiB, threads=2, depth=8, range_bytes=8 * MiB)


def drawn(*names: str, drive: Identity = IDENTITY, quick: bool = True) -> Plan:
    names_, profile, told = planning.gather(list(names), None, {}, quick=quick)
    return planning.draw(names_, profile, drive, deviations=told)


def written(plan: Plan, folder: Path) -> dict[str, str]:
    """The files by name."""
    return {path.name: path.read_text() for path in sorted(fio_jobs.write(plan, folder).iterdir())}


def fio(files: list[Path], target: str, *words: str) -> subprocess.CompletedProcess[str]:
    env = {"PATH": "/usr/bin:/bin", "ENGINE": "libaio"} | ({"TARGET": target} if target else {})
    command = ["fio", *words, *map(str, files)]
    return subprocess.run(command, env=env, cwd=files[0].parent, capture_output=True, text=True, check=False)


@pytest.mark.fio
@pytest.mark.parametrize("name", sorted({*suite.names()} - {"rwsw-demand-intensity", "media"}))
def test_plain_fio_understands_every_file_and_wants_to_be_told_the_drive(name: str, tmp_path: Path) -> None:
    files = [tmp_path / "jobs" / one for one in written(drawn(name), tmp_path / "jobs") if one.endswith(".fio")]
    assert files
    told = fio(files, "/tmp/drive", "--parse-only")
    assert (told.returncode, told.stderr) == (0, "")
    assert all("filename=${TARGET}" in file.read_text() for file in files)
    assert "filename" in fio([files[-1]], "", "--parse-only").stderr


def test_of_streams_there_is_no_file_but_a_sentence_with_all_of_them(tmp_path: Path) -> None:
    files = written(drawn("rwsw-demand-intensity"), tmp_path / "jobs")
    assert not [name for name in files if name.endswith(".fio")]
    assert "fio cannot tie the size of an IO to its access and direction" in files["README.md"]
    assert "SEQ 4K W:39+SEQ 16K W:19.5" in files["README.md"]


@pytest.mark.fio
def test_plain_fio_writes_what_the_plan_would_have_written(tmp_path: Path) -> None:
    drive = tmp_path / "drive.bin"
    drive.write_bytes(bytes(16 * MiB))
    plan = drawn("iops", drive=Identity(kind="file", target="drive", path="drive", capacity_bytes=16 * MiB))
    files = written(plan, tmp_path / "jobs")
    (name,) = (one for one in files if "precondition" in one)
    done = fio([tmp_path / "jobs" / name], str(drive), "--output-format=json")
    (result,) = json.loads(done.stdout)["jobs"]
    assert result["write"]["io_bytes"] == 2 * 16 * MiB
    assert drive.read_bytes().count(0) < 1 * MiB
    assert drive.stat().st_size == 16 * MiB


def test_the_acts_are_in_the_order_of_the_plan_and_what_fio_cannot_do_is_told(tmp_path: Path) -> None:
    files = written(drawn("iops"), tmp_path / "jobs")
    assert [name for name in files if name.endswith(".fio")] == ["02-iops-precondition.fio", "03-iops-rounds.fio"]
    acts = [line for line in files["README.md"].splitlines() if line[:2] in ("1.", "2.", "3.")]
    assert acts[0].startswith("1. purge: purge the drive")
    assert acts[1:] == [
        "2. `02-iops-precondition.fio`: precondition",
        "3. `03-iops-rounds.fio`: rounds; until steady (pts: RND 4K 0/100 T4 Q32, RND 64K 65/35 T4 Q32, "
        "RND 1024K 100/0 T4 Q32), at most 5 rounds",
    ]
    assert files["03-iops-rounds.fio"].count("stonewall=1") == 56


def test_no_file_names_a_drive_or_a_seed(tmp_path: Path) -> None:
    files = written(drawn("iops", "write-saturation", "idle-recovery"), tmp_path / "jobs")
    for name, text in files.items():
        if name.endswith(".fio"):
            assert text.count("filename=") == text.count("filename=${TARGET}") == 1
            assert "randseed" not in text


@pytest.mark.parametrize(
    ("amount", "limits", "wanted"),
    [
        (Seconds(seconds=60), (Seconds(seconds=7200),), ["time_based=1", "runtime=7200000ms"]),
        (Seconds(seconds=60), (Seconds(seconds=90000),), ["time_based=1", "runtime=60000000ms"]),
        (
            Seconds(seconds=60),
            (Bytes(bytes=64 * MiB), Seconds(seconds=90)),
            ["io_size=33554432", "runtime=90000ms"],
        ),
        (Bytes(bytes=32 * KiB), (Bytes(bytes=64 * MiB),), ["io_size=16384000"]),
    ],
)
def test_a_load_that_goes_on_for_hours_is_one_job_that_ends_where_the_plan_does(
    amount: Seconds | Bytes, limits: tuple[Seconds | Bytes, ...], wanted: list[str], tmp_path: Path
) -> None:
    phase = Phase(name="saturate", round=(Hold(workload=WRITE, amount=amount),), until=limits, rounds=1000)
    plan = drawn("iops")
    test = PlannedTest(name="long", title="Long", clause="", phases=(phase,), profile=plan.profile)
    (text,) = (t for n, t in written(plan_of(plan, test), tmp_path / "jobs").items() if n.endswith(".fio"))
    lines = text.splitlines()
    assert set(wanted) <= set(lines)
    assert [line for line in lines if line.startswith("write_")] == [
        f"write_{kind}_log=01-long-saturate" for kind in ("iops", "bw", "lat")
    ]
    assert ("time_based=1" in lines) == ("time_based=1" in wanted)


def plan_of(plan: Plan, *tests: PlannedTest) -> Plan:
    return Plan(**{name: getattr(plan, name) for name in plan.__struct_fields__} | {"tests": tests})


def test_a_folder_with_anything_in_it_is_not_written_into(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine").write_text("kept")
    plan = ["plan", "iops", "--target", "sim:small", "--quick", "--fio"]
    assert main([*plan, str(tmp_path)]) == 2
    assert "is not empty" in capsys.readouterr().err
    assert main([*plan, str(tmp_path / "mine")]) == 2
    assert "is not a folder" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]
    assert main([*plan, str(tmp_path / "new" / "jobs")]) == 0
    assert "README.md" in [path.name for path in (tmp_path / "new" / "jobs").iterdir()]
