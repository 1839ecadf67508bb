"""Who may come in from where, and by which proof: an ordered list of rules, in the form of PostgreSQL's pg_hba.conf.

    # type      database      user     address          method         options
    local       all           all                       trust
    host        all           all      127.0.0.1/32     trust
    hostssl     sales,hr      alice    10.0.0.0/8       scram-sha-256  clientcert=verify-full
    hostssl     all           all      all              cert
    hostnossl   all           all      all              reject

The first rule that fits a connection decides, also when the proof then fails; where none fits, nobody gets in. `all`
fits everything, `sameuser` a database of the user's name, `samerole` one of the name of a role that the user is in, the user
`+staff` who is in that role, directly or through others; a list is separated by commas, a name in double
quotes is only a name. An address is `all`, a network, or an address and a mask.

What the file cannot mean here is refused at the start, with its line: host names, `@file`, methods and
options that are not listed above. A rule that is skipped in silence would be a door left open.
"""

from __future__ import annotations

import enum
import ipaddress
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from planner.abc import SqlError

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
RULES_MAX: Final = 10_000
_SAME_ROLE: Final = ("samerole", "samegroup")


class AuthenticationConfigError(ValueError):
    """The password file or the access rules cannot be used as they are."""


class Method(enum.Enum):
    TRUST = "trust"
    REJECT = "reject"
    SCRAM = "scram-sha-256"
    MD5 = "md5"  # SCRAM for a user whose password is kept as a SCRAM verifier
    CLEARTEXT = "password"
    CERTIFICATE = "cert"


class ClientCertificate(enum.Enum):
    """What a rule asks of the client's certificate besides its method."""

    NOT_ASKED = ""
    SIGNED = "verify-ca"
    NAMED = "verify-full"  # its common name is the user


@dataclass(frozen=True, slots=True)
class Client:
    """A connection as rules see it. `certificate`: the common name of the verified one that it showed; `roles`: the user's own
    and those that it is in."""

    user: str
    database: str
    address: str | None  # None: a unix socket
    tls: bool = False
    certificate: str | None = None
    roles: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Word:
    text: str
    quoted: bool = False

    def is_keyword(self, keyword: str) -> bool:
        return not self.quoted and self.text == keyword

    @property
    def group(self) -> str | None:
        """The role whose members are meant."""
        return self.text[1:] if not self.quoted and self.text.startswith("+") else None


@dataclass(frozen=True, slots=True)
class Rule:
    kind: str  # local, host, hostssl, hostnossl
    databases: tuple[Word, ...]
    users: tuple[Word, ...]
    network: Network | None  # None: every address
    method: Method
    certificate: ClientCertificate = ClientCertificate.NOT_ASKED
    line: int = 0

    def fits(self, client: Client) -> bool:
        if (client.address is None) != (self.kind == "local"):
            return False
        if (self.kind == "hostssl" and not client.tls) or (self.kind == "hostnossl" and client.tls):
            return False
        return (
            (self.network is None or _within(client.address, self.network))
            and any(
                w.is_keyword("all")
                or (w.group in client.roles if w.group is not None else w.text == client.user)
                for w in self.users
            )
            and any(
                w.is_keyword("all")
                or (w.is_keyword("sameuser") and client.database == client.user)
                or (any(map(w.is_keyword, _SAME_ROLE)) and client.database in client.roles)
                or w.text == client.database
                for w in self.databases
            )
        )

    def listed(self) -> dict[str, Any]:
        """As a row of pg_hba_file_rules."""
        network, asked = self.network, self.certificate.value
        row: dict[str, Any] = {
            "line_number": self.line or None,
            "type": self.kind,
            "database": [w.text for w in self.databases],
            "user_name": [w.text for w in self.users],
            "auth_method": self.method.value,
            "options": [f"clientcert={asked}"] if asked else None,
        }
        if self.kind != "local":
            row["address"] = "all" if network is None else str(network.network_address)
            row["netmask"] = None if network is None else str(network.netmask)
        return row


def decide(rules: tuple[Rule, ...], client: Client) -> Method:
    """The method of the first rule that fits, its demands on a certificate met. Raises SqlError 28000."""
    who = (
        f'host "{client.address or "[local]"}", user "{client.user}", database "{client.database}", '
        f"{'SSL encryption' if client.tls else 'no encryption'}"
    )
    rule = next((rule for rule in rules if rule.fits(client)), None)
    if rule is None:
        raise SqlError("28000", f"no pg_hba.conf entry for {who}")
    if rule.method is Method.REJECT:
        raise SqlError("28000", f"pg_hba.conf rejects connection for {who}")
    if rule.certificate is not ClientCertificate.NOT_ASKED:
        if client.certificate is None:
            raise SqlError("28000", "connection requires a valid client certificate")
        if rule.certificate is ClientCertificate.NAMED and client.certificate != client.user:
            raise SqlError("28000", f'certificate authentication failed for user "{client.user}"')
    # The certificate was the proof.
    return Method.TRUST if rule.method is Method.CERTIFICATE else rule.method


