"""Russian sentences whose numbers rule the words around them, and names of things that have one Russian word each."""

import re

import pytest

from stend.devices.telling.shared import Part, Shared
from stend.report.parts.traced import traced
from stend.session.together.arrange import shared_path
from stend.trace.described import described
from stend.trace.playable import EXAMPLE
from stend.trace.taken import reading
from stend.words import Language, phrases

KINDS = ("file system", "disk", "link", "SAS expander", "enclosure", "PCIe adapter", "PCIe function", "PCIe port")


def russian(key: str, **values: object) -> str:
    return Language("ru")(key, **values).replace("\u00a0", " ")


@pytest.mark.parametrize(("samples", "words"), [(1, "сделан лишь 1 отсчёт"), (4, "сделано лишь 4 отсчёта")])
def test_the_verb_agrees_with_the_number_of_records(samples: int, words: str) -> None:
    assert russian("finding.slc_cache.short", state="fresh", samples=samples).endswith(f"{words}.")


@pytest.mark.parametrize(("value", "words"), [("2", "2 привода головок"), ("5", "5 приводов головок")])
def test_actuators_agree_with_their_number(value: str, words: str) -> None:
    assert words in russian("finding.passport.kind_actuators", value=value)


@pytest.mark.parametrize(
    ("key", "values", "words"),
    [
        ("record.most_outstanding", {"test": "iops", "n": 131072, "most": 65536}, "были бы 131 072 операции"),
        ("finding.wake.mixed", {"rest": 1, "slow": 1, "n": 20, "slow_s": 1e-3, "fast_s": 1e-4}, "чтений занимает"),
        ("finding.wake.uneven", {"rest": 1, "slow": 3, "n": 20, "bound_s": 1e-3}, "длятся 3 из 20"),
        ("swept.allowed", {"n": 1, "of": 8}, "отвечает 1 из 8"),
        ("traced.bad", {"n": 1, "of": 8}, "она не учтена"),
        ("batched.farthest_most", {"figure": "", "change": 0.1, "way": "", "distance": 15.02}, "разбросах: 15)"),
        ("swept.allowed", {"n": 5, "of": 81}, "5 из 81 накопителя"),
        ("finding.media.sample_faulty", {"compared": 1, "claimed": 1, "lost": 1}, "не вернул 1 блок"),
        ("record.wear", {"test": "", "phase": "", "wa": 2, "host": 1, "nand": 2, "days": 1.5}, "1,5 перезаписи "),
    ],
)
def test_words_agree_with_their_numbers(key: str, values: dict[str, object], words: str) -> None:
    assert words in russian(key, **values)


def test_what_is_counted_out_of_a_number_agrees_with_it() -> None:
    """One of 21 has another ending than one of 20, so no text has one word for both."""
    counted = re.compile(r"из \{(\w+)(:whole)?\} (\w*(ов|ей|ий|ых|их)|строк|величин)\b")
    assert not {key for key, text in phrases("ru").items() if counted.search(text)}


def test_less_than_once_as_fast_is_not_said_to_be_faster() -> None:
    values = {"depth": 2, "gain": 0.84, "gain_writes": 0.98, "held": 0.9, "hits": 0.5, "hits_writes": 0.1}
    for key in ("none", "around", "through", "back", "keeps", "unclear"):
        assert not re.search(r"(быстрее|отличается)[^.]* в 0,", russian(f"finding.cache_policy.{key}", **values)), key


@pytest.mark.parametrize("kind", [*KINDS, "PCIe root port"])
def test_a_shared_part_of_the_way_to_drives_is_russian(kind: str) -> None:
    said = Language("ru").translated(shared_path(Shared(Part(kind, "7"), ("a", "b"))))
    assert not re.search("file|system|disk|link|expander|enclosure|adapter|function|port|root", said)
    assert str(shared_path(Shared(Part(kind, "7"), ("a", "b")))) == f"a, b share the {kind} 7"


def test_the_example_trace_is_named_in_the_language_of_the_page() -> None:
    with reading(EXAMPLE) as read:
        page = traced(described(read), "ru", drawn=False)
    rows = [cell for section in page.every for table in section.tables for row in table.rows for cell in row]
    assert not re.search("made by|no drive", " ".join((page.title, *map(str, rows))))


@pytest.mark.parametrize(
    "word", ["процентил", "выросш", "гнезд", "оединение работает", "спроса", "см. примечани", "Активный диапазон"]
)
def test_a_thing_has_one_word(word: str) -> None:
    assert not {key for key, text in phrases("ru").items() if word in text}
