# ruff: noqa: SIM905 (lists of words read better as words)
"""sqlglot's Postgres parser, set to read PostgreSQL and nothing else.

sqlglot's compiled classes cannot be subclassed, but they look up their tables (which operator is parsed
by what, which function becomes which node) on the class at run time. So that nothing else in the process
changes, the tables are set on the parser class of a dialect that nobody here uses (a child of Postgres),
and `TidewirePostgres` is the dialect that carries it.

What is different from sqlglot's own Postgres:

* **Functions stay as they are written**: `to_char(x, 'YYYY')` is `Anonymous("to_char", [x, 'YYYY'])`, not a node
  of another dialect's making with a translated format. Only what is grammar in PostgreSQL has a node:
  CAST, EXTRACT, OVERLAY, POSITION, SUBSTRING, TRIM (in their keyword forms), COALESCE, NULLIF, GREATEST, LEAST.
* **Operators stay as they are written**: all but the arithmetic, comparison and a few bitwise ones are
  `Operator(this, operator="->>", expression)`, at PostgreSQL's one precedence for "any other operator". A prefix
  operator is an `Operator` without `this`. The words of other dialects (PIVOT, QUALIFY, IF, ...) mean nothing.
* **Operators that nobody has heard of**, for users may define them, are two tokens: `ANY_OPERATOR`, which says that there is
  one, and `ANY_SIGN`, which says which. A parser function is told a token's type only, and a sign's text is what the parser has just read.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.parsers.risingwave import RisingWaveParser
from sqlglot.tokens import TokenType

from planner.types import BY_NAME

# Token types that Postgres statements have no other use for: one for each operator, because a parser
# function is told the token's type only.
_SPARE: Final = (
    "DOTCOLON DOTCARET DCOLONDOLLAR DCOLONPERCENT DCOLONQMARK COLON_GT NCOLON_GT PIPE_GT CARET_AT TILDE ARROW DARROW "
    "HASH_ARROW DHASH_ARROW DAT AT_QMARK LT_AT AT_GT DAMP AMP_LT AMP_GT ADJACENT XOR DSTAR QMARK_AMP QMARK_PIPE "
    "HASH_DASH EXCLAMATION PIPE_SLASH DPIPE_SLASH URI_START BLOCK_START BLOCK_END SPACE BREAK JOIN_MARKER "
    "INTRODUCER GLOB IRLIKE RLIKE HINT SOUNDS_LIKE MEMBER_OF HIVE_TOKEN_STREAM BACKSLASH SORT_BY "
    "DISTRIBUTE_BY CLUSTER_BY MATCH_CONDITION BULK_COLLECT_INTO SEPARATOR SQL_SECURITY SERDE_PROPERTIES QDCOLON "
    "NULLSAFE_EQ LR_ARROW LLRR_ARROW SUMMARIZE UNDROP POOL PACKAGE QUOTE INSTALL INTEGRATION UNCACHE VOLUME"
).split()

INFIX: Final = (
    "-> ->> #> #>> #- @> <@ @? @@ ? ?| ?& && ~ ~* !~ !~* ~~ ~~* !~~ !~~* << >> <<= >>= &< &> -|- ^@ <-> # |>> <<| "
    "&<| |&> ## ?- ?# ?-| ?|| <^ >^ #<# #<=# #># #>=# ~= ~<=~ ~>=~ ~<~ ~>~ <% %> <<% %>> <<-> <->> <<<-> <->>>"
).split()
IS_UNKNOWN: Final = "is unknown"
"""What the NULL behind an IS has in its `meta` where the word was UNKNOWN."""
IS_NOT: Final = "is not"
"""What the NOT of `a IS NOT TRUE` has in its `meta`: the tree has the one of `NOT a IS TRUE` in the same place."""
BEHIND_PLUS: Final = "behind plus"
"""What an operand has in its `meta` that has a plus before it, which the tree does not keep."""
PREFIX: Final = ("@", "|/", "||/", "!!", "@-@", "@@", "#", "?-", "?|", "%%", "%#")

OPERATOR_TOKENS: Final[dict[str, TokenType]] = {
    "+": TokenType.PLUS,
    "-": TokenType.DASH,
    "*": TokenType.STAR,
    "/": TokenType.SLASH,
    "%": TokenType.MOD,
    "^": TokenType.CARET,
    "<": TokenType.LT,
    ">": TokenType.GT,
    "<=": TokenType.LTE,
    ">=": TokenType.GTE,
    "=": TokenType.EQ,
    "<>": TokenType.NEQ,
    "||": TokenType.DPIPE,
    "&": TokenType.AMP,
    "|": TokenType.PIPE,
    "=>": TokenType.FARROW,
}
ANY_OPERATOR: Final = TokenType.RULE
"""An operator that has no token type of its own; its sign follows."""
ANY_SIGN: Final = TokenType.POLICY
_named = [op for op in dict.fromkeys((*INFIX, *PREFIX)) if op not in OPERATOR_TOKENS]
assert len(_named) <= len(_SPARE), "every operator needs a token type of its own"
for _op, _name in zip(_named, _SPARE, strict=False):
    OPERATOR_TOKENS[_op] = TokenType[_name]


_PREFIX_TOO: Final = ("||", "&", "|")
"""Operators that may be in front of an operand by the grammar, where nobody has made one of that kind: 42883."""


def _infix(op: str) -> Callable[[Any, Any, Any], Any]:
    def build(parser: Any, left: Any, right: Any) -> Any:
        if right is None:
            parser.raise_error("missing operand")
        return exp.Operator(this=left, operator=op, expression=right)

    return build


def _prefix(op: str) -> Callable[[Any], Any]:
    def build(parser: Any) -> Any:
        operand = parser._parse_term()
        if operand is None:
            parser.raise_error("missing operand")
        return exp.BitwiseNot(this=operand) if op == "~" else exp.Operator(operator=op, expression=operand)

    return build


def _signed(parser: Any) -> Any:
    """The sign of an operator and what stands on its right."""
    op = parser._prev.text
    operand = parser._parse_term()
    if operand is None:
        parser.raise_error("missing operand")
    return exp.Operator(operator=op, expression=operand)


def _plus(parser: Any) -> Any:
    """`+a` is a, but no column of its name."""
    operand = parser._parse_unary()
    if operand is None:
        parser.raise_error("missing operand")
    if not isinstance(operand, exp.Literal) or operand.is_string:
        return exp.Operator(operator="+", expression=operand)
    operand.meta[BEHIND_PLUS] = True
    return operand


def _tested(parser: Any, tested: Any) -> Any:
    """`a IS UNKNOWN` is no `a IS NULL`: it is asked of booleans alone (`IS_UNKNOWN`). Which NOT is whose: `IS_NOT`."""
    word = parser._curr
    negated = word is not None and word.token_type == TokenType.NOT
    if negated:
        word = parser._next
    made = parser._parse_is(tested)
    if negated and isinstance(made, exp.Not):
        made.meta[IS_NOT] = True
    if word is not None and word.token_type == TokenType.UNKNOWN:
        inner = made.this if isinstance(made, exp.Not) else made
        inner.expression.meta[IS_UNKNOWN] = True
    return made


def _any_infix(parser: Any, left: Any, signed: Any) -> Any:
    if left is None:
        parser.raise_error("missing operand")
    return exp.Operator(this=left, operator=signed.args["operator"], expression=signed.expression)


def _matching(node: type[exp.Expression]) -> Callable[[Any, Any], Any]:
    """LIKE and its kin, with any expression behind ESCAPE."""

    def build(parser: Any, left: Any) -> Any:
        pattern = parser._parse_bitwise()
        if pattern is None:
            parser.raise_error("missing operand")
        made = node(this=left, expression=pattern)
        if not parser._match(TokenType.ESCAPE):
            return made
        escape = parser._parse_bitwise()
        if escape is None:
            parser.raise_error("missing operand")
        return exp.Escape(this=made, expression=escape)

    return build


def _placed(parse: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A call in the standard's spelling keeps the place of its name, as any other call does."""

    def placed(parser: Any) -> Any:
        word = parser._tokens[parser._index - 2]  # the parenthesis has been passed
        return parse(parser).update_positions(word)

    return placed


