"""Arguments and options that several verbs share. Each has one name, one type and one meaning in all of them."""

import functools
import inspect
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from stend.base.errors import BadInput
from stend.base.text import did_you_mean
from stend.cli import _complete
from stend.cli._option import argument, flag, option

REPORTS = ("html", "pdf", "markdown", "json", "csv", "parquet", "hdr", "openmetrics", "tuning", "gallery")
PAGES = ("html", "pdf", "markdown", "json")
DRIVE = "A device node, /dev/disk/by-id/..., a file, or sim:NAME"


def _power_saving(word: str | None) -> str | None:
    if word is not None:
        from typing import get_args

        from stend.model.definition import PowerSaving as Values

        if word not in get_args(Values):
            raise BadInput(f"--power-saving is {' or '.join(get_args(Values))}, not {word!r}")
    return word


Tests = Annotated[
    list[str],
    argument("TEST...", "Tests, suites, or TOML files of studies; see `stend tests`.", autocompletion=_complete.tests),
]


def _target(more: str) -> Any:
    return option("--target", "T", f"{DRIVE}{more}", short="-t", autocompletion=_complete.targets)


Target = Annotated[str, _target(".")]
Targets = Annotated[list[str], _target("; may be repeated.")]
MayTarget = Annotated[str | None, _target(".")]
MayTargets = Annotated[list[str] | None, _target("; may be repeated; default: all that can be tested.")]
AlsoTarget = Annotated[list[str] | None, typer.Option("--target", "-t", hidden=True)]
"""For verbs whose argument is the drive: `--target` names it as well."""
ProfileName = Annotated[
    str | None,
    option(
        "--profile",
        "P",
        "A profile's name or a TOML file; default: the suite's profile.",
        short="-p",
        autocompletion=_complete.profiles,
    ),
]
Threads = Annotated[int | None, option("--threads", "N", "Threads (TC), instead of the profile's.", min=1, max=1024)]
Depth = Annotated[int | None, option("--depth", "N", "Queue depth of each thread (QD).", min=1, max=65536)]
ActiveRange = Annotated[
    float | None, option("--active-range", "PCT", "Percent of the drive to test.", min=0.01, max=100)
]
Rounds = Annotated[int | None, option("--rounds", "N", "Limit of rounds to steady state.", min=1, max=100_000)]
RoundSeconds = Annotated[
    float | None,
    option(
        "--round-seconds", "S", "Seconds per minute of the specification; the standard needs 60.", min=0.2, max=86_400
    ),
]
Seed = Annotated[
    int | None,
    option(
        "--seed",
        "N",
        "Seed of all random offsets; it is recorded. Further runs of `repeat` add 1 each.",
        min=0,
        max=(1 << 62) - 1,
    ),
]
Meter = Annotated[
    str | None, option("--meter", "KIND[:ADDRESS]", "Read a meter of power during the run; `stend doctor` lists them.")
]
Label = Annotated[str | None, option("--label", "TEXT", "Label of the run; `compare --by label` groups by it.")]
TestedBy = Annotated[
    str | None, option("--tested-by", "NAME", "The operator, for the report (PTS 5); a site leaves the name out.")
]
TraceFile = Annotated[
    Path | None, option("--trace", "FILE", "The trace that `replay` and `headroom` play, in any supported format.")
]
FormatIn = Annotated[str, option("--from", "FORMAT", "Format of the input, if it is not recognized by content.")]
Speed = Annotated[
    float | None,
    option("--speed", "N", "Play it N times as fast; 0: closed loop, at the depths of the trace.", min=0, max=10_000),
]
FitTo = Annotated[str | None, option("--fit", "HOW", "Map its addresses onto the drive: shift, scale or wrap.")]
LimitMs = Annotated[
    float | None, option("--limit-ms", "MS", "Headroom: upper limit of the response time.", min=0.001, max=1e6)
]
Percentile = Annotated[
    float | None,
    option("--percentile", "P", "Headroom: the percentile that the limit holds for; default 99.", min=1, max=99.999),
]
Quick = Annotated[bool, flag("--quick", "Shorten everything by fixed factors; the result is marked as shortened.")]
Verify = Annotated[bool, flag("--verify", "Let sequential fills carry content that is read back once and compared.")]
PowerSaving = Annotated[
    str | None,
    option(
        "--power-saving",
        "HOW",
        "Power states of the drive: as-found, or off for this run (APST, SATA link).",
        callback=_power_saving,
    ),
]
DESTROY = "Destroy all data on the drive with this serial number, or in the file with this full path"
DestroyData = Annotated[str | None, option("--destroy-data", "NAME", f"{DESTROY}.")]
DestroyEach = Annotated[
    list[str] | None, option("--destroy-data", "NAME", f"{DESTROY}; for several targets TARGET=NAME each.")
]
OverwriteFile = Annotated[
    list[str] | None,
    option(
        "--overwrite-file",
        "PATH",
        "Overwrite this regular file (full path) although stend did not create it; may be repeated.",
    ),
]
Create = Annotated[str | None, option("--create", "SIZE", "First create the target as a new file of this size.")]
PAPERS = Path("certificates")
"""Default folder with the certificate of a host of a fleet."""
DETACH = "--detach"
TYPED = "stend.typed"
"""Key under which `stend.cli._verbs.Verb` stores the arguments as typed."""
InUse = Annotated[bool, flag("--in-use", "Inspect a drive although it is mounted or used; the page states its use.")]
Detach = Annotated[bool, flag(DETACH, "Run in the background; `stend watch` shows the progress.")]
Json = Annotated[bool, flag("--json", "Print JSON.")]
Anyway = Annotated[bool, flag("--anyway", "Accept runs that were measured with different settings, with warnings.")]
Where = Annotated[
    list[str] | None,
    option("--where", "COLUMN=PATTERN", "Only runs with model=KC*, outcome!=complete, seconds>3600; may be repeated."),
]


