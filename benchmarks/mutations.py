"""How many small changes of the code its nearest tests notice: `python -m benchmarks.mutations --draw 120 --seed 1`.

A mutation changes one place of one file: a comparison, an operator, a constant, a condition, the order of two
arguments, a call left out. It is drawn by a seed and written into a copy of the tree, where the tests that
`mutations.toml` names for that file run until the first fails. One that no test notices survives. The table also keeps
those that were judged to change nothing that can be seen, each with its reason; they are told apart and do not count.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
TABLE = Path(__file__).with_suffix(".toml")
PATIENCE_S, PATIENCE, DAY_S = 60.0, 5, 86400
"""A change that makes a loop endless is noticed too: so many times what the tests took without any, and a minute."""
TRIES = 3
MOMENTS = count(1_000_000_000)
"""When each mutation is said to be written: by that and its length Python knows what it has compiled already."""
QUICK = "not slow and not soak and not browser and not lab"
HASTY = ("-m", QUICK, "-p", "benchmarks.hasty", "--hypothesis-profile=hasty")
COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
REVERSED: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "/", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*",
    ast.BitOr: "&", ast.BitAnd: "|",
}  # fmt: skip
EXTREMES = {"max": "min", "min": "max", "any": "all", "all": "any"}


class Mutation(NamedTuple):
    """One change: the file below src/stend, the function it is in, the bytes it replaces, and by what."""

    file: str
    place: str
    line: int
    start: int
    end: int
    was: str
    became: str

    @property
    def key(self) -> str:
        """What names it as long as the code around it stays; `mutations.toml` judges by it."""
        return f"{self.file} {self.place}: {self.was} -> {self.became}"


def changes(node: ast.AST) -> Iterator[str]:  # noqa: C901
    """What could stand in the place of a node."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            yield f"{ast.unparse(left)} {COMPARED[type(op)]} {ast.unparse(right)}"
        case ast.BoolOp(op=op, values=values):
            yield f" {'or' if isinstance(op, ast.And) else 'and'} ".join(f"({ast.unparse(v)})" for v in values)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in REVERSED:
            yield f"({ast.unparse(left)}) {REVERSED[type(op)]} ({ast.unparse(right)})"
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield f"({ast.unparse(operand)})"
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield f"({ast.unparse(orelse)} if {ast.unparse(test)} else {ast.unparse(body)})"
        case ast.Constant(value=bool(value)):
            yield str(not value)
        case ast.Constant(value=int() | float() as number):
            yield repr(number + 1)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=kept) if name in EXTREMES:
            yield f"{EXTREMES[name]}({', '.join(map(ast.unparse, [*args, *kept]))})"
        case ast.Call(func=func, args=[first, second, *rest], keywords=kept) if not isinstance(first, ast.Starred):
            yield f"{ast.unparse(func)}({', '.join(map(ast.unparse, [second, first, *rest, *kept]))})"
        case ast.Expr(value=ast.Call()):
            yield "pass"


