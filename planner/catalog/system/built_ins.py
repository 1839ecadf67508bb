"""PostgreSQL's own objects as GRANT names them: who may do what with those that every database has.

    GRANT SELECT ON pg_authid TO monitor                     a relation, or columns of it
    GRANT EXECUTE ON FUNCTION pg_stat_reset() TO monitor     a function that PUBLIC may not call
    REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC             a language
    GRANT CREATE ON TABLESPACE pg_default TO ann             a tablespace, which all databases share

They are no objects of the catalog. What is said of one are records as of any other (`Grant`), by its number, of one database; what was there
before anybody spoke is said here: its owner, the first role, has everything, PUBLIC and a predefined role what initdb gives them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from planner.abc import Oid
from planner.catalog import predefined
from planner.catalog.objects import FIRST_USER_OID, BuiltIn, Grant
from planner.catalog.system import concealed
from planner.catalog.system.relations import by_oid
from planner.catalog.system.static import static_columns

if TYPE_CHECKING:
    from planner.catalog.catalog import Catalog

NOBODY: Final[frozenset[str]] = frozenset()
_READ: Final = frozenset(("select",))
_EXECUTE: Final = frozenset(("execute",))
_USAGE: Final = frozenset(("usage",))
TABLESPACES: Final = {1663: "pg_default", 1664: "pg_global"}
_TRUSTED: Final = frozenset(("sql", "plpgsql"))

OF_SUPERUSERS: Final = frozenset((
    764, 765, 767, 2172, 2274, 2307, 2621, 2622, 2623, 2624, 2625, 2739, 2848, 3071, 3072, 3098, 3293, 3295, 3297, 3307,
    3329, 3400, 3401, 3436, 3775, 3776, 3777, 3800, 3801, 3826, 3827, 3828, 4543, 6003, 6004, 6005, 6006, 6007, 6008, 6009,
    6010, 6011, 6012, 6013, 6014, 6170, 6230, 6232, 6250,
))  # fmt: skip
"""Functions that PostgreSQL takes from PUBLIC: lo_import(), pg_read_file(), pg_reload_conf(), pg_stat_reset() and kin."""
OF_A_GROUP: Final = {
    **dict.fromkeys((3353, 3354, 5029, 5030, 5031, 6270, 6271, 6272), "pg_monitor"),
    **dict.fromkeys((2282, 5052), predefined.READ_ALL_STATS),
}
"""Those that it then gives to a predefined role: pg_ls_waldir(), pg_get_shmem_allocations() and kin."""


def of_relation(oid: Oid) -> BuiltIn | None:
    """Its list is each database's own, of those as well whose rows all databases share."""
    found = by_oid().get(oid)
    if found is None:
        return None
    hidden = concealed.names_by_oid().get(oid)
    columns = concealed.columns(hidden) if hidden is not None else None
    open_columns = (
        frozenset(c.attnum for c in found.columns if c.name not in columns) if columns else frozenset[int]()
    )
    public = _READ if hidden is None else NOBODY
    group = (
        predefined.READ_ALL_STATS
        if hidden and predefined.READ_ALL_STATS in (concealed.readers(hidden) or ())
        else ""
    )
    return BuiltIn(oid, "table", found.name, "view" if found.kind == "v" else "table", public, found.columns,
                     False, group, (), open_columns)  # fmt: skip


@lru_cache(maxsize=1)
def _functions() -> dict[Oid, tuple[str, str, tuple[Oid, ...]]]:
    return {
        oid: (name, kind, tuple(takes))
        for oid, name, kind, takes in static_columns("pg_proc", ("oid", "proname", "prokind", "proargtypes"))
    }


def of_function(oid: Oid) -> BuiltIn | None:
    found = _functions().get(oid)
    if found is None:
        return None
    name, kind, takes = found
    group = OF_A_GROUP.get(oid, "")
    public = NOBODY if group or oid in OF_SUPERUSERS else _EXECUTE
    word = {"a": "aggregate", "p": "procedure"}.get(kind, "function")
    return BuiltIn(oid, "function", name, word, public, group=group, arguments=takes)


@lru_cache(maxsize=1)
def languages() -> dict[Oid, str]:
    return dict(static_columns("pg_language", ("oid", "lanname")))


def of_language(oid: Oid) -> BuiltIn | None:
    name = languages().get(oid)
    return None if name is None else BuiltIn(oid, "language", name, "language", _USAGE)


def is_trusted(language: str) -> bool:
    return language in _TRUSTED


def of_tablespace(oid: Oid) -> BuiltIn | None:
    name = TABLESPACES.get(oid)
    return None if name is None else BuiltIn(oid, "tablespace", name, "tablespace", NOBODY, shared=True)


def of_oid(oid: Oid) -> BuiltIn | None:
    """No two of them have one number, whatever their kinds are."""
    if oid >= FIRST_USER_OID:
        return None
    return of_language(oid) or of_tablespace(oid) or of_relation(oid) or of_function(oid)


def spoken_of(catalog: Catalog, kind: str) -> dict[Oid, BuiltIn]:
    """Those of a kind of which somebody has said something in this database."""
    found: dict[Oid, BuiltIn] = {}
    for g in catalog.objects(Grant):
        if g.target < FIRST_USER_OID and g.database_oid in (0, catalog.database_oid):
            thing = of_oid(g.target)
            if thing is not None and thing.kind == kind:
                found[thing.oid] = thing
    return found


def target(catalog: Catalog, oid: Oid) -> Any:
    """What a grant is on: an object of the catalog, or one of these; None: it is gone."""
    return catalog.get(oid) or of_oid(oid)


__all__ = [
    "OF_A_GROUP", "OF_SUPERUSERS", "TABLESPACES", "is_trusted", "languages", "of_function", "of_language", "of_oid",
    "of_relation", "of_tablespace", "spoken_of", "target",
]  # fmt: skip
