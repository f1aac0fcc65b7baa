"""What is missing is named with the command that installs it, on each distribution that is known."""

from pathlib import Path

import pytest

from stend.base import programs
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
    for name, known in programs.programs().items():
        assert f"missing: {name} ({known.use}); {programs.install([name])}\n" in said
    assert f"all of them: {programs.install(programs.programs())}\n" in said
