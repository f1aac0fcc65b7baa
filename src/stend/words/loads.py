"""Names of loads by language: `RND 4K 100/0 T4 Q16` -> `случайное чтение 4 КиБ, T4 Q16`."""

import re
from collections.abc import Callable, Mapping

LABEL = re.compile(
    r"(RND|SEQ|\d+%RND) (MIX|TRIM [\d.]+K|[\d.]+K)(?: (\d+)/(\d+)| ([RW]))?(?: (T\d+ Q\d+))?((?: [^ +]+)*)"
)
"""The short form of a workload or of an IO stream (`model.workload`)."""
TRIM = "TRIM "
"""Prefix of the size of trims alone, which have no share of reads."""
PACE = re.compile(r" (?:(1/)?(\d+(?:\.\d+)?)(?:/s|s))( even)?")
"""The rate of an open loop in a label: ` 5000/s`, ` 1/60s even`."""

CLAIM = re.compile(r"(seq|rand)_(read|write|\d{4})(?:_(\d+)k)?(?:_MB|(_us))?")
"""Key of a claim in a drive's sheet (`findings.look.claimed`)."""
KINDS, USUAL_KIB = {"seq": "SEQ", "rand": "RND"}, {"seq": "128", "rand": "4"}


def of_claim(name: str) -> str:
    """Return the label of a claimed load: `rand_7030_8k` -> `RND 8K 70/30`; "" for a key of another form."""
    if not (match := CLAIM.fullmatch(name)):
        return ""
    access, way, block, single = match.groups()
    reads = int(way[:2]) if way.isdigit() else {"read": 100, "write": 0}[way]
    outstanding = " T1 Q1" if single else ""
    return f"{KINDS[access]} {block or USUAL_KIB[access]}K {reads}/{100 - reads}{outstanding}"


def described(
    names: Mapping[str, str], label: str, binary: Callable[[float], str], number: Callable[[float], str]
) -> str:
    """Return a load's label in the words of a language, `label` itself without such words or if it has another form.

    `binary` writes the block size in bytes in that language, `number` a number. The commands of services (FLUSH, TRIM)
    stay.
    """
    if " + " in label:
        return " + ".join(described(names, part, binary, number) for part in label.split(" + "))
    match = LABEL.fullmatch(label)
    if not names or not match:
        return label
    kind, size, reads, writes, letter, outstanding, service = match.groups()
    if size.startswith(TRIM) == bool(reads or letter):
        return label
    way = "read" if letter == "R" or writes == "0" else "write" if letter == "W" or reads == "0" else "mix"
    way = "trim" if size.startswith(TRIM) else way
    access = names[f"{'sequential' if kind == 'SEQ' else 'random'}_{way}"]
    block = names["block_mix"] if size == "MIX" else binary(float(size.removeprefix(TRIM)[:-1]) * 1024)
    between = ", " if way == "mix" or size == "MIX" else " "
    share = f" {reads}/{writes}" if way == "mix" else ""
    partly = ", " + names["partly"].replace("{n}", kind.partition("%")[0]) if "%" in kind else ""

    def paced(match: re.Match[str]) -> str:
        pace = names["every" if match[1] else "pace"].replace("{n}", number(float(match[2])))
        return f" {pace}" + (f", {names['even']}" if match[3] else "")

    last = (f", {outstanding}" if outstanding else "") + (f",{PACE.sub(paced, service)}" if service else "")
    return access + share + between + block + partly + last
