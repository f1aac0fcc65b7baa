"""The request for a run as plain data: tests, drive, changes of settings, run folder."""

from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec

from stend.base.units import parse_bytes
from stend.model.events import TEXTS

CHANGES = ("threads", "depth", "active_range_pct", "rounds", "minute_s", "verify", "power_saving")
PLAYED = {"replay": ("trace", "fit", "speed"), "headroom": ("trace", "fit", "limit_ms", "percentile")}
"""Fields of a request for the tests that play a trace."""
SURVEYED = ("inspect",)
"""Tests that survey a drive in `survey_minutes`."""
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
    "power_saving": "--power-saving",
    "trace": "--trace",
    "speed": "--speed",
    "fit": "--fit",
    "limit_ms": "--limit-ms",
    "percentile": "--percentile",
    "destroy": "--destroy-data",
    "overwrite": "--overwrite-file",
    "into": "--into",
    "label": "--label",
    "tested_by": "--tested-by",
    "meter": "--meter",
}
ELSEWHERE = ("destroy", "overwrite", "into", "in_use")
"""Fields that the manifest omits: permissions, and the folder's path."""


class Request(msgspec.Struct, frozen=True):
    """A request for a run. Fields that are None have the profile's value, or a random one.

    `trace` to `percentile` are for the tests that play a trace: its file, the speed (0: a closed loop with its depths),
    how its addresses map to the range, and for `headroom` the limit and the percentile that must keep it.
    `create` first creates the target, a file of that size (`64MiB`). `destroy` is the drive's serial, or a file's full
    path, and permits destroying all data on it. `overwrite` are full paths of files that stend did not create and may
    overwrite. `purge` purges the drive first if the first test does not. `threads` to `power_saving` are fields of the
    profile. `in_use` permits tests that only read on a drive that is mounted or used. `survey_minutes` is the time of
    their survey, 0 for every block. `meter` is a meter of power (`stend.meters`).

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
    verify: bool | None = None
    power_saving: str | None = None
    destroy: str | None = None
    into: str | None = None
    label: str | None = None
    tested_by: str | None = None
    purge: bool | None = None
    trace: str | None = None
    speed: float | None = None
    fit: str | None = None
    limit_ms: float | None = None
    percentile: float | None = None
    overwrite: tuple[str, ...] = ()
    in_use: bool = False
    survey_minutes: float | None = None
    meter: str | None = None

    @property
    def changes(self) -> dict[str, Any]:
        """Return the requested changes by fields of the profile, or None for fields that do not change."""
        tests = {
            test: {name: value for name in names if (value := getattr(self, name)) is not None}
            for test, names in PLAYED.items()
            if test in self.tests or not {*PLAYED} & {*self.tests}
        }
        minutes = self.survey_minutes
        tests |= {test: {"survey_minutes": minutes} for test in SURVEYED if minutes is not None}
        settings = {test: values for test, values in tests.items() if values}
        return {name: getattr(self, name) for name in CHANGES} | ({"tests": settings} if settings else {})

    @property
    def texts(self) -> dict[str, str]:
        """Return the texts that the record of the run holds."""
        return {name: getattr(self, name) or "" for name in TEXTS}

    @property
    def manifest(self) -> dict[str, Any]:
        """Return the request as it is stored in the run folder."""
        fields = msgspec.structs.asdict(self).items()
        return {name: value for name, value in fields if value is not None and name not in ELSEWHERE}

    @property
    def stored(self) -> dict[str, Any]:
        """Return the request as files of several runs store it: without None and permissions to destroy data."""
        fields = msgspec.structs.asdict(self).items()
        return {name: value for name, value in fields if value is not None and name not in ("destroy", "overwrite")}

    @property
    def words(self) -> list[str]:
        """Return the arguments of `stend run` for this request."""
        given = [(option, getattr(self, name)) for name, option in OPTIONS.items()]
        each = [(option, item) for option, value in given for item in (value if isinstance(value, tuple) else (value,))]
        named = [f"{option}={value}" for option, value in each if value is not None]
        return [*named, *(["--quick"] if self.quick else ()), *(["--verify"] if self.verify else ()), "--", *self.tests]

    @property
    def command(self) -> list[str]:
        """Return the arguments of `stend`: of `inspect` if it has an option of that verb, or of `run`."""
        if self.survey_minutes is None and not self.in_use:
            return ["run", *self.words]
        given = [(OPTIONS[name], getattr(self, name)) for name in ("seed", "into", *TEXTS, "meter")]
        minutes = ["--whole"] if self.survey_minutes == 0 else []
        minutes = [f"--minutes={self.survey_minutes}"] if self.survey_minutes else minutes
        more = [f"{option}={value}" for option, value in given if value is not None]
        flags = ["--in-use"] * self.in_use + ["--quick"] * self.quick
        return ["inspect", *minutes, *more, *flags, "--", self.target]

    @property
    def create_bytes(self) -> int:
        """Return the size of the file to create. Raise BadInput if it is not a size."""
        return parse_bytes(self.create or "0")

    @property
    def folder(self) -> Path:
        """Return the run folder: the requested one, or runs/DATE-TARGET-TESTS below the working directory."""
        if self.into:
            return Path(self.into)
        title = "-".join(Path(part).name.removesuffix(".toml") for part in (self.target, *self.tests))
        slug = "".join(c if c.isalnum() else "-" for c in title).encode(errors="replace")[:100].decode(errors="ignore")
        return Path("runs") / f"{datetime.now():%Y%m%d-%H%M%S}-{slug}"

    def seeded(self, seed: int) -> "Request":
        """Return the request with this seed, unless it has one."""
        return self if self.seed is not None else msgspec.structs.replace(self, seed=seed)
