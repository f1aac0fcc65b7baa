"""Judgement yields keys and values, a catalogue has their sentences: each has the other, in both languages alike."""

import ast
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import msgspec
import pytest

from stend import findings, words
from stend.base.errors import BadInput
from stend.findings.judgement import ALONG
from stend.findings.judgement.uses import uses
from stend.report.story.page_one import TAILS
from stend.sentences.settings import setting_value
from stend.words import LANGUAGES, Language, phrases, texts

FOLDER = Path(findings.__file__).parent
MARKS = {"yes", "performance", "doubt", "no", "unknown"}
"""Keys of suitability are marks of the judgement."""


def constants(node: ast.expr | None) -> Iterator[str]:
    """The texts that an expression may be, where it names them."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.IfExp(body=body, orelse=orelse):
            yield from (*constants(body), *constants(orelse))


def keys(source: str) -> set[str]:
    """What a finding's file names as `key`: of a Finding, or of a function that hands it on."""
    tree = ast.parse(source)
    places = {
        one.name: [arg.arg for arg in one.args.args].index("key")
        for one in ast.walk(tree)
        if isinstance(one, ast.FunctionDef) and "key" in [arg.arg for arg in one.args.args]
    }
    found: set[str] = set()
    for call in (one for one in ast.walk(tree) if isinstance(one, ast.Call)):
        place = places.get(getattr(call.func, "id", ""))
        given = [keyword.value for keyword in call.keywords if keyword.arg == "key"]
        given += [call.args[place]] if place is not None and place < len(call.args) else []
        if place is not None or getattr(call.func, "id", "") == "Finding":
            found |= {text for one in given for text in constants(one)}
    return found


def written(source: str) -> set[object]:
    """All constants of a file."""
    return {one.value for one in ast.walk(ast.parse(source)) if isinstance(one, ast.Constant)}


def imported(source: str) -> list[Path]:
    """The files of `findings.look` that a finding's file takes from: a key may be named there."""
    froms = (one.module or "" for one in ast.walk(ast.parse(source)) if isinstance(one, ast.ImportFrom))
    return [FOLDER / "look" / f"{name.split('.')[-1]}.py" for name in froms if name.startswith("stend.findings.look.")]


def said(name: str) -> set[str]:
    return {key.split(".")[2] for key in texts("en") if key.startswith(f"finding.{name}.")}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


@pytest.mark.parametrize(
    ("method", "russian"),
    [
        (
            "NVMe Format, user data erase, LBA format 0 kept (a drive's own purge), a sample read back as zeros",
            "NVMe Format, стирание данных (user data erase), формат LBA 0 сохранён (собственная очистка накопителя); "
            "выборка читается как нули",
        ),
        (
            "zeros written over all blocks (not a drive's own purge), a sample read back as zeros; discarded blocks "
            "did not read as zeros; it has neither Sanitize nor Format Unit",
            "все блоки записаны нулями (не собственная очистка накопителя); выборка читается как нули; после TRIM "
            "блоки читались не как нули; ни Sanitize, ни Format Unit у него нет",
        ),
        (
            "hole punching over the whole file (not a drive's own purge), verified to read zero",
            "освобождение всего файла (не собственная очистка накопителя); при чтении нули",
        ),
    ],
)
def test_the_method_of_a_purge_is_in_the_language_of_the_page(method: str, russian: str) -> None:
    assert Language("ru").translated(method) == russian


@pytest.mark.parametrize("name", findings.names())
def test_each_key_of_a_finding_has_its_sentence_and_no_sentence_is_left_over(name: str) -> None:
    source = (FOLDER / f"{name}.py").read_text()
    texts = written(source)
    for place in imported(source):
        texts |= written(place.read_text())
    named = MARKS if name == "suitability" else keys(source)
    assert named <= said(name)
    assert said(name) <= named | texts
    assert said(name)


def test_keys_are_found_where_a_function_hands_them_on() -> None:
    source = "def f(key): return Finding(key=key)\nf('a' if x else 'b')\nFinding(name='n', key='c')\ng(key='d')"
    assert keys(source) == {"a", "b", "c"}


def test_every_phrase_has_the_same_values_in_both_languages() -> None:
    unlike = {key for key, text in phrases("ru").items() if fields(text) != fields(phrases("en")[key])}
    assert not unlike


def test_each_figure_that_a_use_asks_for_has_its_clauses_and_no_clause_is_left_over() -> None:
    asked = {demand.figure for use in uses().use.values() for demand in use.demands}
    wanted = {f"reason.{figure}.{key}" for figure in asked for key in ("pass", "doubt", "fail")}
    wanted |= {f"reason.{figure}.level" for figure in uses().level}
    places = ("along", "outer")
    wanted |= {f"reason.{figure}.{key}_{at}" for figure in ALONG for key in ("pass", "doubt", "fail") for at in places}
    wanted |= {f"reason.{figure}.{key}_filled" for figure in ("writes", "fall") for key in ("pass", "doubt", "fail")}
    wanted |= {"reason.fall.slow", "reason.stream_end.after"}
    wanted |= {f"reason.stream_end.{key}_rounds" for key in ("pass", "doubt", "fail")}
    wanted |= {
        f"reason.{figure}.short"
        for figure in ("fall", "cache_fall", *TAILS.keys() - {"longest"}, "database_wait", "server_wait")
    }
    wanted |= {f"reason.{d.figure}.{d.clause}" for use in uses().use.values() for d in use.demands if d.clause}
    assert {key for key in texts("en") if key.startswith("reason.")} == wanted


