"""A selector chooses drives of those announced, none whose serial the file does not name, and the same ever after."""

import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend.base.errors import BadInput, Refused
from stend.base.units import GB
from stend.fleet import chosen, file
from stend.fleet.chosen import Drive
from stend.fleet.file import Fleet

STUDY = [{"tests": ["iops"]}]


def fleet(tmp_path: Path, drives: Any, destroy: tuple[str, ...] = (), **own: Any) -> Fleet:
    told = {"name": "b", "scheduler": "tls://desk:1", "into": str(tmp_path / "home"), "studies": STUDY} | own
    path = tmp_path / "fleet.toml"
    path.write_bytes(msgspec.toml.encode(told | {"drives": drives, "destroy": list(destroy)}))
    return file.load(path)


def host(*serials: str, model: str = "SN150 X", firmware: str = "1.0", size: int = 960 * GB) -> dict[str, Drive]:
    return {one: Drive("lab1", model, firmware, size, f"/dev/{one}") for one in serials}


THREE = host("A", "B", "C")
OTHERS = host("D", model="QN9", size=1920 * GB) | host("E", firmware="2.1") | host("F", size=990 * GB)


@pytest.mark.parametrize(
    ("selector", "meant"),
    [
        ({"model": "sn150*"}, "ABCEF"),
        ({"model": "SN150*", "firmware": "1.*"}, "ABCF"),
        ({"model": "SN150*", "capacity": "960GB"}, "ABCE"),
        ({"capacity": "950GB-2TB"}, "ABCDEF"),
        ({"capacity": "1TB-2TB"}, "D"),
        ({"capacity": "990GB-990GB"}, "F"),
        ({"model": "[!S]*"}, "D"),
    ],
)
def test_a_selector_means_drives_by_model_firmware_and_capacity(
    selector: dict[str, str], meant: str, tmp_path: Path
) -> None:
    own = fleet(tmp_path, [selector], tuple("ABCDEF"))
    assert chosen.settled(own, THREE | OTHERS).serials == tuple(meant)


def test_so_many_are_chosen_as_are_wanted_in_the_order_in_which_the_file_names_them(tmp_path: Path) -> None:
    own = fleet(tmp_path, {"model": "SN150*", "count": 2}, ("D", "C", "B", "A"))
    assert chosen.settled(own, THREE | OTHERS).serials == ("C", "B")
    one = {"count": 1}
    two = fleet(tmp_path, ["B", one | {"model": "SN*"}, one | {"firmware": "1*"}], ("B", "A", "D"))
    assert chosen.settled(two, THREE | OTHERS).serials == ("B", "A", "D"), "none twice"


def test_no_drive_is_chosen_whose_serial_the_file_does_not_name(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="`destroy` names 1 of 5 announced"):
        chosen.settled(fleet(tmp_path, {"model": "SN150*", "count": 2}, ("A", "D")), THREE | OTHERS)
    with pytest.raises(Refused, match="`destroy` names 2 of 3 announced"):
        chosen.settled(fleet(tmp_path, {"model": "SN150*"}, ("A", "B")), THREE)
    with pytest.raises(Refused, match="`destroy` names 0 of 3 announced"):
        chosen.settled(fleet(tmp_path, {"model": "SN150*"}), THREE)


def test_fewer_drives_than_are_wanted_begin_nothing(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="4 drives are needed, but 3 are announced"):
        chosen.settled(fleet(tmp_path, {"model": "SN150*", "count": 4}, tuple("ABC")), THREE)
    with pytest.raises(BadInput, match="no announced drive matches model X\\*; announced: SN150 X 960 GB"):
        chosen.settled(fleet(tmp_path, {"model": "X*"}, tuple("ABC")), THREE)
    with pytest.raises(BadInput, match="no host announces the drive D; start its host's worker"):
        chosen.settled(fleet(tmp_path, {"model": "SN150*"}, tuple("ABCD")), THREE)


def test_a_virtual_drive_needs_no_name_for_nothing_is_lost_on_it(tmp_path: Path) -> None:
    virtual = {"SIM-small-1": Drive("lab1", "stend small", "", 134, "sim:small?unit=1")}
    assert chosen.settled(fleet(tmp_path, {"model": "stend *"}), virtual).serials == ("SIM-small-1",)


def test_what_was_chosen_once_is_chosen_ever_after(tmp_path: Path) -> None:
    own = fleet(tmp_path, {"model": "SN150*", "count": 2}, tuple("ABC"))
    assert chosen.kept(own) is None
    first = chosen.settled(own, THREE)
    chosen.keep(own, first)
    assert chosen.kept(own) == first
    turned = chosen.kept(fleet(tmp_path, {"model": "SN150*", "count": 2}, tuple("CBA")))
    assert turned
    assert turned.serials == ("A", "B")
    with pytest.raises(BadInput, match="that other selectors chose"):
        chosen.kept(fleet(tmp_path, {"model": "SN150*", "count": 3}, tuple("ABC")))
    with pytest.raises(Refused, match="the drive B was chosen, but `destroy` no longer names it"):
        chosen.kept(fleet(tmp_path, {"model": "SN150*", "count": 2}, tuple("AC")))


