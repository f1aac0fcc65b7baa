"""Effects and interactions that a sweep's page states: only those that its drives show, in both languages."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from stend.many.compare.differences import Figure
from stend.many.sweep.design import Design, Range, Written
from stend.many.sweep.results import collected
from stend.many.sweep.sensitivity import Effects, effects
from stend.many.sweep.study import Study
from stend.model.quantities import QUANTITIES
from stend.report.parts import swept
from stend.words import LANGUAGES, Language
from tests.test_charts_many import KEY

Formula = Callable[..., Any]
WIDE = Range(-1.0, 1.0)
BOTH = {"heat.a": WIDE, "heat.b": WIDE}
NO_PAIRS = {
    "en": "No pair of parameters explains more than 1% of any figure beyond what each does alone.",
    "ru": "Ни одна пара параметров не объясняет больше 1 % какой-либо величины сверх вклада каждого.",
}
OPEN = {
    "en": "No pair of parameters is shown to explain more than 1% of any figure beyond what each does alone. "
    "More drives are needed to exclude it.",
    "ru": "Не выявлено пар параметров, которые объясняли бы больше 1 % какой-либо величины сверх вклада каждого. "
    "Чтобы исключить такие пары, нужно больше накопителей.",
}
UNEXAMINED = {
    "en": "Interactions of parameters were not examined: too few drives.",
    "ru": "Взаимодействия параметров не исследованы: слишком мало накопителей.",
}
PARTLY = {
    "en": "Interactions of parameters were not examined for 1 of 2 figures: too few drives.",
    "ru": "Взаимодействия параметров не исследованы для 1 из 2 величин: слишком мало накопителей.",
}


def noise(seed: int = 5) -> Formula:
    dice = np.random.default_rng(seed)
    return lambda *_: 0.02 * dice.standard_normal()


def studied(drives: int | None, parameters: dict[str, Any], *formulas: Formula, given: int | None = None) -> Study:
    """Evaluate drives whose figures have these logarithms. Only the first `given` drives have the last figure."""
    design = Design("design", Written("sim:small", ("write-saturation",), {}, drives=drives, seed=3), parameters)
    keys = [KEY._replace(depth=1 + i) for i in range(len(formulas))]
    lines: list[dict[str, Any]] = []
    for i, point in enumerate(design.points()):
        kept = keys[:-1] if given is not None and i >= given else keys
        figures = [
            key._asdict() | dict.fromkeys(QUANTITIES) | {"iops": float(np.exp(formula(*point.values.values())))}
            for key, formula in zip(kept, formulas, strict=False)
        ]
        lines.append({"drive": point.number, "values": point.values, "outcome": "complete", "figures": figures})
    results = collected(design, lines)
    shown = {}
    for figure in (Figure(key, "iops") for key in results.keys):
        which, y = results.logs(figure)
        shown[figure] = effects(design, [results.values[i] for i in which], y)
    return Study(results, shown, 0, None, ())


def only(study: Study) -> Effects:
    (effects,) = study.effects.values()
    return effects


def stated(study: Study, lang: str) -> list[str]:
    return list(swept._effect_sentences(study, Language(lang)))


def on_pairs(study: Study, lang: str) -> list[str]:
    """Return the texts on interactions below the method."""
    return list(swept._sensitivity(study, Language(lang)).texts[1:])


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("drives", [12, 40])
def test_noise_is_no_effect_of_a_parameter(drives: int, lang: str) -> None:
    study = studied(drives, BOTH, noise())
    ending = {
        "en": f": no parameter is shown to affect it ({drives} drives, deviation ",
        "ru": f": влияние параметров не выявлено ({drives} накопителей, отклонение ",
    }
    (sentence,) = stated(study, lang)
    assert ending[lang] in sentence
    (table,) = swept._sensitivity(study, Language(lang)).tables
    note = {"en": "No parameter is shown to affect", "ru": "Влияние параметров на эту величину не выявлено"}
    assert note[lang] in table.note


def test_noise_with_large_shares_is_seldom_an_effect() -> None:
    large = stated_effects = 0
    for seed in range(20):
        study = studied(12, BOTH, noise(seed))
        large += any(share.value > 0.1 for share in only(study).first.values())
        stated_effects += "no parameter is shown" not in stated(study, "en")[0]
    assert large >= 5, "chance makes large shares"
    assert stated_effects <= 2, "a 95 % interval is seldom above 0 by chance"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_prediction_of_drives_left_out_is_not_stated_as_the_sum_of_the_shares(lang: str) -> None:
    """On a grid of ten drives the fit has a line for `a`, which bends. What it does not follow is in no share."""
    grid = {"heat.a": (1, 2, 4, 8, 16), "heat.b": (0, 1)}
    study = studied(None, grid, lambda a, b: 0.8 * min(a, 8) ** 0.5 + 0.6 * b)
    own = only(study)
    assert own.explained < sum(share.value for share in own.first.values()) - 0.1 < swept.WEAK
    predicted = {
        "en": "(the fit predicts {} of the variance of drives left out of it: more drives are needed)",
        "ru": "(для накопителей, не вошедших в подгонку, предсказано {} дисперсии: нужно больше накопителей)",
    }
    share = Language(lang)("swept.part", name="", share=own.explained).strip(" ")
    assert predicted[lang].format(share) in stated(study, lang)[0]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_only_effect_is_stated_alone(lang: str) -> None:
    study = studied(60, BOTH, lambda a, b: a + 0.001 * b)
    assert stated(study, lang)[0].endswith({"en": ": heat.a 100%.", "ru": ": heat.a 100\N{NO-BREAK SPACE}%."}[lang])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_figure_that_only_a_pair_affects_names_the_pair(lang: str) -> None:
    (sentence,) = stated(studied(100, BOTH, lambda a, b: a * b), lang)
    assert {"en": ": only together: heat.a and heat.b ", "ru": ": только вместе: heat.a и heat.b "}[lang] in sentence


@pytest.mark.parametrize("lang", LANGUAGES)
def test_pairs_that_no_fit_examined_are_not_excluded(lang: str) -> None:
    study = studied(10, BOTH, lambda a, b: a + b + a * b)
    assert only(study).pairs == {}
    assert on_pairs(study, lang) == [UNEXAMINED[lang]]
    few = studied(7, BOTH, lambda a, b: a + b)
    assert only(few).why == "few"
    assert on_pairs(few, lang) == [UNEXAMINED[lang]]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_one_parameter_and_flat_figures_have_no_text_on_pairs(lang: str) -> None:
    assert on_pairs(studied(40, {"heat.a": WIDE}, lambda a: a), lang) == []
    assert on_pairs(studied(40, BOTH, lambda a, b: 1.0), lang) == []


@pytest.mark.parametrize("lang", LANGUAGES)
def test_pairs_of_a_sum_are_excluded_and_pairs_of_noise_are_not(lang: str) -> None:
    whole = studied(60, BOTH, lambda a, b: a + b)
    assert only(whole).pairs["heat.a", "heat.b"].high <= 0.01
    assert on_pairs(whole, lang) == [NO_PAIRS[lang]]
    rest = studied(60, BOTH, noise())
    assert only(rest).pairs["heat.a", "heat.b"].high > 0.01
    assert on_pairs(rest, lang) == [OPEN[lang]]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_a_figure_of_few_drives_beside_one_of_many_is_counted(lang: str) -> None:
    study = studied(60, BOTH, lambda a, b: a + b, lambda a, b: a + b, given=9)
    assert on_pairs(study, lang) == [PARTLY[lang]]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_pairs_that_are_listed_need_no_text(lang: str) -> None:
    assert on_pairs(studied(100, BOTH, lambda a, b: a + b + a * b), lang) == []
