"""SCRAM-SHA-256 (RFC 5802, RFC 7677), the server's side.

    client                                   server
    n,,n=,r=C                        ->
                                     <-      r=CS,s=salt,i=iterations
    c=biws,r=CS,p=ClientProof        ->      H(ClientProof xor HMAC(StoredKey, all of it)) = StoredKey?
                                     <-      v=HMAC(ServerKey, all of it)

The server never learns the password and a listener learns nothing to log in with. The primitives
(HMAC, PBKDF2, SHA-256) are the standard library's; this is only the conversation, because Postgres
clients leave the user name in it empty, which libraries for SCRAM in general refuse.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
import stringprep
import unicodedata
from dataclasses import dataclass
from typing import Final

ITERATIONS: Final = 4096
MECHANISM: Final = "SCRAM-SHA-256"
MECHANISM_PLUS: Final = "SCRAM-SHA-256-PLUS"
BINDING_TYPE: Final = "tls-server-end-point"
_NONCE_BYTES: Final = 18


class ScramError(Exception):
    """The exchange failed: a wrong proof, or not a message of SCRAM."""


@dataclass(frozen=True, slots=True)
class Verifier:
    """What is kept of a password: enough to check it, not enough to use it."""

    salt: bytes
    stored_key: bytes
    server_key: bytes
    iterations: int = ITERATIONS

    @classmethod
    def of(cls, password: str, *, salt: bytes | None = None, iterations: int = ITERATIONS) -> Verifier:
        salt = salt or secrets.token_bytes(16)
        salted = hashlib.pbkdf2_hmac("sha256", prepare(password).encode(), salt, iterations)
        client_key = hmac.digest(salted, b"Client Key", "sha256")
        server_key = hmac.digest(salted, b"Server Key", "sha256")
        return cls(salt, hashlib.sha256(client_key).digest(), server_key, iterations)

    @classmethod
    def parse(cls, text: str) -> Verifier:
        """Reads PostgreSQL's form, `SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey`. Raises ValueError."""
        try:
            name, head, keys = text.split("$")
            iterations, salt = head.split(":")
            stored, server = keys.split(":")
            found = cls(_unbase64(salt), _unbase64(stored), _unbase64(server), int(iterations))
        except (ValueError, ScramError):
            raise ValueError(f"not a {MECHANISM} verifier") from None
        if name != MECHANISM or len(found.stored_key) != 32 or len(found.server_key) != 32:
            raise ValueError(f"not a {MECHANISM} verifier")
        return found

    def __str__(self) -> str:
        salt, stored, server = (
            base64.b64encode(x).decode() for x in (self.salt, self.stored_key, self.server_key)
        )
        return f"{MECHANISM}${self.iterations}:{salt}${stored}:{server}"

    def fits(self, password: str) -> bool:
        again = Verifier.of(password, salt=self.salt, iterations=self.iterations)
        return hmac.compare_digest(again.stored_key, self.stored_key)


def prepare(password: str) -> str:
    """SASLprep (RFC 4013); a password that it forbids is taken as it is, as PostgreSQL does."""
    if password.isascii():
        return password
    mapped = "".join(
        " " if stringprep.in_table_c12(c) else c for c in password if not stringprep.in_table_b1(c)
    )
    normal = unicodedata.normalize("NFKC", mapped)
    forbidden = (
        stringprep.in_table_c12,
        stringprep.in_table_c21_c22,
        stringprep.in_table_c3,
        stringprep.in_table_c4,
        stringprep.in_table_c5,
        stringprep.in_table_c6,
        stringprep.in_table_c7,
        stringprep.in_table_c8,
        stringprep.in_table_c9,
        stringprep.in_table_a1,
    )
    if not normal or any(check(c) for c in normal for check in forbidden):
        return password
    if any(stringprep.in_table_d1(c) for c in normal):
        ends_right = stringprep.in_table_d1(normal[0]) and stringprep.in_table_d1(normal[-1])
        if not ends_right or any(stringprep.in_table_d2(c) for c in normal):
            return password
    return normal


