"""Enums: CREATE TYPE ... AS ENUM, and ALTER TYPE's labels, which are added and renamed but never dropped.

Rows hold a label as text, so one that is renamed is written anew in every table with a column of the type, each in a
new shard; and defaults that are the label follow it, those of parameters, too:

    ALTER TYPE mood RENAME VALUE 'sad' TO 'blue'    ->    CASE CAST(m AS text) WHEN 'sad' THEN 'blue' ELSE ... END

In arrays it is put in the place of elements. Composite values and ranges keep labels inside of other texts, and a condition, an array's
default or a query may mean the label by the same string as anything else: there renaming is refused, as it is where policies, rules,
triggers and bodies of the standard's form say it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

from planner import statements as st
from planner.abc import Column, Oid, PlanError, Table
from planner.catalog import CompositeType, Domain, EnumType, Function, RangeType, View, quote_identifier
from planner.catalog.routine_objects import Parameter
from planner.catalog.stored_queries import stored_queries
from planner.catalog.uses import HAS_POLICIES, HAS_RULES, HAS_TRIGGERS
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
    of_it = (found.oid, found.array_oid)
    for table in scope.catalog.tables_using(*of_it):
        if any(c.type.oid in of_it for c in table.columns):
            _write_anew(scope, table, found, old, new)
    for f in _functions(scope, found):
        parameters = tuple(_renamed_parameter(p, found, old, new) for p in f.parameters)
        if parameters != f.parameters:
            scope.replace(f, replace(f, parameters=parameters))
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
        elif column.type.oid == found.array_oid:
            cells.append(f"array_replace(CAST({name} AS text[]), {_literal(old)}, {_literal(new)})")
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


def _functions(scope: Scope, found: EnumType) -> list[Function]:
    """Those that have it among their arguments, or name it in an argument's default."""
    return [x for x in scope.catalog.using(found.oid, found.array_oid) if isinstance(x, Function)]


def _renamed_parameter(p: Parameter, found: EnumType, old: str, new: str) -> Parameter:
    if p.default is None or not (p.type.oid == found.oid or _names(p.default, found)):
        return p
    return replace(p, default=_renamed_default(p.default, old, new))


def _names(text: str, found: EnumType) -> bool:
    return any(t.value == found.name for t in tokenize(text))


def _parameter_keeps_label(p: Parameter, found: EnumType, label: str) -> bool:
    """The same of a parameter's default, where a label may be inside of an array's text."""
    if p.default is None or _renamed_parameter(p, found, label, f"not {label}") != p:
        return False
    of_it = p.type.oid in (found.oid, found.array_oid) or _names(p.default, found)
    return of_it and any(t.kind == STRING and label in t.value for t in tokenize(p.default))


def _keeps_label(column: Column, found: EnumType, label: str) -> bool:
    """Whether a default says the label where `_renamed_default` does not follow it."""
    assert column.default is not None
    if column.type.oid == found.oid:
        return _renamed_default(column.default, label, f"not {label}") == column.default
    of_it = column.type.oid == found.array_oid or _names(column.default, found)
    return of_it and _holds([column.default], label)


def _holds(texts: Sequence[str], label: str) -> bool:
    """Whether a constant may be of the label, or of an array with it."""
    return any(t.kind == STRING and label in t.value for text in texts if text for t in tokenize(text))


def _refuse_hidden(scope: Scope, found: EnumType, label: str) -> None:
    """Raises 0A000 where the label may be inside of other texts: composite values, ranges, expressions, queries."""
    catalog = scope.catalog
    of_it = (found.oid, found.array_oid)
    made = [x for x in catalog.using(*of_it) if isinstance(x, CompositeType | Domain | RangeType)]
    holders = [f"type {x.name}" for x in made]
    using = [t for t in catalog.tables_using(*of_it) if any(c.type.oid in of_it for c in t.columns)]
    holders += [f"the bound of table {t.name}" for t in using if _is_bound(t, found)]
    for table in using:
        texts = [c.expression for c in table.constraints]
        texts += [c.default for c in table.columns if c.generated and c.default]
        for index in catalog.indexes_of(table.oid):
            texts += [index.predicate, *(k.expression for k in index.keys)]
        texts += [c.default for c in table.columns if c.default and _keeps_label(c, found, label)]
        if _says(texts, label) or any(
            c.type.oid == found.array_oid and _holds(texts, label) for c in table.columns
        ):
            holders.append(f"table {table.name}")
    needed = {found.oid, *(t.oid for t in using)}
    holders += [
        f"view {q.holder.name}"
        for q in stored_queries(catalog)
        if needed & {*q.depends, *(q.holder.signature if isinstance(q.holder, Function) else ())}
        and _says([q.query], label)
    ]
    holders += [
        f"function {f.name}"
        for f in _functions(scope, found)
        if any(_parameter_keeps_label(p, found, label) for p in f.parameters)
    ]
    holders += [
        f"{'view' if isinstance(r, View) else 'table'} {r.name}"
        for r in catalog.using(HAS_POLICIES, HAS_RULES, HAS_TRIGGERS)
        if isinstance(r, Table | View) and _says(_texts_beside(r, needed), label)
    ]
    if holders:
        raise PlanError(
            "0A000",
            f"renaming a label of enum {found.name} that {holders[0]} may hold inside of other values is not supported",
        )


def _is_bound(table: Table, found: EnumType) -> bool:
    """Whether a partition's bound may be of the enum's labels."""
    kinds = {c.attnum: c.type.oid for c in table.columns}
    tests = table.partition.tests if table.partition is not None else ()
    return any(kinds.get(attnum) == found.oid for test in tests for attnum in test.columns)


def _texts_beside(relation: Table | View, needed: set[Oid]) -> list[str]:
    """What policies, rules and triggers say that may be of the type, or of rows with it."""
    own = relation.oid in needed
    rules = [r for r in relation.rules if own or needed & set(r.depends)]
    texts = [text for r in rules for text in (r.condition, *r.actions)]
    texts += [trigger.condition for trigger in relation.triggers if own]
    if isinstance(relation, Table):
        policies = [x for x in relation.policies if own or needed & set(x.depends)]
        texts += [text for x in policies for text in (x.using, x.check)]
    return texts


def _says(texts: list[str], label: str) -> bool:
    return any(t.kind == STRING and t.value == label for text in texts if text for t in tokenize(text))
