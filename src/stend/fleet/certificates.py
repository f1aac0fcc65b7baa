"""The certificate authority of a fleet, and a certificate for each host. Hosts without one are refused."""

import datetime
import os
import re
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from stend.base import limits
from stend.base.errors import BadInput

AUTHORITY, AUTHORITY_KEY, DAYS = "authority.pem", "authority.key", 825
HOST = re.compile(r"^[A-Za-z0-9][A-Za-z0-9._-]{0,62}" + limits.END)
"""A name of a host: it becomes a DNS name, a common name of at most 64 characters, and the name of two files."""


def make(folder: Path, names: list[str]) -> list[Path]:
    """Create `NAME.pem` and `NAME.key` for each name, signed by the folder's authority. Create that if it is missing.

    Return the paths of the `.pem` files. The authority's key stays in this folder. A host needs `authority.pem` and its
    two files. Raise BadInput, before anything is written, if a name cannot be that of a host, is given twice, or has a
    certificate already.
    """
    for number, name in enumerate(names):
        if not HOST.match(name):
            raise BadInput(f"{name!r} cannot be the name of a host: use 1 to 63 of the characters A-Z, a-z, 0-9, . _ -")
        if name in names[:number] or f"{name}.key" == AUTHORITY_KEY:
            raise BadInput(f"the name {name} is used twice or is that of the authority; choose another name")
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if present := [name for name in names if (folder / f"{name}.key").exists()]:
        raise BadInput(f"{folder} has a certificate for {present[0]} already; delete it first, or choose another name")
    if not (folder / AUTHORITY_KEY).exists():
        _authority(folder)
    signer = serialization.load_pem_private_key((folder / AUTHORITY_KEY).read_bytes(), None)
    if not isinstance(signer, ec.EllipticCurvePrivateKey):
        raise BadInput(f"{folder / AUTHORITY_KEY} is not a key that stend created; use another folder")
    issuer = x509.load_pem_x509_certificate((folder / AUTHORITY).read_bytes()).subject
    return [_host(folder, name, issuer, signer) for name in names]


def _authority(folder: Path) -> None:
    key, name = ec.generate_private_key(ec.SECP256R1()), _name("stend fleet")
    built = _builder(name, name, key.public_key()).add_extension(x509.BasicConstraints(ca=True, path_length=0), True)
    _write(folder / AUTHORITY_KEY, _private(key))
    _write(folder / AUTHORITY, built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))


def _host(folder: Path, name: str, issuer: x509.Name, signer: ec.EllipticCurvePrivateKey) -> Path:
    key = ec.generate_private_key(ec.SECP256R1())
    both = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH])
    built = (
        _builder(_name(name), issuer, key.public_key())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), False)
        .add_extension(both, False)
    )
    _write(folder / f"{name}.key", _private(key))
    _write(folder / f"{name}.pem", built.sign(signer, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
    return folder / f"{name}.pem"


def _builder(name: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=DAYS))
    )


def _name(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    plain = serialization.NoEncryption()
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)


def _write(path: Path, data: bytes) -> None:
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(fd, "wb") as file:
        file.write(data)
