"""The grammar of the command line, over the whole tree of verbs: a name means the same wherever it occurs."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stend import cli, report
from stend.cli import _grammar, _options, main
from tests.imported import SAMPLES

Tree = dict[str, Any]
WIDTH = 80
RUNS = {"show", "report", "verify", "watch", "resume"}
"""Verbs whose argument is a run, the last one if none is named."""
TAKE_RUNS = RUNS | {"compare", "lot", "list", "query", "serve"}
LANGUAGES = {"report", "compare", "lot", "sweep", "trace show"}
HAVE: dict[str, set[str]] = {
    "--target": {"run", "plan", "repeat", "purge", "provision", "host", "fleet worker", "fleet drives", "fleet carry"},
    "--into": {"run", "repeat", "import", "inspect", "publish", "fleet worker", *LANGUAGES},
    "--format": LANGUAGES,
    "--lang": {"inspect", *LANGUAGES},
    "--json": {
        "show",
        "list",
        "query",
        "verify",
        "compare",
        "lot",
        "devices",
        "inspect",
        "host",
        "trace show",
        "tests",
        "plan",
        "doctor",
    },
    "--label": {"run", "repeat", "import", "inspect"},
    "--detach": {"run", "repeat", "resume", "inspect"},
    "--where": {"list", "compare", "lot", "query", "serve"},
    "--seed": {"run", "plan", "repeat", "inspect"},
    "--destroy-data": {"run", "repeat", "resume", "purge", "provision"},
    "--anyway": {"compare", "lot"},
}
"""The verbs that have an option which more than one can have."""


@pytest.fixture(scope="module")
def tree() -> Tree:
    """Each verb and each action by the words that call it."""
    top = cli.application()
    every = dict(top.commands)
    for name, verb in top.commands.items():
        every |= {f"{name} {action}": command for action, command in getattr(verb, "commands", {}).items()}
    return every


def options(command: Any) -> Iterator[tuple[str, Any]]:
    for one in command.params:
        if one.param_type_name == "option" and not one.hidden and one.name != "help":
            yield max(one.opts, key=len), one


def arguments(command: Any) -> Iterator[tuple[str, Any]]:
    for one in command.params:
        if one.param_type_name == "argument":
            yield re.sub(r"[\[\]]", "", one.metavar or one.name), one


def meaning(parameter: Any) -> str:
    """What it is; after the first semicolon or bracket come defaults and how often it may be given."""
    return str(re.split(r"[;(]", parameter.help)[0].rstrip(". "))


def fingerprint(option: Any) -> tuple[Any, ...]:
    kind = option.type
    limits = (getattr(kind, "min", None), getattr(kind, "max", None))
    return meaning(option), option.metavar, option.is_flag, tuple(sorted(option.opts)), kind.name, limits


def test_each_verb_is_in_one_group_and_its_help_is_one_whole_line(capsys: pytest.CaptureFixture[str]) -> None:
    listed = [name for names in _grammar.GROUPS.values() for name in names]
    assert sorted(listed) == sorted(cli.application().commands)
    assert main(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    for name, verb in cli.application().commands.items():
        (line,) = [line for line in lines if line.startswith(f"  {name} ")]
        assert len(line) <= WIDTH
        assert line.split(maxsplit=1)[1] == verb.help.split("\n\n")[0].partition(". ")[0].rstrip(".") + "."
    assert [title for title in _grammar.GROUPS if f"{title}:" not in lines] == []


def test_actions_have_whole_lines_too(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    for group in ("trace", "fleet"):
        assert main([group, "--help"]) == 0
        out = capsys.readouterr().out
        assert "..." not in out.partition("Actions:")[2]
        assert all(f"  {name} " in out for name, command in tree[group].commands.items() if not command.hidden)


def test_an_option_means_the_same_in_every_verb(tree: Tree) -> None:
    seen: dict[str, dict[Any, list[str]]] = defaultdict(lambda: defaultdict(list))
    for verb, command in tree.items():
        for name, option in options(command):
            seen[name][fingerprint(option)].append(verb)
    assert {name: dict(prints) for name, prints in seen.items() if len(prints) > 1} == {}
    assert len(seen) > 60


def test_one_meaning_has_one_name(tree: Tree) -> None:
    names = defaultdict(set)
    for command in tree.values():
        for name, parameter in (*options(command), *arguments(command)):
            names[meaning(parameter)].add(name.removesuffix("..."))
    assert {what: every for what, every in names.items() if len(every) > 1} == {}


def test_an_argument_means_the_same_in_every_verb(tree: Tree) -> None:
    meanings = defaultdict(set)
    for command in tree.values():
        for name, argument in arguments(command):
            meanings[name].add(meaning(argument))
    assert {name: every for name, every in meanings.items() if len(every) > 1} == {}


def test_the_table_of_options_is_kept(tree: Tree) -> None:
    for name, verbs in HAVE.items():
        assert {verb for verb, command in tree.items() if name in dict(options(command))} == verbs, name


def test_help_says_what_may_be_given_twice(tree: Tree) -> None:
    for verb, command in tree.items():
        for name, option in options(command):
            said = any(word in option.help for word in ("repeated", "twice", "each"))
            assert option.multiple <= said, (verb, name)


def test_every_value_has_a_name_of_ours_and_no_default_is_said_twice(
    tree: Tree, capsys: pytest.CaptureFixture[str]
) -> None:
    for verb, command in tree.items():
        assert [name for name, one in options(command) if not one.is_flag and not one.metavar] == [], verb
        assert main([*verb.split(), "--help"]) == 0
        out = capsys.readouterr().out
        assert re.findall(r"<=x|x<=|x>=|INTEGER|TEXT\b.*TEXT|<\w+>|\{[A-Z]", out) == [], verb
        assert max(map(len, out.splitlines())) <= WIDTH
        entries = re.split(r"\n  (?=\S)", out)
        assert [entry for entry in entries if len(re.findall(r"\bdefault\b", entry)) > 1] == [], verb


def test_verbs_that_take_tests_have_the_same_changes(tree: Tree) -> None:
    takers = {verb: dict(options(tree[verb])) for verb in ("run", "plan", "repeat")}
    assert [verb for verb, command in tree.items() if "TEST..." in dict(arguments(command))] == [
        "plan",
        "repeat",
        "run",
    ]
    only = {"--together", "--trial", "--create", "--fio", "--sooner", "--json"}
    writing = {"--into", "--destroy-data", "--overwrite-file", "--label", "--detach", "--meter"}
    assert {*takers["run"]} ^ {*takers["repeat"]} <= only
    assert {*takers["run"]} ^ {*takers["plan"]} <= only | writing
    for name in takers["plan"].keys() & takers["run"].keys():
        assert takers["plan"][name].help == takers["run"][name].help == takers["repeat"][name].help


def test_runs_are_named_alike_where_there_are_runs(tree: Tree) -> None:
    for verb in TAKE_RUNS:
        (argument,) = [one for name, one in arguments(tree[verb]) if name in ("RUN", "RUN...", "RUNS", "A... -- B...")]
        assert "a folder, part of the name of a run in runs/, or last" in argument.help
        assert not argument.required
    for verb in RUNS:
        assert any("(the default)" in one.help for name, one in arguments(tree[verb]) if name.startswith("RUN"))


def test_former_names_lead_to_names_there_are(tree: Tree) -> None:
    for verb, renamed in _grammar.OLD_OPTIONS.items():
        known = dict(options(tree[verb]))
        for old, new in renamed.items():
            assert new in known, (verb, new)
            assert old not in known, (verb, old)
    for old, verb in _grammar.OLD_VERBS.items():
        assert verb in tree
        assert old not in tree


def test_words_of_other_tools_lead_to_names_there_are(tree: Tree) -> None:
    words = [word for every in _grammar.VERBS.values() for word in every] + [*_grammar.NO_VERB]
    assert len(words) == len(set(words))
    assert set(_grammar.VERBS) <= set(tree)
    assert set(words) & {*tree, *_grammar.OLD_VERBS} == set()
    ours = {name for command in tree.values() for name, _ in options(command)}
    assert {*_grammar.OPTIONS} <= ours


def test_former_names_still_work_and_say_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    sample = str(SAMPLES / "fio-3.42.json")
    assert main(["import", sample, "--to=there"]) == 0
    said = capsys.readouterr()
    assert said.err == "stend: --to is now --into; the old name works until version 0.2\n"
    assert len(list(Path("there").iterdir())) == 1
    assert main(["prepare", "--target", "sim:small"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "stend: `stend prepare` is now `stend provision`; the old name works until version 0.2",
        "stend: no change requested; give --lba-bytes, --capacity or --restore",
    ]


def test_help_is_a_word_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["help", "trace", "show"]) == 0
    assert capsys.readouterr().out.startswith("Usage: stend trace show ")
    assert main(["show", "--help"]) == 0
    assert "Exit codes" not in capsys.readouterr().out


def test_the_formats_of_a_report_are_those_there_are() -> None:
    assert sorted(_options.REPORTS) == report.formats()
