"""uuid-ossp: identifiers made of the time, of a name, or of nothing but chance."""

from __future__ import annotations

import secrets
import uuid
from typing import Final

NAMESPACES: Final = {
    "uuid_nil": "00000000-0000-0000-0000-000000000000",
    "uuid_ns_dns": str(uuid.NAMESPACE_DNS),
    "uuid_ns_url": str(uuid.NAMESPACE_URL),
    "uuid_ns_oid": str(uuid.NAMESPACE_OID),
    "uuid_ns_x500": str(uuid.NAMESPACE_X500),
}
_OF_CHANCE: Final = 3 << 40
"""The bits by which an address says that it is of several, and that no maker has given it out."""


def v1() -> str:
    """Of the time and this machine's address."""
    return str(uuid.uuid1())


def v1mc() -> str:
    """Of the time and an address of chance, which is no machine's, and says so."""
    return str(uuid.uuid1(node=secrets.randbits(48) | _OF_CHANCE))


def v3(namespace: str, name: str) -> str:
    return str(uuid.uuid3(uuid.UUID(namespace), name))


def v4() -> str:
    return str(uuid.uuid4())


def v5(namespace: str, name: str) -> str:
    return str(uuid.uuid5(uuid.UUID(namespace), name))
