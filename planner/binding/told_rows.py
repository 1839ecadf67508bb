"""Rows whose values are equal and not the same, told apart where a query within another looks at them.

    SELECT i, (SELECT i::text || count(*) FROM u) FROM t       i: '1 mon', and in another row '30 days'

DuckDB answers a query that looks outward once for all outer rows that agree in the columns it names, and `1 mon` agrees with `30 days`, as
`0` does with `-0`: both would be answered with what one of them is written as. So an item of FROM whose columns have such a type
stands between two marks (`Around`). When a query is found that looks at one of these columns, the marks become a
query around the item that has, in one column more, what the equal values differ in, and the query within names that as well.

    (SELECT *, CAST(r1.i AS VARCHAR) AS tw_told0 FROM t AS r1) AS r1
    (SELECT * FROM (<the query within>) AS tw_within WHERE r1.tw_told0 IS NOT DISTINCT FROM r1.tw_told0)

Of other types DuckDB has for each value one that it compares, or a text that is it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.binding import ir
from planner.binding.fragments import Around, Frag, Item, Piece, Ref, Told, join, sql
from planner.records import replace

if TYPE_CHECKING:
    from planner.abc import TypeRef
    from planner.binding.emit import Emitter
    from planner.binding.from_items import Source

_DIFFER_IN: Final = {t.INTERVAL: "CAST({} AS VARCHAR)", t.FLOAT4: "signbit({})", t.FLOAT8: "signbit({})"}


def marked(emitter: Emitter, number: int, types: Iterable[TypeRef | None], item: Frag) -> Frag:
    """An item of FROM that may be asked for another column: relation `number`, whose columns have these types."""
    first = item.parts[0]
    if isinstance(first, Around) and first.relation == number:
        return item
    if not declared(emitter, number, types):
        return item
    return sql(Around(number, True), item, Around(number, False))


def declared(emitter: Emitter, number: int, types: Iterable[TypeRef | None]) -> bool:
    """Notes which columns of a relation may have equal values that are not the same; whether any may."""
    found = {
        i: _DIFFER_IN[ref.oid] for i, ref in enumerate(types) if ref is not None and ref.oid in _DIFFER_IN
    }
    if found and emitter.for_duckdb:
        emitter.unlike[number] = found
    return number in emitter.unlike


def marked_source(emitter: Emitter, source: Source, before: int) -> Source:
    """The same for what FROM has become of one relation. It looks at columns of relations up to number `before`, if at any."""
    if len(source.relations) != 1 or not emitter.for_duckdb:
        return source
    relation = source.relations[0]
    types = [c.type for c in relation.columns]

    def around(frag: Frag) -> Frag:
        outer = {p for p in frag.parts if isinstance(p, Ref) and p.relation <= before}
        if told := _told(emitter, outer):
            frag = sql("LATERAL (SELECT * FROM ", frag, " WHERE ", told, f") AS r{relation.number}")
        return marked(emitter, relation.number, types, frag)

    padded = None if source.padded is None else around(source.padded)
    return replace(source, frag=around(source.frag), padded=padded)


def within(emitter: Emitter, query: Frag, outer: Iterable[ir.Node]) -> Frag:
    """A query that looks at these values of outer rows, asked for each of those that differ."""
    refs = {Ref(n.relation, n.column) for o in outer for n in ir.walk(o) if isinstance(n, ir.Var)}
    told = _told(emitter, refs)
    return sql("SELECT * FROM (", query, ") AS tw_within WHERE ", told, form=query.form) if told else query


def moved(emitter: Emitter, query: Frag, stands: Mapping[Ref, ir.Node]) -> Frag:
    """A query within, where something else stands for columns that it names."""
    frags = {ref: emitter.frag(to) for ref, to in stands.items()}

    def piece(p: Piece) -> Item:
        if isinstance(p, Ref):
            return frags.get(p, p)
        if isinstance(p, Told) and (to := stands.get(Ref(p.relation, p.column))) is not None:
            if isinstance(to, ir.Var) and _differs(emitter, Ref(to.relation, to.column)):
                return Told(to.relation, to.column)
            return "0"
        return p

    return sql(*map(piece, query.parts), form=query.form)


def mark(emitter: Emitter, around: Around) -> str:
    """What a mark is in the finished text: nothing, unless somebody has asked."""
    asked = emitter.told.get(around.relation)
    if not asked:
        return ""
    alias = emitter.aliases[around.relation]
    if not around.opens:
        return f") AS {alias}"
    more = []
    for column in sorted(asked):
        value = f"{alias}.{emitter.columns[around.relation][column].sql}"
        differ_in = emitter.unlike[around.relation][column].format(value)
        more.append(f"{differ_in} AS {_name(column)}")
    return f"LATERAL (SELECT *, {', '.join(more)} FROM "


def named(emitter: Emitter, told: Told, pieces: Sequence[Piece]) -> str:
    """The column in which the values of another differ, in the finished text that is made of these pieces."""
    if (
        Around(told.relation, True) not in pieces
    ):  # rows that have no item of FROM of their own: those a write has made
        return "0"
    return f"{emitter.aliases[told.relation]}.{_name(told.column)}"


def _name(column: int) -> str:
    return f"tw_told{column}"


def _differs(emitter: Emitter, ref: Ref) -> bool:
    return ref.column in emitter.unlike.get(ref.relation, ())


def _told(emitter: Emitter, refs: Iterable[Ref]) -> Frag | None:
    """A condition that is true and names what tells these columns' values apart; None if no such are among them."""
    asked = sorted({(r.relation, r.column) for r in refs if _differs(emitter, r)})
    for relation, column in asked:
        emitter.told.setdefault(relation, set()).add(column)
    names = [Told(*place) for place in asked]
    return join(" AND ", [sql(n, " IS NOT DISTINCT FROM ", n) for n in names]) if names else None


__all__ = ["declared", "mark", "marked", "marked_source", "moved", "named", "within"]
