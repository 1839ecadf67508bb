"""The query of a view as PostgreSQL writes it out: names qualified, casts and parentheses in their places, one line a column.

    select name, count(*) n from pets join owners using (owner) where age > 3 group by 1

     SELECT pets.name,
        count(*) AS n
       FROM (pets
         JOIN owners USING (owner))
      WHERE (pets.age > 3)
      GROUP BY pets.name

The syntax tree gives the clauses, the binder what their expressions mean: each clause is bound as for running the query,
and its typed trees are written by `planner.binding.deparse.expressions`. Where a line begins is PostgreSQL's rule for each keyword:
`_keyword` is its appendContextKeyword, with the same numbers. `NotWritable` for what has no words here: the caller keeps
the text that was given.
"""

from __future__ import annotations

from typing import Any, Final

from sqlglot import exp

from planner import types as t
from planner.abc import SqlError, Table, TypeRef
from planner.binding import ir, search_and_cycle
from planner.binding.deparse.expressions import NotWritable, TypeName, uncast
from planner.binding.deparse.view_expressions import Renaming, ViewBinder
from planner.binding.deparse.view_from import STEP, FromWriter, RelationName
from planner.binding.naming import identifier
from planner.binding.output_keys import group_keys, order_key
from planner.binding.parameters import Parameters
from planner.binding.queries import unwrapped
from planner.binding.rights import policy_conditions
from planner.binding.scope import Scope
from planner.binding.state import Target
from planner.binding.windows import define_windows
from planner.catalog import quote_identifier
from planner.parse import parse_expression, parse_query

_GROUPING: Final = ((exp.Rollup, "ROLLUP"), (exp.Cube, "CUBE"), (exp.GroupingSets, "GROUPING SETS "))
_SET_WORDS: Final = ((exp.Union, "UNION "), (exp.Intersect, "INTERSECT "), (exp.Except, "EXCEPT "))


def query_text(
    ctx: Any,
    text: str,
    columns: list[str],
    type_name: TypeName,
    relation_name: RelationName,
    pretty: bool,
    wrap: int = 0,
    renaming: Renaming | None = None,
) -> str:
    """The query with these names for its columns, without a semicolon. Raises NotWritable.

    `wrap`: a list's items share a line up to so many characters. `renaming`: what is about to get another name.
    """
    try:
        tree = parse_query(text)
        binder = ViewBinder(ctx, text, Parameters((), None))
        writer = QueryWriter(binder, text, type_name, relation_name, pretty, wrap)
        writer.renaming = renaming
        writer.query(tree, None, columns)
    except SqlError as e:
        raise NotWritable(text) from e
    return "".join(writer.out)


def policy_text(ctx: Any, table: Table, text: str, type_name: TypeName, relation_name: RelationName) -> str:
    """A policy's condition: its table's columns go without the table's name but in queries. Raises NotWritable."""
    try:
        binder = ViewBinder(ctx, text, Parameters((), None))
        relation, scope = policy_conditions.scope_over(binder, table)
        writer = _PolicyWriter(binder, text, type_name, relation_name, False, 0)
        writer.know([relation])
        return writer.write(binder.expressions.boolean(parse_expression(text), scope, "POLICY"))
    except SqlError as e:
        raise NotWritable(text) from e