def found(file: str, source: str) -> Iterator[Mutation]:
    """Every mutation of a source text; annotations, docstrings and texts inside f-strings stay as they are."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))

    def walk(node: ast.AST, place: str) -> Iterator[Mutation]:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            place = node.name
        for name, held in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list") or isinstance(node, ast.JoinedStr):
                continue
            for child in held if isinstance(held, list) else [held]:
                if isinstance(child, ast.AST):
                    yield from walk(child, place)
        if isinstance(node, ast.expr | ast.stmt):
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[(node.end_lineno or 1) - 1] + (node.end_col_offset or 0)
            was = ast.unparse(node)
            for became in (other for other in changes(node) if other != was):  # two arguments may be alike
                yield Mutation(file, place or "<module>", node.lineno, start, end, was, became)

    yield from walk(ast.parse(source), "")


def drawn(tests: dict[str, list[str]], many: int, seed: int) -> list[Mutation]:
    """As many from each file as from any other, in an order that the seed gives."""
    chance = random.Random(seed)
    places = {file: list(found(file, (ROOT / "src/stend" / file).read_text())) for file in tests}
    for every in places.values():
        chance.shuffle(every)
    taken: list[Mutation] = []
    while len(taken) < many and any(places.values()):
        taken += [every.pop() for every in places.values() if every]
    return taken[:many]


def noticed(mutation: Mutation, tests: list[str], tree: Path, patience_s: float) -> str:
    """The first test that fails in a tree with this mutation; empty if none does."""
    target = tree / "src/stend" / mutation.file
    source = target.read_bytes()
    target.write_bytes(source[: mutation.start] + mutation.became.encode() + source[mutation.end :])
    os.utime(target, (next(MOMENTS),) * 2)
    try:
        for _ in range(TRIES):
            by = _failing(tests, tree, patience_s)
            if not by or _again(by, tree, patience_s):
                return by
        return ""
    finally:
        target.write_bytes(source)


def _again(by: str, tree: Path, patience_s: float) -> bool:
    """Whether what failed does so alone too: on a busy host a test may fail of itself, and then it noticed nothing."""
    test = by.partition(" ")[2].partition(" - ")[0]
    return not test.startswith("tests/") or bool(_failing([test], tree, patience_s))


def _failing(tests: Iterable[str], tree: Path, patience_s: float) -> str:
    asked = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=no", "-p", "no:cacheprovider", *HASTY, *tests]
    env = {**os.environ, "PYTHONPATH": str(tree / "src")}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    run = partial(subprocess.run, cwd=tree, env=env, capture_output=True, text=True, timeout=patience_s, check=False)
    try:
        done = run(asked)
    except subprocess.TimeoutExpired:
        return f"no end within {patience_s:.0f} s"
    told = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return "" if done.returncode == 0 else (told or [(done.stdout + done.stderr).strip()[-200:] or "no word"])[0]


def _tree(into: Path) -> Path:
    """A copy of what git knows here, with this checkout's virtual environment."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, into / name)
    (into / ".venv").symlink_to(ROOT / ".venv")
    (into / "build").mkdir(exist_ok=True)
    return into


def main() -> None:
    """Draw, try, tell."""
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("--draw", type=int, default=120, help="how many mutations")
    asked.add_argument("--seed", type=int, default=1)
    asked.add_argument("--of", choices=("spine", "rooms"), default="spine", help="which table of files")
    asked.add_argument("--only", nargs="*", default=[""], help="of those drawn the ones in files with such a name")
    words = asked.parse_args()
    table = tomllib.loads(TABLE.read_text())
    tests = table[words.of]
    taken = [one for one in drawn(tests, words.draw, words.seed) if any(part in one.file for part in words.only)]
    told: list[tuple[str, str]] = []
    with tempfile.TemporaryDirectory() as place:
        tree = _tree(Path(place))
        patience: dict[tuple[str, ...], float] = {}
        for mutation in sorted(taken, key=lambda one: list(tests).index(one.file)):
            near = tuple(tests[mutation.file])
            began = time.monotonic()
            if near not in patience and (already := _failing(near, tree, DAY_S)) and _again(already, tree, DAY_S):
                sys.exit(f"mutations: a test of {mutation.file} fails without any: {already}")
            patience.setdefault(near, PATIENCE_S + PATIENCE * (time.monotonic() - began))
            began = time.monotonic()
            by = noticed(mutation, tests[mutation.file], tree, patience[near])
            verdict = "found" if by else "judged" if mutation.key in table["judged"] else "SURVIVED"
            told.append((mutation.file, verdict))
            at = f"line {mutation.line}, {time.monotonic() - began:.0f} s"
            print(f"{verdict:9}{mutation.key}  [{at}] {by}", flush=True)
    for file in [*dict.fromkeys(name for name, _ in told), ""]:
        own = [verdict for name, verdict in told if file in ("", name)]
        survived, counted = own.count("SURVIVED"), len(own) - own.count("judged")
        print(f"{file or 'all':40} {survived} of {counted} survived; {own.count('judged')} judged")


if __name__ == "__main__":
    main()
