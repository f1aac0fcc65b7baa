"""The answers of rules as JUnit XML: a suite a rule, a case a figure; undecided is skipped or failed as asked."""

import re
from pathlib import Path
from xml.etree import ElementTree

from stend.many.compare.rules import Judgement

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold, whatever a drive calls itself."""


def write(judgement: Judgement, path: Path, sides: tuple[str, str]) -> None:
    """The file that CI systems read."""
    top = ElementTree.Element("testsuites", name=_text(f"stend compare: {sides[0]} against {sides[1]}"))
    for rule in dict.fromkeys(one.rule for one in judgement.gated):
        own = [one for one in judgement.gated if one.rule is rule]
        suite = ElementTree.SubElement(top, "testsuite", name=rule.text, tests=str(len(own)))
        told = {"failures": 0, "skipped": 0, "errors": 0}
        for one in own:
            key = one.figure.key
            name = f"{key.test} {key.phase} {key.state} {key.load} {key.direction} {one.figure.quantity}"
            case = ElementTree.SubElement(suite, "testcase", classname=rule.text, name=_text(name))
            final = judgement._replace(answer=one.answer).final
            if final != "passed":
                kind = "failure" if final == "failed" else "skipped"
                told["failures" if final == "failed" else "skipped"] += 1
                figure = one.figure
                edge = (
                    "no interval" if figure.low is None else f"{figure.low - 1:+.2%} to {(figure.high or 0) - 1:+.2%}"
                )
                ElementTree.SubElement(case, kind, message=f"{one.answer}: {figure.ratio - 1:+.2%} ({edge})")
        for name, count in told.items():
            suite.set(name, str(count))
    path.write_bytes(ElementTree.tostring(top, encoding="utf-8", xml_declaration=True))


def _text(text: str) -> str:
    return FORBIDDEN.sub("\ufffd", text)
