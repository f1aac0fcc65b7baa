"""`stend trace`: what a captured workload asks of a drive."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from stend.base.errors import BadInput


class Do(StrEnum):
    """What is to be done."""

    show = "show"
    convert = "convert"


def command(
    do: Annotated[Do, typer.Argument(help="What to do.")],
    given: Annotated[list[Path], typer.Argument(metavar="TRACE [OUT.parquet]", help="A trace in any known format.")],
    reader: Annotated[
        str, typer.Option("--reader", metavar="FORMAT", help="Its format, where its content does not tell it.")
    ] = "",
    volume: Annotated[str, typer.Option("--volume", help="One drive of several that a foreign trace tells of.")] = "",
    form: Annotated[
        list[str] | None, typer.Option("--format", help="html, pdf, markdown or json; may be repeated.")
    ] = None,
    into: Annotated[Path, typer.Option("--into", metavar="DIR", help="Where pages are written.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="On the screen as JSON.")] = False,
    lang: Annotated[str, typer.Option("--lang", help="en or ru.")] = "en",
) -> int:
    """Describe a trace: IO streams, depth, idle time, response times, hot ranges; or make it stend's own Parquet.

    show TRACE; convert TRACE OUT.parquet. Read are stend's own traces and statistics, blktrace and blkparse, fio's
    iolog, traces of MSR Cambridge, Alibaba, Tencent and SYSTOR '17, packed or not (docs/traces.md). No drive is opened.

    Example: stend trace show msr/hm_0.csv.gz --format html
    """
    from stend.cli import _trace

    many = {Do.show: 1, Do.convert: 2}[do]
    if len(given) != many:
        said = {Do.show: "one trace", Do.convert: "a trace and the file to make"}[do]
        raise BadInput(f"`stend trace {do}` takes {said}: see `stend trace --help`")
    if do is Do.convert:
        return _trace.convert(given[0], given[1], reader, volume)
    return _trace.show(given[0], reader, volume, form or [], into, lang, as_json)
