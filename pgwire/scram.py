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
import hashlib
import hmac
import secrets
from typing import Final

from planner.catalog.passwords import Verifier, unbase64

MECHANISM_PLUS: Final = "SCRAM-SHA-256-PLUS"
BINDING_TYPE: Final = "tls-server-end-point"
_NONCE_BYTES: Final = 18


class ScramError(Exception):
    """The exchange failed: a wrong proof, or not a message of SCRAM."""


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
        return unbase64(text)
    except ValueError:
        raise ScramError("malformed base64") from None
