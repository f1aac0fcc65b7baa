"""The process in which native libraries draw and typeset. It is run as a file and asked a JSON line at a time.

Where one of them ends its process (a panic, a broken library), the program that asked goes on. It imports nothing of
stend, so that it is there in a moment.
"""

import json
import os
import sys
from typing import Any


def svg(spec: str) -> str:
    """A chart's specification (Vega-Lite JSON) as SVG."""
    import vl_convert

    made: str = vl_convert.vegalite_to_svg(spec)
    return made


def pdf(source: str) -> str:
    """Typesets a Typst file; where the PDF is, beside it."""
    import typst

    into = source.removesuffix(".typ") + ".pdf"
    typst.compile(source, output=into, root=os.path.dirname(source))
    return into


WORK = {"svg": svg, "pdf": pdf}


def main() -> None:
    """Answer each line [kind of work, what to work on] with [what came of it, what went wrong]."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # a library's own words are no answers
    for line in sys.stdin:
        answers.write(json.dumps(_answer(*json.loads(line))) + "\n")
        answers.flush()


def _answer(kind: str, given: str) -> tuple[Any, str]:
    try:
        return WORK[kind](given), ""
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a native panic is no Exception
        return "", f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
