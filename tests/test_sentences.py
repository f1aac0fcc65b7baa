"""Sentences of records: keys and values in the file, and a text of the catalogue in each language."""

import ast
import re
import tomllib
from importlib import resources
from pathlib import Path
from string import Formatter

import msgspec
import pytest

from stend import session, store
from stend.base.errors import StepFailed
from stend.gate.use import Use, first, which
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
KEY = re.compile(r'"(gate_[a-z_]+)"')
DERIVED = {"gate_system_shared", "gate_folder_shared", "gate_locked_unknown", "gate_leased_unknown"}
"""Keys that the code makes from others."""


def test_reasons_of_the_gate_have_keys_and_are_russian() -> None:
    used = {key for path in GATE for key in KEY.findall(path.read_text(encoding="utf-8"))} | DERIVED
    assert used == {key.removeprefix("record.") for key in phrases("en") if key.startswith("record.gate_")}
    for key in used:
        names = {name for _, name, _, _ in Formatter().parse(phrases("en")[f"record.{key}"]) if name}
        shown = Language("ru").translated(Sentence(key, **dict.fromkeys(names, "7")))
        assert shown.count("7") == len(names), key
        assert re.search("[а-я]", shown.replace("7", "")) or key in ("gate_use", "gate_which", "gate_now"), key
        assert not re.search("\\b(is|first|has|of)\\b", shown), key


def test_a_reason_within_a_reason_is_translated_too() -> None:
    mounted = Use(Sentence("gate_mounted", place="/srv"), first("umount /srv"))
    held = mounted.within("gate_held_used", label="vg-root")
    assert str(held) == "is held by vg-root, which is mounted at /srv; `umount /srv` first"
    russian = Language("ru")
    assert russian.translated(str(held)) == "занят устройством vg-root: смонтирован в /srv; сначала `umount /srv`"
    below = which(Sentence("gate_on", node="sda"), Sentence("gate_suspended", command="`dmsetup resume x`"))
    assert below == "is on sda, which is suspended; `dmsetup resume x` first"
    assert russian.translated(below) == "находится на sda: приостановлен; сначала `dmsetup resume x`"


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


def test_a_sentence_of_a_page_ends_where_its_idea_ends() -> None:
    """Two clauses are two sentences. Values and brackets may hold lists, and one sentence joins two lists of uses."""
    ended = {key: said for key, said in phrases("en").items() if said.endswith(".") and key != "story.fit_also"}
    assert len(ended) > 400
    assert [key for key, said in ended.items() if ";" in re.sub(r"{[^}]*}|\([^()]*\)", "", said)] == []
