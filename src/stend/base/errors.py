"""Every error stend raises on purpose, each with the exit code its users can rely on.

The message is one sentence that names the thing, says what is wrong and the way out.
"""


class StendError(Exception):
    """The root: something a person can put right; never shown with a traceback. `record` is a detail for the run."""

    exit_code = 1
    record = ""


class BadInput(StendError):
    """What was asked does not make sense: an unknown test, a broken TOML file, a missing run folder."""

    exit_code = 2


class Refused(StendError):
    """The gate stayed shut: writing there could destroy something nobody told us to destroy."""

    exit_code = 3


class Missing(StendError):
    """This host lacks a part, such as fio, or has one that cannot do the work."""

    exit_code = 4


class StepFailed(StendError):
    """A step went wrong while running: fio died, the target vanished, a purge failed, the disk filled up."""

    exit_code = 5


GATE_FAILED_EXIT_CODE = 6
GATE_UNDECIDED_EXIT_CODE = 7
UNSOUND_EXIT_CODE = 8


class LoadFailed(StepFailed):
    """The program that makes the load failed. `record` is how it ended, as the run keeps it.

    `died` is true when a signal ended it and neither it nor the drive reported an error: then the step may be repeated.
    """

    def __init__(self, message: str, *, record: str = "", died: bool = False) -> None:
        super().__init__(message)
        self.record, self.died = record, died


class Undrawn(UserWarning):
    """A picture that could not be drawn; the report is whole without it, and says so in its place."""


class LeftOut(UserWarning):
    """A run that cannot be read, and does not count in what was asked of many."""


STOPPED_EXIT_CODE = 130
UNREAD_EXIT_CODE = 141
"""128 + SIGPIPE, as of a program that the closed pipe kills: whether the work was done is not known to the reader."""

EXIT_CODES = {
    0: "done; an unmet steady state is a result, not an error",
    1: "a defect in stend itself",
    BadInput.exit_code: "bad input",
    Refused.exit_code: "refused by the safety gate",
    Missing.exit_code: "this host lacks something (see `stend doctor`)",
    StepFailed.exit_code: "a step failed; the run folder says which",
    GATE_FAILED_EXIT_CODE: "a rule of `stend compare` failed, or `stend batch` rejects the lot",
    GATE_UNDECIDED_EXIT_CODE: "these runs do not decide a rule of `stend compare`, or the lot of `stend batch`",
    UNSOUND_EXIT_CODE: "a run folder is not as its run wrote it (`stend verify`)",
    STOPPED_EXIT_CODE: "stopped by Ctrl-C or SIGTERM",
    UNREAD_EXIT_CODE: "the reader of the output closed it (`stend list | head`)",
}