def _asked_of_session(make: Callable[[], Any]) -> Callable[[Any], Any]:
    """`current_date`, a call without parentheses, keeps its place, as any other call does."""

    def parse(parser: Any) -> Any:
        if parser._curr is not None and parser._curr.token_type == TokenType.L_PAREN:  # current_time(3)
            parser._retreat(parser._index - 1)
            return parser._parse_function_call(optional_parens=False)
        return make().update_positions(parser._prev)

    return parse


def _first_and_rest(node: type[exp.Expression]) -> Callable[[list[Any]], Any]:
    """GREATEST, LEAST: NULLs are ignored, as PostgreSQL does."""
    return lambda args: node(this=args[0] if args else None, expressions=args[1:], ignore_nulls=True)


def _keep(table: dict[Any, Any], names: str) -> dict[Any, Any]:
    return {k: v for k, v in table.items() if (k if isinstance(k, str) else k.name) in names.split()}


def _typed_literal(_parser: Any, this: Any, kind: Any) -> Any:
    """`timestamp '...'::date`: the type in front binds the literal; sqlglot has read what follows it already."""
    literal = this
    while not isinstance(literal, exp.Literal):
        literal = literal.this
    made = exp.Cast(this=literal.copy(), to=kind)
    if literal is this:
        return made
    literal.replace(made)
    return this


