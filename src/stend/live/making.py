"""Pages and data that take long: a separate process makes each once and keeps the server small."""

import asyncio
import hashlib
import json
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stend.base.errors import BadInput, StendError

INDEX = "index.json"
"""The file that a program of this package writes last."""


def run_program(make: Callable[[Path, str, list[Path]], Any]) -> int:
    """Run a program `INTO LANG FOLDER...` and write what `make` returns as INDEX, by an atomic rename.

    Return 0, or print the reason and return 1.
    """
    into, lang, *folders = sys.argv[1:]
    try:
        text = json.dumps(make(Path(into), lang, [Path(folder) for folder in folders]), ensure_ascii=False)
        part = Path(into, "index.part")
        part.write_text(text, encoding="utf-8")
        part.rename(Path(into, INDEX))
    except (StendError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


class Maker:
    """A queue that makes files in a temporary folder, one at a time, because runs may be measured on this host."""

    def __init__(self) -> None:
        self.top = Path()
        self.turn = asyncio.Semaphore(1)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Keep the temporary folder while the server runs."""
        with tempfile.TemporaryDirectory(prefix="stend-live-") as place:
            self.top = Path(place)
            yield

    async def made(self, key: object, mark: str, module: str, *words: str | Path) -> Path:
        """Return the folder with the files of `key`; make them with `python -m module FOLDER words` if needed.

        `mark` is the file that the program writes last. Raise BadInput with the program's last line if it fails.
        """
        place = self.top / hashlib.blake2b(repr(key).encode(), digest_size=16).hexdigest()
        async with self.turn:
            if not (place / mark).exists():
                place.mkdir(exist_ok=True)
                await _run(
                    [sys.executable, "-m", module, *(str(place) if word == "INTO" else str(word) for word in words)]
                )
        return place


async def _run(command: Sequence[str]) -> None:
    program = await asyncio.create_subprocess_exec(
        "nice", *command, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE
    )
    try:
        _, errors = await program.communicate()
    except asyncio.CancelledError:  # the client has left
        program.kill()
        raise
    if program.returncode:
        raise BadInput(errors.decode(errors="replace").strip().rpartition("\n")[2] or f"{command[2]} failed")
