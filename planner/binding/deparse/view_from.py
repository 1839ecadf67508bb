"""The FROM of a query written out, and the lines that all of the query is made of.

    FROM (a JOIN b USING (k) AS m) j(x, y), LATERAL f(a.x) g(v)

     FROM ((a
         JOIN b USING (k) AS m)) j(x, y),
        LATERAL f(j.x) g(v)

Relations come in the order in which the binder has met them; those of a join with a name are within the join's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from itertools import zip_longest
from typing import Any, Final

from sqlglot import exp

from planner.abc import Table
from planner.binding import ir
from planner.binding.deparse import xml_tables
from planner.binding.deparse.expressions import TypeName, is_operation
from planner.binding.deparse.view_expressions import INSIDE, QueryExpressions, ViewBinder
from planner.binding.expanded import definitions
from planner.binding.from_items import star_of
from planner.binding.naming import function_name, identifier
from planner.binding.scope import Relation, Scope
from planner.binding.sources import is_called_by_name
from planner.catalog import quote_identifier
from planner.catalog.objects import Sequence, View
from planner.parse import parse_expression
from planner.parse.column_lists import SEPARATOR

RelationName = Callable[[int, str], str]
"""How a relation (its schema's OID and its name) is called where the query is shown."""

STEP: Final = 8
_VALUES_BY_NAME: Final = ("CURRENT_", "LOCALTIME")


class FromWriter(QueryExpressions):
    def __init__(
        self,
        binder: ViewBinder,
        text: str,
        type_name: TypeName,
        relation_name: RelationName,
        pretty: bool,
        wrap: int,
    ) -> None:
        super().__init__(binder, text, type_name, pretty)
        self.relation_name = relation_name
        self.wrap = wrap
        self.out: list[str] = []

    # --- lines ---------------------------------------------------------------------------------------

    def _keyword(self, word: str, before: int = -STEP, after: int = STEP, plus: int = 0) -> None:
        """A word at the beginning of a line."""
        self.level += before
        shown = "".join(self.out).rstrip(" ")
        self.out = [shown, "\n", " " * (max(self.level, 0) + plus), word]
        self.level = max(self.level + after, 0)

    def _add(self, text: str) -> None:
        if text.startswith("\n"):
            self.out = ["".join(self.out).rstrip(" ")]
        self.out.append(text)

    def _apart(self, write: Callable[[], None]) -> str:
        """What a part writes, as a text of its own."""
        kept, self.out = self.out, []
        try:
            write()
            return "".join(self.out)
        finally:
            self.out = kept

    def _line(self, text: str, first: bool, after_lines: bool = False) -> bool:
        """An item of a list, on a line of its own if there is no room. Returns whether it has several lines."""
        before = "".join(self.out)
        if text.startswith("\n"):
            self.out = [before.rstrip(" ")]
        elif not first and (after_lines or len(before) - before.rfind("\n") - 1 + len(text) > self.wrap):
            self._keyword("", plus=INSIDE)
        self._add(text)
        return "\n" in text[1:]

    def keep_names(
        self, node: exp.Select, relations: Collection[Relation], around: frozenset[str] = frozenset()
    ) -> None:
        """What joins equate by name keeps its names: the columns of a relation that has a new one are listed behind it.

        `around`: what the join with a name has of columns in which they are.
        """
        changed = "" if self.renaming is None else self.renaming.old_column or self.renaming.added
        if self.renaming is None or not changed:
            return
        joins = list(node.find_all(exp.Join))
        equated = {identifier(u).partition(SEPARATOR)[0] for j in joins for u in j.args.get("using") or ()}
        if any(str(j.args.get("method") or "").upper() == "NATURAL" for j in joins):
            counted = Counter(c.name for r in relations for x in (r.parts or (r,)) for c in x.columns)
            equated |= {name for name, count in counted.items() if count > 1}
        for r in relations:
            self.keep_names(node, r.parts, frozenset(c.name for c in r.columns))
            mine = r.oid == self.renaming.oid
            if mine and (changed in equated or changed in around):
                self.kept_names[r.number] = around

    # --- FROM ----------------------------------------------------------------------------------------

    def _from(self, node: exp.Select, scope: Scope) -> None:
        first = node.args.get("from_")
        if first is None:
            return
        relations = iter(scope.relations)
        groups: list[list[exp.Expression]] = [[first.this]]
        for j in node.args.get("joins") or ():
            if any(j.args.get(k) for k in ("kind", "side", "on", "using", "method")):
                groups[-1].append(j)
            else:
                groups.append([j.this])
        self._keyword(" FROM ", plus=2)
        seen: list[Relation] = []
        for i, (head, *joins) in enumerate(groups):
            text = self._apart(lambda h=head, js=joins: self._joined(h, js, relations, seen, scope))  # type: ignore[misc]
            self._add(", " if i else "")
            self._line(text, first=i == 0)

    def _joined(
        self,
        head: exp.Expression,
        joins: list[exp.Expression],
        relations: Iterator[Relation],
        seen: list[Relation],
        scope: Scope,
    ) -> None:
        joins = [*(head.args.get("joins") or ()), *joins]
        begun = len(seen)
        self._add("" if self.pretty else "(" * len(joins))
        self._item(head, relations, seen, scope)
        for j in joins:
            side = str(j.args.get("side") or "").upper()
            on = j.args.get("on")
            using = [identifier(u) for u in j.args.get("using") or ()]
            natural = str(j.args.get("method") or "").upper() == "NATURAL"
            merged = ""
            if using:
                using[-1], _, merged = using[-1].partition(SEPARATOR)
            inside = j.this.args.get("joins") is not None and self.pretty
            left = list(seen[begun:])
            text = self._apart(lambda at=j.this: self._joined(at, [], relations, seen, scope))  # type: ignore[misc]
            if natural:
                using = _shared(left, seen[begun + len(left) :])
            crossed = side == "" and on is None and not using
            self._keyword(" CROSS JOIN " if crossed else f" {side} JOIN " if side else " JOIN ", plus=INSIDE)
            self._add(f"({text})" if inside else text)
            if natural and not using and side:
                self._add(" ON TRUE")
            if using:
                self._add(f" USING ({', '.join(map(quote_identifier, using))})")
                if merged:  # what it calls the merged columns is a relation that has none of its own
                    next(relations)
                    self._add(f" AS {quote_identifier(merged)}")
            elif on is not None:
                here = Scope(scope.parent, scope.number, list(seen), _columns(seen), scope.ctes)
                text = self.top(self.binder.expressions.boolean(on, here, "JOIN/ON"))
                self._add(f" ON {text}" if self.pretty else f" ON ({text})")
            self._add("" if self.pretty else ")")

    def _item(
        self, node: exp.Expression, relations: Iterator[Relation], seen: list[Relation], scope: Scope
    ) -> None:
        inner = node.this
        grouped = isinstance(inner, exp.Table | exp.Lateral | exp.Unnest) or (
            isinstance(inner, exp.Expression)
            and not isinstance(inner, exp.Select)  # whose joins are its own
            and bool(inner.args.get("joins"))
        )
        if isinstance(node, exp.Paren | exp.Subquery) and grouped:
            if node.args.get("alias") is not None:
                self._named_join(node, next(relations), seen, scope)
            else:
                self._joined(inner, [], relations, seen, scope)
            return
        relation = next(relations)
        alias = node.args.get("alias")
        renamed = bool(alias is not None and alias.args.get("columns"))
        query = _query_of(node)
        called = isinstance(node, exp.Table) and is_called_by_name(node)
        if isinstance(node, exp.Table) and isinstance(inner, exp.Identifier) and not called:
            name = identifier(inner)
            text = self._relation_text(node, name, scope)
            self._add(text)
            name = relation.called_now or name
            if self.renaming is not None and relation.oid:
                name = self.renaming.relation(relation.oid, name)
                renamed = renamed or relation.number in self.kept_names
            said = alias is not None and alias.this is not None
            if said or renamed or self.called(relation) != name:
                self._add(" " + quote_identifier(self.called(relation)))
        elif query is not None:
            self._add("LATERAL " if isinstance(node, exp.Lateral) else "")
            self._add(f"({self.nested(query, scope)}) {quote_identifier(self.called(relation))}")
        else:
            call = node if isinstance(node, exp.Unnest | exp.Anonymous) else inner
            call = parse_expression(node.name) if called else call
            if isinstance(node, exp.Table) and node.args.get("db") is not None:
                call = exp.Dot(this=node.args["db"].copy(), expression=call.copy())
            here = Scope(scope.parent, scope.number, list(seen), _columns(seen), scope.ctes)
            self._functions(node, call, seen, here)
            of_xml = xml_tables.is_one(call)
            name = self.called(relation)
            if alias is not None or not of_xml or name != relation.name:
                self._add(" " + quote_identifier(name))
            renamed = renamed or not of_xml
        if renamed:
            names = [c.name for c in relation.columns if not c.hidden]
            if self.renaming is not None and self.renaming.added and relation.number in self.kept_names:
                around = self.kept_names[relation.number]
                names.append(_apart_from({*names, *around}, self.renaming.added))
            types = [c.type for c in relation.columns if not c.hidden] if definitions(alias) else []
            defined = [f" {self.type_name(ref)}" for ref in types]
            both = zip_longest(names, defined, fillvalue="")
            shown = [f"{quote_identifier(n)}{ref}" for n, ref in both]
            self._add(f"({', '.join(shown)})")
        if (sample := node.args.get("sample")) is not None:
            self._add(self._sampled(sample, Scope(None, scope.number)))
        seen.append(relation)

    def _functions(
        self, node: exp.Expression, call: exp.Expression, seen: list[Relation], here: Scope
    ) -> None:
        """A function in FROM, several in ROWS FROM, or UNNEST of several arrays. `seen` stands before it."""
        rows_from = [f.this for f in node.args.get("rows_from") or ()]
        several = isinstance(call, exp.Unnest) or (
            isinstance(call, exp.Anonymous) and function_name(call) == "unnest"
        )
        several = several and len(call.expressions) > 1
        bind = self.binder.expressions.bind
        table, bound = "", list[ir.Node]()
        if xml_tables.is_one(call):
            table, bound = xml_tables.written(self, call, here)
        else:
            bound = [bind(c, here) for c in rows_from or (call.expressions if several else [call])]
        beside = {r.number for r in seen}
        looks = any(isinstance(n, ir.Var) and n.relation in beside for b in bound for n in ir.walk(b))
        self._add("LATERAL " if looks or isinstance(node, exp.Lateral) else "")
        if rows_from:
            described = [self._described(f.args.get("alias")) for f in node.args["rows_from"]]
            calls = [self._function(b) + said for b, said in zip(bound, described, strict=True)]
            self._add(f"ROWS FROM({', '.join(calls)})")
        elif table:
            self._add(table)
        elif several:
            self._add(f"UNNEST({', '.join(map(self.write, bound))})")
        else:
            self._add(self._function(bound[0]))
        self._add(" WITH ORDINALITY" if node.args.get("ordinality") else "")

    def _described(self, alias: exp.Expression | None) -> str:
        """What a query says that a function's records are: ` AS (a integer, b text)`."""
        given = definitions(alias)
        kinds = [self.type_name(self.binder.type_of(c.args["kind"])) for c in given]
        columns = [
            f"{quote_identifier(identifier(c.this))} {kind}" for c, kind in zip(given, kinds, strict=True)
        ]
        return f" AS ({', '.join(columns)})" if given else ""

    def _sampled(self, sample: exp.Expression, scope: Scope) -> str:
        method, size = sample.args["method"], sample.args.get("percent") or sample.args.get("size")
        name = identifier(method) if isinstance(method, exp.Identifier) else str(method.name).lower()
        seed = sample.args.get("seed")
        said = [self.top(self.binder.expressions.bind(x, scope)) for x in (size, seed) if x is not None]
        return f" TABLESAMPLE {name} ({said[0]})" + (f" REPEATABLE ({said[1]})" if seed is not None else "")

    def _named_join(
        self, node: exp.Expression, relation: Relation, seen: list[Relation], scope: Scope
    ) -> None:
        """`(a JOIN b ...) j (x, y)`: a relation of the two, which nothing outside can name."""
        parts = list(seen)
        text = self._apart(lambda: self._joined(node.this, [], iter(relation.parts), parts, scope))
        renamed = node.args["alias"].args.get("columns")
        shown = f"({', '.join(quote_identifier(c.name) for c in relation.columns)})" if renamed else ""
        self._add(f"({text})" if self.pretty else text)
        self._add(f" {quote_identifier(self.called(relation))}{shown}")
        seen.append(relation)

    def _function(self, node: ir.Node) -> str:
        """What stands in a function's place is a CAST if nothing else looks like a call."""
        text = self.write(node)
        if isinstance(node, ir.Call):
            is_call = not is_operation(node)
        elif isinstance(node, ir.Cast):
            is_call = text.startswith(_VALUES_BY_NAME)
        else:
            is_call = not isinstance(node, ir.Lit | ir.AnyAll | ir.Var)
        return text if is_call else f"CAST({text} AS {self.type_name(node.type)})"

    def _relation_text(self, node: exp.Table, name: str, scope: Scope) -> str:
        schema_node = node.args.get("db")
        schema = identifier(schema_node) if schema_node is not None else ""
        at: Scope | None = scope
        while at is not None and not schema:
            if name in at.ctes:
                return quote_identifier(name)
            at = at.parent
        found = self.binder.ctx.catalog.find_relation(name, schema, self.binder.search_path)
        if isinstance(found, Table | View | Sequence) and schema not in ("pg_catalog", "information_schema"):
            only = "ONLY " if node.args.get("only") else ""
            return only + self.relation_name(found.schema_oid, found.name)
        shown = schema if schema not in ("", "pg_catalog") else ""
        return f"{shown}.{quote_identifier(name)}" if shown else quote_identifier(name)


def _apart_from(names: Collection[str], name: str) -> str:
    """`c`, or `c_1` where there is a `c`."""
    made, count = name, 0
    while made in names:
        count += 1
        made = f"{name}_{count}"
    return made


def _shared(left: list[Relation], right: list[Relation]) -> list[str]:
    """The columns of NATURAL: those that both sides have, each once."""
    names = {c.name for c in _columns(right)}
    return [name for name in dict.fromkeys(c.name for c in _columns(left)) if name in names]


def _query_of(node: exp.Expression) -> exp.Expression | None:
    """The query of a FROM item that is one."""
    if isinstance(node, exp.Values):
        return node
    if isinstance(node, exp.Table) and isinstance(node.this, exp.Values):
        return node.this
    inner = node.this if isinstance(node, exp.Lateral) else node
    if isinstance(inner, exp.Subquery):
        return inner.this
    return None


def _columns(relations: list[Relation]) -> list[Any]:

    return [c for r in relations for c in star_of(r)]


__all__ = ["STEP", "FromWriter", "RelationName"]
