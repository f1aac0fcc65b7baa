"""Page one of several runs: which drive is better at what and by how much, and the verdict on each."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from os.path import commonprefix
from typing import NamedTuple

from stend.base.text import capital, small
from stend.findings.judgement import FIT
from stend.many.sides import array, described
from stend.report.parts import Table
from stend.report.story.drives import about_drive
from stend.report.story.page_one import (
    AT,
    BY_SIZE,
    FIGURES,
    LESS_IS_BETTER,
    RARE,
    SHAPES,
    Review,
    after,
    figure_said,
    sentence,
    shown,
    title,
    title_of_all,
    value_shown,
)
from stend.report.story.rivals import AHEAD
from stend.report.story.uses_together import MOST_DRAWN, rows_of_uses
from stend.report.story.verdict import verdict
from stend.sentences import because_said, of_run
from stend.words import Language

MOST_LEADS = 2
"""Figures of a drive that a headline names."""
Reviews = Mapping[str, Review]


EQUAL = 1.02
"""Figures that differ by less are about equal."""
MEANS = {"server_wait": "server", "database_wait": "database"}
"""Means and the rates of their loads: with as many outstanding IOs they are one fact (Little's law)."""


class Lead(NamedTuple):
    """The best drive by a figure, the next one, the ratio between them, and all that are close to the best, itself too.

    If the best drive was measured several times, `runs` are its runs, and `first` is the one with the weakest figure.
    The ratio is below 1 if that is worse than the figure of the next drive.
    """

    figure: str
    first: str
    second: str
    gain: float
    near: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()

    @property
    def drive(self) -> str:
        """Return the name of the best drive, of several runs that of the first."""
        return (self.runs or (self.first,))[0]

    def named(self, words: Language) -> str:
        """Return the name of the best drive, with the number of its runs if there are several."""
        return named(self.runs or (self.first,), words)


def named(runs: Sequence[str], words: Language) -> str:
    """Return the name of a drive from those of its runs, which end in their numbers, with how many they are."""
    if len(runs) == 1:
        return runs[0]
    shared = commonprefix(list(runs)).rstrip(" ,(")  # noqa: RUF071 letters are meant
    shared += ")" * (shared.count("(") - shared.count(")"))
    return words("together.with_repeats", name=shared if len(shared) > len(runs[0]) / 2 else runs[0], n=len(runs))


def usable(review: Review) -> dict[str, float]:
    """Return the figures that may be compared: none of a shortened or unfinished run."""
    return {} if review.verdict.standing else dict(review.verdict.known.usable)


def of_one_drive(reviews: Reviews) -> bool:
    """Return whether all runs are of one drive as it is: with one serial number, firmware and layout of an array."""
    drives = [review.run.plan.device for review in reviews.values()]
    kinds = {(d.serial, d.firmware, d.capacity_bytes, array(d.facts), d.virtual and described(d)) for d in drives}
    return len(kinds) == 1 and bool(drives[0].serial)


def repeated(reviews: Reviews) -> bool:
    """Return whether all runs are of one drive with equal settings, so that they differ only by chance."""
    return _alike(reviews) and of_one_drive(reviews)


def _alike(reviews: Reviews) -> bool:
    """Return whether all runs have equal settings."""
    plans = [review.run.plan for review in reviews.values()]
    return all((p.profile, p.deviations) == (plans[0].profile, plans[0].deviations) for p in plans)


def of_every(reviews: Reviews) -> str:
    """Return the key of the name of all drives, or of all runs of one drive."""
    return f"together.of_{'both' if len(reviews) == 2 else 'all'}{'_runs' if of_one_drive(reviews) else ''}"


def question_title(question: str, reviews: Sequence[Review], words: Language) -> str:
    """Return the title of the chapter of a question, which is another one about several drives if it names them."""
    several = len(reviews) > 1 and not of_one_drive({str(n): review for n, review in enumerate(reviews)})
    key = f"question.{question}.title"
    return words(f"{key}_several" if several and words.knows(f"{key}_several") else key)


def drives(reviews: Reviews, words: Language) -> Iterator[str]:
    """Yield a line per drive: interface, capacity, firmware, date of the run; then that all runs are of one drive."""
    for name, review in reviews.items():
        drive = review.run.plan.device
        about = about_drive(drive, words.show(drive.capacity_bytes, "gb"), words)
        yield f"{name}: {about}, {words.date(review.run.started[0].at)}"
    if of_one_drive(reviews):
        key = "together.one_drive" if repeated(reviews) else "together.one_drive_settings"
        yield words(key, n=len(reviews), serial=drive.serial, section=words("story.deviates"))


def leads(reviews: Reviews) -> Iterator[Lead]:
    """Yield who leads by each key figure that at least two drives have, unless that one still got worse, or a figure
    that cannot be used is as good."""
    figures = {name: usable(review) for name, review in reviews.items()}
    for figure in _figures(reviews):
        known = [(_good(figure, reviews[name]), name) for name in having(figure, reviews) if figures[name].get(figure)]
        known.sort(reverse=True)
        alike = len(known) > 1 and not _unlike(figure, reviews) and not _unlike_state(figure, reviews)
        rivals = [_good(figure, reviews[name]) for name in _doubted(figure, reviews)]
        alike = alike and known[0][0] > AHEAD * max(rivals, default=0.0)
        if alike and not _unlike_size(figure, reviews) and figure not in reviews[known[0][1]].verdict.known.bounds:
            (most, first), (next_most, second), *_ = known
            close = {name for value, name in known if most / value < AHEAD}
            near = tuple(name for name in reviews if name in close)
            runs = tuple(name for name in reviews if repeated({name: reviews[name], first: reviews[first]}))
            others = [pair for pair in known if pair[1] not in runs]
            if len(runs) > 1 and others:  # the weakest of its runs and the best of the others
                (most, first), (next_most, second) = [pair for pair in known if pair[1] in runs][-1], others[0]
            yield Lead(figure, first, second, most / next_most, near, runs if len(runs) > 1 and others else ())


def having(figure: str, reviews: Reviews) -> list[str]:
    """Return the drives that have a figure; of random writes the saturated ones, if they are two or more."""
    names = [name for name, review in reviews.items() if review.figures.get(figure)]
    saturated = [name for name in names if "sat_s" in reviews[name].figures]
    return saturated if figure == "writes" and len(saturated) > 1 else names


def _good(figure: str, review: Review) -> float:
    """Return a figure that a drive has, or its inverse if less is better."""
    return review.figures[figure] ** (-1 if figure in LESS_IS_BETTER else 1)


def _doubted(figure: str, reviews: Reviews) -> list[str]:
    """Return the drives of whole runs whose figure cannot be used, such as that of a hot drive, the best first."""
    names = [n for n in having(figure, reviews) if figure in reviews[n].verdict.known.unusable]
    names = [name for name in names if not reviews[name].verdict.standing]
    return sorted(names, key=lambda name: -_good(figure, reviews[name]))


def _unlike(figure: str, reviews: Reviews) -> list[str]:
    """Return the numbers of outstanding IOs of a response time by drive; empty if they are equal."""
    depths = [review.figures.get(AT[figure]) for review in reviews.values()] if figure in AT else []
    return [f"{depth:.0f}" if depth else "–" for depth in depths] if len({*depths} - {None}) > 1 else []


def _unlike_state(figure: str, reviews: Reviews) -> bool:
    """Return whether a figure is of saturated drives and of drives that were only filled, which are not ranked."""
    return figure == "writes" and len({"sat_s" in reviews[name].figures for name in having(figure, reviews)}) > 1


def _unlike_size(figure: str, reviews: Reviews) -> bool:
    """Return whether a figure grows with the capacity and the drives have different ones."""
    if figure not in BY_SIZE:
        return False
    sizes = [own.run.plan.device.capacity_bytes for own in reviews.values() if figure in own.figures]
    return max(sizes) > AHEAD * min(sizes)


def _figures(reviews: Reviews) -> list[str]:
    """Return the key figures that at least two drives have, in order of importance.

    The best minute of a fresh drive takes the place of its first minute; the first minute of an array is that of its
    controller's cache. A mean whose rate is there, and a percentile that no drive has as a tail, are not listed. If not
    all drives were saturated, random writes are those of the filled drives too, if all have them, and only these if a
    single drive was saturated.
    """
    repeated = [review.verdict.known.repeated for review in reviews.values()]
    had = Counter(figure for n, review in enumerate(reviews.values()) for figure in {*shown(review), *repeated[n]})
    once = Counter(figure for review in reviews.values() for figure in shown(review))
    several = [figure for figure in FIGURES if had[figure] > 1 and once[figure]]
    several = [figure for figure in several if MEANS.get(figure) not in several]
    cached = any(review.kind == "array" for review in reviews.values())
    several = [figure for figure in several if figure != "start" or not (cached or "fresh_writes" in several)]
    filled = all("writes_filled" in review.figures for review in reviews.values())
    if filled and "writes" in several and len(having("writes", reviews)) < len(reviews):
        several.insert(several.index("writes") + 1, "writes_filled")
    return ["writes_filled" if filled and _unlike_state(figure, reviews) else figure for figure in several]


def headline(reviews: Reviews, words: Language) -> str:
    """Return by how many figures each drive is the best and by which most clearly, the drive with the most first; then
    how many are close.
    """
    every, most = list(leads(reviews)), len(_figures(reviews))
    if not every:
        return _unranked(reviews, words) if most else words("together.nothing")
    sentences = []
    wins = Counter(lead.drive for lead in every if lead.gain >= AHEAD)
    for name in sorted(reviews, key=lambda name: -wins[name]):
        own = [lead for lead in every if lead.drive == name and lead.gain >= AHEAD]
        partly = [lead for lead in own if _without(lead, reviews)]
        own.sort(key=lambda lead: (lead.figure in RARE, lead in partly, -lead.gain))
        if own:
            shown_leads = [lead for lead in own if lead not in partly[1:]][:MOST_LEADS]
            listed = capital("; ".join(_lead(lead, reviews, words) for lead in shown_leads))
            key = "leads" if len(reviews) > 2 else "leads_of_two"
            sentences.append(words(f"together.{key}", name=own[0].named(words), n=len(own), of=most, listed=listed))
    kinds = Counter(kind(lead, reviews) for lead in every)
    if near := kinds["close"] + kinds["equal"]:
        key = f"{'close' if kinds['close'] else 'equal'}_in{'' if len(reviews) > 2 else '_of_two'}"
        sentences.append(words(f"together.{key}", n=near, of=most))
    if unranked := most - kinds["best"] - near:
        sentences.append(words("together.unranked_in", n=unranked, of=most))
    return " ".join(sentences)


def _unranked(reviews: Reviews, words: Language) -> str:
    """Return why no drive is ranked: the runs without a verdict if fewer than two others are left, else figures."""
    names: dict[str, list[str]] = {}
    for name, review in reviews.items():
        if why := review.verdict.standing:
            names.setdefault(because_said(of_run(why), words), []).append(name)
    if len(reviews) - sum(map(len, names.values())) > 1:
        names = {}
        for name, review in reviews.items():
            for why in map(review.verdict.known.unusable.get, _figures(reviews)):
                if why and name not in (of := names.setdefault(because_said(of_run(why), words), [])):
                    of.append(name)
        if len(names) != 1:  # each figure has its own reason
            return words("together.unusable")
    every = words(of_every(reviews))
    told = (after(every if len(of) == len(reviews) else ", ".join(of), why) for why, of in names.items())
    return words("together.standing", listed="; ".join(told))


def kind(lead: Lead, reviews: Reviews) -> str:
    """Return whether the first drive is the "best", or all that are "close" to it are about "equal".

    Of a drive with several runs none may be close to the best: then runs of different drives "overlap".
    """
    if lead.gain >= AHEAD:
        return "best"
    if len(lead.near) < 2:
        return "overlap"
    values = [reviews[name].figures[lead.figure] for name in lead.near]
    return "equal" if max(values) < EQUAL * min(values) else "close"


def _lead(lead: Lead, reviews: Reviews, words: Language) -> str:
    values = (reviews[name].figures[lead.figure] for name in (lead.first, lead.second))
    own, theirs = (value_shown(value, SHAPES[lead.figure], words) for value in values)
    name = small(title(lead.figure, reviews[lead.first]))
    figure = figure_said(name, own, words)
    text = words("together.lead", figure=figure, theirs=theirs, gain=lead.gain, second=lead.second)
    without = _without(lead, reviews)
    return words("together.lead_without", lead=text, names=", ".join(without)) if without else text


def _without(lead: Lead, reviews: Reviews) -> list[str]:
    """Return the drives that were not measured by its figure."""
    return [name for name in reviews if name not in having(lead.figure, reviews)]


def tables(reviews: Reviews, words: Language) -> Iterator[Table]:
    """Yield the verdicts, the key figures with the best drive of each, and the uses if a run supports a verdict."""
    runs = "_runs" if of_one_drive(reviews) else ""
    drive = words("column.run" if runs else "compare.drive")
    single = {named(names, words): reviews[name] for name, names in weakest(reviews).items()}
    rows = tuple((name, verdict(review)) for name, review in single.items())
    notes = {"weakest": len(single) < len(reviews), "weakest_drawn": len(single) < len(reviews) > MOST_DRAWN}
    note = " ".join(words(f"together.{key}") for key, holds in notes.items() if holds)
    yield Table(words(f"together.verdicts{runs}"), (drive, words("together.verdict")), rows, note=note)
    yield from [_figure_table(reviews, words)] if _figures(reviews) else ()
    judged = any(not review.verdict.standing for review in reviews.values())
    if uses := tuple(rows_of_uses(single, words)) if judged else ():
        fit = words("story.performance")
        cells = [cell for row in uses for cell in row]
        notes = {"by_performance": fit in cells, "unjudged": "–" in cells}
        note = " ".join(words(f"together.{key}") for key, needed in notes.items() if needed)
        yield Table(words("story.uses"), (words("together.use"), *single), uses, note=note)


def weakest(reviews: Reviews) -> dict[str, list[str]]:
    """Return {a run of each drive: all its runs}: of several with equal settings the one that fits the fewest uses.

    All runs of a single drive stay separate.
    """
    groups: dict[str, list[str]] = {}
    for name in reviews:
        first = next((of for of in groups if repeated({of: reviews[of], name: reviews[name]})), name)
        groups.setdefault(first, []).append(name)
    fits = {name: sum(use.mark in FIT for use in review.verdict.uses) for name, review in reviews.items()}
    every = groups.values() if len(groups) > 1 else [[name] for name in reviews]
    return {min(names, key=lambda name: fits[name]): names for names in every}


def _figure_table(reviews: Reviews, words: Language) -> Table:
    best = {lead.figure: lead for lead in leads(reviews)}
    rows = []
    for figure in _figures(reviews):
        names = having(figure, reviews)
        cells = [_cell(figure, own, words, best) if name in names else "–" for name, own in reviews.items()]
        first = reviews[names[0]]
        unlike = " / ".join(_unlike(figure, reviews))
        order = dict.fromkeys([*_doubted(figure, reviews), *reviews])
        every = [(own_name, reviews[own_name].verdict.known) for own_name in order]
        why = [(of, part[figure]) for of, known in every for part in (known.unusable, known.bounds) if figure in part]
        ranked = words("together.unlike", depths=unlike) if unlike else _best(best.get(figure), reviews, words)
        if figure not in best and why and not unlike and not all(own.verdict.standing for own in reviews.values()):
            of, because = why[0][0], because_said(of_run(why[0][1]), words)
            every_one = len({name for name, _ in why}) == len(reviews)
            ranked = words("together.unsure", because=because if every_one else after(of, because))
        if _unlike_size(figure, reviews):
            ranked = words("together.unlike_size")
        if states := _unlike_state(figure, reviews):
            ranked = words("together.unlike_state")
        name = words("figure_name.writes_last") if states else title_of_all(figure, [reviews[own] for own in names])
        depth = first.figures.get(AT.get(figure, ""))
        name = words("together.at_depth", name=name, depth=depth) if depth and not unlike else name
        rows.append((name, *cells, ranked))
    head = (words("servers.figure"), *reviews, words("together.best_column"))
    runs = "_runs" if of_one_drive(reviews) else ""
    title_of = f"together.figures{runs}"
    several = "_repeats" if len(weakest(reviews)) < len(reviews) else ""
    said = words(f"together.note{'_settings' if runs and not repeated(reviews) else runs or several}")
    if not runs and not _alike(reviews):
        said += " " + words("together.note_unlike")
    if any(cell.startswith("(") for row in rows for cell in row[1:-1]):
        said += " " + words("together.note_brackets")
    reasons, begin = {row[-1] for row in rows}, 1
    if not best and len(rows) > 1 == len(reasons) and reasons != {"–"}:  # one reason for all figures is no column
        title_of, head, rows = "story.figures", head[:-1], [row[:-1] for row in rows]
        said = sentence(reasons.pop())
    elif len(reviews) > MOST_DRAWN:  # such a wide table is scrolled, and its last column is out of sight
        head, rows, begin = _best_first(head), [_best_first(row) for row in rows], 2
    return Table(words(title_of), head, tuple(rows), tuple(range(begin, len(reviews) + begin)), said)


def _best_first(row: tuple[str, ...]) -> tuple[str, ...]:
    """Return a row with its last column, the best drive, before those of the drives."""
    return row[0], row[-1], *row[1:-1]


def _cell(figure: str, review: Review, words: Language, best: Mapping[str, Lead]) -> str:
    """Return a figure of a drive, with a mark if it still falls, and in brackets if others are ranked without it."""
    shown = value_shown(review.figures[figure], SHAPES[figure], words)
    if figure == "writes" and "still_falling" in review.figures:
        shown = words("together.falling", value=shown)
    return f"({shown})" if figure in best and figure not in usable(review) else shown


def _best(lead: Lead | None, reviews: Reviews, words: Language) -> str:
    """Return who is the best by a figure."""
    if lead is None:
        return "–"
    sort, two, near = kind(lead, reviews), len(reviews) == 2, len(lead.near)
    every = "_of_all" if near == len(reviews) else "_of_many" if near > 2 else ""
    key = f"{sort}{'_of_two' if two else every if sort in ('close', 'equal') else ''}"
    return words(f"together.{key}", name=lead.named(words), names=list(lead.near), n=near, gain=lead.gain)
