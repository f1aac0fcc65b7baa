"""A run folder's files, exit codes, and the environment."""

from docs.made import marks
from docs.made.words import WORDS

from stend.base.errors import EXIT_CODES, StendError


def run_folder() -> str:
    """Which file of a run folder is what."""
    rows = [(marks.code(name), *said) for name, said in WORDS["files"].items()]
    return marks.page("run-folder", "The run folder", marks.table(("file", "written by", "what it holds"), rows))


def exit_codes() -> str:
    """Which code means what, and which error of the API it is."""
    errors = {
        one.exit_code: one.__name__ for one in StendError.__subclasses__() if one.__module__ == "stend.base.errors"
    }
    rows = [(marks.code(code), said, marks.code(errors.get(code))) for code, said in EXIT_CODES.items()]
    return marks.page(
        "exit-codes",
        "Exit codes",
        marks.table(("code", "meaning", "error in Python"), rows),
    )


def environment() -> str:
    """Variables that stend reads or sets."""
    rows = [(marks.code(name), *said) for name, said in WORDS["environment"].items()]
    return marks.page(
        "environment",
        "Environment",
        marks.table(("variable", "whose", "meaning"), rows),
    )
