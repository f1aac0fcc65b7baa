"""nvme-cli 2 and 3 side by side: their names, what they print of a new namespace, and what stend does with it.

The texts are those of the sources of github.com/linux-nvme/nvme-cli at the named tags; no drive with namespaces that
can be managed was at hand. Names: `nvme-builtin.h` of v2.3 and v2.16; `plugins/{id,log}/*-plugin.h` and
`plugins/ns/ns-plugin.h`, `src/nvme-builtin.h` (ENTRY_DEPRECATED) of v3.0-rc1. What is printed: `nvme.c`, `create_ns`
and `ns_mgmt_show_status` of v2.3 to v2.16; `plugins/ns/ns-plugin.c`, `ns_mgmt_show_status` of v3.0-rc1, with
`stdout_key_value` of `nvme-print-stdout.c`. The version: `plugin.c`, `version`.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from stend.base.errors import StepFailed
from stend.devices import nvme
from stend.devices.purging import follow
from stend.devices.purging.prepare_table import Wish
from stend.devices.telling import nvme_cli, tools
from tests.played import Place, nvme_drive
from tests.stand import SIZE, Stand

HALF = SIZE // 2
VERSIONS = {
    "2.3": "nvme version 2.3 (git 2.3)\nlibnvme version 1.3 (git 1.3)\n",
    "2.16": "nvme version 2.16 (git 2.16)\nlibnvme version 1.16.1 (git 1.16.1)\n",
    "3.0": "nvme version 3.0-rc1 (git 3.0-rc1)\nlibnvme version 3.0-rc1 (git 3.0-rc1)\n",
}
CREATED = {
    "2.3": "create-ns: Success, created nsid:2\n",
    "2.16": "create-ns: success\nnsid: 2\n",
    "3.0": "create: success\nnsid: 2\n",
}
"""Of 3.0 with --verbose; without it nothing is printed."""
NAMES = [
    ("id-ctrl", "id ctrl"),
    ("id-ns", "id ns"),
    ("list-ns", "id ns-list"),
    ("list-ctrl", "id ctrl-list"),
    ("smart-log", "log smart"),
    ("sanitize-log", "log sanitize"),
    ("create-ns", "ns create"),
    ("delete-ns", "ns delete"),
    ("attach-ns", "ns attach"),
    ("detach-ns", "ns detach"),
    ("get-log", "get-log"),
    ("get-feature", "get-feature"),
    ("set-feature", "set-feature"),
    ("format", "format"),
    ("sanitize", "sanitize"),
    ("ns-rescan", "ns-rescan"),
]
"""2.x, 3.x; the last six have kept theirs."""
NEITHER = {
    "nothing, as 3.0 without --verbose": "",
    "another text": "namespace created\n",
    "a number of something else": "nvme0: nsid: 2\n",
    "the command as 3.0 shows it with -vv": "opcode       : 0d\nnsid         : 00000000\n",
    "nought": "nsid: 0\n",
    "all namespaces": "nsid: 4294967295\n",
    "two": "nsid: 2\nnsid: 3\n",
    "no decimal number": "nsid: 0x2\n",
}


def program(folder: Path, text: str) -> None:
    path = folder / "nvme"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def version(name: str) -> str:
    return f'if [ "$1" = version ]; then printf %s "{VERSIONS[name]}"; exit; fi\n'


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "tool"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/sbin:/usr/bin:/sbin:/bin")
    return folder


@pytest.mark.parametrize(("two", "three"), NAMES)
def test_each_command_has_the_name_of_the_version_at_hand(tool: Path, two: str, three: str) -> None:
    for name, words in (("2.3", two), ("2.16", two), ("3.0", three)):
        program(tool, version(name))
        told = nvme_cli.words("nvme", two, "/dev/nvme0", "--namespace-id=1")
        more = " --verbose" if (name, two) == ("3.0", "create-ns") else ""
        assert " ".join(told) == f"nvme {words} /dev/nvme0 --namespace-id=1{more}"
        assert nvme_cli.creates(told) == (two == "create-ns")


@pytest.mark.parametrize("text", ["exit 1", "echo nvme of some maker", "printf 'nvme version x.y'"])
def test_a_version_that_is_not_told_is_taken_for_two(tool: Path, text: str) -> None:
    program(tool, text)
    assert nvme_cli.words("nvme", "id-ns", "x") == ("nvme", "id-ns", "x")


def test_an_nvme_cli_that_is_replaced_is_asked_again(tool: Path) -> None:
    for name, major in (("2.16", 2), ("3.0", 3), ("2.3", 2)):
        program(tool, version(name) + f"# {name}")
        assert nvme_cli.major() == major
        (tool / "nvme").unlink()
    assert nvme_cli.words("hdparm", "id-ns") == ("hdparm", "id-ns")


@pytest.mark.parametrize("name", CREATED)
def test_the_number_of_a_new_namespace_is_read_from_either(name: str) -> None:
    assert nvme_cli.created(tools.Output(0, CREATED[name], "")) == "2"
    assert nvme_cli.created(tools.Output(0, CREATED[name].replace("2\n", "17\n"), "warning: nsid: 9\n")) == "17"


@pytest.mark.parametrize("what", NEITHER)
def test_a_number_that_is_not_told_for_certain_is_refused(what: str) -> None:
    with pytest.raises(StepFailed, match=r"does not print its number .*: `nvme .* --all` lists it"):
        nvme_cli.created(tools.Output(0, NEITHER[what], ""))


SANITIZE = '{"nvme0": {"sprog": 32768, "sstat": {"global_erased": 0, "status": "(2) Sanitize in Progress"}}}'
"""`json_sanitize_log` of nvme-print-json.c, v2.16 and v3.0-rc1 alike."""


@pytest.mark.parametrize(("name", "words"), [("2.16", "sanitize-log"), ("3.0", "log sanitize")])
def test_a_sanitize_is_followed_by_either(tool: Path, name: str, words: str) -> None:
    asked = f"{words} /dev/nvme0 --output-format=json"
    program(tool, f"{version(name)}case \"$*\" in '{asked}') echo '{SANITIZE}';; *) exit 1;; esac")
    progress = follow.progress("nvme", "/dev/nvme0n1", "/dev/nvme0")
    assert (progress.over, progress.failed, progress.percent) == (False, False, 50)


@pytest.mark.parametrize(("name", "words"), [("2.16", "list-ns"), ("3.0", "id ns-list")])
def test_other_namespaces_are_found_by_either(tool: Path, name: str, words: str) -> None:
    """`[%4u]:%#x` of nvme-print-stdout.c in all versions."""
    program(
        tool, f"{version(name)}case \"$*\" in '{words} /dev/nvme0 --all') printf '[   0]:0x1\\n[   1]:0x1f\\n';; esac"
    )
    assert nvme.elsewhere("/dev/nvme0", {1}, managed=True) == ["namespace 31, which is not attached here"]
    assert nvme.elsewhere("/dev/nvme1", {1}, managed=True) == [
        f"unknown namespaces (`nvme {words} /dev/nvme1 --all` lists none)"
    ]


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    with contextlib.ExitStack() as end:
        yield Place(Stand(tmp_path, end), monkeypatch, "nvme0n1")


def managed(here: Place, name: str, create: str) -> nvme.NvmeDevice:
    """A drive whose namespace is made anew by this version of nvme-cli; version 3 knows none of the old names."""
    unallocated = f'sed -i "s/.unvmcap.: 0/\\"unvmcap\\": {HALF}/" {here.bench.bin}/ctrl'
    smaller = f'sed -i "s/.nvmcap.: {SIZE}/\\"nvmcap\\": {HALF}/" {here.bench.bin}/ns'
    three = name.startswith("3")
    made, attached = ("ns create", "ns attach") if three else ("create-ns", "attach-ns")
    return nvme_drive(
        here,
        f"{made}) {create};;",
        f"{attached}) {here.becomes(HALF)}; {unallocated}; {smaller};;",
        version=VERSIONS[name],
        three=three,
    )


@pytest.mark.block
@pytest.mark.parametrize("name", CREATED)
def test_a_namespace_is_made_anew_by_either(place: Place, name: str) -> None:
    printed = f"printf '{CREATED[name]}'".replace("\n", "\\n")
    told = place.prepare(managed(place, name, printed), Wish(capacity_pct=50))
    assert told.endswith("it reports 25.2 MB of 50.3 MB native in blocks of 512 bytes")
    old = ["detach-ns", "delete-ns", "create-ns", "attach-ns", "ns-rescan"]
    new = ["ns detach", "ns delete", "ns create", "ns attach", "ns-rescan"]
    wanted = new if name == "3.0" else old
    assert [call.removeprefix("nvme ").partition(" /dev")[0] for call in place.wrote] == wanted
    assert "--namespace-id=2 --controllers=7" in place.wrote[3]
    assert place.wrote[2].endswith("--verbose") == (name == "3.0")


@pytest.mark.block
@pytest.mark.parametrize("name", CREATED)
def test_a_new_namespace_without_a_number_is_neither_attached_nor_undone(place: Place, name: str) -> None:
    """It was attached as the one that had been deleted."""
    with pytest.raises(StepFailed, match="does not print its number"):
        place.prepare(managed(place, name, "true"), Wish(capacity_pct=50))
    assert len(place.wrote) == 3
    assert "create" in place.wrote[-1]


@pytest.mark.block
@pytest.mark.parametrize("name", CREATED)
def test_what_is_undone_is_attached_by_its_new_number_alone(place: Place, name: str) -> None:
    printed = f"printf '{CREATED[name]}'".replace("\n", "\\n")
    fails = f'case "$*" in *--nsze={SIZE // 512}*) {{}};; *) echo Insufficient; exit 1;; esac'
    with pytest.raises(StepFailed, match="it is laid out as it was"):
        place.prepare(managed(place, name, fails.format(printed)), Wish(capacity_pct=50))
    assert "--namespace-id=2 " in place.wrote[-2]


@pytest.mark.block
def test_what_is_undone_without_a_number_is_told_and_not_attached(place: Place) -> None:
    fails = f'case "$*" in *--nsze={SIZE // 512}*) true;; *) echo Insufficient; exit 1;; esac'
    with pytest.raises(StepFailed, match="Insufficient; nvme-cli made a namespace and does not print its number"):
        place.prepare(managed(place, "3.0", fails), Wish(capacity_pct=50))
    assert "create" in place.wrote[-1]


@pytest.mark.block
def test_a_namespace_whose_number_the_kernel_does_not_state_is_left_alone(place: Place) -> None:
    device = managed(place, "2.3", "true")
    (place.home / "nsid").unlink()
    with pytest.raises(StepFailed, match="does not state the number"):
        place.prepare(device, Wish(lba_bytes=4096))
    assert place.wrote == []
