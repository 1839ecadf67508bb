"""Forms of PostgreSQL's grammar that sqlglot does not read, said in tokens that it does.

    FROM (VALUES (1) UNION ...) x          FROM (SELECT * FROM (VALUES (1)) AS x UNION ...) x
    FROM (VALUES (1) ORDER BY 1) x         FROM (SELECT * FROM (VALUES (1)) AS x ORDER BY 1) x
    substring(a SIMILAR b ESCAPE c)        substring(a FROM b FOR c)
    THEN INSERT DEFAULT VALUES (MERGE)     THEN INSERT
    a IS [NOT] NFD NORMALIZED              a IS [NOT] "NFD normalized"

Tokens that are put in stand where the ones around them stand, so that errors keep their positions.
"""

from __future__ import annotations

from planner.lexer import OPERATOR, PUNCTUATION, QUOTED, WORD, Token, is_sign


def rewritten(tokens: list[Token]) -> list[Token]:
    """The tokens of a statement (END last) with all such forms said otherwise."""
    words = {t.keyword for t in tokens if t.keyword}
    if "values" in words:
        tokens = _values_in_from(tokens) if words & _AFTER_VALUES else tokens
        tokens = _merge_defaults(tokens) if "merge" in words else tokens
    if "similar" in words and any(t.value == "substring" for t in tokens):
        tokens = _similar_substring(tokens)
    return _normalized(tokens) if "normalized" in words else tokens


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


def _values_in_from(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        out.append(token)
        i += 1
        if not (is_sign(token, "(") and tokens[i].keyword == "values" and is_sign(tokens[i + 1], "(")):
            continue
        end = _closing(tokens, i + 1) + 1
        while is_sign(tokens[min(end, len(tokens) - 1)], ",") and is_sign(
            tokens[min(end + 1, len(tokens) - 1)], "("
        ):
            end = _closing(tokens, end + 1) + 1
        if end >= len(tokens) or tokens[end].keyword not in _AFTER_VALUES:
            continue
        first, last = tokens[i], tokens[end]
        out += [_word("select", first), Token(OPERATOR, "*", first.start, first.start)]
        out += [_word("from", first), _sign("(", first), *tokens[i:end], _sign(")", last)]
        out += [_word("as", last), _word("_values", last, keyword=False)]
        i = end
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


__all__ = ["rewritten"]
