"""What stands for a value where DuckDB itself compares: in sorting, grouping, DISTINCT and set operations.

Most types compare in DuckDB as in PostgreSQL. For the others a key does: numerics kept as text, char(n) whose
padding does not count, jsonb, inet, ranges, arrays, composites, enums by the order of their labels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding.collating import equality_key
from planner.binding.evaluation import let
from planner.binding.facts import range_subtype, type_name
from planner.binding.fragments import ARRAY_TEXT, Frag, Item, join, sql
from planner.binding.numeric_forms import column_form
from planner.types.geometry import GEOMETRIC
from planner.types.orders import UNORDERED

_WITHOUT_EQUALITY: Final = GEOMETRIC | {
    t.JSON,
    t.JSONPATH,
    t.XML,
    t.REFCURSOR,
    t.VOID,
    t.PG_SNAPSHOT,
    t.TXID_SNAPSHOT,
    t.LQUERY,
    t.LTXTQUERY,
    t.QUERY_INT,
}
"""Types of which no operator says in a way that sorting and hashing could use whether two values are equal."""


def _is_unequal(ref: TypeRef) -> bool:
    return ref.oid in _WITHOUT_EQUALITY


def refuse_unequal(ref: TypeRef, position: int = 0) -> None:
    """Raises 42883 for what nothing groups by, and for arrays and composite values of it."""
    from planner.binding.records import fields_of, told_type

    if ref.oid == t.RECORD:
        fields, ref = fields_of(ref) or (), told_type(ref)
    else:
        fields = t.composite_fields(ref.oid) or ()
    inside = any(_is_unequal(field) for _, field in fields) or _is_unequal(TypeRef(t.element_of(ref.oid)))
    if inside or _is_unequal(ref):
        shown = t.format_type(ref)
        raise PlanError(
            "42883", f"could not identify an equality operator for type {shown}", position=position
        )


def refuse_unordered(ref: TypeRef, position: int = 0) -> None:
    """Raises 42883 for what nothing sorts by."""
    if ref.oid in UNORDERED:
        raise PlanError(
            "42883",
            f"could not identify an ordering operator for type {t.format_type(ref)}",
            hint="Use an explicit ordering operator or modify the query.",
            position=position,
        )


def comparable(frag: Frag, ref: TypeRef, collation: str = "") -> Frag:
    """What stands for a value where values are compared by DuckDB itself: sort, group, distinct, set operations.

    `collation`: that of the value, where it is none that tells texts apart by their bytes.
    """
    if collation:
        return equality_key(frag, collation, ref)
    if ref.oid == t.NUMERIC and frag.form is None:
        return sql("tw_num_key(", frag, ")")
    if ref.oid == t.BPCHAR and ref.typmod < 0:
        return sql("rtrim(", frag, ", ' ')")  # of one width they are equal as they are
    if ref.oid == t.CITEXT:
        return sql("lower(", frag, ")")
    if ref.oid == t.JSONB:
        return sql("tw_jsonb_key(", frag, ")")
    if ref.oid in (t.INET, t.CIDR):
        return sql("tw_inet_key(", frag, ")")
    if ref.oid == t.TIMETZ:
        return sql("tw_timetz_key(", frag, ")")
    if range_subtype(type_name(ref.oid)):
        return sql("tw_range_key(", str(ref.oid), ", ", frag, ")")
    if frag.form == ARRAY_TEXT:
        from planner.binding.dimensions import array_key

        return sql("CASE WHEN ", frag, " IS NOT NULL THEN ", array_key(frag, ref), " END")
    if t.element_of(ref.oid) and ref.oid != t.RECORD_ARRAY:
        inner = comparable(sql("tw_x"), TypeRef(t.element_of(ref.oid)))
        return frag if inner.text == "tw_x" else sql("list_transform(", frag, ", lambda tw_x: ", inner, ")")
    fields = t.composite_fields(ref.oid)
    if fields:
        return composite_key(frag, fields)
    if t.labels_of(ref.oid) is not None:
        before, after = t.enum_order(ref.oid)
        return sql(before, frag, after)
    if ref.oid == t.HSTORE:
        return sql("tw_hstore_key(", frag, ")")
    if ref.oid == t.VECTOR:
        return sql("tw_vector_items(", frag, ")")
    if ref.oid == t.TSVECTOR:
        return sql("tw_tsvector_key(", frag, ")")
    if ref.oid == t.TSQUERY:
        return sql("tw_tsquery_key(", frag, ")")
    refuse_unequal(ref)
    return frag


def composite_key(frag: Frag, fields: Sequence[tuple[str, TypeRef]]) -> Frag:
    """What compares as composite values do: field by field."""
    from planner.binding.functions.value_texts import stored_value

    items: list[Item] = []
    for i, (_, ref) in enumerate(fields):
        plain = TypeRef(ref.oid)
        cell = sql("tw_record_item(tw_c, ", str(i), ")")
        form = column_form(plain)
        value = cell.with_form(form) if form == ARRAY_TEXT else stored_value(cell, plain)
        items += [", " if i else "", f"f{i} := ", comparable(value, plain)]
    made = sql("struct_pack(", *items, ")")
    return let("tw_c", frag, sql("CASE WHEN tw_c IS NOT NULL THEN ", made, " END"))


def padded_extreme(op: str, frags: Sequence[Frag]) -> Frag:
    """`greatest` and `least` of char(n): by the text without its padding, the first among equals, as it was padded.

    DuckDB compares one text for each value: what counts, a zero byte (no text has one, and it is below all), the value's
    place, and the value itself, which is taken out again.
    """
    items: list[Item] = [f"substring(split_part({op}("]
    for i, frag in enumerate(frags):
        place = f"{len(frags) - i if op == 'greatest' else i:06d}"
        items += [", " if i else "", "rtrim(", frag, f", ' ') || chr(0) || '{place}' || ", frag]
    return sql(*items, "), chr(0), 2), 7)")


def plain_extreme(op: str, frags: Sequence[Frag]) -> Frag:
    """`greatest` and `least` of two at a time: of three columns that have one name DuckDB makes names of arguments where it reads a
    query twice, and refuses them.
    """
    if len(frags) <= 2:
        return sql(f"{op}(", join(", ", frags), ")")
    middle = len(frags) // 2
    return sql(f"{op}(", plain_extreme(op, frags[:middle]), ", ", plain_extreme(op, frags[middle:]), ")")


def keyed_extreme(op: str, frags: Sequence[Frag], ref: TypeRef) -> Frag | None:
    """`greatest` and `least` by what stands for the values, the first among equals; None where DuckDB compares the values alike."""
    value = sql("tw_v", form=frags[0].form)
    if ref.oid != t.INTERVAL and not needs_key(value, ref):
        return None
    place = "-tw_i" if op == "greatest" else "tw_i"
    packed = sql("struct_pack(k := ", comparable(value, ref), f", n := {place}, v := tw_v)")
    made = sql(
        "list_transform([", join(", ", frags), "], lambda tw_v, tw_i: CASE WHEN tw_v IS NOT NULL THEN "
    )
    which = "max" if op == "greatest" else "min"
    return sql(f"list_{which}(", made, packed, " END)).v", form=frags[0].form)


def needs_key(frag: Frag, ref: TypeRef, collation: str = "") -> bool:
    if collation:
        return True
    if ref.oid == t.NUMERIC:
        return frag.form is None
    if frag.form == ARRAY_TEXT or range_subtype(type_name(ref.oid)) or t.composite_fields(ref.oid):
        return True
    if ref.oid in (t.INET, t.CIDR, t.TIMETZ, t.JSONB, t.CITEXT, t.TSVECTOR, t.TSQUERY, t.HSTORE, t.VECTOR):
        return True
    if t.element_of(ref.oid) and ref.oid != t.RECORD_ARRAY:
        return needs_key(Frag(()), TypeRef(t.element_of(ref.oid)))
    return (ref.oid == t.BPCHAR and ref.typmod < 0) or t.labels_of(ref.oid) is not None
