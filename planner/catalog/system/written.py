"""Expressions of the catalog as PostgreSQL shows them, remembered: tools ask for the same ones again and again.

The catalog keeps what was said; `planner.binding.deparse.expressions` says what PostgreSQL would say of it. Where that has no
words for something, it is shown as it was said, keywords in capitals.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from planner.abc import Column, Policy, Rule, SqlError, Table, TypeRef
from planner.catalog.catalog import Catalog
from planner.catalog.objects import FIRST_USER_OID, View
from planner.catalog.routine_objects import Function
from planner.catalog.stored_queries import StoredQuery
from planner.catalog.type_objects import CompositeType, Domain, EnumType, RangeType
from planner.types.oids import TEXT

_NO_TABLE: Final = Table(0, 0, "", (), (), "")
"""Whose columns an expression without any is over."""
_REMEMBERED_MAX: Final = 8_192
_remembered: dict[object, str | None] = {}
_called: dict[object, frozenset[int]] = {}
_read: dict[object, frozenset[tuple[int, int]] | None] = {}
_typed: dict[object, tuple[TypeRef, str]] = {}

_WORDS = re.compile(
    r"""('(?:[^']|'')*'|"(?:[^"]|"")*")|\b(and|or|not|is|null|in|like|ilike|between|case|when|then|else|end|distinct|from|any|all"""
    r"""|current_date|current_timestamp|current_time|localtimestamp|localtime|current_user|session_user|current_role|normalized|value)\b""",
    re.IGNORECASE,
)


def spelled(text: str) -> str:
    """An expression with its keywords in capitals: second best."""
    return _WORDS.sub(lambda m: m[1] or m[2].upper(), text.strip())


def condition(
    catalog: Catalog, table: Table, text: str, search_path: tuple[str, ...], pretty: bool = False
) -> str | None:
    """An expression over a table's columns; None where it can only be `spelled`."""
    return _looked_up(catalog, table, text, None, search_path, pretty)


def column_default(
    catalog: Catalog, table: Table, column: Column, search_path: tuple[str, ...]
) -> str | None:
    """A default or generation expression; None where it can only be `spelled`."""
    assert column.default is not None
    target = None if column.generated else TypeRef(column.type.oid)
    return _looked_up(catalog, table, column.default, target, search_path, False)


def _looked_up(
    catalog: Catalog,
    table: Table,
    text: str,
    target: TypeRef | None,
    search_path: tuple[str, ...],
    pretty: bool,
) -> str | None:
    key = (catalog.version, table.oid, table.columns, text, target, search_path, pretty)
    if key in _remembered:
        return _remembered[key]
    if len(_remembered) >= _REMEMBERED_MAX:
        _remembered.clear()
    found = _remembered[key] = _written(catalog, table, text, target, search_path, pretty)
    return found


def _written(
    catalog: Catalog,
    table: Table,
    text: str,
    target: TypeRef | None,
    search_path: tuple[str, ...],
    pretty: bool,
) -> str | None:
    from planner.binding.deparse import expressions as deparse  # which stands on the catalog itself
    from planner.catalog.system.definitions import type_name
    from planner.plan_context import PlanContext

    ctx = PlanContext(catalog, search_path, trusted=True)

    def named(ref: TypeRef) -> str:
        return type_name(catalog, ref, search_path)

    try:
        if target is not None:
            return deparse.default_text(ctx, table, text, target, named)
        return deparse.expression_text(ctx, table, text, named, pretty)
    except deparse.NotWritable:
        return None


def type_of(catalog: Catalog, table: Table, text: str) -> tuple[TypeRef, str]:
    """The type of an expression over a table's columns, and the collation that it carries."""
    from planner.binding import collating, collations_met  # which stand on the catalog itself
    from planner.binding.deparse import expressions as deparse
    from planner.plan_context import PlanContext

    key = (catalog.version, table.oid, table.columns, text)
    if key not in _typed:
        if len(_typed) >= _REMEMBERED_MAX:
            _typed.clear()
        try:
            with collations_met.meeting(told=True):
                node, _ = deparse.bound_expression(PlanContext(catalog, trusted=True), table, text)
                _typed[key] = TypeRef(node.type.oid, node.type.typmod), collating.carried(node)
        except SqlError:  # what no longer can be bound
            _typed[key] = TypeRef(TEXT), ""
    return _typed[key]


def columns_named(catalog: Catalog, table: Table, text: str) -> frozenset[int]:
    """The numbers of the columns that a publication's condition names."""
    from planner.binding.rights import row_filters  # which stands on the catalog itself
    from planner.plan_context import PlanContext

    key = ("columns", catalog.version, table.oid, table.columns, text)
    if key not in _called:
        if len(_called) >= _REMEMBERED_MAX:
            _called.clear()
        _called[key] = row_filters.columns(PlanContext(catalog, (), trusted=True), table, text)
    return _called[key]


