"""Decide the purge of a drive: (interface, capabilities, state, requested method) -> commands, or a refusal.

A pure table: it runs no commands. A drive's own purge comes first. If the drive has none, or it is not available now,
a lesser method is used and named as such. The purge is refused if it would hit data of others, or if the state of the
drive needs attention first.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from stend.base import checked
from stend.words import Sentence

Command = tuple[str, ...]
PASSWORD = "stend"  # noqa: S105 - set for the length of a security erase, and printed in every error
OVERWRITE = 3  # the sanitize action of NVMe
FORMAT = ("--force", "--timeout=86400000")  # in ms; by its default nvme-cli gives a format up after 10 minutes
LESSER_METHODS = ("discard", "zero")
METHODS = ("sanitize", "crypto", "format", "erase", *LESSER_METHODS)
"""Methods that the operator may request; without a request the first available one is used."""


@dataclass(frozen=True, slots=True)
class Drive:
    """A drive as the input of the table.

    `node` is the block node, `controller` the node for whole-drive commands (NVMe). `can` are its capabilities and
    `state` its current states, by the names used below. `neighbours` are other nodes on the same drive. `template` is
    the maker's command and `method` the requested method, if any. `words` is the drive's own report of its state.
    """

    interface: str
    node: str
    can: frozenset[str] = frozenset()
    state: frozenset[str] = frozenset()
    controller: str = ""
    neighbours: tuple[str, ...] = ()
    lba_format: int = 0
    template: str = ""
    method: str = ""
    words: str = ""
    serial: str = ""


class Way(NamedTuple):
    """A purge to run: its phrase for the record, its commands, how to follow it, and how to undo a failed one.

    `follow` is the kind of progress to read (empty: the command ends with the purge). `crypto` is True if the drive
    need not read as zeros afterwards. `instead` has the reasons why no better method is used.
    """

    name: str
    phrase: Sentence
    commands: tuple[Command, ...] = ()
    follow: str = ""
    undo: tuple[Command, ...] = ()
    crypto: bool = False
    lesser: bool = False
    instead: tuple[Sentence, ...] = ()


class No(NamedTuple):
    """The purge is refused, with the reason and the way out."""

    why: str


@dataclass(slots=True)
class _Search:
    """The possible ways so far, and the reasons why better ones are not possible."""

    ways: list[Way] = field(default_factory=list)
    passed: list[Sentence] = field(default_factory=list)


def decide(drive: Drive) -> Way | No:
    """Return the purge of this drive, or the refusal with its reason."""
    if drive.template:
        return _vendor(drive)
    if drive.method and drive.method not in METHODS:
        return No(f"there is no purge method {drive.method!r}; there are {', '.join(METHODS)}")
    if stop := _stops(drive):
        return No(stop)
    ways, passed = _own(drive)
    hit = next((why for why in passed if why.key == "purge_hits"), "")
    if hit and not ways and drive.method not in LESSER_METHODS:
        return No(f"its own purge {hit}; {OTHERS}")
    ways += _lesser(drive, tuple(passed))
    chosen = [way for way in ways if drive.method in ("", way.name)]
    if chosen:
        return chosen[0]
    have = ", ".join(way.name for way in ways) or "none"
    why = f" ({'; '.join(passed)})" if passed else ""
    return No(f"it cannot be purged by {drive.method or 'any method'}{why}; it has {have}")


OTHERS = "save what is on them, or use the lesser --method discard, which touches only this one"


def _vendor(drive: Drive) -> Way:
    """Return the operator's command, split at spaces, with {node}, {controller} and {serial} replaced."""
    names = {"node": drive.node, "controller": drive.controller or drive.node, "serial": drive.serial}
    words = checked.words(checked.checked(drive.template, "the maker's command"), **names)
    return Way("vendor", Sentence("purge_vendor", command=" ".join(words)), (words,), crypto=True)


