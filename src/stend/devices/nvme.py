"""NVMe drives: sysfs and nvme-cli (JSON of its versions 1 to 3)."""

import re
from collections.abc import Collection
from typing import Any

from stend.base.errors import StepFailed
from stend.base.limits import MOST
from stend.base.sysfs import HOST, Kernel, text
from stend.devices import drive as drives
from stend.devices.purging import follow, prepare_table, table
from stend.devices.telling import facts, shapes, tools
from stend.devices.telling import nvme_cli as cli
from stend.devices.telling import nvme_logs as logs

POWER_MANAGEMENT, WRITE_CACHE = "2", "6"
SANICAP = {0: "sanitize crypto", 1: "sanitize block", 2: "sanitize overwrite"}
JSON = "--output-format=json"
LBA_BITS = range(9, 21)
"""Blocks of 512 bytes to 1 MiB."""


def claims(target: str, kernel: Kernel = HOST) -> bool:
    """A whole NVMe namespace of this host."""
    return drives.whole_node(target, kernel).startswith("nvme")


def find(target: str, kernel: Kernel = HOST) -> "NvmeDevice":
    """The drive with its facts."""
    node = drives.whole_node(target, kernel)
    looked = look(node, kernel)
    identity = drives.known(target, node, "nvme", looked, kernel)
    return NvmeDevice(identity, kernel)


def native(target: str, kernel: Kernel = HOST) -> int:
    """What the drive could show as this namespace; 0 where it does not tell."""
    node = drives.whole_node(target, kernel)
    told = tools.softly(*cli.words("nvme", "id-ctrl", f"/dev/{controller(node, kernel)}", JSON)).document
    return native_bytes(told, tools.softly(*cli.words("nvme", "id-ns", f"/dev/{node}", JSON)).document)


def controller(node: str, kernel: Kernel = HOST) -> str:
    """The name of a namespace's controller: nvme0 for nvme0n1, the first where it is reached through several."""
    above, known = kernel.block(node).resolve().parent, kernel.sys / "class/nvme"
    names = [above.name, *sorted(path.name for path in above.glob("nvme[0-9]*"))]
    return next((name for name in names if (known / name).exists()), node.rpartition("n")[0])


def look(node: str, kernel: Kernel = HOST) -> facts.Looked:
    """Facts of an NVMe namespace and its drive."""
    looked, name = facts.Looked(), controller(node, kernel)
    facts.common(looked, node, kernel)
    folder = kernel.sys / "class/nvme" / name
    facts.pci_link(looked, folder / "device")
    told = looked.ask(*cli.words("nvme", "id-ctrl", f"/dev/{name}", JSON)).document
    space = looked.ask(*cli.words("nvme", "id-ns", f"/dev/{node}", JSON)).document
    looked.add(
        controller=name,
        transport=text(folder / "transport"),
        numa_node=text(folder / "numa_node"),
        nsid=text(kernel.block(node) / "nsid"),
        namespaces=[node, *neighbours(node, kernel)],
        warning_temperature_c=logs.celsius(told.get("wctemp")),
        critical_temperature_c=logs.celsius(told.get("cctemp")),
        volatile_write_cache=bool(tools.number(told.get("vwc", 0)) & 1) if told else None,
        capabilities=sorted(can(told)) if told else None,
        lba_formats=lba_formats(space) or None,
        native_bytes=native_bytes(told, space) or None,
        eui64=_not_zero(space.get("eui64")),
        nguid=_not_zero(space.get("nguid")),
        firmware=str(told.get("fr", "")).strip(),
    )
    _state(looked, f"/dev/{name}", told)
    return looked


def _state(looked: facts.Looked, node: str, told: dict[str, Any]) -> None:
    """Power state, protection against power loss, and whether it is well before anything is asked of it."""
    kept = "" if looked.facts.get("volatile_write_cache", True) else "no volatile write cache"
    flash_log = logs.makers_log(node, tools.number(told.get("vid", 0))) if told else ""
    maker = logs.makers(node, flash_log) if flash_log else {}
    if "capacitor_pct" in maker:
        kept = f"capacitors, {maker['capacitor_pct']} % of what they need"
    cache = feature(node, WRITE_CACHE) if not kept else None
    looked.add(write_cache=None if cache is None else "enabled" if cache & 1 else "disabled")
    looked.add(**logs.power(told, feature(node, POWER_MANAGEMENT)), power_loss_protection=kept, flash_log=flash_log)
    if state := looked.facts.get("power_state"):
        looked.doubts.append(
            f"the drive is in power state {state}, which is not its fastest: "
            f"`nvme set-feature {node} --feature-id={POWER_MANAGEMENT} --value=0`"
        )
    health = logs.smart(tools.softly(*cli.words("nvme", "smart-log", node, JSON)).document)
    looked.doubts += logs.doubts(health, looked.facts.get("warning_temperature_c"))


