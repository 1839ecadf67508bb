"""Which of PostgreSQL's classes of operators an index's key has: the one that it names, or its method's default for its type."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from planner import types
from planner.abc import Oid
from planner.catalog import classes_of_operators
from planner.catalog.system.classes import BTREE_AM, INDEX_METHODS
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.static import static_columns, static_rows
from planner.types.oids import ANYARRAY, ANYENUM, ANYMULTIRANGE, ANYRANGE, TEXT, VARCHAR
from planner.types.user_ranges import spanned


@lru_cache(maxsize=1)
def _opclasses() -> tuple[dict[tuple[Oid, Oid], Oid], dict[tuple[Oid, str], Oid]]:
    """Classes of operators: the default ones by access method and type, and all by access method and name."""
    defaults: dict[tuple[Oid, Oid], Oid] = {}
    named: dict[tuple[Oid, str], Oid] = {}
    place = RowMaker("pg_opclass").relation.position
    for row in static_rows("pg_opclass"):
        oid, method = row[place("oid")], row[place("opcmethod")]
        named[method, row[place("opcname")]] = oid
        if row[place("opcdefault")]:
            defaults[method, row[place("opcintype")]] = oid
    return defaults, named


def opclass_for(access: str, said: str, of: Oid) -> Oid:
    """The class of operators of an access method for a type, the default one or that of a name; 0: there is none."""
    defaults, named = _opclasses()
    method = INDEX_METHODS.get(access, BTREE_AM)
    if said.startswith("#"):
        return classes_of_operators.oid_of(said)
    if said:
        return named.get((method, said.rpartition(".")[2]), 0)
    spans = spanned(of)
    if spans is not None:
        of = ANYRANGE if of == spans.range_oid else ANYMULTIRANGE
    elif types.labels_of(of) is not None:
        of = ANYENUM
    alike = ANYARRAY if types.element_of(of) else TEXT if of == VARCHAR else of
    return defaults.get((method, of)) or defaults.get((method, alike), 0)


def has_default_class(access: str, of: Oid) -> bool:
    """Whether an index of the method may be over the type without saying by what operators."""
    return (INDEX_METHODS[access], of) in _opclasses()[0]


_EQUAL: Final = 3
"""The number of `=` among a B-tree's operators."""


@lru_cache(maxsize=1)
def equality_of_classes() -> tuple[dict[Oid, tuple[Oid, Oid]], dict[tuple[Oid, Oid, Oid], Oid]]:
    """Of B-tree's classes: family and type of each, and the operator `=` of each family between two types."""
    classes = {
        int(oid): (int(family), int(takes))
        for oid, method, family, takes in static_columns(
            "pg_opclass", ("oid", "opcmethod", "opcfamily", "opcintype")
        )
        if method == BTREE_AM
    }
    operators = static_columns(
        "pg_amop", ("amopfamily", "amoplefttype", "amoprighttype", "amopstrategy", "amopmethod", "amopopr")
    )
    equal = {
        (int(family), int(left), int(right)): int(operator)
        for family, left, right, number, method, operator in operators
        if number == _EQUAL and method == BTREE_AM
    }
    return classes, equal