def read_rules(path: Path) -> tuple[Rule, ...]:
    """Raises AuthenticationConfigError, with the line."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise AuthenticationConfigError(f"cannot read the access rules {path}: {error}") from error
    rules: list[Rule] = []
    for number, line in enumerate(lines, 1):
        try:
            fields = _fields(line)
            if fields:
                rules.append(_rule(fields, number))
        except ValueError as error:
            raise AuthenticationConfigError(f"{path}:{number}: {error}") from None
    if not rules:
        raise AuthenticationConfigError(f"{path} has no rule: nobody could connect")
    if len(rules) > RULES_MAX:
        raise AuthenticationConfigError(f"{path} has more than {RULES_MAX} rules")
    return tuple(rules)


_TOKEN = re.compile(r'\s+|(?P<comment>#.*)|(?P<comma>,)|"(?P<quoted>[^"]*)"|(?P<bare>[^\s,"#]+)')


def _fields(line: str) -> list[tuple[Word, ...]]:
    """Fields are separated by white space, the words of one by commas."""
    fields: list[tuple[Word, ...]] = []
    at, joined = 0, False
    while at < len(line):
        token = _TOKEN.match(line, at)
        if token is None:
            raise ValueError("a quotation mark without its partner")
        at = token.end()
        if token["comment"] is not None:
            break
        if token["comma"] is not None:
            joined = True
            continue
        text = token["quoted"] if token["quoted"] is not None else token["bare"]
        if text is None:
            continue
        word = Word(text, token["quoted"] is not None)
        if joined and fields:
            fields[-1] = (*fields[-1], word)
        else:
            fields.append((word,))
        joined = False
    return fields


def _rule(fields: list[tuple[Word, ...]], line: int) -> Rule:
    kind = _single(fields[0], "the type")
    if kind not in ("local", "host", "hostssl", "hostnossl"):
        raise ValueError(f'invalid connection type "{kind}": local, host, hostssl or hostnossl')
    needed = 4 if kind == "local" else 5
    if len(fields) < needed:
        raise ValueError(f"end of line before the {('database', 'user', 'address', 'method')[len(fields) - 1]}"
                         if kind != "local" else "expected: local DATABASE USER METHOD")  # fmt: skip
    databases, users = _names(fields[1], "database", "+@/"), _names(fields[2], "user", "@/")
    rest = fields[3:]
    network: Network | None = None
    if kind != "local":
        network, rest = _network(rest)
    if not rest:
        raise ValueError("end of line before the method")
    name = _single(rest[0], "the method")
    try:
        method = Method(name)
    except ValueError:
        known = ", ".join(m.value for m in Method)
        raise ValueError(f'authentication method "{name}" is not supported: {known}') from None
    certificate = ClientCertificate.NOT_ASKED
    for option in rest[1:]:
        certificate = _option(_single(option, "an option"), kind)
    if method is Method.CERTIFICATE:
        if kind != "hostssl":
            raise ValueError("cert authentication is only supported on hostssl connections")
        certificate = ClientCertificate.NAMED
    return Rule(kind, databases, users, network, method, certificate, line)


def _single(words: tuple[Word, ...], what: str) -> str:
    if len(words) != 1:
        raise ValueError(f"{what} is one word, not a list")
    return words[0].text


def _names(words: tuple[Word, ...], what: str, signs: str) -> tuple[Word, ...]:
    for word in words:
        if not word.quoted and (word.text[0] in signs or word.text == "+"):
            raise ValueError(f"{what} {word.text!r} is not supported: a name, a list of names, or all")
    return words


def _network(rest: list[tuple[Word, ...]]) -> tuple[Network | None, list[tuple[Word, ...]]]:
    """The address, which may take two fields, and the fields behind it."""
    text = _single(rest[0], "the address")
    if text == "all":
        return None, rest[1:]
    try:
        if "/" in text:
            return ipaddress.ip_network(text, strict=False), rest[1:]
        mask = _single(rest[1], "the mask") if len(rest) > 1 else ""
        ipaddress.ip_address(text)
        return ipaddress.ip_network(f"{text}/{mask}", strict=False), rest[2:]
    except ValueError:
        raise ValueError(f"{text!r} is no address with its mask, such as 10.0.0.0/8 (or all)") from None


def _option(text: str, kind: str) -> ClientCertificate:
    name, _, value = text.partition("=")
    if name != "clientcert":
        raise ValueError(f"option {text!r} is not supported: clientcert=verify-ca or clientcert=verify-full")
    if kind != "hostssl":
        raise ValueError("clientcert can only be configured for hostssl rules")
    if value not in ("verify-ca", "verify-full"):
        raise ValueError(f'invalid value for clientcert: "{value}"')
    return ClientCertificate(value)


def _within(address: str | None, network: Network) -> bool:
    assert address is not None, "rules with a network are not for sockets"
    parsed = ipaddress.ip_address(address.split("%")[0])
    mapped = getattr(parsed, "ipv4_mapped", None)  # ::ffff:10.0.0.1 on a socket of both families
    return (mapped if mapped is not None and network.version == 4 else parsed) in network
