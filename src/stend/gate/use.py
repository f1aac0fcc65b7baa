"""A use of a drive or a file by the kernel or by another process."""

from typing import Any, NamedTuple

from stend.words import Sentence


class Use(NamedTuple):
    """A use in words that follow the drive's name, and the way to end it."""

    what: Sentence
    way: Sentence

    def __str__(self) -> str:
        return Sentence("gate_use", what=self.what, way=self.way)

    def within(self, key: str, **values: Any) -> "Use":
        """Return this use as the use of something else, in a sentence whose value `used` it is."""
        return Use(Sentence(key, used=self.what, **values), self.way)

    def below(self, where: str) -> "Use":
        """Return this use of a lower layer, to which the words `where` lead, or the use itself for the target."""
        return self.within("gate_which", where=where) if where else self


def first(command: str) -> Sentence:
    """Return the way to end a use by a command."""
    return Sentence("gate_first", command=f"`{command}`")


def which(where: str, reason: str) -> str:
    """Return a reason about a lower layer, to which the words `where` lead, or the reason itself for the target."""
    return Sentence("gate_which", where=where, used=reason) if where else reason
