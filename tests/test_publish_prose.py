"""The Markdown of a review, without a site: lines of errors below a head, chapters, photographs, links."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend.base.errors import BadInput
from stend.publish import prose

HEAD = "+++\ntitle = 'x'\nphotographs = ['a.png']\n+++\n"
"""Four lines."""


def figure(name: str) -> tuple[str, str]:
    if name == "gone":
        raise KeyError("there is no figure {gone}")
    return f"<{name}>", "#run"


def written(folder: Path, text: str, name: str = "review.md") -> prose.Written:
    (folder / name).write_bytes(text.encode())
    for photo in ("a.png", "b.jpeg"):
        (folder / photo).write_bytes(b"")
    sample: Any = SimpleNamespace(folder=folder)
    read = prose.read(sample, "en", figure, "../photos/me-")
    assert read
    return read


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("{gone}", "line 1"), ("one\ntwo {gone}", "line 2"), ("# a\n\n# b\n{gone}\n", "line 4"),
        (f"{HEAD}{{gone}}", "line 5"), (f"{HEAD}\n# a\none\n{{gone}}", "line 8"),
        (f"{HEAD}![x](no.png)", "line 5"), (f"{HEAD}one\n# a\n\ntwo\n\n![x](no.png)", "line 10"),
        ("![x](no.png)", "line 1"), ("# a\n![x](no.png)", "line 2"),
        ("+++\ntitle = 'x'\nverdict = '{gone}'\n+++\n", "verdict"),
        ("+++\ntitle = 'x'\nsize = 1\n+++\n", "line 3"), ("+++\n+ x\n", "line 1"),
        ("+++\ntitle = 'x'\nauthor = \n+++\n", "line 3"),
    ],
)  # fmt: skip
def test_an_error_names_the_line_of_the_file_with_its_head(text: str, place: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as error:
        written(tmp_path, text)
    assert str(error.value).startswith(f"{tmp_path / 'review.md'}, {place}: ")


def test_text_is_in_chapters_by_their_headings_and_empty_ones_are_none(tmp_path: Path) -> None:
    read = written(tmp_path, f"{HEAD}First {{n}}.\n\n#  A  \n\n# B\nText\n## Below\n\\{{n}}\n#c\n")
    assert read.head.title == "x"
    assert read.chapters == (
        ("", '<p>First <a href="#run">&lt;n&gt;</a>.</p>\n'),
        ("B", "<p>Text</p>\n<h3>Below</h3>\n<p>{n}\n#c</p>\n"),
    )
    assert written(tmp_path, "One\r\n\r\n# Two\r\nThree\r\n").chapters == (
        ("", "<p>One</p>\n"),
        ("Two", "<p>Three</p>\n"),
    )


def test_without_a_head_the_first_line_is_text(tmp_path: Path) -> None:
    read = written(tmp_path, "Text\n+++\n")
    assert (read.head, read.photographs) == (prose.Head(), ())
    assert read.chapters[0][1].startswith("<p>Text")


def test_photographs_are_those_of_the_head_and_of_the_text_each_once(tmp_path: Path) -> None:
    read = written(tmp_path, f"{HEAD}![Front](b.jpeg) ![Again](a.png)\n")
    assert [path.name for path in read.photographs] == ["a.png", "b.jpeg"]
    assert read.chapters[0][1] == (
        '<p><img src="../photos/me-b.jpeg" alt="Front" loading="lazy" /> '
        '<img src="../photos/me-a.png" alt="Again" loading="lazy" /></p>\n'
    )


def test_links_leave_the_site_without_its_credit_and_markup_is_text(tmp_path: Path) -> None:
    read = written(tmp_path, "[a](https://x.example) [b](#top) <b>x</b> https://y.example\n\n| a |\n|---|\n| 1 |\n")
    (html,) = (html for _, html in read.chapters)
    assert '<a href="https://x.example" rel="noopener noreferrer nofollow">a</a>' in html
    assert '<a href="#top">b</a>' in html
    assert "&lt;b&gt;x&lt;/b&gt; https://y.example</p>" in html
    assert "<table>" in html


def test_the_verdict_has_figures_without_links(tmp_path: Path) -> None:
    assert written(tmp_path, "+++\nverdict = 'At {n}.'\n+++\n").head.verdict == "At <n>."


def test_the_text_of_a_language_comes_before_the_text_of_all(tmp_path: Path) -> None:
    written(tmp_path, "all")
    assert written(tmp_path, "english", "review.en.md").chapters == (("", "<p>english</p>\n"),)
    (tmp_path / "review.md").write_bytes(b"\xff")
    assert written(tmp_path, "english", "review.en.md").chapters
    (tmp_path / "review.en.md").unlink()
    sample: Any = SimpleNamespace(folder=tmp_path)
    with pytest.raises(BadInput, match=r"review\.md is not UTF-8 text"):
        prose.read(sample, "en", figure, "")
    (tmp_path / "review.md").unlink()
    assert prose.read(sample, "en", figure, "") is None


@pytest.mark.parametrize("name", ["../a.png", "a.gif", "a", "/etc/passwd.png", "no.png"])
def test_a_photograph_is_a_png_or_jpeg_beside_the_review(name: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="the photograph"):
        written(tmp_path, f"+++\nphotographs = ['{name}']\n+++\n")
