"""A seal by which this host knows again what it wrote itself: a keyed digest; the key stays with the host's state."""

import hashlib
import hmac
import os
import secrets
import tempfile
from pathlib import Path

from stend.host import measured

KEY_BYTES = 32


def place() -> Path:
    """Where the key is kept, for this user alone."""
    return measured.place().parent / "seal.key"


def seal(words: bytes) -> str:
    """The seal of some words, the key made when there is none; empty where no key can be kept."""
    try:
        if not place().exists():
            _make(place())
        key = _key()
    except (OSError, RuntimeError):
        return ""
    return _digest(key, words) if key else ""


def is_ours(words: bytes, told: str) -> bool:
    """Whether this host, by this user, sealed these words."""
    try:
        key = _key()
    except (OSError, RuntimeError):
        return False
    return bool(key and told) and hmac.compare_digest(_digest(key, words), told)


def _digest(key: bytes, words: bytes) -> str:
    return hashlib.blake2b(words, key=key, digest_size=16).hexdigest()


def _key() -> bytes:
    """The key; empty where others could have written or read it."""
    there = place().stat()
    if there.st_uid != os.geteuid() or there.st_mode & 0o077:
        return b""
    key = place().read_bytes()
    return key if len(key) == KEY_BYTES else b""


def _make(path: Path) -> None:
    """Whole or not at all; the first of two that make one at the same time has it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent) as file:
        file.write(secrets.token_bytes(KEY_BYTES))
        file.flush()
        if not path.exists():
            os.link(file.name, path)
