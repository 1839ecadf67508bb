"""Who may do what, as access-control lists are written: `grantee=arwd/grantor`."""

from __future__ import annotations

from planner.abc import Oid
from planner.catalog import rights
from planner.catalog.catalog import Catalog
from planner.catalog.objects import BuiltIn, Grant

LETTERS = {
    "SELECT": "r",
    "INSERT": "a",
    "UPDATE": "w",
    "DELETE": "d",
    "TRUNCATE": "D",
    "REFERENCES": "x",
    "TRIGGER": "t",
    "USAGE": "U",
    "CREATE": "C",
    "CONNECT": "c",
    "TEMPORARY": "T",
    "TEMP": "T",
    "EXECUTE": "X",
    "SET": "s",
    "ALTER SYSTEM": "A",
}
_ORDER = "arwdDxtXUCTcsA"
OWNER = {
    "r": "arwdDxt", "S": "rwU", "n": "UC", "d": "CTc", "f": "X", "T": "U", "F": "U", "l": "U", "t": "C", "p": "sA",
    "L": "rw",
}  # fmt: skip
"""What an owner has, by kind of object: relation, sequence, schema, database, function, type, foreign-data wrapper or server, language,
tablespace, setting, large object."""
PUBLIC_HAS = {"d": "Tc", "f": "X", "T": "U", "l": "U"}
"""What everybody has until somebody says otherwise."""


def acl(catalog: Catalog, oid: Oid, owner: str, kind: str, *, system: bool = False) -> list[str] | None:
    """The list of an object, or None where nothing was ever granted. `system`: a schema that everybody may use."""
    grants = [g for g in catalog.grants_on(oid) if g.attnum == 0]
    if not grants and not system:
        return None
    said = {g.grantee for g in grants}
    items: list[str] = []
    if "" not in said and kind in PUBLIC_HAS:
        items.append(f"={PUBLIC_HAS[kind]}/{owner}")
    if owner not in said:
        items.append(f"{owner}={OWNER[kind]}/{owner}")
    if "" not in said and system:
        items.append(f"=U/{owner}")
    for g in grants:
        shown = letters(g, OWNER[kind])
        if shown:
            items.append(f"{g.grantee}={shown}/{g.grantor}")
    return items


_KIND_LETTERS = {"table": "r", "function": "f", "language": "l", "tablespace": "t", "parameter": "p"}


def built_in_acl(catalog: Catalog, thing: BuiltIn) -> list[str] | None:
    """The list of one of PostgreSQL's own objects, as initdb wrote it down where nobody has spoken of it since."""
    all_of_kind = OWNER[_KIND_LETTERS[thing.kind]]
    said = [g for g in catalog.grants_on(thing.oid) if not g.attnum]
    if said:  # what initdb gave among it
        shown = ((g, letters(g, all_of_kind)) for g in said)
        return [f"{g.grantee}={given}/{g.grantor}" for g, given in shown if given]
    return first_acl(thing) if thing.written else None


def first_acl(thing: BuiltIn) -> list[str]:
    """What initdb wrote down."""
    return [
        f"{grantee}={_letters(rights.unsaid(thing, grantee))}/{thing.owner}"
        for grantee in dict.fromkeys((thing.owner, rights.PUBLIC, thing.group))
        if rights.unsaid(thing, grantee)
    ]


def first_column_acl(thing: BuiltIn, attnum: int) -> list[str] | None:
    return [f"=r/{thing.owner}"] if attnum in thing.public_columns else None


def _letters(privileges: frozenset[str]) -> str:
    held = {LETTERS[p.upper()] for p in privileges}
    return "".join(c for c in _ORDER if c in held)


def column_acl(catalog: Catalog, oid: Oid, attnum: int) -> list[str] | None:
    """The list of a column, or None where nothing was ever granted on it."""
    items = [
        f"{g.grantee}={letters(g, 'arwx')}/{g.grantor}"
        for g in catalog.grants_on(oid)
        if g.attnum == attnum and g.privileges
    ]
    return items or None


def letters(g: Grant, all_of_kind: str) -> str:
    """The privileges of a grant, each with a star if it may be passed on."""
    given, grantable = {p.upper() for p in g.privileges}, {p.upper() for p in g.grantable}
    held = {LETTERS[p]: p in grantable for p in given if p in LETTERS}
    if "ALL" in given or "ALL PRIVILEGES" in given:
        held = dict.fromkeys(all_of_kind, False)
    return "".join(c + ("*" if held[c] else "") for c in _ORDER if c in held)
