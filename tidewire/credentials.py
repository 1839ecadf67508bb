"""What clients are let in by: access rules, passwords and certificates. Read at the start, and anew when the operator says so.

    hba_file, password_file   -> Authentication        who may come in, and by which proof
    tls_certificate, tls_key  -> SSLContext, hash      what the server shows of itself
    tls_client_ca             -> SSLContext            whose clients' certificates are good

    SIGHUP, pg_reload_conf()  -> all of them anew, or none: what cannot be used is logged, and what was there stays

So a certificate is renewed, and a rule changed, without ending anybody's connection.
"""

from __future__ import annotations

import contextlib
import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import structlog

from pgwire.access_rules import AuthenticationConfigError, read_rules
from pgwire.authentication import Authentication, read_password_file
from pgwire.scram import certificate_hash
from pgwire.server import InsecureListen, Server, refuse_insecure
from tidewire.config import Config
from tidewire.starting import StartError

_log = structlog.get_logger("tidewire")
_END: Final = "-----END CERTIFICATE-----"


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a server asks for and shows, as its files have it now."""

    authentication: Authentication
    tls: ssl.SSLContext | None
    certificate_hash: bytes | None
    certificate: Path | None
    key: Path | None


def authentication_of(config: Config) -> Authentication:
    """Who may come in, as the operator says. Raises StartError, before anything is opened, for what cannot be."""
    try:
        authentication = Authentication(trust_loopback=config.trust_loopback)
        if config.password_file is not None:
            authentication.users = read_password_file(config.password_file)
        if config.hba_file is not None:
            authentication.rules = read_rules(config.hba_file)
        authentication.check(
            tls=config.tls == "generate" or config.tls_certificate is not None,
            client_authority=config.tls_client_ca is not None,
        )
        refuse_insecure(config.address[0], authentication)
    except (AuthenticationConfigError, InsecureListen) as error:
        raise StartError(str(error)) from error
    return authentication


def credentials_of(
    config: Config, authentication: Authentication, certificate: Path | None, key: Path | None
) -> Credentials:
    """Everything that the files say, of which `authentication` has been read. Raises StartError."""
    tls = _tls(certificate, key, config.tls_client_ca)
    return Credentials(authentication, tls, _hash_of(certificate), certificate, key)


def certificate_files(config: Config, stack: contextlib.AsyncExitStack) -> tuple[Path | None, Path | None]:
    """The certificate and its key, the operator's or this server's own. Raises StartError."""
    if config.tls != "generate":
        return config.tls_certificate, config.tls_key
    from tidewire.certificates import own_certificate  # what it imports, others do without

    if config.in_memory:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tidewire-tls-")))
    else:
        folder = config.data_dir.absolute() / "tls"
    try:
        return own_certificate(folder, config.address[0])
    except OSError as error:
        raise StartError(f"cannot make a certificate in {folder}: {error}") from error


def read_again(config: Config, server: Server, before: Credentials) -> None:
    """The files anew, for those who come in from now on; what cannot be used is logged, and nothing changes."""
    try:
        now = credentials_of(config, authentication_of(config), before.certificate, before.key)
    except StartError as error:
        _log.error("the configuration is not read anew", error=str(error))
        return
    now.authentication.mock_key = server.authentication.mock_key
    server.admit_by(now.authentication, now.tls, now.certificate_hash)
    server.executor.reloaded()
    _log.info("the configuration is read anew")


def _tls(certificate: Path | None, key: Path | None, client_ca: Path | None) -> ssl.SSLContext | None:
    if certificate is None or key is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["postgresql"])
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise StartError(f"cannot use the certificate {certificate}: {error}") from error
    if client_ca is not None:
        try:
            context.load_verify_locations(client_ca)
        except (OSError, ssl.SSLError) as error:
            raise StartError(f"cannot use the client authority {client_ca}: {error}") from error
        # Who shows a certificate must show a good one; who has to show one, the access rules say.
        context.verify_mode = ssl.CERT_OPTIONAL
    return context


def _hash_of(certificate: Path | None) -> bytes | None:
    """Of the first certificate in the chain: this server's own."""
    if certificate is None:
        return None
    text = certificate.read_text(encoding="utf-8")
    first = text[text.index("-----BEGIN CERTIFICATE-----") : text.index(_END) + len(_END)]
    return certificate_hash(ssl.PEM_cert_to_DER_cert(first))


__all__ = ["Credentials", "authentication_of", "certificate_files", "credentials_of", "read_again"]
