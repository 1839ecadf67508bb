"""MERGE as one query: the source joined to the target, and per row of the join what is to be done and the new row.

    MERGE INTO t USING s ON t.id = s.id
      WHEN MATCHED AND s.gone THEN DELETE                  tw_action 0
      WHEN MATCHED THEN UPDATE SET v = s.v                 tw_action 1
      WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v)      tw_action 2

    SELECT r1._rid, CASE WHEN r1._rid IS NOT NULL THEN ... END AS tw_action,
           CASE tw_action WHEN 0 THEN 'd' WHEN 1 THEN 'u' ... END,
           CASE tw_action WHEN 1 THEN r2.v WHEN 2 THEN r2.v END, ...
    FROM s AS r2 LEFT JOIN t AS r1 ON ... WHERE tw_action IS NOT NULL

The first clause whose condition holds decides; a row that none takes, or DO NOTHING does, is not in the result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from sqlglot import exp

from planner.abc import MergeQuery, PlanError, Slot, Table
from planner.binding import ir, partitioned
from planner.binding.fragments import Frag, Item, join, quote_name, sql
from planner.binding.rights import barriers, row_security
from planner.binding.scope import Relation, Scope
from planner.binding.system_columns import NUMBERS
from planner.binding.writes.dml import DmlBinder
from planner.binding.writes.generated import MADE, is_late
from planner.binding.writes.insert_targets import InsertTargets
from planner.catalog import policies
from planner.parse import position as first_position

T = TypeVar("T")
_COMMANDS: Final = {"u": policies.UPDATE, "d": policies.DELETE}
"""Whose policies a row of the target is under that an action changes."""


@dataclass(slots=True)
class _Action:
    """One WHEN clause. `row`: the new row of an UPDATE or INSERT."""

    matched: bool
    condition: ir.Node | None
    kind: str  # "d", "u", "i", or "" for DO NOTHING
    row: list[ir.Node] | None = None


def _refuse_versions(condition: exp.Expression, table: Table) -> None:
    """A condition may look at no system column but `tableoid`: which version a row is, is not known before it is locked."""
    own = {c.name for c in table.columns}
    for column in condition.find_all(exp.Column):
        name = column.name
        if (
            name in NUMBERS
            and name != "tableoid"
            and name not in own
            and column.find_ancestor(exp.Select) is None
        ):
            raise PlanError(
                "42P10",
                f'cannot use system column "{name}" in MERGE WHEN condition',
                position=first_position(column),
            )


def _read_by(whens: Sequence[exp.When]) -> Iterator[exp.Expression | None]:
    """The expressions of the WHENs, without the names of the columns that are assigned."""
    for when in whens:
        yield when.args.get("condition")
        then = when.args["then"]
        if isinstance(then, exp.Update):
            yield from (e.expression for e in then.expressions)
        elif isinstance(then, exp.Insert) and isinstance(then.expression, exp.Expression):
            yield then.expression  # not DEFAULT VALUES, which is no expression


class MergeBinder(DmlBinder):
    """Binds MERGE."""

    def merge(self, node: exp.Merge) -> MergeQuery:
        """Raises PlanError."""
        clause = node.args.get("with_")
        if clause is not None and clause.args.get("recursive"):
            raise PlanError("42601", "WITH RECURSIVE is not supported for MERGE statement")
        table, alias = self.target(node.this, "merge into")
        if table.foreign is not None:
            raise PlanError(
                "0A000",
                f'cannot execute MERGE on relation "{table.name}"',
                detail="This operation is not supported for foreign tables.",
            )
        prefix = self.with_clause(node)
        if node.args.get("returning") is not None:
            raise PlanError("42601", 'syntax error at or near "returning"')
        relation = self.relation(table, alias, of_table=True)
        sources = self.queries.new_scope(None)
        sources.ctes = self._scope.ctes
        sources.beyond = (relation,)
        source = self.queries.sources.item(node.args["using"], sources)
        sources.beyond = ()
        sources.relations, sources.columns = source.relations, source.columns
        if any(r.name == alias for r in source.relations):
            raise PlanError(
                "42712",
                f'name "{alias}" specified more than once',
                detail="The name is used both as MERGE target table and data source.",
            )
        both = self.scope_of(relation)
        both.ctes = self._scope.ctes
        both.relations = [relation, *source.relations]
        both.columns = both.columns + source.columns
        both.clause = "JOIN/ON"
        sources.before = [source]
        if target := self._asked_of(relation, self.scope_of(relation)):
            both.before = [*target, source]
        on = both.where = self.expressions.boolean(node.args["on"], both, "JOIN/ON")
        assigned: set[int] = set()
        actions: list[_Action] = []
        sealed: set[bool] = set()
        for when in node.args["whens"].expressions:
            action = self._action(when, table, relation, both, sources, assigned)
            if action.matched in sealed:
                raise PlanError("42601", "unreachable WHEN clause specified after unconditional WHEN clause")
            if action.condition is None:
                sealed.add(action.matched)
            actions.append(action)
        self._note_merge(node, table, alias, {a.kind for a in actions}, assigned)
        table = self.secured_merge(table, relation, looks=bool(relation.used) or relation.rid)
        relation.used |= set(range(len(table.columns)))
        barriers.let_through(self.queries, [relation], on)
        query = self._text(prefix, table, relation, source.frag, on, actions)
        return MergeQuery(
            table,
            self.queries.finished(query, with_rid=relation.number),
            tuple(sorted(assigned)),
            frozenset(a.kind for a in actions if a.kind),
            self.only,
        )

    def _note_merge(
        self, node: exp.Merge, table: Table, alias: str, kinds: set[str], assigned: set[int]
    ) -> None:
        """The right to do what the WHENs do, and to look at the target."""
        accesses = self.queries.accesses
        accesses.names_columns(table, alias, [node.args["on"], *_read_by(node.args["whens"].expressions)])
        if not kinds - {""}:
            accesses.looks_at(table)
        for kind, privilege in (("u", "UPDATE"), ("d", "DELETE"), ("i", "INSERT")):
            if kind in kinds:
                attnums = [table.columns[i].attnum for i in sorted(assigned)] if kind == "u" else []
                accesses.writes(table, privilege, attnums, only=self.only)

    def _action(
        self,
        when: exp.When,
        table: Table,
        relation: Relation,
        both: Scope,
        sources: Scope,
        assigned: set[int],
    ) -> _Action:
        matched = bool(when.args.get("matched"))
        if when.args.get("source"):
            raise PlanError("42601", 'syntax error at or near "by"')
        scope = both if matched else sources
        condition: ir.Node | None = None
        if when.args.get("condition") is not None:
            scope.clause = "MERGE WHEN AND"
            _refuse_versions(when.args["condition"], table)
            condition = self._of_source(
                lambda: self.expressions.boolean(when.args["condition"], scope, "MERGE WHEN AND"),
                relation if not matched else None,
            )
        then = when.args["then"]
        if isinstance(then, exp.Update) and matched and then.expressions:
            both.clause = "UPDATE"
            made = self.assignments_of(then.expressions, table, both, relation)
            assigned |= set(made)
            row = [made.get(i, ir.Var(c.type, relation.number, i)) for i, c in enumerate(table.columns)]
            return _Action(True, condition, "u", row)
        if isinstance(then, exp.Insert) and not matched:
            row = self._of_source(lambda: self._inserted(then, table, sources), relation)
            return _Action(False, condition, "i", row)
        word = str(then.this).upper() if isinstance(then, exp.Var) else ""
        if word == "DELETE" and matched:
            return _Action(True, condition, "d")
        if word == "DO NOTHING":
            return _Action(matched, condition, "")
        shown = (
            "update" if isinstance(then, exp.Update) else "insert" if isinstance(then, exp.Insert) else word
        )
        raise PlanError("42601", f'syntax error at or near "{shown.lower()}"')

    def _of_source(self, bind: Callable[[], T], target: Relation | None) -> T:
        """Binds what sees the source's columns only; who names the target's there is told so."""
        try:
            return bind()
        except PlanError as e:
            if target is None or e.message != f'missing FROM-clause entry for table "{target.name}"':
                raise
            raise PlanError(
                "42P01", f'invalid reference to FROM-clause entry for table "{target.name}"', position=e.position,
                hint=f'There is an entry for table "{target.name}", but it cannot be referenced from this part of the query.',
            ) from None  # fmt: skip

    def _inserted(self, then: exp.Insert, table: Table, sources: Scope) -> list[ir.Node]:
        """The whole row of an INSERT action."""
        names = then.this
        listed = [i for i, c in enumerate(table.columns) if not c.hidden]
        targets = InsertTargets(listed, {})
        if isinstance(names, exp.Tuple | exp.Paren):
            items = names.expressions if isinstance(names, exp.Tuple) else [names.this]
            listed = [self.column_index(table, c) for c in items]
            targets = InsertTargets(listed, {}, items)
            targets.check(table)
        elif names is not None:
            raise PlanError(
                "42601", f'syntax error at or near "{names.name}"', position=first_position(names)
            )
        if not then.expression:
            return self.generated(table, [self.default(table, i) for i in range(len(table.columns))])
        saved, self._scope = self._scope, sources
        try:
            row = self._values_row(table, targets, then.expression, names is not None, self._overriding(then))
        finally:
            self._scope = saved
        return self.generated(table, row)

    def _text(
        self, prefix: Frag | None, table: Table, relation: Relation, source: Frag, on: ir.Node,
        actions: list[_Action],
    ) -> Frag:  # fmt: skip
        emit = self.queries.emitter
        rid = f"r{relation.number}._rid"

        def chosen(matched: bool) -> Frag:
            cases: list[Item] = []
            for i, a in enumerate(actions):
                if a.matched == matched:
                    test = emit.frag(a.condition) if a.condition is not None else "true"
                    number: Item = str(i) if a.kind else "NULL"
                    if self.seen_by_policies is not None and a.kind in _COMMANDS:
                        number = row_security.refusing(self.queries, relation, _COMMANDS[a.kind], number)
                    cases.append(sql("WHEN ", test, " THEN ", number))
            return sql("CASE ", join(" ", cases), " END") if cases else sql("NULL")

        kinds = " ".join(f"WHEN {i} THEN '{a.kind}'" for i, a in enumerate(actions) if a.kind)
        items: list[Item] = [
            f"{rid} AS _rid",
            f"CASE tw_action {kinds} END AS _action" if kinds else "CAST(NULL AS VARCHAR) AS _action",
        ]
        behind = partitioned.home(relation)
        late: list[Item] = []
        for c, column in enumerate(table.columns):
            values: dict[bool, list[Item]] = {False: [], True: []}
            for i, a in enumerate(actions):
                if a.row is not None:
                    value = self.canonical(self.fitted(a.row[c], column), column)
                    values[is_late(a.row[c], self.made)].append(sql(f"WHEN {i} THEN ", value))
            name = quote_name(column.name)
            first = sql("CASE tw_action ", join(" ", values[False]), " END") if values[False] else "NULL"
            items.append(sql(first, f" AS {name}"))
            if values[True]:
                other = f" ELSE {name}" if values[False] else ""
                late.append(sql("CASE tw_action ", join(" ", values[True]), f"{other} END AS {name}"))
        side = "LEFT " if any(not a.matched for a in actions) else ""
        choice = sql(
            f"CASE WHEN {rid} IS NOT NULL THEN ", chosen(True), " ELSE ", chosen(False), " END"
        )  # fmt: skip
        items += behind
        if late:
            items.append("tw_action")
        target = self.seen_by_policies or sql(Slot(relation.slot), f" AS r{relation.number}")
        text = sql(
            *([prefix] if prefix is not None else []),
            "SELECT ", join(", ", items), " FROM ", source, f" {side}JOIN ", target, " ON ", emit.frag(on),
            ", LATERAL (SELECT ", choice, " AS tw_action) WHERE tw_action IS NOT NULL",
        )  # fmt: skip
        if not late:
            return text
        return sql(
            "SELECT * EXCLUDE (tw_action) REPLACE (", join(", ", late), ") FROM (", text, f") AS {MADE}"
        )
