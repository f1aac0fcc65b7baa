"""Uses of a file itself: no loop device can be set up on it, or it would break the lease, or count as a writer."""

from pathlib import Path
from typing import NamedTuple

from tests.gate_verbs import needs
from tests.stand import Stand

HIDDEN = "is open for writing by a holder that /proc does not show"


class Used(NamedTuple):
    """What is used, the words of the refusal, where the run folder lies; `names` are other targets that lead there."""

    target: str | Path
    words: str
    keep_off: str = ""
    names: tuple[str | Path, ...] = ()


def registered(path: object) -> str:
    """A program that has it open in an io_uring, and in no descriptor."""
    code = "import ctypes\nc = ctypes.CDLL(None)\nring = c.syscall(425, 4, (ctypes.c_char * 120)())  # io_uring_setup\n"
    code += f"fd = os.open({str(path)!r}, os.O_RDWR)\n"
    return code + "assert not c.syscall(427, ring, 2, (ctypes.c_int * 1)(fd), 1)  # its files\nos.close(fd)"


def a_program_that_runs(stand: Stand) -> Used:
    path = stand.copy_of("/bin/bash", "program.bin")
    path.chmod(0o700)
    stand.runs(path)
    return Used(path, "is the program that runs as")


def leased_by_a_server(stand: Stand) -> Used:
    path = stand.file()
    stand.program(f"import fcntl\nf = open({str(path)!r}, 'rb')\nfcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_RDLCK)")
    return Used(path, "is locked by python3")


@needs("mkswap", "swapon", "swapoff")
def leased_by_a_server_while_there_is_a_swap_file(stand: Stand) -> Used:
    """Whether a file is swap must not be asked by breaking the lease, which ends a server that did not expect it."""
    stand.swap_file()
    return leased_by_a_server(stand)


def on_its_way_in_a_socket(stand: Stand) -> Used:
    path = stand.file()
    code = f"import socket\na, b = socket.socketpair()\nf = open({str(path)!r}, 'r+b')\n"
    stand.program(f"{code}socket.send_fds(a, [b'x'], [f.fileno()])\nf.close()")
    return Used(path, HIDDEN)


def in_a_thread_of_its_own(stand: Stand) -> Used:
    path = stand.file()
    code = "import ctypes, threading\nready = threading.Event()\ndef work():\n"
    code += f" ctypes.CDLL(None).unshare(0x400)  # CLONE_FILES\n os.open({str(path)!r}, os.O_RDWR)\n"
    stand.program(f"{code} ready.set()\n time.sleep(600)\nthreading.Thread(target=work).start()\nready.wait()")
    return Used(path, HIDDEN)


def known_to_io_uring_alone(stand: Stand) -> Used:
    path = stand.file()
    stand.program(registered(path))
    return Used(path, HIDDEN)


ALONE = (
    known_to_io_uring_alone,
    a_program_that_runs,
    leased_by_a_server,
    leased_by_a_server_while_there_is_a_swap_file,
    on_its_way_in_a_socket,
    in_a_thread_of_its_own,
)
