"""FunctionCall, the protocol's way to call a function by its OID without SQL, is not there.

PostgreSQL keeps it for the functions of large objects, which libpq's `lo_import` and psql's `\\lo_import` call by it.
"""

from __future__ import annotations

import struct
from typing import Final

from planner.abc import SqlError

_LARGE_OBJECTS: Final = frozenset((715, 952, 953, 954, 955, 956, 957, 958, 964, 1004, 3170, 3171, 3172))
"""OIDs of `lo_create`, `lo_open`, `lo_close`, `loread`, `lowrite` and their kin."""


def refusal(payload: bytes) -> SqlError:
    """What a FunctionCall message is answered with: 0A000, naming large objects where it is about them."""
    function = struct.unpack_from("!I", payload)[0] if len(payload) >= 4 else 0
    if function in _LARGE_OBJECTS:
        return SqlError("0A000", "large objects are not supported")
    return SqlError("0A000", "the function call sub-protocol is not supported")
