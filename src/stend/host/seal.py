"""Seal data with a keyed digest, by which this host recognizes its own output. The key stays in the host's state."""

import hashlib
import hmac
import os
import secrets
import tempfile
from pathlib import Path

from stend.host import measured

KEY_BYTES = 32


def place() -> Path:
    """Return the path of the key, which only this user can read."""
    return measured.place().parent / "seal.key"


def seal(words: bytes) -> str:
    """Return the seal of some bytes, and create the key if needed, or "" if no key can be stored."""
    try:
        if not place().exists():
            _make(place())
        key = _key()
    except (OSError, RuntimeError):
        return ""
    return _digest(key, words) if key else ""


def is_ours(words: bytes, digest: str) -> bool:
    """Return True if this user sealed these bytes on this host."""
    try:
        key = _key()
    except (OSError, RuntimeError):
        return False
    return bool(key and digest) and hmac.compare_digest(_digest(key, words), digest)


def _digest(key: bytes, words: bytes) -> str:
    return hashlib.blake2b(words, key=key, digest_size=16).hexdigest()


def _key() -> bytes:
    """Return the key, or b"" if other users could have written or read it."""
    there = place().stat()
    if there.st_uid != os.geteuid() or there.st_mode & 0o077:
        return b""
    key = place().read_bytes()
    return key if len(key) == KEY_BYTES else b""


def _make(path: Path) -> None:
    """Create the key atomically. If two processes create one at the same time, the first wins."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent) as file:
        file.write(secrets.token_bytes(KEY_BYTES))
        file.flush()
        if not path.exists():
            os.link(file.name, path)