class QueryWriter(FromWriter):
    def nested(self, node: exp.Expression, scope: Scope | None, named: bool = True) -> str:
        """A query inside this one. `named`: somebody sees how its columns are called."""
        level = self.level
        try:
            return self._apart(lambda: self.query(node, scope, None, named))
        finally:
            self.level = level

    # --- queries -------------------------------------------------------------------------------------

    def query(
        self, node: exp.Expression, outer: Scope | None, names: list[str] | None, named: bool = True
    ) -> None:
        node = _as_listed(unwrapped(node), names)
        scope = self.binder.new_scope(outer)
        around = set(self.taken)
        self.binder.with_clause(node, scope)
        if isinstance(node, exp.Select):
            self.binder.sources.from_clause(node, scope)
            self.know(scope.relations)
            self.keep_names(node, scope.relations)
            self.merged += [(c.node, c.name) for c in scope.columns if not isinstance(_bare(c.node), ir.Var)]
        self._with(node, scope)
        if isinstance(node, exp.Select):
            targets = self._select(node, scope, names, named)
            self._order(node, targets, scope)
        elif isinstance(node, exp.SetOperation):
            targets = self._set_operation(node, scope, names, named)
            self._order(node, targets, None)
        elif isinstance(node, exp.Values):
            self.level += STEP
            self._add(" " + self._values(node, scope))
            self._order(node, [], None)
        else:
            raise NotWritable(type(node).__name__)
        self._limits(node, scope)
        self._locks(node, scope)
        self.taken = around

    def _locks(self, node: exp.Expression, scope: Scope) -> None:
        for lock in node.args.get("locks") or ():
            named = {identifier(t.this) for t in lock.expressions or ()}
            for relation in scope.relations:
                if (named and relation.name not in named) or not isinstance(relation.table, Table):
                    continue
                wait, key = lock.args.get("wait"), lock.args.get("key")
                word = (
                    ("NO KEY UPDATE" if key else "UPDATE")
                    if lock.args.get("update")
                    else "KEY SHARE"
                    if key
                    else "SHARE"
                )
                self._keyword(f" FOR {word}", after=STEP)
                self._add(f" OF {quote_identifier(self.called(relation))}")
                self._add(" NOWAIT" if wait is True else " SKIP LOCKED" if wait is False else "")

    def _with(self, node: exp.Expression, scope: Scope) -> None:
        clause = node.args.get("with_")
        if clause is None:
            return
        self.level += STEP
        self._add(" WITH RECURSIVE " if clause.args.get("recursive") else " WITH ")
        for i, cte in enumerate(clause.expressions):
            alias = cte.args["alias"]
            renamed = [quote_identifier(identifier(c)) for c in alias.args.get("columns") or ()]
            stated = cte.args.get("materialized")
            word = "" if stated is None else "MATERIALIZED " if stated else "NOT MATERIALIZED "
            self._add(", " if i else "")
            self._add(
                quote_identifier(identifier(alias.this)) + (f"({', '.join(renamed)})" if renamed else "")
            )
            self._add(f" AS {word}(")
            self._keyword("", 0, 0)
            last = cte is clause.expressions[-1]
            followed = last and (clause.args.get("search") or clause.args.get("cycle"))
            self._add(self.nested(search_and_cycle.declared(cte) if followed else cte.this, scope))
            self._keyword(")", 0, 0)
            if followed:
                self._search_and_cycle(clause, scope)
        self.level -= STEP
        self._keyword("", 0, 0)

    def _search_and_cycle(self, clause: exp.Expression, scope: Scope) -> None:
        said = search_and_cycle.written(clause)
        self._add(said.search + said.cycle)
        if said.mark is not None:
            on, off = (self.top(x.node) for x in self.binder.targets(list(said.mark), scope))
            self._add(f" TO {on} DEFAULT {off}")
        self._add(said.path)

    def _select(self, node: exp.Select, scope: Scope, names: list[str] | None, named: bool) -> list[Target]:
        binder = self.binder
        if node.args.get("into"):
            raise NotWritable("INTO")
        self.level += STEP
        where_node, group = node.args.get("where"), node.args.get("group")
        where = (
            binder.expressions.boolean(where_node.this, scope, "WHERE") if where_node is not None else None
        )
        define_windows(node, scope, self.text)
        targets = binder.targets(node.expressions, scope)
        self._add(" SELECT")
        self._distinct(node, targets, scope)
        self._targets(targets, names, named)
        self._from(node, scope)
        if where is not None:
            self._keyword(" WHERE ", plus=1)
            self._add(self.top(where))
        if group is not None:
            if any(group.args.get(k) for k in ("rollup", "cube", "grouping_sets", "totals")):
                raise NotWritable("grouping sets")
            self._keyword(" GROUP BY ", plus=1)
            self._add("DISTINCT " if group.args.get("all") is False else "")
            items = [
                x for e in group.expressions for x in (e.expressions if isinstance(e, exp.Tuple) else [e])
            ]
            self._add(", ".join(self._grouped(e, scope, targets, bare=True) for e in items))
        having = node.args.get("having")
        if having is not None:
            self._keyword(" HAVING ")
            self._add(self.top(binder.expressions.boolean(having.this, scope, "HAVING")))
        for i, w in enumerate(node.args.get("windows") or ()):
            if i:
                self._add(", ")
            else:
                self._keyword(" WINDOW ", plus=1)
            self._add(f"{quote_identifier(identifier(w.this))} AS {self.window(w, scope)}")
        return targets

    def _grouped(self, node: exp.Expression, scope: Scope, targets: list[Target], *, bare: bool) -> str:
        """An element of GROUP BY. `bare`: one expression needs no parentheses."""
        word = next((w for kind, w in _GROUPING if isinstance(node, kind)), "")
        if word:
            sets = isinstance(node, exp.GroupingSets)
            items = [x for e in node.expressions for x in (_members(e) if sets else [e])]
            return f"{word}({', '.join(self._grouped(e, scope, targets, bare=not sets) for e in items)})"
        parts = node.expressions if isinstance(node, exp.Tuple) else [node]
        keys = [group_keys(self.binder, exp.Group(expressions=[p]), scope, targets, [])[0][0] for p in parts]
        text = ", ".join(map(self.key, keys))
        return text if bare and len(keys) == 1 else f"({text})"

    def _distinct(self, node: exp.Select, targets: list[Target], scope: Scope) -> None:
        distinct = node.args.get("distinct")
        if distinct is None:
            return
        self._add(" DISTINCT")
        on = distinct.args.get("on")
        if on is not None:
            keys = []
            for item in on.expressions if isinstance(on, exp.Tuple) else [on]:
                key = order_key(self.binder, item, targets, scope, "DISTINCT ON")
                assert key is not None
                keys.append(self.key(key.expr))
            self._add(f" ON ({', '.join(keys)})")

    def _targets(self, targets: list[Target], names: list[str] | None, named: bool) -> None:
        lines = False
        for i, x in enumerate(targets):
            name = names[i] if names is not None and i < len(names) else x.name
            text = self.item(x.node)
            own = None if named else "?column?"
            bare = x.node.arg if isinstance(x.node, ir.Collated) and not x.node.explicit else x.node
            if isinstance(bare, ir.Var):
                own = self.column_name(bare)
            elif merged := self._merged_name(x.node):
                own = merged
            if own != name:
                text += f" AS {quote_identifier(name)}"
            self._add(", " if i else " ")
            lines = self._line(text, i == 0, lines)

    def _order(self, node: exp.Expression, targets: list[Target], scope: Scope | None) -> None:
        order = node.args.get("order")
        if order is None:
            return
        keys = []
        for item in order.expressions:
            key = order_key(self.binder, item, targets, scope, "ORDER BY")
            if key is None:
                raise NotWritable("ORDER BY of a set operation")
            places = [i for i, x in enumerate(targets, 1) if x.node == key.expr]
            keys.append(self.sorted(str(places[0]) if scope is None else self.key(key.expr), key))
        self._keyword(" ORDER BY ", plus=1)
        self._add(", ".join(keys))

    def _limits(self, node: exp.Expression, scope: Scope) -> None:
        for clause, word in (("offset", " OFFSET "), ("limit", " LIMIT ")):
            limit = node.args.get(clause)
            if limit is None:
                continue
            value = limit.args.get("count") if isinstance(limit, exp.Fetch) else limit.expression
            options = limit.args.get("limit_options") if isinstance(limit, exp.Fetch) else None
            if value is None:  # FETCH FIRST ROW
                value = exp.Literal.number(1)
            if isinstance(value, exp.Var) and value.name.lower() == "all":
                self._keyword(word)
                self._add("ALL")
                continue
            count = uncast(self.binder.expressions.bind(value, Scope(None, scope.number)))
            shown = self.operand(count, ir.Cast(TypeRef(t.INT8), count))
            if options is not None and options.args.get("with_ties"):
                self._keyword(" FETCH FIRST ")
                self._add(f"({shown}) ROWS WITH TIES")
                continue
            self._keyword(word)
            none = isinstance(count, ir.Lit) and count.value is None
            self._add("ALL" if none and clause == "limit" else shown)

    def _set_operation(
        self, node: exp.SetOperation, scope: Scope, names: list[str] | None, named: bool
    ) -> list[Target]:
        """Returns the targets of the leftmost query, by which ORDER BY names columns."""
        if any(node.args.get(k) for k in ("by_name", "on", "side", "kind")):
            raise NotWritable("a set operation by name")
        left, right = node.this, node.expression
        inner = unwrapped(left)
        if isinstance(inner, exp.SetOperation) and not _ordered(inner):
            wrapped = _word(inner) != _word(node)
            if wrapped:
                self._add("(")
                self._keyword("", STEP, 0)
            targets = self._set_operation(inner, scope, names, named)
            self._keyword(") " if wrapped else "", -STEP if wrapped else 0, 0)
        else:
            targets = self._leaf(inner, scope, names, named)
            self._keyword("", 0, 0)
        self._add(_word(node))
        inner = unwrapped(right)
        if isinstance(inner, exp.SetOperation) and not _ordered(inner):
            self._add("(")
            self._keyword("", STEP, 0)
            self._set_operation(inner, scope, names, False)
            self.level -= STEP
            self._keyword(")", 0, 0)
        else:
            self._keyword("", 0, 0)
            self._leaf(inner, scope, names, False)
        return targets

    def _leaf(self, node: exp.Expression, scope: Scope, names: list[str] | None, named: bool) -> list[Target]:
        """A query between UNIONs."""
        bound = self.binder.nested(node, scope)
        level, closed = self.level, _ordered(node)
        self._add("(" if closed else "")
        self.query(node, scope, names, named)
        self._add(")" if closed else "")
        self.level = level
        return [
            Target(names[i] if names is not None and i < len(names) else c.name, ir.Var(c.type, -9, i))
            for i, c in enumerate(bound.columns)
        ]

    def _values(self, node: exp.Values, scope: Scope) -> str:
        rows = []
        columns = self.binder.nested(node, scope).columns
        for row in node.expressions:
            cells = row.expressions if isinstance(row, exp.Tuple) else [row]
            bound = [self.binder.expressions.bind(c, scope) for c in cells]
            made = [self._of_column(c, column.type) for c, column in zip(bound, columns, strict=True)]
            rows.append(f"({','.join(self.item(uncast(c)) for c in made)})")
        return f"VALUES {', '.join(rows)}"

    def _of_column(self, node: ir.Node, ref: TypeRef) -> ir.Node:
        """A cell of VALUES: what is in quotes has the type of its column."""
        if node.type.oid != t.UNKNOWN:
            return node
        made = self.binder.coercions.try_coerce(node, TypeRef(ref.oid), "i")
        return node if made is None else made


