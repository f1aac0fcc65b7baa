"""The pages of a run folder's files, the exit codes, and the environment variables."""

from docs.made import marks
from docs.made.words import WORDS

from stend.base.errors import EXIT_CODES, StendError


def run_folder() -> str:
    """Return the page of the files of a run folder."""
    rows = [(marks.code(name), *cells) for name, cells in WORDS["files"].items()]
    return marks.page("run-folder", "The run folder", marks.table(("file", "written by", "what it holds"), rows))


def exit_codes() -> str:
    """Return the page of exit codes, with the error of the API for each."""
    errors = {
        error.exit_code: error.__name__
        for error in StendError.__subclasses__()
        if error.__module__ == "stend.base.errors"
    }
    rows = [(marks.code(code), meaning, marks.code(errors.get(code))) for code, meaning in EXIT_CODES.items()]
    return marks.page(
        "exit-codes",
        "Exit codes",
        marks.table(("code", "meaning", "error in Python"), rows),
    )


def environment() -> str:
    """Return the page of environment variables that stend reads or sets."""
    rows = [(marks.code(name), *cells) for name, cells in WORDS["environment"].items()]
    return marks.page(
        "environment",
        "Environment",
        marks.table(("variable", "whose", "meaning"), rows),
    )
