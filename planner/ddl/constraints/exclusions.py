"""EXCLUDE constraints: which operators they may have, and what is recorded of them.

An operator must be its own mirror (whether two rows exclude each other does not depend on which came first), and one
that the index's access method knows for the type. No index is ever searched here, so that is asked for PostgreSQL's sake
alone: what is accepted can be restored there. `gist` takes the types of the extension btree_gist as if it were there.
"""

from __future__ import annotations

from typing import Final

from sqlglot import exp

from planner import statements as st
from planner import types
from planner.abc import Column, Constraint, Oid, PlanError, Table, TypeRef
from planner.binding.naming import identifier
from planner.catalog import Catalog, Index, IndexKey, quote_identifier
from planner.catalog.exclusions import conflicts, index_of
from planner.catalog.system.definitions import index_column
from planner.catalog.system.operator_choice import has_default_class
from planner.ddl import collations, limits, naming
from planner.ddl.constraints import definitions as constraints
from planner.ddl.constraints import names as constraint_names
from planner.ddl.constraints import own_names
from planner.ddl.constraints.collated_keys import refuse_keys
from planner.ddl.constraints.index_classes import key_class, require_own_order
from planner.ddl.plan import DataCheck
from planner.ddl.scope import Scope
from planner.parse import parse_expression
from planner.records import replace
from planner.types.enums import labels_of
from planner.types.oids import ANYARRAY
from planner.types.orders import UNORDERED
from planner.types.user_ranges import spanned

_ANYRANGE, _ANYMULTIRANGE, _ANYENUM = 3831, 4537, 3500
_METHODS: Final = frozenset(("btree", "hash", "gist", "spgist"))
_WITHOUT: Final = frozenset(("gin", "brin"))
_MIRRORED: Final = frozenset(("=", "<>", "&&", "-|-"))
_SUMS: Final = frozenset(("+", "*", "&", "|", "#"))
"""Mirrored as well, and of no access method's."""
_SCALARS: Final = frozenset(
    (types.INT2, types.INT4, types.INT8, types.FLOAT4, types.FLOAT8, types.NUMERIC, types.TEXT, types.VARCHAR,
     types.BPCHAR, types.BYTEA, types.BOOL, types.UUID, types.DATE, types.TIME, types.TIMETZ, types.TIMESTAMP,
     types.TIMESTAMPTZ, types.INTERVAL, types.OID, types.BIT, types.VARBIT, types.INET, types.CIDR, types.MACADDR,
     types.MACADDR8)
)  # fmt: skip
"""What btree_gist has classes of operators for, besides enums."""
_AREAS: Final = frozenset((types.BOX, types.CIRCLE, types.POLYGON))


def add(scope: Scope, table: Table, said: st.ConstraintDef, has_rows: bool) -> Table:
    """The table with the constraint. Raises 42704, 42809, 42883, 42703, 0A000."""
    method = said.method
    if method in _WITHOUT:
        raise PlanError("0A000", f'access method "{method}" does not support exclusion constraints')
    if method not in _METHODS:
        raise PlanError("42704", f'access method "{method}" does not exist')
    if said.expression is not None:
        constraints.refuse_subqueries(said.expression, "index predicate")
        constraints.verify_boolean(scope, table, said.expression, "WHERE", "index predicates")
    keys: list[IndexKey] = []
    labels: list[str] = []
    operands: list[Oid] = []
    for given, operator in zip(said.elements, said.operators, strict=True):
        element = _plain(scope, table, given)
        key, kind = _key(scope, table, said, element)
        _verify_operator(scope, table, method, key, kind, operator)
        operands.append(_operand(kind))
        keys.append(key)
        labels.append(element.column or naming.of_expression(key.expression))
    include: list[int] = []
    for column_name in said.include:
        column = constraints.find_column(table, column_name)
        if column is None:
            raise PlanError("42703", f'column "{column_name}" named in key does not exist')
        include.append(column.attnum)
        labels.append(column_name)
    limits.refuse_index_columns(len(keys) + len(include))
    if said.name:
        name = said.name
        scope.refuse_duplicate(scope.catalog.schema_of(table.schema_oid), name)
    else:
        name = naming.choose(
            table.name, naming.joined(labels), "excl", constraint_names.is_taken_for_key(scope, table)
        )
    constraint = Constraint(
        scope.allocate(),
        name,
        "x",
        tuple(k.attnum for k in keys if k.attnum),
        index_oid=scope.allocate(),
        deferrable=said.deferrable,
        deferred=said.initially_deferred,
        operators=said.operators,
        operands=tuple(operands),
    )
    index = Index(
        constraint.index_oid,
        table.schema_oid,
        name,
        table.oid,
        tuple(keys),
        method=method,
        predicate=own_names.kept(scope, table, said.expression.text) if said.expression is not None else "",
        include=tuple(include),
        constraint_oid=constraint.oid,
    )
    scope.add(index)
    table = replace(table, constraints=(*table.constraints, constraint))
    if has_rows:
        scope.checks.append(_check(scope, table, index, said.operators))
    return table


