"""Runs of several drives that belong together: the members, how they avoid disturbance, which remain."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from stend.base import atomic, limits, untrusted
from stend.base.errors import BadInput
from stend.base.text import typed
from stend.session.request import Request
from stend.session.series import FINISHED, ended
from stend.session.together import roll
from stend.store import writer
from stend.words import Sentence, decoded, encoded

FILE = "together.toml"
NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,99}" + limits.END


class Member(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """The run of one drive. Runs of one `lane` run one after another. The sentences are notes for its record.

    `disturbed` is true if the first sentence states figures that the others moved by more than the limit.
    """

    name: Annotated[str, Meta(pattern=NAME)]
    request: Request
    lane: str = ""
    notes: tuple[Sentence, ...] = ()
    disturbed: bool = False


class Group(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Members of a group.

    With `barrier`, measured phases begin at the same moment. With `quiet`, a test with quiet steps runs while no other
    test does.
    """

    members: Annotated[tuple[Member, ...], Meta(max_length=1000)]
    barrier: bool = False
    quiet: bool = False

    def left(self, folder: Path) -> Iterator["Left"]:
        """Yield the members that have not finished. Folders of runs that never started are deleted."""
        for member in self.members:
            place = folder / member.name
            holder = writer.holder(place)
            if holder.alive and holder.owner.pid:
                yield Left(member, place, begun=True, pid=holder.owner.pid)
                continue
            outcome = ended(place)
            if outcome in FINISHED:
                continue
            pid = roll.pid_of(folder, member.name)  # it may not have written to its folder yet
            if outcome is None and place.exists() and not pid:
                shutil.rmtree(place)
            yield Left(member, place, begun=outcome is not None, pid=pid)


class Left(NamedTuple):
    """A member whose run is to be started or continued; `pid` is the process that already runs it."""

    member: Member
    folder: Path
    begun: bool
    pid: int = 0


def create(folder: Path, group: Group) -> None:
    """Write the group into its folder. Raise BadInput if there is one already."""
    if (folder / FILE).exists():
        raise BadInput(f"{folder} has runs already; `stend resume {typed(folder)}` continues them")
    folder.mkdir(parents=True, exist_ok=True)
    atomic.write(folder / FILE, msgspec.toml.encode(_bare(group)))


def load(folder: Path) -> Group:
    """Load the group of a folder. Raise BadInput if it cannot be read or is not valid."""
    return untrusted.toml(untrusted.kept(folder / FILE, "the group"), Group, f"the group {folder / FILE}", decoded)


def _bare(group: Group) -> dict[str, Any]:
    """Return the group with its requests as they are stored."""
    fields: dict[str, Any] = msgspec.to_builtins(group, enc_hook=encoded)
    for fields_of, member in zip(fields["members"], group.members, strict=True):
        fields_of["request"] = member.request.stored
    return fields
