"""How many files and sockets a process may have open, and how many of these clients may take.

    0 ............................................. limit (ulimit -n)
    | what is always open | clients | the data's    |      parts, temporary files, modules that are read late

Who has no descriptor left can neither read a part nor write one: clients are refused (53300) before it comes to that.
"""

from __future__ import annotations

import resource
from typing import Final

import structlog

_log = structlog.get_logger("tidewire")

RESERVED: Final = 256
"""Kept for the data, or half of the limit where that is less."""
AT_REST: Final = 24
"""What a server without clients has open."""


def places_for_clients(connections: int) -> int:
    """Raises the limit as far as it may be raised and so many clients need. Returns how many descriptors may be open when one more
    client comes in. Clients that are on their way in or out, up to as many again, have a socket as well.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft == resource.RLIM_INFINITY:
        return 1 << 30
    wanted = AT_REST + 2 * connections + 16 + RESERVED
    if soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    places = soft - min(RESERVED, soft // 2)
    if places < AT_REST + connections:
        _log.warning(
            "the limit of open files leaves room for fewer clients than connections_max says",
            limit=soft,
            clients=max(0, places - AT_REST),
            connections_max=connections,
        )
    return places
