"""Decide how to change a drive's size or block size: (capabilities, layout, wish) -> commands, or a refusal.

A pure table like that of purges: it runs no commands. If the drive offers no command for the change, the refusal
suggests the lesser way: a purge, and a test of a part of the drive.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from stend.base.units import MiB, binary, decimal
from stend.devices.purging.table import FORMAT, STATES, Command, Drive, No

NAMESPACES, HPA, AMA, DESCRIPTOR = (
    "namespace management",
    "host-protected area",
    "accessible max address",
    "block descriptor",
)
"""Means to make a drive smaller: for NVMe (1.4, 8.12), ATA up to ACS-2, ATA from ACS-3, SCSI (Mode Select)."""

MOST = -1
"""The largest capacity of a drive that does not report it (sg_format: a count of -1)."""

LINUX_BLOCKS = (512, 4096)
OWN_STATES = {
    "read-only": "it accepts no writes (worn out, or protected); `smartctl --all` may show why",
    "sanitize failed": "its last sanitize failed; purge it first (`stend purge`)",
}


class Wish(NamedTuple):
    """The requested change. Zeros leave a property as it is."""

    lba_bytes: int = 0
    capacity_bytes: int = 0
    capacity_pct: float = 0
    restore: bool = False


@dataclass(frozen=True, slots=True)
class Layout:
    """The layout of a drive: block size, visible and native capacity, and what may be changed.

    `native_bytes` is 0 if it is unknown. `means` is how it can be made smaller, empty if it cannot. `formats` are the
    LBA formats of NVMe, `block_sizes` those that a SATA drive offers. `shared` is True for a namespace that several
    controllers may attach.
    """

    lba_bytes: int
    capacity_bytes: int
    native_bytes: int = 0
    means: str = ""
    formats: tuple[Mapping[str, Any], ...] = ()
    block_sizes: tuple[int, ...] = ()
    nsid: int = 1
    controllers: tuple[int, ...] = (0,)
    shared: bool = False

    @property
    def metadata_bytes(self) -> int:
        """Return the bytes of metadata per block of the LBA format in use."""
        return next((int(f["metadata_bytes"]) for f in self.formats if f["in_use"]), 0)


class Way(NamedTuple):
    """A change to run: its phrase, its commands, how to follow the first one, and the layout to expect afterwards.

    `undo[n]` undoes the n commands before the one that failed. `{nsid}` is replaced by the number of the new namespace.
    `capacity_bytes` is 0 if the capacity stays or cannot be predicted.
    """

    phrase: str
    commands: tuple[Command, ...]
    lba_bytes: int
    capacity_bytes: int = 0
    follow: str = ""
    undo: tuple[tuple[Command, ...], ...] = ()


class Same(NamedTuple):
    """The drive already has the requested layout. `words` describe it."""

    words: str


Answer = Way | Same | No


def decide(drive: Drive, layout: Layout, wish: Wish) -> Answer:
    """Return the change to run, `Same` if none is needed, or the refusal."""
    if stop := _stops(drive):
        return No(stop)
    wanted = _capacity(layout, wish)
    if isinstance(wanted, No):
        return wanted
    lba = wish.lba_bytes or layout.lba_bytes
    reformat = bool(wish.lba_bytes) and (lba != layout.lba_bytes or layout.metadata_bytes > 0)
    if abs(wanted - layout.capacity_bytes) < MiB:
        wanted = 0
    if not reformat and not wanted:
        return Same(f"it has blocks of {layout.lba_bytes} bytes and {decimal(layout.capacity_bytes)} already")
    if wanted and not layout.means:
        return No(f"it cannot be made smaller or larger{_lesser(layout, wanted)}")
    if drive.interface not in KINDS:
        return No(ONLY)
    return KINDS[drive.interface](drive, layout, lba if reformat else 0, wanted)


ONLY = "whole NVMe, SATA and SCSI drives alone can be; `stend run TEST --active-range PCT` tests a part of anything"


def _stops(drive: Drive) -> str:
    """Return the reason why no command may run in the drive's state, or an empty string."""
    for state in sorted(drive.state & set(STATES)):
        return OWN_STATES.get(state, STATES[state]) + (f"; it reports: {drive.words}" if drive.words else "")
    usb = "it is behind a USB bridge, which may not hand this on; connect it to a port of its own kind"
    return usb if "usb" in drive.state else ""


