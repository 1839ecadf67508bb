"""COMMENT ON: a text beside an object, or beside a part of it. Every kind of object that has a name here may have one.

    COMMENT ON COLUMN t.a IS 'x'        Comment(t's OID, the column's number, 'x')

pg_description lists them, and psql's meta-commands with it.
"""

from __future__ import annotations

from planner import statements as st
from planner.abc import Oid, PlanError, Table, TypeRef
from planner.catalog import (
    CatalogObject,
    Comment,
    Sequence,
    View,
    large_objects,
    rights,
)
from planner.catalog.objects import Index
from planner.catalog.type_objects import BaseType, Domain
from planner.ddl import collations, conversions, rules, statistics, text_search
from planner.ddl.foreign import servers as foreign
from planner.ddl.operators import definitions as operators
from planner.ddl.operators import operator_classes
from planner.ddl.replication import publications, subscriptions
from planner.ddl.rights import (
    large_object_roles,
    own_objects,
    policies,
)
from planner.ddl.routines import event_triggers, triggers
from planner.ddl.routines import names as routine_names
from planner.ddl.scope import Scope
from planner.ddl.types import casts
from planner.records import replace
from planner.types import format_type


def comment(scope: Scope, said: st.Comment) -> None:
    if said.kind == "database" and scope.catalog.database(said.name.name) is None:
        # A warning, so that a dump is restored into a database of another name.
        message = f'database "{said.name.name}" does not exist'
        scope.notice(message, sqlstate="3D000", severity="WARNING")
        return
    try:
        own = own_objects.find(scope, said)
        if own is not None:
            if said.kind == "large object":
                large_object_roles.require_owner(scope, own.oid)
            _comment_on_own(scope, own, said.text)
            return
        target, sub = _commented(scope, said)
    except PlanError as e:
        e.position = 0  # PostgreSQL points at nothing in COMMENT
        raise
    if isinstance(target, Table) and not sub:
        scope.replace(target, replace(target, comment=said.text))
        return
    oid = target if isinstance(target, int) else target.oid
    old = next((c for c in scope.catalog.comments_on(oid) if c.sub == sub), None)
    if said.text is None:
        if old is not None:
            scope.remove(old)
    elif old is not None:
        scope.replace(old, replace(old, text=said.text))
    else:
        scope.add(Comment(scope.allocate(), oid, sub, said.text))


def _comment_on_own(scope: Scope, found: own_objects.OwnObject, text: str | None) -> None:
    home = 0 if found.shared else scope.catalog.database_oid
    old = next(
        (
            c
            for c in scope.catalog.comments_on_own(found.oid)
            if (c.class_oid, c.sub, c.database_oid) == (found.class_oid, found.sub, home)
        ),
        None,
    )
    kept = text or ""
    if text is None and old is not None and found.class_oid == large_objects.PAGES_CLASS_OID:
        scope.remove(old)  # nothing is said of it by nature
        return
    if old is not None:
        scope.replace(old, replace(old, text=kept))
    else:
        scope.add(Comment(scope.allocate(), found.oid, found.sub, kept, found.class_oid, home))


def _commented(scope: Scope, said: st.Comment) -> tuple[CatalogObject | Oid, int]:
    """The object, or the OID of a constraint or trigger, and the column's number."""
    name, kind = said.name, said.kind
    found: CatalogObject | None
    if kind == "column":
        relation = scope.relation(name)
        for column in getattr(relation, "columns", ()):
            if column.name == said.column:
                return relation, column.attnum
        raise PlanError("42703", f'column "{said.column}" of relation "{name.name}" does not exist')
    if kind == "constraint":
        table = scope.table(name)
        for constraint in table.constraints:
            if constraint.name == said.column:
                return constraint.oid, 0
        raise PlanError("42704", f'constraint "{said.column}" for table "{name.name}" does not exist')
    if kind == "trigger":
        return triggers.named(scope, name, said.column).oid, 0
    if kind == "rule":
        return rules.named(scope, name, said.column), 0
    if kind == "policy":
        return policies.named(scope, name, said.column).oid, 0
    if isinstance(said.signature, st.CastSignature):
        return casts.existing(scope, said.signature.source, said.signature.target), 0
    if isinstance(said.signature, st.ClassSignature):
        return operator_classes.existing(scope, said.signature, "a comment on"), 0
    if isinstance(said.signature, st.OperatorSignature):
        return operators.existing(scope, said.signature), 0
    if said.signature is not None:
        return routine_names.named(scope, said.signature, kind), 0
    if kind == "domain constraint":
        return _domain_constraint(scope, name, said.column), 0
    if kind == "conversion":
        conversions.existing(scope, name, "a comment on")
        return conversions.oid_of(scope, name), 0
    if kind in text_search.KINDS:
        return text_search.existing(scope, text_search.KINDS[kind], name, "a comment on"), 0
    if kind == "statistics":
        return statistics.existing(scope, name), 0
    if kind == "schema":
        return scope.catalog.schema(name.name), 0
    if kind == "database":
        found = scope.catalog.database(name.name)
        assert found is not None
        return found, 0
    if kind == "role":
        found = scope.catalog.role(name.name)
        if found is None:
            raise PlanError("42704", f'role "{name.name}" does not exist')
        return found, 0
    if kind == "collation":
        return collations.existing(scope, name), 0
    if kind == foreign.WRAPPER:
        return foreign.wrapper(scope, name.name), 0
    if kind == "server":
        return foreign.server(scope, name.name), 0
    if kind == "event trigger":
        return event_triggers.existing(scope, name.name), 0
    if kind == "publication":
        return publications.existing(scope, name.name), 0
    if kind == "subscription":
        return subscriptions.existing(scope, name.name), 0
    if kind == "extension":
        found = scope.catalog.extension(name.name)
        if found is None:
            raise PlanError("42704", f'extension "{name.name}" does not exist')
        return found, 0
    if kind in ("type", "domain"):
        found = scope.catalog.find_type(name.name, name.schema, scope.search_path)
        if found is None:
            raise PlanError("42704", f'type "{name}" does not exist')
        refuse_member(found, "COMMENT ON")
        return found, 0
    expected = {
        "table": Table,
        "materialized view": Table,
        "foreign table": Table,
        "view": View,
        "index": Index,
        "sequence": Sequence,
    }.get(kind)
    if expected is None:
        raise PlanError("0A000", f"COMMENT ON {kind.upper()} is not supported")
    found = scope.relation(name)
    if not isinstance(found, expected) or (isinstance(found, Table) and rights.table_word(found) != kind):
        article = "an" if kind == "index" else "a"
        raise PlanError("42809", f'"{name.name}" is not {article} {kind}')
    return found, 0


def refuse_member(found: object, what: str) -> None:
    """Types of extensions have one OID in all databases, so nothing can be kept beside one of them. Raises 0A000."""
    if isinstance(found, BaseType):
        raise PlanError("0A000", f"{what} a type of an extension is not supported")


def _domain_constraint(scope: Scope, name: st.Name, constraint: str) -> Oid:
    domain = scope.catalog.find_type(name.name, name.schema, scope.search_path)
    if domain is None:
        raise PlanError("42704", f'type "{name}" does not exist')
    if not isinstance(domain, Domain):
        raise PlanError("42809", f'"{name}" is not a domain')
    for check in domain.constraints:
        if check.name == constraint:
            return check.oid
    raise PlanError(
        "42704", f'constraint "{constraint}" for domain {format_type(TypeRef(domain.oid))} does not exist'
    )
