"""The lab's shorter cases, as a test among the others: `make test` ends with one count of all."""

import re
import subprocess
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages

import pytest

import stend
from tests.conftest import NOT_RUN
from tests.lab import child

TOP = Path(__file__).parent.parent
PART = re.compile(r"lab: ((?P<count>\d+) long cases are left to .*|SKIPPED the rest: .*)")


def test_what_the_machines_import_beforehand_is_there() -> None:
    """Long cases alone do so, which few hosts run: a library's new version would be noticed late."""
    parts = {part for found in walk_packages(stend.__path__, "stend.") for part in found.name.split(".")}
    assert parts >= child.UNUSED | child.AFTER
    assert all(map(find_spec, child.LATE))


@pytest.mark.lab
def test_drives_on_real_kernel_drivers_hold(record_property: Callable[[str, object], None]) -> None:
    """Real purges, runs, caches and faults in QEMU machines; what it said is in build/lab/log.txt."""
    words = [str(TOP / "tools/lab"), sys.prefix, "--or-skip"]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert not done.returncode, "\n".join(done.stdout.splitlines()[-60:])
    if skipped := re.search("lab: SKIPPED, (.*)", done.stdout):
        pytest.skip(f"no drives on real kernel drivers: {skipped[1]}")
    for part in PART.finditer(done.stdout):
        record_property(NOT_RUN, (part[1], int(part["count"] or 1)))