def test_a_date_that_the_core_tells_is_said_in_the_readers_language() -> None:
    told = "True System, 17 February 2016"
    assert Language("ru").translated(told) == "True System, 17 февраля 2016\u00a0г."
    assert Language("en").translated(told) == told


def test_a_language_can_have_a_mark_after_the_day_of_a_date() -> None:
    words = Language("en")
    words.format_of = msgspec.structs.replace(words.format_of, day=".")
    assert words.date(0).startswith("1. January 1970, 00:00")
    assert words.converted("True System, 17 February 2016") == "True System, 17. February 2016"


@pytest.mark.parametrize(
    ("interface", "expected"),
    [
        ("SATA 6 Gbit/s", "SATA 6\N{NO-BREAK SPACE}Гбит/с"),
        ("SAS 12.0 Gb/s", "SAS 12,0\N{NO-BREAK SPACE}Гбит/с"),
        ("SAS RAID, 512 MiB cache", "SAS RAID, кэш 512\N{NO-BREAK SPACE}МиБ"),
        ("NVMe PCIe 3.0 x4", "NVMe PCIe 3.0 x4"),
        ("NVMe virtual", "NVMe, виртуальный"),
    ],
)
def test_an_interface_is_in_units_of_the_language(interface: str, expected: str) -> None:
    assert Language("ru").interface(interface) == expected
    assert Language("en").interface(interface) == interface


def test_a_bare_number_of_a_recorded_sentence_has_the_decimal_sign_of_the_reader() -> None:
    recorded = "quick: a minute lasts 0.2 s, at most 5 rounds"
    assert "длится 0,2 с" in Language("ru").translated(recorded)
    assert Language("en").translated(recorded) == recorded
    assert Language("ru").translated("1.00") == "1.00", "a firmware is no number"


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("RND 4K 100/0 T4 Q16", "случайное чтение 4 КиБ, T4 Q16"),
        ("SEQ 128K 0/100 T1 Q32", "последовательная запись 128 КиБ, T1 Q32"),
        ("RND 0.5K 65/35", "случайная смесь 65/35, 512 Б"),
        ("RND MIX 40/60 T32 Q32", "случайная смесь 40/60, разные блоки, T32 Q32"),
        ("RND 8K W", "случайная запись 8 КиБ"),
        ("50%RND 4K 0/100 T1 Q1", "случайная запись 4 КиБ, 50 % случайно, T1 Q1"),
        ("RND 64K 100/0 T1 Q1024 12000/s", "случайное чтение 64 КиБ, T1 Q1024, с частотой 12 000 IOPS"),
        ("RND 4K 100/0 T1 Q1 1/60s even", "случайное чтение 4 КиБ, T1 Q1, раз в 60 с, равномерно"),
        ("RND 4K 0/100 T1 Q1 2.5/s FLUSH/4", "случайная запись 4 КиБ, T1 Q1, с частотой 2,5 IOPS FLUSH/4"),
    ],
)
def test_a_load_is_named_in_words(label: str, words: str) -> None:
    assert not re.search("RND|SEQ|[0-9]K|[0-9]/s|[0-9]s", Language("en")("card.any_iops", label=label))
    assert Language("ru")("card.any_iops", label=label).replace("\u00a0", " ").endswith(words)