def _as_listed(node: exp.Expression, names: list[str] | None) -> exp.Expression:
    """VALUES in a WITH query or a UNION, without the SELECT that the parser has put around it; other names of its columns need one."""
    source = node.args.get("from_") if isinstance(node, exp.Select) else None
    values = source.this if source is not None else None
    if not isinstance(values, exp.Values) or any(
        value for key, value in node.args.items() if key not in ("expressions", "from_")
    ):
        return node
    alias = values.args.get("alias")
    if alias is None or not isinstance(alias.this, exp.Identifier):
        return node
    if alias.this.meta.get("end", -1) >= alias.this.meta.get("start", 0):
        return node  # somebody has written that name
    if names is not None and names != [f"column{i}" for i in range(1, len(names) + 1)]:
        return node
    bare = values.copy()
    bare.set("alias", None)
    return bare


class _PolicyWriter(QueryWriter):
    """In queries within the condition all columns say whose they are."""

    inside = 0

    def nested(self, node: exp.Expression, scope: Scope | None, named: bool = True) -> str:
        self.inside += 1
        try:
            return super().nested(node, scope, named)
        finally:
            self.inside -= 1

    def write(self, node: ir.Node) -> str:
        if isinstance(node, ir.Var) and not self.inside:
            return quote_identifier(self.column(node).name)
        return super().write(node)


def _bare(node: ir.Node) -> ir.Node:
    return node.arg if isinstance(node, ir.Collated) and not node.explicit else node


def _members(node: exp.Expression) -> list[exp.Expression]:
    """Sets of sets are sets."""
    if not isinstance(node, exp.GroupingSets):
        return [node]
    return [x for e in node.expressions for x in _members(e)]


def _ordered(node: exp.Expression) -> bool:
    return any(node.args.get(k) for k in ("order", "limit", "offset", "with_"))


def _word(node: exp.SetOperation) -> str:
    word = next(w for kind, w in _SET_WORDS if isinstance(node, kind))
    return word if node.args.get("distinct") else word + "ALL "


__all__ = ["QueryWriter", "policy_text", "query_text"]
