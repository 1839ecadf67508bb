"""Forms of PostgreSQL's grammar that sqlglot does not read, said in tokens that it does.

    FROM (VALUES (1) UNION ...) x          FROM (SELECT * FROM (VALUES (1)) AS x UNION ...) x
    FROM (VALUES (1) ORDER BY 1) x         FROM (SELECT * FROM (VALUES (1)) AS x ORDER BY 1) x
    INSERT INTO t VALUES (1) LIMIT 1       INSERT INTO t SELECT * FROM (VALUES (1)) AS x LIMIT 1
    WITH w AS (...) VALUES (1)             WITH w AS (...) SELECT * FROM (VALUES (1)) AS x
    ORDER BY a USING <                     ORDER BY a ASC (USING > is DESC)
    substring(a SIMILAR b ESCAPE c)        substring(a FROM b FOR c)
    THEN INSERT DEFAULT VALUES (MERGE)     THEN INSERT
    USING a JOIN b ON c ON d (MERGE)       USING (a JOIN b ON c) ON d
    a IS [NOT] NFD NORMALIZED              a IS [NOT] "NFD normalized"
    COLLATION FOR (a)                      pg_collation_for (a)
    INSERT INTO values (a) VALUES (1)      INSERT INTO "values" (a) VALUES (1)
    ONLY (a)                               ONLY a
    numeric(3, -1)                         its scale as one number
    xmlelement(NAME a, ...)                xmlelement('a', ...) and its kin (`xml.forms`)

Tokens that are put in stand where the ones around them stand, so that errors keep their positions.
"""

from __future__ import annotations

from planner.abc import PlanError
from planner.lexer import END, INTEGER, OPERATOR, PUNCTUATION, QUOTED, WORD, Token, is_sign, keywords_of
from planner.parse import called_words, samples, xml_forms
from planner.parse.cursor import Cursor
from planner.parse.errors import end_of_input, syntax_error

_TARGETS = frozenset((("insert", "into"), ("merge", "into"), ("delete", "from")))


def rewritten(tokens: list[Token], text: str) -> list[Token]:
    """The tokens of a statement (END last) with all such forms said otherwise. Raises 42601 for a MERGE that is not PostgreSQL's."""
    words = keywords_of(tokens)
    if "merge" in words:
        _check_merge(tokens, text)
    if words & called_words.WORDS:
        tokens = called_words.quoted(tokens)
    if "values" in words:
        tokens = _targets_called_values(tokens)
        if words & _AFTER_VALUES:
            tokens = _values_in_from(tokens)
            tokens = _values_in_insert(tokens) if "insert" in words else tokens
        tokens = _values_after_with(tokens) if "with" in words else tokens
        tokens = _merge_defaults(tokens) if "merge" in words else tokens
    if "merge" in words and "join" in words:
        tokens = _merged_joins(tokens)
    if "using" in words and "order" in words:
        tokens = _ordering_operators(tokens)
    if "similar" in words and any(t.value == "substring" for t in tokens):
        tokens = _similar_substring(tokens)
    if "collation" in words and "for" in words:
        tokens = _collation_for(tokens)
    if words & xml_forms.WORDS:
        tokens = xml_forms.rewritten(tokens)
    if words & _SCALED:
        tokens = _negative_scales(tokens)
    if "only" in words:
        tokens = _alone(tokens)
    if "tablesample" in words:
        tokens = samples.bracketed(tokens)
    return _normalized(tokens) if "normalized" in words else tokens


def _alone(tokens: list[Token]) -> list[Token]:
    """`ONLY (t)` is `ONLY t`, and no star goes with either: sqlglot knows the brackets nowhere, and the star everywhere."""
    out: list[Token] = []
    kept = 0
    for i, token in enumerate(tokens):
        if token.keyword != "only" or is_sign(tokens[i - 1], "."):
            continue
        cursor = Cursor("", tokens)
        cursor.at = i + 1
        opened = cursor.symbol_is("(")
        if not opened and not cursor.is_name():
            continue  # FETCH FIRST ROW ONLY
        cursor.at = i
        cursor.relation()
        if cursor.symbol_is("*"):
            cursor.fail()
        if opened:
            out += [*tokens[kept : i + 1], *tokens[i + 2 : cursor.at - 1]]
            kept = cursor.at
    return [*out, *tokens[kept:]]


_SCALED = frozenset(("numeric", "decimal", "dec"))


