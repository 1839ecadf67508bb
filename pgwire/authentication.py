"""Who may come in, and how they prove it.

    loopback or a unix socket      trust, unless passwords are required there too
    anywhere else                  SCRAM-SHA-256 (and -PLUS over TLS); without it the server does not start

That is the policy where nothing is said; access rules (`access_rules`) say it line by line.

Passwords are kept as PostgreSQL keeps them, as SCRAM verifiers, so a stolen file lets nobody in. A hash of
the old kind lets its thief in (it is all that an md5 client proves), and is there for clients that know no better:

    # user:verifier, one a line
    alice:SCRAM-SHA-256$4096:<salt>$<StoredKey>:<ServerKey>
    bob:md5<32 hexadecimal digits>

A user who does not exist gets the same conversation
with a salt that is made from the name, so that nobody learns which users there are.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from pgwire import replies, scram
from pgwire.access_rules import (
    AuthenticationConfigError,
    Client,
    ClientCertificate,
    Method,
    Rule,
    Word,
    decide,
)
from pgwire.messages import ProtocolViolation, parse_cstring, parse_sasl_initial
from planner.abc import SqlError
from planner.catalog.passwords import MD5_SECRET, MECHANISM, Verifier, md5_hash

_ALL: Final = (Word("all"),)


@dataclass(frozen=True, slots=True)
class Md5Hash:
    """`md5` and the hexadecimal MD5 of password and user name, as old PostgreSQL servers kept it."""

    user: str
    text: str

    @staticmethod
    def of(user: str, password: str) -> Md5Hash:
        return Md5Hash(user, md5_hash(password, user))

    def fits(self, password: str) -> bool:
        return hmac.compare_digest(Md5Hash.of(self.user, password).text, self.text)

    def answer(self, salt: bytes) -> str:
        """What the client sends that knows the password."""
        return "md5" + _md5(self.text[3:].encode() + salt)


Secret = Verifier | Md5Hash


def _md5(data: bytes) -> str:
    return hashlib.md5(data, usedforsecurity=False).hexdigest()


def read_secret(user: str, text: str) -> Secret:
    """A verifier or a hash as text. Raises ValueError."""
    return Md5Hash(user, text) if MD5_SECRET.fullmatch(text) else Verifier.parse(text)


def read_password_file(path: Path) -> dict[str, Secret]:
    """`user:verifier` or `user:password` a line; # begins a comment. Raises AuthenticationConfigError."""
    users: dict[str, Secret] = {}
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
            hashed = secret.startswith("SCRAM-") or MD5_SECRET.fullmatch(secret)
            users[user] = read_secret(user, secret) if hashed else Verifier.of(secret)
        except ValueError as error:
            raise AuthenticationConfigError(f"{path}:{number}: {error}") from None
    if not users:
        raise AuthenticationConfigError(f"the password file {path} names no user")
    return users


@lru_cache(maxsize=1024)
def is_loopback(host: str) -> bool:
    if host in ("localhost", ""):
        return host == "localhost"
    try:
        return ipaddress.ip_address(host.split("%")[0]).is_loopback
    except ValueError:
        return False


