# ruff: noqa: SIM905 (lists of words read better as words)
"""Our tokens as sqlglot's: the place where PostgreSQL's words become the words that sqlglot's parser waits for.

sqlglot decides by token type whether a word is grammar or a name, and knows the words of thirty dialects.
PostgreSQL decides by drawer (`planner.keywords`) and place. So a word gets a grammatical token type only
where PostgreSQL's grammar would take it so; everywhere else it is a plain name. Along the way:

* word pairs are joined where sqlglot wants one token (`ORDER BY`, `GROUPING SETS`, `DOUBLE PRECISION`, ...);
* a typed literal `date '2020-01-01'`, `mytype 'x'` becomes `CAST('...' AS date)`, and so does `interval '1 day'`
  (`interval '1' day` a cast to `interval day`);
* `OPERATOR(s.~)` becomes a sign that says its schema, also of pg_catalog: it binds as any other operator does, whatever its sign;
* an operator that no table knows, which is some user's, becomes two tokens (`planner.parse.dialect`);
* `$1` becomes sqlglot's parameter and number, `!=` is `<>` already.

Every sqlglot token's `line` is its index in the list we feed, its `start` and `end` are character offsets in the
statement (`end` inclusive, as sqlglot has it), which the nodes made from it keep in `meta`.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Final

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.tokens import Token as GlotToken
from sqlglot.tokens import TokenType

from planner.abc import PlanError
from planner.keywords import COLUMN_NAME, RESERVED, TYPE_FUNCTION_NAME
from planner.lexer import (
    BITS,
    DECIMAL,
    END,
    HEX,
    INTEGER,
    OPERATOR,
    PARAMETER,
    PUNCTUATION,
    QUOTED,
    STRING,
    WORD,
    Token,
    keywords_of,
)
from planner.parse.cursor import Cursor
from planner.parse.dialect import ANY_OPERATOR, ANY_SIGN, OPERATOR_TOKENS
from planner.parse.errors import syntax_error
from planner.parse.grouped_conditions import bracketed

_GLOT: Final = Postgres.Tokenizer.KEYWORDS
_PUNCTUATION: Final = {
    "(": TokenType.L_PAREN,
    ")": TokenType.R_PAREN,
    "[": TokenType.L_BRACKET,
    "]": TokenType.R_BRACKET,
    ",": TokenType.COMMA,
    ";": TokenType.SEMICOLON,
    ":": TokenType.COLON,
    ".": TokenType.DOT,
    "::": TokenType.DCOLON,
    ":=": TokenType.COLON_EQ,
}

# Reserved in one way or another: grammar wherever they stand (but after a dot).
_ALWAYS: Final[dict[str, TokenType]] = {
    word: _GLOT[word.upper()]
    for word in RESERVED | TYPE_FUNCTION_NAME | COLUMN_NAME
    if word.upper() in _GLOT and word not in ("do", "binary", "out", "inout", "current_schema")
} | {
    "user": TokenType.CURRENT_USER,
    "current_role": TokenType.CURRENT_ROLE,
    "current_schema": TokenType.CURRENT_SCHEMA,
    "analyse": TokenType.ANALYZE,
}

# Names of types that are ordinary words in PostgreSQL: a type only after :: and AS.
_TYPE_WORDS: Final[dict[str, TokenType]] = {
    word: _GLOT[word.upper()]
    for word in (
        "bool bpchar bytea date float4 float8 inet int2 int4 int8 json jsonb money name text timestamptz timetz "
        "uuid xml int4range int8range numrange tsrange tstzrange daterange"
    ).split()
    if word.upper() in _GLOT
}

_OBJECT_TYPES: Final = frozenset(
    word.lower()
    for word, kind in _GLOT.items()
    if kind in (TokenType.OBJECT_IDENTIFIER, TokenType.PSEUDO_TYPE)
)

_PAIRS: Final[dict[tuple[str, str], tuple[TokenType, str]]] = {
    ("group", "by"): (TokenType.GROUP_BY, "GROUP BY"),
    ("order", "by"): (TokenType.ORDER_BY, "ORDER BY"),
    ("partition", "by"): (TokenType.PARTITION_BY, "PARTITION BY"),
    ("grouping", "sets"): (TokenType.GROUPING_SETS, "GROUPING SETS"),
    ("similar", "to"): (TokenType.SIMILAR_TO, "SIMILAR TO"),
    ("double", "precision"): (TokenType.DOUBLE, "DOUBLE PRECISION"),
    ("character", "varying"): (TokenType.VARCHAR, "VARCHAR"),
    ("char", "varying"): (TokenType.VARCHAR, "VARCHAR"),
    ("nchar", "varying"): (TokenType.VARCHAR, "VARCHAR"),
    ("national", "character"): (TokenType.CHAR, "CHAR"),
    ("national", "char"): (TokenType.CHAR, "CHAR"),
    ("bit", "varying"): (TokenType.VAR, "varbit"),
}

_NAMES: Final = (TokenType.VAR, TokenType.IDENTIFIER)
_DML: Final = {
    "insert": TokenType.INSERT,
    "update": TokenType.UPDATE,
    "delete": TokenType.DELETE,
    "merge": TokenType.MERGE,
}
_FRAME: Final = {"rows": TokenType.ROWS, "range": TokenType.RANGE, "groups": TokenType.VAR}
_SIDES: Final = ("preceding", "following")
_INTERVAL_FIELDS: Final = frozenset(("year", "month", "day", "hour", "minute", "second"))
_NAMES_AFTER_AS: Final = (RESERVED | TYPE_FUNCTION_NAME) - {"not"}

_NAMES_OF_TYPES: Final = _OBJECT_TYPES | _TYPE_WORDS.keys()

_MARK: Final = "\0"
"""Which no name has."""


def marked(fed: list[GlotToken]) -> bool:
    """Marks columns called "array" and list before brackets, which sqlglot takes for constructors. Whether there are any."""
    found = False
    for i in range(len(fed) - 1):
        token = fed[i]
        if (
            fed[i + 1].token_type == TokenType.L_BRACKET
            and token.token_type in _NAMES
            and token.text.lower() in ("array", "list")
        ):
            fed[i] = GlotToken(
                token.token_type, token.text + _MARK, token.line, token.col, token.start, token.end
            )
            found = True
    return found


def unmarked(tree: exp.Expression) -> None:
    """Gives them their names back."""
    for name in tree.find_all(exp.Identifier):
        name.set("this", name.this.removesuffix(_MARK))


def _digits_of_seconds(tokens: list[Token], i: int) -> int | None:
    """Where the 2 of `second(2)` or `day to second(2)` is, if that begins here; None: it does not."""
    if tokens[i].keyword in _INTERVAL_FIELDS and tokens[i + 1].keyword == "to":
        i += 2
    if tokens[i].keyword != "second" or not _opens(tokens[i + 1]) or tokens[i + 2].kind != INTEGER:
        return None
    closing = tokens[i + 3]
    return i + 2 if closing.kind == PUNCTUATION and closing.value == ")" else None


def feed(tokens: list[Token]) -> list[GlotToken]:
    """The tokens of one statement (END last, no semicolon) for sqlglot's parser."""
    out: list[GlotToken] = []
    append = out.append
    count = len(tokens)
    casts = "cast" in keywords_of(tokens)
    i = 0
    seen_like = False
    in_subscripts = 0

    def put(kind: TokenType, text: str, token: Token, last: Token | None = None) -> None:
        out.append(GlotToken(kind, text, len(out), 0, token.start, (last or token).end - 1))

    type_end = 0
    while i < count:
        token = tokens[i]
        kind = token.kind
        i += 1
        if i <= type_end and _in_brackets(token, tokens, i - 1):
            if token.keyword == "array":
                put(TokenType.L_BRACKET, "[", token)
                put(TokenType.R_BRACKET, "]", token)
            continue
        if kind == WORD:
            word = token.value
            previous = tokens[i - 2] if i > 1 else None
            following = tokens[i]
            if not token.keyword and following.kind != STRING and word not in _NAMES_OF_TYPES:
                append(GlotToken(TokenType.VAR, word, len(out), 0, token.start, token.end - 1))
                continue
            if previous is not None and previous.kind == PUNCTUATION and previous.value == ".":
                if following.kind == STRING and out[-2:-1] and out[-2].token_type in _NAMES:
                    i += 1
                    _put_qualified_cast(out, token, following)
                else:
                    put(TokenType.VAR, word, token)
                continue
            keyword = token.keyword
            if keyword == "all" and previous is not None and previous.keyword == "select":
                continue  # what SELECT does anyway; sqlglot takes it for a column where no other follows
            if not keyword:
                if following.kind == STRING:
                    i += 1
                    _put_cast(put, token, following)
                elif word in _TYPE_WORDS and _type_expected(previous, tokens, i - 1):
                    put(_TYPE_WORDS[word], word, token)
                elif word in _OBJECT_TYPES and _type_expected(previous, tokens, i - 1):
                    # sqlglot looks for no brackets behind these, but does behind a name with a schema.
                    put(TokenType.VAR, "pg_catalog", token)
                    put(TokenType.DOT, ".", token)
                    put(TokenType.VAR, word, token)
                else:
                    put(TokenType.VAR, word, token)
                continue
            next_word = following.keyword
            pair = _PAIRS.get((keyword, next_word)) if next_word else None
            if pair is not None:
                last = following
                i += 1
                if keyword == "national" and tokens[i].keyword == "varying":
                    pair, last = (TokenType.VARCHAR, "VARCHAR"), tokens[i]
                    i += 1
                put(pair[0], pair[1], token, last)
                seen_like = seen_like or keyword == "similar"
                continue
            if previous is not None and previous.keyword == "as" and keyword in _NAMES_AFTER_AS:
                put(TokenType.IDENTIFIER, word, token)
                continue
            if keyword == "interval":
                if _opens(following) and tokens[i + 1].kind == INTEGER and tokens[i + 3].kind == STRING:
                    literal = tokens[i + 3]
                    put(TokenType.VAR, "cast", token)
                    put(TokenType.L_PAREN, "(", token)
                    put(TokenType.STRING, literal.value, literal)
                    put(TokenType.ALIAS, "as", literal)
                    put(TokenType.INTERVAL, word, token)
                    put(TokenType.L_PAREN, "(", following)
                    put(TokenType.NUMBER, tokens[i + 1].value, tokens[i + 1])
                    put(TokenType.R_PAREN, ")", tokens[i + 2])
                    put(TokenType.R_PAREN, ")", literal)
                    i += 4
                elif (digits := _digits_of_seconds(tokens, i)) is not None:
                    # Most fields say nothing that the digits do not: `day to second(2)` keeps them all. But 1:30 are minutes
                    # and seconds to `minute to second(2)`, so that is one more modifier.
                    put(TokenType.INTERVAL, word, token)
                    put(TokenType.L_PAREN, "(", tokens[digits - 1])
                    if tokens[i].keyword == "minute":
                        put(TokenType.IDENTIFIER, "minute to second", tokens[i], tokens[digits - 2])
                        put(TokenType.COMMA, ",", tokens[digits - 1])
                    put(TokenType.NUMBER, tokens[digits].value, tokens[digits])
                    put(TokenType.R_PAREN, ")", tokens[digits + 1])
                    i = digits + 2
                    if tokens[i].kind == WORD and not tokens[i].keyword:
                        put(TokenType.IDENTIFIER, tokens[i].value, tokens[i])
                        i += 1
                elif following.kind == STRING:
                    i = _put_interval(put, tokens, i)
                else:
                    put(TokenType.INTERVAL, word, token)
                    if (
                        following.kind == WORD and not following.keyword
                    ):  # a name: to sqlglot h and y are fields, too
                        i += 1
                        put(TokenType.IDENTIFIER, following.value, following)
                continue
            if keyword in ("text", "name", "xml") and following.kind == STRING:
                i += 1
                _put_cast(put, token, following)
                continue
            if keyword == "row" and _opens(following):
                put(TokenType.VAR, word, token)
                continue
            if keyword == "values" and _is_name(previous, following):
                put(TokenType.VAR, word, token)
                continue
            always = _ALWAYS.get(keyword)
            if always is TokenType.ALIAS and casts and _type_expected(token, tokens, i):
                type_end = _type_end(tokens, i)
            if always is not None:
                seen_like = seen_like or keyword in ("like", "ilike")
                put(always, word, token)
                continue
            put(_unreserved(keyword, previous, following, tokens, i, seen_like), word, token)
        elif kind == PUNCTUATION:
            sign = token.value
            glot = _PUNCTUATION.get(sign)
            if sign not in ",.()":
                in_subscripts += (sign == "[") - (sign == "]")
                if glot is None or (glot is TokenType.COLON and not in_subscripts):
                    raise syntax_error(token)
                if glot is TokenType.DCOLON:
                    type_end = _type_end(tokens, i)
            append(GlotToken(glot, sign, len(out), 0, token.start, token.end - 1))
        elif kind == OPERATOR:
            glot = OPERATOR_TOKENS.get(token.value)
            if glot is None:
                put(ANY_OPERATOR, "", token)
                glot = ANY_SIGN
            put(glot, token.value, token)
        elif kind == QUOTED:
            following = tokens[i]
            if following.kind == STRING:
                i += 1
                _put_cast(put, token, following)
            else:
                append(GlotToken(TokenType.IDENTIFIER, token.value, len(out), 0, token.start, token.end - 1))
        elif kind == STRING:
            put(TokenType.STRING, token.value, token)
        elif kind in (INTEGER, DECIMAL):
            put(TokenType.NUMBER, token.value, token)
        elif kind == PARAMETER:
            put(TokenType.PARAMETER, "$", token)
            put(TokenType.NUMBER, token.value, token)
        elif kind == BITS:
            put(TokenType.BIT_STRING, token.value, token)
        elif kind == HEX:
            put(TokenType.HEX_STRING, token.value, token)
        else:
            assert kind == END
    return bracketed(_plain_operators(out))


