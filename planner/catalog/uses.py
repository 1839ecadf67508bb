"""What an object says of others: what it is found by when these are to be dropped, renamed or changed.

    Table t (c color, CHECK (valid(c)))     the type color; text with the words `valid` and `c`
    View v                                  has a query; t, of which the query reads; the role that owns it

A DROP asks who needs what goes. In a database with thousands of tables nobody can look through all of them for each object, so
a catalog keeps by each OID and each word of an expression who says it (`IndexedObjects.using`, `wording`). That somebody says a
word makes him one to look at, no more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, Final

from planner.abc import Column, Oid, Table
from planner.catalog.objects import Index, View
from planner.catalog.routine_objects import Function
from planner.catalog.type_objects import CompositeType, Domain, RangeType
from planner.types import oids

Use = Oid | str
"""An OID, a word of an expression, a role (`of_role`), or one of these:"""
HAS_CLASSES: Final = "\0classes"
"""Indexes over classes of operators that are named, or that an extension may have brought."""
HAS_TEXT: Final = "\0text"
HAS_QUERY: Final = "\0query"
HAS_POLICIES: Final = "\0policies"
HAS_RETENTION: Final = "\0retention"
HAS_RULES: Final = "\0rules"
HAS_TRIGGERS: Final = "\0triggers"
HAS_TYPES: Final = "\0types"
"""Columns of domains, or of types that somebody has made."""

_FIRST_NOTED: Final = oids.CITEXT
"""The types of extensions are the first that somebody can drop."""
_words: Final = re.compile(r"\w+")
_ROLE_FIELDS: Final = ("owner", "grantee", "grantor", "role", "user")


def words(text: str) -> list[str]:
    """A name is in no expression that has not each of them among its own."""
    return _words.findall(text)


def of_role(name: str) -> str:
    """Whatever a role owns, was granted, gave, or is the user of."""
    return f"\0role {name}"


def role_fields(thing: Any) -> list[str]:
    """Where an object says roles by name."""
    return [field for field in _ROLE_FIELDS if hasattr(thing, field)]


def uses(thing: Any) -> set[Use]:
    """All that one object is to be found by."""
    found: set[Use] = {of_role(getattr(thing, field)) for field in role_fields(thing)}
    if isinstance(thing, Table):
        _of_table(thing, found)
    elif isinstance(thing, View):
        found.add(HAS_QUERY)
        found.update(thing.depends)
        _of_holder(thing, found)
    elif isinstance(thing, Function):
        found.add(thing.returns)
        found.update(p.declared for p in thing.parameters)
        found.update(thing.depends)
        _say((p.default for p in thing.parameters if p.default is not None), found)
        if thing.standard:
            found.add(HAS_QUERY)
        if thing.aggregate is not None:
            found.update(thing.aggregate.functions)
    elif isinstance(thing, Index):
        _say(thing.texts, found)
        if thing.method not in ("btree", "hash") or any(k.opclass for k in thing.keys):
            found.add(HAS_CLASSES)
        for key in thing.keys:
            _by_key(key.collation, found)
            _by_key(key.opclass, found)
    elif isinstance(thing, Domain):
        found.add(thing.base.oid)
        _by_key(thing.collation, found)
        if thing.default is not None:
            _say((thing.default,), found)
        _say((c.expression for c in thing.constraints), found)
    elif isinstance(thing, CompositeType):
        _of_columns(thing.columns, found)
    elif isinstance(thing, RangeType):
        found.add(thing.subtype.oid)
        _by_key(thing.collation, found)
    return {x for x in found if isinstance(x, str) or x >= _FIRST_NOTED}


def _of_table(table: Table, found: set[Use]) -> None:
    _of_columns(table.columns, found)
    if table.of_type:
        found.add(table.of_type)
    _say((c.expression for c in table.constraints if c.expression), found)
    if table.policies:
        found.add(HAS_POLICIES)
        for policy in table.policies:
            found.update(policy.depends)
    if table.materialized is not None:
        found.add(HAS_QUERY)
        found.update(table.materialized.depends)
    if table.retention_us is not None:
        found.add(HAS_RETENTION)
    _of_holder(table, found)


def _of_columns(columns: Iterable[Column], found: set[Use]) -> None:
    for column in columns:
        oid = column.type.oid
        if oid >= _FIRST_NOTED:
            found.add(oid)
            found.add(HAS_TYPES)
        if column.domain is not None:
            found.add(column.domain.oid)
            found.add(HAS_TYPES)
        if column.sequence_oid:
            found.add(column.sequence_oid)
        if column.default is not None:
            _say((column.default,), found)
        if column.collation:
            _by_key(column.collation, found)


def _by_key(key: str, found: set[Use]) -> None:
    """A collation, or a class of operators, that somebody has made goes by a key that has its OID."""
    if key.startswith("#"):
        found.add(key)


def _of_holder(holder: Table | View, found: set[Use]) -> None:
    if holder.rules:
        found.add(HAS_RULES)
        for rule in holder.rules:
            found.update(rule.depends)
    if holder.triggers:
        found.add(HAS_TRIGGERS)
        found.update(x.function for x in holder.triggers)


def _say(texts: Iterable[str], found: set[Use]) -> None:
    for text in texts:
        found.add(HAS_TEXT)
        found.update(words(text))


__all__ = [
    "HAS_CLASSES",
    "HAS_POLICIES",
    "HAS_QUERY",
    "HAS_RETENTION",
    "HAS_RULES",
    "HAS_TEXT",
    "HAS_TRIGGERS",
    "HAS_TYPES",
    "Use",
    "of_role",
    "role_fields",
    "uses",
    "words",
]  # fmt: skip
