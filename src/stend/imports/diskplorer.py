"""JSON of diskplorer (ScyllaDB): fio's results of a grid of read rates and write rates, drawn as a service map."""

import re
from collections.abc import Iterator

import msgspec

from stend.base.errors import BadInput
from stend.base.limits import MOST_BLOCK
from stend.base.units import KiB
from stend.imports import fio
from stend.imports.given import Given
from stend.imports.taken import Load, Taken, drive, short
from stend.model.counts import Counts
from stend.model.service_map import PHASE
from stend.model.tally import Tally
from stend.model.workload import Stream, Workload, streamed
from stend.words import Sentence

TOOL = "diskplorer"
CELL = re.compile(r"job\(r_idx=\d+,w_idx=\d+,write_bw=(\d{1,15}),r_iops=(\d{1,12})\)")
"""Names of its jobs: bytes written per second and reads per second that were ordered."""
MARK = '"job(r_idx='
LEAST_READS = 10
"""Reads per second of its cells without reads: a load of writes alone has no response time of reads."""
READ_BYTES, WRITE_BYTES = 512, 128 * KiB
"""Sizes that it uses where a cell has no IO of a direction."""
DEPTH = 1000


def claims(given: Given) -> bool:
    """Return True if its jobs are named as cells of a grid."""
    return not given.folder and MARK in given.head


def read(given: Given) -> Taken:
    """Return one load per cell. Raise BadInput if a job is not a cell."""
    document, notes = fio.documents(given.data)
    names = dict.fromkeys((job.jobname, job.groupid) for job in document.jobs)
    cells = tuple(_cell(name, load) for (name, _), load in zip(names, fio.of(document), strict=True))
    return Taken(
        tool=TOOL,
        version="",
        loads=cells,
        notes=(*notes, Sentence("imported.map_sent"), Sentence("imported.map_rates")),
        at=document.timestamp,
        drive=drive(document.common.get("filename")),
    )


def _cell(name: str, load: Load) -> Load:
    found = CELL.match(name)
    if not found:
        raise BadInput(f"its job {short(name)} is not a cell of its grid")
    written, reads = (int(number) for number in found.groups())
    return load._replace(workload=_workload(max(reads, LEAST_READS), written, load.counts), phase=PHASE)


def _workload(reads: float, written: float, counts: Counts) -> Workload:
    """Return the load of a cell: random reads with Poisson arrivals beside sequential writes."""
    sizes = _size(counts.read, READ_BYTES), _size(counts.write, WRITE_BYTES)
    kinds = tuple(_streams(((reads, sizes[0], True), (written / sizes[1], sizes[1], False))))
    return msgspec.structs.replace(streamed(kinds, 1, DEPTH), rate_iops=sum(kind.share for kind in kinds))


def _streams(rates: tuple[tuple[float, int, bool], ...]) -> Iterator[Stream]:
    for rate, size, read in rates:
        if rate:
            yield Stream(share=rate, random=read, read=read, block_bytes=size)


def _size(tally: Tally, usual: int) -> int:
    """Return the mean size of IOs, in whole sectors, as far as one IO can have it."""
    return min(max(round(tally.bytes / tally.ios / 512), 1) * 512, MOST_BLOCK) if tally.ios else usual