def trigger_condition(
    catalog: Catalog, holder: Table | View, text: str, search_path: tuple[str, ...], pretty: bool
) -> str | None:
    """WHEN of a trigger; None where it can only be `spelled`."""
    from planner.binding.deparse import expressions as deparse  # which stand on the catalog itself
    from planner.binding.writes import trigger_conditions  # which stand on the catalog itself
    from planner.catalog.system.definitions import type_name
    from planner.plan_context import PlanContext

    key = ("when", catalog.version, holder.oid, holder.columns, text, search_path, pretty)
    if key not in _remembered:
        if len(_remembered) >= _REMEMBERED_MAX:
            _remembered.clear()
        ctx = PlanContext(catalog, search_path, trusted=True)
        try:
            _remembered[key] = trigger_conditions.shown(
                ctx,
                trigger_conditions.rows_of(holder),
                text,
                lambda ref: type_name(catalog, ref, search_path),
                pretty,
            )
        except deparse.NotWritable:
            _remembered[key] = None
    return _remembered[key]


def domain_condition(
    catalog: Catalog, domain: Domain, text: str, search_path: tuple[str, ...], pretty: bool
) -> str | None:
    """A domain's CHECK; None where it can only be `spelled`."""
    from planner.binding.deparse import domain_conditions, expressions  # which stand on the catalog itself
    from planner.catalog.system.definitions import type_name
    from planner.plan_context import PlanContext

    key = ("domain", catalog.version, domain.oid, domain.base, text, search_path, pretty)
    if key not in _remembered:
        if len(_remembered) >= _REMEMBERED_MAX:
            _remembered.clear()
        ctx = PlanContext(catalog, search_path, trusted=True)
        try:
            _remembered[key] = domain_conditions.shown(
                ctx, domain.base, text, lambda ref: type_name(catalog, ref, search_path), pretty
            )
        except expressions.NotWritable:
            _remembered[key] = None
    return _remembered[key]


def policy_condition(
    catalog: Catalog, table: Table, text: str, path: tuple[str, ...], search_path: tuple[str, ...]
) -> str | None:
    """A policy's condition, with the queries in it; None where it can only be `spelled`."""
    from planner.binding.deparse import expressions as deparse  # which stand on the catalog itself
    from planner.binding.deparse import view_text
    from planner.catalog.system.definitions import qualified, type_name
    from planner.plan_context import PlanContext

    key = ("policy", catalog.version, table.oid, table.columns, text, path, search_path)
    if key not in _remembered:
        if len(_remembered) >= _REMEMBERED_MAX:
            _remembered.clear()
        try:
            _remembered[key] = view_text.policy_text(
                PlanContext(catalog, path, trusted=True),
                table,
                text,
                lambda ref: type_name(catalog, ref, search_path),
                lambda schema_oid, name: qualified(catalog, schema_oid, name, search_path),
            )
        except deparse.NotWritable:
            _remembered[key] = None
    return _remembered[key]


def rule_text(
    catalog: Catalog, holder: Table | View, rule: Rule, text: str, search_path: tuple[str, ...], pretty: bool
) -> str | None:
    """A statement of a rule, or its condition where `text` is empty; None where there are no words for it."""
    from planner.binding.deparse import expressions as deparse  # which stand on the catalog itself
    from planner.binding.deparse import rule_text
    from planner.catalog.system.definitions import qualified, type_name
    from planner.plan_context import PlanContext

    key = ("rule", catalog.version, rule.oid, rule.event, text, search_path, pretty)
    if key not in _remembered:
        if len(_remembered) >= _REMEMBERED_MAX:
            _remembered.clear()
        write = rule_text.action_text if text else rule_text.condition_text
        try:
            _remembered[key] = write(
                PlanContext(catalog, rule.search_path or search_path, trusted=True),
                holder,
                rule.event,
                text or rule.condition,
                lambda ref: type_name(catalog, ref, search_path),
                lambda schema_oid, name: qualified(catalog, schema_oid, name, search_path),
                pretty,
            )
        except deparse.NotWritable:
            _remembered[key] = None
    return _remembered[key]


def view_query(
    catalog: Catalog, kept: StoredQuery, search_path: tuple[str, ...], pretty: bool, wrap: int = 0
) -> str:
    """The query of a view as it is written out; where there are no words for it, as it was said."""
    key = (catalog.version, kept.holder.oid, kept.query, search_path, pretty, wrap)
    found = _remembered.get(key)
    if found is None:
        if len(_remembered) >= _REMEMBERED_MAX:
            _remembered.clear()
        found = _remembered[key] = _view_query(catalog, kept, search_path, pretty, wrap)
    return found


