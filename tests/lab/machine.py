"""A QEMU machine: its drives, its boots, and what its guest may ask of the host (docs/design.md)."""

import ctypes
import json
import mmap
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from statistics import median
from typing import Self

HERE = Path(__file__).parent
TOP = HERE.parent.parent
ROOT_MODULES = ("9p", "9pnet_virtio", "overlay", "virtio_pci", "virtio_blk", "virtio_console", "crc32c_generic", "ext4")
DRIVE_MODULES = ("nvme", "ahci", "sd_mod", "virtio_scsi", "megaraid_sas", "sdhci-pci", "mmc_block")
MiB = 1 << 20
GONE = {"driver": "nvme", "id": "gone", "drive": "gone", "serial": "LABGONE", "bus": "door"}
"""The drive that is unplugged and plugged in again."""
MEMORY = "3G"
KVM = ("kvm", "host,arch-capabilities=off", "2")
EMULATION = ("tcg,thread=multi,tb-size=512", "max,-smap,-smep,-la57,-erms", "1,maxcpus=2")
"""Accelerator, processor, how many. Emulated, two would spend much of their time on waiting for one another; were there
no room for a second, QEMU would leave memory barriers out, and its NVMe drives miss doorbells then. A processor that
says it repeats string moves fast (`erms`) is asked to clear each page so, and QEMU does that byte by byte.
"""
QUICK = (
    "mitigations=off init_on_alloc=0 audit=0 nowatchdog apparmor=0 transparent_hugepage=always tsc=reliable norandmaps"
    " no_timer_check"
)
"""For the kernel: no protection from anybody, which costs an emulated machine a fifth of its time; and the processor's
own clock, since each look at the board's is a call into QEMU. Programs lie at the same addresses at each start, so that
what QEMU has translated of them serves the next: a seventh of all its time. It does not check at boot that the timer
interrupts: on a busy host that comes too late, and the kernel would panic.
"""
STARTED = ("nvme", "smartctl", "hdparm", "sg_vpd", "sg_opcodes", "sg_requests", "sg_modes", "wipefs")
"""Programs that the cases start hundreds of times, each of which would ask the host for its parts a hundred times."""
TELL_S = 0.5


def drives(folder: Path) -> Iterator[str]:
    """QEMU's words for every drive; each has its serial, by which the cases know it."""

    def image(name: str, size_bytes: int) -> str:
        path = folder / f"{name}.img"
        with path.open("wb") as file:
            file.truncate(size_bytes)
        return f"id={name},file={path},format=raw,if=none,cache=unsafe,discard=unmap,detect-zeroes=off"

    yield from ("-drive", image("runs", 512 * MiB), "-device", "virtio-blk-pci,drive=runs,addr=0x10,serial=LABRUNS")
    yield from ("-device", "nvme-subsys,id=pair,nqn=pair")
    yield from ("-device", "nvme,id=nvme-pair,serial=LABPAIR,subsys=pair")
    for nsid in (1, 2):
        yield from ("-drive", image(f"pair{nsid}", 64 * MiB))
        yield from ("-device", f"nvme-ns,drive=pair{nsid},bus=nvme-pair,nsid={nsid}")
    yield from ("-device", "pcie-root-port,id=door,chassis=1")
    for name in ("one", "raid0", "raid1", "raid2", "raid3"):
        yield from ("-drive", image(f"nvme-{name}", 128 * MiB))
        yield from ("-device", f"nvme,id={name},drive=nvme-{name},serial=LAB{name.upper()}")
    image("gone", 128 * MiB)  # a -drive would go with its device and not come back
    file = f"file.driver=file,file.filename={folder / 'gone.img'},discard=unmap,cache.no-flush=on"
    yield from ("-blockdev", f"driver=raw,node-name=gone,{file}")
    yield from ("-device", ",".join(f"{name}={value}" for name, value in GONE.items()))
    yield from ("-drive", image("sata", 128 * MiB))
    yield from ("-device", "ide-hd,drive=sata,bus=ide.0,serial=LABSATA,model=LABDISK,rotation_rate=1")
    yield from ("-device", "virtio-scsi-pci,id=scsi", "-drive", image("scsi", 128 * MiB))
    yield from ("-device", "scsi-hd,drive=scsi,bus=scsi.0,serial=LABSCSI,vendor=LAB,product=SCSIDISK,rotation_rate=1")
    yield from ("-device", "megasas-gen2,id=sas", "-drive", image("sas", 128 * MiB))
    yield from ("-device", "scsi-hd,drive=sas,bus=sas.0,serial=LABSAS,vendor=LAB,product=SASDISK,rotation_rate=1")
    yield from ("-device", "sdhci-pci", "-drive", image("card", 64 * MiB), "-device", "sd-card,drive=card")