def _put_cast(put: object, name: Token, literal: Token, kind: TokenType | None = None) -> None:
    """CAST('literal' AS name), all at the places of the two tokens."""
    emit = put
    word = name.value
    if kind is None:
        kind = TokenType.IDENTIFIER if name.kind == QUOTED else _TYPE_WORDS.get(word, TokenType.VAR)
    emit(TokenType.VAR, "cast", name)  # type: ignore[operator]
    emit(TokenType.L_PAREN, "(", name)  # type: ignore[operator]
    emit(TokenType.STRING, literal.value, literal)  # type: ignore[operator]
    emit(TokenType.ALIAS, "as", literal)  # type: ignore[operator]
    emit(kind, word, name)  # type: ignore[operator]
    emit(TokenType.R_PAREN, ")", literal)  # type: ignore[operator]


def _put_interval(put: object, tokens: list[Token], i: int) -> int:
    """`interval '1' day` as CAST('1' AS interval day), with `second(2)` as a cast to interval(2) around it. `i`: the string's
    place; where it goes on."""
    emit = put
    word, literal = tokens[i - 1], tokens[i]
    digits = _digits_of_seconds(tokens, i + 1)
    fields = i + 1
    if digits is not None:
        emit(TokenType.VAR, "cast", word)  # type: ignore[operator]
        emit(TokenType.L_PAREN, "(", word)  # type: ignore[operator]
    emit(TokenType.VAR, "cast", word)  # type: ignore[operator]
    emit(TokenType.L_PAREN, "(", word)  # type: ignore[operator]
    emit(TokenType.STRING, literal.value, literal)  # type: ignore[operator]
    emit(TokenType.ALIAS, "as", literal)  # type: ignore[operator]
    emit(TokenType.INTERVAL, word.value, word)  # type: ignore[operator]
    last = literal
    if tokens[fields].keyword in _INTERVAL_FIELDS:
        spans = tokens[fields + 1].keyword == "to"
        for last in tokens[fields : fields + (3 if spans else 1)]:
            emit(TokenType.VAR, last.value, last)  # type: ignore[operator]
        fields += 3 if spans else 1
    emit(TokenType.R_PAREN, ")", last)  # type: ignore[operator]
    if digits is not None:
        emit(TokenType.ALIAS, "as", last)  # type: ignore[operator]
        emit(TokenType.INTERVAL, word.value, word)  # type: ignore[operator]
        for kind, at in (
            (TokenType.L_PAREN, digits - 1),
            (TokenType.NUMBER, digits),
            (TokenType.R_PAREN, digits + 1),
        ):
            emit(kind, tokens[at].value, tokens[at])  # type: ignore[operator]
        emit(TokenType.R_PAREN, ")", tokens[digits + 1])  # type: ignore[operator]
        fields = digits + 2
    return fields


