"""Who may do what, as access-control lists are written: `grantee=arwd/grantor`."""

from __future__ import annotations

from planner.abc import Oid
from planner.catalog.catalog import Catalog

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
}
_ORDER = "arwdDxtXUCTc"
OWNER = {"r": "arwdDxt", "S": "rwU", "n": "UC", "d": "CTc"}
"""What an owner has, by kind of object: relation, sequence, schema, database."""


def acl(catalog: Catalog, oid: Oid, owner: str, kind: str) -> list[str] | None:
    """The list of an object, or None where nothing was ever granted."""
    grants = [g for g in catalog.grants_on(oid) if g.attnum == 0]
    if not grants:
        return None
    items = [f"{owner}={OWNER[kind]}/{owner}"]
    for g in grants:
        if g.grantee == owner:
            continue
        given, grantable = {p.upper() for p in g.privileges}, {p.upper() for p in g.grantable}
        letters = {LETTERS[p]: p in grantable for p in given if p in LETTERS}
        if "ALL" in given or "ALL PRIVILEGES" in given:
            letters = dict.fromkeys(OWNER[kind], False)
        shown = "".join(c + ("*" if letters[c] else "") for c in _ORDER if c in letters)
        items.append(f"{g.grantee}={shown}/{g.grantor}")
    return items
