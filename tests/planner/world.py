"""An interpreter for golden scripts of DDL: a statement in, what it changes in the catalog out.

    create table t (a int primary key)
    ---
    CREATE TABLE
    + table t (a integer not null) [t_pkey primary key (a)] on t16384
    + index t_pkey on t unique primary (a)

Lines begin with + (made), - (dropped) or ~ (changed, shown as it is now); `notice`, `check`, `rewrite`, `truncate`,
`register`, `forget` and `rows` say what else is to be done. Errors are `ERROR sqlstate message at position`.
"""

from __future__ import annotations

from planner import types
from planner.abc import Column, Constraint, SqlError, StatementKind, Table
from planner.catalog import (
    Catalog,
    CatalogObject,
    Comment,
    Counter,
    Database,
    Domain,
    EnumType,
    Grant,
    Index,
    Role,
    Schema,
    Sequence,
    View,
)
from planner.catalog.indexed import IndexedObjects
from planner.catalog.layers import Layered
from planner.ddl.plan import DdlPlan
from planner.plan_context import PlanContext
from planner.planner import Planner


class World:
    """A catalog that each DDL statement moves on. `as role` changes who speaks."""

    def __init__(self) -> None:
        self.planner = Planner()
        self.catalog = Catalog()
        self.search_path: tuple[str, ...] = ("public", "pg_temp_1")
        self.user = "tidewire"

    def context(self) -> PlanContext:
        return PlanContext(self.catalog, self.search_path, self.user)

    def run(self, client: str, text: str) -> str:
        if text.startswith("set search_path"):
            self.search_path = (*(p.strip() for p in text.split("=")[1].split(",")), "pg_temp_1")
            return ""
        try:
            plan, _ = self.planner.plan(text, self.context())
            assert plan.kind is StatementKind.DDL
            done = self.planner.bind_ddl(plan.body.statement, self.context())  # type: ignore[union-attr]
        except SqlError as e:
            lines = [f"ERROR {e.sqlstate} {e.message}" + (f" at {e.position}" if e.position else "")]
            lines += [f"DETAIL {line}" for line in e.detail.split("\n") if line]
            lines += [f"HINT {e.hint}"] if e.hint else []
            return "\n".join(lines)
        before = self.catalog
        self.catalog = done.catalog
        anew = Catalog.from_rows(done.catalog.rows())
        assert anew.rows() == done.catalog.rows(), "rows read back"
        assert found_by(anew) == found_by(done.catalog), "what objects are found by"
        return "\n".join(_described(done, before))


def found_by(catalog: Catalog) -> dict[str, object]:
    """What a catalog finds its objects by: the same, however it came about."""
    found: dict[str, object] = {}
    for name in IndexedObjects.__slots__:
        if not name.startswith("_") or name == "_listed":
            continue
        index = getattr(catalog, name)
        found[name] = {k: v for k, v in index.items() if not isinstance(v, Layered)} | {
            k: sorted(v) for k, v in index.items() if isinstance(v, Layered) and v
        }
    return found


def _described(done: DdlPlan, before: Catalog) -> list[str]:
    lines = [done.tag]
    for n in done.notices:
        if n.severity != "DEBUG":  # which nobody hears unless asked for
            lines.append(f"{n.severity.lower()} {n.message}")
        lines += [f"  {line}" for line in n.detail.split("\n") if line]
    for c in done.changes:
        if isinstance(c.new, Counter):
            continue
        if c.new is None:
            assert c.old is not None
            lines.append("- " + shown(c.old, before).split(" on ")[0].split(" (")[0])
        else:
            lines.append(("+ " if c.old is None else "~ ") + shown(c.new, done.catalog))
    lines += [f"register {t.shard}" for t in done.created]
    lines += [f"forget {s}" for s in done.dropped]
    lines += [f"truncate {t.name}" for t in done.truncated]
    lines += [f"rewrite {r.old.shard} -> {r.new.shard}: {r.sql}" for r in done.rewrites]
    lines += [f"check {c.sqlstate} {c.sql}" for c in done.checks]
    if done.query is not None:
        lines.append(f"rows {type(done.query.body).__name__}")
    return lines


