"""Every branch of the words for loads, claims, phases and errors, with the texts that follow from their tables."""

import errno
from typing import Any

import pytest

from stend import words as catalogue
from stend.sentences.settings import AS_RECORDED, difference_reason, setting_value
from stend.words import Language, Sentence, loads, rewritten, text
from stend.words.system import KNOWN, errno_text

ACCESSES = [f"{access}_{way}" for access in ("random", "sequential") for way in ("read", "write", "mix", "trim")]
NAMES = {name: name for name in (*ACCESSES, "block_mix", "even")}
NAMES |= {"partly": "{n} in a hundred", "pace": "{n} a second", "every": "each {n} seconds"}


def described(label: str, names: dict[str, str] = NAMES) -> str:
    return loads.described(names, label, lambda size: f"{size:.0f} bytes", lambda number: f"<{number:g}>")


@pytest.mark.parametrize(
    ("label", "words"),
    [
        ("RND 4K 100/0", "random_read 4096 bytes"),
        ("SEQ 128K 0/100", "sequential_write 131072 bytes"),
        ("RND 8K R", "random_read 8192 bytes"),
        ("SEQ 8K W", "sequential_write 8192 bytes"),
        ("RND 0.5K 65/35", "random_mix 65/35, 512 bytes"),
        ("SEQ 16K 0/100 T4 Q16", "sequential_write 16384 bytes, T4 Q16"),
        ("RND MIX 100/0 T1 Q1", "random_read, block_mix, T1 Q1"),
        ("RND MIX 40/60 T32 Q32", "random_mix 40/60, block_mix, T32 Q32"),
        ("SEQ MIX W", "sequential_write, block_mix"),
        ("50%RND 4K 0/100", "random_write 4096 bytes, 50 in a hundred"),
        ("5%RND MIX 70/30 T1 Q2", "random_mix 70/30, block_mix, 5 in a hundred, T1 Q2"),
        ("RND TRIM 64K T1 Q1", "random_trim 65536 bytes, T1 Q1"),
        ("SEQ TRIM 0.5K", "sequential_trim 512 bytes"),
        ("RND 4K 100/0 T1 Q1 12000/s", "random_read 4096 bytes, T1 Q1, <12000> a second"),
        ("RND 4K 100/0 T1 Q1 1/60s even", "random_read 4096 bytes, T1 Q1, each <60> seconds, even"),
        ("RND 4K 0/100 2.5/s even FLUSH/4", "random_write 4096 bytes, <2.5> a second, even FLUSH/4"),
        ("RND 4K 0/100 FLUSH/8 TRIM/16", "random_write 4096 bytes, FLUSH/8 TRIM/16"),
        ("RND 4K 100/0 T1 Q1 + SEQ 64K W", "random_read 4096 bytes, T1 Q1 + sequential_write 65536 bytes"),
        ("RND TRIM 4K 100/0", "RND TRIM 4K 100/0"),  # trims have no share of reads
        ("RND 4K", "RND 4K"),  # all else has one
        ("RND 4K T1 Q1", "RND 4K T1 Q1"),
        ("latency + RND 4K R", "latency + random_read 4096 bytes"),
        ("", ""),
    ],
)
def test_each_part_of_a_load_has_its_words(label: str, words: str) -> None:
    assert described(label) == words
    assert described(label, {}) == label, "a language without words for loads"


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("seq_read", "SEQ 128K 100/0"), ("seq_write", "SEQ 128K 0/100"), ("seq_read_MB", "SEQ 128K 100/0"),
        ("rand_read", "RND 4K 100/0"), ("rand_write_16k", "RND 16K 0/100"), ("rand_7030_8k", "RND 8K 70/30"),
        ("rand_0595", "RND 4K 5/95"), ("rand_read_us", "RND 4K 100/0 T1 Q1"),
        ("rand_write_512k_us", "RND 512K 0/100 T1 Q1"), ("endurance_tbw", ""), ("rand_read_4k_ms", ""), ("", ""),
    ],
)  # fmt: skip
def test_a_claim_is_the_load_that_its_key_names(key: str, label: str) -> None:
    """The usual blocks of a data sheet are 128 KiB of sequential loads and 4 KiB of random ones."""
    assert loads.of_claim(key) == label


