"""`python -m benchmarks.together`: four drives of this host at once, two zram and two loop, one of which fails.

Root. Told: outcomes, how far apart phases began, by how much the drives moved each other's figures; then the first
drive alone against beside another, in turns, by `stend compare`.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from stend.base.units import MiB

STEND = [sys.executable, "-m", "stend"]
STUDY = ["fresh", "--quick", "--round-seconds", "1"]
ZRAM = Path("/sys/class/zram-control")


@contextmanager
def zram(size: int) -> Iterator[str]:
    """A drive in compressed memory."""
    number = (ZRAM / "hot_add").read_text().strip()
    Path(f"/sys/block/zram{number}/disksize").write_text(str(size))
    try:
        yield f"/dev/zram{number}"
    finally:
        Path(f"/sys/block/zram{number}/reset").write_text("1")
        (ZRAM / "hot_remove").write_text(number)


@contextmanager
def loop(path: Path, size: int) -> Iterator[str]:
    """A file as a drive."""
    subprocess.run(["fallocate", "-l", str(size), str(path)], check=True)
    words = ["losetup", "-f", "--show", "--direct-io=on", str(path)]
    node = subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()
    try:
        yield node
    finally:
        subprocess.run(["losetup", "-d", node], check=False)


def _file(files: dict[str, Path], node: str) -> tuple[str, ...]:
    return ("--overwrite-file", str(files[node])) if node in files else ()


def named(nodes: Sequence[str], files: dict[str, Path]) -> list[str]:
    """Each drive, and leave to destroy what is on it."""
    return [
        word
        for node in nodes
        for word in (
            "--target",
            node,
            "--destroy-data",
            f"{node}={files.get(node, Path(node).name)}",
            *_file(files, node),
        )
    ]


def four(top: Path, nodes: Sequence[str], files: dict[str, Path]) -> None:
    """All at once, and the last one's file is cut off while they are measured."""
    words = [*STEND, "run", *STUDY, *named(nodes, files), "--together", "--trial", "1", "--into", str(top / "four")]
    process = subprocess.Popen(words)
    while not (top / "four/.together/go-1").exists() and process.poll() is None:
        time.sleep(0.1)
    os.truncate(files[nodes[-1]], 0)
    subprocess.run(["losetup", "-c", nodes[-1]], check=False)
    print(f"four at once: exit code {process.wait()}")


def alone_and_beside(top: Path, nodes: Sequence[str], files: dict[str, Path], pairs: int = 3) -> None:
    """The first drive alone, then the same beside the second, so many times; compared by run."""
    for pair in range(pairs):
        for side, drives in (("alone", nodes[:1]), ("beside", nodes[:2])):
            into = top / f"pairs/{side}-{pair}"
            more = ["--together", "--trial", "0"] if len(drives) > 1 else []
            own = named(drives, files) if more else ["--target", nodes[0], "--destroy-data", Path(nodes[0]).name]
            words = [*STEND, "run", *STUDY, *own, *more, "--label", side, "--into", str(into)]
            subprocess.run(words, check=True, capture_output=True)
    alone = [str(top / f"pairs/alone-{pair}") for pair in range(pairs)]
    beside = [str(next((top / f"pairs/beside-{pair}").glob("01-*/"))) for pair in range(pairs)]
    subprocess.run([*STEND, "compare", *alone, "--", *beside], check=False)


def main() -> None:
    """All of it, on drives of 256 MiB."""
    size = 256 * MiB
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        top = Path(folder)
        one, two = top / "one.bin", top / "two.bin"
        with zram(size) as a, zram(size) as b, loop(one, size) as c, loop(two, size) as d:
            files = {c: one, d: two}
            four(top, [a, b, c, d], files)
            alone_and_beside(top, [a, b], files)


if __name__ == "__main__":
    main()
