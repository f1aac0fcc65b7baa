"""`python -m tests.lab FOLDER [--short] [CASES]`: boot the machines, run the cases in them, tell how it went."""

import compileall
import os
import resource
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import NamedTuple

import vl_convert

from tests.lab import machine

CASES = "tests/lab/cases"
LIMIT_S = {"kvm": 480, "emulation": 1200, "short": 400}


class Boot(NamedTuple):
    """What pytest is told in one boot of a machine, and the last word that is hoped for."""

    name: str
    words: str
    wanted: str = "ended 0"


Machines = dict[str, tuple[Boot, ...]]
WHOLE: Machines = {
    "left": (Boot("shared", CASES),),
    "right": (Boot("cut", "tests/lab/cut", "cut"), Boot("shared", f"tests/lab/after {CASES}")),
}
"""Boots named `shared` share their cases out: whoever is done with one takes the next."""
SHORT: Machines = {"left": (Boot("shared", f"-m 'not long' {CASES}"),)}
"""One machine: a second would boot for a handful of cases and take its processor from the tests beside it."""


class Session:
    """All boots of all machines, each machine in a thread of its own."""

    def __init__(self, lab: Path, limit_s: float) -> None:
        self.lab, self.until, self.numbers = lab, time.monotonic() + limit_s, count()
        self.failed: list[str] = []
        self.given_up = False

    def run(self, machines: Machines) -> None:
        """Until all have ended."""
        machine.first_root(self.lab)
        spared(self.lab)
        with ThreadPoolExecutor() as pool:
            list(pool.map(self.boots, machines, machines.values()))

    def boots(self, name: str, boots: tuple[Boot, ...]) -> None:
        """One machine, boot after boot, on the same drives."""
        place = self.lab / name
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        words = list(machine.drives(place))
        subprocess.run(["mkfs.ext4", "-q", "-F", place / "runs.img"], check=True, stdout=subprocess.DEVNULL)
        for boot in boots:
            (place / "cases").write_text(boot.words)
            with machine.Machine(self.lab, name, boot.name, words) as now:
                said = now.listen(self.until, self.numbers)
            self.given_up |= said == "too long"
            if said != boot.wanted:
                self.failed.append(f"boot {boot.name!r} of machine {name!r} {said} (its console: {now.console})")
                return


def spared(lab: Path) -> None:
    """What a slow machine need not do again: compile modules and kernels, bundle the script that draws reports."""
    for folder in ("src", "tests/lab"):
        compileall.compile_dir(machine.TOP / folder, quiet=2)
    generic = {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": str(lab / "numba")}
    subprocess.run([sys.executable, "-m", "tests.lab.kernels"], cwd=machine.TOP, env=os.environ | generic, check=True)
    if not (bundle := lab / "bundle.js").exists():
        bundle.write_text(vl_convert.javascript_bundle())  # type: ignore[call-arg]  # its stub forgets the default


def long_cases() -> int:
    """How many a short session leaves out, by asking pytest as the machine would."""
    asked = "--collect-only -q -m long -p no:cacheprovider -o addopts= tests/lab/after tests/lab/cut tests/lab/cases"
    told = subprocess.run(
        [sys.executable, "-m", "pytest", *asked.split()],
        cwd=machine.TOP,
        env=os.environ | {"STEND_LAB": "counted", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return sum("::" in line for line in told.stdout.splitlines())


def main(lab: Path, *, short: bool, only: str = "") -> int:
    """0 when every case of every boot held, or when a short session took so long that it was given up, and says so.

    `only` are words for pytest in place of all cases, for one boot of one machine.
    """
    started, kind = time.monotonic(), "kvm" if machine.kvm() else "emulation"
    emulated = short and kind == "emulation"
    print(f"lab: {kind}", flush=True)
    if emulated:
        print(f"lab: {long_cases()} long cases are left to `make lab`: no KVM that boots a stock kernel", flush=True)
    limit_s = LIMIT_S["short" if short else kind]
    session = Session(lab, limit_s)
    alone: Machines = {"left": (Boot("first", only),)}
    session.run(alone if only else SHORT if emulated else WHOLE)
    if short and session.given_up:
        print(f"lab: SKIPPED the rest: not done within {limit_s} s on this machine; `make lab` waits longer")
        return 0
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    took = f"{time.monotonic() - started:.0f} s ({spent.ru_utime + spent.ru_stime:.0f} s of processor)"
    failed = "; ".join(session.failed)
    print(f"lab: FAILED after {took}: {failed}" if failed else f"lab: every case held, {took}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[2:] if word != "--short"]
    sys.exit(main(Path(sys.argv[1]), short="--short" in sys.argv, only=" ".join(words)))
