"""Read the progress of a purge that runs inside the drive, as the drive reports it."""

import re
from typing import NamedTuple

from stend.devices.telling import nvme_cli, tools


class Progress(NamedTuple):
    """The progress of a purge: whether it ended, whether it failed, the percentage, and the drive's own words."""

    over: bool
    failed: bool
    percent: float
    words: str


def of_nvme(output: tools.Output) -> Progress:
    """Return the progress from `nvme sanitize-log -o json`, of nvme-cli 1 to 3 (NVMe 1.4, figure 202)."""
    log = next((v for v in output.document.values() if isinstance(v, dict) and "sprog" in v), output.document)
    if "sprog" not in log:
        return Progress(over=True, failed=True, percent=0, words=output.words)
    state = log.get("sstat")
    text = str(state.get("status", "")) if isinstance(state, dict) else ""
    code = int(re.sub(r"\D", "", text[:4]) or 0) if isinstance(state, dict) else tools.number(state) & 7
    percent = min(tools.number(log["sprog"]) / 65536 * 100, 100)
    words = f"{text or NVME.get(code, 'state unknown')}, {percent:.0f} %"
    return Progress(over=code != RUNNING, failed=code not in (1, 4, RUNNING), percent=percent, words=words)


RUNNING = 2
NVME = {0: "never sanitized", 1: "sanitized", 2: "in progress", 3: "failed", 4: "sanitized, not deallocated"}


def of_ata(output: tools.Output) -> Progress:
    """Return the progress from `hdparm --sanitize-status` (ACS-4, 7.36)."""
    percent = re.search(r"\((\d+)%\)", output.out)
    running = "In Process" in output.out
    failed = output.code != 0 or bool(re.search(r"SD3|Unsuccessful|Completed With Error", output.out))
    words = "; ".join(line.strip() for line in output.out.splitlines()[1:] if line.strip()) or output.words
    return Progress(over=not running, failed=failed, percent=float(percent[1]) if percent else 0, words=words[:300])


NOT_READY = 2
"""The exit code of `sg_turs` (Test Unit Ready) for a drive that formats or sanitizes. Not every drive gives a
percentage in Request Sense meanwhile."""


def of_scsi(output: tools.Output) -> Progress:
    """Return the progress from `sg_requests --progress` (SPC-5, Request Sense)."""
    percent = re.search(r"([\d.]+)\s*%", output.out)
    failed = bool(re.search(r"fail|corrupt", f"{output.out}{output.err}", re.IGNORECASE))
    return Progress(
        over=percent is None, failed=failed, percent=float(percent[1]) if percent else 0, words=output.words
    )


def progress(kind: str, node: str, controller: str) -> Progress:
    """Read the progress of a drive's purge. `kind` is `nvme`, `ata` or `scsi`."""
    if kind == "nvme":
        return of_nvme(tools.run(*nvme_cli.words("nvme", "sanitize-log", controller or node, "--output-format=json")))
    if kind == "ata":
        return of_ata(tools.run("hdparm", "--sanitize-status", node))
    now = of_scsi(tools.run("sg_requests", "--progress", node))
    if now.over and not now.failed and tools.try_run("sg_turs", node).code == NOT_READY:
        return Progress(over=False, failed=False, percent=0, words="not ready, without a percentage")
    return now