def _named_argument(parser: Any, name: exp.Expression) -> Any:
    """`name => value`; the name keeps its place in the text."""
    word = exp.var(name.name)
    word.meta.update(name.meta)
    return parser.expression(exp.Kwarg(this=word, expression=parser._parse_disjunction()))


def _configure(parser: Any) -> None:
    parser.FUNCTIONS = {
        "COALESCE": lambda args: exp.Coalesce(this=args[0] if args else None, expressions=args[1:]),
        "GREATEST": _first_and_rest(exp.Greatest),
        "LEAST": _first_and_rest(exp.Least),
        "NULLIF": lambda args: exp.Nullif(
            this=args[0] if args else None, expression=args[1] if len(args) > 1 else None
        ),
    }
    parser.FUNCTION_PARSERS = _keep(parser.FUNCTION_PARSERS, "CAST") | {
        name: _placed(parse)
        for name, parse in _keep(parser.FUNCTION_PARSERS, "EXTRACT OVERLAY POSITION SUBSTRING TRIM").items()
    }
    parser.PRIMARY_PARSERS = {
        **parser.PRIMARY_PARSERS,
        TokenType.TRUE: lambda _, word: exp.Boolean(this=True).update_positions(word),
        TokenType.FALSE: lambda _, word: exp.Boolean(this=False).update_positions(word),
        TokenType.NULL: lambda _, word: exp.Null().update_positions(word),
    }
    parser.NO_PAREN_FUNCTION_PARSERS = (
        _keep(parser.NO_PAREN_FUNCTION_PARSERS, "ANY CASE")
        | {kind.name: _asked_of_session(made) for kind, made in parser.NO_PAREN_FUNCTIONS.items()}
        | {
            "VARIADIC": lambda self: self.expression(exp.Variadic(this=self._parse_lambda())),
            "USER": _asked_of_session(lambda: exp.CurrentUser(this=exp.var("user"))),
        }
    )
    parser.JSON_OPERATORS = {
        OPERATOR_TOKENS[op]: _infix(op) for op in OPERATOR_TOKENS if op in INFIX or op in PREFIX
    } | {ANY_OPERATOR: _any_infix}
    parser.COLUMN_OPERATORS = _keep(parser.COLUMN_OPERATORS, "DOT DCOLON")
    # `a[:b]` is a slice up to b; a colon begins no parameter.
    parser.PLACEHOLDER_PARSERS = _keep(parser.PLACEHOLDER_PARSERS, "PARAMETER")
    parser.LAMBDAS = {
        kind: lambda self, names: _named_argument(self, names[0])
        for kind in (TokenType.FARROW, TokenType.COLON_EQ)
    }
    parser.BITWISE = {TokenType.AMP: exp.BitwiseAnd, TokenType.PIPE: exp.BitwiseOr}
    parser.FACTOR = _keep(parser.FACTOR, "MOD SLASH STAR")
    parser.UNARY_PARSERS = {
        **_keep(parser.UNARY_PARSERS, "NOT DASH"),
        TokenType.PLUS: _plus,
        **{OPERATOR_TOKENS[op]: _prefix(op) for op in (*PREFIX, *INFIX, *_PREFIX_TOO)},
        ANY_OPERATOR: lambda parser: parser._parse_unary(),
        ANY_SIGN: _signed,
    }
    parser.RANGE_PARSERS = _keep(
        parser.RANGE_PARSERS, "BETWEEN ILIKE IN IS LIKE OVERLAPS SIMILAR_TO OPERATOR"
    )
    parser.RANGE_PARSERS |= {
        TokenType.IS: _tested,
        TokenType.LIKE: _matching(exp.Like),
        TokenType.ILIKE: _matching(exp.ILike),
        TokenType.SIMILAR_TO: _matching(exp.SimilarTo),
    }
    parser.EQUALITY = _keep(parser.EQUALITY, "EQ NEQ")
    parser.QUERY_MODIFIER_PARSERS = {
        k: v
        for k, v in parser.QUERY_MODIFIER_PARSERS.items()
        if k.name in ("WHERE GROUP_BY HAVING WINDOW ORDER_BY LIMIT FETCH OFFSET FOR LOCK").split()
    }
    parser.TYPE_LITERAL_PARSERS = dict.fromkeys(exp.DataType.Type, _typed_literal)
    # The list of INSERT's columns is none of constraints: one may be called period, bucket, exclude, truncate.
    parser.SCHEMA_UNNAMED_CONSTRAINTS = {"PRIMARY KEY", "FOREIGN KEY", "CHECK", "UNIQUE"}
    parser.STATEMENT_PARSERS = _keep(parser.STATEMENT_PARSERS, "DELETE INSERT MERGE UPDATE")


_configure(RisingWaveParser)

CALLED_OTHERWISE: Final = frozenset((*RisingWaveParser.FUNCTIONS, *RisingWaveParser.FUNCTION_PARSERS))
"""The names, in capitals, whose calls are grammar: in quotes they are functions' like any other."""


class TidewirePostgres(Postgres):  # type: ignore[misc]
    """The dialect of what this server reads. Tokens come from our lexer, not from its tokenizer."""

    class Tokenizer(Postgres.Tokenizer):  # type: ignore[misc]
        """Asked for names of types that are no words of the grammar, in quotes or not: PostgreSQL's own. What other dialects call
        types (`string`, `number`, `blob`, `double`) is some user's type here, or none; "bit" is of any length in quotes, as bit in
        the grammar is bit(1)."""

        KEYWORDS: ClassVar = {
            k: v
            for k, v in Postgres.Tokenizer.KEYWORDS.items()
            if k != "BIT" and (v not in RisingWaveParser.TYPE_TOKENS or k.lower() in BY_NAME)
        }

    Parser = RisingWaveParser
    INDEX_OFFSET = 0  # subscripts stay as they are written, whatever they are
