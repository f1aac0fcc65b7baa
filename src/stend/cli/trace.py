"""`stend trace`: describe a captured workload or convert it."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from stend.base.errors import BadInput


class Do(StrEnum):
    """An action of `stend trace`."""

    show = "show"
    convert = "convert"


def command(
    do: Annotated[Do, typer.Argument(help="What to do.")],
    given: Annotated[list[Path], typer.Argument(metavar="TRACE [OUT.parquet]", help="A trace in any known format.")],
    reader: Annotated[
        str, typer.Option("--reader", metavar="FORMAT", help="Format, if it is not recognized by content.")
    ] = "",
    volume: Annotated[str, typer.Option("--volume", help="Select one drive in a trace of several.")] = "",
    form: Annotated[
        list[str] | None, typer.Option("--format", help="html, pdf, markdown or json; may be repeated.")
    ] = None,
    into: Annotated[Path, typer.Option("--into", metavar="DIR", help="Folder for the pages.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    lang: Annotated[str, typer.Option("--lang", help="en or ru.")] = "en",
) -> int:
    """Describe a block trace or convert it to stend's Parquet form.

    show TRACE prints IO streams, depth, idle time, response times and hot ranges; convert TRACE OUT.parquet converts.
    Supported are stend's traces and statistics, blktrace, blkparse, fio's iolog, and the traces of MSR Cambridge,
    Alibaba, Tencent and SYSTOR '17, compressed or not (docs/how-to/workload.md). No drive is opened.

    Example: stend trace show msr/hm_0.csv.gz --format html
    """
    from stend.cli import _trace

    many = {Do.show: 1, Do.convert: 2}[do]
    if len(given) != many:
        needed = {Do.show: "one trace", Do.convert: "a trace and an output file"}[do]
        raise BadInput(f"`stend trace {do}` takes {needed}; see `stend trace --help`")
    if do is Do.convert:
        return _trace.convert(given[0], given[1], reader, volume)
    return _trace.show(given[0], reader, volume, form or [], into, lang, as_json)
