"""The grammar: from tokens to a checked `Path`.

Predicates and expressions are two kinds of thing in PostgreSQL's grammar and meet only in parentheses, so the parser
reads both by precedence and says afterwards where one stands that should have been the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import Final, NoReturn

from planner.abc import SqlError
from planner.jsonpath.regexps import compiled
from planner.jsonpath.tokens import Token, path_error, tokens
from planner.jsonpath.tree import COMPARISONS, LAST, METHODS, PREDICATES, Item, Path, chain
from planner.types.numeric import numeric_in

_INT4_MAX: Final = (1 << 31) - 1
_KEYS: Final = frozenset(
    [
        "word",
        "string",
        "to",
        "null",
        "true",
        "false",
        "is",
        "unknown",
        "exists",
        "strict",
        "lax",
        "abs",
        "size",
        "type",
        "floor",
        "double",
        "ceiling",
        "datetime",
        "keyvalue",
        "last",
        "starts",
        "with",
        "like_regex",
        "flag",
    ]
)
DEPTH_MAX: Final = 200


@lru_cache(maxsize=512)
def parse(text: str) -> Path:
    """Raises 42601 and what words and regular expressions in it raise; 54001 for one nested too deeply."""
    return _Parser(tokens(text), text).path()


class _Parser:
    def __init__(self, stream: Iterator[Token], text: str) -> None:
        self._stream = stream
        self._text = text
        self._depth = 0
        self.token = next(stream)

    def path(self) -> Path:
        if self.token.kind == "end":
            raise SqlError("22P02", f'invalid input syntax for type jsonpath: "{self._text}"')
        mode = self.token.kind if self.token.kind in ("strict", "lax") else ""
        if mode:
            self.advance()
        root = self.either()
        if self.token.kind != "end":
            self.fail()
        _check(root, 0, False)
        return Path(root, mode != "strict")

    # --- tokens ----------------------------------------------------------------------------------

    def advance(self) -> Token:
        token = self.token
        if token.kind != "end":
            self.token = next(self._stream)
        return token

    def take(self, kind: str) -> Token:
        if self.token.kind != kind:
            self.fail()
        return self.advance()

    def fail(self) -> NoReturn:
        raise path_error("syntax error", self.token.shown)

    # --- predicates ------------------------------------------------------------------------------

    def either(self) -> Item:
        """A predicate or an expression."""
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise SqlError("54001", "stack depth limit exceeded")
        made = self._conjunction()
        while self.token.kind == "||":
            self._require_predicate(made)
            self.advance()
            right = self._conjunction()
            self._require_predicate(right)
            made = Item("or", left=made, right=right)
        self._depth -= 1
        return made

    def _conjunction(self) -> Item:
        made = self._negation()
        while self.token.kind == "&&":
            self._require_predicate(made)
            self.advance()
            right = self._negation()
            self._require_predicate(right)
            made = Item("and", left=made, right=right)
        return made

    def _negation(self) -> Item:
        if self.token.kind != "!":
            return self._comparison()
        self.advance()
        if self.token.kind not in ("(", "exists"):
            self.fail()
        return Item("not", left=self._delimited())

    def _delimited(self) -> Item:
        """`(predicate)` or `exists (expression)`."""
        if self.token.kind == "exists":
            self.advance()
            self.take("(")
            inner = self._sum()
            self._require_expression(inner)
            self.take(")")
            return Item("exists", left=inner)
        self.take("(")
        inner = self.either()
        self._require_predicate(inner)
        self.take(")")
        return inner

    def _comparison(self) -> Item:
        if self.token.kind == "exists":
            return self._delimited()
        left = self._sum()
        kind = self.token.kind
        if kind in COMPARISONS:
            self._require_expression(left)
            self.advance()
            right = self._sum()
            self._require_expression(right)
            return Item(kind, left=left, right=right)
        if kind == "starts":
            self._require_expression(left)
            self.advance()
            self.take("with")
            if self.token.kind not in ("string", "variable"):
                self.fail()
            prefix = self.advance()
            return Item("starts_with", left=left, right=Item(prefix.kind, prefix.value))
        if kind == "like_regex":
            self._require_expression(left)
            return self._like_regex(left)
        return left

    def _like_regex(self, left: Item) -> Item:
        self.advance()
        pattern = self.take("string").value
        given = ""
        if self.token.kind == "flag":
            self.advance()
            given = self.take("string").value
        for c in given:
            if c not in "ismxq":
                raise SqlError(
                    "42601",
                    "invalid input syntax for type jsonpath",
                    detail=f'Unrecognized flag character "{c}" in LIKE_REGEX predicate.',
                )
        flags = "".join(f for f in "ismxq" if f in given)
        compiled(pattern, flags)
        return Item("like_regex", pattern, left=left, flags=flags)

    def _require_predicate(self, item: Item) -> None:
        if item.kind not in PREDICATES or item.next is not None:
            self.fail()

    def _require_expression(self, item: Item) -> None:
        if item.kind in PREDICATES and item.next is None:
            self.fail()

    # --- expressions -----------------------------------------------------------------------------

    def _sum(self) -> Item:
        return self._operators(("+", "-"), self._product)

    def _product(self) -> Item:
        return self._operators(("*", "/", "%"), self._signed)

    def _operators(self, kinds: tuple[str, ...], operand: object) -> Item:
        assert callable(operand)
        made: Item = operand()
        while self.token.kind in kinds:
            self._require_expression(made)
            kind = self.advance().kind
            right: Item = operand()
            self._require_expression(right)
            made = Item(kind, left=made, right=right)
        return made

    def _signed(self) -> Item:
        if self.token.kind not in ("+", "-"):
            return self._accessors()
        negative = self.advance().kind == "-"
        inner = self._signed()
        self._require_expression(inner)
        if inner.kind == "numeric" and inner.next is None:
            assert isinstance(inner.value, Decimal)
            return replace(inner, value=inner.value.copy_negate()) if negative and inner.value else inner
        return Item("minus" if negative else "plus", left=inner)

    def _accessors(self) -> Item:
        parenthesised = self.token.kind == "("
        first = self._parenthesised() if parenthesised else self._primary()
        items = [first]
        while self.token.kind in (".", "[", "?"):
            items.append(self._accessor())
        return chain(items)

    def _parenthesised(self) -> Item:
        self.take("(")
        inner = self.either()
        self.take(")")
        if self.token.kind == "is":
            self._require_predicate(inner)
            self.advance()
            self.take("unknown")
            return Item("is_unknown", left=inner)
        return inner

    def _primary(self) -> Item:
        token = self.token
        kind = {"$": "root", "@": "current"}.get(token.kind, token.kind)
        if kind in ("string", "variable"):
            made = Item(kind, token.value)
        elif kind in ("number", "integer"):
            made = Item("numeric", Decimal(numeric_in(token.value)))
        elif kind in ("null", "true", "false", "root", "current", "last"):
            made = Item(kind)
        else:
            self.fail()
        self.advance()
        return made

    def _accessor(self) -> Item:
        kind = self.advance().kind
        if kind == "?":
            self.take("(")
            inner = self.either()
            self._require_predicate(inner)
            self.take(")")
            return Item("filter", left=inner)
        if kind == "[":
            return self._subscripts()
        token = self.token
        if token.kind == "*":
            self.advance()
            return Item("any_key")
        if token.kind == "**":
            self.advance()
            return self._levels()
        if token.kind not in _KEYS:
            self.fail()
        self.advance()
        if self.token.kind == "(" and (token.kind in METHODS or token.kind == "datetime"):
            self.advance()
            template = None
            if token.kind == "datetime" and self.token.kind == "string":
                template = self.advance().value
            self.take(")")
            return Item(token.kind, template)
        return Item("key", token.value)

    def _subscripts(self) -> Item:
        if self.token.kind == "*":
            self.advance()
            self.take("]")
            return Item("any_array")
        ranges: list[tuple[Item, Item | None]] = []
        while True:
            start, end = self._subscript(), None
            if self.token.kind == "to":
                self.advance()
                end = self._subscript()
            ranges.append((start, end))
            if self.token.kind != ",":
                break
            self.advance()
        self.take("]")
        return Item("subscripts", ranges=tuple(ranges))

    def _subscript(self) -> Item:
        made = self._sum()
        self._require_expression(made)
        return made

    def _levels(self) -> Item:
        if self.token.kind != "{":
            return Item("any", bounds=(0, LAST))
        self.advance()
        low = high = self._level()
        if self.token.kind == "to":
            self.advance()
            high = self._level()
        self.take("}")
        return Item("any", bounds=(low, high))

    def _level(self) -> int:
        if self.token.kind == "last":
            self.advance()
            return LAST
        value = int(self.take("integer").value)
        if value > _INT4_MAX:
            raise SqlError("22003", f'value "{value}" is out of range for type integer')
        return value


def _check(item: Item | None, nesting: int, in_subscript: bool) -> None:
    """`@` only within a filter, `last` only within a subscript. Raises 42601."""
    while item is not None:
        if item.kind == "current" and nesting <= 0:
            raise SqlError("42601", "@ is not allowed in root expressions")
        if item.kind == "last" and not in_subscript:
            raise SqlError("42601", "LAST is allowed only in array subscripts")
        deeper = nesting + (item.kind == "filter")
        for part in (item.left, item.right):
            _check(part, deeper, in_subscript)
        for start, end in item.ranges:
            _check(start, nesting, True)
            _check(end, nesting, True)
        item = item.next
