"""The one form of a trace: what is written is read, in level memory, and what is none is refused in a sentence."""

import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import msgspec
import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from stend import trace
from stend.base.errors import BadInput
from stend.trace import form, playable, steps
from stend.words import Language, Sentence, text

ABOUT = trace.About(source="made", device="drawn by a test", capacity_bytes=1 << 30, malformed={"no number": 2})


def ios(rows: int, first_ns: int = 0) -> dict[str, npt.NDArray[np.int64]]:
    number = np.arange(rows)
    latency = np.where(number % 3, 1000 * number, trace.UNKNOWN)
    told = {"t_ns": first_ns + 10 * number, "op": number % 4, "offset": 4096 * number, "length": number * 0 + 4096}
    return told | {"latency_ns": latency, "flags": number % 16}


def together(batches: object) -> dict[str, npt.NDArray[np.int64]]:
    every = list(batches)  # type: ignore[call-overload]
    return {name: np.concatenate([one[name] for one in every]) for name in every[0]}


@given(sizes=st.lists(st.integers(0, 50), max_size=6), rows=st.integers(1, 60))
def test_what_is_written_is_read_whatever_the_batches(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], rows: int
) -> None:
    path = tmp_path_factory.mktemp("trace") / "t.parquet"
    starts = np.cumsum([0, *sizes])
    whole = ios(int(starts[-1]))
    parts = [{name: own[a:b] for name, own in whole.items()} for a, b in pairwise(starts)]
    made = trace.write(path, parts, ABOUT)
    assert (made, made.about) == (trace.opened(path), ABOUT)
    assert (made.ios, made.end_ns) == (starts[-1], max(10 * (int(starts[-1]) - 1), 0))
    read = list(made.batches(rows=rows))
    assert all(len(part["t_ns"]) <= rows for part in read)
    for name, own in whole.items() if made.ios else ():
        assert together(read)[name].tolist() == own.tolist()
        assert together(read)[name].dtype == form.COLUMNS[name]
    for name in ("depth", "process") if made.ios else ():
        assert set(together(read)[name]) == {trace.UNKNOWN}


def test_what_no_source_told_is_null_for_other_readers(tmp_path: Path) -> None:
    trace.write(tmp_path / "t.parquet", [ios(9)], ABOUT)
    table = parquet.read_table(tmp_path / "t.parquet")
    assert [table.column(name).null_count for name in ("latency_ns", "depth", "process", "offset")] == [3, 9, 9, 0]


def test_small_groups_of_rows_are_read_together_and_large_ones_apart(tmp_path: Path) -> None:
    made = trace.write(tmp_path / "t.parquet", [ios(10, 100 * n) for n in range(7)], ABOUT)
    assert [len(part["t_ns"]) for part in made.batches(rows=30)] == [30, 30, 10]
    assert [len(part["t_ns"]) for part in made.batches(rows=8)] == [8, 2] * 7


def test_numbers_in_files_keep_their_meaning() -> None:
    assert (form.READ, form.WRITE, form.FLUSH, form.DISCARD) == (0, 1, 2, 3)
    assert (form.FUA, form.SYNC, form.METADATA, form.READAHEAD) == (1, 2, 4, 8)
    assert zstandard.decompress(steps.header(7, ABOUT)).startswith(b'{"stend.steps":1,"step_ns":7,')
    assert (form.VERSION, playable.summarise("").number) == (1, "04c5df90b4bac7b873aaac872beeeecd")


def test_only_the_columns_that_were_asked_for_are_read(tmp_path: Path) -> None:
    made = trace.write(tmp_path / "t.parquet", [ios(9)], ABOUT)
    assert [set(part) for part in made.batches(["length", "op"])] == [{"length", "op"}]


@pytest.mark.parametrize("second", [89, 0])
def test_ios_out_of_order_are_never_written(tmp_path: Path, second: int) -> None:
    with pytest.raises(ValueError, match="in their order"):
        trace.write(tmp_path / "t.parquet", [ios(10), ios(10, second)], ABOUT)
    assert list(tmp_path.iterdir()) == []


def test_a_column_of_another_name_is_not_dropped_in_silence(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="columns of t_ns"):
        trace.write(tmp_path / "t.parquet", [ios(3) | {"lba": np.arange(3)}], ABOUT)


def test_a_writer_that_is_stopped_leaves_nothing_and_what_was_there_before(tmp_path: Path) -> None:
    made = trace.write(tmp_path / "t.parquet", [ios(9)], ABOUT)

    def torn() -> Iterator[trace.Batch]:
        yield ios(3)
        raise OSError("full")

    with pytest.raises(OSError, match="full"):
        trace.write(made.path, torn(), ABOUT)
    with pytest.raises(ValueError, match="a description"), trace.writing(made.path) as writer:
        writer.add(ios(3))
    assert [trace.opened(path).ios for path in tmp_path.iterdir()] == [9]


