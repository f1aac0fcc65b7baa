"""Names that the shell completes: tests, suites, profiles, virtual drives, drives and runs."""

from collections.abc import Iterator
from glob import escape, glob
from pathlib import Path

RUNS = Path("runs")


def tests(incomplete: str) -> list[str]:
    """Return the tests, suites and files of studies that begin like this."""
    from stend import suite

    return [*_begin(incomplete, *suite.names(), *suite.suites()), *_files(incomplete, ".toml")]


def profiles(incomplete: str) -> list[str]:
    """Return the profiles, and files of profiles, that begin like this."""
    from stend.planning import plan

    return [*_begin(incomplete, *plan.profiles()), *_files(incomplete, ".toml")]


def targets(incomplete: str) -> list[str]:
    """Return the virtual drives, and for a path the files and folders, that begin like this."""
    from stend.sim import named

    virtual = _begin(incomplete, *(f"sim:{name}" for name in named.profiles()))
    return [*virtual, *_files(incomplete)] if incomplete else virtual


def runs(incomplete: str) -> list[str]:
    """Return `last` and the names of runs in runs/ that begin like this, or for a path, folders."""
    names = sorted((path.parent.name for path in RUNS.glob("*/events.jsonl")), reverse=True)
    return [*_begin(incomplete, "last", *names), *folders(incomplete)]


def folders(incomplete: str) -> list[str]:
    """Return the folders that begin like this."""
    return [path for path in sorted(glob(f"{escape(incomplete)}*")) if Path(path).is_dir()]


def _begin(incomplete: str, *names: str) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]


def _files(incomplete: str, suffix: str = "") -> Iterator[str]:
    for path in sorted(glob(f"{escape(incomplete)}*")):
        if Path(path).is_dir() or path.endswith(suffix):
            yield path
