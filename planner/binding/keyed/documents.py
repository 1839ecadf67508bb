"""Rows that a document says, as look-ups: json_to_recordset and its kin in FROM.

    FROM json_to_recordset($1) AS x(id bigint, name text)
    FROM json_populate_recordset(null::users, $1)

        SELECT CAST(field(j, 'id') AS bigint), field(j, 'name') FROM unnest(objects($1)) AS j

So REST servers bring the rows that they write, and people those of a list. Each field is a text, found by the same function as DuckDB's
queries have it, that its type's input function reads; of types that the keyed engine does not read it is no look-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.keyed.join_order import named_relations
from planner.binding.scope import FromStep, Relation, RelationColumn

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

_DEFINED: Final = {
    f"{kind}_to_record{several}({kind})": bool(several)
    for kind in ("json", "jsonb")
    for several in ("", "set")
}
_POPULATED: Final = {
    f"{kind}_populate_record{several}(anyelement, {declared})": bool(several)
    for kind, declared in (("json", "json"), ("json", "json, bool"), ("jsonb", "jsonb"))
    for several in ("", "set")
}
"""Whether they make several rows."""
_TEXT: Final = TypeRef(t.TEXT)


def steps(
    queries: QueryBinder, relation: Relation, made: ir.Node, columns: Sequence[tuple[str, TypeRef]]
) -> tuple[FromStep, ...]:
    """The relation of such a function's rows as a step of joins; none where it is another function."""
    from planner.binding.state import Parts, Target

    if not isinstance(made, ir.SetReturning | ir.Call):
        return ()
    several = _DEFINED.get(made.op)
    if several is None:
        several = _POPULATED.get(made.op)
        if several is None or not isinstance(made.args[0], ir.Lit) or made.args[0].value is not None:
            return ()
        document = made.args[1]
    else:
        document = made.args[0]
    if isinstance(made, ir.SetReturning) and made.asked is not None:
        return ()
    document = ir.Cast(_TEXT, document)
    inner: tuple[FromStep, ...] = ()
    text: ir.Node = document
    if several:
        number = queries.next_relation()
        function = ir.Lit(_TEXT, made.op.partition("(")[0])
        elements = ir.SetReturning(_TEXT, "json records(text, text)", (document, function))
        inner = (FromStep(Relation(number, "", [RelationColumn("j", _TEXT)]), spread=(elements,)),)
        text = ir.Var(_TEXT, number, 0)
    targets = [Target(name, _field(text, name, ref)) for name, ref in columns]
    around = _named(document)
    by_key = queries.kept(Parts(None, None, targets), inner)
    return () if by_key is None else (FromStep(relation, (), False, (by_key,), around, around),)


def _field(text: ir.Node, name: str, ref: TypeRef) -> ir.Node:
    """The value of a member, as its type's input function reads it; what does not fit a modifier is an error."""
    oid = ir.Lit(TypeRef(t.INT4), ref.oid)
    found = ir.Call(_TEXT, "json field(text, text, int4)", (text, ir.Lit(_TEXT, name), oid))
    if ref.oid == t.TEXT:
        return found
    value = ir.Cast(TypeRef(ref.oid), found)
    return value if ref.typmod < 0 else ir.Cast(ref, value, False)


def _named(node: ir.Node) -> tuple[ir.Var, ...]:
    """The columns of items of FROM before it, and of queries around, that a function's argument names."""
    others = named_relations(node)
    found = [n for n in ir.walk(node) if isinstance(n, ir.Var) and n.relation in others]
    return tuple({(v.relation, v.column): v for v in found}.values())


__all__ = ["steps"]
