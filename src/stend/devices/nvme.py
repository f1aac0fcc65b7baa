"""NVMe drives: sysfs and nvme-cli (JSON of its versions 1 to 3)."""

import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

from stend.base.errors import StepFailed
from stend.base.limits import MOST
from stend.base.sysfs import HOST, Kernel, text
from stend.devices import drive as drives
from stend.devices.purging import follow, prepare_table, table
from stend.devices.telling import evidence, facts, kinds, passport, shapes, tools
from stend.devices.telling import nvme_cli as cli
from stend.devices.telling import nvme_logs as logs
from stend.devices.telling.evidence import Piece
from stend.words import Sentence

POWER_MANAGEMENT, WRITE_CACHE, TRANSITIONS = "2", "6", "12"
APST_BYTES = 256
CAPABILITIES = {
    "sanitize crypto": ("sanicap", 0),
    "sanitize block": ("sanicap", 1),
    "sanitize overwrite": ("sanicap", 2),
    "format": ("oacs", 1),
    "format crypto": ("fna", 2),
    "namespaces": ("oacs", 3),
    "discard": ("oncs", 2),
}
REACH = {"format all": ("fna", 0), "erase all": ("fna", 1)}
"""Fields of Identify Controller and their bits (NVMe 1.4, figure 247)."""
JSON = "--output-format=json"
LBA_BITS = range(9, 21)
"""Blocks of 512 bytes to 1 MiB."""


def claims(target: str, kernel: Kernel = HOST) -> bool:
    """Return True for a whole NVMe namespace of this host."""
    return drives.whole_node(target, kernel).startswith("nvme")


def find(target: str, kernel: Kernel = HOST) -> "NvmeDevice":
    """Return the drive with its facts."""
    node = drives.whole_node(target, kernel)
    looked = look(node, kernel)
    identity = drives.known(target, node, "nvme", looked, kernel)
    return NvmeDevice(identity, kernel)


def native(target: str, kernel: Kernel = HOST) -> int:
    """Return the largest capacity that this namespace could have, in bytes, or 0 if the drive does not report it."""
    node = drives.whole_node(target, kernel)
    ctrl = tools.try_run(*cli.words("nvme", "id-ctrl", f"/dev/{controller(node, kernel)}", JSON)).document
    return native_bytes(ctrl, tools.try_run(*cli.words("nvme", "id-ns", f"/dev/{node}", JSON)).document)


def controller(node: str, kernel: Kernel = HOST) -> str:
    """Return the name of a namespace's controller: nvme0 for nvme0n1. Of several (multipath), return the first."""
    above, known = kernel.block(node).resolve().parent, kernel.sys / "class/nvme"
    names = [above.name, *sorted(path.name for path in above.glob("nvme[0-9]*"))]
    return next((name for name in names if (known / name).exists()), node.rpartition("n")[0])


def look(node: str, kernel: Kernel = HOST) -> facts.Looked:
    """Gather facts about an NVMe namespace and its drive."""
    looked, name = facts.Looked(), controller(node, kernel)
    facts.common(looked, node, kernel)
    folder = kernel.sys / "class/nvme" / name
    facts.pci_link(looked, folder / "device")
    ctrl = looked.run(*cli.words("nvme", "id-ctrl", f"/dev/{name}", JSON)).document
    space = looked.run(*cli.words("nvme", "id-ns", f"/dev/{node}", JSON)).document
    looked.add(
        controller=name,
        transport=text(folder / "transport"),
        numa_node=facts.numa_node(folder),
        nsid=text(kernel.block(node) / "nsid"),
        namespaces=[node, *neighbours(node, kernel)],
        warning_temperature_c=logs.celsius(ctrl.get("wctemp")),
        critical_temperature_c=logs.celsius(ctrl.get("cctemp")),
        volatile_write_cache=bool(tools.number(ctrl.get("vwc")) & 1) if ctrl else None,
        capabilities=sorted(can(ctrl)) if ctrl else None,
        lba_formats=lba_formats(space) or None,
        native_bytes=native_bytes(ctrl, space) or None,
        eui64=_not_zero(space.get("eui64")),
        nguid=_not_zero(space.get("nguid")),
        firmware=str(ctrl.get("fr", "")).strip(),
        **kinds.of_nvme(ctrl, space),
    )
    _state(looked, f"/dev/{name}", ctrl)
    looked.add(power_saving=drives.setting(power_switch(kernel, name)))
    return looked


