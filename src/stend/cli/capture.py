"""`stend capture`: what a drive of this host is asked while it works, without touching it."""

import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from stend.capture.running import Captured, Wish

FULL = ("stop", "ring")


def command(
    target: Annotated[str, typer.Argument(metavar="[DRIVE]", help="A whole disk: /dev/nvme0n1.")] = "",
    length: Annotated[str, typer.Option("--for", metavar="TIME", help="How long: 90s, 10min, 1h, 2d.")] = "1h",
    into: Annotated[Path | None, typer.Option("--into", metavar="FILE", help="The file to write.")] = None,
    addresses: Annotated[
        bool, typer.Option("--addresses", help="Keep every IO with its place, for a replay IO by IO.")
    ] = False,
    step: Annotated[str, typer.Option("--step", metavar="TIME", help="Length of a step of the statistics.")] = "1s",
    limit: Annotated[str, typer.Option("--limit", metavar="SIZE", help="Keep at most so much on the disk.")] = "",
    full: Annotated[
        str,
        typer.Option("--full", metavar="stop|ring", help="At the limit or on a full disk: end, or drop the oldest."),
    ] = "stop",
    shift: Annotated[
        str,
        typer.Option(
            "--shift-secret", metavar="FILE|random", help="Move all places by a secret, so that they tell no layout."
        ),
    ] = "",
    finish: Annotated[
        Path | None, typer.Option("--finish", metavar="FILE", help="Make the file of a capture that was cut off.")
    ] = None,
) -> int:
    """Capture what a drive is asked while this host works with it: read-only, no data content.

    Kept are, a second, the IO streams (access, size, direction) with their response times, depth and idle time; with
    --addresses every IO, in Parquet. Ctrl-C ends it and keeps everything. Only root sees the kernel's trace points.

    Example: stend capture /dev/nvme0n1 --for 1h --into monday.steps
    """
    from stend.base.errors import BadInput
    from stend.capture import spool

    if finish is not None:
        typer.echo(f"{finish}: {spool.finish(finish)} parts joined")
        return 0
    if full not in FULL:
        raise BadInput(f"--full {full}: it is stop or ring")
    if not target:
        raise BadInput("name the drive to capture, such as /dev/nvme0n1; `stend devices` lists them")
    return _captured(_wish(target, length, into, addresses, step, limit, full, shift))


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
    went = capture(wish, stop, partial(_tell, wish))
    if sys.stderr.isatty():
        typer.echo("", err=True)
    for line in _lines(wish, went):
        typer.echo(line)
    return 5 if went.why else 0


def _tell(wish: "Wish", went: "Captured") -> None:
    from stend.base.units import duration, rate

    if not went.seconds:
        kept = "every IO with its place" if wish.addresses else "statistics of streams, no addresses"
        typer.echo(f"{wish.target}: begun, {kept}, for {duration(wish.seconds)}; Ctrl-C keeps everything", err=True)
    elif sys.stderr.isatty():
        pace = rate(went.ios / max(went.seconds, 1e-9))
        typer.echo(f"\r{duration(went.seconds)}, {went.ios} IOs, {pace} IOPS, lost {went.lost}   ", nl=False, err=True)


def _lines(wish: "Wish", went: "Captured") -> list[str]:
    """What was captured, beside what the block layer counted, and what is missing."""
    from stend.base.units import duration

    counted = went.counted
    lines = [
        f"{wish.into}: {went.ios} IOs of {went.drive.words} in {duration(went.seconds)}, "
        f"by {went.drive.begins} and {went.drive.ends}",
        f"  the block layer counted {counted.reads + counted.writes + counted.discards} reads, writes and discards: "
        f"{went.off:.3%} off; {went.cpu_s / max(went.seconds, 1e-9):.2%} of a processor",
    ]
    lost = f"  LOST: {went.lost} IOs ({went.lost_records} records found no room in the kernel's buffers)"
    return [*lines, *([lost] if went.lost else []), *(f"  {note}" for note in went.notes)]
