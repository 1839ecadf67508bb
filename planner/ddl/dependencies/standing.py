"""What stands in the way of dropping a column or a key: views, generated columns, foreign keys, triggers.

Without CASCADE it is an error that lists them (2BP01); with it they go, and one NOTICE says so.
"""

from __future__ import annotations

from operator import itemgetter

from planner.abc import Column, Constraint, Table
from planner.catalog import View, exclusions
from planner.catalog.row_types import row_array_oid, row_type_oid
from planner.catalog.stored_queries import stored_queries_of
from planner.catalog.user_types import has_rows_of
from planner.ddl import drop, rules
from planner.ddl.dependencies import columns_named
from planner.ddl.dependencies.attributes_used import let_go, refuse_generated, using_field
from planner.ddl.dependencies.columns_named import mentions
from planner.ddl.replication import published
from planner.ddl.rights import policies
from planner.ddl.routines import triggers
from planner.ddl.scope import Scope, describe, describe_part
from planner.records import replace


def free_column(scope: Scope, table: Table, column: Column, cascade: bool) -> list[Column]:
    """What outside the table stands in the way of dropping a column goes, with CASCADE; or 2BP01.

    Returns the generated columns that must go too.
    """
    what = describe_part("column", column.name, table, scope)
    told: list[tuple[int, str]] = []
    """By the OIDs, which is by age, as PostgreSQL tells of them."""
    held = {p.oid: (holder, p) for holder, p in policies.elsewhere(scope, table, column)}
    held |= {p.oid: (table, p) for p in policies.using(scope, table, column)}
    told += [(oid, describe_part("policy", p.name, holder, scope)) for oid, (holder, p) in held.items()]
    views = [kept.holder for kept in columns_named.queries(scope.catalog, table, column)]
    told += [(v.oid, describe(v, scope.catalog, scope.search_path)) for v in views]
    gone = {v.oid for v in views}
    ruled = [(holder, r) for holder, r in rules.using(scope, table, column) if holder.oid not in gone]
    told += [(r.oid, describe_part("rule", r.name, holder, scope)) for holder, r in ruled]
    generated = [
        c
        for c in table.columns
        if c.generated
        and not c.hidden
        and c.default
        and c.attnum != column.attnum
        and mentions(c.default, column.name)
    ]
    told += [(table.oid, describe_part("column", c.name, table, scope)) for c in generated]
    told += [
        (c.oid, describe_part("constraint", c.name, table, scope))
        for c in exclusions.exclusions(table)
        if column.attnum not in c.columns and exclusions.in_expression(scope.catalog, c, column.name)
    ]
    fired = triggers.using(table, column)
    told += [(x.oid, describe_part("trigger", x.name, table, scope)) for x in fired]
    told_of = published.using_column(scope, table, column.attnum)
    told += [(part.oid, published.described(scope, table, p)) for p, part in told_of]
    of_it = row_type_oid(table.oid), row_array_oid(table.oid)
    fields = list(using_field(scope, table, of_it, column.name, what)) if has_rows_of(of_it[0]) else []
    fields = [d for d in fields if d.thing.oid not in gone and d.thing.oid != table.oid]
    told += [(d.thing.oid, d.shown(scope)) for d in fields]
    foreign: list[tuple[Table, Constraint]] = []
    for other in scope.catalog.referring_to(table.oid):
        for c in other.constraints:
            if c.kind == "f" and c.foreign_table == table.oid and column.attnum in c.foreign_columns:
                if other.oid == table.oid and column.attnum in c.columns:
                    continue
                foreign.append((other, c))
                told.append((c.oid, describe_part("constraint", c.name, other, scope)))
    lines = [line for _, line in sorted(told, key=itemgetter(0))]
    if lines and not cascade:
        raise drop.needed(what, [(line, what) for line in lines])
    refuse_generated(fields, f'dropping column "{column.name}" of table "{table.name}"')
    drop.tell(scope, lines)
    for other, constraint in foreign:
        current = scope.catalog.table(other.oid)
        kept = tuple(c for c in current.constraints if c.oid != constraint.oid)
        scope.replace(current, replace(current, constraints=kept))
    published.without_parts(scope, {part.oid for _, part in told_of})
    for oid, (holder, _) in held.items():
        now = scope.catalog.table(holder.oid)
        policies.remove(scope, now, [p for p in now.policies if p.oid == oid])
    for other_holder, rule in ruled:
        here = scope.catalog.get(other_holder.oid)
        if isinstance(here, Table | View):
            rules.remove(scope, here, [r for r in here.rules if r.oid == rule.oid])
    let_go(scope, fields)
    if views:
        drop.remove_all(scope, list(views), True)
    return generated


def free_key(scope: Scope, table: Table, key: Constraint, cascade: bool) -> None:
    """Foreign keys that stand on this key, and views that group by it, need CASCADE."""
    if key.kind not in "pu":
        return
    others = [c for c in table.constraints if c.kind in "pu" and c.oid != key.oid]
    standing: list[tuple[Table, Constraint]] = []
    for other in scope.catalog.referring_to(table.oid):
        for c in other.constraints:
            if (
                c.kind == "f"
                and not c.parent
                and c.foreign_table == table.oid
                and sorted(c.foreign_columns) == sorted(key.columns)
                and not any(sorted(o.columns) == sorted(key.columns) for o in others)
            ):
                standing.append((other, c))
    what = describe_part("constraint", key.name, table, scope)
    index = next((x for x in scope.catalog.indexes_of(table.oid) if x.constraint_oid == key.oid), None)
    on = describe(index, scope.catalog, scope.search_path) if index is not None else what
    views = [v.holder for v in stored_queries_of(scope.catalog, key.oid)]
    shown = [(describe_part("constraint", c.name, t, scope), on) for t, c in standing]
    shown += [(describe(v, scope.catalog, scope.search_path), what) for v in views]
    if shown and not cascade:
        raise drop.needed(what, shown)
    drop.tell(scope, [one for one, _ in shown])
    for other, c in standing:
        current = scope.catalog.table(other.oid)
        kept = tuple(k for k in current.constraints if k.oid != c.oid)
        scope.replace(current, replace(current, constraints=kept))
    if views:
        drop.remove_all(scope, list(views), True)