@pytest.mark.parametrize("number", KNOWN)
def test_a_known_error_is_a_sentence_of_the_catalogue_with_the_words_of_the_system(number: int) -> None:
    error = errno_text(OSError(number, "in another language"))
    assert error.key == KNOWN[number]
    assert error == Sentence(KNOWN[number])


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (OSError(errno.EBUSY, "Device or resource busy", "/dev/sda"), "Device or resource busy"),
        (OSError("the server hung up"), "the server hung up"),
        (OSError(), ""),
    ],
)
def test_another_error_is_its_own_text(error: OSError, words: str) -> None:
    assert (errno_text(error).key, errno_text(error)) == ("", words)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("fresh", "fresh"),
        ("rounds-q1", "rounds, Q1"),  # its own phrase
        ("rounds-q32-4k", "rounds, Q32, 4 KiB"),
        ("rounds-4k-t8q16", "rounds, 4 KiB, T8 Q16"),
        ("sequential-again-2", "sequential again, 2%"),
        ("mix-70", "mix, 70/30"), ("curve-0", "curve, 0/100"), ("open-100", "open loop, 100/0"),
        ("wait-3", "pauses, 1:3"), ("baseline-1", "return to the level before, after pauses, 1:1"),
        ("precondition-2", "preconditioning, 2"), ("beside-load-2", "load of the study, 2"),
        ("full-30", "full-30"), ("unknown-4k", "unknown-4k"), ("fill-seq", "filling, SEQ"),
        ("fill-25", "filling, 25%"), ("rest-75", "pause, 75%"), ("rounds-0.5k-t1q1", "rounds, 512 B, T1 Q1"),
        ("sizes-0k", "trims by size, 0 B"), ("sizes-1024k", "trims by size, 1 MiB"),
        ("sizes-1000k", "trims by size, 1,000 KiB"),
    ],
)  # fmt: skip
def test_the_parameters_of_a_phase_come_after_its_name(name: str, words: str) -> None:
    assert Language("en").phase(name).replace("\u00a0", " ") == words


def test_a_share_in_the_name_of_a_phase_is_written_as_the_language_writes_shares() -> None:
    assert Language("en").phase("fill-25") == "filling, 25%"
    assert Language("ru").phase("fill-25") == f"{Language('ru').phase('fill')}, 25\u00a0%"


@pytest.mark.parametrize(
    ("beside", "load", "words"),
    [
        ("", True, "curve"),
        ("", False, "curve, 70/30"),
        ("RND 4K, T1 Q1", True, "curve"),
        ("the Curve of latency", True, ""),
        ("the curves of latency", True, "curve"),
        ("recurve 170/30", False, "curve, 70/30"),
        ("70/30", False, "curve"),
    ],
)
def test_a_phase_beside_a_text_lacks_the_whole_words_of_it(beside: str, load: bool, words: str) -> None:
    assert Language("en").phase_beside("curve-70", beside, load=load) == words


class Setting:
    """A reason why two figures are unlike."""

    def __init__(self, key: str, **values: Any) -> None:
        self.key, self.values = key, values


def test_a_reason_of_settings_names_them_in_words_and_others_are_half_sentences() -> None:
    words, reason = Language("en"), Setting("setting", name="quick")
    assert difference_reason(reason, words) == f"{words('setting.quick')} differs"  # type: ignore[arg-type]
    assert reason.values == {"name": "quick"}, "the reason itself stays"
    assert difference_reason(Setting("more", n=1), words) == "about 1 more run per side would decide it"  # type: ignore[arg-type]
    assert difference_reason(Setting("outstanding", a="Q1", b="Q2"), words) == "Q1 and Q2"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("setting", "value", "words"),
    [
        ("capacity", 1000, "1 kB"), ("capacity", 0, "0 B"), ("capacity", None, "–"), ("quick", False, "no"),
        ("quick", True, "yes"), ("minute", 60, "60"), ("minute", 0.25, "0.25"), ("minute", 0, "0"),
        ("interface", "SATA 6 Gbit/s", "SATA 6 Gbit/s"), ("engine", "simulated", Language("en")("engine.simulated")),
        ("purge", text("none"), "none"),
        *((name, 1234567.5, "1234567.5") for name in AS_RECORDED),
    ],
)  # fmt: skip
def test_each_setting_is_shown_in_its_form(setting: str, value: object, words: str) -> None:
    assert setting_value(setting, value, Language("en")).replace("\u00a0", " ") == words


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("rand_read_us", "Random read 4 KiB, T1 Q1"), ("rand_7030_8k", "Random mix 70/30, 8 KiB"),
        ("seq_write", "Sequential write 128 KiB"), ("endurance_tbw", "endurance_tbw"),
    ],
)  # fmt: skip
def test_a_claim_is_named_by_its_load_or_its_key(key: str, name: str) -> None:
    assert Language("en").claim(key).replace("\u00a0", " ") == name
    assert Language("en").show(key, "t:claim.").replace("\u00a0", " ") == name


