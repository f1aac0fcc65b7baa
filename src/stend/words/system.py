"""Messages of the system as sentences."""

import errno

from stend.words import Sentence, text

KNOWN: dict[int | None, str] = {
    errno.EIO: "errno_io",
    errno.ENODEV: "errno_device",
    errno.ENOENT: "errno_entry",
    errno.ENOSPC: "errno_space",
    errno.ENXIO: "errno_address",
    errno.EPERM: "errno_permitted",
}


def errno_text(error: OSError) -> Sentence:
    """Return the system's message for an error, in the words of the catalogue if it has it."""
    key = KNOWN.get(error.errno)
    return Sentence(key) if key else text(error.strerror or str(error))
