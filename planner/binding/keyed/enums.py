"""Enums for the keyed engine: their labels are texts, equal where the texts are, and what is before a label is a list of labels.

    state = 'active'      the text is this one
    state < 'active'      the text is one of those that were declared before it: 'created', 'retry'

Job queues ask such things of each job: in conditions, CHECKs, WHEN of triggers, unique indexes over some rows. A plan is of one
catalog, and so are the labels that it names. Two columns of an enum are not compared by order here, nor with parameters. What is
computed (`CASE WHEN tries < 3 THEN 'retry' ELSE 'failed' END`), as a new row's column often is, is computed once and looked for in the list.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner import types as t
from planner.abc import Call, Col, Const, Expr, TypeRef
from planner.binding import ir

_TEXT: Final = TypeRef(t.TEXT)
_BOOL: Final = TypeRef(t.BOOL)
_AS_TEXTS: Final = {
    f"anyenum {op} anyenum": f"text {op} text"
    for op in ("=", "<>", "is distinct from", "is not distinct from")
}
_ORDERED: Final = {f"anyenum {op} anyenum": op for op in ("<", "<=", ">", ">=")}
_OTHER_WAY: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}
_LABELS_MAX: Final = 30
_NO_LABEL: Final = "\0"
"""No label, nor any other text, has this character in it."""


def expression(node: ir.Call, of: Callable[[ir.Node], Expr]) -> Expr | None:
    """A comparison of labels; None: it is none, or not one for the keyed engine. `of` says what its operands are; raises NotKeyed."""
    if node.op not in _AS_TEXTS and node.op not in _ORDERED:
        return None
    if any(t.labels_of(a.type.oid) is None for a in node.args):
        return None
    same = _AS_TEXTS.get(node.op)
    if same is not None:
        return Call(same, tuple(of(a) for a in node.args), _BOOL)
    a, b = node.args
    return _ordered(_ORDERED[node.op], a, b, of)


def _ordered(op: str, a: ir.Node, b: ir.Node, of: Callable[[ir.Node], Expr]) -> Expr | None:
    if isinstance(a, ir.Lit):
        a, b, op = b, a, _OTHER_WAY[op]
    labels = t.labels_of(a.type.oid) or ()
    if not isinstance(b, ir.Lit) or b.value not in labels:
        return None
    at = labels.index(b.value)
    found = labels[:at] if op[0] == "<" else labels[at + 1 :]
    wanted = (*found, b.value) if op.endswith("=") else found
    value = of(a)
    if isinstance(value, Const):
        return Const(None if value.value is None else value.value in wanted, _BOOL)
    if not isinstance(value, Col):
        labels_of_it = tuple(Const(x, _TEXT) for x in wanted)
        return Call("catalog among", (value, Call("catalog tuple", labels_of_it, _TEXT)), _BOOL)
    if len(wanted) > _LABELS_MAX:
        return None
    tests = tuple(Call("text = text", (value, Const(x, _TEXT)), _BOOL) for x in wanted or (_NO_LABEL,))
    return tests[0] if len(tests) == 1 else Call("or", tests, _BOOL)


__all__ = ["expression"]
