"""Foreign data, as a database's catalog has it: wrappers, servers, and who is who there.

    ForeignDataWrapper --< ForeignServer --< UserMapping
                                        `--< a table that is foreign (`Table.foreign`)

Options are kept as PostgreSQL's catalogs have them: `name=value` each. Nobody can write a handler here, so no wrapper has one, and a
foreign table is a definition whose rows nobody can ask for.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.abc import Oid
from planner.catalog.predefined import DEFAULT_OWNER


@dataclass(frozen=True, slots=True)
class ForeignDataWrapper:
    oid: Oid
    name: str
    database_oid: Oid
    validator: Oid = 0
    options: tuple[str, ...] = ()
    owner: str = DEFAULT_OWNER


@dataclass(frozen=True, slots=True)
class ForeignServer:
    oid: Oid
    name: str
    database_oid: Oid
    wrapper: Oid
    type: str | None = None
    version: str | None = None
    options: tuple[str, ...] = ()
    owner: str = DEFAULT_OWNER


@dataclass(frozen=True, slots=True)
class UserMapping:
    oid: Oid
    server: Oid
    user: str  # "" is PUBLIC
    database_oid: Oid
    options: tuple[str, ...] = ()


__all__ = ["ForeignDataWrapper", "ForeignServer", "UserMapping"]