def _stops(drive: Drive) -> str:
    """Return the reason why no purge may start in the drive's state, or an empty string."""
    words = f"; it reports: {drive.words}" if drive.words else ""
    for state, why in STATES.items():
        if state in drive.state and not (state == "sanitize failed" and _sanitizes(drive)):
            return why + words
    return ""


LEFT = f". A Security Erase of stend that was cut off leaves the password {PASSWORD!r}"
STATES = {
    "read-only": "it accepts no writes (worn out, or protected); it cannot be purged",
    "locked": f"it is locked by an ATA password; unlock it first (`hdparm --security-unlock PASSWORD`){LEFT}",
    "password": f"it has an ATA password; clear it first (`hdparm --security-disable PASSWORD`){LEFT}",
    "sanitize running": "a sanitize is already running in it; wait until it is done",
    "format running": "a format is already running in it; wait until it is done",
    "sanitize failed": "its last sanitize failed and it has no other; only its maker can help",
    "resync": "the array is being synchronised or checked; wait until /proc/mdstat says it is done",
    "failed array": "the array has failed; repair or re-create it first",
}


def _sanitizes(drive: Drive) -> bool:
    return any(bit.startswith("sanitize") for bit in drive.can)


def lesser(method: str) -> Sentence:
    """Return the phrase of a method that is not a drive's own purge, by its key in the catalogue."""
    return Sentence("purge_by_lesser", method=Sentence(method))


def _by(method: str | Sentence) -> Sentence:
    return Sentence("purge_by", method=method)


def _own(drive: Drive) -> tuple[list[Way], list[Sentence]]:
    search = _Search()
    if "partition" in drive.state:
        search.passed.append(Sentence("purge_partition"))
    elif "usb" in drive.state:
        search.passed.append(Sentence("purge_usb"))
    elif drive.interface in KINDS:
        for way, why in KINDS[drive.interface](drive):
            search.ways += [way] if way else []
            search.passed += [why] if why else []
    return search.ways, search.passed


Offer = tuple[Way | None, Sentence | None]


def _hits(drive: Drive, what: str) -> Sentence:
    return Sentence("purge_hits", nodes=list(drive.neighbours), what=Sentence(f"purge_hits_{what}"))


def _nvme(drive: Drive) -> Iterator[Offer]:
    """Offer purges of NVMe 1.4: Sanitize (5.24) of all namespaces, Format NVM (5.23) of one, or of all by FNA."""
    whole = drive.controller or drive.node
    if not _sanitizes(drive):
        yield None, Sentence("purge_no_sanitize")
    elif drive.neighbours:
        yield None, _hits(drive, "sanitize")
    elif "sanitize block" in drive.can:
        yield Way("sanitize", _by("NVMe Sanitize, block erase"), _sanitize_nvme(whole, 2), "nvme"), None
    if "sanitize failed" in drive.state:  # NVMe 1.4, 8.15.1: until one succeeds, everything else is refused
        if "sanitize crypto" in drive.can and not drive.neighbours:
            yield _crypto_nvme(whole), None
        return
    yield from _format_nvme(drive)
    if "sanitize crypto" in drive.can and not drive.neighbours:
        yield _crypto_nvme(whole), None
    if "sanitize overwrite" in drive.can and not drive.neighbours:
        yield Way("sanitize", _by("NVMe Sanitize, overwrite"), _sanitize_nvme(whole, OVERWRITE), "nvme"), None


def _crypto_nvme(whole: str) -> Way:
    return Way("crypto", _by("NVMe Sanitize, crypto erase"), _sanitize_nvme(whole, 4), "nvme", crypto=True)


def _sanitize_nvme(controller: str, action: int) -> tuple[Command, ...]:
    """Return the command. An overwrite gets one pass: nvme-cli's default of 0 means 16 (NVMe 1.4)."""
    passes = ("--owpass=1",) if action == OVERWRITE else ()
    return (("nvme", "sanitize", controller, f"--sanact={action}", *passes),)