class ScramServer:
    """One exchange: `first`, then `final`. `binding` is the certificate's hash, over TLS."""

    def __init__(self, verifier: Verifier, *, plus: bool, binding: bytes | None) -> None:
        self._verifier, self._plus, self._binding = verifier, plus, binding
        self._header = ""
        self._bare = ""
        self._nonce = ""
        self._server_first = ""

    def first(self, message: str) -> str:
        """The answer to client-first-message. Raises ScramError."""
        flag, comma, rest = message.partition(",")
        authzid, comma2, bare = rest.partition(",")
        if not comma or not comma2 or authzid:
            raise ScramError("malformed client-first-message")
        if self._plus:
            if flag != f"p={BINDING_TYPE}":
                raise ScramError("unsupported channel binding type")
        elif flag not in ("n", "y"):
            raise ScramError("channel binding without the mechanism for it")
        elif flag == "y" and self._binding is not None:
            raise ScramError("somebody took the mechanism with channel binding out of the list")
        attributes = _attributes(bare)
        if list(attributes)[:2] != ["n", "r"] or not attributes["r"].isascii() or not attributes["r"]:
            raise ScramError("malformed client-first-message")
        self._header = f"{flag},,"
        self._bare = bare
        self._nonce = attributes["r"] + base64.b64encode(secrets.token_bytes(_NONCE_BYTES)).decode()
        salt = base64.b64encode(self._verifier.salt).decode()
        self._server_first = f"r={self._nonce},s={salt},i={self._verifier.iterations}"
        return self._server_first

    def final(self, message: str) -> str:
        """The answer to client-final-message, which proves the server. Raises ScramError."""
        without_proof, comma, proof_text = message.rpartition(",p=")
        attributes = _attributes(without_proof)
        if not comma or list(attributes)[:2] != ["c", "r"]:
            raise ScramError("malformed client-final-message")
        bound = self._header.encode() + (self._binding or b"" if self._plus else b"")
        if not hmac.compare_digest(_unbase64(attributes["c"]), bound):
            raise ScramError("channel binding check failed")
        if not hmac.compare_digest(attributes["r"].encode(), self._nonce.encode()):
            raise ScramError("nonce does not match")
        everything = f"{self._bare},{self._server_first},{without_proof}".encode()
        signature = hmac.digest(self._verifier.stored_key, everything, "sha256")
        proof = _unbase64(proof_text)
        if len(proof) != len(signature):
            raise ScramError("malformed proof")
        client_key = bytes(a ^ b for a, b in zip(proof, signature, strict=True))
        if not hmac.compare_digest(hashlib.sha256(client_key).digest(), self._verifier.stored_key):
            raise ScramError("wrong proof")
        return "v=" + base64.b64encode(hmac.digest(self._verifier.server_key, everything, "sha256")).decode()


def certificate_hash(der: bytes) -> bytes:
    """What `tls-server-end-point` binds to (RFC 5929): the certificate, hashed as it is signed."""
    for suffix, name in (
        (bytes.fromhex("2a864886f70d01010c"), "sha384"),  # RSA
        (bytes.fromhex("2a864886f70d01010d"), "sha512"),
        (bytes.fromhex("2a8648ce3d040303"), "sha384"),  # ECDSA
        (bytes.fromhex("2a8648ce3d040304"), "sha512"),
    ):
        if suffix in der:
            return hashlib.new(name, der).digest()
    return hashlib.sha256(der).digest()  # also where the signature uses MD5 or SHA-1


def _attributes(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for piece in text.split(","):
        name, equals, value = piece.partition("=")
        if not equals or len(name) != 1 or name in found:
            raise ScramError("malformed attribute")
        found[name] = value
    if "m" in found:
        raise ScramError("a mandatory extension that is not known")
    return found


def _unbase64(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (ValueError, binascii.Error):
        raise ScramError("malformed base64") from None
