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

import re
from operator import attrgetter
from typing import Final

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.tokens import Token as GlotToken
from sqlglot.tokens import TokenType

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
from planner.parse.dialect import ANY_OPERATOR, ANY_SIGN, CALLED_OTHERWISE, OPERATOR_TOKENS
from planner.parse.errors import syntax_error
from planner.parse.grouped_conditions import bracketed
from planner.parse.typed_literals import (
    OF_ANY_LENGTH,
    digits_of_seconds,
    literal_behind,
    put_cast,
    put_fitted_cast,
    put_interval,
    put_qualified_cast,
    put_unbounded,
)
from planner.parse.word_places import (
    TYPE_WORDS,
    end_of_type,
    in_brackets,
    is_name,
    opens,
    type_expected,
    unreserved,
)

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
_NAMES_AFTER_AS: Final = (RESERVED | TYPE_FUNCTION_NAME) - {"not"}

_NAMES_OF_TYPES: Final = _OBJECT_TYPES | TYPE_WORDS.keys() | {"bpchar", "varbit"}

_QUOTED_CALL: Final = re.compile(r'"\s*(?:\(|/\*|--)')
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


def calls_in_quotes(text: str) -> bool:
    """Whether there may be calls of what has a grammar of its own without quotes: `"position"('abc', 'b')` is a function's, and is marked."""
    return '"' in text and _QUOTED_CALL.search(text) is not None


def unmarked(tree: exp.Expression) -> None:
    """Gives them their names back."""
    for node in tree.find_all(exp.Identifier, exp.Anonymous):
        if isinstance(node.this, str):
            node.set("this", node.this.removesuffix(_MARK))


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
        if i <= type_end and in_brackets(token, tokens, i - 1):
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
                    put_qualified_cast(out, token, following)
                else:
                    put(TokenType.VAR, word, token)
                continue
            keyword = token.keyword
            if keyword == "all" and previous is not None and previous.keyword == "select":
                continue  # what SELECT does anyway; sqlglot takes it for a column where no other follows
            if not keyword:
                if following.kind == STRING:
                    i += 1
                    put_cast(put, token, following)
                elif opens(following) and (behind := literal_behind(tokens, i)):
                    i = put_fitted_cast(put, token, tokens, i, behind)
                elif word in TYPE_WORDS and type_expected(previous, tokens, i - 1):
                    put(TYPE_WORDS[word], word, token)
                elif word in _OBJECT_TYPES and type_expected(previous, tokens, i - 1):
                    # sqlglot looks for no brackets behind these, but does behind a name with a schema.
                    put(TokenType.VAR, "pg_catalog", token)
                    put(TokenType.DOT, ".", token)
                    put(TokenType.VAR, word, token)
                else:
                    put(TokenType.VAR, word, token)
                continue
            next_word = following.keyword
            pair = _PAIRS.get((keyword, next_word)) if next_word else None
            if following.kind == STRING and keyword in OF_ANY_LENGTH:
                i += 1
                put_unbounded(put, OF_ANY_LENGTH[keyword], token, following)
                continue
            if pair is not None:
                last = following
                i += 1
                if tokens[i].kind == STRING and (unbounded := OF_ANY_LENGTH.get(f"{keyword} {next_word}")):
                    i += 1
                    put_unbounded(put, unbounded, token, tokens[i - 1])
                    continue
                if word == "bit" and opens(tokens[i]) and (behind := literal_behind(tokens, i)):
                    i = put_fitted_cast(put, token, tokens, i, behind, "varbit")
                    continue
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
                if opens(following) and tokens[i + 1].kind == INTEGER and tokens[i + 3].kind == STRING:
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
                elif (digits := digits_of_seconds(tokens, i)) is not None:
                    # The fields are one more modifier, before that of the digits.
                    put(TokenType.INTERVAL, word, token)
                    put(TokenType.L_PAREN, "(", tokens[digits - 1])
                    fields = " ".join(x.value for x in tokens[i : digits - 1])
                    put(TokenType.IDENTIFIER, fields, tokens[i], tokens[digits - 2])
                    put(TokenType.COMMA, ",", tokens[digits - 1])
                    put(TokenType.NUMBER, tokens[digits].value, tokens[digits])
                    put(TokenType.R_PAREN, ")", tokens[digits + 1])
                    i = digits + 2
                    if tokens[i].kind == WORD and not tokens[i].keyword:
                        put(TokenType.IDENTIFIER, tokens[i].value, tokens[i])
                        i += 1
                elif following.kind == STRING:
                    i = put_interval(put, tokens, i)
                else:
                    put(TokenType.INTERVAL, word, token)
                    if opens(following) and tokens[i + 1].kind == INTEGER and tokens[i + 3].kind == WORD:
                        put(TokenType.L_PAREN, "(", following)
                        put(TokenType.NUMBER, tokens[i + 1].value, tokens[i + 1])
                        put(TokenType.R_PAREN, ")", tokens[i + 2])
                        i += 3
                        following = tokens[i]
                    if (
                        following.kind == WORD and not following.keyword
                    ):  # a name: to sqlglot h and y are fields, too
                        i += 1
                        put(TokenType.IDENTIFIER, following.value, following)
                continue
            if keyword in ("text", "name", "xml") and following.kind == STRING:
                i += 1
                put_cast(put, token, following)
                continue
            if keyword == "row" and opens(following):
                put(TokenType.VAR, word, token)
                continue
            if keyword == "values" and is_name(previous, following):
                put(TokenType.VAR, word, token)
                continue
            always = _ALWAYS.get(keyword)
            if always is TokenType.ALIAS and casts and type_expected(token, tokens, i):
                type_end = end_of_type(tokens, i)
            if always is not None:
                seen_like = seen_like or keyword in ("like", "ilike")
                put(always, word, token)
                continue
            put(unreserved(keyword, previous, following, tokens, i, seen_like), word, token)
        elif kind == PUNCTUATION:
            sign = token.value
            glot = _PUNCTUATION.get(sign)
            if sign not in ",.()":
                in_subscripts += (sign == "[") - (sign == "]")
                if glot is None or (glot is TokenType.COLON and not in_subscripts):
                    raise syntax_error(token)
                if glot is TokenType.DCOLON:
                    type_end = end_of_type(tokens, i)
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
                put_cast(put, token, following)
            else:
                value = token.value
                if following.value == "(" and value.upper() in CALLED_OTHERWISE:
                    value += _MARK
                append(GlotToken(TokenType.IDENTIFIER, value, len(out), 0, token.start, token.end - 1))
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
