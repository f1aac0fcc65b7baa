"""The table of preparations: interface x means x state x wish -> commands or a refusal, a row a test."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from stend.base.units import GB, MiB
from stend.devices.purging.prepare_table import (
    AMA,
    DESCRIPTOR,
    HPA,
    NAMESPACES,
    Answer,
    Layout,
    Same,
    Way,
    Wish,
    decide,
)
from stend.devices.purging.table import Drive, No

NATIVE, SMALL = 960_197_124_096, 800 * GB // MiB * MiB
BLOCKS, SMALL_BLOCKS = NATIVE // 512, SMALL // 512
SURE = "hdparm --yes-i-know-what-i-am-doing"
FORMAT = "nvme format /dev/nvme0 --namespace-id=1"
RESCAN = "nvme ns-rescan /dev/nvme0"


def lba_format(index: int, size: int, metadata: int = 0, performance: int = 0, *, used: bool = False) -> dict[str, Any]:
    told = {"index": index, "bytes": size, "metadata_bytes": metadata, "in_use": used}
    return told | {"relative_performance": performance}


BOTH = (lba_format(0, 512, performance=2, used=True), lba_format(1, 512, 8), lba_format(2, 4096), lba_format(3, 4096))
WORSE_FIRST = (lba_format(0, 512, used=True), lba_format(1, 4096, 8), lba_format(2, 4096, 0, 2), lba_format(3, 4096))
PROTECTED = (lba_format(0, 512), lba_format(1, 512, 8, used=True))


def namespaces(blocks: int, flbas: int = 0, ids: str = "0", *, shared: bool = False) -> str:
    nvme, own = "/dev/nvme0", "--namespace-id=1"
    return "; ".join(
        (
            f"nvme detach-ns {nvme} {own} --controllers={ids}",
            f"nvme delete-ns {nvme} {own}",
            f"nvme create-ns {nvme} --nsze={blocks} --ncap={blocks} --flbas={flbas}{' --nmic=1' if shared else ''}",
            f"nvme attach-ns {nvme} --namespace-id={{nsid}} --controllers={ids}",
            RESCAN,
        )
    )


class Row(NamedTuple):
    """What is asked of the table, and what it must say: commands, `same`, or `no: WORDS`."""

    interface: str
    can: str
    state: str
    wish: Wish
    says: str
    layout: Mapping[str, Any] = MappingProxyType({})
    more: Mapping[str, Any] = MappingProxyType({})


B4096, B512, HALF = Wish(lba_bytes=4096), Wish(lba_bytes=512), Wish(capacity_pct=50)
TO_800, ALL = Wish(capacity_bytes=800 * GB), Wish(restore=True)
NVME = {"formats": BOTH, "means": NAMESPACES, "native_bytes": NATIVE}
FIXED = {"formats": BOTH}
SATA = {"means": HPA, "native_bytes": NATIVE}
CUT = {"capacity_bytes": SMALL}
TWO = {"controllers": (1, 2), "shared": True}
PAIR = {"neighbours": ("nvme0n2",)}
ROWS = [
    # NVMe, blocks: Format with the best format that has no metadata
    Row("nvme", "format", "", B4096, f"{FORMAT} --lbaf=2 --ses=0 --force --timeout=86400000; {RESCAN}", FIXED),
    Row(
        "nvme",
        "format",
        "",
        B4096,
        f"{FORMAT} --lbaf=3 --ses=0 --force --timeout=86400000; {RESCAN}",
        {"formats": WORSE_FIRST},
    ),
    Row("nvme", "format", "", B512, "same", FIXED),
    Row(
        "nvme",
        "format",
        "",
        B512,
        f"{FORMAT} --lbaf=0 --ses=0 --force --timeout=86400000; {RESCAN}",
        {"formats": PROTECTED},
    ),
    Row(
        "nvme",
        "format",
        "",
        B4096,
        "no: it has no blocks of 4096 bytes; request one of its sizes: 512",
        {"formats": PROTECTED},
    ),
    Row(
        "nvme",
        "format",
        "",
        Wish(lba_bytes=520),
        "no: it has no blocks of 520 bytes; request one of its sizes: 512, 4096",
        FIXED,
    ),
    Row("nvme", "", "", B4096, "no: it has no Format NVM", FIXED),
    Row("nvme", "format", "", B4096, "no: it does not report that its block size can be changed"),
    Row(
        "nvme", "format", "format all", B4096, f"{FORMAT} --lbaf=2 --ses=0 --force --timeout=86400000; {RESCAN}", FIXED
    ),
    Row("nvme", "format", "", B4096, f"{FORMAT} --lbaf=2 --ses=0 --force --timeout=86400000; {RESCAN}", FIXED, PAIR),
    Row(
        "nvme",
        "format",
        "format all",
        B4096,
        "no: it formats all its namespaces at once and would hit nvme0n2",
        FIXED,
        PAIR,
    ),
    Row("nvme", "format", "sanitize running", B4096, "no: a sanitize is already running in it", FIXED),
    Row("nvme", "format", "sanitize failed", B4096, "no: its last sanitize failed; purge it first", FIXED),
    Row("nvme", "format", "read-only", B4096, "no: it accepts no writes", FIXED),
    # NVMe, capacity: its one namespace made anew
    Row("nvme", "", "", TO_800, namespaces(SMALL_BLOCKS), NVME),
    Row("nvme", "", "", HALF, namespaces(NATIVE // 2 // MiB * MiB // 512), NVME),
    Row("nvme", "", "", Wish(4096, 800 * GB), namespaces(SMALL // 4096, 2), NVME),
    Row("nvme", "", "", ALL, namespaces(BLOCKS), NVME | CUT),
    Row("nvme", "", "", ALL, "same", NVME),
    Row("nvme", "", "", TO_800, "same", NVME | CUT),
    Row("nvme", "", "", Wish(capacity_pct=100), namespaces(BLOCKS, ids="1,2"), NVME | CUT | {"controllers": (1, 2)}),
    Row("nvme", "", "", TO_800, namespaces(SMALL_BLOCKS, 65), NVME, {"lba_format": 33}),
    Row("nvme", "", "", TO_800, namespaces(SMALL_BLOCKS, ids="1,2", shared=True), NVME | TWO),
    Row("nvme", "", "", TO_800, "no: it has other namespaces, nvme0n2; delete these first", NVME, PAIR),
    Row(
        "nvme",
        "",
        "",
        TO_800,
        "no: its LBA format has metadata beside each block; give --lba-bytes",
        NVME | {"formats": PROTECTED},
    ),
    Row("nvme", "", "", Wish(capacity_bytes=961 * GB), "no: it has 960 GB in all; request less", NVME),
    Row("nvme", "", "", ALL, "no: it does not report how large its namespace may be", {"means": NAMESPACES}),
    Row(
        "nvme",
        "format",
        "",
        TO_800,
        "no: it cannot be made smaller or larger; instead, purge it and test a part",
        FIXED,
    ),
    Row("nvme", "format", "", ALL, "no: it cannot be made smaller or larger by any command", FIXED),
    # SATA: sector configuration, and the areas that Set Max Address hides
    Row(
        "sata",
        "",
        "",
        B4096,
        f"{SURE} --please-destroy-my-drive --set-sector-size 4096 /dev/sda",
        {"block_sizes": (512, 4096)},
    ),
    Row("sata", "", "", B4096, "no: it does not report that its block size can be changed; leave"),
    Row(
        "sata",
        "",
        "",
        B4096,
        "no: it has no blocks of 4096 bytes; request one of its sizes: 512",
        {"block_sizes": (512,)},
    ),
    Row("sata", "", "", TO_800, f"{SURE} -Np{SMALL_BLOCKS} /dev/sda", SATA),
    Row("sata", "", "", TO_800, f"{SURE} -Np{SMALL // 4096} /dev/sda", SATA | {"lba_bytes": 4096}),
    Row("sata", "", "", TO_800, f"{SURE} -Np{SMALL_BLOCKS} /dev/sda", SATA | {"means": AMA}),
    Row("sata", "", "", ALL, f"{SURE} -Np{BLOCKS} /dev/sda", SATA | CUT),
    Row("sata", "", "", ALL, "same", SATA),
    Row("sata", "", "", ALL, "no: it does not report its native size", {"means": HPA}),
    Row("sata", "", "", HALF, "no: it does not report its full size, of which that would be a part", {"means": HPA}),
    Row("sata", "", "", TO_800, "no: it cannot be made smaller or larger; instead, purge it and test a part"),
    Row("sata", "", "", Wish(4096, 800 * GB), "no: its block size and its capacity are set one after", SATA),
    Row("sata", "", "", Wish(capacity_bytes=4096), "no: 4 KiB are too few to test", SATA),
    Row("sata", "", "locked", TO_800, "no: it is locked by an ATA password; unlock it first", SATA),
    Row("sata", "", "frozen", TO_800, f"{SURE} -Np{SMALL_BLOCKS} /dev/sda", SATA),
    Row("sata", "", "usb", TO_800, "no: it is behind a USB bridge", SATA),
    # SCSI: Format Unit, and the block descriptor
    Row("scsi", "format", "", B4096, "sg_format --format --early --quick --size=4096 /dev/sda"),
    Row(
        "scsi",
        "format",
        "",
        Wish(4096, 800 * GB),
        f"sg_format --format --early --quick --size=4096 --count={SMALL // 4096} /dev/sda",
        {"means": DESCRIPTOR},
    ),
    Row("scsi", "format", "", Wish(lba_bytes=520), "no: it has no blocks of 520 bytes"),
    Row("scsi", "", "", B4096, "no: it has no Format Unit"),
    Row("scsi", "", "", B512, "same"),
    Row("scsi", "", "", TO_800, f"sg_format --resize --count={SMALL_BLOCKS} /dev/sda", {"means": DESCRIPTOR}),
    Row("scsi", "", "", ALL, "sg_format --resize --count=-1 /dev/sda", {"means": DESCRIPTOR}),
    Row(
        "scsi",
        "",
        "",
        ALL,
        "sg_format --resize --long --count=-1 /dev/sda",
        {"means": DESCRIPTOR, "capacity_bytes": 4000 * GB},
    ),
    Row("scsi", "", "", HALF, "no: it does not report its full size", {"means": DESCRIPTOR}),
    Row("scsi", "format", "", TO_800, "no: it cannot be made smaller or larger; instead, purge it and test a part"),
    Row("scsi", "format", "format running", B4096, "no: a format is already running in it"),
    # arrays
    Row("md", "", "", TO_800, "no: it cannot be made smaller or larger; instead, purge it and test a part"),
    Row("md", "", "", B4096, "no: whole NVMe, SATA and SCSI drives alone can be; `stend run TEST --active-range PCT`"),
]


def asked(row: Row) -> tuple[Drive, Layout, Wish]:
    sets = {key: frozenset(filter(None, text.split(", "))) for key, text in (("can", row.can), ("state", row.state))}
    nvme = row.interface == "nvme"
    nodes = {"node": "/dev/nvme0n1" if nvme else "/dev/sda", "controller": "/dev/nvme0" if nvme else ""}
    drive = Drive(interface=row.interface, **nodes, **sets, **row.more)  # type: ignore[arg-type]
    return drive, Layout(**({"lba_bytes": 512, "capacity_bytes": NATIVE} | dict(row.layout))), row.wish


def said(answer: Answer) -> str:
    match answer:
        case No(why):
            return f"no: {why}"
        case Same():
            return "same"
    return "; ".join(" ".join(command) for command in answer.commands)


def test_no_question_is_asked_twice() -> None:
    questions = [str((row.interface, row.can, row.state, row.wish, row.layout, row.more)) for row in ROWS]
    assert len(set(questions)) == len(questions) >= 50


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r.interface}: {r.says[:60]}")
def test_row(row: Row) -> None:
    answer = said(decide(*asked(row)))
    assert answer.startswith(row.says) if row.says.startswith("no:") else answer == row.says


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_refusal_names_a_way_out_and_a_way_tells_what_must_be_so_afterwards(row: Row) -> None:
    answer = decide(*asked(row))
    if isinstance(answer, No):
        assert ";" in answer.why
    elif isinstance(answer, Way):
        assert answer.lba_bytes == (row.wish.lba_bytes or dict(row.layout).get("lba_bytes", 512))
        assert answer.capacity_bytes <= NATIVE
        assert (answer.capacity_bytes > 0) == any(
            mark in said(answer) for mark in ("--nsze", "-Np", "--count=1", "--count=2")
        )


def test_the_lesser_way_tells_the_part_to_test() -> None:
    answer = decide(*asked(Row("sata", "", "", TO_800, "")))
    assert isinstance(answer, No)
    assert "`stend run TEST --active-range 83.3` leaves the rest unwritten" in answer.why


def test_a_namespace_that_cannot_be_made_smaller_is_made_as_it_was() -> None:
    way = decide(*asked(Row("nvme", "", "", TO_800, "", NVME)))
    assert isinstance(way, Way)
    attach = "nvme attach-ns /dev/nvme0 --namespace-id"
    told = ["; ".join(" ".join(command) for command in commands) for commands in way.undo]
    assert told[0] == ""
    assert told[1] == f"{attach}=1 --controllers=0; {RESCAN}"
    create = f"nvme create-ns /dev/nvme0 --nsze={BLOCKS} --ncap={BLOCKS} --flbas=0"
    assert told[2] == f"{create}; {attach}={{nsid}} --controllers=0; {RESCAN}"
