"""One datum for all that are equal: as many as there are values, for one value and for whole columns."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as s

from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.types.sameness import alike, alike_column

NUMERIC = TypeRef(t.NUMERIC)
NUMBERS = s.one_of(
    s.sampled_from(["NaN", "Infinity", "-Infinity"]),
    s.builds(
        lambda sign, whole, part: t.input_text(f"{sign}{whole}{'.' + part if part else ''}", NUMERIC),
        s.sampled_from(["", "-"]),
        s.text("0123456789", min_size=1, max_size=40),
        s.text("0012", max_size=8),
    ),
)


def number(text: str) -> object:
    return "NaN" if text == "NaN" else Decimal(text)


@given(s.lists(NUMBERS, min_size=2, max_size=6))
def test_numerics_are_one_datum_just_where_they_are_equal(texts: list[str]) -> None:
    one, many = alike(NUMERIC), alike_column(NUMERIC)
    assert one is not None and many is not None
    made = [one(x) for x in texts]
    assert [number(x) for x in made] == [number(x) for x in texts]  # a value equal to the one given
    assert [one(x) for x in made] == made
    for a, x in zip(texts, made, strict=True):
        for b, y in zip(texts, made, strict=True):
            assert (x == y) == (number(a) == number(b))
    column = many(t.from_datums([*texts, None], NUMERIC))
    assert t.to_datums(column, NUMERIC) == [*made, None]


NUMERIC_ARRAY, RANGE = TypeRef(t.array_of(t.NUMERIC)), TypeRef(t.NUMRANGE)
EQUAL = [
    (TypeRef(t.INTERVAL), ["1 day", "24:00", "2 days -24:00"], "25:00"),
    (TypeRef(t.INTERVAL), ["1 mon", "30 days", "720:00"], "31 days"),
    (TypeRef(t.INTERVAL), ["-1 day", "-24:00", "1 mon -31 days"], "1 day"),
    (TypeRef(t.BPCHAR), ["a", "a  "], " a"),
    (TypeRef(t.CITEXT), ["aÉİ", "Aéi"], "aei"),
    (TypeRef(t.array_of(t.CITEXT)), ["{a,NULL}", "{A,NULL}"], "{a,B}"),
    (TypeRef(t.FLOAT8), ["0", "-0"], "1e-300"),
    (TypeRef(t.FLOAT4), ["0", "-0"], "1"),
    (TypeRef(t.JSONB), ['{"a": [1.0, "1.0"]}', '{"a": [1.00, "1.0"]}'], '{"a": [1.0, "1.00"]}'),
    (TypeRef(t.JSONB), [r'["\"1.0", 2.50]', r'["\"1.0", 2.5]'], r'["\"1.00", 2.5]'),
    (NUMERIC_ARRAY, ["{1.0,NULL}", "{1,NULL}"], "[0:1]={1,NULL}"),
    (TypeRef(t.array_of(t.FLOAT8)), ["{0,NaN}", "{-0,NaN}"], "{NaN,0}"),
    (TypeRef(t.array_of(t.INTERVAL)), ["{1 day}", "{24:00}"], "{25:00}"),
    (RANGE, ["[1.0,2.00)", "[1,2)"], "[1,2]"),
    (RANGE, ["[1.0,)", "[1,)"], "(,1.0]"),
    (TypeRef(t.NUMMULTIRANGE), ["{[1.0,2.00),[3,4.0)}", "{[1,2),[3.0,4)}"], "{[1,2)}"),
]


@pytest.mark.parametrize(("ref", "equal", "other"), EQUAL, ids=lambda v: str(v)[:30])
def test_equal_values_are_one_datum(ref: TypeRef, equal: list[str], other: str) -> None:
    one, many = alike(ref), alike_column(ref)
    assert one is not None and many is not None
    datums = [t.input_text(text, ref) for text in (*equal, other)]
    made = [one(d) for d in datums]
    assert made == [made[0]] * len(equal) + [made[-1]] and made[0] != made[-1]
    assert [one(d) for d in made] == made
    assert t.to_datums(many(t.from_datums([*datums, None], ref)), ref) == [*made, None]


def test_nothing_is_done_where_equal_values_are_equal_datums() -> None:
    for oid in (
        t.INT4,
        t.INT8,
        t.TEXT,
        t.DATE,
        t.TIMESTAMPTZ,
        t.UUID,
        t.BYTEA,
        t.INT4RANGE,
        t.array_of(t.TEXT),
    ):
        assert alike(TypeRef(oid)) is None and alike_column(TypeRef(oid)) is None
    assert alike(TypeRef(t.NUMERIC, (10 << 16) + 2 + 4)) is None  # of one scale
    assert alike(TypeRef(t.BPCHAR, 9)) is None  # of one width


def test_nan_is_no_key_of_floating_point_numbers() -> None:
    one = alike(TypeRef(t.FLOAT8))
    assert one is not None
    with pytest.raises(SqlError) as refused:
        one(float("nan"))
    assert refused.value.sqlstate == "0A000"