def _plain(scope: Scope, table: Table, element: st.IndexElement) -> st.IndexElement:
    """A column in parentheses is the column."""
    tree = parse_expression(element.expression.text).unnest() if element.expression is not None else None
    if (
        isinstance(tree, exp.Column)
        and own_names.is_own_column(scope, table, tree)
        and constraints.find_column(table, identifier(tree.this)) is not None
    ):
        return replace(element, column=identifier(tree.this), expression=None)
    return element


def _key(
    scope: Scope, table: Table, said: st.ConstraintDef, element: st.IndexElement
) -> tuple[IndexKey, TypeRef]:
    if said.method != "btree" and (element.descending or element.nulls_first is not None):
        what = "ASC/DESC" if element.descending else "NULLS FIRST/LAST"
        raise PlanError("0A000", f'access method "{said.method}" does not support {what} options')
    nulls_first = element.descending if element.nulls_first is None else element.nulls_first
    opclass = key_class(scope, said.method, element.opclass, None)
    require_own_order(scope, opclass, "an exclusion constraint")
    tail = (
        element.descending,
        nulls_first,
        opclass,
        collations.resolved(scope, element.collation, None, element.position),
    )
    if element.column:
        column = constraints.find_column(table, element.column)
        if column is None:
            raise PlanError("42703", f'column "{element.column}" named in key does not exist')
        refuse_keys([replace(column, collation=tail[3] or column.collation)], "exclusion constraints")
        return IndexKey(column.attnum, "", *tail), column.type
    assert element.expression is not None
    constraints.refuse_subqueries(element.expression, "index expression")
    plan = scope.plan_expression(element.expression, constraints.qualified(scope, table), "index expressions")
    assert plan.columns is not None
    refuse_keys(
        [Column("expression", plan.columns[0].type, 0, collation=tail[3] or plan.columns[0].collation)],
        "exclusion constraints",
    )
    kind = plan.columns[0].type
    if kind.oid == types.UNKNOWN:
        kind = TypeRef(types.TEXT)
    return IndexKey(0, own_names.kept(scope, table, element.expression.text), *tail), kind


def _verify_operator(
    scope: Scope, table: Table, method: str, key: IndexKey, kind: TypeRef, operator: str
) -> None:
    unordered = (
        method in ("btree", "hash") and kind.oid in UNORDERED and not has_default_class(method, kind.oid)
    )
    if (
        kind.oid in (types.JSON, types.XML)
        or unordered
        or (method in ("gist", "spgist") and not _has_class(method, kind))
    ):
        raise PlanError(
            "42704",
            f'data type {types.type_in_words(kind.oid)} has no default operator class for access method "{method}"',
            hint="You must specify an operator class for the index or define a default operator class "
            "for the data type.",
        )
    column = next((c.name for c in table.columns if c.attnum == key.attnum), "") if key.attnum else ""
    text = quote_identifier(column) if column else f"({key.expression})"
    plan = scope.plan_expression(st.Sql(f"{text} {operator} {text}"), constraints.qualified(scope, table))
    assert plan.columns is not None
    operand = types.BY_OID[_operand(kind)].typname
    operand = operand if operand.startswith("any") else types.format_type(TypeRef(_operand(kind)))
    shown = f"{operator}({operand},{operand})"
    if operator not in _MIRRORED and operator not in _SUMS:
        raise PlanError(
            "42809",
            f"operator {shown} is not commutative",
            detail="Only commutative operators can be used in exclusion constraints.",
        )
    if operator not in _family(method, kind):
        raise PlanError(
            "42809",
            f'operator {shown} is not a member of operator family "{_family_name(method, kind)}"',
            detail="The exclusion operator must be related to the index operator class for the constraint.",
        )


def _spans(kind: TypeRef) -> str:
    """`range`, `multirange` or nothing."""
    found = spanned(kind.oid)
    return "" if found is None else "range" if kind.oid == found.range_oid else "multirange"


def _is_enum(kind: TypeRef) -> bool:
    return labels_of(kind.oid) is not None


