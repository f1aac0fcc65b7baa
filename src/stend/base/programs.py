"""External programs that stend runs: their purpose, and the install command of this distribution."""

import shutil
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import msgspec

OS_RELEASE = Path("/etc/os-release")
UNKNOWN = "debian"
"""Assumed for a distribution that the table does not list, because most use the same package names."""


class Program(msgspec.Struct, frozen=True):
    """A program: its Debian package, its purpose, and whether every run on a real drive needs it."""

    package: str
    use: str
    needed: bool = False


class Table(msgspec.Struct, frozen=True):
    """`programs.toml`: install commands by distribution, programs, and package names that differ from Debian's."""

    install: dict[str, str]
    programs: dict[str, Program]
    elsewhere: dict[str, dict[str, str]]


@cache
def table() -> Table:
    """Read the table of programs."""
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Table)


@cache
def programs() -> Mapping[str, Program]:
    """Return every program by its name."""
    return MappingProxyType(table().programs)


@cache
def distribution(os_release: Path = OS_RELEASE) -> str:
    """Return the distribution of the table that this host is, or is like. `debian` if the table has neither."""
    try:
        lines = os_release.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return UNKNOWN
    fields = {key: value.strip("\"'") for key, _, value in (line.partition("=") for line in lines)}
    like = [fields.get("ID", ""), *fields.get("ID_LIKE", "").split()]
    return next((name for name in like if name in table().install), UNKNOWN)


def install(names: Iterable[str], system: str = "") -> str:
    """Return the command that installs these programs: `apt-get install fio`. Other names count as package names."""
    system = system or distribution()
    packages = [known.package if (known := programs().get(name)) else name for name in names]
    local = [table().elsewhere.get(package, {}).get(system, package) for package in packages]
    return f"{table().install[system]} {' '.join(dict.fromkeys(local))}"


def missing(name: str) -> str:
    """Return the sentence that reports a missing program and how to install it."""
    return f"{name} is not installed: `{install([name])}`"


def lacking() -> list[str]:
    """Return the programs of the table that are not installed on this host."""
    return [name for name in programs() if shutil.which(name) is None]
