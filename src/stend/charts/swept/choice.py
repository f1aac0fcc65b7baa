"""Tried designs by the wish and its bounds; the best allowed design is marked."""

from collections.abc import Iterator, Sequence
from typing import Any

from stend.charts.parts import BLUE, GREY, RED, Drawing, Row, axis, series_scale
from stend.charts.parts.marks import nominal
from stend.charts.parts.vega import Chart
from stend.charts.swept.named import axis_title, scaled, subject_name, tight
from stend.many.sweep.study import Study
from stend.many.sweep.wish import Subject, Wish
from stend.words import Language

MOST_DOTS = 1500


def draw(study: Study, words: Language) -> Iterator[Drawing]:
    """Yield one chart if there is a wish, over its first bound, else over the parameter with the largest effect."""
    if study.wish and (over := _over(study, study.wish)):
        rows = list(_rows(study, study.wish, over, words))[:MOST_DOTS]
        if rows:
            values = {"best": subject_name(study.wish.subject, words), "over": subject_name(over, words)}
            short = {"best": _short(study.wish.subject, words), "over": _short(over, words)}
            yield Drawing(
                words("swept.choice", **short), _chart(rows, study.wish, over, words), {"rows": rows},
                words("swept.choice_says", **values),
            )  # fmt: skip


def _over(study: Study, wish: Wish) -> Subject | None:
    for bound in wish.bounds:
        if bound.subject.parameter != wish.subject.parameter or bound.subject.figures != wish.subject.figures:
            return bound.subject
    orders = (effects.order for figure, effects in study.effects.items() if figure in wish.subject.figures)
    first = next((order[0] for order in orders if order), None)
    return Subject(first, first, ()) if first else None


def _rows(study: Study, wish: Wish, over: Subject, words: Language) -> Iterator[Row]:
    for i in range(len(study.results.rows)):
        x, y = over.of(study.results, i)[0], wish.subject.of(study.results, i)[0]
        if type(x) in (int, float) and type(y) in (int, float):
            kind = "best" if study.allowed[:1] == (i,) else "allowed_dot" if i in study.allowed else "refused"
            drive = study.results.drives[i]["drive"]
            yield {"x": _plain(x, over), "y": _plain(y, wish.subject), "kind": words(f"swept.{kind}"), "drive": drive}


def _plain(value: Any, subject: Subject) -> float:
    return scaled(value, subject.figures[0].quantity) if subject.figures else value


def _short(subject: Subject, words: Language) -> str:
    return subject.parameter or words.quantity(subject.figures[0].quantity)


def _axis(field: str, subject: Subject, words: Language) -> dict[str, Any]:
    if subject.parameter:
        return axis(field, subject.parameter, zero=False)
    return axis(field, axis_title(subject.figures[0].quantity, words), log=True)


def _chart(rows: Sequence[Row], wish: Wish, over: Subject, words: Language) -> Any:
    names = [words(f"swept.{kind}") for kind in ("best", "allowed_dot", "refused")]
    base = nominal("kind", title=None, legend={"orient": "bottom"})
    channels = {
        "color": {**base, "scale": series_scale(names, [RED, BLUE, GREY])},
        "shape": {**base, "scale": series_scale(names, ["diamond", "circle", "cross"])},
        "size": nominal("kind", legend=None, scale=series_scale(names, [160, 30, 20])),
    }
    tips = [nominal("drive", title=words("swept.drive"))]
    x, y = tight(_axis("x", over, words), rows), tight(_axis("y", wish.subject, words), rows)
    dots = Chart().mark("point", filled=True, opacity=0.75).encode(x=x, y=y, tooltip=tips, **channels)
    return dots.properties(height=300, width=520)
