"""Foreign data, as a database's catalog has it: wrappers, servers, and who is who there.

    ForeignDataWrapper --< ForeignServer --< UserMapping
                                        `--< a table that is foreign (`Table.foreign`)

Options are kept as PostgreSQL's catalogs have them: `name=value` each. Nobody can write a handler here, so no wrapper has one, and a
foreign table is a definition whose rows nobody can ask for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.abc import Oid, PlanError, Table
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


def no_handler(made: ForeignDataWrapper) -> PlanError:
    """What asking for rows comes to."""
    return PlanError("55000", f'foreign-data wrapper "{made.name}" has no handler')


def unreachable(catalog: Any, table: Table) -> PlanError:
    """The same, of a foreign table."""
    assert table.foreign is not None
    server = catalog.get(table.foreign.server)
    assert isinstance(server, ForeignServer)
    wrapper = catalog.get(server.wrapper)
    assert isinstance(wrapper, ForeignDataWrapper)
    return no_handler(wrapper)


__all__ = ["ForeignDataWrapper", "ForeignServer", "UserMapping", "no_handler", "unreachable"]
