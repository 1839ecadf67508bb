"""Functions that are given a query as a text and run it: `ts_stat('SELECT v FROM docs')`.

Where the text is written out, its query is a subquery like any other, planned with the statement that asks: at its snapshot, with its
rights, at the cost of one. A text that is known only when it runs has nobody to plan it (0A000).

    FROM ts_stat('SELECT v FROM docs', 'ab')        LATERAL (SELECT word, count of documents, of places  FROM (SELECT v FROM docs) ...)
    ts_rewrite(q, 'SELECT a, b FROM synonyms')      by the pairs of (SELECT list of a, b FROM ...)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, ResultColumn, SqlError, TypeRef
from planner.binding import ir
from planner.binding.fragments import Frag, quote_text, sql
from planner.binding.from_items import Source
from planner.binding.naming import function_name, identifier
from planner.parse import parse_query

if TYPE_CHECKING:
    from planner.binding.calls import CallBinder
    from planner.binding.queries import QueryBinder
    from planner.binding.scope import Scope
    from planner.binding.sources import SourceBinder
    from planner.binding.state import BoundQuery

_STAT = "ts_stat"
SIGNATURES = ("ts_stat(text)", "ts_stat(text, text)", "ts_rewrite(tsquery, text)")


def source(sources: SourceBinder, call: exp.Expression, node: exp.Expression) -> Source | None:
    """A call in FROM; None where it is of another function, or of one whose text is not written out."""
    if not isinstance(call, exp.Anonymous) or function_name(call) != _STAT:
        return None
    given = [written_out(e) for e in call.expressions]
    if not 1 <= len(given) <= 2 or None in given or node.args.get("ordinality"):
        return None
    alias = node.args.get("alias")
    shown = identifier(alias.this) if alias is not None and alias.this is not None else _STAT
    texts = [x for x in given if x is not None]
    bound = _statistics(sources.queries, texts[0], texts[1] if len(texts) > 1 else None)
    return sources.subquery_source(bound, shown, alias)


def written_out(node: exp.Expression) -> str | None:
    """A text that the statement itself says; None for every other expression."""
    while isinstance(node, exp.Paren) or (
        isinstance(node, exp.Cast)
        and node.args["to"].this in (exp.DataType.Type.TEXT, exp.DataType.Type.VARCHAR)
    ):
        node = node.this
    return str(node.this) if isinstance(node, exp.Literal) and node.is_string else None


def planned(queries: QueryBinder, text: str) -> BoundQuery:
    """The query that a text says. Raises what its statement would raise, without a place: it is none in the statement that asks."""
    saved = queries.text, queries.expressions.text
    queries.text = queries.expressions.text = text
    try:
        tree = parse_query(text)
        if not isinstance(tree, exp.Query | exp.Values):
            raise PlanError("0A000", "a text whose query is no SELECT is not supported here")
        return queries.nested(tree, None)
    except SqlError as error:
        error.position = 0
        raise
    finally:
        queries.text, queries.expressions.text = saved


def shaped(bound: BoundQuery, types: Sequence[int], fault: str) -> None:
    """Raises 22023 for a query with other columns than these."""
    if [c.type.oid for c in bound.columns] != list(types):
        raise PlanError("22023", fault)


def rewriting(calls: CallBinder, node: exp.Expression, scope: Scope) -> ir.Node | None:
    """`ts_rewrite(query, 'SELECT target, substitute ...')`; None for every other call. Raises 22023."""
    if (
        not isinstance(node, exp.Anonymous)
        or function_name(node) != "ts_rewrite"
        or len(node.expressions) != 2
    ):
        return None
    text = written_out(node.expressions[1])
    if text is None:
        return None
    query = calls.coercions.try_coerce(calls.bind(node.expressions[0], scope), TypeRef(t.TSQUERY), "i")
    if query is None:
        return None
    bound = planned(calls.queries, text)
    shaped(bound, [t.TSQUERY, t.TSQUERY], "ts_rewrite query must return two tsquery columns")
    pairs = sql("SELECT coalesce(flatten(list([c0, c1])), []) AS c0 FROM (", bound.frag, ")")
    found = ir.SubQuery(TypeRef(t.TEXT_ARRAY), "scalar", pairs)
    return ir.Call(TypeRef(t.TSQUERY), "tidewire_rewritten(tsquery, _text)", (query, found))


def _statistics(queries: QueryBinder, text: str, weights: str | None) -> BoundQuery:
    from planner.binding.state import BoundQuery

    bound = planned(queries, text)
    shaped(bound, [t.TSVECTOR], "ts_stat query must return one tsvector column")
    counted = f"tw_ts_count(c0, tw_k, {quote_text(weights if weights is not None else '')})"
    words: Frag = sql("SELECT unnest(tw_tsvector_to_array(c0)) AS tw_k, c0 FROM (", bound.frag, ")")
    each = sql(f"SELECT tw_k, {counted} AS tw_n FROM (", words, ")")
    some = " WHERE tw_n > 0" if weights is not None else ""
    frag = sql(
        "SELECT tw_k AS c0, CAST(count(*) AS INTEGER) AS c1, CAST(sum(tw_n) AS INTEGER) AS c2 FROM (",
        each,
        f"){some} GROUP BY tw_k ORDER BY encode(tw_k) DESC",
    )
    columns = [
        ResultColumn("word", TypeRef(t.TEXT)),
        ResultColumn("ndoc", TypeRef(t.INT4)),
        ResultColumn("nentry", TypeRef(t.INT4)),
    ]
    return BoundQuery(frag, columns, [None, None, None], ())


__all__ = ["SIGNATURES", "planned", "rewriting", "source", "written_out"]
