"""Which drive or file a run was made on, kept in its record and compared by whoever goes on with it. Reads only."""

import os
import stat

from stend.base.sysfs import HOST, Kernel
from stend.gate.holdings import signatures
from stend.gate.look import FILE, NUMBER, PASSING, marks

HELD = "signatures"
"""The key under which a fingerprint tells file systems, partition tables and other signatures."""


def fingerprint(path: str, kernel: Kernel = HOST) -> dict[str, str]:
    """Marks of a drive or file and of all that lies below it, by names for people, and the signatures on it.

    What a restart of the host may change (device numbers, sequence numbers) is left out, so that a run can go on after
    a power cut. Take it when the run begins, just before anything is written, and hand it to `changed` with one taken
    now. OSError where the path leads to nothing; Refused where the drive cannot be read, Missing without wipefs.
    """
    there, seen = os.stat(path), marks(path, kernel)
    kept = {key: value for key, value in seen.items() if value and not key.startswith(PASSING)}
    if not stat.S_ISBLK(there.st_mode):
        kept |= {"path": os.path.realpath(path), FILE: seen[NUMBER].partition(" on ")[0]}
    found = sorted(f"{s.kind} {s.uuid or ''} at {s.offset}" for s in signatures(path))
    return kept | {HELD: "; ".join(found)}


def changed(then: dict[str, str], now: dict[str, str]) -> str:
    """Why `now` is not what the run began on, in words that follow its name; empty if it is.

    Signatures may have gone, for a run purges; one that is new was made by somebody else.
    """
    for key in sorted((then.keys() | now.keys()) - {HELD}):
        if then.get(key, "") != now.get(key, ""):
            return f"is not what the run began on: its {key} is {now.get(key, '')!r} and was {then.get(key, '')!r}"
    known = set(then.get(HELD, "").split("; "))
    new = [one for one in now.get(HELD, "").split("; ") if one and one not in known]
    if new:
        return f"holds {', '.join(one.split()[0] for one in new)} that the run did not make; begin a new run"
    return ""
