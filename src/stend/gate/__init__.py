"""The gate: the only way to a drive that is to be written. Open it once and check it again before each phase.

A `Device` comes with a closed `Door`. Opening the door yields a descriptor that is held for the whole run, exclusive
for writers, and `path`, which leads the load to that very descriptor, so that no renamed or replaced node can be hit.
The gate itself writes nothing. Code that writes uses `Gate.writing_fd`. A partition may be a target like a drive,
because the kernel keeps writers inside it. It is named by `SERIAL-partN`, and refused on a disk that carries the system
or the run folder.
"""

from stend.gate.descriptor import Gate
from stend.gate.door import Door, Guarded
from stend.gate.fingerprint import changed, fingerprint
from stend.gate.holdings import holdings, loss
from stend.gate.locks import leased
from stend.gate.look import marks
from stend.gate.names import names_of
from stend.gate.ownership import mark
from stend.gate.refusals import present_use, refusal
from stend.gate.uses import Uses

__all__ = [
    "Door",
    "Gate",
    "Guarded",
    "Uses",
    "changed",
    "fingerprint",
    "holdings",
    "leased",
    "loss",
    "mark",
    "marks",
    "names_of",
    "present_use",
    "refusal",
]
