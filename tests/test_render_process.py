"""The process that draws answers each line with one line, whatever a library prints or raises."""

import json
import subprocess
import sys

import pypdfium2
import pytest
import vl_convert

from stend.base import render_process

NOISY = """
import os, sys
from stend.base import render_process
def noisy(given):
    print("a library prints")
    os.write(1, b"and writes\\n")
    if given == "panic":
        raise BaseException("panicked")
    return given.upper()
render_process.WORK = {"svg": noisy}
render_process.main()
"""


def test_each_line_has_one_answer_in_order_and_no_output_of_a_library_is_among_them() -> None:
    asked = [["svg", "first"], ["svg", "panic"], ["gif", "x"], ["svg", "é\nlast"]]
    lines = "".join(json.dumps(line) + "\n" for line in asked)
    done = subprocess.run([sys.executable, "-c", NOISY], input=lines, capture_output=True, text=True, check=True)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        ["FIRST", ""],
        ["", "BaseException: panicked"],
        ["", "KeyError: 'gif'"],
        ["É\nLAST", ""],
    ]
    assert done.stderr.count("a library prints") == done.stderr.count("and writes") == 3


def test_an_answer_comes_before_the_next_request() -> None:
    program = [sys.executable, "-c", NOISY]
    with subprocess.Popen(program, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        assert process.stdin
        assert process.stdout
        for word in ("one", "two"):
            process.stdin.write(json.dumps(["svg", word]).encode() + b"\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline()) == [word.upper(), ""]
        process.stdin.close()


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_a_request_to_end_is_no_answer(end: type[BaseException], monkeypatch: pytest.MonkeyPatch) -> None:
    def ended(given: str) -> str:
        raise end

    monkeypatch.setattr(render_process, "WORK", {"svg": ended})
    with pytest.raises(end):
        render_process._answer("svg", "")


@pytest.mark.parametrize(("width", "height"), [(320, 140), (301.5, 77.25), (90, 900)])
def test_an_empty_page_takes_the_place_of_a_drawing_in_a_layout(width: float, height: float) -> None:
    drawing = f'<svg xmlns="http://www.w3.org/2000/svg" version="1.1" width="{width}" height="{height}"><g/></svg>'
    empty, drawn = (
        pypdfium2.PdfDocument(content)[0].get_size()
        for content in (render_process._empty_page(*render_process.size(drawing)), vl_convert.svg_to_pdf(drawing))
    )
    assert empty[0] / empty[1] == pytest.approx(drawn[0] / drawn[1], rel=1e-3)
    assert empty[0] / empty[1] == pytest.approx(width / height, rel=1e-3)


def test_the_table_of_an_empty_page_has_the_place_of_each_object() -> None:
    """ISO 32000-1, 7.5.4: entries of 20 bytes, the first of a free object; `startxref` is the place of the table."""
    page = render_process._empty_page(320, 140)
    place = int(page.split(b"startxref\n")[1].split(b"\n")[0])
    assert page[place:].startswith(b"xref\n0 4\n0000000000 65535 f \n")
    first = place + len(b"xref\n0 4\n")
    entries = [page[at : at + 20] for at in range(first, first + 4 * 20, 20)]
    for number, entry in enumerate(entries[1:], 1):
        assert entry[10:] == b" 00000 n \n"
        assert page[int(entry[:10]) :].startswith(b"%d 0 obj\n<<" % number)
    assert page[first + 80 :].startswith(b"trailer\n<< /Size 4 /Root 1 0 R >>")
