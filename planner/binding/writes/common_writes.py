"""Data-modifying queries of WITH: each becomes a part of the plan, and a relation for the parts after it.

    WITH gone AS (DELETE FROM a WHERE old RETURNING *)     CommonWrite(slot "w0", DeleteQuery)
    INSERT INTO b SELECT * FROM gone                       body: InsertQuery over  Slot("w0") AS r7

A part's own query is a text of its own: the plain queries of the same WITH before it are repeated in
front of it, but those that draw (`nextval('s')`, `random()`), which are parts too and so are asked once. What it returns keeps DuckDB's types, since only other texts of the statement read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import types as t
from planner.abc import (
    Body,
    CommonWrite,
    DeleteQuery,
    InsertQuery,
    LockingQuery,
    PlanError,
    Query,
    Slot,
    TypeRef,
    UpdateQuery,
    WithWrites,
)
from planner.binding import ir
from planner.binding.common_tables import renamed, with_text
from planner.binding.fragments import Form, Item, sql
from planner.binding.from_items import CommonTable
from planner.binding.keyed.closed_set import KEY_TYPES
from planner.binding.keyed.selects import BoundSelect
from planner.binding.naming import identifier
from planner.binding.numeric_forms import column_form
from planner.binding.scope import FromStep, Relation, RelationColumn, Scope
from planner.binding.state import BoundQuery, Parts, Target
from planner.parse import position as first_position
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder


_ALIKE: Final = KEY_TYPES | {t.NUMERIC, t.FLOAT4, t.FLOAT8, t.JSON, t.JSONB, t.BPCHAR, t.INTERVAL, t.TIME}
"""Types whose values are the same for DuckDB and for the keyed engine."""


def bind_common_write(
    queries: QueryBinder, cte: exp.CTE, name: str, scope: Scope, recursive: bool, inherited: list[Item]
) -> None:
    """Adds the part to `queries.common_writes` and its name to the scope. Raises PlanError."""
    from planner.binding.writes.dml import DmlBinder
    from planner.binding.writes.rules import refuse_in_with

    node = cte.this
    if isinstance(node, exp.Merge):
        raise PlanError("0A000", "MERGE not supported in WITH query", position=first_position(cte))
    refuse_in_with(node, queries.ctx.catalog, queries.search_path)
    dml = DmlBinder(queries)
    dml.common, dml.inherited, dml.inherited_recursive, dml.around = True, inherited, recursive, scope.ctes
    queries.prefer_keyed = False  # neither this part nor the ones after it
    queries.in_common_write = True
    written = queries.written_table
    try:
        if isinstance(node, exp.Insert):
            bound = dml.insert(node)
        else:
            bound = dml.update(node) if isinstance(node, exp.Update) else dml.delete(node)
    finally:
        queries.in_common_write = False
        queries.written_table = written
    assert isinstance(bound.body, InsertQuery | UpdateQuery | DeleteQuery)
    if "constants" in bound.extra:
        queries.failing = queries.failing or bound.extra["constants"]
    slot = f"w{len(queries.common_writes)}"
    queries.common_writes.append(CommonWrite(slot, bound.body))
    names = [identifier(c) for c in cte.args["alias"].args.get("columns") or ()]
    if dml.returned is None:
        scope.ctes[name] = CommonTable(Slot(slot), None, [])
    else:
        scope.ctes[name] = CommonTable(
            Slot(slot),
            renamed(dml.returned.columns, names, name),
            dml.returned.forms,
            _handed(queries, slot, dml.returned),
        )


def bind_common_rows(
    queries: QueryBinder,
    bound: BoundQuery,
    columns: list[RelationColumn],
    name: str,
    scope: Scope,
    recursive: bool,
    inherited: list[Item],
) -> None:
    """Adds the query, which locks no rows, as a part of its own, so that all who read it read the same rows."""
    queries.prefer_keyed = False
    bound = queries.in_column_forms(bound)
    prefix = with_text(recursive, inherited)
    text = bound.frag if prefix is None else sql(prefix, bound.frag)
    slot = f"w{len(queries.common_writes)}"
    body = LockingQuery(queries.finished(text), len(columns), limited=False, locks=())
    queries.common_writes.append(CommonWrite(slot, body))
    scope.ctes[name] = CommonTable(Slot(slot), columns, bound.forms, _handed(queries, slot, bound))


def _handed(queries: QueryBinder, slot: str, returned: BoundQuery) -> BoundSelect | None:
    """What the part returns, for parts after it that are look-ups; None: its values are DuckDB's."""
    refs = [c.type for c in returned.columns]
    if not are_alike(refs, returned.forms):
        return None
    number = queries.next_relation()
    relation = Relation(number, "", [RelationColumn("", ref) for ref in refs])
    own = [Target("", ir.Var(ref, number, i)) for i, ref in enumerate(refs)]
    return queries.kept(Parts(None, None, own), (FromStep(relation, handed=slot),))


def are_alike(refs: Sequence[TypeRef], forms: Sequence[Form]) -> bool:
    """Whether values of DuckDB's, in these forms, may go to the keyed engine."""
    return all(
        form == column_form(r)
        and (r.oid in _ALIKE or t.element_of(r.oid) in _ALIKE or t.labels_of(r.oid) is not None)
        for form, r in zip(forms, refs, strict=True)
    )


def with_writes(queries: QueryBinder, body: Body) -> Body:
    """The statement's body, and the writes of its WITH in the order in which PostgreSQL makes them.

    First those that the body asks for, by others too; behind it the others, the last of them first. A locking query that nobody reads
    does not run.
    """
    parts: list[CommonWrite] = []
    for part in queries.common_writes:
        if part.slot in queries.locked_each and isinstance(part.body, LockingQuery):
            each = queries.locked_each[part.slot].finished(queries, part.slot)
            part = CommonWrite(part.slot, replace(part.body, each=each))
        parts.append(part)
    writes = _asked_for(parts, _slots(body))
    first = len(writes)
    for part in reversed(parts):
        if part not in writes and not isinstance(part.body, LockingQuery):
            writes += [p for p in _asked_for(parts, _slots(part.body)) if p not in writes] + [part]
    return WithWrites(tuple(writes), body, len(writes) - first) if writes else body  # type: ignore[arg-type]


def _asked_for(parts: Sequence[CommonWrite], slots: set[str]) -> list[CommonWrite]:
    """The parts that are named, and those that these name, as they stand in the text."""
    found: list[CommonWrite] = []
    for part in reversed(parts):
        if part.slot in slots:
            found.insert(0, part)
            slots = slots | _slots(part.body)
    return found


def _slots(body: Body) -> set[str]:
    """The slots that a body's text names."""
    query = body if isinstance(body, Query) else getattr(body, "query", None)
    returning, conflict = getattr(body, "returning", None), getattr(body, "on_conflict", None)
    each = body.each.query if isinstance(body, LockingQuery) and body.each is not None else None
    steps = getattr(body, "stepwise", None)
    all_of_it = (
        query,
        returning,
        conflict.query if conflict is not None else None,
        each,
        *(s.query for s in (steps.steps if steps else ())),
    )
    pieces = [p for q in all_of_it if isinstance(q, Query) for p in q.pieces]
    return {p.name for p in pieces if isinstance(p, Slot)}
