"""What is asked of a run, as data: which tests, on which drive, changed how, written where."""

from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from stend.base.units import parse_bytes

CHANGES = ("threads", "depth", "active_range_pct", "rounds", "minute_s")
PLAYED = {"replay": ("trace", "fit", "speed"), "headroom": ("trace", "fit", "limit_ms", "percentile")}
"""What of a request is for which test that plays a trace."""
OPTIONS = {
    "target": "--target",
    "profile": "--profile",
    "seed": "--seed",
    "create": "--create",
    "threads": "--threads",
    "depth": "--depth",
    "active_range_pct": "--active-range",
    "rounds": "--rounds",
    "minute_s": "--round-seconds",
    "trace": "--trace",
    "speed": "--speed",
    "fit": "--fit",
    "limit_ms": "--limit-ms",
    "percentile": "--percentile",
    "destroy": "--destroy-data",
    "overwrite": "--overwrite-file",
    "into": "--into",
    "label": "--label",
}
ELSEWHERE = ("destroy", "overwrite", "into")
"""What the manifest does not repeat: the word of who was there, and where it lies."""


class Request(msgspec.Struct, frozen=True):
    """A run that is asked for; what is None is as the profile, or chance, has it.

    `trace` to `percentile` are for the tests that play a trace: its file, how many times as fast (0: as its depths
    allow), how its addresses are laid on the range, and for `headroom` the limit and which percentile is to keep to it.
    `create` makes the target first, a new file of that size (`64MiB`); `destroy`
    is the drive's serial, or a file's full path: yes, destroy all data on it; `overwrite` are full paths of files that
    stend did not make and may overwrite; `purge` purges it first where its first
    test does not. `threads` to
    `minute_s` are fields of the profile.

    Units: sizes of files as words (`64MiB`), percent, seconds, milliseconds of `limit_ms`.
    Errors: none before it is started.
    Source: the options of `stend run`; fields of the profile.
    """

    tests: list[str]
    target: str
    profile: str | None = None
    quick: bool = False
    seed: int | None = None
    create: str | None = None
    threads: int | None = None
    depth: int | None = None
    active_range_pct: float | None = None
    rounds: int | None = None
    minute_s: float | None = None
    destroy: str | None = None
    into: str | None = None
    label: str | None = None
    purge: bool | None = None
    trace: str | None = None
    speed: float | None = None
    fit: str | None = None
    limit_ms: float | None = None
    percentile: float | None = None
    overwrite: tuple[str, ...] = ()

    @property
    def changes(self) -> dict[str, Any]:
        """What is to be other than the profile says, by the profile's fields; None where nothing was asked."""
        tests = {
            test: {name: value for name in names if (value := getattr(self, name)) is not None}
            for test, names in PLAYED.items()
            if test in self.tests or not {*PLAYED} & {*self.tests}
        }
        told = {test: own for test, own in tests.items() if own}
        return {name: getattr(self, name) for name in CHANGES} | ({"tests": told} if told else {})

    @property
    def manifest(self) -> dict[str, Any]:
        """What was asked, for the run folder."""
        told = msgspec.structs.asdict(self).items()
        return {name: value for name, value in told if value is not None and name not in ELSEWHERE}

    @property
    def words(self) -> list[str]:
        """The words of `stend run` that ask for it."""
        given = [(option, getattr(self, name)) for name, option in OPTIONS.items()]
        each = [(option, one) for option, value in given for one in (value if isinstance(value, tuple) else (value,))]
        named = [f"{option}={value}" for option, value in each if value is not None]
        return [*named, *(["--quick"] if self.quick else ()), "--", *self.tests]

    @property
    def create_bytes(self) -> int:
        """The size of the file to be made. BadInput where it is none."""
        return parse_bytes(self.create or "0")

    @property
    def folder(self) -> Path:
        """The run folder: as asked, or runs/DATE-TARGET-TESTS below the working directory."""
        if self.into:
            return Path(self.into)
        asked = "-".join(Path(part).name.removesuffix(".toml") for part in (self.target, *self.tests))
        slug = "".join(c if c.isalnum() else "-" for c in asked).encode(errors="replace")[:100].decode(errors="ignore")
        return Path("runs") / f"{datetime.now():%Y%m%d-%H%M%S}-{slug}"

    def seeded(self, seed: int) -> "Request":
        """The same with this seed, where none was asked for."""
        return self if self.seed is not None else msgspec.structs.replace(self, seed=seed)
