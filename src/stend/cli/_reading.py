"""The progress line of verbs that read a catalogue."""

import sys

MANY = 200


def show_progress(done: int, of: int) -> None:
    """Print how many runs are read, on a terminal and from MANY runs on."""
    if of >= MANY and sys.stderr.isatty():
        end = "\n" if done >= of else ""
        print(f"\rreading new runs into the catalogue: {done} of {of}", end=end, file=sys.stderr, flush=True)
