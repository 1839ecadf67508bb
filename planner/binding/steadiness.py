"""Conversions and operators whose answer depends on the session: TimeZone, DateStyle, IntervalStyle, the search path.

    CREATE INDEX ON t ((made::date))        made timestamptz     42P17: which day it is depends on TimeZone
    ... GENERATED ALWAYS AS (d::text)       d date               42P17: how it is written depends on DateStyle

Functions say so of themselves (`Proc.volatility`). A conversion is one by a function of pg_cast, or goes by way of the
types' text forms, which are as steady as what reads and writes them; an operator is as steady as its function.

Source: PostgreSQL's pg_cast, pg_operator and pg_type joined with pg_proc.provolatile; `contain_mutable_functions`.
"""

from __future__ import annotations

from typing import Final

from planner import types as t
from planner.binding import ir
from planner.binding.clauses import refuse_unsteady

_BY_FUNCTION: Final = frozenset(
    (
        (t.MONEY, t.NUMERIC), (t.NUMERIC, t.MONEY), (t.INT4, t.MONEY), (t.INT8, t.MONEY), (t.TEXT, t.REGCLASS),
        (t.VARCHAR, t.REGCLASS), (t.DATE, t.TIMESTAMPTZ), (t.TIME, t.TIMETZ), (t.TIMESTAMP, t.TIMESTAMPTZ),
        (t.TIMESTAMPTZ, t.DATE), (t.TIMESTAMPTZ, t.TIME), (t.TIMESTAMPTZ, t.TIMESTAMP), (t.TIMESTAMPTZ, t.TIMETZ),
        (t.TEXT, t.XML), (t.VARCHAR, t.XML), (t.BPCHAR, t.XML),
    )
)  # fmt: skip
_REGISTERED: Final = frozenset(
    (t.REGPROC, t.REGPROCEDURE, t.REGOPER, t.REGOPERATOR, t.REGCLASS, t.REGTYPE, t.REGCONFIG, t.REGDICTIONARY,
     t.REGNAMESPACE, t.REGROLE, t.REGCOLLATION)
)  # fmt: skip
_WRITTEN: Final = _REGISTERED | {t.MONEY, t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ, t.INTERVAL}
_READ: Final = _WRITTEN | {t.XML, t.TIME, t.TIMETZ}
_STRINGS: Final = frozenset((t.TEXT, t.VARCHAR, t.BPCHAR, t.NAME, t.CITEXT))
_OPERATORS: Final = frozenset(
    (
        "timestamptz + interval", "timestamptz - interval", "interval + timestamptz",
        "text @@ text", "text @@ tsquery",
        *(
            f"{a} {op} {b}"
            for a, b in (("date", "timestamptz"), ("timestamptz", "date"), ("timestamp", "timestamptz"), ("timestamptz", "timestamp"))
            for op in ("<", "<=", "=", ">=", ">", "<>")
        ),
    )
)  # fmt: skip


def refuse_unsteady_within(node: ir.Node, clause: str) -> None:
    """Raises 42P17 for a conversion or operator in an expression whose answer must be the same forever."""
    if any(_is_unsteady(n) for n in ir.walk(node)):
        refuse_unsteady(clause)


def _is_unsteady(node: ir.Node) -> bool:
    if isinstance(node, ir.Call):
        if node.op in ("text || anynonarray", "anynonarray || text"):
            other = node.args[node.op.startswith("text")]
            return _is_written_unsteadily(other.type.oid)
        return node.op in _OPERATORS
    if not isinstance(node, ir.Cast) or isinstance(node.arg, ir.Lit):
        return False  # a literal has been read by now
    a, b = node.arg.type.oid, node.type.oid
    if (a, b) in _BY_FUNCTION:
        return True
    if b in _STRINGS and a not in _STRINGS:
        return _is_written_unsteadily(a)
    if a in _STRINGS and b not in _STRINGS:
        return b in _READ or _is_made_of_others(b)
    return False


def _is_written_unsteadily(oid: int) -> bool:
    return oid in _WRITTEN or _is_made_of_others(oid)


def _is_made_of_others(oid: int) -> bool:
    """Of arrays, composites, ranges and enums PostgreSQL takes the text forms for unsteady, whatever they are made of."""
    return (
        bool(t.element_of(oid))
        or t.composite_fields(oid) is not None
        or oid == t.RECORD
        or (oid in t.BY_OID and t.BY_OID[oid].typtype in "rme")
    )
