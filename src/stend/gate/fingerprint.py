"""Fingerprint the drive or file of a run: stored in the record and compared when the run resumes. Reads only."""

import os
import stat

from stend.base.sysfs import HOST, Kernel
from stend.gate.holdings import signatures
from stend.gate.look import FILE, NUMBER, PASSING, marks

HELD = "signatures"
"""The key of a fingerprint that holds file systems, partition tables and other signatures."""


def fingerprint(path: str, kernel: Kernel = HOST) -> dict[str, str]:
    """Return the marks of a drive or file and of all layers below it, and the signatures on it, by readable names.

    Marks that a restart of the host may change (device numbers, sequence numbers) are left out, so that a run can
    resume after a power cut. Take the fingerprint when the run begins, just before anything is written, and pass it to
    `changed` with a later one. Raise OSError if the path does not exist, Refused if the drive cannot be read, and
    Missing if wipefs is not installed.
    """
    there, current = os.stat(path), marks(path, kernel)
    kept = {key: value for key, value in current.items() if value and not key.startswith(PASSING)}
    if not stat.S_ISBLK(there.st_mode):
        kept |= {"path": os.path.realpath(path), FILE: current[NUMBER].partition(" on ")[0]}
    signed = sorted(f"{s.kind} {s.uuid or ''} at {s.offset}" for s in signatures(path))
    return kept | {HELD: "; ".join(signed)}


def changed(then: dict[str, str], now: dict[str, str]) -> str:
    """Return why `now` is not the drive that the run began on, in words that follow its name, or "" if it is.

    Signatures may be missing, because a run purges. A new signature was made by another program.
    """
    for key in sorted((then.keys() | now.keys()) - {HELD}):
        if then.get(key, "") != now.get(key, ""):
            return f"is not what the run began on: its {key} is {now.get(key, '')!r} and was {then.get(key, '')!r}"
    known = set(then.get(HELD, "").split("; "))
    new = [signature for signature in now.get(HELD, "").split("; ") if signature and signature not in known]
    if new:
        kinds = ", ".join(signature.split()[0] for signature in new)
        return f"holds {kinds} that the run did not make; begin a new run"
    return ""