def _put_qualified_cast(out: list[GlotToken], name: Token, literal: Token) -> None:
    """The same of `schema.name 'literal'`, whose first two tokens are out already."""
    schema, dot = out.pop(-2), out.pop()

    def emit(kind: TokenType, text: str, start: int, end: int) -> None:
        out.append(GlotToken(kind, text, len(out), 0, start, end))

    emit(TokenType.VAR, "cast", schema.start, schema.end)
    emit(TokenType.L_PAREN, "(", schema.start, schema.end)
    emit(TokenType.STRING, literal.value, literal.start, literal.end - 1)
    emit(TokenType.ALIAS, "as", literal.start, literal.end - 1)
    plain = TokenType.VAR if schema.text == "pg_catalog" else schema.token_type
    emit(plain, schema.text, schema.start, schema.end)
    emit(TokenType.DOT, ".", dot.start, dot.end)
    emit(TokenType.VAR, name.value, name.start, name.end - 1)
    emit(TokenType.R_PAREN, ")", literal.start, literal.end - 1)


def _type_end(tokens: list[Token], at: int) -> int:
    """The index after the type name that begins at `at`; `at` if none does (sqlglot will say so)."""
    cursor = Cursor("", tokens)
    cursor.at = at
    try:
        cursor.type_name()
    except PlanError:
        return at
    return cursor.at


