"""The Markdown of a review, without a site: lines of errors below a head, chapters, photographs, links."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from stend.base.errors import BadInput
from stend.many.sides import Key
from stend.publish import prose
from stend.publish.figures import Row

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
        ("+++\ntitle = 'x'\nauthor = \n+++\n", "line 3"), ("+++\ntitle = 'x'\nauthor = 7\n+++\n", "line 3"),
        ("+++\nphotographs = ['a.png']\ndate = 'now'\n+++\n", "line 3"),
        ("+++\ntitle = 'x'\nphotographs = [7]\n+++\n", "line 3"),
        (f"+++\n\ntitle = {'[' * 5000}{']' * 5000}\n+++\n", "line 1"),
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


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../a.png", "must be the name of a PNG or JPEG file beside the review"),
        ("a.gif", "must be the name of a PNG or JPEG file beside the review"),
        ("a", "must be the name of a PNG or JPEG file beside the review"),
        ("/etc/passwd.png", "must be the name of a PNG or JPEG file beside the review"),
        ("no.png", "is not a file beside the review"),
    ],
)
def test_a_photograph_is_a_png_or_jpeg_beside_the_review(name: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput) as error:
        written(tmp_path, f"+++\nphotographs = ['{name}']\n+++\n")
    assert str(error.value) == f"the photograph {name!r} {reason}"


def row(test: str, block: str, read_pct: int, quantity: str, *, state: str = "window", way: str = "both") -> Row:
    key = Key(test, "rounds", state, 100, read_pct, block, 4, 32, 1, way)
    return Row("|".join(map(str, (*key, quantity))), key, quantity, 1.0)


ROWS = [
    row("iops", "4K", 0, "iops"), row("iops", "4K", 0, "mean"), row("iops", "4K", 100, "iops"),
    row("iops", "4K", 100, "mean"), row("iops", "8K", 65, "iops"), row("iops", "8K", 65, "iops", way="read"),
    row("iops", "8K", 65, "iops", way="write"), row("write-saturation", "4K", 0, "iops"),
    row("write-saturation", "4K", 0, "iops", state="saturated"), row("fresh", "4K", 0, "iops", state="fresh"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("reference", "found"),
    [
        ("writes", "a key figure"),
        ("iops.4k.write", "iops 4K 0 both window iops"), ("iops.4k.writes.iops", "iops 4K 0 both window iops"),
        ("iops.4k.write.mean", "iops 4K 0 both window mean"), ("iops.4k.read.mean", "iops 4K 100 both window mean"),
        ("iops.8k", "iops 8K 65 both window iops"), ("iops.8k.read", "iops 8K 65 read window iops"),
        ("iops.8k.65_35.writes", "iops 8K 65 write window iops"), ("iops.100/0.iops", "iops 4K 100 both window iops"),
        ("write-saturation", "write-saturation 4K 0 both window iops"),
        ("write-saturation.saturated", "write-saturation 4K 0 both saturated iops"),
        ("fresh.iops", "fresh 4K 0 both fresh iops"),
        ("iops", "{iops} is 3 figures (RND 4K 0/100 T4 Q32 window; RND 4K 100/0 T4 Q32 window; "
                 "RND 8K 65/35 T4 Q32 window); add words, such as a mix (65/35)"),
        ("iops.16k", "{iops.16k} fits no figure of the run"),
        ("fresh.mean", "{fresh.mean} fits no figure of the run"),
        ("iosp.4k", "there is no figure {iosp.4k}; did you mean 'iops'?"),
        ("nothing.at.all", "there is no figure {nothing.at.all}; the run has writes, iops, write-saturation, fresh"),
    ],
)  # fmt: skip
def test_a_reference_is_the_one_figure_that_its_words_fit(reference: str, found: str) -> None:
    """A reader expects the state after preconditioning, both directions, and reads alone before those of a mix."""

    def shown(row: Row) -> str:
        return f"{row.key.test} {row.key.block} {row.key.read_pct} {row.key.direction} {row.key.state} {row.quantity}"

    find = prose.resolver(ROWS, {"writes": {"shown": "a key figure"}}, shown, "#run")
    if not found.startswith(("{", "there is no")):
        assert find(reference) == (found, "#run")
        return
    with pytest.raises(KeyError) as error:
        find(reference)
    assert error.value.args == (found,)


def test_an_ambiguous_reference_names_four_of_its_figures() -> None:
    many = [row("iops", f"{size}K", 0, "iops") for size in (4, 8, 16, 32, 64)]
    find = prose.resolver(many, {}, str, "")
    with pytest.raises(
        KeyError, match=r"is 5 figures \(RND 4K [^;]*; RND 8K [^;]*; RND 16K [^;]*; RND 32K [^;]*\); add"
    ):
        find("iops")