def _state(looked: facts.Looked, node: str, ctrl: dict[str, Any]) -> None:
    """Gather the power state, the protection against power loss, and doubts about the drive's health."""
    kept = "" if looked.facts.get("volatile_write_cache", True) else "no volatile write cache"
    flash_log = logs.makers_log(node, ctrl) if ctrl else ""
    maker = logs.makers(node, flash_log) if flash_log else {}
    if "capacitor_pct" in maker:
        kept = f"capacitors, {maker['capacitor_pct']} % of what they need"
    cache = feature(node, WRITE_CACHE) if not kept else None
    looked.add(write_cache=None if cache is None else "enabled" if cache & 1 else "disabled")
    looked.add(**logs.power(ctrl, feature(node, POWER_MANAGEMENT)), power_loss_protection=kept, flash_log=flash_log)
    table = transitions(node) if tools.number(ctrl.get("apsta")) & 1 else b""
    looked.add(apst=bool(table) if "apsta" in ctrl else None, power_states=logs.power_states(ctrl, table) or None)
    if state := looked.facts.get("power_state"):
        way = f"`nvme set-feature {node} --feature-id={POWER_MANAGEMENT} --value=0`"
        looked.doubts.append(Sentence("power_state", state=state, way=way))
    health = logs.smart(tools.try_run(*cli.words("nvme", "smart-log", node, JSON)).document)
    looked.doubts += logs.doubts(health, looked.facts.get("warning_temperature_c"))


def power_switch(kernel: Kernel, name: str) -> Path | None:
    """Return the kernel's latency tolerance of a controller, or None if the drive has no APST."""
    path = kernel.sys / "class/nvme" / name / "power/pm_qos_latency_tolerance_us"
    return path if path.exists() else None


def transitions(node: str) -> bytes:
    """Return the table of power state transitions (feature 0Ch), empty if the drive does not use it (APST)."""
    words = (f"--feature-id={TRANSITIONS}", f"--data-len={APST_BYTES}")
    printed = tools.try_run("nvme", "get-feature", node, *words)
    value = tools.number(printed.out.lower().partition("value:")[2])
    return logs.page(printed) if value & 1 else b""


def feature(node: str, number: str) -> int | None:
    """Return the current value of a feature as `nvme get-feature` prints it, or None if the drive does not have it."""
    printed = tools.try_run("nvme", "get-feature", node, f"--feature-id={number}")
    if printed.code or "alue" not in printed.out:
        return None
    return tools.number(printed.out.lower().rpartition("value:")[2])


def neighbours(node: str, kernel: Kernel = HOST) -> list[str]:
    """Return other namespaces of the same drive (NVM subsystem), reached through any of its controllers."""
    same = {node, *kernel.twins(node)}
    others = (n for n in kernel.nodes() if n not in same and kernel.number(n) and not kernel.parent(n))
    name = _subsystem(node, kernel)
    return [n for n in others if n.startswith("nvme") and _subsystem(n, kernel) == name]


def _subsystem(node: str, kernel: Kernel) -> str:
    """Return the qualified name of the NVM subsystem, or the controller's name if the kernel has none."""
    name = controller(node, kernel)
    return text(kernel.sys / "class/nvme" / name / "subsysnqn") or name


def elsewhere(name: str, known: Collection[int], *, managed: bool) -> list[str]:
    """Return namespaces of a drive that have no node here, in words: of another host, detached, of another command set.

    `managed` drives list all that are allocated (Identify, CNS 10h), others those that are attached (02h).
    """
    command = cli.words("nvme", "list-ns", name, *(["--all"] if managed else []))
    printed, shown = tools.try_run(*command).out, " ".join(command)
    listed = [int(number, 16) for number in re.findall(r"\]:\s*0x([0-9a-fA-F]+)", printed)]
    if managed and not listed:
        return [f"unknown namespaces (`{shown}` lists none)"]
    return [f"namespace {nsid}, which is not attached here" for nsid in listed if nsid and nsid not in known]


