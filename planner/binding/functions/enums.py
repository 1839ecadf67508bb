"""Enums: equal where their labels are, ordered as the labels are declared. Comparisons of composite values as well."""

from __future__ import annotations

from planner import types as t
from planner.abc import PlanError
from planner.binding import ir
from planner.binding.comparable import comparable
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, quote_text, sql
from planner.binding.functions.registry import implements, register


def _ordered(op: str) -> None:
    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        ref = call.args[0].type
        if op in ("=", "<>") and t.composite_fields(ref.oid) is None:
            return sql("(", args[0], f" {op} ", args[1], ")")
        test = sql("(", comparable(args[0], ref), f" {op} ", comparable(args[1], ref), ")")
        # DuckDB makes one BETWEEN of two bounds, and has none for structs.
        bound = op not in ("=", "<>") and t.composite_fields(ref.oid) is not None
        return sql("(", test, " <> false)") if bound else test

    register(f"anyenum {op} anyenum", made)


def _told_apart(op: str) -> None:
    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        keys = [
            sql("CASE WHEN ", x, " IS NOT NULL THEN ", comparable(x, call.args[0].type), " END") for x in args
        ]
        return sql("(", keys[0], f" {op.upper()} ", keys[1], ")")

    register(f"anyenum {op} anyenum", made)


for _op in ("=", "<>", "<", "<=", ">", ">="):
    _ordered(_op)
_told_apart("is distinct from")
_told_apart("is not distinct from")


def _of(call: ir.Call) -> int:
    """The enum that is asked about."""
    for node in call.args:
        if t.labels_of(node.type.oid) is not None:
            return node.type.oid
    raise PlanError("42804", "could not determine actual enum type")


def _labels(call: ir.Call) -> tuple[str, ...]:
    return t.labels_of(_of(call)) or ()


def _list(labels: tuple[str, ...]) -> str:
    return f"CAST([{', '.join(map(quote_text, labels))}] AS VARCHAR[])"


@implements("enum_first(anyenum)", "enum_last(anyenum)")
def _end(_emitter: Emitter, call: ir.Call, _args: list[Frag]) -> Frag:
    labels = _labels(call)
    if not labels:
        raise PlanError("55000", f"enum {t.type_in_words(_of(call))} contains no values")
    label = labels[0] if call.op.startswith("enum_first") else labels[-1]
    t.refuse_unsafe(_of(call), (label,))
    return sql(quote_text(label))


@implements("enum_range(anyenum)")
def _range(_emitter: Emitter, call: ir.Call, _args: list[Frag]) -> Frag:
    t.refuse_unsafe(_of(call), _labels(call))
    return sql(_list(_labels(call)))


@implements("enum_range(anyenum, anyenum)")
def _between(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    t.refuse_unsafe(_of(call), _labels(call))
    labels = _list(_labels(call))
    low = sql("coalesce(list_position(", labels, ", ", args[0], "), 1)")
    high = sql("coalesce(list_position(", labels, ", ", args[1], f"), len({labels}))")
    return sql("list_slice(", labels, ", ", low, ", ", high, ")")