def test_a_run_is_named_by_its_serial_with_a_mark_where_letters_are_lost_and_its_studys_number(tmp_path: Path) -> None:
    own = fleet(tmp_path, ["S 1/2-", "L" * 60, "S4X"], studies=STUDY * 2)
    assert own.cells["S 1/2-"] == ("S-1-2-930f-01", "S-1-2-930f-02")
    assert own.cells["L" * 60] == (f"{'L' * 40}-ef59-01", f"{'L' * 40}-ef59-02")
    assert own.cells["S4X"] == ("S4X-01", "S4X-02")
    assert [order.study_word for order in own.orders()] == ["01"] * 3 + ["02"] * 3


@pytest.mark.parametrize(
    ("selector", "said"),
    [
        ({"count": 4}, "a selector without conditions"),
        ({"model": "A*", "capacity": "2TB-1TB"}, "the capacity 2TB-1TB is not an ascending range"),
        ({"model": "A*", "capacity": "large"}, "'large' is not a size"),
        ({"model": "A*", "serial": "S1"}, "unknown field `serial`"),
        ({"model": "A*", "count": 0}, ">= 1"),
    ],
)
def test_what_selects_nothing_is_refused(selector: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=said):
        fleet(tmp_path, selector)


def test_drives_are_printed_as_lines_for_the_file(tmp_path: Path) -> None:
    odd = {'Q"\\1': Drive("lab2", "Evil\n[acceptance]", "", GB, "/dev/q")}
    every = tomllib.loads("\n".join(chosen.page(None, THREE | OTHERS | odd)))
    assert sorted(every["drives"]) == sorted([*"ABCDEF", 'Q"\\1'])
    own = fleet(tmp_path, {"model": "SN150*", "count": 2}, ("B",))
    lines = list(chosen.page(own, THREE | OTHERS))
    assert tomllib.loads("\n".join(lines)) == {"destroy": list("ABCEF")}
    assert '    "B",  # SN150 X, 960 GB, firmware 1.0, /dev/B of lab1, already named' in lines
    assert '    "D",  # QN9' not in "\n".join(lines)
    assert list(chosen.page(None, {})) == ["# no match among 0 announced drives"]


def test_a_fleet_that_only_reads_needs_no_names_and_names_no_drive(tmp_path: Path) -> None:
    studies = [{"tests": ["inspect"], "survey_minutes": 2.5}, {"tests": ["inspect"], "rounds": 2, "tested_by": "A. B."}]
    own = chosen.settled(fleet(tmp_path, {"model": "SN150*"}, studies=studies), THREE)
    assert own.serials == ("A", "B", "C")
    first, *_, last = (order.request("/dev/x", tmp_path) for order in own.orders())
    assert first.command == ["inspect", "--minutes=2.5", f"--into={tmp_path}", "--label=b", "--", "/dev/x"]
    assert last.command[:2] == ["run", "--target=/dev/x"]
    assert "--tested-by=A. B." in last.command
    assert (first.destroy, last.destroy) == (None, None)
    mixed = fleet(tmp_path, {"model": "SN150*"}, studies=[*studies, {"tests": ["media"], "verify": True}])
    with pytest.raises(Refused, match="`destroy` names 0 of 3 announced"):
        chosen.settled(mixed, THREE)
    verified = list(msgspec.structs.replace(mixed, drives=("A",)).orders())[-1].request("/dev/x", tmp_path)
    assert (verified.destroy, verified.verify) == ("A", True)
    with pytest.raises(BadInput, match="for a study of the test `inspect` alone"):
        fleet(tmp_path, ["A"], studies=[{"tests": ["inspect", "iops"], "survey_minutes": 2.5}])


def test_drives_of_any_of_the_selectors_are_printed_and_the_choice_is_kept_in_a_new_folder(tmp_path: Path) -> None:
    two = fleet(tmp_path, [{"model": "QN*"}, {"firmware": "2.1"}], ("D", "E"), into=str(tmp_path / "more/home"))
    lines = list(chosen.page(two, THREE | OTHERS))
    assert [line.partition('"')[2][0] for line in lines if line.startswith("    ")] == ["D", "E"]
    settled = chosen.settled(two, THREE | OTHERS)
    assert chosen.kept(two) is None
    for _ in range(2):
        chosen.keep(two, settled)
        assert chosen.kept(two) == settled
