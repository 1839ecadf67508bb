"""What is kept of passwords: enough to check one, never enough to use it.

    CREATE ROLE alice LOGIN PASSWORD 'secret'     ->   SCRAM-SHA-256$4096:<salt>$<StoredKey>:<ServerKey>
    ... under password_encryption = md5           ->   md5<32 hexadecimal digits>, of the password and the name
    ... PASSWORD 'SCRAM-SHA-256$...', 'md5...'    ->   itself: psql's \\password makes it at the client

So neither the log nor a backup has anybody's password (PostgreSQL manual, 53.1 "pg_authid"; RFC 5802, RFC 7677). The
primitives (HMAC, PBKDF2, SHA-256) are the standard library's; the conversation that asks for a password is pgwire's.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
import secrets
import stringprep
import unicodedata
from dataclasses import dataclass
from typing import Final

from planner import types
from planner.abc import TypeRef
from storage.abc import Datum

ITERATIONS: Final = 4096
MECHANISM: Final = "SCRAM-SHA-256"
TRIED_ITERATIONS_MAX: Final = 50_000
MD5_SECRET: Final = re.compile("md5[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Verifier:
    """SCRAM's form of a password."""

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
            found = cls(unbase64(salt), unbase64(stored), unbase64(server), int(iterations))
        except ValueError:
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


def unbase64(text: str) -> bytes:
    """Raises ValueError."""
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error as error:
        raise ValueError(str(error)) from error


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


def kept(password: str, role: str, encryption: str) -> str | None:
    """What the catalog keeps of what PASSWORD says under `password_encryption`; None of what an empty password fits."""
    made = password
    if not is_kept(password):
        made = md5_hash(password, role) if encryption == "md5" else str(Verifier.of(password))
    return None if _fits_nothing(made, role) else made


def _fits_nothing(secret: str, role: str) -> bool:
    """Whether an empty password is the right one. Of a verifier that would take seconds to try, nobody asks."""
    if MD5_SECRET.fullmatch(secret):
        return secret == md5_hash("", role)
    verifier = Verifier.parse(secret)
    return verifier.iterations <= TRIED_ITERATIONS_MAX and verifier.fits("")


def md5_hash(password: str, role: str) -> str:
    """As PostgreSQL kept passwords before it knew SCRAM, and does where `password_encryption` says so."""
    return "md5" + hashlib.md5((password + role).encode(), usedforsecurity=False).hexdigest()


def is_kept(text: str) -> bool:
    """Whether a text is what is kept of a password, rather than one."""
    if MD5_SECRET.fullmatch(text):
        return True
    try:
        Verifier.parse(text)
    except ValueError:
        return False
    return True


def ends_us(valid_until: str | None) -> Datum:
    """When a role's password ends, in microseconds since 1970; None: never."""
    if valid_until is None:
        return None
    return types.input_text(valid_until, TypeRef(types.TIMESTAMPTZ), types.DEFAULT_SETTINGS)
