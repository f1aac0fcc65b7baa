"""Capture the workload of a drive of this host: read the kernel's trace points, in batches of the form of traces.

Nothing is written to the drive, and no data is read: the kernel records the place, size, issue and end of each IO.
"""
