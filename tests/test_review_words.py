"""Words of a review: rounding after "about", one word for one thing, commands that no line breaks."""

from pathlib import Path

import pypdfium2
import pytest
import typst

from stend.findings import Finding
from stend.model.events import Note
from stend.report.parts import Items
from stend.report.parts.markup import environment, template_text
from stend.report.parts.method import method_section
from stend.report.story.because import because
from stend.words import LANGUAGES, Language, Sentence
from tests.synthetic import made


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (59.6, "1\u00a0min"),
        (95.0, "1\u00a0min 35\u00a0s"),
        (1117.0, "19\u00a0min"),
        (2842.0, "47\u00a0min"),
        (7100.0, "1\u00a0h 58\u00a0min"),
        (17_880.0, "5\u00a0h"),
        (21_540.0, "6\u00a0h"),
        (9300.0, "2\u00a0h 40\u00a0min"),
    ],
)
def test_a_time_after_about_has_no_seconds_from_ten_minutes_on_and_no_single_minutes_from_two_hours_on(
    seconds: float, shown: str
) -> None:
    text = Language("en")("question.saturation.answer_7", knee_s=seconds, knee_bytes=2**40)
    assert f"about {shown} and" in text


@pytest.mark.parametrize("lang", LANGUAGES)
def test_no_line_of_a_page_ends_within_an_option_and_its_text_can_be_copied(lang: str) -> None:
    text = Language(lang)("story.protocol")
    shown = environment().from_string("{{ text | whole }}").render(text=text)
    assert '<span class="whole">--style</span> pts' in shown
    plain = shown.replace('<span class="whole">', "").replace("</span>", "")
    assert plain.replace("\u00a0", " ") == text, "a dash does not begin a line, and no line ends after one letter"
    assert ("\u00a0— " in plain) == (" — " in text)
    assert ("в\u00a0" in plain) == ("в " in text)
    assert environment().from_string("{{ text | whole }}").render(text="<b>--a</b>").startswith("&lt;b&gt;<span")


def test_no_line_of_a_pdf_ends_within_an_option(tmp_path: Path) -> None:
    text = '#"it shows ten; a smaller ?scale= shows more, and stend report --style pts shows all rounds"'
    blocks = "".join(f"#block(width: {width}mm)[{text}]\n" for width in range(30, 70))
    rule = next(line for line in template_text("page.typ").splitlines() if line.startswith('#show regex("--'))

    def ends(source: str) -> set[str]:
        (tmp_path / "page.typ").write_text(source)
        document = pypdfium2.PdfDocument(typst.compile(tmp_path / "page.typ"))
        return {line[-1:] for page in document for line in page.get_textpage().get_text_range().splitlines()}

    assert "?" in ends(blocks)
    assert not {"?", "-"} & ends(f"{rule}\n{blocks}")


def test_deviations_have_one_name_in_russian() -> None:
    words = Language("ru")
    names = [words(f"departure.{key}", spec="1.1", test="iops") for key in ("title", "all", "of")]
    assert all("тклонения" in name for name in (*names, words("page.method"), words("page.deviations")))


def test_a_cell_of_the_best_drive_states_a_difference() -> None:
    assert Language("en")("together.close_of_two") == "at most 10% apart"
    assert Language("ru")("together.close", names=["A", "B"]) == "A, B, разница не больше 10 %"


def test_the_start_of_a_saturation_is_not_named_as_the_best_minute_of_another_test() -> None:
    assert "start at 288,000" in Language("en")("reason.start.pass", start=288_000.0)


def test_a_state_that_the_drive_cannot_take_is_a_deviation_from_the_profile() -> None:
    run = made("fresh", shorten=60)
    run.notes = [Note(t=0.0, text=Sentence("cache_left_off")), Note(t=0.0, text=Sentence("saving_none"))]
    items = [block for block in method_section(run, {}, {}, Language("en")).blocks if isinstance(block, Items)]
    deviations, notes = ([item.text for item in block.items] for block in items)
    assert any("the state of the write cache is unknown" in text for text in deviations)
    assert notes == [Sentence("saving_none")]


def test_a_sentence_of_a_cause_names_its_load_in_words() -> None:
    found = Finding(name="cause", key="full", test="profiles", values={"load": "RND 64K 67/33", "enough": 32})
    text = because([found], ("profiles",), Language("en"))
    assert text.startswith("Beyond 32 outstanding IOs (random mix 67/33, 64\u00a0KiB) the rate")


@pytest.mark.parametrize(("lang", "ending"), [("en", "after the fill"), ("ru", "после заполнения")])
def test_a_figure_after_the_fill_is_not_named_as_the_second_write_of_a_full_drive(lang: str, ending: str) -> None:
    words = Language(lang)
    assert all(words(f"figure_name.{key}").endswith(ending) for key in ("seq_write", "writes_filled"))
    assert ending not in words("beside.full", name="drive")
