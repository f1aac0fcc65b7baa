"""A folder of runs as they lie there while others look on."""

import shutil
from pathlib import Path

from stend.cli import main


def whole_and_cut(top: Path) -> Path:
    """`whole`, which came to its end, and `cut`, of which half was written when its process went."""
    asked = ["run", "latency", "--target", "sim:small", "--quick", "--seed", "7", "--into"]
    assert main([*asked, str(top / "whole")]) == 0
    shutil.copytree(top / "whole", top / "cut")
    lines = (top / "cut/events.jsonl").read_bytes().splitlines(keepends=True)
    (top / "cut/events.jsonl").write_bytes(b"".join(lines[: len(lines) // 2]))
    return top
