"""elbencho's results as CSV (`--csvfile`): one operation per row, with its figures at the end of the slowest thread."""

from collections.abc import Iterator

from stend.base.errors import BadInput
from stend.base.units import MiB
from stend.imports import numbers
from stend.imports.given import Given, text
from stend.imports.taken import Load, Rates, Taken, drive, rated, short, within
from stend.model.definition import Workload
from stend.words import Sentence

TOOL = "elbencho"
LIVE = "ISO Date,Label,Phase,RuntimeMS"
OPERATIONS = {"READ": 100, "WRITE": 0, "RWMIX": 50}
US = 1e-6
DATES = tuple(f"%Y-%m-%dT%H:%M:%S{part}{zone}" for part in (".%f", "") for zone in ("%z", ""))


def claims(given: Given) -> bool:
    """Return True if the first line is elbencho's header, of any version."""
    first = given.head.split("\n", 1)[0].lower()
    return not given.folder and first.startswith("iso date,") and ("operation" in first or "phase" in first)


def read(given: Given) -> Taken:
    """Return a load for every row that reads or writes. Other operations become notes.

    Raise BadInput for a file of live progress.
    """
    words = text(given.data)
    if words.startswith(LIVE):
        raise BadInput("it is elbencho's live progress, not its results; import what --csvfile wrote")
    table = list(numbers.rows(words))
    table, cut = numbers.until_cut(words, table[0], table)
    loads, notes = list[Load](), dict.fromkeys(cut)
    rows = [numbers.named(table[0], row) for row in table[1:] if any(row)]
    for row in rows:
        loads += _loads(row, notes)
    first = rows[0] if rows else {}
    version = first.get("version", "")
    command = first.get("command", "").replace('"', " ").split()
    target = command[-1] if command and "/" in command[-1] else ""
    return Taken(
        tool=TOOL,
        version=short(version),
        loads=tuple(loads),
        notes=(*notes, *_lacks(rows)),
        at=numbers.at(first.get("iso date", ""), *DATES),
        drive=drive(target),
    )


def _last(row: dict[str, str], name: str) -> float:
    """Return a figure at the end of the slowest thread (older versions have only one figure), or 0."""
    value = numbers.number(row.get(f"{name} [last]") or row.get(name))
    return value if value and value > 0 else 0.0


def _rates(row: dict[str, str], block: int, mixed: str = "") -> Rates:
    iops = _last(row, f"{mixed}iops")
    mean, longest = (numbers.scaled(row.get(f"{mixed}io lat us [{which}]"), US) for which in ("avg", "max"))
    return Rates(iops, iops * block if block else _last(row, f"{mixed}mib/s") * MiB, mean, longest)


def _loads(row: dict[str, str], notes: dict[Sentence, None]) -> Iterator[Load]:
    operation = row.get("operation", "").upper()
    name = next((known for known in OPERATIONS if operation.startswith(known)), "")
    block = numbers.block(numbers.whole(row.get("block size")))
    threads, hosts, depth = (numbers.whole(row.get(key)) or 1 for key in ("threads", "hosts", "io depth"))
    if not name or not block:
        notes[Sentence("imported.no_load", name=short(operation) or "-")] = None
        return
    ways = {"read": Rates(), "write": Rates()}
    if "rwmix read iops [last]" in row and _last(row, "rwmix read iops"):
        ways = {"write": _rates(row, block), "read": _rates(row, block, "rwmix read ")}
    else:
        ways["read" if name == "READ" else "write"] = _rates(row, block)
    both = ways["read"].iops + ways["write"].iops
    figures = within(
        random_pct=100 if row.get("random") == "1" else 0,
        read_pct=round(100 * ways["read"].iops / both) if both else OPERATIONS[name],
        block_bytes=block,
        threads=threads * hosts,
        depth=depth,
        range_bytes=numbers.whole(row.get("file size")),
    )
    yield rated(Workload(**figures), _last(row, "time ms") / 1000, ways["read"], ways["write"])


def _lacks(rows: list[dict[str, str]]) -> Iterator[Sentence]:
    yield Sentence("imported.slowest")
    yield Sentence("imported.no_table")
    if any(row.get("direct io") != "1" for row in rows):
        yield Sentence("imported.undirect")
