"""What the verbs that meet a drive ask alike."""

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
    typer.Option(
        "--profile", "-p", metavar="P", help="A profile's name, or a TOML file of your own; else the suite's own."
    ),
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
    typer.Option("--round-seconds", min=0.2, max=86_400, help="How long one minute of the clause lasts; 60 by rule."),
]
TraceFile = Annotated[
    Path | None,
    typer.Option(
        "--trace", metavar="FILE", help="The trace that `replay` and `headroom` play, in any format that is read."
    ),
]
Speed = Annotated[
    float | None,
    typer.Option("--speed", metavar="N", min=0, max=10_000, help="Play it N times as fast; 0: as its depths allow."),
]
FitTo = Annotated[
    str | None, typer.Option("--fit", metavar="HOW", help="Lay its addresses on the drive: shift, scale or wrap.")
]
LimitMs = Annotated[
    float | None,
    typer.Option("--limit-ms", metavar="MS", min=0.001, max=1e6, help="Headroom: what response times may not exceed."),
]
Percentile = Annotated[
    float | None,
    typer.Option("--percentile", metavar="P", min=1, max=99.999, help="Headroom: which of them; 99 by itself."),
]
Quick = Annotated[bool, typer.Option("--quick", help="Shorten everything by stated factors; the run is stamped.")]
DestroyData = Annotated[
    str | None,
    typer.Option(
        "--destroy-data",
        metavar="NAME",
        help="Yes, destroy all data on the drive of this serial, or in the file of this full path.",
    ),
]
OverwriteFile = Annotated[
    list[str] | None,
    typer.Option(
        "--overwrite-file",
        metavar="PATH",
        help="Yes, overwrite this regular file, by its full path, although stend did not make it; repeat for several.",
    ),
]
Create = Annotated[
    str | None, typer.Option("--create", metavar="SIZE", help="Make the target, a new file of this size, first.")
]
DETACH = "--detach"
TYPED = "stend.typed"
"""Where the front door keeps the words of a verb as they were typed."""
Detach = Annotated[bool, typer.Option(DETACH, help="Go on without this terminal; `stend watch DIR` looks on.")]


def played(tests: list[str], trace: Path | None, **asked: Any) -> dict[str, Any]:
    """The fields of a request that tests ask for which play a trace. BadInput where one is asked for without a trace,
    and for what is asked of none of the tests."""
    from stend.session.request import OPTIONS, PLAYED

    told = {"trace": str(trace.absolute()) if trace else None, **asked}
    own = [test for test in PLAYED if test in tests]
    if own and not trace:
        raise BadInput(f"the test {own[0]} plays a trace: name its file with --trace, or `--trace example`")
    for name in (name for name, value in told.items() if value is not None):
        meant = [test for test, names in PLAYED.items() if name in names]
        if not {*meant} & {*own}:
            raise BadInput(f"{OPTIONS[name]} is for the {' and '.join(meant)} test{'s' * (len(meant) > 1)}")
    return told | ({"trace": ""} if str(trace) == "example" else {})