@pytest.mark.parametrize("lang", ["en", "ru"])
def test_a_claim_with_a_phrase_of_its_own_is_named_by_it(lang: str) -> None:
    words = Language(lang)
    names = [key.removeprefix("claim.") for key in words.texts if key.startswith("claim.")]
    assert names
    for name in names:
        assert words.claim(name) == words.texts[f"claim.{name}"]


def test_a_name_is_translated_where_its_section_has_it() -> None:
    words = Language("ru")
    assert words.name_of("test", "iops") == words("test.iops") != "iops"
    assert words.name_of("phase", "fill-25") == words.phase("fill-25")
    assert words.name_of("setting", "unheard") == "unheard"
    assert words.name_of("load", "RND 4K R") == words.show("RND 4K R", "load")


@pytest.mark.parametrize(
    ("ends", "shape", "words"),
    [((1.3e5, 1.4e5), "rate", "130,000 … 140,000"), ((1.0, 1.0), "rate", "1"), ((0.1234, 0.1231), "pct", "12.3%")],
)
def test_a_range_whose_ends_look_alike_is_one_value(ends: tuple[float, float], shape: str, words: str) -> None:
    assert Language("en").ranged(ends, shape) == words


@pytest.mark.parametrize(
    ("source", "russian"),
    [
        ("A lab, 2015", "A lab, 2015\u00a0г."),
        ("A lab, 2015, again", "A lab, 2015, again"),
        ("2015", "2015"),
        ("A lab, 17 February 2016", "A lab, 17 февраля 2016\u00a0г."),
    ],
)
def test_the_year_of_a_source_has_its_word(source: str, russian: str) -> None:
    assert Language("ru").source(source) == russian
    assert Language("en").source(source) == source


def test_each_text_in_a_sentence_is_rewritten_and_nothing_else() -> None:
    def louder(words: str) -> str:
        return words.upper()

    error = Sentence("gate_gone", path="/dev/sda", why=Sentence("errno_space"))
    made = rewritten(error, louder)
    assert (made.key, made.values["path"], made.values["why"]) == ("gate_gone", "/DEV/SDA", Sentence("errno_space"))
    listed = Sentence("gate_gone", path=["a", "b"], why=text("too late"))
    assert rewritten(listed, louder).values == {"path": ["A", "B"], "why": text("TOO LATE")}
    counted = Sentence("capture_own", n=2)
    assert rewritten(counted, louder) == counted
    assert rewritten(text("a message"), louder) == "A MESSAGE"
    assert rewritten(text("a message"), louder).key == ""


def test_a_sentence_of_a_newer_stend_is_its_key_and_its_values_and_other_data_is_none() -> None:
    assert catalogue.sentence("") is catalogue.NO_WORDS
    assert catalogue.sentence({"key": "errno_space", "values": {}}) == Sentence("errno_space")
    newer = catalogue.sentence({"key": "of_tomorrow", "values": {"n": 1, "why": {"key": "errno_space", "values": {}}}})
    assert (newer.key, newer) == ("", "of_tomorrow: n 1, why No space left on device")
    for wrong in (7, None, {"key": "errno_space"}, {"key": "errno_space", "values": {}, "more": 1}, ["errno_space"]):
        with pytest.raises(ValueError, match="a sentence is text, or a key with values"):
            catalogue.sentence(wrong)
    with pytest.raises(ValueError, match="'capture_own' with these values is not a sentence that this stend knows"):
        catalogue.sentence({"key": "capture_own", "values": {}})
    assert (catalogue.known("errno_space"), catalogue.known("of_tomorrow")) == (True, False)


def test_only_sentences_are_encoded_and_decoded_as_sentences() -> None:
    said = Sentence("capture_own", n=2)
    assert catalogue.encoded(said) == {"key": "capture_own", "values": {"n": 2}}
    assert catalogue.encoded(text("a message")) == catalogue.english(text("a message")) == "a message"
    assert type(catalogue.english(said)) is str
    assert catalogue.decoded(Sentence, catalogue.encoded(said)) == said
    assert catalogue.schema(Sentence)["anyOf"][0] == {"type": "string"}
    for call in (catalogue.encoded, catalogue.english, lambda _: catalogue.decoded(int, 1), catalogue.schema):
        with pytest.raises(NotImplementedError):
            call(int)
