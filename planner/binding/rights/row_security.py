"""Row-level security: a table as a role sees it through its policies, and what they ask of the rows that it writes.

    SELECT ... FROM t AS r1 WHERE ...    FROM (SELECT * FROM t AS r1 WHERE <policies> LIMIT all) AS r1 WHERE ...
    UPDATE, DELETE                       the same around the target's rows, by the policies of the command
    INSERT, UPDATE                       `RowChecks`: queries over the new rows, asked before any constraint looks at them

The relation keeps its number inside and outside, so whoever names its columns, locks its rows or writes them need not know.
The LIMIT, which ends nothing, is the **barrier**: DuckDB moves no condition below one, so what a statement says of
rows (functions that tell them, divisions that fail) is computed of those only that the policies show. What tells nothing is asked
below it as well (`planner.binding.rights.barriers`). The keyed engine asks the policies of the rows that a key leads to, before
anything else (`planner.binding.scope.FromStep.guards`).

A policy's text is bound in place, for each use, in the name in which the table is read (a view's owner, mostly), as are
queries in it, whose tables have policies of their own; one that comes back to a table whose policies are being bound is
42P17. Which policies hold is known by plan: plans belong to a role, to one version of the catalog and to `row_security`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Final, NamedTuple

from planner import types as t
from planner.abc import Expr, PlanError, Policy, Query, SessionValue, Slot, Table, TypeRef
from planner.binding import ir, system_columns
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, Item, quote_text, sql
from planner.binding.keyed import expressions as keyed
from planner.binding.rights import barriers
from planner.binding.scope import Relation, StarColumn
from planner.catalog import policies
from planner.inheritance import spreads
from planner.parse import parse_expression
from planner.records import replace
from planner.relations import GuardedTable, defined

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder
    from planner.binding.state import BoundQuery
    from planner.binding.writes.clauses import RowBinder

BARRIER: Final = " LIMIT 9223372036854775807"
CLAUSE: Final = "policy expressions"
_BOOL: Final = TypeRef(t.BOOL)
_FALSE: Final = ir.Lit(_BOOL, False)


Condition = Callable[[Relation], ir.Node]
"""What a view asks of a table's rows, bound over them."""


@dataclass(frozen=True, slots=True)
class RowCheck:
    """`query` over the slot "new" yields which of `messages` the first row that is refused is refused with.

    `tests`: what must be true of a row, one for each message, if the keyed engine can compute all of them.
    `of_views`: views ask it, WITH CHECK OPTION, and the query says as well which row it is.
    """

    query: Query
    messages: tuple[str, ...]
    tests: tuple[Expr, ...] = ()
    of_views: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class RowChecks:
    """What policies ask of the rows that a statement writes.

    `inserted`: of rows that are proposed for insertion; `updated`: of what rows become; `met`: of rows as they are that ON
    CONFLICT DO UPDATE changes.
    """

    inserted: RowCheck | None = None
    updated: RowCheck | None = None
    met: RowCheck | None = None

    @property
    def by_key(self) -> bool:
        """Whether the keyed engine can ask all of it."""
        return all(x is None or x.tests for x in (self.inserted, self.updated, self.met))


def restricted(queries: QueryBinder, table: Table) -> bool:
    """Whether the text at hand sees the table through policies. Raises 0A000 where they are not enforced."""
    table = defined(table)
    if not table.row_security or queries.accesses.trusted:
        return False
    if not policies.restricts(queries.ctx.catalog, table, queries.accesses.role):
        return False
    if type(queries.emitter) is not Emitter:
        raise PlanError(
            "0A000",
            f'reading table "{table.name}" through row-level security policies is not supported by the distributed engine',
        )
    if queries.ctx.catalog.past:
        raise PlanError(
            "0A000",
            f'reading the past of table "{table.name}" through row-level security policies is not supported',
        )
    if not queries.ctx.row_security:
        message, hint = policies.refusal(queries.ctx.catalog, table, queries.accesses.role)
        raise PlanError("42501", message, hint=hint)
    return True


def refuse(queries: QueryBinder, table: Table, what: str) -> None:
    """Raises 0A000 for what shows a table's rows past its policies."""
    if restricted(queries, table):
        raise PlanError(
            "0A000",
            f'{what} of table "{table.name}", which has row-level security policies, is not supported',
        )


class Shown(NamedTuple):
    frag: Frag
    tests: tuple[ir.Node, ...]
    """What is asked of each row."""


def shown(queries: QueryBinder, relation: Relation, frag: Frag, commands: Sequence[str]) -> Shown:
    """A relation's text with those of its rows that the policies of all these commands show."""
    table = relation.table
    assert table is not None
    tests = tuple(x for command in commands for x, _ in _tests(queries, relation, command, using=True))
    out: list[Item] = ["(SELECT * FROM ", frag, " WHERE ", _guard(table)]
    for test in tests:
        out += [" AND (", queries.emitter.frag(test), ")"]
    text = sql(*out, barriers.hole(queries, relation.number), BARRIER, f") AS r{relation.number}")
    return Shown(text, tests)


