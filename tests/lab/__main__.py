"""`python -m tests.lab FOLDER [--short] [CASES]`: boot the machine, run the cases in it, tell how it went."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

from tests.lab import machine

FIRST, CUT, AFTER = "tests/lab/cases", "tests/lab/cut", "tests/lab/after"
LIMIT_S = {"kvm": 480, "emulation": 1200, "short": 240}


def main(lab: Path, *, short: bool, only: str = "") -> int:
    """0 when every case of every boot held, or when a short session took so long that it was given up, and says so.

    `only` are words for pytest in place of all cases, for one boot.
    """
    started, kind = time.monotonic(), "kvm" if machine.kvm() else "emulation"
    disks = lab / "drives"
    shutil.rmtree(disks, ignore_errors=True)
    disks.mkdir(parents=True)
    words = list(machine.drives(disks))
    subprocess.run(["mkfs.ext4", "-q", "-F", str(disks / "runs.img")], check=True, stdout=subprocess.DEVNULL)
    emulated = short and kind == "emulation"
    print(f"lab: {kind}{'; the long cases are left to `make lab`' if emulated else ''}", flush=True)
    boots = [("first", FIRST, "ended 0")] + ([] if emulated else [("cut", CUT, "cut"), ("after", AFTER, "ended 0")])
    boots = [("first", only, "ended 0")] if only else boots
    limit, failed = LIMIT_S["short" if short else kind], []
    for boot, cases, wanted in boots:
        (lab / "cases").write_text(f"-m 'not long' {cases}" if emulated else cases)
        with machine.booted(lab, words, boot) as now:
            said = now.listen(limit - (time.monotonic() - started))
        if short and said == "too long":
            print(f"lab: SKIPPED the rest: not done within {limit} s on this machine; `make lab` waits longer")
            return 0
        if said != wanted:
            failed.append(f"boot {boot!r} {said} (its console: {lab}/console-{boot}.txt)")
    took = f"{time.monotonic() - started:.0f} s"
    print(f"lab: FAILED after {took}: {'; '.join(failed)}" if failed else f"lab: every case held, {took}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    words = [word for word in sys.argv[2:] if word != "--short"]
    sys.exit(main(Path(sys.argv[1]), short="--short" in sys.argv, only=" ".join(words)))
