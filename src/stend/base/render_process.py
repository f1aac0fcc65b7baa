"""Draw and typeset with native libraries in a separate process, which reads and answers JSON lines.

If a library ends this process (a panic, a broken library), the program that started it continues. The module imports
nothing of stend, so that the process starts quickly.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any


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


def layout(source: str) -> str:
    """Lay out a Typst file, and return a list of the values that it marks with `<again>`, as JSON.

    Each drawing in its folder is replaced by an empty page of its size, which has the same place.
    """
    import typst

    for drawing in Path(source).parent.glob("*.svg"):
        width, height = size(drawing.read_text(encoding="utf-8"))
        drawing.with_suffix(".pdf").write_bytes(_empty_page(width, height))
    marked: str = typst.Compiler(source, root=os.path.dirname(source)).query("<again>", field="value")
    return marked


def pdf(source: str) -> str:
    """Typeset a Typst file, and return the path of the PDF in the same folder.

    Each drawing in that folder becomes a PDF first, which holds the font that its layout was computed for. Typst
    would draw its text in a font of this host, whose letters can be wider.
    """
    import typst
    import vl_convert

    for drawing in Path(source).parent.glob("*.svg"):
        drawing.with_suffix(".pdf").write_bytes(vl_convert.svg_to_pdf(drawing.read_text(encoding="utf-8")))
    into = source.removesuffix(".typ") + ".pdf"
    typst.Compiler(source, root=os.path.dirname(source)).compile(output=into)
    return into


def size(drawing: str) -> tuple[float, float]:
    """Return the width and the height of an SVG in pixels."""
    head = drawing[: drawing.index(">")]
    width, height = (float(re.search(rf'\b{name}="([\d.]+)"', head)[1]) for name in ("width", "height"))  # type: ignore[index]
    return width, height


def _empty_page(width: float, height: float) -> bytes:
    """Return a PDF of one empty page of this size, in points (ISO 32000-1, 7.5)."""
    objects = (
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:g} {height:g}] >>",
    )
    text, places = "%PDF-1.4\n", list[int]()
    for number, content in enumerate(objects, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    end = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(text)}\n%%EOF\n"
    return f"{text}xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{end}".encode("ascii")


WORK = {"svg": svg, "png": png, "layout": layout, "pdf": pdf}


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
