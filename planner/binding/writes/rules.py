"""A statement that writes a relation with rules, as the statements that are run for it.

    CREATE RULE r AS ON UPDATE TO t WHERE NEW.a > 0 DO ALSO INSERT INTO log VALUES (OLD.a, NEW.a)
    UPDATE t SET a = a + 1 WHERE b

    WITH w AS (SELECT a + 1 AS n0, a AS o0 FROM t WHERE b)       the rows, bound as the UPDATE itself: casts, defaults, its user's rights
    INSERT INTO log SELECT w.o0, w.n0 FROM w WHERE w.n0 > 0      the rule's statement, in the name of who owns t
    UPDATE t SET a = a + 1 WHERE b                               INSERT comes before its rules, UPDATE and DELETE after them

Each finds its rows when it is run, and sees what those before it have done; what a value calls, `nextval` for instance, is called
anew. A rule's statements may be of relations with rules again: their rows are then found over the rows of the statement before. The
order, what counts and what is refused are those of PostgreSQL's RewriteQuery.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from sqlglot import exp

from planner import statements as st
from planner import types as t
from planner.abc import Plan, PlanError, Rule, StatementKind, Table, TypeRef, Utility
from planner.binding.fragments import Item, join, quote_name, sql
from planner.binding.from_items import CommonTable
from planner.binding.naming import identifier
from planner.binding.numeric_forms import column_form
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.writes import instead_of, new_and_old
from planner.binding.writes.dml import DmlBinder
from planner.binding.writes.rule_actions import (
    called,
    event_of,
    parse_notify,
    returned,
    returning_of,
    target_of,
    type_rows,
    type_text,
    without_defaults,
)  # fmt: skip
from planner.catalog import Catalog, View
from planner.parse import parse_expression, parse_query
from planner.records import replace

_DOING: Final = {
    "2": ("update", "updating"),
    "3": ("insert into", "inserting into"),
    "4": ("delete from", "deleting from"),
}
_DEPTH_MAX: Final = 32


@dataclass(slots=True)
class Statement:
    """One statement of those that are run: where it is from, and in whose name its names are read."""

    tree: exp.Expression
    text: str
    path: tuple[str, ...]
    role: str
    source: str = "original"  # "also", "instead", "qualified": of a rule
    around: tuple[Statement, Table | View] | None = None
    """The statement whose rows it knows, and the relation that they are of."""
    fired: frozenset[tuple[int, str]] = frozenset()
    final: bool = False
    """No rules are asked about it any more."""
    trusted: bool = False
    """Its rights have been asked for with those of another one."""
    returns: list[exp.Expression] | None = None
    """What RETURNING says in the rule that it is of."""
    steps: list[Statement] = field(default_factory=list)


def asked(holder: Table | View, event: str) -> list[Rule]:
    """The rules for an event that are heeded, in the order in which they are."""
    return [r for r in holder.rules if r.event == event and r.enabled in "OA"]


def rewritten(
    tree: exp.Expression, ctx: Any, parameter_types: Sequence[int], text: str, kinds: Sequence[str] | None
) -> Plan | None:
    """The plan of a statement that rules rewrite; None: none do."""
    event = event_of(tree)
    if not event and not isinstance(tree, exp.Merge):
        return None
    holder = target_of(tree, ctx.catalog, ctx.search_path)
    if holder is None or not holder.rules:
        return None
    if isinstance(tree, exp.Merge):
        raise PlanError(
            "0A000",
            f'cannot execute MERGE on relation "{holder.name}"',
            detail="MERGE is not supported for relations with rules.",
        )
    _refuse_conflicts(tree, holder)
    if not asked(holder, event):
        return None
    return _Rewriter(ctx, text).plan(tree, holder, parameter_types, kinds)


def refuse_returning(tree: exp.Expression, holder: Table | View, event: str, rules: Sequence[Rule]) -> None:
    """Raises 0A000 where nothing says what the rows are that RETURNING is to show."""
    if tree.args.get("returning") is None or not any(r.instead for r in rules):
        return
    if any(r.instead and not r.condition and returning_of(r) is not None for r in rules):
        return
    word = new_and_old.EVENT_WORDS[event]
    raise PlanError(
        "0A000",
        f'cannot perform {word} RETURNING on relation "{holder.name}"',
        hint=f"You need an unconditional ON {word} DO INSTEAD rule with a RETURNING clause.",
    )


def refuse_in_with(tree: exp.Expression, catalog: Catalog, path: tuple[str, ...]) -> None:
    """Raises 0A000 for a data-modifying query of WITH that rules rewrite."""
    event = event_of(tree)
    holder = target_of(tree, catalog, path) if event else None
    if holder is None:
        return
    _refuse_conflicts(tree, holder)
    found = asked(holder, event)
    if not found:
        return
    refuse_returning(tree, holder, event, found)
    raise PlanError("0A000", f"{_kinds(found)} are not supported for data-modifying statements in WITH")


def _refuse_conflicts(tree: exp.Expression, holder: Table | View) -> None:
    """Raises 0A000 for ON CONFLICT where rules would have to say what becomes of a row."""
    if tree.args.get("conflict") is not None and (asked(holder, "3") or asked(holder, "2")):
        raise PlanError(
            "0A000",
            "INSERT with ON CONFLICT clause cannot be used with table that has INSERT or UPDATE rules",
        )


def _kinds(found: Sequence[Rule]) -> str:
    """What rules are, where they cannot be followed."""
    if any(not r.instead for r in found):
        return "DO ALSO rules"
    if any(r.condition for r in found):
        return "conditional DO INSTEAD rules"
    if not any(r.actions for r in found):
        return "DO INSTEAD NOTHING rules"
    return (
        "multi-statement DO INSTEAD rules" if sum(len(r.actions) for r in found) > 1 else "DO INSTEAD rules"
    )


class _Rewriter:
    def __init__(self, ctx: Any, text: str) -> None:
        self.ctx, self.text = ctx, text
        self.catalog: Catalog = ctx.catalog
        self.types: tuple[int, ...] = ()

    # --- which statements are run ---------------------------------------------------------------

    def plan(
        self,
        tree: exp.Expression,
        holder: Table | View,
        parameter_types: Sequence[int],
        kinds: Sequence[str] | None,
    ) -> Plan:
        first = Statement(tree, self.text, self.ctx.search_path, self.ctx.user)
        event = event_of(tree)
        self._decide(first, parameter_types, kinds)
        found = list(self._run_for(first))
        if len(found) > 1 and tree.args.get("with_") is not None:
            raise PlanError(
                "0A000", "WITH cannot be used in a query that is rewritten by rules into multiple queries"
            )
        plans = [(s, self._planned(s)) for s in found]
        counts = next((s for s in found if s.source == "original"), None)
        if counts is None:
            alike = [s for s in found if s.source in ("instead", "qualified") and type(s.tree) is type(tree)]
            counts = alike[-1] if alike else None
        wanted = tree.args.get("returning") is not None
        returns = next((s for s in found if wanted and s.tree.args.get("returning") is not None), None)
        columns = next((p.columns for s, p in plans if s is returns), None)
        steps = tuple(st.Step(p, s is counts, s is returns) for s, p in plans)
        verb = new_and_old.EVENT_WORDS[event]
        return Plan(
            StatementKind.READ_THEN_WRITE,
            verb,
            tuple(TypeRef(oid) for oid in self.types),
            columns,
            Utility(st.Rewritten(verb, steps, _kinds(asked(holder, event)))),
            self.catalog.version,
            self.text,
            extra={"views": ((holder, True),)} if isinstance(holder, View) else {},
        )

    def _decide(self, first: Statement, parameter_types: Sequence[int], kinds: Sequence[str] | None) -> None:
        """The types of parameters are those that the statement itself gives them. Raises what is wrong with it."""
        parameters = Parameters(parameter_types, kinds)
        queries = QueryBinder(self.ctx, self.text, parameters)
        queries.prefer_keyed = False
        self._rows(queries, first, target_of(first.tree, self.catalog, first.path))
        queries.accesses.check()
        self.types = tuple(ref.oid for ref in parameters.all())

    def _run_for(self, statement: Statement) -> Iterator[Statement]:
        """The statements that are run for one, in order."""
        tree = statement.tree
        event = event_of(tree)
        holder = target_of(tree, self.catalog, statement.path) if event and not statement.final else None
        rules = asked(holder, event) if holder is not None else []
        if holder is None or not rules:
            yield statement
            return
        if (holder.oid, event) in statement.fired or len(statement.fired) > _DEPTH_MAX:
            raise PlanError("42P17", f'infinite recursion detected in rules for relation "{holder.name}"')
        if statement.source != "original" and tree.args.get("conflict") is not None:
            raise PlanError(
                "0A000",
                "INSERT with ON CONFLICT clause cannot be used with table that has INSERT or UPDATE rules",
            )
        fired = statement.fired | {(holder.oid, event)}
        instead = any(r.instead and not r.condition for r in rules)
        conditions = [r for r in rules if r.instead and r.condition]
        refuse_returning(tree, holder, event, rules)
        own: list[Statement] = []
        if not instead:
            own = [self._own(statement, holder, event, conditions)]
        if event == "3":
            yield from own
        for rule in rules:
            for action in self._actions(statement, holder, rule, fired):
                yield from self._run_for(action)
        if event != "3":
            yield from own

    def _own(
        self, statement: Statement, holder: Table | View, event: str, conditions: Sequence[Rule]
    ) -> Statement:
        """The statement itself, of the rows that no conditional INSTEAD rule takes."""
        doing, gerund = _DOING[event]
        word = new_and_old.EVENT_WORDS[event]
        if conditions and isinstance(holder, View) and not instead_of.handles(holder, doing):
            raise PlanError(
                "55000",
                f'cannot {doing} view "{holder.name}"',
                detail="Views with conditional DO INSTEAD rules are not automatically updatable.",
                hint=f"To enable {gerund} the view, provide an INSTEAD OF {word} trigger or an unconditional ON {word} DO INSTEAD rule.",
            )
        if not conditions:
            return replace(statement, final=True)
        if event == "3":
            tests = [
                _not(new_and_old.replaced(self._condition(r, holder), holder, event)) for r in conditions
            ]
            return self._inserted(statement, holder, tests)
        tree = statement.tree.copy()
        name = called(tree)
        assigned = self._assigned(tree, holder) if event == "2" else {}

        def value(side: str, index: int) -> exp.Expression:
            column = holder.columns[index].name
            if side == "new" and column in assigned:
                return exp.paren(assigned[column].copy())
            return exp.column(exp.to_identifier(column, quoted=True), exp.to_identifier(name, quoted=True))

        tests = [
            _not(new_and_old.replaced(self._condition(r, holder), holder, event, value)) for r in conditions
        ]
        said = tree.args.get("where")
        every = [*([said.this] if said is not None else []), *tests]
        tree.set("where", exp.Where(this=exp.and_(*every, copy=False)))
        return replace(statement, tree=tree, final=True)

    def _inserted(self, statement: Statement, holder: Table | View, tests: list[exp.Expression]) -> Statement:
        """INSERT of those of its rows that pass."""
        given = [i for i, c in enumerate(holder.columns) if not c.hidden and not c.generated]
        rows = exp.to_identifier(new_and_old.ROWS, quoted=True)
        select = exp.Select(
            expressions=[exp.column(exp.to_identifier(f"n{i}", quoted=True), rows.copy()) for i in given]
        )
        target = statement.tree.this
        target = target.this if isinstance(target, exp.Schema) else target
        names = [exp.to_identifier(holder.columns[i].name, quoted=True) for i in given]
        tree = exp.Insert(
            this=exp.Schema(this=target.copy(), expressions=names),
            expression=select,
            overriding="system",
        )
        new_and_old.joined(tree, tests)
        return replace(statement, tree=tree, around=(statement, holder), final=True, trusted=True)

    def _condition(self, rule: Rule, holder: Table | View) -> exp.Expression:
        """A rule's condition, whose relations are named with their schemas: it is read among another statement's names."""
        tree = new_and_old.condition(rule.condition, holder, rule.event)
        for node in tree.find_all(exp.Table):
            if isinstance(node.this, exp.Identifier) and node.args.get("db") is None:
                found = self.catalog.find_relation(identifier(node.this), "", rule.search_path)
                if isinstance(found, Table | View):
                    schema = self.catalog.schema_of(found.schema_oid).name
                    node.set("db", exp.to_identifier(schema, quoted=True))
        return tree

    def _assigned(self, tree: exp.Expression, holder: Table | View) -> dict[str, exp.Expression]:
        """What an UPDATE sets, by column. Raises 0A000 for what has no expression of its own."""
        found: dict[str, exp.Expression] = {}
        for item in tree.expressions:
            left, right = item.this, item.expression
            plain = isinstance(left, exp.Column) and left.args.get("table") is None
            if not plain or (isinstance(right, exp.Column | exp.Var) and right.name.upper() == "DEFAULT"):
                raise PlanError(
                    "0A000",
                    f'UPDATE of "{holder.name}", which has conditional INSTEAD rules, by other than plain assignments is not supported',
                )
            column = next((c for c in holder.columns if c.name == identifier(left.this)), None)
            if column is not None and isinstance(right, exp.Literal | exp.Placeholder | exp.Parameter):
                cast = parse_expression(f"CAST(NULL AS {type_text(column.type)})")
                cast.set("this", right.copy())
                right = cast
            found[identifier(left.this)] = right
        return found

    def _spread(
        self, returned: exp.Expression, tree: exp.Expression, path: tuple[str, ...]
    ) -> exp.Expression:
        """A rule's RETURNING with `*` as the columns of what it writes."""
        target = target_of(tree, self.catalog, path)
        items: list[exp.Expression] = []
        for item in returned.expressions:
            star = isinstance(item, exp.Star) or (
                isinstance(item, exp.Column) and isinstance(item.this, exp.Star)
            )
            if not star or target is None:
                items.append(item)
                continue
            name = exp.to_identifier(called(tree), quoted=True)
            items += [
                exp.column(exp.to_identifier(c.name, quoted=True), name.copy())
                for c in target.columns
                if not c.hidden
            ]
        return exp.Returning(expressions=items)

    def _actions(
        self, statement: Statement, holder: Table | View, rule: Rule, fired: frozenset[tuple[int, str]]
    ) -> Iterator[Statement]:
        source = "also" if not rule.instead else "qualified" if rule.condition else "instead"
        event = rule.event
        looks = event == "3" or statement.tree.args.get("where") is not None
        looks = looks or bool(statement.tree.args.get("from_") or statement.tree.args.get("using"))
        for text in rule.actions:
            said = parse_notify(text)
            if said is not None:
                yield Statement(
                    exp.Command(this=text), text, rule.search_path, holder.owner, source, final=True
                )
                continue
            tree = parse_query(text)
            own = tree.args.get("returning")
            wanted = statement.tree.args.get("returning")
            if own is not None:
                tree.set("returning", None)
                own = self._spread(own, tree, rule.search_path)
                if wanted is not None and source == "instead":
                    tree.set("returning", returned(wanted, own, statement.tree, holder))
            joins = looks or new_and_old.names_rows(tree)
            type_rows(tree, self.catalog, rule.search_path)
            tree = new_and_old.replaced(tree, holder, event)
            conditions = []
            if rule.condition:
                joins = True
                conditions = [
                    new_and_old.replaced(new_and_old.condition(rule.condition, holder, event), holder, event)
                ]
            if joins:
                without_defaults(tree, self.catalog, rule.search_path)
                tree = new_and_old.joined(tree, conditions)
            yield Statement(
                tree,
                text,
                rule.search_path,
                holder.owner,
                source,
                (statement, holder) if joins else None,
                fired,
            )

    # --- what each of them is -------------------------------------------------------------------

    def _planned(self, s: Statement) -> Plan:
        from planner.binding.statements import bound_plan

        if isinstance(s.tree, exp.Command):
            notify = parse_notify(s.text)
            return Plan(
                StatementKind.SESSION, "NOTIFY", (), None, Utility(notify), self.catalog.version, s.text
            )
        parameters = Parameters(self.types, None)
        own = (
            s.around is None and s.source == "original"
        )  # a rule's statements know nothing of a body's variables
        variables = self.ctx.variables if own else None
        trusted = s.trusted or self.ctx.trusted
        ctx = replace(self.ctx, search_path=s.path, trusted=trusted, variables=variables)
        queries = QueryBinder(ctx, s.text, parameters)
        queries.accesses.role = s.role
        around: dict[str, object] = {}
        inherited: list[Item] = []
        if s.around is not None:
            queries.prefer_keyed = queries.keeps_selects = False
            known, item = self._common(queries, *s.around)
            around, inherited = {new_and_old.ROWS: known}, [item]
        return bound_plan(s.tree, ctx, queries, parameters, s.text, around, inherited)

    def _common(
        self, queries: QueryBinder, statement: Statement, holder: Table | View
    ) -> tuple[CommonTable, Item]:
        """The rows that a rule is about, as a query of WITH."""
        made = self._rows(queries, statement, holder)
        shown = new_and_old.columns_of(holder, event_of(statement.tree))
        old_as = "old " if event_of(statement.tree) in "24" else ""
        cells: list[Item] = []
        for i, (side, column, _) in enumerate(shown):
            place = next(j for j, c in enumerate(holder.columns) if c is column)
            name = f"{old_as}{place}" if side == "old" else column.name
            cells.append(f"{t.store_sql(f'x.{quote_name(name)}', column.type)} AS c{i}")
        name = f"w{queries.next_relation()}"
        columns = ", ".join(f"c{i}" for i in range(len(shown)))
        item = sql(
            f"{name}({columns}) AS MATERIALIZED (SELECT ", join(", ", cells), " FROM (", made, ") AS x)"
        )
        forms = [column_form(column.type) for _, column, _ in shown]
        return CommonTable(name, [c for _, _, c in shown], forms), item

    def _rows(self, queries: QueryBinder, statement: Statement, holder: Table | View | None) -> Any:
        """The text of the rows that a statement would write."""
        tree = statement.tree.copy()
        tree.set("returning", None)
        dml = DmlBinder(queries)
        dml.for_rules = True
        if statement.around is not None:
            known, item = self._common(queries, *statement.around)
            dml.around, dml.inherited = {new_and_old.ROWS: known}, [item]
        own = statement.around is None and statement.source == "original"
        with _speaking(queries, statement, self.ctx.variables if own else None):
            if isinstance(tree, exp.Insert):
                dml.insert(tree)
            elif isinstance(tree, exp.Update):
                dml.update(tree)
            else:
                assert isinstance(tree, exp.Delete)
                dml.delete(tree)
        if queries.common_writes:
            raise PlanError(
                "0A000", "WITH cannot be used in a query that is rewritten by rules into multiple queries"
            )
        assert dml.rows_text is not None
        return dml.rows_text


@contextmanager
def _speaking(queries: QueryBinder, statement: Statement, variables: Any) -> Iterator[None]:
    """Names are read as the statement's, and so are its rights."""
    around, queries.variables = queries.variables, variables
    saved = queries.text, queries.search_path, queries.expressions.text, queries.accesses.role
    queries.text = queries.expressions.text = statement.text
    queries.search_path = statement.path
    queries.accesses.role = statement.role
    try:
        yield
    finally:
        queries.text, queries.search_path, queries.expressions.text, queries.accesses.role = saved
        queries.variables = around


def _not(condition: exp.Expression) -> exp.Expression:
    return exp.Not(this=exp.Is(this=exp.paren(condition), expression=exp.Boolean(this=True)))


__all__ = [
    "asked",
    "refuse_in_with",
    "refuse_returning",
    "rewritten",
]
