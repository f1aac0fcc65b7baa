"""What a drive of this host is asked, as it happens: the kernel's own trace points, read in batches of the one form.

Nothing is written to the drive, and no data content is seen: the kernel tells where, how much, when, and when it ended.
"""
