"""The terminal prints the answer of each test in the words of its report."""

from pathlib import Path

import pytest

from stend import findings, store, suite
from stend.cli import main
from stend.report.parts import Text
from stend.report.story import headline, telling
from stend.report.story.page_one import after, sentence
from stend.sentences import findings_said
from stend.words import Language
from tests import pictures, synthetic

NOWHERE = Path("/nonexistent")


@pytest.mark.parametrize("lang", ["en", "ru"])
@pytest.mark.parametrize("name", suite.names())
def test_every_test_has_its_answer_on_the_terminal(name: str, lang: str) -> None:
    run, words = pictures.run_of(name), Language(lang)
    told, title = headline.headline(NOWHERE, run, lang), words.title(name, run.plan.test(name).title)
    page = telling.story([(None, run, {})], [], lang)
    texts = [block.text for part in page.sections for block in part.blocks if isinstance(block, Text)]
    texts += [sentence(text) for text in findings_said(list(findings.find(run)), words)]
    for answer in told.answers:
        assert any(after(title, text).startswith(answer) for text in texts), answer
    assert told.answers or any(told.verdict in text for text in texts)


def test_each_test_of_a_question_has_its_own_answer() -> None:
    """One chapter answers both tests, and its first sentence is about one of them."""
    run = synthetic.made("iops", "throughput", interval_s=10.0, shorten=60, rounds=5)
    iops, throughput = headline.headline(NOWHERE, run).answers
    assert iops.startswith("IOPS: random reads of 4 KiB reach ")
    assert throughput.startswith("Throughput: ")
    assert "sequential reads run at" in throughput


def test_the_answer_is_printed_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    words = ["run", "headroom", "--target", "sim:small", "--quick", "--trace", "example", "--into", str(folder)]
    printed = []
    for typed in (words, ["show", str(folder)]):
        assert main(typed) == 0
        printed.append(capsys.readouterr().out.replace("\u00a0", " "))
    (answer,) = headline.headline(folder, store.load(folder)).answers
    assert answer.startswith("Saturation Headroom: this trace can run at ")
    assert [out.count(answer.replace("\u00a0", " ")) for out in printed] == [1, 1]
