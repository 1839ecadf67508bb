"""What every way of starting a server has in common: the ready line, and refusals that say why."""

from __future__ import annotations

import errno
from typing import Final, NoReturn

READY: Final = "tidewire: ready to accept connections on "
"""Begins the one line that a server prints, and is followed by its address."""

CLOSE_LIMIT_S: Final = 30.0
"""How long closing may take after the drain."""


class StartError(Exception):
    """The server cannot run; the message is for the operator."""


def refuse_address(address: str, error: OSError) -> NoReturn:
    if error.errno == errno.EADDRINUSE:
        raise StartError(f"cannot listen on {address}: the address is in use by another program") from error
    raise StartError(f"cannot listen on {address}: {error.strerror or error}") from error
