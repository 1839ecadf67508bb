"""A certificate of this server's own, for TLS without an authority: encrypted, and known again by who has kept it.

Made once, into the data directory, and used again at every start, so that a client which has stored it as its
root certificate (`sslrootcert=DATA_DIR/tls/server.crt sslmode=verify-full`) knows the server for as long as it lives.
"""

from __future__ import annotations

import datetime
import ipaddress
import os
import socket
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

LIFE_DAYS: Final = 3650
_CLOCK_SKEW: Final = datetime.timedelta(days=1)


def own_certificate(folder: Path, host: str) -> tuple[Path, Path]:
    """Paths of certificate and key in `folder`, made if they are not there. Raises OSError."""
    certificate, key = folder / "server.crt", folder / "server.key"
    if not (certificate.exists() and key.exists()):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _make(certificate, key, host)
    return certificate, key


def _make(certificate: Path, key: Path, host: str) -> None:
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "tidewire")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(private.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _CLOCK_SKEW)
        .not_valid_after(now + datetime.timedelta(days=LIFE_DAYS))
        .add_extension(x509.SubjectAlternativeName(_names(host)), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(private, hashes.SHA256())
    )
    secret = private.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    # The key first, readable by nobody else from its first byte on: a half-made pair is made anew.
    with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        file.write(secret)
    certificate.write_bytes(made.public_bytes(serialization.Encoding.PEM))


def _names(host: str) -> list[x509.GeneralName]:
    """What clients may call this server: its own names, and the address that it listens on."""
    names = dict.fromkeys(("localhost", socket.gethostname()))
    addresses = dict.fromkeys(("127.0.0.1", "::1"))
    try:
        if not ipaddress.ip_address(host).is_unspecified:
            addresses[host] = None
    except ValueError:
        if host:
            names[host] = None
    return [x509.DNSName(n) for n in names] + [x509.IPAddress(ipaddress.ip_address(a)) for a in addresses]
