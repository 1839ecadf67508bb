"""Rows that are PostgreSQL's own and the same in every database: types, functions, operators, ...

They are read from the facts when first asked for, and kept: a few thousand rows, shared by all
sessions.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from planner.catalog.system.relations import FACTS, fact_lines, relation
from storage.abc import Datum, Row

BOOL, INT2VECTOR, OIDVECTOR, REGPROC = 16, 22, 30, 24
INTEGERS = {20, 21, 23, 26, 28, 2206}
FLOATS = {700, 701}
INTEGER_ARRAYS = {1005, 1007, 1016, 1028, 2211}
TEXT_ARRAYS = {1002, 1003, 1009, 1034}

_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "\\": "\\"}


def unescape(text: str) -> str:
    if "\\" not in text:
        return text
    pieces: list[str] = []
    i = 0
    while i < len(text):
        if text[i] == "\\" and i + 1 < len(text):
            pieces.append(_ESCAPES.get(text[i + 1], text[i + 1]))
            i += 2
        else:
            pieces.append(text[i])
            i += 1
    return "".join(pieces)


def _array(text: str) -> list[str | None]:
    """A one-dimensional array literal without commas inside its elements, as the facts have them."""
    inner = text[1:-1]
    if not inner:
        return []
    return [None if e == "NULL" else e.strip('"') for e in inner.split(",")]


def _datum(text: str, type_oid: int, procs: dict[str, int]) -> Datum:
    if text == "\\N":
        return None
    if type_oid == BOOL:
        return text == "t"
    if type_oid in INTEGERS:
        return int(text)
    if type_oid in FLOATS:
        return float(text)
    if type_oid == REGPROC:
        if text == "-":
            return 0
        return int(text) if text.isdigit() else procs.get(text.rsplit(".", 1)[-1].split("(", 1)[0], 0)
    if type_oid in (INT2VECTOR, OIDVECTOR):
        return [int(x) for x in text.split()]
    if type_oid in INTEGER_ARRAYS:
        return [None if x is None else int(x) for x in _array(text)]
    if type_oid in TEXT_ARRAYS:
        return _array(unescape(text))
    return unescape(text)


@lru_cache(maxsize=1)
def proc_oids() -> dict[str, int]:
    """The OID of a function by its name (the first of several with that name)."""
    found: dict[str, int] = {}
    lines = fact_lines("pg_proc")
    header = next(lines)
    oid, name = header.index("oid"), header.index("proname")
    for fields in lines:
        found.setdefault(fields[name], int(fields[oid]))
    return found


def has_facts(name: str) -> bool:
    """Whether pg_catalog's relation of this name has rows among the facts."""
    return (FACTS / f"{name}.tsv").exists() and name != "relations"


def static_columns(name: str, columns: Sequence[str]) -> list[Row]:
    """Some columns of such a relation's rows, in the order asked for. The relation must be among the facts."""
    target = relation("pg_catalog", name)
    assert target is not None, name
    names = [c.name for c in target.columns]
    places = [names.index(c) for c in columns]
    return [tuple(row[p] for p in places) for row in static_rows(name)]


@lru_cache(maxsize=32)
def static_rows(name: str) -> tuple[Row, ...]:
    """The rows of a pg_catalog relation that PostgreSQL itself brings, in its columns' order."""
    target = relation("pg_catalog", name)
    if target is None or not has_facts(name):
        return ()
    procs = proc_oids()
    lines = fact_lines(name)
    header = next(lines)
    places = [header.index(c.name) for c in target.columns]
    types = [c.type.oid for c in target.columns]
    return tuple(
        tuple(_datum(fields[p], t, procs) for p, t in zip(places, types, strict=True)) for fields in lines
    )