def _has_class(method: str, kind: TypeRef) -> bool:
    if method == "spgist" and kind.oid in _AREAS - {types.CIRCLE}:
        return True
    if method == "spgist":
        return _spans(kind) == "range" or kind.oid in (types.INET, types.CIDR, types.TEXT, types.VARCHAR)
    return bool(_spans(kind)) or kind.oid in _SCALARS or kind.oid in _AREAS or _is_enum(kind)


def _family(method: str, kind: TypeRef) -> frozenset[str]:
    """The operators of `_MIRRORED` that a method has for a type."""
    if method in ("btree", "hash"):
        return frozenset("=")
    if spans := _spans(kind):
        return frozenset(("=", "&&", "-|-")) if spans == "range" or method == "gist" else frozenset()
    if kind.oid in (types.INET, types.CIDR):
        return frozenset(("=", "<>", "&&"))
    if kind.oid in _AREAS:
        return frozenset(("&&",))
    return frozenset("=") if method == "spgist" else frozenset(("=", "<>"))


_FAMILIES: Final = {
    **dict.fromkeys((types.INT2, types.INT4, types.INT8), "integer"),
    **dict.fromkeys((types.FLOAT4, types.FLOAT8), "float"),
    **dict.fromkeys((types.DATE, types.TIMESTAMP, types.TIMESTAMPTZ), "datetime"),
    types.VARCHAR: "text",
    types.CIDR: "network",
    types.INET: "network",
}


def _family_name(method: str, kind: TypeRef) -> str:
    if spans := _spans(kind):
        return f"{spans}_ops"
    if _is_enum(kind):
        return "gist_enum_ops" if method == "gist" else "enum_ops"
    if types.element_of(kind.oid):
        return "array_ops"
    if kind.oid in _AREAS:
        return {types.BOX: "box_ops", types.CIRCLE: "circle_ops", types.POLYGON: "poly_ops"}[kind.oid]
    if method == "gist":
        short = types.BY_OID[types.TEXT if kind.oid == types.VARCHAR else kind.oid].typname
        return f"gist_{short}_ops"
    return f"{_FAMILIES.get(kind.oid) or types.BY_OID[kind.oid].typname}_ops"


def _operand(kind: TypeRef) -> Oid:
    """The type that an operator is declared with."""
    if spans := _spans(kind):
        return _ANYRANGE if spans == "range" else _ANYMULTIRANGE
    if _is_enum(kind):
        return _ANYENUM
    if types.element_of(kind.oid):
        return ANYARRAY
    if types.composite_fields(kind.oid) is not None:
        return types.RECORD
    return types.TEXT if kind.oid == types.VARCHAR else kind.oid


def _check(scope: Scope, table: Table, index: Index, operators: tuple[str, ...]) -> DataCheck:
    count = len(index.keys)
    names = [index_column(table, index, i + 1, scope.catalog, pretty=True) for i in range(count)]
    shown = constraints.literally(", ".join(names))
    mine, theirs = (", ".join(f"{{{i + n}}}" for i in range(count)) for n in (0, count))
    return DataCheck(
        conflicts(scope.catalog, table, index, operators, whole=True),
        "23P01",
        f'could not create exclusion constraint "{index.name}"',
        f"Key ({shown})=({mine}) conflicts with key ({shown})=({theirs}).",
        table,
        index.name,
    )


def said_again(catalog: Catalog, table: Table, constraint: Constraint) -> st.ConstraintDef:
    """What would make the constraint anew, for a table with the same columns, under a name that is chosen."""
    index = index_of(catalog, constraint)
    names = {c.attnum: c.name for c in table.columns}
    elements = tuple(
        st.IndexElement(
            names[k.attnum] if k.attnum else "",
            None if k.attnum else st.Sql(k.expression),
            k.descending,
            k.nulls_first if k.nulls_first != k.descending else None,
            k.opclass,
            k.collation,
        )
        for k in index.keys
    )
    return st.ConstraintDef(
        "x",
        expression=st.Sql(index.predicate) if index.predicate else None,
        deferrable=constraint.deferrable,
        initially_deferred=constraint.deferred,
        include=tuple(names[a] for a in index.include),
        method=index.method,
        elements=elements,
        operators=constraint.operators,
    )


def placeless(said: st.ConstraintDef) -> st.ConstraintDef:
    """The same for what is said in two places."""
    elements = tuple(
        replace(e, position=0, expression=st.Sql(e.expression.text) if e.expression else None)
        for e in said.elements
    )
    where = st.Sql(said.expression.text) if said.expression is not None else None
    return replace(said, position=0, elements=elements, expression=where)