def _in_brackets(token: Token, tokens: list[Token], at: int) -> bool:
    """Within a type: ARRAY, and the numbers in array brackets, which mean nothing in PostgreSQL either."""
    if token.keyword == "array":
        return True
    previous = tokens[at - 1]
    if any(tokens[at - back].keyword == "array" for back in (1, 2, 3)):
        return token.value in ("[", "]") or token.kind == INTEGER
    return token.kind == INTEGER and previous.kind == PUNCTUATION and previous.value == "["


def _opens(token: Token) -> bool:
    return token.kind == PUNCTUATION and token.value == "("


def _closes(token: Token | None) -> bool:
    return token is not None and token.kind == PUNCTUATION and token.value == ")"


def _has_side(tokens: list[Token], at: int) -> bool:
    """Whether what follows, as far as the parenthesis around it, ends in PRECEDING or FOLLOWING."""
    depth = 0
    for token in tokens[at:]:
        depth += _opens(token) - _closes(token)
        if depth < 0:
            return False
        if not depth and token.keyword in _SIDES:
            return True
    return False


def _type_expected(previous: Token | None, tokens: list[Token], at: int) -> bool:
    """Whether a word at `at` can only be a type: after ::, or after AS within CAST( ... )."""
    if previous is None:
        return False
    if previous.kind == PUNCTUATION and previous.value == "::":
        return True
    if previous.keyword != "as":
        return False
    depth = 0
    for i in range(at - 2, -1, -1):
        t = tokens[i]
        if t.kind == PUNCTUATION:
            if t.value == ")":
                depth += 1
            elif t.value == "(":
                depth -= 1
                if depth < 0:
                    return i > 0 and tokens[i - 1].keyword == "cast"
    return False