def feature(node: str, number: str) -> int | None:
    """The current value of a feature as `nvme get-feature` prints it; None where the drive has none."""
    told = tools.softly("nvme", "get-feature", node, f"--feature-id={number}")
    if told.code or "alue" not in told.out:
        return None
    return tools.number(told.out.lower().rpartition("value:")[2])


def neighbours(node: str, kernel: Kernel = HOST) -> list[str]:
    """Other namespaces of the same drive (NVM subsystem), by whichever of its controllers."""
    own = {node, *kernel.twins(node)}
    found = (n for n in kernel.nodes() if n not in own and kernel.number(n) and not kernel.parent(n))
    name = _drive(node, kernel)
    return [n for n in found if n.startswith("nvme") and _drive(n, kernel) == name]


def _drive(node: str, kernel: Kernel) -> str:
    """The qualified name of its NVM subsystem, or where that is not told its controller."""
    name = controller(node, kernel)
    return text(kernel.sys / "class/nvme" / name / "subsysnqn") or name


def elsewhere(name: str, known: Collection[int], *, managed: bool) -> list[str]:
    """Namespaces of a drive that have no node here, in words: of another host, detached, of another command set.

    `managed` drives list all that are allocated (Identify, CNS 10h), others those that are attached (02h).
    """
    command = cli.words("nvme", "list-ns", name, *(["--all"] if managed else []))
    told, shown = tools.softly(*command).out, " ".join(command)
    listed = [int(number, 16) for number in re.findall(r"\]:\s*0x([0-9a-fA-F]+)", told)]
    if managed and not listed:
        return [f"unknown namespaces (`{shown}` lists none)"]
    return [f"namespace {nsid}, which is not attached here" for nsid in listed if nsid and nsid not in known]


def can(told: dict[str, Any]) -> set[str]:
    """Capability bits of Identify Controller (NVMe 1.4, figure 247), by the purge table's names."""
    sanitize, oacs = tools.number(told.get("sanicap", 0)), tools.number(told.get("oacs", 0))
    oncs, fna = tools.number(told.get("oncs", 0)), tools.number(told.get("fna", 0))
    found = {word for bit, word in SANICAP.items() if sanitize >> bit & 1}
    found |= {"format"} if oacs & 2 else set()
    found |= {"namespaces"} if oacs & 8 else set()
    found |= {"format crypto"} if fna & 4 else set()
    return found | ({"discard"} if oncs & 4 else set())


def reach(told: dict[str, Any]) -> set[str]:
    """Whether Format, or an erase with it, is of all namespaces (FNA bits 0 and 1)."""
    fna = tools.number(told.get("fna", 0))
    return ({"format all"} if fna & 1 else set()) | ({"erase all"} if fna & 2 else set())


def lba_formats(space: dict[str, Any]) -> list[dict[str, Any]]:
    """[{index, bytes, metadata_bytes, in_use, relative_performance}] from Identify Namespace; 0 performs best."""
    used = lba_format(space)
    found = []
    for index, told in enumerate(shapes.dicts(space.get("lbafs"))):
        data = tools.number(told.get("ds", told.get("lbads", 0)))
        meta = tools.number(told.get("ms", 0))
        if data in LBA_BITS:
            kind = {"index": index, "bytes": 1 << data, "metadata_bytes": meta, "in_use": index == used}
            found.append(kind | {"relative_performance": tools.number(told.get("rp", 0))})
    return found


def native_bytes(told: dict[str, Any], space: dict[str, Any]) -> int:
    """What a namespace holds and what no namespace holds; 0 where the drive tells no total (NVMe 1.4, figure 247)."""
    if not tools.number(told.get("tnvmcap", 0)):
        return 0
    own = tools.number(space.get("nvmcap", 0)) or tools.number(space.get("nsze", 0)) * block_bytes(space)
    native = own + tools.number(told.get("unvmcap", 0))
    return native if native <= MOST else 0


def block_bytes(space: dict[str, Any]) -> int:
    """Bytes of a block of the LBA format in use; 0 where it is not told."""
    return next((int(f["bytes"]) for f in lba_formats(space) if f["in_use"]), 0)


def lba_format(space: dict[str, Any]) -> int:
    """The index of the LBA format in use: FLBAS, whose bits 5 and 6 go on from bit 3."""
    flbas = tools.number(space.get("flbas", 0))
    return flbas & 15 | (flbas >> 5 & 3) << 4


def _not_zero(identifier: Any) -> str:
    word = str(identifier or "")
    return word if word.strip("0x-") else ""


def _nsid(node: str, kernel: Kernel) -> int:
    """The namespace's number as the kernel tells it, which is not the one in the node's name; 0 where it tells none."""
    return tools.number(text(kernel.block(node) / "nsid"))


