"""INSERT, UPDATE, DELETE and MERGE; and the two questions that are asked of the whole grammar."""

from __future__ import annotations

from planner.abc import PlanError
from planner.lexer import Token
from planner.parse.grammar.queries import Queries
from planner.parse.grammar.symbols import COLUMNS, FINISH, NULLS_BEFORE, WITH_BEFORE


def check_query(tokens: list[Token], text: str) -> list[int]:
    """Where keywords are names. END is the last token.

    Raises 42601 at the first one that no query, INSERT, UPDATE, DELETE or MERGE can have there.
    """
    reader = Writes(tokens, text)
    reader.statement_in_with()
    reader.accept(";")
    reader.expect(FINISH)
    if reader.default_at >= 0:
        at = tokens[reader.default_at].start
        raise PlanError("42601", "DEFAULT is not allowed in this context", position=at + 1)
    return reader.labels


def check_expression(tokens: list[Token], text: str) -> list[int]:
    """Where keywords are names. Raises 42601 at the first token that no expression can have there."""
    reader = Writes(tokens, text)
    reader.expression()
    reader.expect(FINISH)
    return reader.labels


class Writes(Queries):
    """Adds `statement_in_with`, which is any of them."""

    __slots__ = ()

    def statement_in_with(self) -> None:
        if self.s[self.at] in ("with", WITH_BEFORE):
            self.with_clause()
        symbol = self.s[self.at]
        if symbol == "insert":
            self._insert()
        elif symbol == "update":
            self._update()
        elif symbol == "delete":
            self._delete()
        elif symbol == "merge":
            self._merge()
        elif symbol in ("with", WITH_BEFORE):
            self.refuse()
        else:
            self.query()

    def _insert(self) -> None:
        s = self.s
        self.at += 1
        self.expect("into")
        self.qualified()
        if self.accept("as"):
            self.column_name()
        if self.accept("default"):
            self.expect("values")
        else:
            if s[self.at] == "(" and s[self.at + 1] != "(":
                self.at += 1
                if self.begins_query():
                    self.at -= 1
                else:
                    self.listed(self._target_column)
                    self.expect(")")
            if self.accept("overriding"):
                self.one_of("user", "system")
                self.expect("value")
            self.query()
        if self.accept("on"):
            self._conflict()
        self._returning()

    def _target_column(self) -> None:
        self.column_name()
        self._indirection()

    def _conflict(self) -> None:
        self.expect("conflict")
        if self.accept("on"):
            self.expect("constraint")
            self.column_name()
        elif self.accept("("):
            self.listed(self._index_part)
            self.expect(")")
            if self.accept("where"):
                self.expression()
        self.expect("do")
        if self.accept("nothing"):
            return
        self.expect("update", "set")
        self.listed(self._assignment)
        if self.accept("where"):
            self.expression()

    def _index_part(self) -> None:
        if self.accept("("):
            self.expression()
            self.expect(")")
        elif self._is_call():
            self._bare_call()
        else:
            self.column_name()
        if self.accept("collate"):
            self.qualified()
        if self.s[self.at] in COLUMNS and self.s[self.at] != NULLS_BEFORE:
            self.qualified()
        self.accept("asc", "desc")
        if self.accept(NULLS_BEFORE):
            self.at += 1

    def _assignment(self) -> None:
        several = self.accept("(")
        if several:
            self.listed(self._target_column)
            self.expect(")")
        else:
            self._target_column()
        self.expect("=")
        before = self.default_at
        self.expression()
        if several or self.s[self.at - 1] == "default":  # the bare word, or one of ROW (...)
            self.default_at = before

    def _target_table(self) -> None:
        self.relation()
        if self.accept("as"):
            self.column_name()
        elif self.s[self.at] in COLUMNS and self.s[self.at] != "set":
            self.at += 1

    def _where(self) -> None:
        if not self.accept("where"):
            return
        if self.s[self.at] == "current" and self.s[self.at + 1] == "of":
            self.at += 2
            self.column_name()
        else:
            self.expression()

    def _returning(self) -> None:
        if self.accept("returning"):
            self.targets()

    def _update(self) -> None:
        self.at += 1
        self._target_table()
        self.expect("set")
        self.listed(self._assignment)
        if self.accept("from"):
            self.sources()
        self._where()
        self._returning()

    def _delete(self) -> None:
        self.at += 1
        self.expect("from")
        self._target_table()
        if self.accept("using"):
            self.sources()
        self._where()
        self._returning()

    def _merge(self) -> None:
        self.at += 1
        self.expect("into")
        self._target_table()
        self.expect("using")
        self.source()
        self.expect("on")
        self.expression()
        if self.s[self.at] != "when":
            self.refuse()
        while self.accept("when"):
            matched = not self.accept("not")
            self.expect("matched")
            if self.accept("and"):
                self.expression()
            self.expect("then")
            if self.accept("do"):
                self.expect("nothing")
            elif matched:
                if self.accept("update"):
                    self.expect("set")
                    self.listed(self._assignment)
                else:
                    self.expect("delete")
            else:
                self._merge_insert()

    def _merge_insert(self) -> None:
        self.expect("insert")
        if self.accept("default"):
            self.expect("values")
            return
        if self.accept("("):
            self.listed(self._target_column)
            self.expect(")")
        if self.accept("overriding"):
            self.one_of("user", "system")
            self.expect("value")
        self.expect("values")
        self.row_of_values()
