"""Sentences of records: keys and values in the file, and a text of the catalogue in each language."""

import ast
import re
import tomllib
from importlib import resources
from pathlib import Path

import msgspec
import pytest

from stend import session, store
from stend.base.errors import StepFailed
from stend.model.events import Ended, Judged, Note, Result
from stend.words import RECORD, Language, Sentence, decoded, encoded, phrases, sentence, text

SRC = Path(__file__).parents[1] / "src/stend"
CALLS = [
    node.args[0]
    for code in map(Path.read_text, SRC.rglob("*.py"))
    if "Sentence(" in code
    for node in ast.walk(ast.parse(code))
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Sentence" and node.args
]
KEYS = {call.value for call in CALLS if isinstance(call, ast.Constant) and isinstance(call.value, str)}
DEAD = Sentence("repeated", why=Sentence("fio_killed", n=9), test="iops", phase="rounds", round=3, n=1, most=2)


def test_a_sentence_is_recorded_as_its_key_and_values() -> None:
    data = msgspec.json.encode(DEAD, enc_hook=encoded)
    values = {"why": {"key": "fio_killed", "values": {"n": 9}}, "test": "iops", "phase": "rounds", "round": 3}
    assert msgspec.json.decode(data) == {"key": "repeated", "values": values | {"n": 1, "most": 2}}
    again = msgspec.json.decode(data, type=Sentence, dec_hook=decoded)
    assert (again, again.key, again.values["why"].key) == (DEAD, "repeated", "fio_killed")


def test_each_language_has_its_own_text() -> None:
    assert DEAD.startswith("it was killed by signal 9; repeated from iops, rounds, round 3")
    russian = Language("ru").translated(DEAD)
    assert russian.startswith("процесс остановил сигнал 9; повторено")
    size = Sentence("limit_written", size=3 << 29)
    assert (str(size), Language("ru").translated(size)) == (
        "the limit of 1.5 GiB written",
        "предел записи 1,5\u00a0ГиБ",
    )


def test_a_sentence_of_a_newer_stend_is_shown_by_its_key_and_values() -> None:
    newer = {"key": "drive_melted", "values": {"temperature": 900, "why": {"key": "fio_killed", "values": {"n": 9}}}}
    shown = sentence(newer)
    assert (shown, shown.key) == ("drive_melted: temperature 900, why it was killed by signal 9", "")
    assert Language("ru").translated(shown) == shown


def test_an_error_keeps_the_key() -> None:
    assert text(str(StepFailed(DEAD))).key == "repeated"


@pytest.mark.parametrize(
    "bad",
    [
        {"key": "fio_killed", "values": {}},
        {"key": "forecast", "values": {"left": []}},
        {"key": "limit", "values": {"time": [1]}, "more": 1},
        7,
    ],
)
def test_data_that_is_no_sentence_is_refused(bad: object) -> None:
    with pytest.raises(ValueError, match="sentence"):
        sentence(bad)


def test_every_key_in_the_code_has_a_text_in_both_complete_languages() -> None:
    assert len(KEYS) > 150
    for language in ("en", "ru"):
        assert not {key for key in KEYS if f"{RECORD}{key}" not in phrases(language)}


def test_sentences_of_old_records_are_still_translated() -> None:
    old = tomllib.loads((resources.files("stend.words") / "old.toml").read_text(encoding="utf-8"))["english"]
    every = [template for key, template in old.items() if isinstance(template, str) and "evidence_" not in key]
    shown = [re.sub(r"\{\w+\}", "7", template) for template in (*every, *old["imported"].values())]
    assert len(shown) > 250
    assert not [words for words in shown if not re.search("[а-я]", Language("ru").translated(words))]


GATE = (*(SRC / "gate").glob("*.py"), SRC / "devices/md.py")
"""The modules with the reasons against writing."""


def test_reasons_of_the_gate_are_translated_and_are_those_that_it_gives() -> None:
    """Each constant part of a template is in the code, so that a changed reason is not shown in English."""
    old = tomllib.loads((resources.files("stend.words") / "old.toml").read_text(encoding="utf-8"))
    code = "".join(path.read_text(encoding="utf-8") for path in GATE)
    for key, template in old["english"]["gate"].items():
        parts = [part for whole in re.split(r"\{\w+\}", template) for part in re.split(r"[;,()]", whole)]
        assert not [part for part in parts if part.strip(" `") not in code], key
        shown = Language("ru").translated(re.sub(r"\{\w+\}", "7", template))
        assert re.search("[а-я]", shown), key
        assert not re.search("\\b(is|first|has|of)\\b", shown), key


@pytest.mark.parametrize(
    ("reason", "russian"),
    [
        ("carries / of this system; choose another drive", "на нём / этой системы; выберите другой накопитель"),
        ("is held by vg-root, which is mounted at /srv; `umount /srv` first",
         "занят устройством vg-root: смонтирован в /srv; сначала `umount /srv`"),
        ("has a partition, sda2, that is open for writing in fio (process 3); end that first",
         "занят его раздел sda2: открыт для записи в fio (процесс 3); сначала завершите его"),
    ],
)  # fmt: skip
def test_a_reason_within_a_reason_is_translated_too(reason: str, russian: str) -> None:
    assert Language("ru").translated(reason) == russian


def test_every_sentence_that_a_run_records_has_a_key(tmp_path: Path) -> None:
    request = session.Request(["iops"], "sim:small", quick=True, into=str(tmp_path / "run"))
    with session.start(request) as run:
        list(run)
    loaded = store.load(run.folder)
    ends = [loaded.ended.reason] if isinstance(loaded.ended, Ended) else []
    texts = [*(note.text for note in loaded.notes), *loaded.plan.notes, *loaded.plan.deviations, *loaded.stamps, *ends]
    texts += [event.ended_by for event in loaded.judged] + [event.said for event in loaded.results]
    assert {Note, Judged, Result} <= {type(event) for event in store.read(run.folder)}
    assert not [text for text in texts if text and not text.key]
    assert len([text for text in texts if text]) > 5
