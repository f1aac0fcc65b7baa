"""How far a purge has come that runs inside the drive, by the drive's own word."""

import re
from typing import NamedTuple

from stend.devices.telling import nvme_cli, tools


class Progress(NamedTuple):
    """Whether it is over, whether it failed, how many percent are done, and what the drive said."""

    over: bool
    failed: bool
    percent: float
    words: str


def of_nvme(told: tools.Told) -> Progress:
    """From `nvme sanitize-log -o json`, of nvme-cli 1 to 3 (NVMe 1.4, figure 202)."""
    log = next((v for v in told.document.values() if isinstance(v, dict) and "sprog" in v), told.document)
    if "sprog" not in log:
        return Progress(over=True, failed=True, percent=0, words=told.words)
    state = log.get("sstat", 0)
    text = str(state.get("status", "")) if isinstance(state, dict) else ""
    code = int(re.sub(r"\D", "", text[:4]) or 0) if isinstance(state, dict) else tools.number(state) & 7
    percent = min(tools.number(log["sprog"]) / 65536 * 100, 100)
    words = f"{text or NVME.get(code, 'state not told')}, {percent:.0f} %"
    return Progress(over=code != RUNNING, failed=code not in (1, 4, RUNNING), percent=percent, words=words)


RUNNING = 2
NVME = {0: "never sanitized", 1: "sanitized", 2: "in progress", 3: "failed", 4: "sanitized, not deallocated"}


def of_ata(told: tools.Told) -> Progress:
    """From `hdparm --sanitize-status` (ACS-4, 7.36)."""
    percent = re.search(r"\((\d+)%\)", told.out)
    running = "In Process" in told.out
    failed = told.code != 0 or bool(re.search(r"SD3|Unsuccessful|Completed With Error", told.out))
    words = "; ".join(line.strip() for line in told.out.splitlines()[1:] if line.strip()) or told.words
    return Progress(over=not running, failed=failed, percent=float(percent[1]) if percent else 0, words=words[:300])


def of_scsi(told: tools.Told) -> Progress:
    """From `sg_requests --progress` (SPC-5, Request Sense): no progress told means that nothing runs."""
    percent = re.search(r"([\d.]+)\s*%", told.out)
    failed = bool(re.search(r"fail|corrupt", f"{told.out}{told.err}", re.IGNORECASE))
    return Progress(
        over=percent is None,
        failed=failed,
        percent=float(percent[1]) if percent else 0,
        words=told.words,
    )


def ask(kind: str, node: str, controller: str) -> Progress:
    """Ask a drive how far it is."""
    if kind == "nvme":
        return of_nvme(tools.ask(*nvme_cli.words("nvme", "sanitize-log", controller or node, "--output-format=json")))
    if kind == "ata":
        return of_ata(tools.ask("hdparm", "--sanitize-status", node))
    return of_scsi(tools.ask("sg_requests", "--progress", node))