def _view_query(
    catalog: Catalog, kept: StoredQuery, search_path: tuple[str, ...], pretty: bool, wrap: int
) -> str:
    from planner.binding.deparse import expressions as deparse  # which stand on the catalog itself
    from planner.binding.deparse import view_text
    from planner.catalog.system.definitions import qualified, type_name
    from planner.plan_context import PlanContext

    ctx = PlanContext(catalog, kept.path or search_path, trusted=True)
    try:
        return view_text.query_text(
            ctx,
            kept.query,
            [c.name for c in getattr(kept.holder, "columns", ()) if not c.hidden],
            lambda ref: type_name(catalog, ref, search_path),
            lambda schema_oid, name: qualified(catalog, schema_oid, name, search_path),
            pretty,
            wrap,
        )
    except deparse.NotWritable:
        return " " + kept.query.strip().rstrip(";")


def called_by(catalog: Catalog, table: Table, text: str) -> frozenset[int]:
    """The functions in SQL that an expression over a table's columns calls."""
    from planner.binding.deparse import expressions as deparse  # which stands on the catalog itself
    from planner.plan_context import PlanContext

    key = (catalog.version, table.oid, table.columns, text)
    if key not in _called:
        if len(_called) >= _REMEMBERED_MAX:
            _called.clear()
        try:
            _called[key] = deparse.called_functions(PlanContext(catalog, trusted=True), table, text)
        except SqlError:  # what no longer can be bound calls nothing
            _called[key] = frozenset()
    return _called[key]


def types_of_constants(catalog: Catalog, table: Table, text: str) -> frozenset[int]:
    """The types that somebody has made of which an expression over a table's columns has constants, or to which it casts."""
    from planner.binding import ir  # which stand on the catalog itself
    from planner.binding.deparse import expressions as deparse
    from planner.plan_context import PlanContext

    if not any(
        next(iter(catalog.objects(kind)), None) for kind in (EnumType, Domain, CompositeType, RangeType)
    ):
        return frozenset()
    key = ("types", table.oid, table.columns, text)
    if key not in _called:
        if len(_called) >= _REMEMBERED_MAX:
            _called.clear()
        try:
            node, _ = deparse.bound_expression(PlanContext(catalog, trusted=True), table, text)
            _called[key] = frozenset(
                n.type.oid
                for n in ir.walk(node)
                if isinstance(n, ir.Lit | ir.Cast) and n.type.oid >= FIRST_USER_OID
            )
        except SqlError:  # what no longer can be bound has none
            _called[key] = frozenset()
    return _called[key]


def called_by_domain(catalog: Catalog, domain: Domain, text: str) -> frozenset[int]:
    """The functions in SQL that a domain's CHECK calls."""
    from planner.binding.deparse import domain_conditions  # which stands on the catalog itself
    from planner.plan_context import PlanContext

    key = ("domain", catalog.version, domain.oid, domain.base, text)
    if key not in _called:
        if len(_called) >= _REMEMBERED_MAX:
            _called.clear()
        try:
            _called[key] = domain_conditions.called_functions(
                PlanContext(catalog, trusted=True), domain.base, text
            )
        except SqlError:  # what no longer can be bound calls nothing
            _called[key] = frozenset()
    return _called[key]


def columns_of_query(catalog: Catalog, kept: StoredQuery) -> frozenset[tuple[int, int]]:
    """The columns, by relation and number, that a view's query or a function's body names."""
    return _of_query(catalog, kept) or frozenset()


def _of_query(catalog: Catalog, kept: StoredQuery) -> frozenset[tuple[int, int]] | None:
    from planner.binding.deparse import columns_read  # which stands on the catalog itself
    from planner.plan_context import PlanContext

    ctx = PlanContext(catalog, kept.path, trusted=True)

    def read() -> frozenset[tuple[int, int]]:
        if isinstance(kept.holder, Function):
            return columns_read.of_function(ctx, kept.holder)
        return columns_read.of_query(ctx, kept.query)

    return _columns_read(catalog, ("query", kept.holder.oid, kept.query), kept.depends, read)


def columns_of_policy(
    catalog: Catalog, table: Table, text: str, path: tuple[str, ...], depends: tuple[int, ...]
) -> frozenset[tuple[int, int]]:
    """The same of a policy's condition."""
    return _of_policy(catalog, table, text, path, depends) or frozenset()


