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

from planner import cursors, partitioning, types
from planner import statements as st
from planner.abc import Plan, PlanError, ResultColumn, SqlError, Table, TypeRef
from planner.binding.routines.variables import Variables
from planner.catalog.user_types import shown
from planner.ddl.types.typenames import resolve_type
from planner.lexer import quoted
from planner.parse.placeholders import named
from planner.parse.plpgsql.names import looked_up
from planner.parse.positioned import by_key

if TYPE_CHECKING:
    from planner.planner import PlanContext


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
            parameter_types = [
                types.base_of(resolve_type(t, ctx.catalog, ctx.search_path)).oid for t in statement.types
            ]
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
        elif isinstance(statement, st.Copy):
            cursors.refuse_copied(query, inner)

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
        """The query of a procedure's arguments. Raises 42883, 42809."""
        before = said.query.offset - len("SELECT ")
        text = f"SELECT {said.query.text}"
        try:
            inner = self._bind(text, replace(ctx, calling=True), parameter_types, None)
        except SqlError as e:
            e.position = e.position + before if e.position else 0
            if e.sqlstate == "42883" and e.message.startswith("function "):
                e.message = "procedure " + e.message.removeprefix("function ")
                e.args = (e.message,)
                e.hint = e.hint.replace("No function", "No procedure")
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
        """The write by key that the executor runs with the cursor's key."""
        table = _written_at_cursor(said, ctx)
        inner = self._bind(by_key(plan.text, said, table), ctx, parameter_types, None)
        plan.extra["query"], plan.extra["table"] = inner, table
        plan.parameters = inner.parameters[: said.parameters]
        plan.kind, plan.tag, plan.columns = inner.kind, inner.tag, inner.columns

    def _positioned_in_routine(
        self, text: str, said: st.PositionedWrite, ctx: PlanContext, variables: Variables
    ) -> Plan:
        """The write by key itself: `extra["current"]` says which cursor's row has the key, by a variable's slot or by name."""
        table = _written_at_cursor(said, ctx)
        names = [f"........current.{i}........" for i in range(len(table.key_indexes))]
        kinds = [table.columns[i].type for i in table.key_indexes]
        variables.current = {n: (i, ref) for i, (n, ref) in enumerate(zip(names, kinds, strict=True))}
        plan = self._bind(by_key(text, said, table, lambda i: quoted(names[i])), ctx, (), None)
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
    table = ctx.catalog.resolve_table(name.name, name.schema, ctx.search_path, name.position)
    if table.partitioning is None:  # the key of a partitioned table is one of all its rows, a parent's is not
        partitioning.refuse(table, "WHERE CURRENT OF")
    return table
