"""A stranger's trace: a number that none can have is refused with its row, before a compiled kernel sees it."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pytest
import zstandard
from pyarrow import parquet

from stend.base.errors import BadInput
from stend.cli import main
from stend.model.workload import Workload
from stend.suite import _played, _streams
from stend.trace import described, form, playable, sound, steps

TOP = (1 << 63) - 1
ABOUT = b'{"source":"a stranger"}'
Change = Callable[[dict[str, Any]], None]


def columns(rows: int = 40) -> dict[str, Any]:
    number = np.arange(rows)
    told: dict[str, Any] = {name: np.zeros(rows, kind) for name, kind in form.COLUMNS.items()}
    told |= {"t_ns": number * 1000, "op": (number % 2).astype(np.uint8), "offset": number * 4096}
    return told | {"length": np.full(rows, 4096), "latency_ns": np.full(rows, 10), "depth": np.ones(rows, np.int32)}


def forged(path: Path, told: dict[str, Any], about: bytes = ABOUT, **more: Any) -> Path:
    """A sound Parquet file, whatever its numbers are."""
    arrays = [pa.array(told[field.name], field.type) for field in form._schema()]
    table = pa.Table.from_arrays(arrays, schema=form._schema())
    with parquet.ParquetWriter(path, table.schema, write_statistics=more.pop("write_statistics", True)) as file:
        file.write_table(table, **more)
        file.add_key_value_metadata({form.KEY: about.decode()})
    return path


def put(name: str, row: int, value: int) -> Change:
    def change(told: dict[str, Any]) -> None:
        told[name][row] = value

    return change


def backwards(told: dict[str, Any]) -> None:
    told["t_ns"] = told["t_ns"][::-1].copy()


def discards(told: dict[str, Any]) -> None:
    told["op"][:], told["length"][:] = form.DISCARD, 1 << 60


WRONG: list[tuple[Change, str]] = [
    (put("offset", 5, -(1 << 40)), "row 6 has -1099511627776 as its offset"),
    (put("offset", 5, -(1 << 60)), "row 6 has -1152921504606846976 as its offset"),
    (put("offset", 5, -1), "row 6 has -1 as its offset"),
    (put("offset", 39, TOP), f"row 40 has {TOP} as its offset"),
    (put("length", 0, -(1 << 30)), "row 1 has -1073741824 as its length"),
    (put("length", 7, (1 << 32) + 1), "row 8 reads or writes 4294967297 bytes at once"),
    (put("length", 7, TOP), f"row 8 has {TOP} as its length"),
    (discards, "row 5 brings all IOs together to 5497558138880 MiB"),
    (put("op", 5, 4), "row 6 has 4 as its op"),
    (put("op", 5, 255), "row 6 has 255 as its op"),
    (put("flags", 5, 16), "row 6 has 16 as its flags"),
    (put("t_ns", 0, -(1 << 50)), "row 1 has -1125899906842624 as its t_ns"),
    (put("t_ns", 39, TOP), f"row 40 has {TOP} as its t_ns"),
    (put("t_ns", 20, 18_999), "row 21 was issued before the row above it, at 18999 ns"),
    (backwards, "row 2 was issued before the row above it, at 38000 ns"),
    (put("latency_ns", 5, -2), "row 6 has -2 as its latency_ns"),
    (put("latency_ns", 5, TOP), f"row 6 has {TOP} as its latency_ns"),
    (put("depth", 5, (1 << 31) - 1), "row 6 has 2147483647 as its depth"),
    (put("depth", 5, -7), "row 6 has -7 as its depth"),
    (put("process", 5, -(1 << 31)), "row 6 has -2147483648 as its process"),
]


@pytest.mark.parametrize(("change", "said"), WRONG, ids=[said for _, said in WRONG])
@pytest.mark.parametrize("rows", [40, 7, 1], ids="in batches of {}".format)
def test_a_number_that_no_trace_can_have_is_refused_with_its_row(
    tmp_path: Path, change: Change, said: str, rows: int
) -> None:
    told = columns()
    change(told)
    path = forged(tmp_path / "t.parquet", told, row_group_size=10)
    with pytest.raises(BadInput) as error:
        list(form.opened(path).batches(rows=rows))
    assert str(error.value) == f"{path} cannot be used as a trace: {said}"


@pytest.mark.parametrize("change", [change for change, _ in WRONG], ids=[said for _, said in WRONG])
def test_every_way_to_use_a_trace_looks_first(tmp_path: Path, change: Change) -> None:
    told = columns()
    change(told)
    path = forged(tmp_path / "t.parquet", told)
    for use in (lambda: described.described(form.opened(path)), lambda: playable.summarise(str(path))):
        with pytest.raises(BadInput, match="row"):
            use()
    with pytest.raises(BadInput, match="row"):
        _streams.cumulative(path)


def test_the_largest_numbers_that_are_allowed_are_described_and_streamed(tmp_path: Path) -> None:
    told = columns()
    told["t_ns"][39] = told["latency_ns"][38] = told["offset"][39] = sound.LARGEST
    told["length"][39], told["depth"][3], told["process"][4] = sound.LONGEST, sound.MOST_DEPTH, (1 << 31) - 1
    path = forged(tmp_path / "t.parquet", told)
    known = described.described(form.opened(path))
    assert (known.ios, len(known.steps)) == (40, steps.MOST)
    assert known.places is not None
    assert known.places.span_bytes == sound.LARGEST + sound.LONGEST
    assert sum(part.tally.ios for part in _streams.cumulative(path)) == 40


@pytest.mark.parametrize("statistics", [True, False])
def test_the_end_of_a_trace_is_its_last_row_with_statistics_or_without(tmp_path: Path, statistics: bool) -> None:
    path = forged(tmp_path / "t.parquet", columns(), write_statistics=statistics)
    assert form.opened(path).end_ns == 39_000


def test_a_row_group_that_takes_more_memory_than_ours_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = forged(tmp_path / "t.parquet", columns(), row_group_size=40)
    monkeypatch.setattr(form, "ROWS", 39)
    with pytest.raises(BadInput, match="more than 39 IOs in a row group"):
        form.opened(path)


@pytest.mark.parametrize(
    "about",
    [
        b'{"source":"x","block_bytes":0}',
        b'{"source":"x","block_bytes":-512}',
        b'{"source":"x","capacity_bytes":-1}',
        b'{"source":"x","begun_s":1e300}',
        b'{"source":"x","lost":-1}',
        b'{"source":"x","malformed":{"a":-1}}',
        b"[" * 100_000,
        b"7",
    ],
)
def test_what_a_stranger_says_of_the_whole_is_looked_at_too(tmp_path: Path, about: bytes) -> None:
    path = forged(tmp_path / "t.parquet", columns(), about)
    with pytest.raises(BadInput, match="cannot be read as a trace"):
        form.opened(path)


def test_the_screen_has_one_sentence_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = columns()
    put("offset", 5, -(1 << 40))(told)
    path = forged(tmp_path / "t.parquet", told)
    assert main(["trace", "show", str(path)]) == 2
    assert capsys.readouterr().err == (
        f"stend: {path} cannot be used as a trace: row 6 has -1099511627776 as its offset\n"
    )


STEP = '[0,1000000000,null,{},[[0,4096,true,[1,4096,5,25,5,{"3":1}],1]]]'


@pytest.mark.parametrize(
    "line",
    [
        STEP.replace("[0,4096", "[4,4096"),
        STEP.replace("[0,4096", "[-1,4096"),
        STEP.replace("[0,4096", "[0,-4096"),
        STEP.replace("[0,1000000000", "[-1,1000000000"),
        STEP.replace("[0,1000000000", f"[0,{TOP}"),
        STEP.replace("{},", '{"-1":7},'),
        STEP.replace('{"3":1}', '{"99999":1}'),
        STEP.replace("[1,4096,5", "[-1,4096,5"),
        f"{STEP}\n{STEP}",
        f"[{sound.LARGEST},1,null,{{}},[]]",
        "[" * 100_000,
    ],
)
def test_a_step_that_cannot_be_is_refused_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "t.steps"
    head = f'{{"stend.steps":1,"step_ns":1000000000,"about":{ABOUT.decode()}}}\n'
    path.write_bytes(zstandard.compress(f"{head}{line}\n".encode()))
    with pytest.raises(BadInput, match=r"line \d"):
        described.described(steps.opened(path))
    path.write_bytes(zstandard.compress(f"{head}{STEP}\n".encode()))
    assert described.described(steps.opened(path)).ios == 1


def test_a_line_of_steps_that_never_ends_takes_no_memory(tmp_path: Path) -> None:
    head = f'{{"stend.steps":1,"step_ns":1,"about":{ABOUT.decode()}}}\n'.encode()
    packer = zstandard.ZstdCompressor(level=1).compressobj()
    with (tmp_path / "t.steps").open("wb") as file:
        file.write(packer.compress(head))
        for _ in range(64):
            file.write(packer.compress(bytes(32 << 20)))  # 2 GiB of nothing
        file.write(packer.flush())
    code = f"""
import resource
from pathlib import Path
from stend.trace import steps, described
resource.setrlimit(resource.RLIMIT_AS, (3 << 29, 3 << 29))
try:
    described.described(steps.opened(Path({str(tmp_path / "t.steps")!r})))
except Exception as error:
    print(type(error).__name__)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "BadInput\n", done.stderr


@pytest.mark.parametrize(("name", "value"), [("length", 1 << 31), ("depth", 1 << 20)])
def test_a_plan_of_a_replay_can_be_read_again_or_is_refused(tmp_path: Path, name: str, value: int) -> None:
    told = columns()
    told[name][:] = value
    trace = playable.summarise(str(forged(tmp_path / "t.parquet", told)))
    if name == "length":
        with pytest.raises(BadInput, match="a replay sends at most 1 GiB at once"):
            _played.laid(trace, 1 << 40, "auto")
        return
    fit, span = _played.laid(trace, 1 << 40, "auto")
    made = _played.played(trace, _played.CLOSED, fit, span)
    assert msgspec.json.decode(msgspec.json.encode(made), type=Workload) == made
