"""The target of INSERT, UPDATE and DELETE where policies restrict who writes (`planner.binding.rights.row_security`).

    INSERT            new rows: INSERT's policies; SELECT's, if the statement looks at the table (RETURNING a, ON CONFLICT (a))
    ... DO UPDATE     of rows that are there UPDATE's, of what they become UPDATE's; SELECT's of both, if it looks
    UPDATE            rows found by UPDATE's (and SELECT's, if it looks); new rows: the same
    DELETE            rows found by DELETE's (and SELECT's, if it looks)

Through a view policies are those for its owner (or the user: security_invoker), as for reading it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from sqlglot import exp

from planner.abc import PlanError, Slot, Table
from planner.binding import ir
from planner.binding.fragments import Frag, Item, sql
from planner.binding.rights import row_security
from planner.binding.scope import Relation
from planner.binding.state import Target
from planner.binding.writes import updatable_views
from planner.binding.writes.clauses import RowBinder
from planner.catalog import policies
from planner.relations import GuardedTable


class SecuredRows(RowBinder):
    """What `DmlBinder` knows of policies."""

    seen_by_policies: Frag | None = None
    """The target's rows as its policies show them,"""
    guards: tuple[ir.Node, ...] = ()
    """and what these ask of each."""
    behind_view = False
    """Whether a view WITH (security_barrier) asks something of them as well."""

    def secured(self, table: Table, relation: Relation, command: str, looks: bool) -> Table:
        """The target of an UPDATE ("w") or DELETE ("d"), whose rows policies choose. `looks`: SELECT is asked for, too."""
        if command != policies.DELETE:
            table = self._asked_by_views(table)
        if not table.row_security or self.instead is not None:
            return table
        with self._as_writer():
            if not row_security.restricted(self.queries, table):
                return table
            shown = (command, policies.SELECT) if looks else (command,)
            source = sql(Slot(relation.slot), f" AS r{relation.number}")
            self.queries.prefer_keyed = False
            self.seen_by_policies, self.guards = row_security.shown(self.queries, relation, source, shown)
            if command == policies.DELETE:
                return table
            asked = [(command, False), *([(policies.SELECT, True)] if looks else [])]
            return row_security.checked(self, table, updated=asked)

    def barrier(self, relation: Relation) -> list[ir.Node]:
        """The conditions of a view WITH (security_barrier) that is written, which come before the statement's; none of others."""
        if self.view is None or not any(level.view.security_barrier for level in self.view.levels()):
            return []
        self.queries.prefer_keyed = self.queries.keeps_selects = False
        return updatable_views.conditions(self, self.view, relation)

    def put_behind(self, relation: Relation, conditions: Sequence[ir.Node]) -> None:
        """Has the target's rows chosen by these, behind its policies and before anything else is asked of them."""
        if not conditions:
            return
        self.behind_view = True
        shown = Slot(relation.slot) if self.instead is None else self.instead.source
        rows = self.seen_by_policies or sql(shown, f" AS r{relation.number}")
        out: list[Item] = ["(SELECT * FROM ", rows, " WHERE true"]
        for node in conditions:
            out += [" AND (", self.queries.emitter.frag(node), ")"]
        self.seen_by_policies = sql(*out, row_security.BARRIER, f") AS r{relation.number}")

    def secured_insert(
        self, conflict: exp.Expression | None, table: Table, looks: bool, *, listed: bool
    ) -> Table:
        """The target of an INSERT, whose new rows policies are asked about. `looks`: RETURNING shows something of them.

        `listed`: the rows are VALUES.
        """
        table = self._asked_by_views(table)
        if conflict is not None and isinstance(table, GuardedTable) and table.row_checks is not None:
            raise PlanError(  # views ask nothing of a row that is not written, and who asks does not know yet
                "0A000", "ON CONFLICT through a view WITH CHECK OPTION that has subqueries is not supported"
            )
        if not table.row_security or self.instead is not None:
            return table
        with self._as_writer():
            if not row_security.restricted(self.queries, table):
                return table
            updates = False
            if conflict is not None:
                looks = (
                    looks or bool(conflict.args.get("conflict_keys")) or bool(conflict.args.get("constraint"))
                )
                updates = bool(conflict.expressions)
            seen = [(policies.SELECT, True)] if looks else []
            changed = [(policies.UPDATE, False), *seen] if updates else []
            met = [(policies.UPDATE, True), *seen] if updates else []
            made = [(policies.INSERT, False), *seen]
            form = row_security.checked(self, table, inserted=made, updated=changed, met=met)
            alone = listed and table.partitioning is None and not (updates and table.triggers)
            if not (alone and form.row_checks.by_key):
                self.queries.prefer_keyed = False
            self.whole_conflicts = updates and not self.queries.prefer_keyed
            return form

    def _asked_by_views(self, table: Table) -> Table:
        """The table with what views ask of new rows by queries."""
        if self.view is None:
            return table
        from planner.binding.writes.check_options import beyond  # which stands on this

        levels = beyond(self.queries.ctx, self.view)
        if not levels:
            return table
        if table.row_security:
            raise PlanError(
                "0A000",
                f'WITH CHECK OPTION of view "{levels[0].view.name}", which has subqueries, is not supported over a table with policies',
            )
        self.queries.prefer_keyed = False
        asked = [(x.view.name, partial(updatable_views.condition, self, x)) for x in levels]
        return row_security.asked_by_views(self, table, asked)

    def secured_merge(self, table: Table, relation: Relation, *, looks: bool) -> Table:
        """The target of a MERGE: it finds what SELECT's policies show, if it names a column; what its actions may do is asked row by
        row."""
        if not table.row_security or not row_security.restricted(self.queries, table):
            return table
        self.queries.prefer_keyed = False
        source = sql(Slot(relation.slot), f" AS r{relation.number}")
        self.seen_by_policies, _ = row_security.shown(
            self.queries, relation, source, (policies.SELECT,) if looks else ()
        )
        changed = [(policies.UPDATE, False), *([(policies.SELECT, True)] if looks else [])]
        return row_security.checked(self, table, inserted=[(policies.INSERT, False)], updated=changed)

    def names_target(self, outs: Sequence[Target] | None, relation: int) -> bool:
        """Whether RETURNING shows something of the written rows."""
        return any(
            isinstance(n, ir.Var) and n.relation == relation for x in outs or () for n in ir.walk(x.node)
        )

    @contextmanager
    def _as_writer(self) -> Iterator[None]:
        """In whose name the table is written: under views, of the innermost that has an owner to say so."""
        accesses = self.queries.accesses
        saved = accesses.role
        for level in self.view.levels() if self.view is not None else ():
            if (owner := accesses.owner_of(level.view)) is not None:
                accesses.role = owner
        try:
            yield
        finally:
            accesses.role = saved


__all__ = ["SecuredRows"]
