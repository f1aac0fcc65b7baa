"""Forms of plain data: what is not given is empty and is not written, and what is unknown is refused."""

from typing import Any

import msgspec
import pytest

from stend.fleet import chosen, file
from stend.host.who import Host
from stend.live import composer, feed, now, state
from stend.session import Request, opening, series
from stend.session.together import group, probe, roll
from stend.store import verify, writer

NAMED = {"name": "a", "request": {"tests": ["iops"], "target": "x"}}
ORDER = {"fleet": "f", "cell": "c-1", "serial": "s", "study": {"tests": ["iops"]}}
FLEET = {"name": "f", "drives": ["s"], "studies": [{"tests": ["iops"]}]}
READ: list[tuple[type[msgspec.Struct], dict[str, Any]]] = [
    (series.Series, {"repeats": 2, "requests": [NAMED["request"]]}),
    (group.Member, NAMED),
    (group.Group, {"members": [NAMED]}),
    (file.Study, {"tests": ["iops"]}),
    (file.Selector, {}),
    (file.Order, ORDER),
    (file.Slurm, {"home": "/x"}),
    (file.Fleet, FLEET),
    (chosen.Written, {"drives": ["s"], "by": [{}]}),
    (composer.Wish, {"test": ["iops"], "target": "x"}),
]
WRITTEN: list[tuple[type[msgspec.Struct], dict[str, Any]]] = [
    (writer.Owner, {}),
    (group.Member, NAMED),
    (group.Group, {"members": [NAMED]}),
    (file.Study, {"tests": ["iops"]}),
    (file.Selector, {}),
    (file.Order, ORDER),
    (chosen.Written, {"drives": ["s"], "by": [{}]}),
    (probe.Report, {}),
    (now.Now, {"run": "r", "state": "running", "said": "s"}),
    (now.Stage, {"test": "t", "phase": "p"}),
]
EMPTY: list[tuple[Any, tuple[Any, ...]]] = [
    (Request, (["iops"], "x")),
    (composer.Wish, (["iops"], "x")),
    (group.Member, ("a", Request(["iops"], "x"))),
    (group.Group, ((),)),
    (file.Study, (["iops"],)),
    (file.Order, ("f", "c-1", "s", file.Study(["iops"]))),
    (probe.Report, ()),
    (probe.Next, ()),
    (roll.State, (1, 2)),
    (opening.Permission, ()),
    (writer.Before, ()),
    (state.State, ("running", "s")),
]


@pytest.mark.parametrize(("kind", "fields"), READ, ids=lambda value: getattr(value, "__name__", ""))
def test_a_field_that_does_not_exist_is_refused(kind: type[msgspec.Struct], fields: dict[str, Any]) -> None:
    """A misspelt setting would change nothing without a word."""
    msgspec.convert(fields, kind)
    with pytest.raises(msgspec.ValidationError, match="unknown field `colour`"):
        msgspec.convert(fields | {"colour": "red"}, kind)


@pytest.mark.parametrize(("kind", "fields"), WRITTEN, ids=lambda value: getattr(value, "__name__", ""))
def test_what_was_not_given_is_not_written(kind: type[msgspec.Struct], fields: dict[str, Any]) -> None:
    written = msgspec.json.decode(msgspec.json.encode(msgspec.convert(fields, kind)))
    assert {name: value for name, value in written.items() if name != "request"}.keys() == fields.keys() - {"request"}


@pytest.mark.parametrize(("kind", "given"), EMPTY, ids=lambda value: getattr(value, "__name__", ""))
def test_what_was_not_given_is_empty(kind: Any, given: tuple[Any, ...]) -> None:
    made = kind(*given)
    fields = msgspec.structs.asdict(made) if isinstance(made, msgspec.Struct) else made._asdict()
    assert not [name for name, value in list(fields.items())[len(given) :] if value]


def test_a_run_of_which_nothing_is_known_has_no_figures() -> None:
    known = now.Now(run="r", state="running", said="s")
    assert not [
        name for name, value in msgspec.structs.asdict(known).items() if value and name not in ("run", "state", "said")
    ]
    assert (known.low_s, known.likely_s, known.high_s) == (0, 0, 0)
    stage = now.Stage(test="t", phase="p")
    assert (stage.left_s, stage.rounds, stage.began_s, stage.steady) == (0, 0, None, None)
    kinds: tuple[Any, ...] = (now.Now, now.Stage, now.Tracked)
    for kind in kinds:
        with pytest.raises(TypeError, match="positional"):
            kind("r", "running", "s")


def test_what_is_usual_is_not_given() -> None:
    assert writer.Owner() == writer.Owner("", 0, 0, Host(), "", 0, True)
    assert verify.Check("piece", "words").sound is True
    fleet = msgspec.convert(FLEET, file.Fleet)
    assert (fleet.trial, fleet.into, fleet.retries, fleet.together, fleet.destroy) == (5.0, "runs", 0, False, ())
    assert (file.Selector().model, file.Selector().firmware, file.Selector().count) == ("*", "*", None)
    slurm = msgspec.convert({"home": "/x"}, file.Slurm)
    assert (slurm.gres, slurm.partition, slurm.options, slurm.stend) == ("drive", "", (), "stend")
    plain = state.State("running", "s")
    assert b'"points":[]' in feed.encode(feed.News(now.Now(run="r", state=plain.word, said="s"), 1, 0, ()))
