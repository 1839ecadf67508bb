"""What SQL/XML builds: elements with attributes, forests of columns, instructions; what it tests and takes apart.

    xmlelement('a', xmlattributes(x, 'b'), y)     '<a' || ' b="..."' || '>' || y as XML || '</a>'

The grammar's words have become arguments already (`planner.parse.xml_forms`). Each value becomes XML by its type: texts are escaped,
dates and times have the form of XML Schema, xml stays as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.naming import function_name, identifier
from planner.parse import position as first_position
from planner.types import xml_making

if TYPE_CHECKING:
    from planner.binding.calls import CallBinder
    from planner.binding.scope import Scope

_XML, _TEXT = TypeRef(t.XML), TypeRef(t.TEXT)
NAMES: Final = frozenset(
    ("xmlelement", "xmlforest", "xmlpi", "xmlroot", "xmlparse", "xmlserialize", "xmlconcat", "xmlattributes")
)
_NO_VALUES: Final = (t.BYTEA, t.RECORD, t.RECORD_ARRAY)
SERIALIZED: Final = (t.TEXT, t.VARCHAR, t.BPCHAR)


def bound(calls: CallBinder, node: exp.Expression, scope: Scope) -> ir.Node | None:
    """One of these calls; None for every other one. Raises 42601, 0A000."""
    if not isinstance(node, exp.Anonymous):
        return None
    called = function_name(node)
    if called not in NAMES:
        return None
    args, position = list(node.expressions), first_position(node)
    if called == "xmlelement":
        return _element(calls, args, scope, position)
    if called == "xmlforest":
        labels, values = _labelled(calls, args, scope, "element")
        return ir.Call(_XML, "xml forest", (*_lits(labels), *values), False, position)
    if called == "xmlconcat":
        made = tuple(_as(calls, a, _XML, scope, called) for a in args)
        return ir.Call(_XML, "xml concat", made, False, position)
    if called == "xmlpi":
        target = xml_making.instruction_target(str(args[0].this))
        rest = tuple(_as(calls, a, _TEXT, scope, called) for a in args[1:])
        return ir.Call(_XML, "xml pi", (*_lits([target]), *rest), False, position)
    if called == "xmlroot":
        standalone = _lits([str(args[2].this) if len(args) > 2 else ""])
        version = _as(calls, args[1], _TEXT, scope, called)
        return ir.Call(
            _XML,
            "xml root",
            (_as(calls, args[0], _XML, scope, called), version, *standalone),
            False,
            position,
        )
    if called == "xmlattributes":
        raise PlanError("42601", 'syntax error at or near "xmlattributes"', position=position)
    kind = _lits([str(args[0].this)])
    if called == "xmlparse":
        kind += _lits([str(args[2].this)])
        return ir.Call(_XML, "xml parse", (_as(calls, args[1], _TEXT, scope, called), *kind), False, position)
    return ir.Call(_TEXT, "xml serialize", (_as(calls, args[1], _XML, scope, called), *kind), False, position)


def _lits(texts: Sequence[str]) -> tuple[ir.Lit, ...]:
    return tuple(ir.Lit(_TEXT, x) for x in texts)


def _as(calls: CallBinder, node: exp.Expression, target: TypeRef, scope: Scope, called: str) -> ir.Node:
    value = calls.bind(node, scope)
    made = calls.coercions.try_coerce(value, target, "i", first_position(node))
    if made is None:
        kind = t.type_in_words(value.type.oid)
        raise PlanError(
            "42804",
            f"argument of {called.upper()} must be type {t.format_type(target)}, not type {kind}",
            position=first_position(node),
        )
    return made


def _value(calls: CallBinder, node: exp.Expression, scope: Scope) -> ir.Node:
    value = calls.bind(node, scope)
    value = calls.coercions.known(value)
    if value.type.oid in _NO_VALUES or t.element_of(value.type.oid):
        kind = t.type_in_words(value.type.oid)
        raise PlanError(
            "0A000", f"values of type {kind} within XML are not supported", position=first_position(node)
        )
    return value


def _element(calls: CallBinder, args: list[exp.Expression], scope: Scope, position: int) -> ir.Node:
    label = xml_making.name(str(args[0].this))
    rest = args[1:]
    attributes: ir.Node = ir.Lit(_TEXT, "")
    if rest and isinstance(rest[0], exp.Anonymous) and function_name(rest[0]) == "xmlattributes":
        labels, values = _labelled(calls, list(rest[0].expressions), scope, "attribute")
        attributes = ir.Call(_TEXT, "xml attributes", (*_lits(labels), *values), False, position)
        rest = rest[1:]
    content = tuple(_value(calls, a, scope) for a in rest)
    return ir.Call(_XML, "xml element", (ir.Lit(_TEXT, label), attributes, *content), False, position)


def _labelled(
    calls: CallBinder, args: list[exp.Expression], scope: Scope, what: str
) -> tuple[list[str], list[ir.Node]]:
    labels: list[str] = []
    values: list[ir.Node] = []
    for value, label in zip(args[::2], args[1::2], strict=True):
        if isinstance(label, exp.Literal):
            said = xml_making.name(str(label.this))
        elif isinstance(value, exp.Column):
            said = xml_making.name(identifier(value.this), of_column=True)
        else:
            raise PlanError(
                "42601",
                f"unnamed XML {what} value must be a column reference",
                position=first_position(value),
            )
        if what == "attribute" and said in labels:
            raise PlanError(
                "42601",
                f'XML attribute name "{said}" appears more than once',
                position=first_position(value),
            )
        labels.append(said)
        values.append(_value(calls, value, scope))
    return labels, values


__all__ = ["NAMES", "bound"]