def test_what_is_no_trace_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    with pytest.raises(BadInput, match="cannot be read as a trace"):
        trace.opened(path)
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(BadInput, match="cannot be read as a trace"):
        trace.opened(path)
    parquet.write_table(pa.table({"t_ns": [1]}), path)
    with pytest.raises(BadInput, match="not a trace of stend; `stend trace convert` makes one of its source"):
        trace.opened(path)
    own = {form.KEY: b'{"source":"made"}'}
    parquet.write_table(pa.table({"t_ns": [1]}).replace_schema_metadata(own), path)
    with pytest.raises(BadInput, match="does not have the columns"):
        trace.opened(path)
    parquet.write_table(
        pa.table({"t_ns": [1]}).replace_schema_metadata({form.KEY: b'{"source":"a","version":2}'}), path
    )
    with pytest.raises(BadInput, match="version 2"):
        trace.opened(path)


def test_a_trace_that_is_torn_while_it_is_read_says_so(tmp_path: Path) -> None:
    made = trace.write(tmp_path / "t.parquet", [ios(200_000)], ABOUT)
    data = bytearray(made.path.read_bytes())
    data[1000:20_000] = bytes(19_000)
    made.path.write_bytes(data)
    with pytest.raises(BadInput, match="cannot be read as a trace"):
        list(made.batches())


GROWING = """
import resource, sys
import numpy as np
from pathlib import Path
from types import SimpleNamespace
from stend import trace
from stend.trace import steps
from stend.words import Language, Sentence, text
def parts(many):
    for n in range(many):
        t = np.arange(1 << 18, dtype=np.int64) + (n << 18)
        yield {"t_ns": t, "op": t % 2, "offset": t * 4096, "length": t * 0 + 4096, "latency_ns": t}
made = trace.write(Path(sys.argv[1]), parts(int(sys.argv[2])), trace.About(source="made"))
assert sum(len(part["t_ns"]) for part in made.batches()) == made.ios
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.slow
def test_a_trace_eight_times_as_long_takes_no_more_memory(tmp_path: Path) -> None:
    words = [[sys.executable, "-c", GROWING, str(tmp_path / "t.parquet"), many] for many in ("8", "64")]
    small, large = (int(subprocess.run(w, capture_output=True, text=True, check=True).stdout) for w in words)
    assert large < small * 1.3


def test_words_that_the_maker_of_a_trace_chose_are_shown_plainly() -> None:
    about = trace.About(
        source="\r\n\x00", device="\x1b[2J", lost_words=text("\u202e"), notes=(text("\x07"),), malformed={"\x1b": 2}
    )
    assert (about.source, about.device, about.lost_words) == (r"\x0d\x0a\x00", r"\x1b[2J", r"\u202e")
    assert (about.notes, about.malformed) == ((r"\x07",), {r"\x1b": 2})


def test_a_row_group_that_holds_fewer_rows_than_it_says_is_refused(tmp_path: Path) -> None:
    class File:
        num_row_groups = 1
        metadata = SimpleNamespace(row_group=lambda number: SimpleNamespace(num_rows=7))

        def read_row_group(self, number: int, columns: list[str]) -> SimpleNamespace:
            return SimpleNamespace(column=lambda number: [])

    with pytest.raises(BadInput, match="holds fewer rows than its metadata states"):
        form._end_ns(File(), tmp_path / "t.parquet")


def test_notes_of_a_trace_keep_their_keys_in_both_kinds_of_files(tmp_path: Path) -> None:
    notes = (Sentence("capture_gone", n=12000), text("a message"))
    about = msgspec.structs.replace(ABOUT, notes=notes, lost_words=Sentence("capture_lost", n=3))
    made = trace.write(tmp_path / "t.parquet", [], about)
    path = tmp_path / "t.steps"
    path.write_bytes(steps.header(1_000_000_000, about))
    for read in (made.about, steps.opened(path).about):
        assert [(note.key, str(note)) for note in read.notes] == [(note.key, str(note)) for note in notes]
        assert "12\u00a0000" in Language("ru").translated(read.notes[0])
        assert read.lost_words is not None
        assert read.lost_words.key == "capture_lost"


def test_notes_of_an_older_trace_are_text_and_are_translated_where_the_catalogue_knows_them(tmp_path: Path) -> None:
    path = tmp_path / "t.steps"
    old = {"stend.steps": 1, "step_ns": 10, "about": {"source": "x", "notes": [OLD], "lost_words": "some"}}
    path.write_bytes(zstandard.compress(msgspec.json.encode(old) + b"\n"))
    (note,) = steps.opened(path).about.notes
    assert (note, note.key) == (OLD, "")
    assert Language("ru").translated(note).startswith("времена в трассе указаны в целых секундах")


OLD = "times are told in whole seconds: within a second only the order of IOs is known"