def _capacity(layout: Layout, wish: Wish) -> int | No:
    """Return the requested bytes; 0 to leave the capacity, MOST for the largest one; or the refusal."""
    native = layout.native_bytes
    if wish.restore:
        return native or MOST
    if wish.capacity_pct and not native:
        return No("it does not report its full size, of which that would be a part; give --capacity in bytes, as 800GB")
    wanted = wish.capacity_bytes or int(native * wish.capacity_pct / 100)
    if native and wanted > native:
        return No(f"it has {decimal(native)} in all; request less, or all with --restore")
    if native - MiB < wanted <= native or not wanted:
        return wanted and native
    if wanted < MiB:
        return No(f"{binary(wanted)} are too few to test; request at least 1 MiB")
    return wanted // MiB * MiB


def _lesser(layout: Layout, wanted: int) -> str:
    """Return the way that works with any drive, as the end of a refusal."""
    whole = layout.native_bytes or layout.capacity_bytes
    if not 0 < wanted < whole:
        return " by any command that stend knows; leave --restore out"
    pct = 100 * wanted / whole
    return f"; instead, purge it and test a part: `stend run TEST --active-range {pct:.3g}` leaves the rest unwritten"


def _offered(sizes: set[int], lba: int) -> No | None:
    """Return a refusal if the drive does not offer blocks of that size, else None."""
    if lba in sizes:
        return None
    have = ", ".join(map(str, sorted(sizes)))
    return No(f"it has no blocks of {lba} bytes; request one of its sizes: {have}" if have else NO_SIZES)


DELETE = "`nvme delete-ns`, from nvme-cli 3 on `nvme ns delete`"
NO_SIZES = "it does not report that its block size can be changed; leave --lba-bytes out"


def _nvme(drive: Drive, layout: Layout, lba: int, wanted: int) -> Answer:
    """Decide by NVMe 1.4: Format NVM (5.23) for other blocks, a new namespace for another size (8.12)."""
    plain = [f for f in layout.formats if not f["metadata_bytes"]]
    if lba and (no := _offered({int(f["bytes"]) for f in plain}, lba)):
        return no
    if wanted and not lba and layout.metadata_bytes:
        return No("its LBA format has metadata beside each block; give --lba-bytes too, for a format without")
    fits = [f for f in plain if f["bytes"] == lba]
    best = min(fits, key=lambda f: f.get("relative_performance", 0))["index"] if fits else drive.lba_format
    if wanted:
        return _namespaces(drive, layout, int(best), lba or layout.lba_bytes, wanted)
    if "format" not in drive.can:
        return No("it has no Format NVM, so that its block size stays as it is; leave --lba-bytes out")
    if drive.neighbours and "format all" in drive.state:
        hit = ", ".join(drive.neighbours)
        return No(f"it formats all its namespaces at once and would hit {hit} too; delete these first ({DELETE})")
    # the command names the controller: given the node, which the gate holds, nvme-cli fails after the format
    whole = drive.controller
    command = ("nvme", "format", whole, f"--namespace-id={layout.nsid}", f"--lbaf={best}", "--ses=0", *FORMAT)
    return Way(f"NVMe Format, LBA format {best} of {lba} bytes", (command, ("nvme", "ns-rescan", whole)), lba)