class NvmeDevice(drives.DriveDevice):
    """A namespace of an NVMe drive."""

    @property
    def controller(self) -> str:
        """The node that takes commands of the whole drive."""
        return f"/dev/{controller(self.node, self.kernel)}"

    def abilities(self) -> table.Drive:
        """Identify, and the sanitize log where the drive has Sanitize."""
        told = tools.ask(*cli.words("nvme", "id-ctrl", self.controller, JSON))
        space = tools.ask(*cli.words("nvme", "id-ns", self.identity.path, JSON))
        if not told.document or not space.document:
            raise StepFailed(f"{self.identity.target} does not say what it can: {told.words}")
        bits, state, words = can(told.document), reach(told.document), ""
        if any(bit.startswith("sanitize") for bit in bits):
            progress = follow.ask("nvme", self.identity.path, self.controller)
            words = progress.words
            state |= {"sanitize running"} if not progress.over else set()
            state |= {"sanitize failed"} if progress.over and "fail" in words.lower() else set()
        state |= {"read-only"} if self.kernel.read_only(self.node) else set()
        beside = neighbours(self.node, self.kernel)
        known = {_nsid(node, self.kernel) for node in (self.node, *beside)}
        return table.Drive(
            interface="nvme",
            node=self.identity.path,
            can=frozenset(bits),
            state=frozenset(state),
            controller=self.controller,
            neighbours=(*beside, *elsewhere(self.controller, known, managed="namespaces" in bits)),
            lba_format=lba_format(space.document),
            template=self.template,
            asked=self.asked,
            words=words,
            serial=self.identity.serial,
        )

    def layout(self) -> prepare_table.Layout:
        """Identify, and the controllers that the namespace is attached to."""
        told = tools.ask(*cli.words("nvme", "id-ctrl", self.controller, JSON)).document
        space = tools.ask(*cli.words("nvme", "id-ns", self.identity.path, JSON)).document
        nsid = _nsid(self.node, self.kernel)
        if not nsid:
            raise StepFailed(f"{self.identity.target}: the kernel does not state the number of its namespace")
        listed = tools.softly(*cli.words("nvme", "list-ctrl", self.controller, f"--namespace-id={nsid}", JSON)).document
        ids = [tools.number(entry.get("ctrl_id", 0)) for entry in shapes.dicts(listed.get("ctrl_list"))]
        return prepare_table.Layout(
            lba_bytes=block_bytes(space) or self.identity.logical_bytes,
            capacity_bytes=self.identity.capacity_bytes,
            native_bytes=native_bytes(told, space),
            means=prepare_table.NAMESPACES if "namespaces" in can(told) else "",
            formats=tuple(lba_formats(space)),
            nsid=nsid,
            controllers=tuple(ids) or (tools.number(told.get("cntlid", 0)),),
            shared=bool(tools.number(space.get("nmic", 0)) & 1),
        )

    def anew(self, path: str) -> "NvmeDevice":
        """Found again."""
        return find(path, self.kernel)

    def health(self) -> dict[str, Any]:
        """The SMART log, its maker's, the link, and what the kernel counted."""
        told = tools.softly(*cli.words("nvme", "smart-log", self.controller, JSON))
        looked = facts.Looked()
        folder = self.kernel.sys / "class/nvme" / self.controller.removeprefix("/dev/") / "device"
        facts.pci_link(looked, folder)
        link = {key: value for key, value in looked.facts.items() if key == "link"}
        page = self.identity.facts.get("flash_log", "")
        maker = logs.makers(self.controller, page) if page else {}
        return self._counted() | logs.smart(told.document) | facts.pci_errors(folder) | maker | link

    def _counted(self) -> dict[str, Any]:
        """By the kernel; some kernels count on the paths to a drive of several and not on the drive."""
        drive, _, nsid = self.node.rpartition("n")
        paths = self.kernel.sys.glob(f"class/nvme/nvme*/{drive}c*n{nsid}")
        every = [super().health(), *(facts.kernel_counters(self.kernel, path.name) for path in paths)]
        return {key: max(told.get(key, 0) for told in every) for key in every[0]}

    def cache(self) -> str:
        """Feature 6, where the drive has a volatile write cache."""
        value = feature(self.controller, WRITE_CACHE)
        return "" if value is None else "enabled" if value & 1 else "disabled"

    def write_cache(self, setting: str) -> None:
        """Set feature 6, not saved in the drive."""
        value = int(setting == "enabled")
        told = tools.ask("nvme", "set-feature", self.controller, f"--feature-id={WRITE_CACHE}", f"--value={value}")
        if told.code:
            raise StepFailed(f"{self.identity.target}: its write cache cannot be {setting}: {told.words}")