def first_root(lab: Path) -> Path:
    """The small root of the first program: busybox and the modules that the real root and the drives need."""
    root = lab / "first"
    shutil.rmtree(root, ignore_errors=True)
    for name in ("bin", "modules", "proc", "sys", "dev"):
        (root / name).mkdir(parents=True)
    shutil.copy(shutil.which("busybox") or "/bin/busybox", root / "bin/busybox")
    shutil.copy(HERE / "init.sh", root / "init")
    (root / "init").chmod(0o755)
    parts(root / "started")
    modules = next((lab / "kernel/lib/modules").iterdir())
    order = load_order(modules)
    for path in order:
        shutil.copy(modules / path, root / "modules" / Path(path).name)
    (root / "modules/order").write_text("\n".join(Path(path).name for path in order) + "\n")
    files = "\n".join(str(p.relative_to(root)) for p in [root, *sorted(root.rglob("*"))])
    packed = lab / "first.cpio"
    with packed.open("wb") as out:
        subprocess.run(["busybox", "cpio", "-o", "-H", "newc"], cwd=root, input=files.encode(), stdout=out, check=True,
                       stderr=subprocess.DEVNULL)  # fmt: skip
    return packed


def parts(root: Path) -> None:
    """Copies of the programs that are started often and of all that they load, each where it is asked for."""
    found = [place for name in STARTED if (place := shutil.which(name))]
    told = subprocess.run(["ldd", *found], capture_output=True, text=True, check=False).stdout
    for part in {*found, *re.findall(r"(/\S+) \(0x", told), "/etc/ld.so.cache"}:
        folder = root / os.path.realpath(Path(part).parent)[1:]
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copy(part, folder)
    for link in filter(Path.is_symlink, map(Path, ("/bin", "/lib", "/lib64", "/sbin"))):
        (root / link.name).symlink_to(link.readlink())


def load_order(modules: Path) -> list[str]:
    """Paths of the modules, each after those it needs; built-in ones are left out."""
    needs = {}
    for line in (modules / "modules.dep").read_text().splitlines():
        path, _, wanted = line.partition(":")
        needs[path] = wanted.split()
    names = {Path(path).name.partition(".")[0]: path for path in needs}
    order: list[str] = []

    def add(path: str) -> None:
        for below in needs[path]:
            add(below)
        if path not in order:
            order.append(path)

    for name in (*ROOT_MODULES, *DRIVE_MODULES):
        if name in names:
            add(names[name])
    return order


def _one_word(path: str | Path) -> str:
    """A path as the kernel's command line may have it: spaces as `printf %b` reads them."""
    return str(path).replace("\\", r"\\").replace(" ", r"\0040")


