"""What is missing is named with the command that installs it, on each distribution that is known."""

import json
from pathlib import Path

import pytest

from stend.base import extras, fio_features, programs
from stend.cli import main

UBUNTU = 'PRETTY_NAME="Ubuntu 24.04"\nID=ubuntu\nID_LIKE=debian\n'
TOLD = {
    "debian": ("ID=debian\n", "apt-get install fio sg3-utils"),
    "ubuntu": (UBUNTU, "apt-get install fio sg3-utils"),
    "fedora": ("ID=fedora\n", "dnf install fio sg3_utils"),
    "rocky": ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "dnf install fio sg3_utils"),
    "arch": ("ID=arch\n", "pacman -S fio sg3_utils"),
    "manjaro": ("ID=manjaro\nID_LIKE=arch\n", "pacman -S fio sg3_utils"),
    "nixos": ('ID=nixos\nID_LIKE=""\n', "nix-shell -p fio sg3_utils"),
    "unknown": ("ID=plan9\n", "apt-get install fio sg3-utils"),
    "silent": ("", "apt-get install fio sg3-utils"),
}


@pytest.mark.parametrize("name", TOLD)
def test_every_distribution_has_its_command(name: str, tmp_path: Path) -> None:
    told, command = TOLD[name]
    (tmp_path / "os-release").write_text(told)
    assert programs.install(["fio", "sg_format", "sg_vpd"], programs.distribution(tmp_path / "os-release")) == command


def test_a_host_without_the_file_is_taken_for_a_debian(tmp_path: Path) -> None:
    assert programs.distribution(tmp_path / "os-release") == "debian"


def test_every_name_of_the_table_is_known() -> None:
    packages = {known.package for known in programs.programs().values()}
    assert set(programs.table().elsewhere) <= packages
    assert {d for names in programs.table().elsewhere.values() for d in names} <= set(programs.table().install)


def test_the_doctor_names_every_missing_package_with_its_command(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert main(["doctor"]) == 4
    said = capsys.readouterr().out
    uses: dict[str, list[str]] = {}
    for name, known in programs.programs().items():
        if known.needed:
            assert f"needed, but missing: {name} ({known.use}): `{programs.install([name])}`\n" in said
        else:
            uses.setdefault(known.use, []).append(name)
    assert (
        f"all of them: `{programs.install(name for name, known in programs.programs().items() if known.needed)}`"
        in said
    )
    lines = {line.strip().partition("  ")[0]: line.rpartition("  ")[2] for line in said.splitlines()}
    for use, names in uses.items():
        assert lines[use] == f"missing: `{programs.install(names)}`"
    assert "needed: all there" not in said


def test_only_needed_programs_decide_the_exit_code_of_the_doctor(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, known in programs.programs().items():
        if known.needed and name != "fio":
            (tmp_path / name).touch(0o755)
    (tmp_path / "fio").symlink_to("/bin/true")
    monkeypatch.setattr(fio_features, "probe", lambda path: "fio-3.33")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out
    assert said.startswith("needed: all there\nfio: fio-3.33\noptional: ")
    assert "needed, but missing" not in said
    (tmp_path / "setpriv").unlink()
    assert main(["doctor"]) == 4
    assert "needed, but missing: setpriv" in capsys.readouterr().out


def test_the_doctor_names_the_extra_of_what_python_lacks(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(extras, "missing", lambda module: module in ("typst", "uvicorn"))
    main(["doctor"])
    said = capsys.readouterr().out
    for extra in extras.USES:
        assert (f"missing: `pip install 'stend[{extra}]'`" in said) == (extra in ("report", "serve"))


def test_the_doctor_prints_its_lists_as_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(programs, "lacking", lambda: ["fio"])
    assert main(["doctor", "--json"]) == 4
    every = json.loads(capsys.readouterr().out)
    (fio,) = [program for program in every["programs"] if program["name"] == "fio"]
    assert not fio["there"]
    assert fio["needed"]
    assert fio["install"] == programs.install(["fio"])
    assert all(program["there"] for program in every["programs"] if program != fio)
    assert [extra["name"] for extra in every["extras"]] == list(extras.USES)
