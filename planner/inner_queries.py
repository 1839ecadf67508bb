"""Utility statements that contain a query: what is planned of it, and what becomes of it in the plan around it.

DECLARE c CURSOR FOR SELECT ...          extra["query"]: the query's plan, positions counted in the whole statement
COPY (SELECT ...) TO, EXPLAIN, PREPARE   the same
SELECT ... AS OF TIMESTAMP '...'         the query over the catalog of that time, extra["as_of"]: the time or its plan
CALL p(1, 2)                             the query of a procedure's arguments
UPDATE ... WHERE CURRENT OF c            the write by key that runs with the key of the cursor's row
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from planner import cursors, types
from planner import statements as st
from planner.abc import Plan, PlanError, ResultColumn, SqlError, Table, TypeRef
from planner.binding.routines.variables import Variables
from planner.binding.unresolved import NoFunction, NotUnique
from planner.catalog import View
from planner.catalog.user_types import shown
from planner.ddl.constraints.definitions import refuse_subqueries
from planner.ddl.types.typenames import resolve_type
from planner.lexer import quoted
from planner.parse.placeholders import named
from planner.parse.plpgsql.names import looked_up
from planner.parse.positioned import by_key, placed_write
from planner.placed_queries import by_place, with_places

if TYPE_CHECKING:
    from planner.plan_context import PlanContext


class InnerQueries:
    """The part of planning that knows statements around queries."""

    def _plan_exact(
        self, text: str, ctx: PlanContext, parameter_types: Sequence[int], offset: int, depth: int = 0
    ) -> Plan:
        raise NotImplementedError

    def _bind(
        self,
        text: str,
        ctx: PlanContext,
        parameter_types: Sequence[int],
        kinds: str | None,
        statement: st.QueryStatement | None = None,
    ) -> Plan:
        raise NotImplementedError

    def _plan_inner(
        self, plan: Plan, statement: Any, ctx: PlanContext, parameter_types: Sequence[int], depth: int
    ) -> None:
        """Plans the query inside a utility statement."""
        if isinstance(statement, st.PositionedWrite):
            self._plan_positioned(plan, statement, ctx, parameter_types)
            return
        if isinstance(statement, st.Call):
            self._plan_call(plan, statement, ctx, parameter_types)
            return
        if isinstance(statement, st.CreateTableAs):
            self._plan_filled(plan, statement, ctx, parameter_types, depth)
            return
        query: st.Sql | None = getattr(statement, "query", None)
        if query is None or isinstance(statement, st.CreateView):
            # What a client states types of it may bind, and it is nobody's: `$1` in a definition is 42P02 when it is made.
            plan.parameters = tuple(TypeRef(oid or types.UNKNOWN) for oid in parameter_types)
            return
        if isinstance(statement, st.Prepare):
            parameter_types = [resolve_type(t, ctx.catalog, ctx.search_path).oid for t in statement.types]
        if isinstance(statement, st.Copy):
            cursors.refuse_rules(query, ctx)
        inner = self._plan_inner_query(statement, query, plan.text, ctx, parameter_types, depth)
        plan.extra["query"] = inner
        plan.parameters = inner.parameters if not isinstance(statement, st.Prepare) else ()
        if isinstance(statement, st.SelectAsOf):
            if "runs" in inner.extra:
                raise PlanError("0A000", "functions that run in a query AS OF are not supported")
            plan.kind, plan.tag, plan.columns = inner.kind, inner.tag, inner.columns
            at = statement.at.text.strip()
            plan.extra["as_of"] = (
                int(at)
                if at.isdigit()
                else self._plan_exact(f"SELECT CAST({at} AS timestamptz)", ctx, parameter_types, 0, depth + 1)
            )
        elif isinstance(statement, st.DeclareCursor):
            cursors.refuse(statement, inner)
            plan.extra["query"] = self._placed(query, inner, plan.text, ctx, parameter_types, depth)
        elif isinstance(statement, st.Copy):
            cursors.refuse_copied(query, inner)

    def _placed(
        self,
        query: st.Sql,
        inner: Plan,
        text: str,
        ctx: PlanContext,
        parameter_types: Sequence[int],
        depth: int,
    ) -> Plan:
        """A cursor's query as it runs: its rows say where they are, if WHERE CURRENT OF may have to know."""
        made = with_places(query.text, inner, ctx)
        if made is None:
            return inner
        asked, places = made
        try:
            plan = self._plan_part(st.Sql(asked, query.offset), text, ctx, parameter_types, depth)
        except PlanError:  # an aggregate's one row is no table's
            return inner
        plan.extra["placed"] = places
        return plan

    def _plan_filled(
        self,
        plan: Plan,
        said: st.CreateTableAs,
        ctx: PlanContext,
        parameter_types: Sequence[int],
        depth: int,
    ) -> None:
        """Which parameters the query of CREATE TABLE AS has: it is planned again when the table is made. Raises 0A000."""
        if (
            ctx.variables is not None
            or said.query.text[:7].lower() == "execute"
            or not named(said.query.text)
        ):
            return
        plan.parameters = self._plan_part(said.query, plan.text, ctx, parameter_types, depth).parameters
        if plan.parameters and said.materialized:
            raise PlanError("0A000", "materialized views may not be defined using bound parameters")

    def _plan_call(self, plan: Plan, said: st.Call, ctx: PlanContext, parameter_types: Sequence[int]) -> None:
        """The query of a procedure's arguments. Raises 0A000, 42883, 42809."""
        refuse_subqueries(said.query, "CALL argument", windows=False)
        before = said.query.offset - len("SELECT ")
        text = f"SELECT {said.query.text}"
        try:
            inner = self._bind(text, replace(ctx, calling=True), parameter_types, None)
        except SqlError as e:
            e.position = e.position + before if e.position else 0
            at = said.query.offset + len(said.query.text) - len(said.query.text.lstrip()) + 1
            if isinstance(e, NoFunction | NotUnique) and e.position == at:
                raise e.of_kind("procedure") from None
            raise
        plan.extra["query"] = inner
        plan.parameters = inner.parameters
        procedure = inner.extra["procedure"]
        if procedure.outputs:
            plan.columns = tuple(
                ResultColumn(p.name or f"column{i + 1}", TypeRef(p.type.oid))
                for i, p in enumerate(procedure.outputs)
            )

    def _plan_positioned(
        self, plan: Plan, said: st.PositionedWrite, ctx: PlanContext, parameter_types: Sequence[int]
    ) -> None:
        """The write by key, or by place, that the executor runs with that of the cursor's row."""
        table = _written_at_cursor(said, ctx)
        at_place = by_place(table)
        text = placed_write(plan.text, said, table) if at_place else by_key(plan.text, said, table)
        inner = self._bind(text, ctx, parameter_types, None)
        plan.extra["query"], plan.extra["table"] = inner, table
        plan.parameters = inner.parameters[: said.parameters]
        plan.kind, plan.tag, plan.columns = inner.kind, inner.tag, inner.columns
        if at_place and plan.columns is not None:
            plan.columns = plan.columns[:-1] or None

    def _positioned_in_routine(
        self, text: str, said: st.PositionedWrite, ctx: PlanContext, variables: Variables
    ) -> Plan:
        """The write itself: `extra["current"]` says which cursor's row has the key or place, by a variable's slot or by name."""
        table = _written_at_cursor(said, ctx)
        at_place = by_place(table)
        kinds = [TypeRef(types.TID)] if at_place else [table.columns[i].type for i in table.key_indexes]
        names = [f"........current.{i}........" for i in range(len(kinds))]
        variables.current = {n: (i, ref) for i, (n, ref) in enumerate(zip(names, kinds, strict=True))}
        write = placed_write if at_place else by_key
        plan = self._bind(write(text, said, table, lambda i: quoted(names[i])), ctx, (), None)
        plan.text = text
        at = looked_up(variables.level, (said.cursor,), variables.seen)
        plan.extra["current"] = (at[0] if at is not None else -1, said.cursor, table)
        return plan

    def _plan_inner_query(
        self,
        statement: Any,
        query: st.Sql,
        text: str,
        ctx: PlanContext,
        parameter_types: Sequence[int],
        depth: int,
    ) -> Plan:
        """The plan of the query in a statement, over the catalog of the time that it is to be read at."""
        if not isinstance(statement, st.SelectAsOf) or ctx.reading_at is None:
            return self._plan_part(query, text, ctx, parameter_types, depth)
        then = ctx.reading_at(statement.at.text)
        with shown(then.catalog):
            return self._plan_part(query, text, then, parameter_types, depth)

    def _plan_part(
        self, part: st.Sql, text: str, ctx: PlanContext, parameter_types: Sequence[int], depth: int
    ) -> Plan:
        """Plans a slice of a statement, blanks before it, so that every position is right in the whole."""
        if part.offset:
            return self._plan_exact(" " * part.offset + part.text, ctx, parameter_types, 0, depth + 1)
        return self._plan_exact(part.text, ctx, parameter_types, 0, depth + 1)


def _written_at_cursor(said: st.PositionedWrite, ctx: PlanContext) -> Table:
    name = said.table
    relation = ctx.catalog.resolve_relation(name.name, name.schema, ctx.search_path, name.position)
    if isinstance(relation, View):
        raise PlanError("0A000", "WHERE CURRENT OF on a view is not implemented")
    table = ctx.catalog.resolve_table(name.name, name.schema, ctx.search_path, name.position)
    return table
