"""Parts of a catalogue: what is written is read again, in order; what is torn, replaced or of others does not count."""

import fcntl
import os
from pathlib import Path
from typing import Any

import msgspec
import pytest

from stend.base.errors import BadInput
from stend.catalogue import parts
from stend.catalogue.columns import COLUMNS, TYPES, About
from stend.catalogue.known import Known
from stend.catalogue.parts import Content, Entry, Part

KINDS: dict[Any, Any] = {str: "x", int: 1, float: 1.5, bool: True, tuple[str, ...]: ("fresh",)}


def about(run: str) -> About:
    facts: dict[str, Any] = {name: KINDS.get(kind) for name, kind in About.__annotations__.items()}
    return About(**(facts | {"stamps": (), "deviations": (), "run": run}))


def entry(place: str, number: int, why: str = "") -> Entry:
    return Entry(place, (number, 2, 3), number, why, None if why else about(place))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A catalogue of two parts without tables: runs a and b, and a again as it is now."""
    parts.commit(tmp_path, [entry("a", 1), entry("b", 2, "it is torn")], {})
    parts.commit(tmp_path, [entry("a", 3)], {})
    return tmp_path


def files(home: Path) -> list[str]:
    return sorted(str(path.relative_to(home)) for path in home.rglob("*") if path.is_file())


def test_parts_are_numbered_from_one_and_read_in_their_order(home: Path) -> None:
    assert files(home) == [f"known/part-0000000{number}.msgpack" for number in (1, 2)]
    read = parts.read(home)
    assert [part.number for part in read] == [1, 2]
    assert [parts.entries_of(part) for part in read] == [[entry("a", 1), entry("b", 2, "it is torn")], [entry("a", 3)]]
    assert [part.data.instead for part in read] == [[], []]
    assert parts.read(home / "known") == []


def test_of_a_run_the_newest_row_counts_and_the_older_ones_are_gone(home: Path) -> None:
    read = parts.read(home)
    known = Known(read, ["b", "a", "c"])
    assert (known.places, known.entries, known.broken) == (["b", "a"], [2, 3], [("b", "it is torn")])
    assert known.column("run") == ["a"]
    assert parts.gone(read, known.entries) == {1}
    assert parts.gone(read, [1, 2, 3]) == parts.gone([], [1]) == set()
    assert (parts.unused(read), parts.unused([])) == (4, 1)


def test_without_a_reason_in_any_part_every_run_is_readable(tmp_path: Path) -> None:
    parts.commit(tmp_path, [entry("a", 1), entry("b", 2)], {})
    known = Known(parts.read(tmp_path), ["b", "a"])
    assert (known.column("run"), known.broken) == (["b", "a"], [])


def test_reasons_of_later_parts_belong_to_their_own_rows(tmp_path: Path) -> None:
    for number, whys in enumerate((("", ""), ("", "no"), ("never", ""))):
        parts.commit(tmp_path, [entry(f"{number}{row}", 2 * number + row, why) for row, why in enumerate(whys)], {})
    known = Known(parts.read(tmp_path), [f"{number}{row}" for number in range(3) for row in range(2)])
    assert known.broken == [("11", "no"), ("20", "never")]
    assert known.column("run") == ["00", "01", "10", "21"]


def test_merged_parts_are_one_with_the_valid_rows_and_the_others_are_deleted(home: Path) -> None:
    parts.merge(home, parts.read(home), [2, 3])
    (part,) = parts.read(home)
    assert (part.number, part.data.instead) == (3, [1, 2])
    assert parts.entries_of(part) == [entry("b", 2, "it is torn"), entry("a", 3)]
    assert files(home) == ["known/part-00000003.msgpack"]
    parts.merge(home, parts.read(home), [2, 3])
    assert files(home) == ["known/part-00000003.msgpack"], "one part needs no merge"


def test_a_merge_that_was_killed_before_it_deleted_counts_all_the_same(home: Path) -> None:
    before = {path: path.read_bytes() for path in (home / "known").iterdir()}
    parts.merge(home, parts.read(home), [2, 3])
    for path, data in before.items():
        path.write_bytes(data)
    assert [part.number for part in parts.read(home)] == [3]
    parts.clean(home)
    assert files(home) == ["known/part-00000003.msgpack"]


def test_what_belongs_to_no_complete_part_is_deleted_and_nothing_else(home: Path) -> None:
    (home / "known/part-00000001.msgpack").write_bytes(b"torn")
    (home / "runs").mkdir()
    strange = ["known/part-00000002.parquet", "known/odd.msgpack", "runs/part-00000001.parquet", "runs/part-9.msgpack"]
    kept = ["known/part-00000002.msgpack", "lock", "runs/part-00000002.parquet"]
    for name in [*strange, *kept[1:]]:
        (home / name).write_bytes(b"x")
    parts.clean(home)
    assert files(home) == kept


@pytest.mark.parametrize(
    "changes",
    [
        {"version": parts.VERSION + 1},
        {"entries": [1]},
        {"stamps": []},
        {"places": ["a"]},
        {"sizes": {"runs": 1}},
        {"sizes": {"runs": -2}},
    ],
)
def test_a_part_of_another_version_or_whose_columns_or_tables_do_not_fit_is_skipped(
    changes: dict[str, Any], home: Path
) -> None:
    path = home / "known/part-00000001.msgpack"
    fields = msgspec.msgpack.decode(path.read_bytes())
    path.write_bytes(msgspec.msgpack.encode(fields | changes))
    assert [part.number for part in parts.read(home)] == [2]


def test_a_table_has_the_size_that_its_part_states(home: Path) -> None:
    path = home / "known/part-00000001.msgpack"
    path.write_bytes(msgspec.msgpack.encode(msgspec.msgpack.decode(path.read_bytes()) | {"sizes": {"runs": 5}}))
    (home / "runs").mkdir()
    table = home / "runs/part-00000001.parquet"
    for data, numbers in ((b"12345", [1, 2]), (b"1234", [2])):
        table.write_bytes(data)
        assert [part.number for part in parts.read(home)] == numbers
    (first, *_) = parts.read(home)
    assert parts.files(home, parts.read(home)) == {name: [] for name in COLUMNS}, "part 2 has no tables"
    table.write_bytes(b"12345")
    assert parts.files(home, parts.read(home))["runs"] == [table]
    assert first.number == 2


@pytest.mark.parametrize("damage", [None, b"\xc1", msgspec.msgpack.encode(["a"])])
def test_a_damaged_column_is_refused_with_the_way_out(damage: bytes | None, home: Path) -> None:
    data = parts.read(home)[0].data
    part = Part(1, msgspec.structs.replace(data, about={} if damage is None else {"run": msgspec.Raw(damage)}))
    with pytest.raises(BadInput, match=r"the catalogue is damaged; delete \.stend/catalogue, which is rebuilt"):
        parts.column(part, "run")


def test_a_part_knows_its_reasons_by_row() -> None:
    made = parts.content([entry("a", 5, "x"), entry("b", 6)], {"runs": 7}, [3, 4])
    assert (made.version, made.sizes, made.why, made.instead) == (parts.VERSION, {"runs": 7}, {0: "x"}, [3, 4])
    assert (made.places, made.entries, made.stamps) == (["a", "b"], [5, 6], [(5, 2, 3), (6, 2, 3)])
    assert made.about.keys() == TYPES.keys()
    assert isinstance(made, Content)


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("alone", [False, True])
def test_who_writes_is_alone_and_who_reads_shares(alone: bool, there: bool, tmp_path: Path) -> None:
    def free(way: int) -> bool:
        fd = os.open(tmp_path / "lock", os.O_RDWR)
        try:
            fcntl.flock(fd, way | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        finally:
            os.close(fd)
        return True

    if there:
        (tmp_path / "lock").touch()
    with parts.locked(tmp_path, alone=alone):
        assert not free(fcntl.LOCK_EX)
        assert free(fcntl.LOCK_SH) == (not alone)
    assert free(fcntl.LOCK_EX)
