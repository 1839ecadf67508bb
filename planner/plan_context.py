"""What a statement is planned in: the catalog, the search path, and what the session's settings have a say in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from planner.catalog import Catalog
from planner.types import TypeSettings


@dataclass(slots=True)
class PlanContext:
    """What a statement is planned in. Make a new one when the catalog, the path or a setting changes."""

    catalog: Catalog
    search_path: tuple[str, ...] = ("public",)
    user: str = "tidewire"
    database: str = "tidewire"
    settings: TypeSettings = field(default_factory=TypeSettings)
    trusted: bool = False
    """The text is the server's own, a check of a constraint for instance: nobody's privileges are asked for."""
    reading_at: Callable[[str], PlanContext] | None = None
    """The context of a time that an AS OF names; raises PlanError where it is not known yet which that is."""
    clause: str = ""
    """What a definition's expression is that is bound as the only column of a query (`planner.binding.clauses`)."""
    listed: bool = False
    """That definition is kept and shown, and never computed: an index that nobody searches."""
    variables: Any = None
    """What else names may mean, in a body of PL/pgSQL (`planner.binding.routines.variables`)."""
    calling: bool = False
    """The query is what CALL is followed by: its one column is a procedure's call."""
    check_bodies: bool = True
    """Whether CREATE FUNCTION looks at what a body says."""
    shadowing: str = ""
    """What a variable in PL/pgSQL is that shadows another: an "error", or worth a "warning"."""
    password_encryption: str = "scram-sha-256"
    first_oid: int = 0
    """From which OID on definitions take theirs; 0: from the catalog's counter."""
    row_security: bool = True
    """Whether policies are heeded where they restrict; else that is an error (the setting of this name)."""
    partition: Any = None  # the planner's: this context's part of the cache


__all__ = ["PlanContext"]