def _is_name(previous: Token | None, following: Token) -> bool:
    """Whether VALUES is what a column or an alias is called: a list of rows begins with a parenthesis."""
    if previous is None or previous.keyword == "default" or following.keyword in ("select", "with", "table"):
        return False
    return following.kind in (WORD, OPERATOR, END) or (
        following.kind == PUNCTUATION and following.value != "("
    )


_BEFORE_VALUES: Final = frozenset(
    ("select", "distinct", "all", "where", "and", "or", "not", "when", "then", "else", "case", "on", "by", "having", "from", "in", "like",
     "ilike", "returning", "limit", "offset", "between", "join", "lateral", "default", "return")
)  # fmt: skip


def _awaits_a_value(previous: Token | None) -> bool:
    """Whether an expression may begin behind this: `SELECT set(1)` calls a function, `UPDATE t SET (a) = ...` does not."""
    if previous is None or previous.kind == PUNCTUATION:
        return previous is not None and previous.value in ("(", ",", ".", "[")
    return previous.keyword in _BEFORE_VALUES or (previous.kind == OPERATOR and previous.value != "*")


def _unreserved(
    word: str, previous: Token | None, following: Token, tokens: list[Token], i: int, seen_like: bool
) -> TokenType:
    """The token type of an unreserved keyword: grammar only where PostgreSQL would take it for that."""
    before = previous.keyword if previous is not None else ""
    if word in _DML:
        if (
            previous is None
            or _closes(previous)
            or _opens(previous)
            or before in ("do", "for", "key", "then")
        ) and not (following.kind == PUNCTUATION and following.value in ".,="):
            return _DML[word]
        return TokenType.VAR
    if word == "set":
        called = _opens(following) and _awaits_a_value(previous)
        return TokenType.VAR if called or _names(following) else TokenType.SET
    if word == "over":
        return TokenType.OVER if _closes(previous) else TokenType.VAR
    if word == "filter":
        return TokenType.FILTER if _closes(previous) and _opens(following) else TokenType.VAR
    if word in _FRAME:
        if following.keyword in ("between", "unbounded", "current") or (
            following.kind in (INTEGER, PARAMETER, STRING) and before != "offset"
        ):
            return _FRAME[word]
        if _opens(following) and _has_side(tokens, i):
            return _FRAME[word]  # rows (SELECT 1) + 1 PRECEDING
        if following.value == "-" and tokens[i + 2 : i + 3] and tokens[i + 2].keyword in _SIDES:
            return _FRAME[word]  # rows -1 PRECEDING, an error that the query has when it runs
        if word == "rows" and previous is not None and following.keyword in ("only", "with"):
            return TokenType.ROWS
        return TokenType.VAR
    if word == "first" or word == "next":
        if before == "fetch":
            return TokenType.FIRST if word == "first" else TokenType.NEXT
        return TokenType.VAR
    if word == "recursive":
        named_so = following.keyword == "as" or _opens(following)  # WITH recursive AS (...)
        return TokenType.RECURSIVE if before == "with" and not named_so else TokenType.VAR
    if word == "ordinality":
        return TokenType.ORDINALITY if before == "with" else TokenType.VAR
    if word == "escape":
        return TokenType.ESCAPE if seen_like and before != "as" else TokenType.VAR
    if word == "operator":
        return TokenType.OPERATOR if _opens(following) else TokenType.VAR
    if word in ("cube", "rollup"):
        if _opens(following):
            return TokenType.CUBE if word == "cube" else TokenType.ROLLUP
        return TokenType.VAR
    if word in ("text", "name", "xml"):
        return _TYPE_WORDS[word] if _type_expected(previous, tokens, i - 1) else TokenType.VAR
    if word == "unknown":
        return TokenType.UNKNOWN if before in ("is", "not") else TokenType.VAR
    return TokenType.VAR


