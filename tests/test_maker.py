"""A maker's own command has named places and nothing else: no attribute, no number, no empty word gets through."""

import pytest

from stend.base import checked
from stend.base.errors import BadInput
from stend.cli import main

PLACES = {"node": "/dev/nvme0n1", "controller": "/dev/nvme0", "serial": "S 1; rm -rf /"}


@pytest.mark.parametrize(
    "template",
    [
        *("{0}", "{", "}", "{}", "", " ", "{node.__class__}", "{node[0]}", "{node!r}", "{node:>99}", "{Node}"),
        *("{ node }", "{{node}}", "wipe {node} {", "{serial.__init__.__globals__}", "{node}{", "%s {path}"),
    ],
)  # fmt: skip
def test_what_is_no_place_is_refused_before_any_drive_is_looked_at(
    template: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BadInput, match=r"is not a placeholder; use \{node\}|is empty; write"):
        checked.checked(template, "--command")
    assert main(["purge", "--target", "/dev/nosuchdrive", "--command", template]) == 2
    assert "--command" in capsys.readouterr().err


def test_what_is_filled_in_stays_one_word_and_is_not_filled_again() -> None:
    told = checked.checked("wipe {node} --on={controller} {serial}", "--command")
    assert checked.words(told, **PLACES) == ("wipe", "/dev/nvme0n1", "--on=/dev/nvme0", "S 1; rm -rf /")
    assert checked.words("wipe {serial}", **PLACES | {"serial": "{node}"}) == ("wipe", "{node}")
