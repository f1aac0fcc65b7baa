"""Names of loads by language: `RND 4K 100/0 T4 Q16` -> `случайное чтение 4 КиБ, T4 Q16`."""

import re
from collections.abc import Callable

LABEL = re.compile(r"(RND|SEQ) (MIX|[\d.]+K) (?:(\d+)/(\d+)|([RW]))(?: (T\d+ Q\d+))?")
"""The short form of a workload or of an IO stream (`model.workload`)."""
ACCESS = {
    "RND": ("случайное чтение", "случайная запись", "случайный доступ"),
    "SEQ": ("последовательное чтение", "последовательная запись", "последовательный доступ"),
}
"""Words for reads only, writes only and a mix of both."""


def described(language: str, label: str, binary: Callable[[str, float], str]) -> str:
    """Return a load's label in words, `label` itself in English or where it has another form.

    `binary` writes the block size in bytes in that language.
    """
    match = LABEL.fullmatch(label)
    if language != "ru" or not match:
        return label
    kind, size, reads, writes, letter, outstanding = match.groups()
    only_reads, only_writes, both = ACCESS[kind]
    if letter == "R" or writes == "0":
        access = only_reads
    elif letter == "W" or reads == "0":
        access = only_writes
    else:
        access = f"{both} {reads}/{writes}"
    block = "смесь блоков" if size == "MIX" else binary(language, float(size[:-1]) * 1024)
    between = " " if access in ACCESS[kind] and size != "MIX" else ", "
    return access + between + block + (f", {outstanding}" if outstanding else "")
