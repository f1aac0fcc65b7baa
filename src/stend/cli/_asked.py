"""What the verbs that meet a drive ask alike."""

from typing import Annotated

import typer

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
Quick = Annotated[bool, typer.Option("--quick", help="Shorten everything by stated factors; the run is stamped.")]
DestroyData = Annotated[
    str | None,
    typer.Option(
        "--destroy-data",
        metavar="NAME",
        help="Yes, destroy all data on the drive of this serial, or in the file of this full path.",
    ),
]
Create = Annotated[
    str | None, typer.Option("--create", metavar="SIZE", help="Make the target, a new file of this size, first.")
]
DETACH = "--detach"
TYPED = "stend.typed"
"""Where the front door keeps the words of a verb as they were typed."""
Detach = Annotated[bool, typer.Option(DETACH, help="Go on without this terminal; `stend watch DIR` looks on.")]
