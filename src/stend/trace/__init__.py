"""Write, read and fold block traces of real workloads, from any source, in one format and in constant memory.

A trace lists the IOs that a drive received: time, operation, place and response time of each. It never holds data.
"""

from stend.trace.form import DISCARD, FLUSH, READ, UNKNOWN, WRITE, About, Batch, Trace, opened, write, writing

__all__ = ["DISCARD", "FLUSH", "READ", "UNKNOWN", "WRITE", "About", "Batch", "Trace", "opened", "write", "writing"]
