"""FROM: tables, functions, queries and joins of them, with their names."""

from __future__ import annotations

from typing import Final

from planner.abc import PlanError
from planner.parse.grammar.expressions import QUERY, Expressions
from planner.parse.grammar.symbols import COLUMNS, FUNCTIONS, LABELS, NAME, TAILS, WITH_BEFORE

_JOINS: Final = frozenset(("join", "inner", "left", "right", "full"))
_VALUE_FUNCTIONS: Final = frozenset(
    ("current_date", "current_role", "current_user", "session_user", "user", "current_catalog", "current_time",
     "current_timestamp", "localtime", "localtimestamp", "current_schema", "cast", "collation")
)  # fmt: skip
_JOINED: Final = 3


class Sources(Expressions):
    """Adds `sources` and `source`."""

    __slots__ = ()

    def sources(self) -> None:
        self.listed(self.source)

    def source(self) -> None:
        """One item of FROM with all that is joined to it."""
        self._single()
        self._joins()

    def _joins(self) -> bool:
        """The joins behind a table; whether there is one."""
        s = self.s
        any_join = False
        while True:
            symbol = s[self.at]
            if symbol == "cross":
                self.at += 1
                self.expect("join")
                self._single()
            elif symbol == "natural":
                self.at += 1
                self._join_word()
                self._single()
            elif symbol in _JOINS:
                self._join_word()
                self.source()
                if self.accept("on"):
                    self.expression()
                else:
                    self.expect("using")
                    self.names()
                    if self.accept("as"):
                        self.column_name()
            else:
                return any_join
            any_join = True

    def _join_word(self) -> None:
        if self.accept("left", "right", "full"):
            self.accept("outer")
        else:
            self.accept("inner")
        self.expect("join")

    def _single(self) -> None:
        s = self.s
        symbol = s[self.at]
        if symbol == "(":
            start = self.at
            if self._in_parentheses() == QUERY:
                self._alias_of_query(start)
            else:
                self.alias()
        elif symbol == "lateral":
            self.at += 1
            if s[self.at] == "(":
                start = self.at
                self.query_in_parentheses()
                self._alias_of_query(start)
            else:
                self._function()
        elif symbol == "rows" and s[self.at + 1] == "from" and s[self.at + 2] == "(":
            self._function()
        elif symbol == "only" or (symbol in COLUMNS and not self._is_call()):
            self.relation()
            self.alias()
            if self.accept("tablesample"):
                self._sample()
        else:
            self._function()

    def _is_call(self) -> bool:
        at = self.at + 1
        while self.s[at] == "." and self.s[at + 1] in LABELS:
            at += 2
        return self.s[at] == "("

    def relation(self) -> None:
        if self.accept("only"):
            if self.accept("("):
                self.qualified()
                self.expect(")")
            else:
                self.qualified()
            return
        self.qualified()
        self.accept("*")

    def _in_parentheses(self) -> int:
        """A query or a join in parentheses: which one it was."""
        self.expect("(")
        if self.begins_query():
            self.query()
            self.expect(")")
            return QUERY
        if self.s[self.at] == "(":
            start = self.at
            inside = self._in_parentheses()
            if inside == QUERY and self.s[self.at] in TAILS:
                self.rest_of_query()
                self.expect(")")
                return QUERY
            if self.s[self.at] == ")":
                self.at += 1
                return inside
            named = inside == QUERY or self.s[self.at] == "as" or self.s[self.at] in COLUMNS
            if inside == QUERY:
                self._alias_of_query(start)
            elif named:
                self.alias()
            if not self._joins() and named:
                self.refuse()
        else:
            self._single()
            if not self._joins():
                self.refuse()
        self.expect(")")
        return _JOINED

    def alias(self) -> None:
        """[AS] name [(columns)], if there is one."""
        if self.accept("as"):
            self.column_name()
        elif self.s[self.at] in COLUMNS:
            self.named()
        else:
            return
        if self.s[self.at] == "(":
            self.names()

    def _alias_of_query(self, start: int) -> None:
        """The alias of a query in FROM that began at `start`: it must have one."""
        if self.s[self.at] == "as" or self.s[self.at] in COLUMNS:
            self.alias()
            return
        values = self.s[start + 1] == "values"
        what, example = ("VALUES", "VALUES") if values else ("subquery", "SELECT")
        raise PlanError(
            "42601",
            f"{what} in FROM must have an alias",
            hint=f"For example, FROM ({example} ...) [AS] foo.",
            position=self.tokens[start].start + 1,
        )

    def _function(self) -> None:
        s = self.s
        if s[self.at] == "rows" and s[self.at + 1] == "from":
            self.at += 2
            self.expect("(")
            self.listed(self._function_of_rows)
            self.expect(")")
        elif s[self.at] == "xmltable" and s[self.at + 1] == "(":
            self._xml_table()
            self.alias()
            return
        else:
            self._bare_call()
        if s[self.at] == WITH_BEFORE:
            self.at += 1
            self.expect("ordinality")
        if self.accept("as"):
            if s[self.at] == "(":
                self._defined_columns()
                return
            self.column_name()
        elif s[self.at] in COLUMNS:
            self.at += 1
        else:
            return
        if s[self.at] == "(":
            self._names_or_columns()

    def _function_of_rows(self) -> None:
        self._bare_call()
        if self.accept("as"):
            self._defined_columns()

    def _bare_call(self) -> None:
        """A call without FILTER and OVER."""
        s = self.s
        symbol = s[self.at]
        if symbol in _VALUE_FUNCTIONS:
            self.operand()
            return
        if symbol not in COLUMNS and symbol not in FUNCTIONS:
            self.refuse()
        if not self._is_call():
            self.at += 1  # a function's name, for want of its parenthesis
            self.refuse()
        if s[self.at + 1] == "(" and symbol in COLUMNS and self.is_special(symbol):
            self.at += 1
            self.special_call(symbol)
            return
        if s[self.at + 1] == "(" and symbol not in FUNCTIONS:
            self.at += 1
            self.refuse()
        while s[self.at] != "(":
            self.label()
            self.accept(".")
        self.call()

    def _xml_table(self) -> None:
        self.at += 1
        self.expect("(")
        if self.s[self.at] == "xmlnamespaces" and self.s[self.at + 1] == "(":
            self.at += 2
            self.listed(self._name_space)
            self.expect(")", ",")
        self.operand()
        self.passing()
        self.expect("columns")
        self.listed(self._xml_column)
        self.expect(")")

    def _name_space(self) -> None:
        default = self.accept("default")
        self.expression(narrow=True)
        if not default:
            self.expect("as")
            self.label()

    def _xml_column(self) -> None:
        self.column_name()
        if self.accept("for"):
            self.expect("ordinality")
            return
        self.type_name()
        while self.s[self.at] not in (",", ")"):
            if self.accept("default") or self.accept(NAME):  # PATH is no keyword of this version
                self.expression(narrow=True)
            else:
                self.accept("not")
                self.expect("null")

    def _defined_columns(self) -> None:
        self.expect("(")
        self.listed(self._defined_column)
        self.expect(")")

    def _defined_column(self) -> None:
        self.column_name()
        self.type_name()
        if self.accept("collate"):
            self.qualified()

    def _names_or_columns(self) -> None:
        if self.s[self.at + 2] in (",", ")"):
            self.names()
        else:
            self._defined_columns()

    def _sample(self) -> None:
        if self.s[self.at] not in FUNCTIONS:
            self.refuse()
        self.at += 1
        while self.accept("."):
            self.label()
        self.expect("(")
        self.expressions()
        self.expect(")")
        if self.accept("repeatable"):
            self.expect("(")
            self.expression()
            self.expect(")")