def _negative_scales(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    for i, token in enumerate(tokens):
        minus = out[-1] if out else token
        if token.kind == INTEGER and i > 4 and minus.value == "-" and tokens[i - 5].keyword in _SCALED:
            opening, comma = tokens[i - 4], tokens[i - 2]
            if is_sign(opening, "(") and is_sign(comma, ",") and is_sign(tokens[i + 1], ")"):
                out[-1] = Token(INTEGER, f"-{token.value}", minus.start, token.end)
                continue
        out.append(token)
    return out


def _collation_for(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    for i, token in enumerate(tokens):
        if token.keyword == "for" and out and out[-1].keyword == "collation" and is_sign(tokens[i + 1], "("):
            before = out.pop()
            out.append(Token(WORD, "pg_collation_for", before.start, token.end))
        else:
            out.append(token)
    return out


def _normalized(tokens: list[Token]) -> list[Token]:
    """A form's name and NORMALIZED as one name, which `planner.binding.predicates` takes apart."""
    out: list[Token] = []
    for token in tokens:
        form = out[-1].value if out else ""
        if token.keyword == "normalized" and form in ("nfc", "nfd", "nfkc", "nfkd"):
            before = out.pop()
            out.append(Token(QUOTED, f"{form.upper()} normalized", before.start, token.end))
        else:
            out.append(token)
    return out


_ORDERS = {"<": "asc", ">": "desc", "~<~": "asc", "~>~": "desc"}
_AFTER_VALUES = frozenset(("union", "intersect", "except", "order", "limit", "offset", "fetch"))


def _closing(tokens: list[Token], at: int) -> int:
    """The index of the bracket that closes the one at `at`; the last token's if none does."""
    depth = 0
    for i in range(at, len(tokens)):
        if is_sign(tokens[i], "("):
            depth += 1
        elif is_sign(tokens[i], ")"):
            depth -= 1
            if depth == 0:
                return i
    return len(tokens) - 1


def _word(word: str, at: Token, keyword: bool = True) -> Token:
    return Token(WORD, word, at.start, at.start, word if keyword else "")


def _sign(sign: str, at: Token) -> Token:
    return Token(PUNCTUATION, sign, at.start, at.start)


def _targets_called_values(tokens: list[Token]) -> list[Token]:
    """Where a table is written to, VALUES is its name even before a parenthesis: INSERT INTO values (a) VALUES (1)."""
    return [
        Token(QUOTED, token.value, token.start, token.end)
        if token.keyword == "values" and _target_begins(tokens, i)
        else token
        for i, token in enumerate(tokens)
    ]


def _target_begins(tokens: list[Token], at: int) -> bool:
    if at and tokens[at - 1].keyword == "only":
        at -= 1
    before = tokens[at - 1].keyword if at else ""
    if before == "update":
        return True
    return at > 1 and (tokens[at - 2].keyword, before) in _TARGETS


def _values_in_from(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        out.append(token)
        i += 1
        if not (is_sign(token, "(") and tokens[i].keyword == "values" and is_sign(tokens[i + 1], "(")):
            continue
        end = _end_of_rows(tokens, i)
        if end >= len(tokens) or tokens[end].keyword not in _AFTER_VALUES:
            continue
        out += _selected(tokens, i, end)
        i = end
    return out


def _values_in_insert(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    at = 0
    while at < len(tokens):
        token = tokens[at]
        if token.keyword == "values" and out and _is_inserted(tokens, at):
            end = _end_of_rows(tokens, at)
            if end < len(tokens) and tokens[end].keyword in _AFTER_VALUES:
                out += _selected(tokens, at, end)
                at = end
                continue
        out.append(token)
        at += 1
    return out


def _is_inserted(tokens: list[Token], at: int) -> bool:
    """Whether the VALUES at `at` is what an INSERT writes: its table, columns and OVERRIDING are before it."""
    if not is_sign(tokens[at + 1], "("):
        return False
    if tokens[at - 1].keyword == "value" and at > 2 and tokens[at - 3].keyword == "overriding":
        at -= 3
    if is_sign(tokens[at - 1], ")"):
        depth = 0
        while at > 0:
            at -= 1
            depth += is_sign(tokens[at], ")") - is_sign(tokens[at], "(")
            if not depth:
                break
    while at > 1 and not tokens[at - 1].keyword:
        at -= 1  # names, dots and an alias
        if at > 1 and tokens[at - 1].keyword == "as":
            at -= 1
    return at > 1 and (tokens[at - 2].keyword, tokens[at - 1].keyword) == ("insert", "into")


def _end_of_rows(tokens: list[Token], at: int) -> int:
    """The index after the rows of the VALUES at `at`."""
    end = _closing(tokens, at + 1) + 1
    while is_sign(tokens[min(end, len(tokens) - 1)], ",") and is_sign(
        tokens[min(end + 1, len(tokens) - 1)], "("
    ):
        end = _closing(tokens, end + 1) + 1
    return end


def _selected(tokens: list[Token], at: int, end: int) -> list[Token]:
    """VALUES as the SELECT that it is short for."""
    first, last = tokens[at], tokens[min(end, len(tokens) - 1)]
    return [
        _word("select", first), Token(OPERATOR, "*", first.start, first.start), _word("from", first),
        _sign("(", first), *tokens[at:end], _sign(")", last), _word("as", last),
        _word("_values", last, keyword=False),
    ]  # fmt: skip


def _values_after_with(tokens: list[Token]) -> list[Token]:
    for i, token in enumerate(tokens):
        if token.keyword != "with":
            continue
        at = _end_of_with(tokens, i)
        if at and tokens[at].keyword == "values" and is_sign(tokens[at + 1], "("):
            end = _end_of_rows(tokens, at)
            return _values_after_with([*tokens[:at], *_selected(tokens, at, end), *tokens[end:]])
    return tokens


def _end_of_with(tokens: list[Token], at: int) -> int:
    """The index after the queries of a WITH clause; 0 if this is another WITH, or one with SEARCH or CYCLE."""
    last = len(tokens) - 1
    at += 1
    if (
        tokens[at].keyword == "recursive"
        and tokens[at + 1].keyword != "as"
        and not is_sign(tokens[at + 1], "(")
    ):
        at += 1
    while at < last:
        at += 1
        if is_sign(tokens[at], "("):
            at = _closing(tokens, at) + 1
        if at >= last or tokens[at].keyword != "as":
            return 0
        at += 1
        while tokens[at].keyword in ("not", "materialized"):
            at += 1
        if not is_sign(tokens[at], "("):
            return 0
        at = _closing(tokens, at) + 1
        if at >= last or not is_sign(tokens[at], ","):
            return min(at, last)
        at += 1
    return 0


def _merged_joins(tokens: list[Token]) -> list[Token]:
    """The last ON before the WHENs is MERGE's own, what comes before it its source."""
    merge = next(i for i, t in enumerate(tokens) if t.keyword == "merge")
    using = on = depth = 0
    joins = False
    for i in range(merge, len(tokens)):
        token = tokens[i]
        depth += is_sign(token, "(") - is_sign(token, ")")
        if depth:
            continue
        if token.keyword == "when" and tokens[i + 1].keyword in ("matched", "not") and on:
            break
        if token.keyword == "using" and not using:
            using = i
        joins = joins or (token.keyword == "join" and using > 0)
        on = i if token.keyword == "on" and using else on
    if not joins or on <= using + 1:
        return tokens
    source = tokens[using + 1 : on]
    opening, closing = _sign("(", source[0]), _sign(")", tokens[on])
    return [*tokens[: using + 1], opening, *source, closing, *tokens[on:]]


def _ordering_operators(tokens: list[Token]) -> list[Token]:
    """Only in ORDER BY does an operator come after USING, perhaps as OPERATOR(pg_catalog.<). Raises 42809 for one that does not order."""
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        i += 1
        if not (out and out[-1].keyword == "using"):
            out.append(token)
            continue
        end = token.end
        if token.keyword == "operator" and is_sign(tokens[i], "("):
            at = i + 1 + 2 * (tokens[i + 1].value == "pg_catalog")
            if tokens[at].kind == OPERATOR and is_sign(tokens[at + 1], ")"):
                token, end, i = tokens[at], tokens[at + 1].end, at + 2
        if token.kind != OPERATOR:
            out.append(token)
            continue
        using = out.pop()
        word = _ORDERS.get(token.value)
        if word is None:
            raise PlanError(
                "42809",
                f"operator {token.value} is not a valid ordering operator",
                hint='Ordering operators must be "<" or ">" members of btree operator families.',
                position=token.start + 1,
            )
        out.append(Token(WORD, word, using.start, end, word))
    return out


def _similar_substring(tokens: list[Token]) -> list[Token]:
    out = list(tokens)
    for i, token in enumerate(tokens):
        if token.value != "substring" or token.kind != WORD or not is_sign(tokens[i + 1], "("):
            continue
        depth = 0
        for j in range(i + 1, _closing(tokens, i + 1)):
            if is_sign(tokens[j], "("):
                depth += 1
            elif is_sign(tokens[j], ")"):
                depth -= 1
            elif depth == 1 and tokens[j].keyword == "similar" and tokens[j + 1].keyword != "to":
                out[j] = Token(WORD, "from", tokens[j].start, tokens[j].end, "from")
            elif depth == 1 and tokens[j].keyword == "escape" and any(t.keyword == "from" for t in out[i:j]):
                out[j] = Token(WORD, "for", tokens[j].start, tokens[j].end, "for")
    return out


def _merge_defaults(tokens: list[Token]) -> list[Token]:
    for i in range(2, len(tokens) - 2):
        words = [t.keyword for t in tokens[i - 2 : i + 2]]
        if words == ["then", "insert", "default", "values"]:
            return _merge_defaults([*tokens[:i], *tokens[i + 2 :]])
    return tokens


def _check_merge(tokens: list[Token], text: str) -> None:
    """Refuses INSERT without what is to be inserted, which sqlglot takes, and NOT MATCHED BY, where it loses the place. Raises 42601."""
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if before.keyword == "then" and token.keyword == "insert":
            if after.kind == END:
                raise end_of_input(tokens, text)
            if after.keyword == "when":
                raise syntax_error(after, text)
        if before.keyword == "not" and token.keyword == "matched" and after.keyword == "by":
            raise syntax_error(after, text)


__all__ = ["rewritten"]