def _namespaces(drive: Drive, layout: Layout, index: int, lba: int, wanted: int) -> Answer:
    """Return the commands that recreate the only namespace with the new size, and their undo, or a refusal."""
    if drive.neighbours:
        return No(f"it has other namespaces, {', '.join(drive.neighbours)}; delete these first ({DELETE})")
    if wanted == MOST:
        return No("it does not report how large its namespace may be; give --capacity in bytes")
    whole, nsid = drive.controller, f"--namespace-id={layout.nsid}"
    ids = f"--controllers={','.join(map(str, layout.controllers))}"
    rescan, made = ("nvme", "ns-rescan", whole), ("nvme", "attach-ns", whole, "--namespace-id={nsid}", ids)
    again = ("nvme", "attach-ns", whole, nsid, ids)
    before = _create(whole, layout.capacity_bytes // layout.lba_bytes, drive.lba_format, layout.shared)
    commands = (
        ("nvme", "detach-ns", whole, nsid, ids),
        ("nvme", "delete-ns", whole, nsid),
        _create(whole, wanted // lba, index, layout.shared),
        made,
        rescan,
    )
    undo: tuple[tuple[Command, ...], ...] = ((), (again, rescan), (before, made, rescan))
    return Way(f"NVMe namespace of {decimal(wanted)} recreated", commands, lba, wanted // lba * lba, undo=undo)


def _create(controller: str, blocks: int, index: int, shared: bool) -> Command:
    """Return the command that creates a namespace; bits 4 and 5 of the format's index are bits 5 and 6 of FLBAS."""
    flbas = index & 15 | index >> 4 << 5
    sizes = (f"--nsze={blocks}", f"--ncap={blocks}", f"--flbas={flbas}")
    return ("nvme", "create-ns", controller, *sizes, *(("--nmic=1",) if shared else ()))


def _sata(drive: Drive, layout: Layout, lba: int, wanted: int) -> Answer:
    """Decide by ACS-4: Set Sector Configuration Ext for other blocks, (Accessible) Max Address for another size."""
    sure = ("hdparm", "--yes-i-know-what-i-am-doing")
    if lba and wanted:
        return No("its block size and its capacity are set one after the other; give only --lba-bytes first")
    if lba and (no := _offered(set(layout.block_sizes), lba)):
        return no
    if lba:
        command: Command = (*sure, "--please-destroy-my-drive", "--set-sector-size", str(lba), drive.node)
        return Way(f"ATA Set Sector Configuration, blocks of {lba} bytes", (command,), lba)
    if wanted == MOST:
        return No("it does not report its native size; give --capacity in bytes")
    command = (*sure, f"-Np{wanted // layout.lba_bytes}", drive.node)
    return Way(f"ATA {layout.means}, {decimal(wanted)} visible", (command,), layout.lba_bytes, wanted)


def _scsi(drive: Drive, layout: Layout, lba: int, wanted: int) -> Answer:
    """Decide by SBC-4: Format Unit for another block length, Mode Select, which keeps the data, for another count."""
    blocks = wanted if wanted == MOST else wanted // (lba or layout.lba_bytes)
    long = ("--long",) if max(blocks, layout.capacity_bytes // layout.lba_bytes) >= 1 << 32 else ()
    count = (f"--count={blocks}",) if wanted else ()
    visible = "as large as it can be" if wanted == MOST else f"{decimal(wanted)} visible"
    after = max(wanted, 0)
    if not lba:
        resize = ("sg_format", "--resize", *long, *count, drive.node)
        return Way(f"SCSI resize, {visible}", (resize,), layout.lba_bytes, after)
    if no := _offered(set(LINUX_BLOCKS), lba):
        return no
    if "format" not in drive.can:
        return No("it has no Format Unit, so that its block size stays as it is; leave --lba-bytes out")
    command = ("sg_format", "--format", "--early", "--quick", *long, f"--size={lba}", *count, drive.node)
    phrase = f"SCSI Format Unit, blocks of {lba} bytes" + (f", {visible}" if wanted else "")
    return Way(phrase, (command,), lba, after, follow="scsi")


KINDS: dict[str, Callable[[Drive, Layout, int, int], Answer]] = {"nvme": _nvme, "sata": _sata, "scsi": _scsi}
