"""SELECT, VALUES and TABLE, sets of them, WITH in front, and ORDER BY, LIMIT and FOR UPDATE behind."""

from __future__ import annotations

from typing import Final

from planner.abc import PlanError
from planner.parse.grammar.sources import Sources
from planner.parse.grammar.symbols import (
    BARE_LABELS,
    BEHIND_TARGETS,
    NULLS_BEFORE,
    OTHER,
    OWN_OPERATORS,
    SETS,
    WHOLE,
    WITH_BEFORE,
)

_LITERALS: Final = frozenset(
    ("~integer", "~number", "~string", "~parameter", "null", "true", "false", "default")
)


class Queries(Sources):
    """Adds `query`."""

    __slots__ = ()

    def statement_in_with(self) -> None:
        raise NotImplementedError

    def query_in_parentheses(self) -> None:
        self.expect("(")
        self.query()
        self.expect(")")

    def query(self) -> None:
        if self.s[self.at] in ("with", WITH_BEFORE):
            self.with_clause()
        self._member()
        self.rest_of_query()

    def rest_of_query(self) -> None:
        while self.s[self.at] in SETS:
            self.at += 1
            self.accept("all", "distinct")
            self._member()
        if self.s[self.at] == "order":
            self.sort()
        if self.s[self.at] == "for":
            self._locks()
            self._limits()
        else:
            self._limits()
            self._locks()

    def _member(self) -> None:
        symbol = self.s[self.at]
        if symbol == "select":
            self._select()
        elif symbol == "values":
            self.at += 1
            self.listed(self.row_of_values)
        elif symbol == "table":
            self.at += 1
            self.relation()
        elif symbol == "(":
            self.query_in_parentheses()
        else:
            self.refuse()

    def row_of_values(self) -> None:
        s = self.s
        self.expect("(")
        at = self.at
        while s[at] in _LITERALS and s[at + 1] == ",":  # most of a large INSERT
            at += 2
        self.at = at
        self.listed(self._value)
        self.expect(")")

    def _value(self) -> None:
        if self.s[self.at] == "default" and self.s[self.at + 1] in (",", ")"):
            self.at += 1
        else:
            self.expression()

    def _select(self) -> None:
        s = self.s
        self.at += 1
        if self.accept("distinct"):
            if self.accept("on"):
                self.expect("(")
                self.expressions()
                self.expect(")")
            self.targets()
        else:
            self.accept("all")
            if s[self.at] not in BEHIND_TARGETS or s[self.at] == ",":
                self.targets()
        if s[self.at] == "into":
            self._into()
        if self.accept("from"):
            self.sources()
        if self.accept("where"):
            self.expression()
        if self.accept("group"):
            self.expect("by")
            self.accept("all", "distinct")
            self._groups()
        if self.accept("having"):
            self.expression()
        if self.accept("window"):
            self.listed(self._window_definition)

    def _into(self) -> None:
        self.at += 1
        self.accept("local", "global")
        self.accept("temporary", "temp", "unlogged")
        self.accept("table")
        self.qualified()

    def targets(self) -> None:
        self.listed(self._target)

    def _target(self) -> None:
        if self.accept("*"):
            return
        self.expression(labelled=True)
        if self.accept("as"):
            self.label()
        elif self.s[self.at] in BARE_LABELS:
            self.named()

    def _groups(self) -> None:
        self.listed(self._group)

    def _group(self) -> None:
        s = self.s
        symbol, follows = s[self.at], s[self.at + 1]
        if symbol == "(" and follows == ")":
            self.at += 2
        elif symbol in ("cube", "rollup") and follows == "(":
            self.at += 2
            self.expressions()
            self.expect(")")
        elif symbol == "grouping" and follows == "sets":
            self.at += 2
            self.expect("(")
            self._groups()
            self.expect(")")
        else:
            self.expression()

    def _window_definition(self) -> None:
        self.column_name()
        self.expect("as")
        self.window()

    def sort(self) -> None:
        """ORDER BY, which is next."""
        self.expect("order", "by")
        self.listed(self._sort_item)

    def _sort_item(self) -> None:
        self.expression()
        if self.accept("using"):
            if self.s[self.at] not in OWN_OPERATORS and self.s[self.at] not in (OTHER, "operator"):
                self.refuse()
            self._operator()
        else:
            self.accept("asc", "desc")
        if self.accept(NULLS_BEFORE):
            self.at += 1

    def _limits(self) -> None:
        s = self.s
        if s[self.at] == "offset":
            self._offset()
            if s[self.at] in ("limit", "fetch"):
                self._limit()
        elif s[self.at] in ("limit", "fetch"):
            self._limit()
            if s[self.at] == "offset":
                self._offset()

    def _offset(self) -> None:
        self.at += 1
        self.expression()
        self.accept("row", "rows")

    def _limit(self) -> None:
        s = self.s
        start = self.tokens[self.at].start
        if self.accept("limit"):
            if not self.accept("all"):
                self.expression()
            if self.accept(","):
                self.expression()
                raise PlanError(
                    "42601",
                    "LIMIT #,# syntax is not supported",
                    hint="Use separate LIMIT and OFFSET clauses.",
                    position=start + 1,
                )
            return
        self.at += 1
        self.one_of("first", "next")
        if s[self.at] in ("+", "-"):
            self.at += 1
            self.one_of(WHOLE, "~number")
        elif s[self.at] not in ("row", "rows") or s[self.at + 1] not in ("only", "with"):
            self.operand()
        self.one_of("row", "rows")
        if self.accept("with"):
            self.expect("ties")
        else:
            self.expect("only")

    def _locks(self) -> None:
        s = self.s
        while self.accept("for"):
            if self.accept("read"):
                self.expect("only")
                return
            if self.accept("no"):
                self.expect("key", "update")
            elif self.accept("key"):
                self.expect("share")
            else:
                self.one_of("update", "share")
            if self.accept("of"):
                self.listed(self.qualified)
            if s[self.at] == "skip":
                self.at += 1
                self.expect("locked")
            else:
                self.accept("nowait")

    def with_clause(self) -> None:
        self.at += 1
        if self.s[self.at + 1] not in ("as", "("):
            self.accept("recursive")
        self.listed(self._with_query)

    def _with_query(self) -> None:
        self.column_name()
        if self.s[self.at] == "(":
            self.names()
        self.expect("as")
        if self.accept("not"):
            self.expect("materialized")
        else:
            self.accept("materialized")
        self.expect("(")
        self.statement_in_with()
        self.expect(")")
        if self.accept("search"):
            self.one_of("depth", "breadth")
            self.expect("first", "by")
            self.listed(self.column_name)
            self.expect("set")
            self.column_name()
        if self.accept("cycle"):
            self.listed(self.column_name)
            self.expect("set")
            self.column_name()
            if self.accept("to"):
                self.operand()
                self.expect("default")
                self.operand()
            self.expect("using")
            self.column_name()
