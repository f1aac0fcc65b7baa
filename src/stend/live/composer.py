"""The composer: a plan of the chosen tests, and the command that runs it. Nothing is started."""

import shlex
from typing import Annotated, Any

import msgspec

from stend import suite
from stend.base import untrusted
from stend.base.errors import BadInput
from stend.base.text import plain
from stend.model.definition import Plan, PlannedTest
from stend.model.estimate import TYPICAL_ROUNDS, assumed, phase_seconds
from stend.planning import plan
from stend.sim import named
from stend.words import Language, Sentence

VIRTUAL = "sim:"


def _number(least: float, most: float) -> Any:
    return msgspec.Meta(ge=least, le=most)


class Wish(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The chosen tests, drive and options. None and "" keep what the profile has. Limits are those of `stend run`."""

    test: list[str]
    target: str
    profile: str = ""
    quick: bool = False
    threads: Annotated[int, _number(1, 1024)] | None = None
    depth: Annotated[int, _number(1, 65536)] | None = None
    active_range_pct: Annotated[float, _number(0.01, 100)] | None = None
    rounds: Annotated[int, _number(1, 100_000)] | None = None
    minute_s: Annotated[float, _number(0.2, 86_400)] | None = None
    verify: bool = False
    label: Annotated[str, msgspec.Meta(max_length=100)] = ""


def wish(query: list[tuple[str, str]]) -> Wish:
    """Return the choice of a query string. Raise BadInput for an unknown or impossible value."""
    fields: dict[str, Any] = {name: value for name, value in query if value and name != "test"}
    fields["test"] = [value for name, value in query if name == "test"]
    if "target" not in fields:
        raise BadInput(Sentence("choose_drive"))
    try:
        return msgspec.convert(fields, Wish, strict=False)
    except untrusted.BROKEN as error:
        raise BadInput(_limits(str(error)) or Sentence("choice", why=untrusted.sentence(error))) from error


def _limits(error: str) -> Sentence | None:
    """Return the sentence for a number that is out of its limits, or None for another error."""
    from stend.session.request import OPTIONS

    name = error.rpartition("`$.")[2].rstrip("`")
    wish_type: Any = msgspec.inspect.type_info(Wish)
    field = next((field for field in wish_type.fields if field.encode_name == name), None)
    for one in getattr(field and field.type, "types", ()):
        if (least := getattr(one, "ge", None)) is not None:
            key = "choice_whole" if isinstance(one, msgspec.inspect.IntType) else "choice_number"
            return Sentence(key, option=OPTIONS[name], least=f"{least:g}", most=f"{one.le:.10g}")
    return None


def choices(words: Language) -> dict[str, Any]:
    """Return what can be chosen: tests, suites, profiles, and the drives of this host with the virtual ones."""
    from stend.session import sheet
    from stend.session.request import PLAYED  # lazy: a server that plans nothing needs no drives

    tests = [(name, suite.load(name).title) for name in suite.names() if name not in PLAYED]
    studies = {name: study for name in suite.suites() if (study := suite.study(name))}
    real = [(drive.target, drive.model, drive.capacity_bytes, reason) for drive, _, reason in sheet.every()]
    return {
        "tests": [{"name": name, "title": words.title(name, title)} for name, title in tests],
        "suites": [
            {"name": name, "title": ", ".join(words.title(test, test) for test in study.tests)}
            for name, study in studies.items()
        ],
        "profiles": plan.profiles(),
        "drives": [
            {"target": target, "model": model, "bytes": size, "reason": words.translated(reason)}
            for target, model, size, reason in real
        ],
        "virtual": [VIRTUAL + name for name in named.profiles()],
    }


def planned(chosen: Wish, words: Language) -> dict[str, Any]:
    """Return times, bytes, tests, warnings and the command of a choice. Raise BadInput if it cannot be planned.

    Only names that `choices` has are accepted: a page must not read files of this host.
    """
    from stend import session
    from stend.session import sheet
    from stend.session.request import OPTIONS, PLAYED

    real = {drive.target: reason for drive, _, reason in sheet.every()}
    virtual = [VIRTUAL + name for name in named.profiles()]
    _known("test", chosen.test, [*suite.names(), *suite.suites()])
    _known("profile", [chosen.profile] if chosen.profile else [], plan.profiles())
    _known("drive", [chosen.target], [*real, *virtual])
    if playing := [test for test in chosen.test if test in PLAYED]:
        raise BadInput(Sentence("plays", test=playing[0], command=f"stend plan {playing[0]} --trace FILE"))
    if not chosen.test:
        raise BadInput(Sentence("choose_test"))
    given = {name: value for name, value in msgspec.structs.asdict(chosen).items() if name != "test" and value}
    drawn = session.planned(session.Request(chosen.test, **given))
    options = [(OPTIONS[name], str(value)) for name, value in given.items() if name in OPTIONS]
    line = ["stend", "run", *chosen.test, *(word for option in options for word in option)]
    flags = [f"--{name}" for name in ("quick", "verify") if name in given]
    return _plain(drawn, words) | {
        "command": shlex.join([*line, *flags]),
        "reason": words.translated(real.get(chosen.target, "")),
        "harmless": drawn.device.virtual or drawn.reads_only,
    }


def _known(what: str, names: list[str], known: list[str]) -> None:
    for name in names:
        if name not in known:
            raise BadInput(Sentence(f"choice_{what}", name=plain(name)))


def _plain(drawn: Plan, words: Language) -> dict[str, Any]:
    return {
        "expected_s": drawn.expected_s,
        "longest_s": drawn.longest_s,
        "write_bytes": drawn.write_bytes,
        "tests": [_test(test, drawn) for test in drawn.tests],
        "warnings": [words.translated(text) for text in (*drawn.deviations, *drawn.notes)],
    }


def _test(test: PlannedTest, drawn: Plan) -> dict[str, Any]:
    speed = assumed(drawn.device)
    seconds = sum(phase_seconds(phase, speed, TYPICAL_ROUNDS) for phase in test.phases)
    return {"name": test.name, "title": test.title, "phases": len(test.phases), "expected_s": seconds}