@dataclass(slots=True)
class Authentication:
    """The policy. `users` None: no passwords are configured, and only loopback gets in, on trust.

    `rules`, where there are any, are the whole policy: nothing else lets anybody in. Who is not in `users` proves to know
    the password of the role, which `role_secret` tells (None: it has none, or none that is still valid).
    """

    users: dict[str, Secret] | None = None
    trust_loopback: bool = True
    cleartext: bool = False
    rules: tuple[Rule, ...] | None = None
    role_secret: Callable[[str], str | None] = lambda user: None
    roles_of: Callable[[str], frozenset[str]] = lambda user: frozenset((user,))
    """The role and those that it is in, for rules that say them."""
    mock_key: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    """Of the salts of who is not there: they stay what they are as long as the server, as those of who is do."""

    @property
    def configured(self) -> bool:
        return self.users is not None or self.rules is not None

    def check(self, *, tls: bool, client_authority: bool) -> None:
        """Raises AuthenticationConfigError for rules that this server could never satisfy."""
        for rule in self.rules or ():
            if rule.kind == "hostssl" and not tls:
                raise AuthenticationConfigError(f"access rule in line {rule.line}: hostssl needs TLS")
            if rule.certificate is not ClientCertificate.NOT_ASKED and not client_authority:
                raise AuthenticationConfigError(
                    f"access rule in line {rule.line}: client certificates need an authority (tls_client_ca)"
                )

    def method(
        self, user: str, database: str, peer: tuple[str, int] | str, tls: bool, certificate: str | None = None
    ) -> Method:
        """How this client is to prove who it is. Raises SqlError 28000 if it may not come in at all.

        `certificate`: the common name in the verified certificate of the client, if it showed one.
        """
        if self.rules is not None:
            address = None if isinstance(peer, str) else peer[0]
            method = decide(
                self.rules, Client(user, database, address, tls, certificate, self.roles_of(user))
            )
            plain = method is Method.MD5 and not isinstance(self._secret(user), Md5Hash)
            return Method.SCRAM if plain else method
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

    def listed(self) -> list[dict[str, Any]]:
        """The rules that decide, as pg_hba_file_rules has them; without any, the policy as rules that no file has a line for."""
        if self.rules is not None:
            return [rule.listed() for rule in self.rules]
        policy = []
        if self.users is None or self.trust_loopback:
            own = tuple(ipaddress.ip_network(n) for n in ("127.0.0.0/8", "::1/128"))
            policy = [Rule("local", _ALL, _ALL, None, Method.TRUST)]
            policy += [Rule("host", _ALL, _ALL, network, Method.TRUST) for network in own]
        if self.users is not None:
            policy.append(Rule("host", _ALL, _ALL, None, Method.SCRAM))
            if self.cleartext:
                policy.insert(-1, Rule("hostssl", _ALL, _ALL, None, Method.CLEARTEXT))
        return [rule.listed() for rule in policy]

    def _secret(self, user: str) -> Secret | None:
        """What the password file or the catalog keeps of the user's password."""
        found = self.users.get(user) if self.users is not None else None
        if found is None:
            text = self.role_secret(user)
            found = read_secret(user, text) if text is not None else None
        return found

    def _verifier(self, user: str, kept: Secret | None) -> Verifier:
        """What is kept, or one that no password fits: an MD5 hash proves nothing in SCRAM."""
        if isinstance(kept, Verifier):
            return kept
        salt = hmac.digest(self.mock_key, user.encode(), hashlib.sha256)[:16]
        return Verifier(salt, secrets.token_bytes(32), secrets.token_bytes(32))

    def exchange(self, method: Method, user: str, binding: bytes | None) -> Exchange:
        """`binding`: the hash of this server's certificate, over TLS."""
        kept = self._secret(user)
        if method is Method.CLEARTEXT:
            return CleartextExchange(user, kept if kept is not None else self._verifier(user, kept))
        if method is Method.MD5:
            assert isinstance(kept, Md5Hash), "without a hash the exchange is SCRAM"
            return Md5Exchange(kept)
        return ScramExchange(user, self._verifier(user, kept), binding)


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


class Md5Exchange(Exchange):
    """The hash of the kept hash and a salt."""

    def __init__(self, kept: Md5Hash) -> None:
        self._kept, self._salt = kept, secrets.token_bytes(4)

    def open(self) -> bytes:
        return replies.authentication_md5(self._salt)

    def receive(self, payload: bytes) -> bytes:
        if not hmac.compare_digest(parse_cstring(payload).encode(), self._kept.answer(self._salt).encode()):
            raise _failed(self._kept.user)
        self.done = True
        return b""


class CleartextExchange(Exchange):
    """The password itself: over TLS, or where a rule says so."""

    def __init__(self, user: str, verifier: Secret) -> None:
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
        self._offered = [scram.MECHANISM_PLUS, MECHANISM] if binding else [MECHANISM]
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