def _of_policy(
    catalog: Catalog, table: Table, text: str, path: tuple[str, ...], depends: tuple[int, ...]
) -> frozenset[tuple[int, int]] | None:
    from planner.binding.deparse import columns_read  # which stands on the catalog itself
    from planner.plan_context import PlanContext

    ctx = PlanContext(catalog, path, trusted=True)
    return _columns_read(
        catalog,
        ("policy", table.oid, text),
        (table.oid, *depends),
        lambda: columns_read.of_policy(ctx, table, text),
    )


def columns_of_rule(catalog: Catalog, holder: Table | View, rule: Rule) -> frozenset[tuple[int, int]]:
    """The same of a rule's condition and statements, which write some of them."""
    return _of_rule(catalog, holder, rule) or frozenset()


def _of_rule(catalog: Catalog, holder: Table | View, rule: Rule) -> frozenset[tuple[int, int]] | None:
    from planner.binding.deparse import columns_read  # which stands on the catalog itself
    from planner.plan_context import PlanContext

    ctx = PlanContext(catalog, rule.search_path, trusted=True)
    return _columns_read(
        catalog,
        ("rule", holder.oid, rule.condition, rule.actions),
        (holder.oid, *rule.depends),
        lambda: columns_read.of_rule(ctx, holder, rule),
    )


def query_names(catalog: Catalog, kept: StoredQuery, relation: int, attnum: int) -> bool | None:
    """Whether a view's query or a function's body names a column of a relation that it reads; None where it cannot be bound."""
    found = _of_query(catalog, kept)
    return (relation, attnum) in found if found is not None else None


def policy_names(
    catalog: Catalog, table: Table, text: str, policy: Policy, relation: int, attnum: int
) -> bool | None:
    """The same of a policy's condition."""
    found = _of_policy(catalog, table, text, policy.search_path, policy.depends)
    return (relation, attnum) in found if found is not None else None


def rule_names(catalog: Catalog, holder: Table | View, rule: Rule, relation: int, attnum: int) -> bool | None:
    """The same of a rule."""
    found = _of_rule(catalog, holder, rule)
    return (relation, attnum) in found if found is not None else None


def columns_of_expression(catalog: Catalog, table: Table, text: str) -> frozenset[tuple[int, int]]:
    """The same of an expression over a table's rows."""
    from planner.binding.rights import row_filters  # which stands on the catalog itself
    from planner.plan_context import PlanContext

    ctx = PlanContext(catalog, trusted=True)
    found = _columns_read(
        catalog,
        ("expression", table.oid, text),
        (table.oid,),
        lambda: frozenset((table.oid, n) for n in row_filters.columns(ctx, table, text)),
    )
    return found or frozenset()


def _columns_read(
    catalog: Catalog,
    text: tuple[object, ...],
    depends: tuple[int, ...],
    read: Callable[[], frozenset[tuple[int, int]]],
) -> frozenset[tuple[int, int]] | None:
    """Remembered for as long as the relations have the columns that they have: definitions of others need not ask again.

    None for what can no longer be bound, which names nothing.
    """
    key = (text, tuple(getattr(catalog.get(oid), "columns", oid) for oid in depends))
    if key not in _read:
        if len(_read) >= _REMEMBERED_MAX:
            _read.clear()
        try:
            _read[key] = read()
        except SqlError:
            _read[key] = None
    return _read[key]


def routine_default(catalog: Catalog, text: str, kind: TypeRef, search_path: tuple[str, ...]) -> str | None:
    """A default of a function's parameter."""
    return _looked_up(catalog, _NO_TABLE, text, kind, search_path, False)


def routine_body(catalog: Catalog, f: Function, search_path: tuple[str, ...]) -> str | None:
    """The body of a function in the standard's form; None where there are no words for it."""
    key = (catalog.version, f.oid, f.body, search_path)
    if key not in _remembered:
        if len(_remembered) >= _REMEMBERED_MAX:
            _remembered.clear()
        _remembered[key] = _routine_body(catalog, f, search_path)
    return _remembered[key]


def _routine_body(catalog: Catalog, f: Function, search_path: tuple[str, ...]) -> str | None:
    from planner.binding.deparse import expressions as deparse  # which stand on the catalog itself
    from planner.binding.deparse import routine_text
    from planner.catalog.system.definitions import qualified, type_name
    from planner.plan_context import PlanContext

    ctx = PlanContext(catalog, f.search_path or search_path, trusted=True)
    try:
        return routine_text.routine_text(
            ctx,
            f,
            lambda ref: type_name(catalog, ref, search_path),
            lambda schema_oid, name: qualified(catalog, schema_oid, name, search_path),
        )
    except deparse.NotWritable:
        return None
