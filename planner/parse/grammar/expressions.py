"""Expressions: operators by PostgreSQL's precedence, and all that an operand can begin with.

    or < and < not < is < comparisons < between, in, like < escape < other operators < + - < * / % < ^ < at < collate < unary -

Comparisons, IS, and BETWEEN and its kin stand alone: `a = b = c` is refused at the second `=`. The narrow expressions of
BETWEEN and POSITION have neither AND nor OR, IN, LIKE, AT and COLLATE.
"""

from __future__ import annotations

from typing import Final

from planner.abc import PlanError
from planner.keywords import COLUMN_NAME, TYPE_FUNCTION_NAME
from planner.parse.grammar.calls import SPECIAL, Calls
from planner.parse.grammar.symbols import (
    BARE_LABELS,
    BEHIND_TARGETS,
    BIT_TEXT,
    COLUMNS,
    FUNCTIONS,
    GIVEN,
    LABELS,
    NOT_BEFORE,
    NUMBER,
    OTHER,
    OWN_OPERATORS,
    QUERY_WORDS,
    TAILS,
    TEXT,
    WHOLE,
)
from planner.parse.grammar.types import BUILT_IN

_NOT: Final = 3
_IS: Final = 4
_COMPARED: Final = 5
_MATCHED: Final = 6
_ESCAPE: Final = 7
_OTHER: Final = 9
_AT: Final = 13
_COLLATE: Final = 14
_SIGN: Final = 15
_CAST: Final = 18
_BINARY: Final = {
    "or": 1, "and": 2, "=": _COMPARED, "<": _COMPARED, ">": _COMPARED, "<=": _COMPARED, ">=": _COMPARED, "<>": _COMPARED,
    OTHER: _OTHER, "operator": _OTHER, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "^": 12,
}  # fmt: skip
_PRECEDENCE: Final = {
    **_BINARY,
    "is": _IS, "isnull": _IS, "notnull": _IS, "between": _MATCHED, "in": _MATCHED, "like": _MATCHED, "ilike": _MATCHED,
    "similar": _MATCHED, NOT_BEFORE: _MATCHED, "at": _AT, "collate": _COLLATE, "::": _CAST, "overlaps": _OTHER,
}  # fmt: skip
_NARROW: Final = frozenset(_BINARY) - {"or", "and"} | {"is", "::"}
_ALONE: Final = frozenset((_IS, _COMPARED, _MATCHED))
_QUANTIFIERS: Final = ("any", "some", "all")
_VALUES: Final = frozenset((WHOLE, NUMBER, TEXT, BIT_TEXT, "true", "false", "null", "default", "current_date",
                            "current_role", "current_user", "session_user", "user", "current_catalog"))  # fmt: skip
_CLOCKS: Final = frozenset(("current_time", "current_timestamp", "localtime", "localtimestamp"))
EXPRESSION: Final = 0
ROW: Final = 1
QUERY: Final = 2
_FRAMES: Final = ("range", "rows", "groups")
_KNOWN_SAFE: Final = COLUMNS & FUNCTIONS - {"double"}