def behind_barrier(queries: QueryBinder, bound: BoundQuery) -> BoundQuery:
    """A view's query WITH (security_barrier), whose conditions come before those of the statement that reads it."""
    queries.prefer_keyed = queries.keeps_selects = False
    text = sql("SELECT * FROM (", bound.frag, f"){BARRIER}")
    return replace(bound, frag=text, by_key=None)


def _guard(table: Table) -> SessionValue:
    return SessionValue(f"row_security:{table.oid}", _BOOL)


def _tests(
    queries: QueryBinder, relation: Relation, command: str, *, using: bool
) -> list[tuple[ir.Node, str]]:
    """What the policies of a command ask of a row, each with the name of the restrictive policy that asks it.

    `using`: of rows as they are; else of new ones, where a policy without WITH CHECK asks the same as of others.
    """
    table = relation.table
    assert table is not None
    table = defined(table)
    permissive, restrictive = policies.of_command(queries.ctx.catalog, table, queries.accesses.role, command)

    def asked(policy: Policy) -> str:
        return policy.using if using or not policy.check else policy.check

    ways = [_bound(queries, relation, p, asked(p)) for p in permissive if asked(p)]
    first = ir.Logic(_BOOL, "or", tuple(ways)) if len(ways) > 1 else ways[0] if ways else _FALSE
    found: list[tuple[ir.Node, str]] = [(first, "")]
    for p in sorted(restrictive, key=lambda p: p.name.encode()):
        if asked(p):
            found.append((_bound(queries, relation, p, asked(p)), p.name))
    return found


def _bound(queries: QueryBinder, relation: Relation, policy: Policy, text: str) -> ir.Node:
    """A policy's condition over a relation's rows. Raises 42P17."""
    table = relation.table
    assert table is not None
    deep = bool(policy.depends)
    if deep and table.oid in queries.policies_under_way:
        raise PlanError("42P17", f'infinite recursion detected in policy for relation "{table.name}"')
    scope = queries.new_scope(None)
    width = len(table.columns)  # behind which there are system columns
    columns = [  # by the table's own names, whatever the statement calls them
        replace(c, name=table.columns[i].name) if i < width else c for i, c in enumerate(relation.columns)
    ]
    seen = Relation(relation.number, table.name, columns, table, "", relation.slot)
    scope.relations.append(seen)
    scope.columns = [StarColumn(c.name, seen.value(i), c) for i, c in enumerate(columns) if not c.hidden]
    scope.clause = CLAUSE
    catalog, expressions = queries.ctx.catalog, queries.expressions
    saved = queries.text, expressions.text, queries.search_path, queries.asked, queries.passed
    own, kept = queries.routines.own, queries.routines.kept
    used = set(relation.used)
    queries.text = expressions.text = text
    queries.search_path = catalog.reaching_extensions(policy.search_path or queries.search_path)
    queries.asked = queries.passed = ()
    queries.routines.own, queries.routines.kept = False, policy.depends
    if deep:
        queries.policies_under_way.append(table.oid)
    try:
        return expressions.boolean(parse_expression(text), scope, "POLICY")
    finally:
        if deep:
            queries.policies_under_way.pop()
        queries.text, expressions.text, queries.search_path, queries.asked, queries.passed = saved
        queries.routines.own, queries.routines.kept = own, kept
        relation.guarded |= relation.used  # which nobody needs a privilege for
        relation.used.intersection_update(used)


def refusing(queries: QueryBinder, relation: Relation, command: str, chosen: Item) -> Frag:
    """`chosen`, or the error that a row that is there is refused with: MERGE finds what SELECT's policies show, and may do to it what
    those of its action do."""
    assert relation.table is not None
    out: list[Item] = ["CASE"]
    for test, name in _tests(queries, relation, command, using=True):
        said = f' "{name}"' if name else ""
        message = f'target row violates row-level security policy{said} (USING expression) for table "{relation.table.name}"'
        out += [
            " WHEN NOT coalesce(",
            queries.emitter.frag(test),
            f", false) THEN error({quote_text('[42501] ' + message)})",
        ]
    return sql(*out, " ELSE ", chosen, " END")


# --- what is written --------------------------------------------------------------------------------


def checked(
    dml: RowBinder,
    table: Table,
    *,
    inserted: Iterable[tuple[str, bool]] = (),
    updated: Iterable[tuple[str, bool]] = (),
    met: Iterable[tuple[str, bool]] = (),
) -> GuardedTable:
    """A table as a statement writes it whose rows policies are asked about: (command, as rows that are there) in turn."""
    new = "new row violates row-level security policy"
    checks = RowChecks(
        _row_check(dml, table, inserted, new),
        _row_check(dml, table, updated, new),
        _row_check(dml, table, met, new, " (USING expression)"),
    )
    said = {f.name: getattr(table, f.name) for f in fields(Table)}
    view = table.view_oid if isinstance(table, GuardedTable) else 0
    return GuardedTable(**said, base=defined(table), view_oid=view, form=table, row_checks=checks)