def _format_nvme(drive: Drive) -> Iterator[Offer]:
    if "format" not in drive.can:
        yield None, Sentence("purge_no_format")
        return
    if drive.neighbours and drive.state & {"format all", "erase all"}:
        yield None, _hits(drive, "format")
        return
    for setting, name, crypto in ((1, "format", False), (2, "crypto", True)):
        if crypto and "format crypto" not in drive.can:
            continue
        kind = Sentence("purge_crypto" if crypto else "purge_user")
        command = ("nvme", "format", drive.node, f"--ses={setting}", f"--lbaf={drive.lba_format}", *FORMAT)
        phrase = _by(Sentence("purge_format", kind=kind, format=drive.lba_format))
        yield Way(name, phrase, (command,), crypto=crypto), None


def _sata(drive: Drive) -> Iterator[Offer]:
    """Offer purges of ACS-4; the security lock of firmware (frozen) blocks Security Erase but not Sanitize."""
    for bit, name, word in (
        ("sanitize block", "sanitize", "block-erase"),
        ("sanitize crypto", "crypto", "crypto-scramble"),
    ):
        if bit in drive.can and "sanitize frozen" in drive.state:
            yield None, Sentence("purge_sanitize_frozen")
        elif bit in drive.can:
            command = ("hdparm", "--yes-i-know-what-i-am-doing", f"--sanitize-{word}", drive.node)
            crypto = name == "crypto"
            yield Way(name, _by(f"ATA Sanitize, {word}"), (command,), "ata", crypto=crypto), None
    if "sanitize failed" in drive.state:
        return
    if "security" not in drive.can:
        yield None, Sentence("purge_no_security")
    elif "frozen" in drive.state:
        yield None, Sentence("purge_frozen", way="`rtcwake -m mem -s 5`")
    elif "password tries used up" in drive.state:
        yield None, Sentence("purge_tries")
    else:
        yield _security_erase(drive), None


def _security_erase(drive: Drive) -> Way:
    """Return Security Erase: set a password and erase, which clears it. If the erase fails, clear the password."""
    user = ("hdparm", "--user-master", "u")
    enhanced = "security enhanced" in drive.can
    word = "--security-erase-enhanced" if enhanced else "--security-erase"
    commands = ((*user, "--security-set-pass", PASSWORD, drive.node), (*user, word, PASSWORD, drive.node))
    phrase = _by(f"ATA {'Enhanced ' if enhanced else ''}Security Erase")
    undo = ((*user, "--security-disable", PASSWORD, drive.node),)
    return Way("erase", phrase, commands, undo=undo, crypto=enhanced)


def _scsi(drive: Drive) -> Iterator[Offer]:
    """Offer purges of SBC-4: Sanitize, then Format Unit. Both run in the drive and are followed by Request Sense."""
    if drive.neighbours:
        yield None, _hits(drive, "units")
        return
    for bit, name, word in (("sanitize block", "sanitize", "--block"), ("sanitize crypto", "crypto", "--crypto")):
        if bit in drive.can:
            command = ("sg_sanitize", word, "--early", "--quick", drive.node)
            phrase = _by(f"SCSI Sanitize, {word.lstrip('-')} erase")
            yield Way(name, phrase, (command,), "scsi", crypto=name == "crypto"), None
    if "sanitize failed" in drive.state:
        return
    if "format" in drive.can:
        command = ("sg_format", "--format", "--early", "--quick", drive.node)
        yield Way("format", _by("SCSI Format Unit"), (command,), "scsi"), None
    else:
        yield None, Sentence("purge_neither")


def _md(drive: Drive) -> Iterator[Offer]:
    """Offer none: an array has no purge command, and its members' purges would destroy the array."""
    yield None, Sentence("purge_array")


KINDS = {"nvme": _nvme, "sata": _sata, "scsi": _scsi, "md": _md}


def _lesser(drive: Drive, instead: tuple[Sentence, ...]) -> Iterator[Way]:
    if "sanitize failed" in drive.state:
        return
    if "discard" in drive.can:
        yield Way("discard", lesser("purge_discarded"), lesser=True, instead=instead)
    yield Way("zero", lesser("purge_zeroed"), lesser=True, instead=instead)
