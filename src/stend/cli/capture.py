"""`stend capture`: record the I/O that this host sends to a drive, without writing to it."""

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stend.cli import _complete, _options
from stend.cli._edge import rewrite
from stend.cli._option import argument, flag, option

if TYPE_CHECKING:
    from stend.capture.running import Captured, Wish

FULL = ("stop", "ring")


def command(
    target: Annotated[
        str,
        argument(
            "[DRIVE]", "A drive, such as /dev/nvme0n1; it must be a whole disk.", autocompletion=_complete.targets
        ),
    ] = "",
    length: Annotated[str, option("--for", "TIME", "Duration: 90s, 10min, 1h, 2d.")] = "1h",
    output: Annotated[
        Path | None, option("--output", "FILE", "The file to write; default: DRIVE-TIME in this folder.")
    ] = None,
    addresses: Annotated[bool, flag("--addresses", "Keep every IO with its address, for an exact replay.")] = False,
    step: Annotated[str, option("--step", "TIME", "Length of a step of the statistics.")] = "1s",
    limit: Annotated[str, option("--limit-size", "SIZE", "Largest size of the capture on disk.")] = "",
    full: Annotated[
        str, option("--full", "HOW", "At the limit or on a full disk: stop, or drop the oldest data.")
    ] = "stop",
    shift: Annotated[
        str, option("--shift-secret", "FILE|random", "Shift all addresses by a secret, which hides the layout.")
    ] = "",
    finish: Annotated[
        Path | None, option("--finish", "FILE", "Complete the file of a capture that was cut off.")
    ] = None,
    also: _options.AlsoTarget = None,
) -> int:
    """Record the I/O that this host sends to a drive. Read-only, without data content.

    For each second the file has the IO streams (access, size, direction) with their response times, depth and idle
    time. With --addresses it has every IO, in Parquet. Ctrl-C ends the capture and keeps everything. The kernel's trace
    points need root.

    Example: stend capture /dev/nvme0n1 --for 1h --output monday.steps
    """
    from stend.base.errors import BadInput
    from stend.capture import spool

    if finish is not None:
        typer.echo(f"{finish}: {spool.finish(finish)} parts joined")
        return 0
    if full not in FULL:
        raise BadInput(f"--full {full}: use stop or ring")
    target = target or (also or [""])[0]
    if not target:
        raise BadInput("name the drive to capture, such as /dev/nvme0n1; `stend devices` lists them")
    return _captured(_wish(target, length, output, addresses, step, limit, full, shift))


def _wish(
    target: str, length: str, into: Path | None, addresses: bool, step: str, limit: str, full: str, shift: str
) -> "Wish":
    from stend.base.units import parse_bytes, parse_seconds
    from stend.capture.running import Wish

    suffix = "parquet" if addresses else "steps"
    return Wish(
        target=target,
        seconds=parse_seconds(length),
        into=into or Path(f"{Path(target).name}-{time.strftime('%Y%m%d-%H%M%S')}.{suffix}"),
        addresses=addresses,
        step_ns=round(parse_seconds(step) * 1e9),
        limit_bytes=parse_bytes(limit) if limit else 1 << 62,
        ring=full == "ring",
        shift=shift,
    )


def _captured(wish: "Wish") -> int:
    from stend.capture.running import capture
    from stend.session.stopping import Signals

    stop = Signals()
    stop.running = True
    result = capture(wish, stop, partial(_show_progress, wish))
    rewrite("", ends=True)
    for line in _lines(wish, result):
        typer.echo(line)
    return 5 if result.why else 0


def _show_progress(wish: "Wish", state: "Captured") -> None:
    from stend.base.units import duration, rate

    if not state.seconds:
        kept = "every IO with its address" if wish.addresses else "statistics of streams, no addresses"
        typer.echo(f"{wish.target}: capturing {kept}, for {duration(wish.seconds)}; Ctrl-C keeps everything", err=True)
    else:
        pace = rate(state.ios / max(state.seconds, 1e-9))
        rewrite(f"{duration(state.seconds)}, {state.ios} IOs, {pace} IOPS, lost {state.lost}")


def _lines(wish: "Wish", result: "Captured") -> list[str]:
    """Return how many IOs were captured, how many the block layer counted, and how many were lost."""
    from stend.base.units import duration

    known = result.counted.reads + result.counted.writes + result.counted.discards
    check = f"the block layer counted {known} reads, writes and discards: {result.off:.3%} off"
    if result.ios and not known:
        check = "the block layer keeps no counters of this drive (queue/iostats), so that no number confirms these IOs"
    lines = [
        f"{wish.into}: {result.ios} IOs of {result.drive.words} in {duration(result.seconds)}, "
        f"by {result.drive.begins} and {result.drive.ends}",
        f"  {check}; {result.cpu_s / max(result.seconds, 1e-9):.2%} of a processor",
    ]
    lost = f"  LOST: {result.lost} IOs ({result.lost_records} records did not fit in the kernel's buffers)"
    none = f"  {wish.into} was not made: there was no room for a single part"
    return [
        *lines,
        *([lost] if result.lost else []),
        *([] if wish.into.exists() else [none]),
        *(f"  {note}" for note in result.notes),
    ]
