"""Draw and typeset with native libraries in a separate process, which reads and answers JSON lines.

If a library ends this process (a panic, a broken library), the program that started it continues. The module imports
nothing of stend, so that the process starts quickly.
"""

import json
import os
import sys
from pathlib import Path
from typing import Any

MARKED = "marked.json"


def svg(spec: str) -> str:
    """Return a chart's specification (Vega-Lite JSON) as SVG."""
    import vl_convert

    made: str = vl_convert.vegalite_to_svg(spec)
    return made


def png(spec: str) -> str:
    """Return a chart's specification (Vega-Lite JSON) as PNG, twice as fine, in base64."""
    import base64

    import vl_convert

    return base64.b64encode(vl_convert.vegalite_to_png(spec, scale=2)).decode()


def pdf(source: str) -> str:
    """Typeset a Typst file, and return the path of the PDF in the same folder.

    Each drawing in that folder becomes a PDF first, which holds the font that its layout was computed for. Typst
    would draw its text in a font of this host, whose letters can be wider. A list of the values that the file marks
    with `<again>` is stored in `MARKED`.
    """
    import typst
    import vl_convert

    for drawing in Path(source).parent.glob("*.svg"):
        drawing.with_suffix(".pdf").write_bytes(vl_convert.svg_to_pdf(drawing.read_text(encoding="utf-8")))
        drawing.unlink()
    into = source.removesuffix(".typ") + ".pdf"
    compiler = typst.Compiler(source, root=os.path.dirname(source))
    compiler.compile(output=into)
    Path(source).with_name(MARKED).write_text(compiler.query("<again>", field="value"), encoding="utf-8")
    return into


WORK = {"svg": svg, "png": png, "pdf": pdf}


def main() -> None:
    """Answer each line [kind of work, input] with [result, error]."""
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # output of a library must not mix with the answers
    for line in sys.stdin:
        answers.write(json.dumps(_answer(*json.loads(line))) + "\n")
        answers.flush()


def _answer(kind: str, given: str) -> tuple[Any, str]:
    try:
        return WORK[kind](given), ""
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a native panic is not an Exception
        return "", f"{type(error).__name__}: {error}"


if __name__ == "__main__":
    main()
