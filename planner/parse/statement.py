"""One statement's text to what it says: the first word decides which grammar reads it.

    SELECT VALUES TABLE WITH ( INSERT UPDATE DELETE MERGE   ->  QueryStatement, for sqlglot and the binder
    everything else                                          ->  a dataclass of planner.statements
    what PostgreSQL has and this server has not              ->  0A000, naming it
    anything else                                            ->  42601 at its first word

Two clauses of SELECT are taken out before sqlglot sees it: `INTO table`, which makes it CREATE TABLE AS, and
`AS OF TIMESTAMP expression` at the end, which reads the past.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from planner import statements as st
from planner.abc import PlanError
from planner.lexer import END, PUNCTUATION, WORD, Token, is_sign, keywords_of, tokenize
from planner.parse import definitions, dropping, foreign, maintenance, plpgsql, privileges, routines, utility
from planner.parse.cursor import Cursor
from planner.parse.errors import syntax_error
from planner.parse.grammar import check_query
from planner.parse.positioned import place_of, positioned_write
from planner.split import statement_ends

_GRAMMARS: Final[dict[str, Callable[[Cursor], Any]]] = {
    "begin": utility.begin,
    "start": utility.start_transaction,
    "commit": utility.commit,
    "end": utility.commit,
    "rollback": utility.rollback,
    "abort": utility.abort,
    "savepoint": utility.savepoint,
    "release": utility.release,
    "set": utility.set_,
    "reset": utility.reset,
    "show": utility.show,
    "prepare": utility.prepare,
    "execute": utility.execute,
    "deallocate": utility.deallocate,
    "declare": utility.declare,
    "fetch": utility.fetch,
    "move": utility.move,
    "close": utility.close,
    "discard": utility.discard,
    "listen": utility.listen,
    "unlisten": utility.unlisten,
    "notify": utility.notify,
    "load": utility.load,
    "security": utility.security_label,
    "copy": maintenance.copy,
    "explain": maintenance.explain,
    "vacuum": maintenance.vacuum,
    "analyze": maintenance.analyze,
    "analyse": maintenance.analyze,
    "checkpoint": maintenance.checkpoint,
    "cluster": maintenance.cluster,
    "reindex": maintenance.reindex,
    "refresh": maintenance.refresh,
    "lock": maintenance.lock,
    "create": definitions.create,
    "alter": definitions.alter,
    "drop": dropping.drop,
    "truncate": dropping.truncate,
    "comment": privileges.comment,
    "grant": privileges.grant,
    "revoke": privileges.revoke,
    "reassign": privileges.reassign,
    "do": plpgsql.do,
    "call": routines.call,
    "import": foreign.import_schema,
}

_QUERIES: Final = frozenset(("select", "values", "table", "with", "insert", "update", "delete", "merge"))


def parse_statement(text: str) -> Any:
    """A dataclass of planner.statements. Raises PlanError 42601 with position, 0A000 for what is not supported."""
    try:
        tokens = tokenize(text)
    except PlanError as e:
        _refuse_before(text[: e.position - 1] if e.position else "")
        raise
    first = tokens[0]
    if first.kind == END:
        raise syntax_error(first, text)
    _only_one(tokens, text)
    word = first.value if first.kind == WORD else ""
    if word in _QUERIES or (first.kind == PUNCTUATION and first.value == "("):
        return _query(text, tokens, word)
    grammar = _GRAMMARS.get(word)
    if grammar is None:
        raise syntax_error(first, text)
    cursor = Cursor(text, tokens)
    cursor.advance()
    statement = grammar(cursor)
    cursor.expect_end()
    return statement


def _refuse_before(text: str) -> None:
    """What is wrong in a text before something that is no token: PostgreSQL reads the tokens as it needs them. Raises 42601."""
    if not text.strip():
        return
    try:
        if isinstance(parse_statement(text), st.QueryStatement):
            check_query(tokenize(text), text)
    except PlanError as e:
        if e.sqlstate == "42601" and 0 < e.position <= len(text.rstrip()):
            raise


def _only_one(tokens: list[Token], text: str) -> None:
    """A semicolon may end the statement and not be inside it."""
    if ";" not in text:
        return
    for i in statement_ends(tokens):
        if tokens[i + 1].kind != END:
            raise PlanError("42601", "cannot insert multiple commands into a prepared statement")
        del tokens[i]
        return


def _query(text: str, tokens: list[Token], word: str) -> Any:
    """A query, with INTO and AS OF taken out."""
    depth = 0
    into, later = -1, False
    seen_from = word not in ("select", "with")
    words = keywords_of(tokens)
    selects = not seen_from or not words.isdisjoint(("union", "intersect", "except"))
    for i, token in enumerate(tokens) if "of" in words or ("into" in words and selects) else ():
        if token.kind == PUNCTUATION:
            if token.value in "([":
                depth += 1
            elif token.value in ")]":
                depth -= 1
        elif depth == 0 and token.keyword:
            if token.keyword == "from":
                seen_from = True
            elif token.keyword in ("union", "intersect", "except"):
                later, seen_from = True, False
            elif (
                token.keyword == "into"
                and not seen_from
                and tokens[i - 1].keyword not in ("insert", "merge", "as")
                and not is_sign(tokens[i - 1], ".")
            ):
                if later:
                    raise PlanError(
                        "42601",
                        "INTO is only allowed on first SELECT of UNION/INTERSECT/EXCEPT",
                        position=tokens[i + 1].start + 1,
                    )
                into = i
                seen_from = True
            elif token.keyword in ("insert", "update", "delete", "merge"):
                seen_from = True
            elif (
                token.keyword == "as"
                and tokens[i + 1].keyword == "of"
                and tokens[i + 2].keyword == "timestamp"
            ):
                return _as_of(text, tokens, i)
    if into >= 0:
        return _select_into(text, tokens, into)
    current = place_of(tokens, word)
    if current >= 0:
        return positioned_write(text, tokens, current)
    return st.QueryStatement(word or "select", tokens)


def _as_of(text: str, tokens: list[Token], i: int) -> st.SelectAsOf:
    if i == 0 or tokens[i + 3].kind == END:
        raise syntax_error(tokens[min(i + 3, len(tokens) - 1)], text)
    query = st.Sql(text[tokens[0].start : tokens[i - 1].end], tokens[0].start)
    last = tokens[-2]
    at = st.Sql(text[tokens[i + 3].start : last.end], tokens[i + 3].start)
    return st.SelectAsOf(query, at)


def _select_into(text: str, tokens: list[Token], into: int) -> st.CreateTableAs:
    """SELECT ... INTO [TEMP | UNLOGGED] [TABLE] name ...: the same query with the clause blanked out."""
    cursor = Cursor(text, tokens)
    cursor.at = into + 1
    temporary = bool(cursor.accept_one("temporary", "temp"))
    cursor.accept("unlogged")
    cursor.accept("table")
    name = cursor.qualified()
    start, end = tokens[into].start, tokens[cursor.at - 1].end
    last = tokens[-2].end
    query = text[:start] + " " * (end - start) + text[end:last]
    return st.CreateTableAs(name, st.Sql(query, 0), temporary=temporary)
