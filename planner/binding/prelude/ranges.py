"""Python functions on ranges and multiranges, whose values are texts (see `planner.types.ranges`).

The first argument of each is the OID of the range type (of the multirange where only one takes part).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.binding.numerics import sort_key
from planner.types import ranges as r
from planner.types.facts import FIRST_USER_OID
from planner.types.orders import in_bytes
from planner.types.ranges import RangeType, Spans

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V, _L, _N, _B = "VARCHAR", "VARCHAR[]", "INTEGER", "BOOLEAN"
_TESTS: dict[str, Callable[[Spans, Spans], bool]] = {
    "&&": r.overlap,
    "@>": r.covers,
    "<@": lambda a, b: r.covers(b, a),
    "<<": r.before,
    ">>": lambda a, b: r.before(b, a),
    "&<": r.not_right_of,
    "&>": r.not_left_of,
    "-|-": r.adjacent,
}


def _type(oid: int) -> RangeType:
    found = t.sql_type(oid)
    assert isinstance(found, RangeType)
    return found


def _spans(oid: int, text: str) -> Spans:
    """A range or a multirange of the kind: which one, its text tells."""
    return (_spans_before if oid < FIRST_USER_OID and len(text) <= _SHORT else _spans_of)(oid, text)


def _spans_of(oid: int, text: str) -> Spans:
    found = _type(oid)
    read = t.text_input(TypeRef(found.kind.subtype.oid))
    return (r.read_multirange if text.startswith("{") else r.read_range)(text, found.kind, read)


_SHORT = 100
_spans_before = lru_cache(maxsize=4096)(_spans_of)
"""What a query asks of a range, it asks of the same one for many rows. Users' types change: an enum gets a label between two others."""


def _test(op: str, oid: int, a: str, b: str) -> bool:
    return _TESTS[op](_spans(oid, a), _spans(oid, b))


def _has(oid: int, text: str, element: str) -> bool:
    kind = _type(oid).kind
    value = t.input_text(element, TypeRef(kind.subtype.oid))
    return r.covers(_spans(oid, text), (r.Span(kind.end(value, False), kind.end(value, True)),))


def _combined(op: str, oid: int, a: str, b: str) -> str:
    """+, * and - of two ranges or two multiranges. Raises 22000 for a range that would have a gap."""
    found = _type(oid)
    x, y = _spans(oid, a), _spans(oid, b)
    made = r.united(x + y) if op == "+" else r.common(x, y) if op == "*" else r.without(x, y)
    if not found.multi and len(made) > 1:
        word = "union" if op == "+" else "difference"
        raise SqlError("22000", f"result of range {word} would not be contiguous")
    if op == "+" and not found.multi and x and y:
        made = (r.joint(x[0], y[0]),)
    return found.text(r.united(made) if found.multi else made)


def _merged(oid: int, a: str, b: str) -> str:
    x, y = _spans(oid, a), _spans(oid, b)
    return _type(oid).text((r.joint(x[0], y[0]),) if x and y else x + y)


def _hull(oid: int, a: str) -> str:
    return t.sql_type(_type(oid).kind.oid).text(r.hull(_spans(oid, a)))  # type: ignore[attr-defined,no-any-return]


def _bound(oid: int, text: str, high: bool) -> str | None:
    spans = _spans(oid, text)
    if not spans:
        return None
    end = spans[-1].high if high else spans[0].low
    return None if end.rank else t.output_text(end.value, TypeRef(_type(oid).kind.subtype.oid))


def _facts(oid: int, text: str, what: str) -> bool:
    spans = _spans(oid, text)
    if what == "empty":
        return not spans
    if not spans:
        return False
    low, high = spans[0].low, spans[-1].high
    if what == "lower_inc":
        return not low.rank and not low.side
    if what == "upper_inc":
        return not high.rank and bool(high.side)
    return bool(low.rank if what == "lower_inf" else high.rank)


_FLAGS = {"[]": (True, True), "[)": (True, False), "(]": (False, True), "()": (False, False)}