def into(default: str) -> Any:
    """Return the option `--into`: the folder that a verb writes into, and its default in words."""
    return option("--into", "DIR", f"Write into this folder; default: {default}.", autocompletion=_complete.folders)


def formats(*names: str, default: str = "html") -> Any:
    """Return the option `--format`: the formats of the files that a verb writes, checked before it does any work."""

    def checked(words: list[str] | None) -> list[str] | None:
        for word in words or ():
            if word not in names:
                meant = did_you_mean(word, names, f"the formats are {', '.join(names)}")
                raise BadInput(f"there is no format {word!r}{meant}")
        return words

    listing = f"{', '.join(names[:-1])} or {names[-1]}"
    text = f"Write this format; may be repeated: {listing}; default: {default}."
    return option("--format", "F", text, callback=checked)


def _language(word: str) -> str:
    if word != "en":
        from stend import words

        words.Language(word)  # raises BadInput, before any work is done
    return word


Language = Annotated[str, option("--lang", "L", "Language, such as en or ru.", callback=_language)]


def settings(
    tests: list[str],
    profile: ProfileName = None,
    threads: Threads = None,
    depth: Depth = None,
    active_range: ActiveRange = None,
    rounds: Rounds = None,
    round_seconds: RoundSeconds = None,
    quick: Quick = False,
    verify: Verify = False,
    power_saving: PowerSaving = None,
    seed: Seed = None,
    trace: TraceFile = None,
    speed: Speed = None,
    fit: FitTo = None,
    limit_ms: LimitMs = None,
    percentile: Percentile = None,
    tested_by: TestedBy = None,
) -> dict[str, Any]:
    """Return the fields of a Request for these options of a verb that runs or plans tests.

    Raise BadInput if a test that plays a trace has none, and for an option that does not apply to the tests.
    """
    fields: dict[str, Any] = {"profile": profile, "quick": quick, "seed": seed, "threads": threads, "depth": depth}
    fields |= {"active_range_pct": active_range, "rounds": rounds, "minute_s": round_seconds}
    fields |= {"verify": verify or None, "power_saving": power_saving, "tested_by": tested_by}
    return fields | _played(tests, trace, speed=speed, fit=fit, limit_ms=limit_ms, percentile=percentile)


def with_settings(verb: Callable[..., int | None]) -> Callable[..., int | None]:
    """Give a verb the options of `settings` in the place of its parameter `fields`, which gets the result."""
    own, shared = (inspect.signature(function, eval_str=True).parameters for function in (verb, settings))
    options = [parameter for name, parameter in shared.items() if name != "tests"]

    @functools.wraps(verb)
    def command(**given: Any) -> int | None:
        fields = settings(given["tests"], **{option.name: given.pop(option.name) for option in options})
        return verb(**given, fields=fields)

    every = [each for name, parameter in own.items() for each in (options if name == "fields" else [parameter])]
    command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in every]
    )
    return command


def _played(tests: list[str], trace: Path | None, **more: Any) -> dict[str, Any]:
    """Return the fields of a Request for tests that play a trace."""
    from stend.session.request import OPTIONS, PLAYED

    options = {"trace": str(trace.absolute()) if trace else None, **more}
    playing = [test for test in PLAYED if test in tests]
    if playing and not trace:
        raise BadInput(f"the test {playing[0]} plays a trace: name its file with --trace, or `--trace example`")
    for name in (name for name, value in options.items() if value is not None):
        users = [test for test, names in PLAYED.items() if name in names]
        if not {*users} & {*playing}:
            raise BadInput(f"{OPTIONS[name]} is for the {' and '.join(users)} test{'s' * (len(users) > 1)} only")
    return options | ({"trace": ""} if trace and ships(trace) else {})


def ships(trace: Path) -> bool:
    """Return whether the name of a trace is that of the shipped one, `example`, and no file here has that name."""
    return str(trace) == "example" and not trace.exists()


def by_target(targets: Sequence[str], words: Sequence[str]) -> tuple[dict[str, str], list[str]]:
    """Split words of the form TARGET=NAME: return the names by target, and the other words."""
    pairs = [(word, next((target for target in targets if word.startswith(f"{target}=")), None)) for word in words]
    names = {target: word.removeprefix(f"{target}=") for word, target in pairs if target is not None}
    return names, [word for word, target in pairs if target is None]
