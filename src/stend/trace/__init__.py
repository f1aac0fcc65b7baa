"""Traces of real workloads in one form, whoever took them: written, read and folded in level memory.

A trace is what a drive was asked, IO by IO: when, what, where, how long it took. No data content is ever kept.
"""

from stend.trace.form import DISCARD, FLUSH, READ, UNKNOWN, WRITE, About, Batch, Trace, opened, write, writing

__all__ = ["DISCARD", "FLUSH", "READ", "UNKNOWN", "WRITE", "About", "Batch", "Trace", "opened", "write", "writing"]