def _row_check(
    dml: RowBinder, table: Table, asked: Iterable[tuple[str, bool]], what: str, why: str = ""
) -> RowCheck | None:
    asked = tuple(asked)
    if not asked:
        return None
    queries = dml.queries
    relation = dml.relation(table, table.name, "new", of_table=False)
    queries.emitter.columns[relation.number][len(table.columns) :] = system_columns.emitted(table, only=True)
    known = len(queries.tables)
    tests: list[Item] = []
    nodes: list[ir.Node] = []
    messages: list[str] = []
    for command, using in asked:
        for node, name in _tests(queries, relation, command, using=using):
            nodes.append(node)
            said = f' "{name}"' if name else ""
            tests.append(
                sql(
                    " WHEN coalesce(",
                    queries.emitter.frag(node),
                    f", false) THEN NULL ELSE {len(messages)} END",
                )
            )
            messages.append(f'{what}{said}{why} for table "{table.name}"')
    spread = spreads(table, dml.only)
    if spread and any(isinstance(n, ir.Var) and n.column < 0 for x in nodes for n in ir.walk(x)):
        raise PlanError(
            "0A000",
            f'writing to {"partitioned table" if table.partitioning is not None else "table"} "{table.name}", whose '
            f"policies look at system columns, {'' if table.partitioning is not None else 'with its children '}is not supported",
        )
    if len(queries.tables) > known and (dml.common or queries.common_writes):
        raise PlanError(
            "0A000",
            f'writing to table "{table.name}", whose policies have subqueries, is not supported in a statement that writes in WITH',
        )
    failed: list[Item] = ["coalesce("]
    for test in tests:
        failed += ["CASE", test, ", "]
    text = sql(
        "SELECT tw_failed AS c0 FROM (SELECT ", *failed, "NULL) AS tw_failed FROM ", Slot("new"),
        f" AS r{relation.number}) WHERE ", _guard(table), " AND tw_failed IS NOT NULL LIMIT 1",
    )  # fmt: skip
    return RowCheck(queries.finished(text), tuple(messages), _by_key(relation, nodes))


def asked_by_views(dml: RowBinder, table: Table, asked: Sequence[tuple[str, Condition]]) -> GuardedTable:
    """A table as a statement writes it that views ask about whose conditions are queries. `asked`: the views' names, with these."""
    queries = dml.queries
    relation = dml.relation(table, table.name, "new", of_table=False)
    known = len(queries.tables)
    failed: list[Item] = ["coalesce("]
    for number, (_, condition) in enumerate(asked):
        test = queries.emitter.frag(condition(relation))
        failed.append(sql("CASE WHEN coalesce(", test, f", false) THEN NULL ELSE {number} END, "))
    if len(queries.tables) > known and (dml.common or queries.common_writes):
        raise PlanError(
            "0A000",
            f'writing to table "{table.name}" through a view WITH CHECK OPTION that has subqueries is not supported in a statement '
            "that writes in WITH",
        )
    text = sql(
        "SELECT tw_failed AS c0, tw_at AS c1 FROM (SELECT ", *failed, f"NULL) AS tw_failed, r{relation.number}._rid AS tw_at FROM ",
        Slot("new"), f" AS r{relation.number}) WHERE tw_failed IS NOT NULL ORDER BY tw_at LIMIT 1",
    )  # fmt: skip
    messages = tuple(f'new row violates check option for view "{name}"' for name, _ in asked)
    check = RowCheck(queries.finished(text), messages, of_views=True)
    said = {f.name: getattr(table, f.name) for f in fields(Table)}
    view = table.view_oid if isinstance(table, GuardedTable) else 0
    return GuardedTable(
        **said, base=defined(table), view_oid=view, form=table, row_checks=RowChecks(check, check)
    )


def _by_key(relation: Relation, tests: Sequence[ir.Node]) -> tuple[Expr, ...]:
    """The tests for the keyed engine; none if one of them is not for it, or names what a row does not have before it is written."""
    assert relation.table is not None
    own = range(len(relation.table.columns))
    if any(
        (isinstance(n, ir.Var) and n.column not in own) or ir.is_volatile(n)
        for x in tests
        for n in ir.walk(x)
    ):
        return ()
    try:
        made = tuple(keyed.expression(n, {relation.number: 0}) for n in tests)
        hash(made)  # what is compiled is kept by it
    except (keyed.NotKeyed, TypeError):
        return ()
    return made


__all__ = [
    "CLAUSE",
    "RowCheck",
    "RowChecks",
    "Shown",
    "asked_by_views",
    "checked",
    "refuse",
    "restricted",
    "shown",
]
