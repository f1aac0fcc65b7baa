"""Inspections of block devices: 0 bytes written by the kernel's counters, and drives in use."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from stend import store
from stend.base.units import MiB
from stend.cli import main
from stend.sentences import finding_said
from stend.words import Language
from tests.inspected import said
from tests.stand import Stand, zram

pytestmark = [pytest.mark.block, pytest.mark.fio]
WRITES = (4, 6, 11, 13)
"""Fields of /sys/block/X/stat: writes, sectors written, discards, sectors discarded."""


def written(node: str) -> list[str]:
    fields = Path(f"/sys/block/{Path(node).name}/stat").read_text().split()
    return [fields[n] for n in WRITES]


def content(node: str) -> str:
    with open(node, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@contextmanager
def drive(stand: Stand, kind: str) -> Iterator[str]:
    if kind == "loop":
        yield stand.loop(stand.file(size=32 * MiB))
        return
    with zram(32 * MiB) as node:
        yield node


@pytest.mark.needs("zram in the kernel")
@pytest.mark.parametrize("kind", ["loop", "zram"])
def test_an_inspection_writes_0_bytes(stand: Stand, kind: str) -> None:
    folder = stand.folder / "run"
    with drive(stand, kind) as node:
        with open(node, "wb") as file:
            file.write(os.urandom(16 * MiB))
        before = written(node), content(node)
        assert main(["inspect", node, "--quick", "--into", str(folder)]) == 0
        assert (written(node), content(node)) == before
    record = store.load(folder)
    assert said(record)["untouched.nothing"].values == {"moved": 0, "by": "kernel"}
    assert record.telemetry[0].values["kernel_read_bytes"] < record.telemetry[-1].values["kernel_read_bytes"]


@pytest.mark.needs("mkfs.ext4")
def test_a_mounted_drive_is_read_only_if_that_is_permitted_and_the_page_says_so(
    stand: Stand, capsys: pytest.CaptureFixture[str]
) -> None:
    node, folder = stand.loop(stand.file(size=64 * MiB)), stand.folder / "run"
    stand.formatted(path=node)
    place = stand.mount(node)
    assert main(["inspect", node, "--quick", "--into", str(folder)]) == 3
    assert f"is mounted at {place}" in capsys.readouterr().err
    assert not folder.exists()
    assert main(["inspect", node, "--in-use", "--quick", "--into", str(folder)]) == 0
    found = said(store.load(folder))
    assert f"is mounted at {place}." in finding_said(found["untouched.used"], Language("en"))
    assert f"смонтирован в {place}." in finding_said(found["untouched.used"], Language("ru"))
    assert {"untouched.nothing", "untouched.in_use"} & set(found)
