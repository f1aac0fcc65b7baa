"""A gate: rules typed or in a TOML file, and what counts when they stay undecided.

undecided = "fail"            # or "pass"; without it an undecided gate has an answer of its own
noninferior = false
fail_if = ["iops[*,4K] < -3%", "p99.9[latency] > +10%"]
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from stend.base import untrusted
from stend.base.errors import BadInput
from stend.many.compare.differences import Comparison
from stend.many.compare.rules import Judgement, Rule, judge, parse

SETTLED = ("", "pass", "fail")


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The TOML of rules."""

    fail_if: tuple[str, ...]
    undecided: str = ""
    noninferior: bool = False


class Gate(NamedTuple):
    """Rules and what counts when they stay undecided."""

    rules: tuple[Rule, ...]
    undecided: str
    noninferior: bool

    def judge(self, whole: Comparison) -> Judgement | None:
        """The answer; None without rules."""
        return judge(whole, self.rules, self.undecided, noninferior=self.noninferior) if self.rules else None


def chosen(typed: Sequence[str], file: Path | None, undecided: str = "", *, noninferior: bool = False) -> Gate:
    """Rules of both sources; what is typed settles what the file leaves open or says otherwise."""
    written = untrusted.toml(untrusted.read(file, "the rules"), Written, f"the rules {file}") if file else Written(())
    settled = undecided or written.undecided
    if settled not in SETTLED:
        raise BadInput(f"undecided is {settled!r}; it can be pass or fail")
    rules = tuple(parse(text) for text in (*written.fail_if, *typed))
    if file and not written.fail_if:
        raise BadInput(f"the rules {file} hold no rule: fail_if is empty")
    if not rules and (settled or noninferior):
        raise BadInput("there is no rule to be undecided of; give --fail-if or --rules")
    return Gate(rules, settled, noninferior or written.noninferior)
