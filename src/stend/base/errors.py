"""Errors that stend raises on purpose, with their exit codes.

The message is one sentence that names the object, states what is wrong and what to do.
"""


class StendError(Exception):
    """Base of all errors that a user can fix; printed without a traceback. `record` is a detail kept in the run."""

    exit_code = 1
    record = ""


class BadInput(StendError):
    """The request is not valid: an unknown test, a broken TOML file, a missing run folder."""

    exit_code = 2


class NotOnDrive(BadInput):
    """A test cannot run on this drive, because the drive lacks the commands that the test measures."""


class NotReadable(BadInput):
    """A run folder that may be unchanged cannot be read here: it is of a newer stend, or this user may not read it."""


class Refused(StendError):
    """The gate refused: writing to this target could destroy data that the user did not name."""

    exit_code = 3


class Missing(StendError):
    """This host lacks a program or library such as fio, or has a version that lacks a needed feature."""

    exit_code = 4


class StepFailed(StendError):
    """A step failed during the run: fio died, the target vanished, a purge failed, the disk filled up."""

    exit_code = 5


def unwritable(path: object, error: OSError, advice: str = "name another with --into") -> StepFailed:
    """Return the error for a file or folder that cannot be written, with the host's reason and what to do."""
    return StepFailed(f"{path} cannot be written: {error.strerror}; {advice}")


GATE_FAILED_EXIT_CODE = 6
GATE_UNDECIDED_EXIT_CODE = 7
UNSOUND_EXIT_CODE = 8


class LoadFailed(StepFailed):
    """The process that generates the load failed. `record` describes how it ended, as the run keeps it.

    `died` is true when a signal ended it and neither it nor the drive reported an error. Then the step may be repeated.
    """

    def __init__(self, message: str, *, record: str = "", died: bool = False) -> None:
        super().__init__(message)
        self.record, self.died = record, died


class Undrawn(UserWarning):
    """A chart could not be drawn. The report has a note in its place."""


class LeftOut(UserWarning):
    """A run, or a file of published figures, cannot be read and is left out of the result."""


STOPPED_EXIT_CODE = 130
UNREAD_EXIT_CODE = 141
"""128 + SIGPIPE, the exit code of a program that a closed pipe kills; the reader did not see all output."""

EXIT_CODES = {
    0: "done; an unmet steady state is a result, not an error",
    1: "a defect in stend itself",
    BadInput.exit_code: "bad input",
    Refused.exit_code: "refused by the safety gate",
    Missing.exit_code: "this host lacks something (see `stend doctor`)",
    StepFailed.exit_code: "a step failed; the run folder says which",
    GATE_FAILED_EXIT_CODE: "a rule of `stend compare` failed, `stend lot` rejects the drives, `stend inspect` says to "
    "send a drive back, a drive did not keep its data (`media`, `--verify`), or a site changed",
    GATE_UNDECIDED_EXIT_CODE: "these runs do not decide a rule of `stend compare`, or the plan of `stend lot`",
    UNSOUND_EXIT_CODE: "a run folder is not as its run wrote it (`stend verify`), or `stend publish` left it out",
    STOPPED_EXIT_CODE: "stopped by Ctrl-C or SIGTERM",
    UNREAD_EXIT_CODE: "the reader of the output closed it (`stend list | head`)",
}
