"""Print the layout defects of pages; exit code 1 if there are any."""

import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks.pages import Defect, files_of
from benchmarks.pages.checked import Checker


def lines(path: Path, checker: Checker) -> Iterator[tuple[Defect, list[str]]]:
    """Yield each defect of a file once, with the views that show it."""
    views = defaultdict[Defect, list[str]](list)
    for view, defect in checker.of(path):
        if view not in views[defect]:
            views[defect].append(view)
    yield from views.items()


def main(words: list[str]) -> int:
    """Check the files and folders."""
    counts, paths = Counter[str](), files_of([Path(word) for word in words if word != "--counts"])
    with Checker() as checker:
        for path in paths:
            for defect, views in lines(path, checker):
                counts[defect.kind] += 1
                if "--counts" not in words:
                    where = f" ({', '.join(views)})" if any(views) else ""
                    print(f"{path}: {defect.kind}: {defect.place}: {defect.text}{where}", flush=True)
    print(f"{len(paths)} files: " + (", ".join(f"{n} {kind}" for kind, n in counts.most_common()) or "no defect"))
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
