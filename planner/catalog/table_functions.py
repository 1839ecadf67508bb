"""tablefunc: crosstab, connectby and their kin, functions that ask queries which they are given (`executor.session.tables`).

They run, as PL/pgSQL does, so they are functions with OIDs; these are the same in every database, as those of other members of extensions
are. What is returned is described by who asks (`AS t(a text, b int)`), or by OUT parameters where PostgreSQL has a composite type.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from planner.abc import Oid, TypeRef
from planner.catalog.objects import PG_CATALOG_OID
from planner.catalog.routine_objects import Function, Parameter
from planner.types import oids

EXTENSION: Final = "tablefunc"
_FIRST: Final = 15_970
_TEXT, _INT4 = oids.TEXT, oids.INT4
_DECLARED: Final[tuple[tuple[str, tuple[Oid, ...], int], ...]] = (
    ("crosstab", (_TEXT,), 0),
    ("crosstab2", (_TEXT,), 2),
    ("crosstab3", (_TEXT,), 3),
    ("crosstab4", (_TEXT,), 4),
    ("crosstab", (_TEXT, _INT4), 0),
    ("crosstab", (_TEXT, _TEXT), 0),
    ("connectby", (_TEXT, _TEXT, _TEXT, _TEXT, _INT4, _TEXT), 0),
    ("connectby", (_TEXT, _TEXT, _TEXT, _TEXT, _INT4), 0),
    ("connectby", (_TEXT, _TEXT, _TEXT, _TEXT, _TEXT, _INT4, _TEXT), 0),
    ("connectby", (_TEXT, _TEXT, _TEXT, _TEXT, _TEXT, _INT4), 0),
)
"""Name, arguments, and how many categories are returned; 0: what the call says."""


def _outputs(categories: int) -> tuple[Parameter, ...]:
    names = ("row_name", *(f"category_{i}" for i in range(1, categories + 1)))
    return tuple(Parameter(name, TypeRef(_TEXT), "o") for name in names) if categories else ()


@lru_cache(maxsize=1)
def functions() -> Mapping[Oid, Function]:
    """By OID."""
    return {
        _FIRST + i: Function(
            _FIRST + i,
            PG_CATALOG_OID,
            name,
            (*(Parameter("", TypeRef(oid)) for oid in given), *_outputs(categories)),
            TypeRef(oids.RECORD),
            returns_set=True,
            body="",
            volatility="s",
            strict=True,
            language="internal",
            runs=True,
        )
        for i, (name, given, categories) in enumerate(_DECLARED)
    }


def named(name: str, offered: frozenset[str]) -> list[Function]:
    """Those that a call of this name may mean, where these extensions are found."""
    if EXTENSION not in offered:
        return []
    return [f for f in functions().values() if f.name == name]


__all__ = ["functions", "named"]
