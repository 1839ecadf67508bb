"""Who may come in, and how they prove it.

    loopback or a unix socket      trust, unless passwords are required there too
    anywhere else                  SCRAM-SHA-256 (and -PLUS over TLS); without it the server does not start

Passwords are kept as PostgreSQL keeps them, as SCRAM verifiers, so a stolen file lets nobody in:

    # user:verifier, one a line
    alice:SCRAM-SHA-256$4096:<salt>$<StoredKey>:<ServerKey>

A user who does not exist gets the same conversation
with a salt that is made from the name, so that nobody learns which users there are.
"""

from __future__ import annotations

import enum
import hashlib
import hmac
import ipaddress
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from pgwire import replies, scram
from pgwire.messages import ProtocolViolation, parse_cstring, parse_sasl_initial
from pgwire.scram import Verifier
from planner.abc import SqlError


class Method(enum.Enum):
    TRUST = "trust"
    SCRAM = "scram-sha-256"
    CLEARTEXT = "password"


class AuthenticationConfigError(ValueError):
    """The password file cannot be used as it is."""


def read_password_file(path: Path) -> dict[str, Verifier]:
    """`user:verifier` or `user:password` a line; # begins a comment. Raises AuthenticationConfigError."""
    users: dict[str, Verifier] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise AuthenticationConfigError(f"cannot read the password file {path}: {error}") from error
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        user, colon, secret = line.partition(":")
        if not colon or not user or not secret:
            raise AuthenticationConfigError(f"{path}:{number}: expected user:verifier")
        try:
            users[user] = Verifier.parse(secret) if secret.startswith("SCRAM-") else Verifier.of(secret)
        except ValueError as error:
            raise AuthenticationConfigError(f"{path}:{number}: {error}") from None
    if not users:
        raise AuthenticationConfigError(f"the password file {path} names no user")
    return users


def is_loopback(host: str) -> bool:
    if host in ("localhost", ""):
        return host == "localhost"
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return False


@dataclass(slots=True)
class Authentication:
    """The policy. `users` None: no passwords are configured, and only loopback gets in, on trust."""

    users: dict[str, Verifier] | None = None
    trust_loopback: bool = True
    cleartext: bool = False
    _mock_key: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    @property
    def configured(self) -> bool:
        return self.users is not None

    def method(self, user: str, database: str, peer: tuple[str, int] | str, tls: bool) -> Method:
        """How this client is to prove who it is. Raises SqlError 28000 if it may not come in at all."""
        local = isinstance(peer, str) or is_loopback(peer[0])
        if local and (self.users is None or self.trust_loopback):
            return Method.TRUST
        if self.users is None:
            host = peer if isinstance(peer, str) else peer[0]
            raise SqlError(
                "28000",
                f'no authentication is configured for host "{host}", user "{user}", database "{database}"',
            )
        return Method.CLEARTEXT if self.cleartext and tls else Method.SCRAM

    def verifier(self, user: str) -> Verifier:
        """The user's, or one that no password fits."""
        assert self.users is not None, "passwords are asked for without a password file"
        known = self.users.get(user)
        if known is not None:
            return known
        salt = hmac.digest(self._mock_key, user.encode(), hashlib.sha256)[:16]
        return Verifier(salt, secrets.token_bytes(32), secrets.token_bytes(32))

    def exchange(self, method: Method, user: str, binding: bytes | None) -> Exchange:
        """`binding`: the hash of this server's certificate, over TLS."""
        if method is Method.CLEARTEXT:
            return CleartextExchange(user, self.verifier(user))
        return ScramExchange(user, self.verifier(user), binding)


class Exchange:
    """One authentication: `open` is sent first, each answer goes to `receive`, until `done`."""

    done = False

    def open(self) -> bytes:
        raise NotImplementedError

    def receive(self, payload: bytes) -> bytes:
        """What to send next. Raises SqlError 28P01, ProtocolViolation."""
        raise NotImplementedError


def _failed(user: str) -> SqlError:
    return SqlError("28P01", f'password authentication failed for user "{user}"')


class CleartextExchange(Exchange):
    """The password itself, over TLS only."""

    def __init__(self, user: str, verifier: Verifier) -> None:
        self._user, self._verifier = user, verifier

    def open(self) -> bytes:
        return replies.AUTHENTICATION_CLEARTEXT

    def receive(self, payload: bytes) -> bytes:
        if not self._verifier.fits(parse_cstring(payload)):
            raise _failed(self._user)
        self.done = True
        return b""


class ScramExchange(Exchange):
    """SASL: the mechanisms, client-first, server-first, client-final, server-final."""

    def __init__(self, user: str, verifier: Verifier, binding: bytes | None) -> None:
        self._user, self._verifier, self._binding = user, verifier, binding
        self._offered = [scram.MECHANISM_PLUS, scram.MECHANISM] if binding else [scram.MECHANISM]
        self._server: scram.ScramServer | None = None

    def open(self) -> bytes:
        return replies.authentication_sasl(self._offered)

    def receive(self, payload: bytes) -> bytes:
        try:
            if self._server is None:
                name, first = parse_sasl_initial(payload)
                if name not in self._offered:
                    raise ProtocolViolation(
                        "client selected an invalid SASL authentication mechanism", fatal=True
                    )
                self._server = scram.ScramServer(
                    self._verifier, plus=name == scram.MECHANISM_PLUS, binding=self._binding
                )
                return replies.authentication_sasl_continue(self._server.first(first.decode()).encode())
            final = self._server.final(payload.decode())
        except UnicodeDecodeError:
            raise ProtocolViolation("malformed SCRAM message", fatal=True) from None
        except scram.ScramError:
            raise _failed(self._user) from None
        self.done = True
        return replies.authentication_sasl_final(final.encode())
