"""Enums: CREATE TYPE ... AS ENUM, and ALTER TYPE's labels, which are added and renamed but never dropped.

Rows hold a label as text, so one that is renamed is written anew in every table with a column of the type, each in a
new shard; and defaults that are the label follow it:

    ALTER TYPE mood RENAME VALUE 'sad' TO 'blue'    ->    CASE CAST(m AS text) WHEN 'sad' THEN 'blue' ELSE ... END

Arrays and composite values keep labels inside of other texts, and a condition or a query may mean the label by the
same string as anything else: there renaming is refused.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from planner import statements as st
from planner.abc import Column, PlanError, Table
from planner.catalog import CompositeType, Domain, EnumType, quote_identifier
from planner.catalog.stored_queries import stored_queries
from planner.ddl import others
from planner.ddl.constraints import definitions as constraints
from planner.ddl.scope import Scope
from planner.ddl.tables import creation as tables
from planner.lexer import STRING, tokenize
from planner.records import replace

LABEL_BYTES_MAX: Final = 63


def create_enum(scope: Scope, said: st.CreateEnum) -> None:
    schema = others.place(scope, said.name)
    for label in said.labels:
        _refuse_label(label)
        if said.labels.count(label) > 1:
            raise PlanError(
                "23505", 'duplicate key value violates unique constraint "pg_enum_typid_label_index"'
            )
    oid, array = scope.allocate(), scope.allocate()
    labels = tuple(scope.allocate() for _ in said.labels)
    scope.add(EnumType(oid, schema.oid, said.name.name, array, said.labels, labels, scope.user))


def _refuse_label(label: str) -> None:
    if len(label.encode()) > LABEL_BYTES_MAX:
        raise PlanError(
            "42602",
            f'invalid enum label "{label}"',
            detail=f"Labels must be {LABEL_BYTES_MAX} bytes or less.",
        )


def alter_enum(scope: Scope, said: st.AlterEnum) -> None:
    found = others.user_type(scope, said.name)
    if not isinstance(found, EnumType):
        raise PlanError("42809", f"{said.name} is not an enum")
    if said.rename_to is not None:
        _rename(scope, found, said.label, said.rename_to)
        return
    _refuse_label(said.label)
    labels, oids = list(found.labels), list(found.label_oids)
    if said.label in labels:
        if said.if_not_exists:
            scope.notice(f'enum label "{said.label}" already exists, skipping', "42710")
            return
        raise PlanError("42710", f'enum label "{said.label}" already exists')
    neighbour = said.before if said.before is not None else said.after
    if neighbour is not None and neighbour not in labels:
        raise PlanError("22023", f'"{neighbour}" is not an existing enum label')
    at = len(labels)
    if neighbour is not None:
        at = labels.index(neighbour) + (0 if said.before is not None else 1)
    places = _with_place(found.places or tuple(range(1, len(labels) + 1)), at)
    labels.insert(at, said.label)
    oids.insert(at, scope.allocate())
    made = replace(
        found,
        labels=tuple(labels),
        label_oids=tuple(oids),
        places=places,
        unsafe=(*found.unsafe, said.label),
    )
    scope.replace(found, made)


def _with_place(places: Sequence[float], at: int) -> tuple[float, ...]:
    """enumsortorder with one more label: a float4 between its neighbours'; where there is none all are numbered anew."""
    if not places:
        return (1.0,)
    if at == len(places):
        place = _float4(places[-1] + 1)
    elif at == 0:
        place = _float4(places[0] - 1)
    else:
        place = _float4(_float4(places[at - 1] + places[at]) / 2)
        if place in (places[at - 1], places[at]):
            return _with_place(range(1, len(places) + 1), at)
    return (*map(float, places[:at]), place, *map(float, places[at:]))


def _float4(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


def _rename(scope: Scope, found: EnumType, old: str, new: str) -> None:
    _refuse_label(new)
    if old not in found.labels:
        raise PlanError("22023", f'"{old}" is not an existing enum label')
    if new in found.labels:
        raise PlanError("42710", f'enum label "{new}" already exists')
    _refuse_hidden(scope, found, old)
    for table in scope.catalog.tables_using(found.oid):
        if any(c.type.oid == found.oid for c in table.columns):
            _write_anew(scope, table, found, old, new)
    labels = tuple(new if label == old else label for label in found.labels)
    unsafe = tuple(new if label == old else label for label in found.unsafe)
    scope.replace(found, replace(found, labels=labels, unsafe=unsafe))


def _write_anew(scope: Scope, table: Table, found: EnumType, old: str, new: str) -> None:
    """The table in a new shard, with the new label for the old one."""
    cells = []
    columns: list[Column] = []
    for column in table.columns:
        name = quote_identifier(column.name)
        if column.type.oid == found.oid:
            text = f"CAST({name} AS text)"
            cells.append(f"CASE {text} WHEN {_literal(old)} THEN {_literal(new)} ELSE {text} END")
            if column.default is not None and not column.generated:
                column = replace(column, default=_renamed_default(column.default, old, new))
        else:
            cells.append(name)
        columns.append(column)
    made = replace(table, columns=tuple(columns), shard=tables.shard_of(scope.allocate()))
    query = f"SELECT {', '.join(cells)} FROM {constraints.qualified(scope, table)}"
    scope.replace(table, made)
    scope.rewrite(table, made, query, scope.before)


def _literal(label: str) -> str:
    return "'" + label.replace("'", "''") + "'"


def _renamed_default(text: str, old: str, new: str) -> str:
    """A default that is the label, with or without a cast behind it."""
    first, *rest = tokenize(text)
    if first.kind == STRING and first.value == old and (len(rest) == 1 or rest[0].value == "::"):
        return _literal(new) + text[first.end :]
    return text


def _keeps_label(column: Column, found: EnumType, label: str) -> bool:
    """Whether a default says the label where `_renamed_default` does not follow it."""
    assert column.default is not None
    if column.type.oid == found.oid:
        return _renamed_default(column.default, label, f"not {label}") == column.default
    return any(t.value == found.name for t in tokenize(column.default))


def _refuse_hidden(scope: Scope, found: EnumType, label: str) -> None:
    """Raises 0A000 where the label may be inside of other texts: arrays, composite values, expressions, queries."""
    catalog = scope.catalog
    of_it = (found.oid, found.array_oid)
    made = [x for x in catalog.using(*of_it) if isinstance(x, CompositeType | Domain)]
    holders = [f"type {x.name}" for x in made]
    using = [t for t in catalog.tables_using(*of_it) if any(c.type.oid in of_it for c in t.columns)]
    for table in using:
        texts = [c.expression for c in table.constraints]
        texts += [c.default for c in table.columns if c.generated and c.default]
        for index in catalog.indexes_of(table.oid):
            texts += [index.predicate, *(k.expression for k in index.keys)]
        texts += [c.default for c in table.columns if c.default and _keeps_label(c, found, label)]
        if any(c.type.oid == found.array_oid for c in table.columns) or _says(texts, label):
            holders.append(f"table {table.name}")
    needed = {found.oid, *(t.oid for t in using)}
    holders += [
        f"view {q.holder.name}"
        for q in stored_queries(catalog)
        if needed & set(q.depends) and _says([q.query], label)
    ]
    if holders:
        raise PlanError(
            "0A000",
            f"renaming a label of enum {found.name} that {holders[0]} may hold inside of other values is not supported",
        )


def _says(texts: list[str], label: str) -> bool:
    return any(t.kind == STRING and t.value == label for text in texts if text for t in tokenize(text))
