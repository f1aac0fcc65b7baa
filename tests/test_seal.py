"""The seal by which a host recognizes its own output, and the key that it makes at first."""

import hashlib
from pathlib import Path

import pytest

from stend.host import seal


@pytest.fixture
def key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of the key of a user who has no folder of states yet."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "home/state"))
    assert seal.place().is_relative_to(tmp_path)
    return seal.place()


def test_the_first_seal_of_a_user_makes_the_folders_and_a_key_for_the_user_alone(key: Path) -> None:
    digest = seal.seal(b"words")
    assert seal.is_ours(b"words", digest)
    assert not seal.is_ours(b"other words", digest)
    assert not seal.is_ours(b"words", "")
    assert key.stat().st_mode & 0o777 == 0o600
    assert len(key.read_bytes()) == seal.KEY_BYTES
    assert seal.seal(b"words") == digest


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_a_key_that_others_could_read_or_write_seals_nothing(key: Path, mode: int) -> None:
    digest = seal.seal(b"words")
    key.chmod(mode)
    assert seal.seal(b"words") == ""
    assert not seal.is_ours(b"words", digest)


def test_a_key_of_another_length_seals_nothing(key: Path) -> None:
    digest = seal.seal(b"words")
    key.write_bytes(key.read_bytes()[1:])
    assert seal.seal(b"words") == ""
    assert not seal.is_ours(b"words", digest)


@pytest.mark.parametrize("there", [True, False])
def test_a_seal_is_a_digest_of_16_bytes_with_a_key_of_32_which_later_versions_recognize(key: Path, there: bool) -> None:
    if there:
        key.parent.mkdir(parents=True)
        key.write_bytes(bytes(range(32)))
        key.chmod(0o600)
    digest = seal.seal(b"words")
    assert digest == hashlib.blake2b(b"words", key=key.read_bytes(), digest_size=16).hexdigest()
    assert (len(key.read_bytes()), len(digest)) == (32, 2 * 16)


def test_the_key_is_made_in_the_folder_that_a_measurement_of_the_host_has_made(key: Path) -> None:
    key.parent.mkdir(parents=True)
    assert seal.seal(b"words")


def test_without_a_key_that_only_the_user_reads_no_digest_is_ours(key: Path) -> None:
    """Nobody needs a key for the digest of an empty one."""
    unkeyed = hashlib.blake2b(b"words", digest_size=16).hexdigest()
    assert not seal.is_ours(b"words", unkeyed), "no key"
    seal.seal(b"words")
    key.chmod(0o644)
    assert not seal.is_ours(b"words", unkeyed), "a key that others can read"
