"""What a text begins with, as a range of an index's keys: `name LIKE 'abc%'` is `name >= 'abc' AND name < 'abd'`.

    name LIKE $1           from "like from" of the pattern to "like to" of it      as far as its first % or _
    name ~ $1              from "regexp from" of the pattern to "regexp to" of it  behind ^, as far as its first piece that is no letter
    starts_with(name, $1)  from "begins from" of the text to "begins to" of it     ^@ too

Keys of an index are in the order of their code points, whatever its collation, and so is what begins alike. The condition itself is
asked of all rows of the range. What the pattern is shows when it is asked: of '%abc' the range has no ends (`executor.keyed.beginnings`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from planner import types as t
from planner.abc import Call, Const, Range, TypeRef
from planner.binding import ir
from planner.binding.collating import matters
from planner.binding.keyed import closed_set
from planner.binding.keyed import expressions as keyed
from planner.binding.regexps.plain import beginning

_OPS: Final = {
    "text ~~ text": "like",
    "text ~ text": "regexp",
    "text ^@ text": "begins",
    "starts_with(text, text)": "begins",
}


def begun(node: ir.Node, relation: int, known: Mapping[int, int]) -> tuple[int, str, ir.Node] | None:
    """(column, "like" or "begins", pattern or text) of a conjunct about a column of the relation; None where it is no such thing."""
    if not isinstance(node, ir.Call) or node.op not in _OPS or matters(node):
        return None
    column, said = node.args
    while isinstance(column, ir.Cast | ir.Collated) and column.type.oid in closed_set.TEXTS:
        column = column.arg
    if not isinstance(column, ir.Var) or column.relation != relation or column.column < 0:
        return None
    if column.type.oid not in closed_set.TEXTS or any(
        isinstance(n, ir.Var) and n.relation not in known for n in ir.walk(said)
    ):
        return None
    if any(isinstance(n, ir.SubQuery) for n in ir.walk(said)):
        return None
    if isinstance(said, ir.Lit) and (not isinstance(said.value, str) or said.value[:1] in ("", "%", "_")):
        return None
    if _OPS[node.op] == "regexp" and not _is_anchored(said):
        return None
    return column.column, _OPS[node.op], said


def _is_anchored(said: ir.Node) -> bool:
    """Whether a regular expression may say what a text begins with: nobody knows of a parameter."""
    while isinstance(said, ir.Cast) and said.arg.type.oid in closed_set.TEXTS:
        said = said.arg
    if isinstance(said, ir.Lit):
        return isinstance(said.value, str) and bool(beginning(said.value))
    return isinstance(said, ir.Parm)


def ends(kind: str, said: ir.Node, known: Mapping[int, int]) -> tuple[Call, Call]:
    """The first key and the one behind the last. Raises NotKeyed."""
    made = keyed.expression(said, known)
    return Call(f"{kind} from", (made,), TypeRef(t.TEXT)), Call(f"{kind} to", (made,), TypeRef(t.TEXT))


def may_be_anything(within: Range) -> bool:
    """Whether nobody knows before it is asked that the range has ends at all."""
    low = within.low
    return isinstance(low, Call) and low.op.endswith(" from") and not isinstance(low.args[0], Const)


__all__ = ["begun", "ends", "may_be_anything"]
