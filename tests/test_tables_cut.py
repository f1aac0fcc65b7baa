"""How a table is fitted to a terminal, character by character: who is shortened first, where, and when it is folded."""

import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from stend.base.errors import StepFailed
from stend.base.units import GiB
from stend.cli import _table, _unit, main
from tests.sides import folder
from tests.synthetic import Truth

LETTERS = "abcdefghijklmnopqrstuvwxyz0123"
"""Thirty characters."""


class Tty(io.StringIO):
    """Standard output that is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def of_width(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    def use(columns: int) -> None:
        monkeypatch.setattr(sys, "stdout", Tty())
        monkeypatch.setenv("COLUMNS", str(columns))

    return use


@pytest.mark.parametrize(
    ("room", "first", "second"),
    [
        (42, "0123456789", LETTERS),  # 10 + 2 + 30
        (41, "01234567…", LETTERS),  # whole columns last
        (40, "0123456…", LETTERS),  # 8 is the least of the others
        (39, "0123456…", f"{LETTERS[:14]}…{LETTERS[-14:]}"),  # 29 = 14 + 1 + 14
        (38, "0123456…", f"{LETTERS[:14]}…{LETTERS[-13:]}"),  # the begin has the odd one
        (34, "0123456…", f"{LETTERS[:12]}…{LETTERS[-11:]}"),  # 24 is the least of whole columns
    ],
)
def test_a_table_gives_up_one_character_for_each_column_that_a_terminal_lacks(
    of_width: Callable[[int], None], room: int, first: str, second: str
) -> None:
    of_width(room)
    head, row = _table.lines([("n", ["0123456789"]), ("run", [LETTERS])], whole=("run",))
    assert head == f"{'n':{len(first)}}  run"
    assert row == f"{first}  {second}"
    assert len(row) == room


def test_a_table_that_is_too_wide_even_at_its_least_is_a_block_a_row(of_width: Callable[[int], None]) -> None:
    of_width(33)  # 8 + 2 + 24 are 34
    rows = [("n", ["0123456789", "1", ""]), ("run", [LETTERS, "", "x"])]
    assert _table.lines(rows, whole=("run",)) == [
        "n    0123456789", "run", f"    {LETTERS[:29]}", f"    {LETTERS[29:]}", "", "n    1", "", "run  x",
    ]  # fmt: skip
    assert _table.lines([("n", []), ("run", [])]) == ["n  run"], "which fits"


def test_between_each_two_columns_are_two_blanks_that_count(of_width: Callable[[int], None]) -> None:
    columns = [(name, [name * 9]) for name in "abc"]
    of_width(28)  # three times 8, and twice 2
    assert _table.lines(columns)[1] == f"{'a' * 7}…  {'b' * 7}…  {'c' * 7}…"
    of_width(27)
    assert _table.lines(columns) == [f"{name}  {name * 9}" for name in "abc"]


def test_of_two_columns_the_wider_is_shortened_until_they_are_equal(of_width: Callable[[int], None]) -> None:
    of_width(26)  # 14 + 2 + 12 are 28
    (_, row) = _table.lines([("a", ["x" * 14]), ("b", ["y" * 12])])
    assert row == f"{'x' * 11}…  {'y' * 12}"
    of_width(25)
    (_, row) = _table.lines([("a", ["x" * 14]), ("b", ["y" * 12])])
    assert row == f"{'x' * 10}…  {'y' * 12}"


def test_names_of_columns_that_are_two_cells_wide_keep_the_cells_of_a_block_below_one_another(
    of_width: Callable[[int], None],
) -> None:
    of_width(15)  # 8 + 2 + 6 are 16
    assert _table.lines([("型号", ["AB12CD34"]), ("run", ["second"])]) == ["型号  AB12CD34", "run   second"]


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("twelve chars", ["twelve chars"]),
        ("thirteen char", ["thirteen", "    char"]),
        ("  two in  more", ["  two in", "      more"]),
        ("see it read-up", ["see it", "    read-up"]),  # not after a hyphen: names and options have some
    ],
)
def test_a_line_is_folded_between_words_and_goes_on_four_characters_further_in(
    of_width: Callable[[int], None], line: str, parts: list[str]
) -> None:
    of_width(12)
    assert _table.folded([line]) == parts


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""), (True, "yes"), (False, "no"), (7, "7"), (1234567, "1234567"), ("a b", "a b"),
        (0.000123456789, "0.000123457"), (99999.55, "99999.6"), (1e5, "100000"), (123456.7, "123457"),
        (1234567.8, "1234568"), (-1234567.8, "-1234568"), (999e12, "999000000000000"), (1e15, "1e+15"),
        ([1.5, None, "x", True], "1.5, , x, yes"), ((2.0, [3]), "2, 3"),
    ],
)  # fmt: skip
def test_a_value_has_six_significant_digits_and_whole_numbers_all_of_theirs(value: object, shown: str) -> None:
    assert _table.as_text(value) == shown


def test_rows_as_json_are_objects_one_per_line() -> None:
    text = _table.as_json(["run", "n"], [["a", 1], [Path("b"), None]])
    assert text == '[{"run":"a","n":1},\n {"run":"b","n":null}]'
    assert json.loads(text) == [{"run": "a", "n": 1}, {"run": "b", "n": None}]
    assert _table.data({"a": [1]}) == '{\n "a": [\n  1\n ]\n}'


def test_a_systemd_that_does_not_answer_is_a_reason_and_no_defect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "systemctl"
    program.write_text("#!/bin/sh\necho 'Failed to get properties: Connection timed out' >&2\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    unit = _unit.Unit("stend-a.service")
    for query in (unit.over, lambda: unit.pid):
        with pytest.raises(StepFailed, match=r"^systemd cannot show stend-a\.service: Failed to get properties: Con"):
            query()
    program.write_text("#!/bin/sh\nexit 4\n")
    with pytest.raises(StepFailed, match=r"^systemd cannot show stend-a\.service: systemctl ended with exit code 4$"):
        unit.over()


@pytest.mark.parametrize(
    ("state", "code"),
    [("active", None), ("activating", None), ("deactivating", 3), ("inactive", 3), ("failed", 3)],
)
def test_a_unit_is_over_once_systemd_neither_runs_nor_starts_it(
    state: str, code: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "systemctl"
    program.write_text(f"#!/bin/sh\ncase $2 in *MainPID) echo 77;; *ActiveState) echo {state};; *) echo 3;; esac\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    unit = _unit.Unit("stend-a.service")
    assert (unit.pid, unit.over()) == (77, code)


@pytest.mark.parametrize("words", [["show", "RUN"], ["verify", "RUN"], ["devices", "FILE"], ["schema", "show"]])
def test_json_on_standard_output_is_indented_by_one_and_keeps_letters(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, run = (
        tmp_path / "диск.bin",
        folder(tmp_path / "прогон", seed=1, truth=Truth(capacity_bytes=8 * GiB), names=("wake",)),
    )
    file.write_bytes(bytes(1 << 20))
    typed = [{"RUN": str(run), "FILE": str(file)}.get(word, word) for word in words]
    assert main([*typed, *(["--json"] if words[0] != "schema" else [])]) in (0, 8)
    text = capsys.readouterr().out
    assert text == json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"


def test_a_cell_with_a_control_character_is_as_wide_as_it_is_shown() -> None:
    (head, first, second) = _table.lines([("a", ["x\x1b[1m", "y"]), ("b", ["1", "2"])])
    assert "\x1b" not in first
    assert first.index("1", first.index("m")) == second.index("2") == head.index("b")


def test_a_unit_that_never_failed_is_started_without_a_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """`systemctl reset-failed` fails for a unit that systemd does not know, which is the usual case."""
    for name, script in (("systemctl", "echo not loaded >&2; echo x; exit 1"), ("systemd-run", "exit 0")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(_unit, "_has_systemd", lambda: True)
    assert isinstance(_unit.begin(["run"], tmp_path / "run", tmp_path / "log"), _unit.Unit)
    assert capfd.readouterr() == ("", "")


def test_without_systemd_the_process_writes_to_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_unit, "_has_systemd", lambda: False)
    script = "import sys; print(*sys.argv[1:])"
    monkeypatch.setattr("stend.session.apart.command", lambda words: [sys.executable, "-c", script, *words])
    process = _unit.begin(["one", "two"], tmp_path / "run", tmp_path / "log")
    assert isinstance(process, _unit.Process)
    assert process.process.wait() == process.over() == 0
    assert (tmp_path / "log").read_text() == "one two\n"