class Machine:
    """One boot of a machine; `listen` hears what the guest asks until it ends or is cut off."""

    def __init__(self, lab: Path, name: str, boot: str, words: list[str]) -> None:
        self.name, self.place = name, lab / name
        self.place.mkdir(exist_ok=True)
        for left in ("qmp", "host", "said"):
            (self.place / left).unlink(missing_ok=True)
        self.said = (self.place / "said").open("x+")
        self.console = self.place / f"console-{boot}.txt"
        accel = KVM if kvm() else EMULATION
        places = f"lab.folder={_one_word(lab)} lab.venv={_one_word(sys.prefix)}"
        clock = "" if kvm() else f"tsc_early_khz={clock_khz()} "
        told = f"console=ttyS0 panic=-1 {QUICK} {clock}lab.name={name} lab.boot={boot} {places}"
        self.process = subprocess.Popen(
            [
                "qemu-system-x86_64", "-machine", "q35", "-accel", accel[0], "-cpu", accel[1], "-smp", accel[2],
                "-m", MEMORY, "-display", "none", "-no-reboot", "-nodefaults", "-no-user-config",
                "-kernel", str(lab / "kernel/vmlinuz"), "-initrd", str(lab / "first.cpio"),
                "-append", told,
                "-serial", f"file:{self.console}",
                "-virtfs", "local,path=/,mount_tag=root,security_model=none,readonly=on,multidevs=remap",
                "-device", "virtio-serial-pci", "-chardev", f"file,id=log,path={self.place / 'said'},append=on",
                "-device", "virtserialport,chardev=log,name=lab.log",
                "-chardev", f"socket,id=host,path={self.place / 'host'},server=on,wait=off",
                "-device", "virtserialport,chardev=host,name=lab.host",
                "-qmp", f"unix:{self.place / 'qmp'},server=on,wait=off", *words,
            ],
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        self.qmp, self.host = (self._connect(name) for name in ("qmp", "host"))
        self.command("qmp_capabilities")

    def _connect(self, name: str) -> socket.socket:
        until = time.monotonic() + 20
        while True:
            try:
                link = socket.socket(socket.AF_UNIX)
                link.connect(str(self.place / name))
                return link
            except OSError:
                link.close()
                if time.monotonic() > until or self.process.poll() is not None:
                    raise
                time.sleep(0.05)

    def command(self, execute: str, **arguments: str) -> None:
        """One word to QEMU itself; what it answers is not waited for."""
        self.qmp.sendall(json.dumps({"execute": execute, "arguments": arguments}).encode())

    def listen(self, until: float, numbers: "count[int]") -> str:
        """Do what the guest asks; its last word: `ended CODE`, `cut`, `died` or `too long`.

        `numbers` are those of cases: the next one goes to whoever asks for it.
        """
        heard, self.rest = b"", ""
        while time.monotonic() < until:
            self.tell()
            self.host.settimeout(TELL_S)
            try:
                data = self.host.recv(4096)
            except TimeoutError:
                continue
            except ConnectionError:
                data = b""
            if not data:
                return "died"
            heard += data
            while b"\n" in heard:
                line, _, heard = heard.partition(b"\n")
                verb = line.decode().partition(" ")[0]
                if verb in ("ended", "cut"):
                    return line.decode()
                if verb == "unplug":
                    self.command("device_del", id="gone")
                if verb == "plug":
                    self.command("device_add", **GONE)
                if verb == "next":
                    self.host.sendall(f"{next(numbers)}\n".encode())
        return "too long"

    def tell(self) -> None:
        """Print what the cases said since then, in whole lines with the machine's name before each."""
        *lines, self.rest = (self.rest + self.said.read()).split("\n")
        if lines:
            print("\n".join(f"{self.name}: {line}" for line in lines), flush=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Power off at once, as a pulled plug does."""
        self.process.kill()
        self.process.wait()
        self.tell()
        for file in (self.qmp, self.host, self.said):
            file.close()


def clock_khz() -> int:
    """Return the frequency of this processor's time stamp counter, which an emulated one has too.

    An emulated kernel would measure it against another clock. On a busy host the result can be a tenth of the truth,
    and then the machine's time passes ten times too fast.
    """
    read_counter = bytes.fromhex("0f31 48c1e220 4809d0 c3")  # rdtsc; shl rdx, 32; or rax, rdx; ret
    with mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC) as code:
        code.write(read_counter)
        place = ctypes.c_char.from_buffer(code)
        counter = ctypes.CFUNCTYPE(ctypes.c_uint64)(ctypes.addressof(place))
        found: list[float] = []
        for _ in range(5):  # between two of its reads this process may have to wait for a processor
            first, began = counter(), time.monotonic_ns()
            time.sleep(0.1)
            found.append((counter() - first) * 1e6 / (time.monotonic_ns() - began))
        del place
    return round(median(found))


def kvm() -> bool:
    """Whether this host virtualises in hardware; a /dev/kvm made otherwise (kvm_pvm) does not boot a stock kernel."""
    flags = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("flags")), "")
    return bool({"vmx", "svm"} & set(flags.split())) and os.access("/dev/kvm", os.R_OK | os.W_OK)
