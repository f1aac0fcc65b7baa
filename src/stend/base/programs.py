"""Other people's programs that stend runs: what for, and the command that installs them on this distribution."""

import shutil
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import msgspec

OS_RELEASE = Path("/etc/os-release")
UNKNOWN = "debian"
"""Its names are told where a distribution is not in the table: most call packages the same."""


class Program(msgspec.Struct, frozen=True):
    """One program: its package as Debian calls it, what it is for, and whether every real run needs it."""

    package: str
    use: str
    needed: bool = False


class Table(msgspec.Struct, frozen=True):
    """`programs.toml`: install commands by distribution, programs, names of packages that are called otherwise."""

    install: dict[str, str]
    programs: dict[str, Program]
    elsewhere: dict[str, dict[str, str]]


@cache
def table() -> Table:
    """Everything that is known."""
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Table)


@cache
def programs() -> Mapping[str, Program]:
    """Every program by its name."""
    return MappingProxyType(table().programs)


@cache
def distribution(os_release: Path = OS_RELEASE) -> str:
    """Which of the distributions of the table this host is, or is like; `debian` where it is none of them."""
    try:
        lines = os_release.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return UNKNOWN
    told = {key: value.strip("\"'") for key, _, value in (line.partition("=") for line in lines)}
    like = [told.get("ID", ""), *told.get("ID_LIKE", "").split()]
    return next((name for name in like if name in table().install), UNKNOWN)


def install(names: Iterable[str], system: str = "") -> str:
    """The command that installs these programs, each of the table or called as its package: `apt-get install fio`."""
    system = system or distribution()
    packages = [known.package if (known := programs().get(name)) else name for name in names]
    there = [table().elsewhere.get(package, {}).get(system, package) for package in packages]
    return f"{table().install[system]} {' '.join(dict.fromkeys(there))}"


def missing(name: str) -> str:
    """The sentence for a program that is not there."""
    return f"{name} is not installed: `{install([name])}`"


def lacking() -> list[str]:
    """Programs that this host does not have."""
    return [name for name in programs() if shutil.which(name) is None]