class Expressions(Calls):
    """Adds `expression` and `operand`."""

    __slots__ = ()

    def query(self) -> None:
        raise NotImplementedError

    def rest_of_query(self) -> None:
        raise NotImplementedError

    def sort(self) -> None:
        raise NotImplementedError

    def expression(self, least: int = 0, *, narrow: bool = False, labelled: bool = False) -> None:
        """An expression of operators that bind at least that tightly; `labelled` if a label may follow without AS."""
        symbol = self.s[self.at]
        row = False
        if symbol in ("not", NOT_BEFORE):
            if narrow:
                self.refuse()
            self.at += 1
            self.expression(_NOT)
        elif symbol in ("+", "-"):
            self.at += 1
            self.expression(_SIGN, narrow=narrow)
        elif symbol == OTHER or (symbol == "operator" and self.s[self.at + 1] == "("):
            self._operator()
            self.expression(_OTHER, narrow=narrow)
        else:
            row = self.operand()
        self._operators(least, narrow, labelled, row)

    def _operators(self, least: int, narrow: bool, labelled: bool, row: bool) -> None:
        """The operators behind an operand, with theirs."""
        s = self.s
        alone = 0
        while True:
            symbol = s[self.at]
            binding = _PRECEDENCE.get(symbol)
            if binding is None or binding < least or (narrow and symbol not in _NARROW):
                return
            if labelled and symbol in BARE_LABELS and s[self.at + 1] in BEHIND_TARGETS:
                return
            if binding == alone:
                self.refuse()
            if symbol == "similar" and s[self.at + 1] != "to":
                return
            if symbol == "operator" and s[self.at + 1] != "(":
                return
            alone = binding if self._operation(symbol, binding, narrow, row) and binding in _ALONE else 0
            row = False

    def _operation(self, symbol: str, binding: int, narrow: bool, row: bool) -> bool:
        """One operator and what it needs. Returns whether an operand was last."""
        if symbol in _BINARY:
            self._operator()
            if not narrow and binding > 2 and self.s[self.at] in _QUANTIFIERS:
                self.at += 1
                self._bracketed()
                return False
            self.expression(binding + 1, narrow=narrow)
            return True
        self.at += 1
        if symbol == "::":
            self.type_name()
            return False
        if symbol == "is":
            return self._is(narrow)
        if symbol in ("isnull", "notnull"):
            return False
        if symbol == "collate":
            self.qualified()
            return False
        if symbol == "at":
            self.expect("time", "zone")
            self.expression(_AT + 1)
            return True
        if symbol == "overlaps":
            if not row:
                self.at -= 1
                self.refuse()
            if not self.operand():
                self.refuse()
            return False
        if symbol == NOT_BEFORE:
            symbol = self.s[self.at]
            self.at += 1
        return self._matching(symbol)

    def _matching(self, symbol: str) -> bool:
        """BETWEEN, IN, LIKE, ILIKE or SIMILAR, which is behind us."""
        if symbol == "between":
            self.accept("symmetric", "asymmetric")
            self.expression(narrow=True)
            self.expect("and")
            self.expression(_MATCHED + 1)
            return True
        if symbol == "in":
            if self.s[self.at] != "(":
                self.refuse()
            self._bracketed()
            return False
        if symbol == "similar":
            self.expect("to")
        elif self.s[self.at] in _QUANTIFIERS:
            self.at += 1
            self._bracketed()
            return False
        self.expression(_MATCHED + 1)
        if self.accept("escape"):
            self.expression(_ESCAPE + 1)
        return True

    def _is(self, narrow: bool) -> bool:
        self.accept("not")
        symbol = self.s[self.at]
        self.at += 1
        if symbol == "distinct":
            self.expect("from")
            self.expression(_IS + 1, narrow=narrow)
            return True
        if symbol == "document":
            return False
        if not narrow and symbol in ("nfc", "nfd", "nfkc", "nfkd"):
            self.expect("normalized")
        elif narrow or symbol not in ("null", "true", "false", "unknown", "normalized"):
            self.at -= 1
            self.refuse()
        return False

    def _operator(self) -> None:
        """An operator, perhaps as OPERATOR(schema.+)."""
        if self.s[self.at] != "operator":
            self.at += 1
            return
        self.at += 1
        self.expect("(")
        while self.s[self.at] in COLUMNS:
            self.at += 1
            self.expect(".")
        if self.s[self.at] != OTHER and self.s[self.at] not in OWN_OPERATORS:
            self.refuse()
        self.at += 1
        self.expect(")")

    @staticmethod
    def is_special(symbol: str) -> bool:
        return symbol in SPECIAL

    def begins_query(self) -> bool:
        symbol = self.s[self.at]
        return symbol in QUERY_WORDS or (symbol == "values" and self.s[self.at + 1] == "(")

    def _bracketed(self) -> int:
        """A pair of parentheses of an expression, a row or a query, whichever: which one it was."""
        self.expect("(")
        if self.begins_query():
            self.query()
            self.expect(")")
            return QUERY
        if self.s[self.at] == "(":
            inside = self._bracketed()
            if inside == QUERY:
                if self.s[self.at] in TAILS:
                    self.rest_of_query()
                    self.expect(")")
                    return QUERY
                if self.accept(")"):
                    return QUERY
            if inside != ROW:
                self._indirection()
            self._operators(0, narrow=False, labelled=False, row=inside == ROW)
        else:
            self.expression()
        kind = EXPRESSION
        while self.accept(","):
            kind = ROW
            self.expression()
        self.expect(")")
        return kind

    def _indirection(self) -> None:
        while True:
            if self.accept("."):
                if self.s[self.at] != "*" and self.s[self.at] not in LABELS:
                    self.refuse()
                self.named()
            elif self.accept("["):
                if self.s[self.at] != ":":
                    self.expression()
                if self.accept(":") and self.s[self.at] != "]":
                    self.expression()
                self.expect("]")
            else:
                return

    def operand(self) -> bool:
        """What stands between operators. Returns whether it was a row."""
        symbol = self.s[self.at]
        if symbol in _KNOWN_SAFE:
            self.at += 1
            self._named_thing(may_call=True)
        elif symbol in _VALUES:
            if symbol == "default" and self.default_at < 0:
                self.default_at = self.at
            self.at += 1
        elif symbol == "(":
            kind = self._bracketed()
            if kind == ROW:
                return True
            self._indirection()
        elif symbol == GIVEN:
            self.at += 1
            self._indirection()
        elif symbol in COLUMN_NAME or symbol == "double":
            return self._column_word(symbol)
        elif symbol in TYPE_FUNCTION_NAME:
            self._function_word(symbol)
        else:
            self._reserved(symbol)
        return False

    def _named_thing(self, *, may_call: bool) -> None:
        """A column, a call or a literal of a type, whose first word is behind us."""
        s = self.s
        symbol = s[self.at]
        if symbol in (".", "["):
            self._indirection()
            symbol = s[self.at]
            may_call = True
        if symbol == "(" and may_call:
            self._whole_call()
        elif symbol == TEXT and may_call:
            self.at += 1

    def call(self) -> None:
        """A function's arguments."""
        self.at += 1
        s = self.s
        if s[self.at] == ")":
            self.at += 1
            return
        if self.accept("*"):
            self.expect(")")
            return
        self.accept("all", "distinct")
        while True:
            last = self.accept("variadic")
            self.argument()
            if last or not self.accept(","):
                break
        if s[self.at] == "order":
            self.sort()
        self.expect(")")

    def _whole_call(self) -> None:
        """A function's arguments and what may follow them; or a type's modifiers and its literal."""
        start = self.at
        self.call()
        symbol = self.s[self.at]
        if symbol == TEXT and self.at > start + 2:
            self.at += 1
            return
        if symbol == "within":
            self.at += 1
            self.expect("group", "(")
            self.sort()
            self.expect(")")
        if self.accept("filter"):
            self.expect("(", "where")
            self.expression()
            self.expect(")")
        if self.accept("over"):
            if self.s[self.at] == "(":
                self.window()
            else:
                self.column_name()

    def window(self) -> None:
        """What a window is of, in parentheses."""
        self.expect("(")
        symbol = self.s[self.at]
        if symbol in COLUMNS and symbol != "partition" and symbol not in _FRAMES:
            self.at += 1
        if self.accept("partition"):
            self.expect("by")
            self.expressions()
        if self.s[self.at] == "order":
            self.sort()
        if self.accept(*_FRAMES):
            if self.accept("between"):
                self._frame_bound()
                self.expect("and")
            self._frame_bound()
            if self.accept("exclude"):
                if self.accept("current"):
                    self.expect("row")
                elif self.accept("no"):
                    self.expect("others")
                else:
                    self.one_of("group", "ties")
        self.expect(")")

    def _frame_bound(self) -> None:
        follows = self.s[self.at + 1]
        if self.s[self.at] == "current" and follows == "row":
            self.at += 2
            return
        if self.s[self.at] == "unbounded" and follows in ("preceding", "following"):
            self.at += 2
            return
        self.expression()
        self.one_of("preceding", "following")

    def _column_word(self, symbol: str) -> bool:
        """An operand that begins with a word that is no function's name."""
        follows = self.s[self.at + 1]
        if symbol in BUILT_IN and self.begins_typed_literal():
            self.typed_literal()
            return False
        if symbol == "between":
            self.labels.append(self.at)
        self.at += 1
        if symbol == "double":
            if self.accept("precision"):
                self.expect(TEXT)
            else:
                self._named_thing(may_call=True)
        elif follows != "(":
            self._named_thing(may_call=False)
        elif symbol == "row":
            self.at += 1
            if not self.accept(")"):
                self.expressions()
                self.expect(")")
            return True
        elif symbol == "exists":
            self.query_in_parentheses()
        elif symbol in SPECIAL:
            self.special_call(symbol)
        else:
            self.refuse()
        return False

    def _function_word(self, symbol: str) -> None:
        """An operand that begins with a word that is no column's name."""
        self.at += 1
        if symbol == "collation" and self.accept("for"):
            self.special_call(symbol)
            return
        if self.s[self.at] == "(":
            self._whole_call()
        elif self.s[self.at] == TEXT:
            if symbol in ("like", "ilike"):  # sqlglot would wait for what is matched
                raise PlanError(
                    "42704", f'type "{symbol}" does not exist', position=self.tokens[self.at - 1].start + 1
                )
            self.at += 1
        elif symbol != "current_schema":
            self.refuse()

    def _reserved(self, symbol: str) -> None:
        if symbol == "case":
            self._case()
        elif symbol == "cast":
            self.at += 1
            self.special_call(symbol)
        elif symbol == "array":
            self.at += 1
            if self.s[self.at] == "[":
                self._array()
            else:
                self.query_in_parentheses()
        elif symbol in _CLOCKS:
            self.at += 1
            self.size()
        elif symbol == "unique":  # a predicate that PostgreSQL's grammar has, and nothing else
            self.at += 1
            self.query_in_parentheses()
        else:
            self.refuse()

    def _case(self) -> None:
        self.at += 1
        if self.s[self.at] != "when":
            self.expression()
        self.expect("when")
        while True:
            self.expression()
            self.expect("then")
            self.expression()
            if not self.accept("when"):
                break
        if self.accept("else"):
            self.expression()
        self.expect("end")

    def _array(self) -> None:
        self.expect("[")
        if self.accept("]"):
            return
        self.listed(self._array if self.s[self.at] == "[" else self.expression)
        self.expect("]")
