"""The answers of rules as JUnit XML: one suite per rule, one case per figure. An undecided one is skipped or failed."""

import re
from pathlib import Path
from xml.etree import ElementTree

from stend.many.compare.rules import Judgement

FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 forbids, which names of drives may contain."""


def write(judgement: Judgement, path: Path, sides: tuple[str, str]) -> None:
    """Write the XML file for CI systems."""
    top = ElementTree.Element("testsuites", name=_text(f"stend compare: {sides[0]} against {sides[1]}"))
    for rule in dict.fromkeys(gated.rule for gated in judgement.gated):
        cases = [gated for gated in judgement.gated if gated.rule is rule]
        suite = ElementTree.SubElement(top, "testsuite", name=rule.text, tests=str(len(cases)))
        counts = {"failures": 0, "skipped": 0, "errors": 0}
        for gated in cases:
            key = gated.figure.key
            name = f"{key.test} {key.phase} {key.state} {key.load} {key.direction} {gated.figure.quantity}"
            case = ElementTree.SubElement(suite, "testcase", classname=rule.text, name=_text(name))
            final = judgement._replace(answer=gated.answer).final
            if final != "passed":
                kind = "failure" if final == "failed" else "skipped"
                counts["failures" if final == "failed" else "skipped"] += 1
                figure = gated.figure
                edge = (
                    "no interval" if figure.low is None else f"{figure.low - 1:+.2%} to {(figure.high or 0) - 1:+.2%}"
                )
                ElementTree.SubElement(case, kind, message=f"{gated.answer}: {figure.ratio - 1:+.2%} ({edge})")
        for name, count in counts.items():
            suite.set(name, str(count))
    path.write_bytes(ElementTree.tostring(top, encoding="utf-8", xml_declaration=True))


def _text(text: str) -> str:
    return FORBIDDEN.sub("\ufffd", text)