def _names(token: Token) -> bool:
    return token.kind == PUNCTUATION and token.value in (".", ",", ")")


_kind: Final = attrgetter("token_type")


def _plain_operators(tokens: list[GlotToken]) -> list[GlotToken]:
    """OPERATOR(+) as a sign, OPERATOR(s.+) as one with its schema: `s.+`. Either binds as any other operator does, whatever its sign."""
    if TokenType.OPERATOR not in map(_kind, tokens):
        return tokens
    out: list[GlotToken] = []

    def put(kind: TokenType, text: str, start: int, end: int) -> None:
        out.append(GlotToken(kind, text, len(out), 0, start, end))

    i = 0
    while i < len(tokens):
        t = tokens[i]
        i += 1
        if t.token_type != TokenType.OPERATOR:
            put(t.token_type, t.text, t.start, t.end)
            continue
        at, schema = i + 1, ""
        if at + 1 < len(tokens) and tokens[at + 1].token_type == TokenType.DOT:
            schema = tokens[at].text
            at += 2
        anything = at < len(tokens) and tokens[at].token_type == ANY_OPERATOR
        at += anything
        if at + 1 >= len(tokens) or tokens[at + 1].token_type != TokenType.R_PAREN:
            put(t.token_type, t.text, t.start, t.end)
            continue
        sign, end = tokens[at], tokens[at + 1].end
        put(ANY_OPERATOR, "", t.start, end)
        put(ANY_SIGN, f"{schema}.{sign.text}" if schema else sign.text, t.start, end)
        i = at + 2
    return out
