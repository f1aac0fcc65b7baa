"""Commands of nvme-cli: version 3 renames ten of them, and prints the number of a new namespace only with -v."""

import os
import re
import shutil
from functools import lru_cache

from stend.base.errors import StepFailed
from stend.devices.telling import tools

RENAMED = {
    "id-ctrl": ("id", "ctrl"),
    "id-ns": ("id", "ns"),
    "list-ns": ("id", "ns-list"),
    "list-ctrl": ("id", "ctrl-list"),
    "smart-log": ("log", "smart"),
    "sanitize-log": ("log", "sanitize"),
    "create-ns": ("ns", "create"),
    "delete-ns": ("ns", "delete"),
    "attach-ns": ("ns", "attach"),
    "detach-ns": ("ns", "detach"),
}
"""The names of version 2 and those of 3 (nvme-cli v3.0-rc1, plugins/{id,log,ns}). The old ones may be left out of 3."""
CREATE = "create-ns"
MOST_NSID = 0xFFFFFFFE
"""The last number that a namespace may have (NVMe base specification 2.0, 3.2.1)."""


class Unnumbered(StepFailed):
    """A namespace was made and nvme-cli did not print its number, so that it can be neither used nor deleted."""


def words(*command: str) -> tuple[str, ...]:
    """Return a command of nvme-cli 2 (`nvme id-ctrl ...`) in the words of the nvme-cli of this host."""
    if command[0] != "nvme" or command[1] not in RENAMED or major() < 3:
        return command
    verbose = ("--verbose",) if command[1] == CREATE else ()
    return "nvme", *RENAMED[command[1]], *command[2:], *verbose


def creates(command: tuple[str, ...]) -> bool:
    """Return whether a command, in the words of either version, makes a namespace."""
    return command[:2] == ("nvme", CREATE) or command[:3] == ("nvme", *RENAMED[CREATE])


def created(output: tools.Output) -> str:
    """Return the number of the new namespace. Raise Unnumbered unless it is printed exactly once.

    Version 2 prints `create-ns: Success, created nsid:2` or, from 2.14 on, a line `nsid: 2`. Version 3 prints the line
    only with -v.
    """
    numbers: list[str] = re.findall(r"^(?:create-ns: Success, created )?nsid: ?(\d+)$", output.out, re.MULTILINE)
    if len(numbers) != 1 or not 1 <= int(numbers[0]) <= MOST_NSID:
        shown = " ".join(words("nvme", "list-ns"))
        raise Unnumbered(
            f"nvme-cli made a namespace and does not print its number ({output.words}); it is not attached: "
            f"`{shown} --all` lists it"
        )
    return numbers[0]


def major() -> int:
    """Return the major version of this host's nvme-cli, or 2 if it does not print one."""
    path = shutil.which("nvme") or ""
    try:
        changed = os.stat(path).st_mtime_ns if path else 0
    except OSError:
        changed = 0
    return _major(path, changed) if path else 2


@lru_cache(maxsize=8)
def _major(path: str, changed: int) -> int:
    """Return the version from `nvme version 2.16 (git 2.16)`, cached as long as the program is the same file."""
    version = re.search(r"^nvme version (\d+)\.", tools.try_run(path, "version").out, re.MULTILINE)
    return int(version[1]) if version else 2
