"""Runs that belong together: which there are to be, how they keep out of each other's way, which are left."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from msgspec import Meta

from stend.base import atomic, untrusted
from stend.base.errors import BadInput
from stend.session.request import Request
from stend.session.series import FINISHED, ended
from stend.session.together import roll
from stend.store import writer

WORD = "together.toml"
NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}$"


class Member(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """One drive's run. Those of one `lane` run one after another; `told` are sentences for its notes.

    `disturbed` says that the first of them is of figures that the others moved by more than the limit.
    """

    name: Annotated[str, Meta(pattern=NAME)]
    request: Request
    lane: str = ""
    told: tuple[str, ...] = ()
    disturbed: bool = False


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """`barrier`: measured phases begin at one moment; `quiet`: a test with quiet steps runs while no other does."""

    members: Annotated[tuple[Member, ...], Meta(max_length=1000)]
    barrier: bool = False
    quiet: bool = False

    def left(self, folder: Path) -> Iterator["Left"]:
        """Those that have not come to their end; what is left of one that never started is taken away."""
        for member in self.members:
            own = folder / member.name
            if pid := _running(own):
                yield Left(member, own, begun=True, pid=pid)
                continue
            how = ended(own)
            if how in FINISHED:
                continue
            pid = roll.pid_of(folder, member.name)  # which may not have come to its first word in its folder
            if how is None and own.exists() and not pid:
                shutil.rmtree(own)
            yield Left(member, own, begun=how is not None, pid=pid)


class Left(NamedTuple):
    """A member whose run is to be begun, or gone on with; `pid` is who is at it already."""

    member: Member
    folder: Path
    begun: bool
    pid: int = 0


def create(folder: Path, group: Group) -> None:
    """Write the group into its folder; BadInput where another is there."""
    if (folder / WORD).exists():
        raise BadInput(f"{folder} has runs already; `stend resume {folder}` goes on with them")
    folder.mkdir(parents=True, exist_ok=True)
    atomic.write(folder / WORD, msgspec.toml.encode(_bare(group)))


def load(folder: Path) -> Group:
    """The group of a folder. BadInput where there is none, or it cannot be one."""
    return untrusted.toml(untrusted.kept(folder / WORD, "the group"), Group, f"the group {folder / WORD}")


def _running(folder: Path) -> int:
    held = writer.holder(folder)
    return held.owner.pid if held.alive else 0


def _bare(group: Group) -> dict[str, object]:
    """Without what is None, which TOML cannot tell, and without anybody's leave to destroy."""
    told: dict[str, object] = msgspec.to_builtins(group)
    members = []
    for member in group.members:
        own = msgspec.to_builtins(msgspec.structs.replace(member.request, destroy=None, overwrite=()))
        plain = {key: value for key, value in own.items() if value is not None}
        members.append(msgspec.to_builtins(member) | {"request": plain})
    return told | {"members": members}
