"""`stend trace`: describe a captured workload or convert it."""

from pathlib import Path
from typing import Annotated

from stend.cli import _options
from stend.cli._option import argument, option

HELP = """Describe a block trace or convert it to stend's Parquet form.

Supported are stend's traces and statistics, blktrace, blkparse, fio's iolog, and the traces of MSR Cambridge,
Alibaba, Tencent and SYSTOR '17, compressed or not (docs/how-to/workload.md). No drive is opened.

Example: stend trace show app.iolog"""

Given = Annotated[Path, argument("TRACE", "A trace in any known format.")]
Volume = Annotated[str, option("--volume", "NAME", "Select one drive in a trace of several.")]


def show(
    given: Given,
    reader: _options.FormatIn = "",
    volume: Volume = "",
    form: Annotated[list[str] | None, _options.formats(*_options.PAGES, default="no files are written")] = None,
    into: Annotated[Path, _options.into("this folder")] = Path(),
    as_json: _options.Json = False,
    lang: _options.Language = "en",
) -> int:
    """Describe a trace: IO streams, depth, idle time, response times and hot ranges.

    `example` is a short trace that stend ships.

    Example: stend trace show msr/hm_0.csv.gz --format html
    """
    from stend.cli import _trace

    return _trace.show(_trace.named(given), reader, volume, form or [], into, lang, as_json)


def convert(
    given: Given,
    output: Annotated[Path, argument("OUT.parquet", "The Parquet file to write.")],
    reader: _options.FormatIn = "",
    volume: Volume = "",
) -> int:
    """Convert a trace to stend's Parquet form.

    Example: stend trace convert msr/hm_0.csv.gz hm_0.parquet
    """
    from stend.cli import _trace

    return _trace.convert(given, output, reader, volume)


ACTIONS = {"show": show, "convert": convert}