def shown(thing: CatalogObject, catalog: Catalog) -> str:
    if isinstance(thing, Table):
        names = {c.attnum: c.name for c in thing.columns}
        columns = ", ".join(_column(c) for c in thing.columns)
        constraints = "".join(f" [{_constraint(c, names, catalog)}]" for c in thing.constraints)
        temporary = "temporary " if thing.temporary else ""
        comment = f" -- {thing.comment}" if thing.comment else ""
        owner = f" owner {thing.owner}" if thing.owner != "tidewire" else ""
        return f"{temporary}table {_name(thing, catalog)} ({columns}){constraints}{owner} on {thing.shard}{comment}"
    if isinstance(thing, Index):
        table = catalog.table(thing.table_oid)
        names = {c.attnum: c.name for c in table.columns}
        keys = ", ".join(
            (names[k.attnum] if k.attnum else f"({k.expression})")
            + (" desc" if k.descending else "")
            + (" nulls first" if k.nulls_first and not k.descending else "")
            for k in thing.keys
        )
        flags = ("unique " if thing.unique else "") + ("primary " if thing.primary else "")
        where = f" where {thing.predicate}" if thing.predicate else ""
        return f"index {_name(thing, catalog)} on {table.name} {flags}({keys}){where}"
    if isinstance(thing, Sequence):
        owned = f" of {catalog.table(thing.table_oid).name}.{thing.attnum}" if thing.table_oid else ""
        again = f" restarted {thing.restarts} at {thing.first}" if thing.restarts else ""
        return (
            f"sequence {_name(thing, catalog)} {types.format_type(thing.type)} from {thing.start} by {thing.increment}"
            f" in {thing.minimum}..{thing.maximum}{' cycle' if thing.cycle else ''}{owned}{again}"
        )
    if isinstance(thing, View):
        columns = ", ".join(f"{c.name} {types.format_type(c.type)}" for c in thing.columns)
        return f"view {_name(thing, catalog)} ({columns}) as {thing.query}"
    if isinstance(thing, Schema):
        return f"schema {thing.name} owner {thing.owner}"
    if isinstance(thing, EnumType):
        return f"enum {thing.name} {thing.labels}"
    if isinstance(thing, Domain):
        checks = "".join(f" [{c.name} {c.expression}]" for c in thing.constraints)
        return f"domain {thing.name} {types.format_type(thing.base)}{checks}"
    if isinstance(thing, Role):
        return f"role {thing.name}{' login' if thing.login else ''} in {thing.member_of}"
    if isinstance(thing, Database):
        return f"database {thing.name}"
    if isinstance(thing, Comment):
        return f"comment {thing.text!r} on {getattr(catalog.get(thing.target), 'name', 'a constraint')} {thing.sub}"
    if isinstance(thing, Grant):
        target = getattr(catalog.get(thing.target), "name", "?")
        return f"grant {', '.join(thing.privileges)} on {target} to {thing.grantee or 'public'}"
    return repr(thing)


def _name(thing: Table | View | Sequence | Index, catalog: Catalog) -> str:
    schema = catalog.schema_of(thing.schema_oid).name
    return thing.name if schema == "public" else f"{schema}.{thing.name}"


def _column(c: Column) -> str:
    parts = [c.name, types.format_type(c.type)]
    if c.not_null:
        parts.append("not null")
    if c.generated:
        parts.append(f"generated ({c.default})")
    elif c.default is not None:
        parts.append(f"default {c.default}")
    if c.identity:
        parts.append("identity " + {"a": "always", "d": "by default"}[c.identity])
    return " ".join(parts)


def _constraint(c: Constraint, names: dict[int, str], catalog: Catalog) -> str:
    columns = ", ".join(names.get(a, f"?{a}") for a in c.columns)
    if c.kind == "c":
        return f"{c.name} check ({c.expression})"
    if c.kind == "f":
        target = catalog.table(c.foreign_table)
        theirs = {x.attnum: x.name for x in target.columns}
        actions = (
            "" if (c.on_delete, c.on_update) == ("a", "a") else f" delete {c.on_delete} update {c.on_update}"
        )
        keys = ", ".join(theirs[a] for a in c.foreign_columns)
        return f"{c.name} foreign key ({columns}) references {target.name} ({keys}){actions}"
    return f"{c.name} {'primary key' if c.kind == 'p' else 'unique'} ({columns})"