def can(ctrl: dict[str, Any]) -> set[str]:
    """Return capabilities of Identify Controller, by the purge table's names."""
    return _set_bits(ctrl, CAPABILITIES)


def reach(ctrl: dict[str, Any]) -> set[str]:
    """Return `format all` and `erase all` if Format, or an erase with it, affects all namespaces."""
    return _set_bits(ctrl, REACH)


def _set_bits(ctrl: dict[str, Any], bits: dict[str, tuple[str, int]]) -> set[str]:
    return {word for word, (field, bit) in bits.items() if tools.number(ctrl.get(field)) >> bit & 1}


def lba_formats(space: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the LBA formats of Identify Namespace. A relative performance of 0 is the best.

    Each is {index, bytes, metadata_bytes, in_use, relative_performance}.
    """
    used = lba_format(space)
    formats = []
    for index, entry in enumerate(shapes.dicts(space.get("lbafs"))):
        data = tools.number(entry.get("ds", entry.get("lbads")))
        meta = tools.number(entry.get("ms"))
        if data in LBA_BITS:
            kind = {"index": index, "bytes": 1 << data, "metadata_bytes": meta, "in_use": index == used}
            formats.append(kind | {"relative_performance": tools.number(entry.get("rp"))})
    return formats


def native_bytes(ctrl: dict[str, Any], space: dict[str, Any]) -> int:
    """Return the capacity of a namespace plus the unallocated capacity (NVMe 1.4, figure 247).

    It is 0 if the drive reports no total.
    """
    if not tools.number(ctrl.get("tnvmcap")):
        return 0
    allocated = tools.number(space.get("nvmcap")) or tools.number(space.get("nsze")) * block_bytes(space)
    native = allocated + tools.number(ctrl.get("unvmcap"))
    return native if native <= MOST else 0


def block_bytes(space: dict[str, Any]) -> int:
    """Return the bytes of a block of the LBA format in use, or 0 if it is not reported."""
    return next((int(f["bytes"]) for f in lba_formats(space) if f["in_use"]), 0)


def lba_format(space: dict[str, Any]) -> int:
    """Return the index of the LBA format in use: FLBAS, whose bits 5 and 6 continue bits 0 to 3."""
    flbas = tools.number(space.get("flbas"))
    return flbas & 15 | (flbas >> 5 & 3) << 4


def _not_zero(identifier: Any) -> str:
    word = str(identifier or "")
    return word if word.strip("0x-") else ""


def _nsid(node: str, kernel: Kernel) -> int:
    """Return the namespace's number from the kernel, which differs from that in the node's name, or 0 if unknown."""
    return tools.number(text(kernel.block(node) / "nsid"))


class NvmeDevice(drives.DriveDevice):
    """A namespace of an NVMe drive."""

    @property
    def controller(self) -> str:
        """Return the node that accepts commands for the whole drive."""
        return f"/dev/{controller(self.node, self.kernel)}"

    power_off = "0"

    def power_switch(self) -> Path | None:
        """Return the latency in us that APST may add to a command; with 0 the kernel turns APST off."""
        return power_switch(self.kernel, controller(self.node, self.kernel))

    def abilities(self) -> table.Drive:
        """Read Identify, and the sanitize log if the drive has Sanitize."""
        ctrl = tools.run(*cli.words("nvme", "id-ctrl", self.controller, JSON))
        space = tools.run(*cli.words("nvme", "id-ns", self.identity.path, JSON))
        if not ctrl.document or not space.document:
            raise StepFailed(f"{self.identity.target} does not report its capabilities: {ctrl.words}")
        bits, state, words = can(ctrl.document), reach(ctrl.document), ""
        if any(bit.startswith("sanitize") for bit in bits):
            progress = follow.progress("nvme", self.identity.path, self.controller)
            words = progress.words
            state |= {"sanitize running"} if not progress.over else set()
            state |= {"sanitize failed"} if progress.over and "fail" in words.lower() else set()
        beside = neighbours(self.node, self.kernel)
        known = {_nsid(node, self.kernel) for node in (self.node, *beside)}
        return self.as_input(
            *("nvme", bits, state, words),
            controller=self.controller,
            neighbours=(*beside, *elsewhere(self.controller, known, managed="namespaces" in bits)),
            lba_format=lba_format(space.document),
            serial=self.identity.serial,
        )

    def layout(self) -> prepare_table.Layout:
        """Read Identify, and the controllers that the namespace is attached to."""
        ctrl = tools.run(*cli.words("nvme", "id-ctrl", self.controller, JSON)).document
        space = tools.run(*cli.words("nvme", "id-ns", self.identity.path, JSON)).document
        nsid = _nsid(self.node, self.kernel)
        if not nsid:
            raise StepFailed(f"{self.identity.target}: the kernel does not state the number of its namespace")
        listed = tools.try_run(
            *cli.words("nvme", "list-ctrl", self.controller, f"--namespace-id={nsid}", JSON)
        ).document
        ids = [tools.number(entry.get("ctrl_id")) for entry in shapes.dicts(listed.get("ctrl_list"))]
        return prepare_table.Layout(
            lba_bytes=block_bytes(space) or self.identity.logical_bytes,
            capacity_bytes=self.identity.capacity_bytes,
            native_bytes=native_bytes(ctrl, space),
            means=prepare_table.NAMESPACES if "namespaces" in can(ctrl) else "",
            formats=tuple(lba_formats(space)),
            nsid=nsid,
            controllers=tuple(ids) or (tools.number(ctrl.get("cntlid")),),
            shared=bool(tools.number(space.get("nmic")) & 1),
        )

    def find_again(self, path: str) -> "NvmeDevice":
        """Return the drive at its new path."""
        return find(path, self.kernel)

    def health(self) -> dict[str, Any]:
        """Return the SMART log, the maker's log, the link, and the kernel's counters."""
        smart = tools.try_run(*cli.words("nvme", "smart-log", self.controller, JSON))
        looked = facts.Looked()
        folder = self.kernel.sys / "class/nvme" / self.controller.removeprefix("/dev/") / "device"
        facts.pci_link(looked, folder)
        link = {key: value for key, value in looked.facts.items() if key == "link"}
        page = self.identity.facts.get("flash_log", "")
        maker = logs.makers(self.controller, page) if page else {}
        return self._counters() | logs.smart(smart.document) | facts.pci_errors(folder) | maker | link

    def passport(self) -> dict[str, Any]:
        """Return what the SMART log, the self-test log and the first endurance group's log state."""
        smart = tools.try_run(*cli.words("nvme", "smart-log", self.controller, JSON))
        tests, group = logs.read(self.controller, "6", 564), logs.read(self.controller, logs.ENDURANCE_LOG)
        return passport.of_nvme(smart, tests, group)

    def _counters(self) -> dict[str, Any]:
        """Return the kernel's counters. Some kernels count IOs of a multipath drive on its paths, not on the drive."""
        drive, _, nsid = self.node.rpartition("n")
        paths = self.kernel.sys.glob(f"class/nvme/nvme*/{drive}c*n{nsid}")
        every = [super().health(), *(facts.kernel_counters(self.kernel, path.name) for path in paths)]
        return {key: max(counters.get(key, 0) for counters in every) for key in every[0]}

    def evidence(self, since_s: float) -> Iterator[Piece]:
        """Yield the kernel's lines, telemetry, error log, persistent events, self-test log and SMART."""
        yield from super().evidence(since_s)
        yield from evidence.nvme(self.controller)

    def cache(self) -> str:
        """Return the state of feature 6, or an empty string if the drive has no volatile write cache."""
        value = feature(self.controller, WRITE_CACHE)
        return "" if value is None else "enabled" if value & 1 else "disabled"

    def write_cache(self, setting: str) -> None:
        """Set feature 6 without saving it in the drive."""
        value = int(setting == "enabled")
        done = tools.run("nvme", "set-feature", self.controller, f"--feature-id={WRITE_CACHE}", f"--value={value}")
        if done.code:
            raise StepFailed(f"{self.identity.target}: its write cache cannot be {setting}: {done.words}")
