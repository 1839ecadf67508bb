"""What every way of starting a server has in common: the ready line, and refusals that say why."""

from __future__ import annotations

import errno
from typing import Final, NoReturn

from pgwire.access_rules import AuthenticationConfigError, read_rules
from pgwire.authentication import Authentication, read_password_file
from pgwire.server import InsecureListen, refuse_insecure
from tidewire.config import Config

READY: Final = "tidewire: ready to accept connections on "
"""Begins the one line that a server prints, and is followed by its address."""

CLOSE_LIMIT_S: Final = 30.0
"""How long closing may take after the drain."""


class StartError(Exception):
    """The server cannot run; the message is for the operator."""


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


def refuse_address(address: str, error: OSError) -> NoReturn:
    if error.errno == errno.EADDRINUSE:
        raise StartError(f"cannot listen on {address}: the address is in use by another program") from error
    raise StartError(f"cannot listen on {address}: {error.strerror or error}") from error
