"""The purge table: interface x capabilities x state -> commands or a refusal, a row a test."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from stend.devices.purging.table import METHODS, Drive, No, Way, decide

HDPARM = "hdparm --yes-i-know-what-i-am-doing"
USER = "hdparm --user-master u"
SET, ERASE = f"{USER} --security-set-pass stend /dev/sda", f"{USER} --security-erase stend /dev/sda"
ENHANCED = f"{USER} --security-erase-enhanced stend /dev/sda"
DISCARD, ZERO = "<discard>", "<zero>"


class Row(NamedTuple):
    """What is asked of the table (words between commas), and what it must say: a command, or `no: WORDS`."""

    interface: str
    can: str
    state: str
    says: str
    more: Mapping[str, Any] = MappingProxyType({})


PAIR = {"neighbours": ("nvme0n2",)}
ROWS = [
    # NVMe: Sanitize, then Format, then the lesser methods
    Row("nvme", "sanitize block, format, discard", "", "nvme sanitize /dev/nvme0 --sanact=2"),
    Row("nvme", "sanitize crypto, format", "", "nvme format /dev/nvme0n1 --ses=1 --lbaf=0 --force --timeout=86400000"),
    Row("nvme", "sanitize crypto", "", "nvme sanitize /dev/nvme0 --sanact=4"),
    Row("nvme", "sanitize overwrite", "", "nvme sanitize /dev/nvme0 --sanact=3 --owpass=1"),
    Row(
        "nvme", "format", "", "nvme format /dev/nvme0n1 --ses=1 --lbaf=2 --force --timeout=86400000", {"lba_format": 2}
    ),
    Row(
        "nvme",
        "format, format crypto",
        "",
        "nvme format /dev/nvme0n1 --ses=2 --lbaf=0 --force --timeout=86400000",
        {"method": "crypto"},
    ),
    Row(
        "nvme",
        "sanitize block, format",
        "",
        "nvme format /dev/nvme0n1 --ses=1 --lbaf=0 --force --timeout=86400000",
        {"method": "format"},
    ),
    Row("nvme", "format, discard", "", DISCARD, {"method": "discard"}),
    Row("nvme", "discard", "", DISCARD),
    Row("nvme", "", "", ZERO),
    Row("nvme", "sanitize block", "", "no: it cannot be purged by erase", {"method": "erase"}),
    Row(
        "nvme",
        "sanitize block, format",
        "",
        "nvme format /dev/nvme0n1 --ses=1 --lbaf=0 --force --timeout=86400000",
        PAIR,
    ),
    Row("nvme", "sanitize block, format", "format all", "no: its own purge would hit nvme0n2 too", PAIR),
    Row("nvme", "format", "erase all", "no: its own purge would hit nvme0n2 too", PAIR),
    Row("nvme", "sanitize block, discard", "", "no: its own purge would hit nvme0n2 too", PAIR),
    Row("nvme", "sanitize block, discard", "", DISCARD, PAIR | {"method": "discard"}),
    Row("nvme", "format", "format all", "nvme format /dev/nvme0n1 --ses=1 --lbaf=0 --force --timeout=86400000"),
    Row("nvme", "sanitize block", "sanitize running", "no: a sanitize is already running in it"),
    Row("nvme", "sanitize block, format", "sanitize failed", "nvme sanitize /dev/nvme0 --sanact=2"),
    Row("nvme", "sanitize crypto, format", "sanitize failed", "nvme sanitize /dev/nvme0 --sanact=4"),
    Row("nvme", "format, discard", "sanitize failed", "no: its last sanitize failed"),
    Row("nvme", "sanitize block, format", "read-only", "no: it accepts no writes"),
    Row("nvme", "sanitize block, format, discard", "partition", DISCARD),
    # SATA: Sanitize, then Security Erase, then the lesser methods
    Row("sata", "sanitize block, security, discard", "", f"{HDPARM} --sanitize-block-erase /dev/sda"),
    Row("sata", "sanitize crypto, security", "", f"{HDPARM} --sanitize-crypto-scramble /dev/sda"),
    Row("sata", "sanitize block, security", "frozen", f"{HDPARM} --sanitize-block-erase /dev/sda"),
    Row("sata", "sanitize block, security", "sanitize frozen", f"{SET}; {ERASE}"),
    Row("sata", "sanitize block, discard", "sanitize frozen", DISCARD),
    Row("sata", "security", "", f"{SET}; {ERASE}"),
    Row("sata", "security, security enhanced", "", f"{SET}; {ENHANCED}"),
    Row("sata", "sanitize block, security", "", f"{SET}; {ERASE}", {"method": "erase"}),
    Row("sata", "security, discard", "frozen", DISCARD),
    Row("sata", "security", "frozen", ZERO),
    Row("sata", "security", "frozen", "no: it cannot be purged by erase (it", {"method": "erase"}),
    Row("sata", "security, sanitize block, discard", "locked", "no: it is locked by an ATA password"),
    Row("sata", "security, discard", "password", "no: it has an ATA password; clear it first"),
    Row("sata", "security, discard", "password tries used up", DISCARD),
    Row("sata", "discard", "", DISCARD),
    Row("sata", "", "", ZERO),
    Row("sata", "sanitize block, security", "sanitize running", "no: a sanitize is already running in it"),
    Row("sata", "sanitize block, security", "sanitize failed", f"{HDPARM} --sanitize-block-erase /dev/sda"),
    Row("sata", "security, discard", "usb", DISCARD),
    Row("sata", "sanitize block, discard", "partition", DISCARD),
    # SAS and other SCSI: Sanitize, then Format Unit, then the lesser methods
    Row("scsi", "sanitize block, format", "", "sg_sanitize --block --early --quick /dev/sda"),
    Row("scsi", "sanitize crypto, format", "", "sg_sanitize --crypto --early --quick /dev/sda"),
    Row("scsi", "format, discard", "", "sg_format --format --early --quick /dev/sda"),
    Row("scsi", "sanitize block, format", "", "sg_format --format --early --quick /dev/sda", {"method": "format"}),
    Row("scsi", "discard", "", DISCARD),
    Row("scsi", "", "", ZERO),
    Row("scsi", "format", "", "no: its own purge would hit sdb too", {"neighbours": ("sdb",)}),
    Row("scsi", "format", "format running", "no: a format is already running in it"),
    Row("scsi", "sanitize block, format", "sanitize failed", "sg_sanitize --block --early --quick /dev/sda"),
    Row("scsi", "format, discard", "sanitize failed", "no: its last sanitize failed"),
    Row("scsi", "sanitize block, discard", "usb", DISCARD),
    # arrays and everything else
    Row("md", "discard", "", DISCARD),
    Row("md", "", "", ZERO),
    Row("md", "discard", "resync", "no: the array is being synchronised or checked"),
    Row("md", "discard", "failed array", "no: the array has failed"),
    Row("loop", "discard", "", DISCARD),
    Row("loop", "", "", ZERO),
    # the maker's own command
    Row("nvme", "sanitize block", "", "maker /dev/nvme0 S1", {"template": "maker {controller} {serial}"}),
    Row("scsi", "", "locked", "maker --wipe /dev/sda", {"template": "maker --wipe {node}"}),
    Row("sata", "discard", "", "no: there is no purge method 'wish'", {"method": "wish"}),
]


def drive(row: Row) -> Drive:
    words = {"can": row.can, "state": row.state}
    sets = {key: frozenset(w.strip() for w in text.split(",") if w.strip()) for key, text in words.items()}
    nvme = row.interface == "nvme"
    nodes = {"node": "/dev/nvme0n1" if nvme else "/dev/sda", "controller": "/dev/nvme0" if nvme else ""}
    return Drive(interface=row.interface, serial="S1", **nodes, **sets, **row.more)  # type: ignore[arg-type]


def said(answer: Way | No) -> str:
    if isinstance(answer, No):
        return f"no: {answer.why}"
    return "; ".join(" ".join(c) for c in answer.commands) if answer.commands else f"<{answer.name}>"


def test_the_table_is_long_and_no_question_is_asked_twice() -> None:
    asked = [(r.interface, r.can, r.state, str(dict(r.more))) for r in ROWS]
    assert len(set(asked)) == len(asked) >= 40


@pytest.mark.parametrize("row", ROWS, ids=lambda r: f"{r.interface}: {r.can or 'nothing'}; {r.state or 'at rest'}")
def test_row(row: Row) -> None:
    answer = said(decide(drive(row)))
    assert answer.startswith(row.says) if row.says.startswith("no:") else answer == row.says


@pytest.mark.parametrize("row", ROWS, ids=str)
def test_a_lesser_method_says_that_it_is_one_and_a_refusal_names_a_way_out(row: Row) -> None:
    answer = decide(drive(row))
    if isinstance(answer, No):
        assert any(mark in answer.why for mark in (";", "it has", "there are"))
    else:
        assert answer.lesser == (answer.name in ("discard", "zero"))
        assert ("not a drive's own purge" in answer.phrase) == answer.lesser
        assert answer.name in (*METHODS, "vendor")


def test_what_was_passed_over_is_told() -> None:
    frozen = decide(Drive("sata", "/dev/sda", frozenset({"security", "discard"}), frozenset({"frozen"})))
    assert isinstance(frozen, Way)
    assert [why.key for why in frozen.instead] == ["purge_frozen"]
    assert "rtcwake" in frozen.instead[0]


def test_the_drives_own_words_are_in_a_refusal() -> None:
    stuck = Drive("nvme", "/dev/nvme0n1", frozenset({"sanitize block"}), frozenset({"sanitize running"}))
    answer = decide(stuck)
    assert isinstance(answer, No)
    told = decide(Drive(stuck.interface, stuck.node, stuck.can, stuck.state, words="(2) in progress, 1 %"))
    assert isinstance(told, No)
    assert told.why == f"{answer.why}; it reports: (2) in progress, 1 %"


@pytest.mark.parametrize("state", ["locked", "password"])
def test_a_password_of_an_erase_that_was_cut_off_is_named(state: str) -> None:
    answer = decide(Drive("sata", "/dev/sda", frozenset({"security"}), frozenset({state})))
    assert isinstance(answer, No)
    assert answer.why.endswith("leaves the password 'stend'")


def test_a_password_that_was_set_is_cleared_when_the_erase_fails() -> None:
    way = decide(Drive("sata", "/dev/sda", frozenset({"security"})))
    assert isinstance(way, Way)
    assert [" ".join(c) for c in way.undo] == [f"{USER} --security-disable stend /dev/sda"]
