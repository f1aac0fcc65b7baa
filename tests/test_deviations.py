"""Deviations that an operator chose, as pages have them in each language."""

import pytest

from stend import suite
from stend.planning import plan
from stend.words import LANGUAGES, Language, known

OWN = {"tests": {"iops": {"mixes": [100, 0], "blocks_kib": [4, 0.5]}, "cold-warm": {"hot_gib": 10}}}


@pytest.mark.parametrize(
    ("lang", "said"),
    [
        ("en", ("IOPS: mixes: 100/0, 0/100 instead of 100/0, 95/5, ", "IOPS: block sizes, KiB: 4, 0.5 instead of ",
                "Cold and Warm: hot range, GiB: 10 instead of ")),
        ("ru", ("IOPS: соотношения: 100/0, 0/100 вместо 100/0, 95/5, ", "IOPS: размеры блоков, КиБ: 4, 0,5 вместо ",
                "Холодный и прогретый кэш: горячий диапазон, ГиБ: 10 вместо ")),
    ],
)  # fmt: skip
def test_a_changed_setting_has_its_name_and_its_values_in_the_language_of_the_page(
    lang: str, said: tuple[str, ...]
) -> None:
    _, told = plan.adjust(plan.load_profile("enterprise-2.0.2"), OWN)
    sentences = [Language(lang).translated(one) for one in told]
    assert [s.startswith(begin) for s, begin in zip(sentences, said, strict=True)] == [True] * 3, sentences


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_setting_of_a_test_has_a_name(lang: str) -> None:
    settings = {key for name in suite.names() for key in suite.load(name).options} - {*plan.UNMENTIONED}
    words = Language(lang)
    assert len(settings) > 50
    assert {key for key in settings if not (words.knows(f"setting.{key}") or known(f"named_{key}"))} == set()