def test_a_language_is_one_file_and_falls_back_to_english(tmp_path: Path) -> None:
    """German of a few phrases, in a process of its own: its numbers are German, all else is English."""
    shutil.copytree(Path(words.__file__).parents[1], tmp_path / "stend", ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "stend/words/languages/de.toml").write_text(
        '[format]\nname = "Deutsch"\ndecimal = ","\ngroup = "."\npercent = "\u00a0%"\n[test]\niops = "IOPS-Test"\n'
    )
    code = (
        "from stend.words import LANGUAGES, Language; de = Language('de'); "
        "same = de('test.latency') == Language('en')('test.latency'); "
        "print(LANGUAGES, de('test.iops'), same, de.show(12345.0, 'rate'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "('en', 'de', 'ru') IOPS-Test True 12.345"


@pytest.mark.parametrize(
    ("setting", "value", "expected"),
    [
        ("model", "SAS RAID, 512 MiB cache, 1.5 TB", "SAS RAID, 512 MiB cache, 1.5 TB"),
        ("quick", True, "да"),
        ("capacity", 960_197_124_096, "960\N{NO-BREAK SPACE}ГБ"),
        ("minute", 0.5, "0,5"),
        ("label", "", "–"),
        ("interface", "SATA 6 Gbit/s", "SATA 6\N{NO-BREAK SPACE}Гбит/с"),
        ("engine", "simulated", "модель накопителя"),
        ("engine", "fio", "fio"),
    ],
)
def test_names_of_drives_are_not_translated(setting: str, value: object, expected: str) -> None:
    assert setting_value(setting, value, Language("ru")) == expected


def test_a_language_of_one_phrase_shows_the_rest_in_english(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loads = '[format.loads]\nrandom_read = "Lesen"\n'
    (tmp_path / "xx.toml").write_text(f'[format]\ndecimal = ","\n{loads}[page]\ncontents = "Inhalt"\n')
    (tmp_path / "en.toml").write_bytes((words.FOLDER / "en.toml").read_bytes())
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    monkeypatch.setattr(words, "LANGUAGES", ("en", "xx"))
    german = Language("xx")
    assert (german("page.contents"), german("page.glance")) == ("Inhalt", "At a glance")
    old = "quick: a minute lasts 0.2 s, at most 5 rounds"
    assert german.translated(old) == old.replace(".", ","), "a sentence of an old record too"
    assert german.show("RND 4K 100/0 T1 Q1", "load") == "Lesen 4 KiB, T1 Q1".replace(" KiB", "\u00a0KiB")
    assert german.show("RND 4K 0/100 T1 Q1", "load").startswith("random write")


@pytest.mark.parametrize(
    ("value", "shape", "en", "ru"),
    [
        (5.4, "part", "19%", "19 %"),
        (40_912.0, "part", "0.0024%", "0,0024 %"),  # never 0 %: the drive still writes
        (3.2, "fold", "3.2 times", "в 3,2 раза"),
        (40_912.0, "fold", "41,000 times", "в 41 000 раз"),
        (0.01, "change", "1.0%", "1,0 %"),  # as many digits as 1.4% beside it
        (0.19, "change", "19.0%", "19,0 %"),
        (0.21, "change", "21%", "21 %"),
        (0.11, "measured", "0.110", "0,110"),
        (0.0, "measured", "0", "0"),
        (725_000.0, "said:rate", "730,000", "730 000"),  # a half is rounded up, as readers do
        (554.8e6, "said:mbs", "555 MB/s", "555 МБ/с"),  # one rate of a link is not 550 here and 560 there
        (555.2e6, "said:mbs", "555 MB/s", "555 МБ/с"),
        (25.8e6, "said:mbs", "26 MB/s", "26 МБ/с"),
    ],
)
def test_large_ratios_are_rounded_and_small_shares_are_not_zero(value: float, shape: str, en: str, ru: str) -> None:
    told = [Language(lang).show(value, shape).replace("\u00a0", " ").replace("\u202f", " ") for lang in ("en", "ru")]
    assert told == [en, ru]


@pytest.mark.parametrize("lang", words.LANGUAGES)
@pytest.mark.parametrize("gain", [0.71, 1.0, 1.8])
def test_a_part_without_cache_hits_is_not_said_to_be_unchanged(lang: str, gain: float) -> None:
    told = Language(lang)("finding.hot_range.none", mix="65/35", gain=gain)
    assert f"{100 * gain:.0f}" in told
    assert "no change" not in told


def test_an_english_sentence_begins_with_a_word_and_not_with_the_code_of_a_load() -> None:
    starts = ("{load:load", "{what:load", "{label:load")
    assert [key for key, text in phrases("en").items() if text.startswith(starts)] == []


def test_the_verb_of_counted_things_is_singular_for_one() -> None:
    """`1 block of 512 bytes were read` is wrong: a verb that follows the counted noun has two forms, too."""
    fixed = re.compile(r":(?:plural|num):[^}]*\}(?: [a-z0-9-]+){0,3} (?:were|are|have)\b")
    assert [key for key, text in phrases("en").items() if fixed.search(text)] == []


def test_a_quantity_without_a_phrase_is_shown_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    for lang in LANGUAGES:
        words = Language(lang)
        assert words.quantity("queue_wait_s") == "queue wait s"
        assert words.quantity("p99.97") == words("quantity.percentile", percent=words.value("99.97"))
        assert words.quantity("iops") == words("quantity.iops")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("[format\nname = 1", "the language file xx.toml cannot be used: "),
        ('[format]\nplural = "one-many"', "the language file xx.toml, format cannot be used: "),
        ("[format]\ndecimal = 3", "the language file xx.toml, format cannot be used: "),
    ],
)
def test_a_broken_language_file_is_named(text: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "xx.toml").write_text(text)
    (tmp_path / "en.toml").write_bytes((words.FOLDER / "en.toml").read_bytes())
    monkeypatch.setattr(words, "FOLDER", tmp_path)
    words._file.cache_clear()
    with pytest.raises(BadInput, match=why):
        words.formats.__wrapped__("xx")
    words._file.cache_clear()
