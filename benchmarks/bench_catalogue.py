"""The catalogue of 10,000 runs: what it costs to take runs in, to list and to ask them, in processor time and memory.

100 run folders are written and read as they are; 9,900 more are folders with an event file each, whose rows are those
of the 100, each number changed by up to 5 %. A command's cost is told beyond that of `stend --version`, both of
processes of their own; the least of five.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import duckdb
import msgspec
from tests.sides import folder
from tests.synthetic import Truth

from stend.base.units import GiB
from stend.catalogue import opened, parts
from stend.catalogue.columns import COLUMNS, ENTRY
from stend.catalogue.scan import scan
from stend.catalogue.taking import HOME

REAL, COPIES = 100, 100
TRIES = 5
LAUNCH = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""
"""A small process between: the memory of ours would count as that of what it starts."""
TESTS = ("iops", "throughput", "latency")
HALF = dict.fromkeys(("figures", "bins"), "WHERE figure % 2 = 0")
"""76 figures a run, or nearly so: there are three for each mix."""
QUERIES = {
    "the last 50 runs": "SELECT run, model, serial, firmware, outcome FROM runs ORDER BY started_s DESC LIMIT 50",
    "all figures of one run": "SELECT * FROM figures WHERE run = 'copy42-7'",
    "4K writes by model": "SELECT model, count(*), avg(iops), min(iops), max(iops) FROM figures JOIN runs USING (run) "
    "WHERE test = 'iops' AND block_bytes = 4096 AND read_pct = 0 GROUP BY model ORDER BY 3 DESC",
    "the 20 longest tails": "SELECT model, serial, p999 FROM figures JOIN runs USING (run) WHERE test = 'latency' "
    "AND block_bytes = 4096 AND read_pct = 0 ORDER BY p999 DESC LIMIT 20",
    "geometric means by firmware": "SELECT firmware, test, block_bytes, read_pct, exp(avg(ln(iops))) FROM figures "
    "JOIN runs USING (run) WHERE iops > 0 GROUP BY ALL",
    "rounds of one cell": "SELECT run, avg(iops), max(iops) - min(iops) FROM rounds WHERE test = 'iops' "
    "AND block_bytes = 4096 AND read_pct = 0 GROUP BY run",
}


def main() -> None:
    """Build, list, ask; then what changes when one run is new."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        for seed in range(REAL):
            run(top / f"run{seed}", seed + 1)
        began = time.process_time()
        with opened(top):
            each = (time.process_time() - began) / REAL
        size = sum(path.stat().st_size for path in top.glob("run*/events.jsonl")) / REAL
        print(
            f"taken in: {each * 1e3:.0f} ms of processor a run of {size / 1e6:.1f} MB; "
            f"{each * 1e4 / 60:.0f} min for 10,000"
        )
        subprocess.run([sys.executable, "-m", __name__, name], check=True)  # the memory of which is not ours
        with opened(top) as catalogue:
            counts = {table: catalogue.query(f"SELECT count(*) FROM {table}").rows[0][0] for table in COLUMNS}
        stored = sum(path.stat().st_size for path in (top / HOME).rglob("*") if path.is_file())
        print(f"{', '.join(f'{count:,} {table}' for table, count in counts.items())}; {stored / 1e6:.0f} MB")
        asked(top)
        run(top / "new", 4711)
        cost, _ = least(["list", str(top)], tries=1)
        print(f"  `stend list` with one run more: {cost * 1e3:.0f} ms")


def run(path: Path, seed: int) -> None:
    """A run folder of a synthetic drive."""
    truth, label = Truth(capacity_bytes=8 * GiB), f"lot {seed % 7}"
    folder(path, seed=seed, truth=truth, names=TESTS, label=label, interval_s=9.0)


def asked(top: Path) -> None:
    """Every command beyond the start of any."""
    start, _ = least(["--version"])
    print(f"beyond `stend --version` ({start * 1e3:.0f} ms), whole commands:")
    for title, words in {
        "stend list, all 10,000": ["list", str(top)],
        "stend list --last 50": ["list", str(top), "--last", "50"],
        **{f"stend query, {title}": ["query", sql, str(top), "--limit", "0"] for title, sql in QUERIES.items()},
    }.items():
        cost, peak = least(words)
        print(f"  {title:<42} {(cost - start) * 1e3:4.0f} ms of processor, {peak:.0f} MB")
    with opened(top) as catalogue:
        for title, sql in QUERIES.items():
            began = time.process_time()
            rows = len(catalogue.query(sql).rows)
            print(f"  the query alone, {title:<25} {(time.process_time() - began) * 1e3:4.0f} ms, {rows:,} rows")


def copied(top: Path) -> None:
    """The runs of the catalogue, many times over: folders, rows and what is known of them."""
    home = top / HOME
    known = parts.read(home)
    base = [entry for part in known for entry in parts.entries_of(part)]
    every, first = parts.files(home, known), parts.unused(known)
    for copy in range(1, COPIES):
        for seen in base:
            place = top / f"copy{copy}-{seen.place.removeprefix('run')}"
            place.mkdir()
            (place / "events.jsonl").write_bytes(b"{}\n")
            (place / "manifest.toml").touch()
    there, taken = scan(top), list[parts.Entry]()
    for copy in range(1, COPIES):
        for one in base:
            name = f"copy{copy}-{one.place.removeprefix('run')}"
            assert one.about
            own = msgspec.structs.replace(one.about, run=name, model=f"model{copy % 12}", firmware=str(copy % 5))
            taken.append(one._replace(place=name, stamp=there[name].stamp, entry=one.entry + first * copy, about=own))
    parts.place(home, taken, lambda table, path: many(every[table], table, first, path), tables=True)


def many(files: Sequence[Path], table: str, first: int, path: Path) -> None:
    """One table's rows for each copy."""
    names = {"run": "'copy' || k || '-' || replace(run, 'run', '')", "entry": f"entry + {first} * k"}
    if table == "runs":
        names |= {"model": "'model' || k % 12", "firmware": "(k % 5)::VARCHAR"}
    told = (names.get(c) or (f"{c} * (1 + 0.05 * random())" if kind == "DOUBLE" else f'"{c}"')
            for c, kind in (ENTRY | COLUMNS[table]).items())  # fmt: skip
    columns = ", ".join(f'{value} AS "{c}"' for value, c in zip(told, ENTRY | COLUMNS[table], strict=True))
    source = f"(FROM read_parquet({[str(file) for file in files]}) {HALF.get(table, '')})"
    with closing(duckdb.connect()) as database:
        database.execute(
            f"COPY (SELECT {columns} FROM {source}, range(1, {COPIES}) AS t(k)) TO '{path}' (COMPRESSION zstd)"
        )


def least(words: Sequence[str], tries: int = TRIES) -> tuple[float, float]:
    """Processor seconds of the cheapest of some processes, and the most memory of any, in MB."""
    starts = [sys.executable, "-c", LAUNCH, sys.executable, "-m", "stend", *words]
    told = [subprocess.run(starts, check=True, capture_output=True, text=True).stdout.split() for _ in range(tries)]
    return min(float(cpu) for cpu, _ in told), max(float(peak) for _, peak in told)


if __name__ == "__main__":
    copied(Path(sys.argv[1]))
