"""Arguments and options that several verbs share."""

from pathlib import Path
from typing import Annotated, Any

import typer

from stend.base.errors import BadInput

Tests = Annotated[
    list[str], typer.Argument(metavar="TEST...", help="Tests, suites, or TOML files of studies; see `stend tests`.")
]
Target = Annotated[
    str, typer.Option("--target", "-t", metavar="T", help="A device node, /dev/disk/by-id/..., a file, or sim:NAME.")
]
ProfileName = Annotated[
    str | None,
    typer.Option("--profile", "-p", metavar="P", help="A profile's name or a TOML file; default: the suite's profile."),
]
Threads = Annotated[
    int | None, typer.Option("--threads", min=1, max=1024, help="Threads (TC), instead of the profile's.")
]
Depth = Annotated[int | None, typer.Option("--depth", min=1, max=65536, help="Queue depth of each thread (QD).")]
ActiveRange = Annotated[
    float | None, typer.Option("--active-range", metavar="PCT", min=0.01, max=100, help="Percent of the drive to test.")
]
Rounds = Annotated[int | None, typer.Option("--rounds", min=1, max=100_000, help="Limit of rounds to steady state.")]
RoundSeconds = Annotated[
    float | None,
    typer.Option(
        "--round-seconds", min=0.2, max=86_400, help="Seconds per minute of the specification; the standard needs 60."
    ),
]
TraceFile = Annotated[
    Path | None,
    typer.Option(
        "--trace", metavar="FILE", help="The trace that `replay` and `headroom` play, in any supported format."
    ),
]
Speed = Annotated[
    float | None,
    typer.Option(
        "--speed",
        metavar="N",
        min=0,
        max=10_000,
        help="Play it N times as fast; 0: closed loop, at the depths of the trace.",
    ),
]
FitTo = Annotated[
    str | None, typer.Option("--fit", metavar="HOW", help="Map its addresses onto the drive: shift, scale or wrap.")
]
LimitMs = Annotated[
    float | None,
    typer.Option("--limit-ms", metavar="MS", min=0.001, max=1e6, help="Headroom: upper limit of the response time."),
]
Percentile = Annotated[
    float | None,
    typer.Option(
        "--percentile",
        metavar="P",
        min=1,
        max=99.999,
        help="Headroom: the percentile that the limit holds for; default 99.",
    ),
]
Quick = Annotated[
    bool, typer.Option("--quick", help="Shorten everything by fixed factors; the run is marked as shortened.")
]
DestroyData = Annotated[
    str | None,
    typer.Option(
        "--destroy-data",
        metavar="NAME",
        help="Destroy all data on the drive with this serial number, or in the file with this full path.",
    ),
]
OverwriteFile = Annotated[
    list[str] | None,
    typer.Option(
        "--overwrite-file",
        metavar="PATH",
        help="Overwrite this regular file (full path) although stend did not create it; may be repeated.",
    ),
]
Create = Annotated[
    str | None, typer.Option("--create", metavar="SIZE", help="First create the target as a new file of this size.")
]
DETACH = "--detach"
TYPED = "stend.typed"
"""Key under which `stend.cli.Verb` stores the arguments as typed."""
Detach = Annotated[bool, typer.Option(DETACH, help="Run in the background; `stend watch DIR` shows the progress.")]


def played(tests: list[str], trace: Path | None, **more: Any) -> dict[str, Any]:
    """Return the fields of a Request for tests that play a trace.

    Raise BadInput if such a test has no trace, and for an option that does not apply to the tests.
    """
    from stend.session.request import OPTIONS, PLAYED

    options = {"trace": str(trace.absolute()) if trace else None, **more}
    playing = [test for test in PLAYED if test in tests]
    if playing and not trace:
        raise BadInput(f"the test {playing[0]} plays a trace: name its file with --trace, or `--trace example`")
    for name in (name for name, value in options.items() if value is not None):
        users = [test for test, names in PLAYED.items() if name in names]
        if not {*users} & {*playing}:
            raise BadInput(f"{OPTIONS[name]} is for the {' and '.join(users)} test{'s' * (len(users) > 1)} only")
    return options | ({"trace": ""} if str(trace) == "example" else {})