def _make(oid: int, bounds: Sequence[str | None], flags: Sequence[str | None]) -> str:
    found = _type(oid)
    if flags[0] is None:
        raise SqlError("22000", "range constructor flags argument must not be null")
    inclusive = _FLAGS.get(flags[0])
    if inclusive is None:
        raise SqlError(
            "42601", "invalid range bound flags", hint='Valid values are "[]", "[)", "(]", and "()".'
        )
    read = t.text_input(TypeRef(found.kind.subtype.oid))
    low, high = (None if b is None else read(b) for b in bounds)
    return found.text(found.kind.span(low, high, *inclusive))


def _collected(oid: int, parts: Sequence[str | None]) -> str:
    """A multirange of ranges or multiranges."""
    found = _type(oid)
    if None in parts:
        raise SqlError("22004", "multirange values cannot contain null members")
    return found.text(r.united([s for p in parts if p is not None for s in _spans(oid, p)]))


def _aggregated(oid: int, parts: Sequence[str | None]) -> str | None:
    """range_agg: NULLs are nothing, and so is what is made of them alone."""
    given = [p for p in parts if p is not None]
    return _collected(oid, given) if given else None


def _intersected(oid: int, parts: Sequence[str | None]) -> str | None:
    given = [_spans(oid, p) for p in parts if p is not None]
    if not given:
        return None
    made = given[0]
    for spans in given[1:]:
        made = r.common(made, spans)
    return _type(oid).text(made)


def _split(oid: int, text: str) -> list[str]:
    """The ranges of a multirange."""
    single = t.sql_type(_type(oid).kind.oid)
    assert isinstance(single, RangeType)
    return [single.text((s,)) for s in _spans(oid, text)]


def _key(oid: int, text: str) -> bytes:
    """Bytes in the order of ranges; equal ranges have equal bytes."""

    def end(e: r.End) -> bytes:
        if e.rank:
            return bytes((e.rank + 2,))
        return b"\2" + in_bytes(e.key, sort_key) + bytes((e.side,))

    return b"".join(b"\1" + end(s.low) + end(s.high) for s in _spans(oid, text))


def _shown(oid: int, text: str, zone: str, style: str, intervals: str) -> str:
    settings = dataclasses.replace(
        t.DEFAULT_SETTINGS, time_zone=zone, date_style=style, interval_style=intervals
    )
    return t.output_text(text, TypeRef(oid), settings)


def _read(oid: int, text: str, zone: str, style: str, intervals: str) -> str:
    settings = dataclasses.replace(
        t.DEFAULT_SETTINGS, time_zone=zone, date_style=style, interval_style=intervals
    )
    return str(t.input_text(text, TypeRef(oid), settings))


FUNCTIONS: list[Entry] = [
    ("tw_range_test", _test, (_V, _N, _V, _V), _B),
    ("tw_range_has", _has, (_N, _V, _V), _B),
    ("tw_range_compared", lambda oid, a, b: r.compared(_spans(oid, a), _spans(oid, b)), (_N, _V, _V), _N),
    ("tw_range_combined", _combined, (_V, _N, _V, _V), _V),
    ("tw_range_merged", _merged, (_N, _V, _V), _V),
    ("tw_range_hull", _hull, (_N, _V), _V),
    ("tw_range_bound", _bound, (_N, _V, _B), _V),
    ("tw_range_is", _facts, (_N, _V, _V), _B),
    ("tw_range_make", _make, (_N, _L, _L), _V),
    ("tw_range_collected", _collected, (_N, _L), _V),
    ("tw_range_agg", _aggregated, (_N, _L), _V),
    ("tw_range_intersect_agg", _intersected, (_N, _L), _V),
    ("tw_range_split", _split, (_N, _V), _L),
    ("tw_range_key", _key, (_N, _V), "BLOB"),
    ("tw_range_shown", _shown, (_N, _V, _V, _V, _V), _V),
    ("tw_range_read", _read, (_N, _V, _V, _V, _V), _V),
]
