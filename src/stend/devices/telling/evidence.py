"""Evidence for a failure: logs that a drive keeps, and the kernel's lines about it, as files.

Logs of NVMe are read by `nvme get-log`, which every version of nvme-cli has, and stored as the drive returns them.
"""

import os
import re
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple

from stend.base.errors import Missing, StepFailed
from stend.base.sysfs import Kernel
from stend.base.text import plain
from stend.devices.telling import nvme_cli as cli
from stend.devices.telling.tools import finished
from stend.words import NO_WORDS, Sentence, text
from stend.words.system import errno_text

PATIENCE_S = 30.0
"""Seconds that one command may take."""
HEADER, BLOCK = 512, 512
MOST_TELEMETRY, MOST_PERSISTENT = 16 << 20, 4 << 20
"""Bytes that are kept of a telemetry log, in whole areas, and of the persistent event log."""
MOST_TEXT = 1 << 20
"""Bytes that are kept of a text."""
ERRORS, SELF_TEST = 64, 564
"""Bytes of an entry of the error log, and of the whole self-test log (NVMe base specification 2.0, 5.16.1)."""
ERROR_ENTRIES = 64
KMSG = "/dev/kmsg"
SLACK_S = 5.0
"""Seconds by which the clock of the kernel's log may differ from the monotonic clock."""
RECORD_BYTES = 8192
"""The longest record of /dev/kmsg (Documentation/ABI/testing/dev-kmsg)."""


class Piece(NamedTuple):
    """A file of evidence; without data `why` states why it could not be read."""

    name: str = ""
    data: bytes = b""
    why: Sentence = NO_WORDS


def ask(*words: str, most: int = MOST_TEXT, limit_s: float = PATIENCE_S) -> Piece:
    """Return the output of a program that reads a drive, at most so many bytes, without a name. It never raises."""
    try:
        code, out, err = finished(*words, limit_s=limit_s)
    except Missing as error:
        return Piece(why=text(str(error)))
    except StepFailed:
        return Piece(why=Sentence("evidence_silent", time=limit_s))
    if out and (not code or words[0] == "smartctl"):
        return Piece(data=out[:most])
    lines = [line for line in err.decode(errors="replace").splitlines() if line.strip()]
    return Piece(why=text(plain(lines[-1].strip())[:200]) if lines else Sentence("evidence_empty", code=code))


def nvme(controller: str) -> Iterator[Piece]:
    """Yield telemetry (07h, 08h), error log, persistent events, self-test log and SMART of an NVMe drive."""
    yield _telemetry(controller, "telemetry-host.bin", 7, "--lsp=1")
    yield _telemetry(controller, "telemetry-controller.bin", 8, "--rae")
    yield _log(controller, "error-log.bin", 1, ERRORS * ERROR_ENTRIES)
    yield _persistent(controller)
    yield _log(controller, "self-test.bin", 6, SELF_TEST)
    yield ask(*cli.words("nvme", "smart-log", controller, "--output-format=json"))._replace(name="smart.json")


def _get(controller: str, page: int, size: int, *more: str) -> Piece:
    words = ("nvme", "get-log", controller, f"--log-id={page}", f"--log-len={size}", "--raw-binary", *more)
    return ask(*words, most=size)


def _log(controller: str, name: str, page: int, size: int) -> Piece:
    return _get(controller, page, size)._replace(name=name)


def _telemetry(controller: str, name: str, page: int, first: str) -> Piece:
    """Read a telemetry log: its header, then as many whole data areas as fit.

    Bytes 8 to 13 of the header are the last block of the areas 1 to 3, each with those before it.
    """
    header = _get(controller, page, HEADER, first)
    if len(header.data) < HEADER:
        return Piece(name, b"", header.why or Sentence("evidence_short"))
    ends = [int.from_bytes(header.data[at : at + 2], "little") for at in (12, 10, 8)]
    sizes = [HEADER + end * BLOCK for end in ends if end]
    size = next((size for size in sizes if size <= MOST_TELEMETRY), 0)
    if not sizes:
        return Piece(name, header.data)
    if not size:
        return Piece(name, header.data, Sentence("evidence_header", size=MOST_TELEMETRY))
    return _get(controller, page, size, *(["--rae"] if first == "--rae" else []))._replace(name=name)


def _persistent(controller: str) -> Piece:
    """Read the persistent event log in a reporting context of its own (5.16.1.14). Bytes 8 to 15 are its length."""
    name, page = "persistent-events.bin", 13
    header = _get(controller, page, HEADER, "--lsp=1")
    if len(header.data) < HEADER:
        return Piece(name, b"", header.why or Sentence("evidence_short"))
    whole = int.from_bytes(header.data[8:16], "little")
    size = max(HEADER, min(whole, MOST_PERSISTENT)) // 4 * 4
    body = _get(controller, page, size)
    _get(controller, page, HEADER, "--lsp=2")
    return body._replace(name=name)


def smartctl(path: str) -> Piece:
    """Return all logs of a SATA or SCSI drive that smartctl reads: errors, self-tests, statistics."""
    return ask("smartctl", "--json", "--xall", path)._replace(name="smartctl.json")


def names_of(kernel: Kernel, node: str) -> set[str]:
    """Return the names by which the kernel's log calls a drive: node, controller, SCSI address, port of libata."""
    place = str(kernel.block(node).resolve())
    found = {node, *re.findall(r"/(nvme\d+|ata\d+|\d+:\d+:\d+:\d+)(?=/)", place)}
    if node.startswith("nvme"):
        found |= set(re.findall(r"/([0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7])(?=/)", place)[-1:])
    return found


def kernel_lines(names: set[str], since_s: float, read: Callable[[], Iterator[bytes]] | None = None) -> Piece:
    """Return the kernel's messages that name the drive, from `since_s` on the monotonic clock on."""
    name, kept = "kernel.log", list[str]()
    pattern = re.compile(rf"(?<![\w.:])(?:{'|'.join(map(_pattern, sorted(names)))})(?!\w)")
    try:
        for record in (read or _records)():
            head, _, text = record.decode(errors="replace").partition(";")
            fields = head.split(",")
            at_s = int(fields[2]) / 1e6 if len(fields) > 2 and fields[2].isdigit() else 0.0
            line = plain(text.partition("\n")[0])
            if at_s >= since_s - SLACK_S and pattern.search(line):
                kept.append(f"[{at_s:.6f}] {line}")
    except OSError as error:
        return Piece(name, b"", Sentence("evidence_kernel", reason=errno_text(error)))
    data = "".join(f"{line}\n" for line in kept).encode()
    return Piece(name, data[-MOST_TEXT:], NO_WORDS if data else Sentence("evidence_unnamed"))


def _pattern(name: str) -> str:
    """Return a pattern for a name and its partitions: sdb1, nvme0n1p2."""
    part = r"(?:p\d+)?" if name[-1].isdigit() else r"\d*"
    return re.escape(name) + part


def _records() -> Iterator[bytes]:
    """Yield the records of the kernel's log that exist now."""
    log = os.open(KMSG, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    until = time.monotonic() + PATIENCE_S
    try:
        while time.monotonic() < until:
            try:
                yield os.read(log, RECORD_BYTES)
            except BrokenPipeError:  # records were overwritten meanwhile; the next read continues after them
                continue
            except BlockingIOError:
                return
    finally:
        os.close(log)
