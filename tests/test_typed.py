"""A command in a message can be copied to a shell: what stands in it for a path is quoted."""

import ast
import re
import shlex
from pathlib import Path

import pytest

from stend.base.text import typed

OLD = ("_grammar.OLD_SCHEMAS[name]", "_grammar.OLD_VERBS[words[0]]")
FLEET = ("action", "more")
SOURCES = sorted(Path(__file__).parents[1].joinpath("src/stend").rglob("*.py"))
WORDS = {"word", "name", "pct:.3g", "view", "named", "words[0]", "last.verb", "owner.verb", "meant", *OLD, *FLEET}
"""Values in commands that are no paths: names of verbs, tests and schemas, numbers, and texts quoted already."""


def unquoted(source: str) -> list[str]:
    """Return the values of commands in messages (text between backticks after `stend`) that are not quoted."""
    wrong = list[str]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            text = "".join(
                str(part.value) if isinstance(part, ast.Constant) else f"\0{ast.unparse(ast.JoinedStr([part]))[3:-2]}\0"
                for part in node.values
            )
            for command in re.findall(r"`(stend [^`]*)`", text):
                values = re.findall(r"\0([^\0]*)\0", command)
                wrong += [v for v in values if v not in WORDS and not re.match(r"typed\(|shlex\.(quote|join)\(", v)]
    return wrong


def test_every_path_in_a_command_is_quoted() -> None:
    found = [(path.name, value) for path in SOURCES for value in unquoted(path.read_text())]
    assert found == []


@pytest.mark.parametrize("path", ["my runs", "р 'один'", 'a"b', "$HOME", "a;b", "runs/first"])
def test_a_quoted_path_is_one_word_again(path: str) -> None:
    assert shlex.split(f"stend report {typed(Path(path))}") == ["stend", "report", path]


def test_a_command_without_quotes_is_found() -> None:
    assert unquoted('f"{a}; `stend report {folder}` and `stend show {typed(b)}`"') == ["folder"]
