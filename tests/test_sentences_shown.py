"""Values of findings as words: a reason inside of a reason is worded as it is alone, at any depth and place."""

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stend import sentences
from stend.findings import Finding
from stend.findings.judgement import Reason, Why
from stend.findings.look.because import Because


class Words:
    """A language that shows each key with its values."""

    def __call__(self, key: str, **values: Any) -> str:
        return f"<{key} {' '.join(f'{name}={value}' for name, value in sorted(values.items()))}>"

    def show(self, value: float, shape: str) -> str:
        return f"{value} as {shape}"

    def knows(self, key: str) -> bool:
        return True

    def title(self, name: str, title: str) -> str:
        return title if name == "own" else self(f"test.{name}")


WORDS: Any = Words()
PLAIN = st.one_of(
    st.integers(0, 9), st.sampled_from("ab"), st.tuples(st.integers(0, 9), st.sampled_from(["gb", "lat"]))
)
KEYS = st.sampled_from(["few", "short"])
because = st.deferred(lambda: st.builds(Because, KEYS, st.dictionaries(st.sampled_from("xy"), every, max_size=2)))
reasons = st.deferred(
    lambda: st.builds(
        Reason, KEYS, st.just("pass"), st.just(1.0), st.just({"few": 1, "short": 2}), st.one_of(st.none(), because)
    )
)
whys = st.builds(
    Why,
    st.lists(reasons, max_size=2).map(tuple),
    st.lists(because, max_size=2).map(tuple),
    st.lists(st.sampled_from(["iops", "own"]), max_size=2).map(tuple),
    st.lists(st.sampled_from(["plp", "dwpd"]), max_size=2, unique=True).map(tuple),
)
every: Any = st.one_of(PLAIN, because, reasons, whys)


def shown(value: Any) -> Any:
    """By the definition of each kind."""
    match value:
        case Because(key=key, values=values):
            return WORDS(f"because.{key}", **{name: shown(one) for name, one in values.items()})
        case Reason():
            clause = WORDS(f"reason.{value.figure}.{value.answer}", **value.values)
            return WORDS("why.caveat", clause=clause, caveat=shown(value.caveat)) if value.caveat else clause
        case Why(reasons=own, because=causes, tests=tests, facts=facts):
            titles = ", ".join("own" if name == "own" else WORDS(f"test.{name}") for name in tests)
            told, reasons = dict.fromkeys(map(shown, causes)), list(own)
            for n, reason in enumerate(own):  # a caveat is after the last reason that has it
                if any(str(later.caveat) == str(reason.caveat) for later in own[n + 1 :]):
                    reasons[n] = msgspec.structs.replace(reason, caveat=None)
            parts = [*map(shown, reasons), *told, *([WORDS("why.tests", tests=titles)] if tests else [])]
            return "; ".join([*parts, *([WORDS("why.facts_" + "_".join(sorted(facts)))] if facts else [])])
        case (number, str(shape)):
            return WORDS.show(number, shape)
    return value


@given(value=every, more=st.lists(because, min_size=1, max_size=3).map(tuple))
def test_a_value_is_worded_alone_as_within_a_finding(value: Any, more: tuple[Because, ...]) -> None:
    finding = Finding(name="f", key="k", values={"one": value, "list": more})
    parts = "; ".join(map(shown, more))
    assert sentences.finding_said(finding, WORDS) == WORDS("finding.f.k", one=shown(value), list=parts)


@given(whys)
def test_a_why_has_every_reason_once(why: Why) -> None:
    assert sentences.why_said(why, WORDS) == shown(why)


@pytest.mark.parametrize("disturbed", [[0, 0, 0], [1, 1, 1], [1, 0, 1], [1, 2, 1], [2, 1, 1, 0]])
def test_what_disturbed_several_findings_is_stated_once_after_the_last_of_them(disturbed: list[int]) -> None:
    causes = [Because(f"cause{number}") if number else None for number in disturbed]
    more = [{"disturbed": cause} if cause else {} for cause in causes]
    findings = [Finding(name="f", key="k", values={"n": n} | one) for n, one in enumerate(more)]
    said = list(sentences.findings_said(findings, WORDS))
    for n, cause in enumerate(causes):
        last = cause is not None and cause not in causes[n + 1 :]
        tail = WORDS("because.disturbed", because=shown(cause)) if last else ""
        assert said[n] == WORDS("finding.f.k", n=n) + tail
