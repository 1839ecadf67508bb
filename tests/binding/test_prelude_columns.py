"""Comparing columns of numerics, and reckoning with them, gives what their values give."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planner.abc import SqlError
from planner.binding import numerics
from planner.binding.prelude import numbers, numeric_columns
from planner.binding.prelude.columns import BY_COLUMN, compare_numerics

NUMBERS = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False).map(numerics.text),
    st.sampled_from(
        [
            *("NaN", "Infinity", "-Infinity", "0", "0.00", "-0.0", "1", "1.00", "1" + "0" * 400),
            *("9007199254740993", "9007199254740992", "9007199254740992.0000000001", "0." + "0" * 340 + "1"),
            *("0.1", "0.1000000000000000055511151231257827", "0.1000000000000000055511151231257828"),
        ]
    ),
)
CELL = st.none() | NUMBERS


@example(
    [(a, b) for a in ("NaN", "Infinity", "1" + "0" * 400, "7") for b in ("NaN", "-Infinity", None, "7.0")]
)
@given(st.lists(st.tuples(CELL, CELL), max_size=20))
def test_columns_compare_as_their_values_do(pairs: list[tuple[str | None, str | None]]) -> None:
    columns = [pa.array([pair[i] for pair in pairs], pa.string()) for i in (0, 1)]
    expected = [
        None if a is None or b is None else numerics.compare(Decimal(a), Decimal(b)) for a, b in pairs
    ]
    assert compare_numerics(*columns).to_pylist() == expected
    cut = [pa.chunked_array([c.slice(0, 7), c.slice(7)], pa.string()) for c in columns]
    assert compare_numerics(*cut).to_pylist() == expected


def test_values_are_looked_at_only_where_columns_do_not_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Decimal, Decimal]] = []
    original = numerics.compare

    def compare(a: Decimal, b: Decimal) -> int:
        seen.append((a, b))
        return original(a, b)

    monkeypatch.setattr(numerics, "compare", compare)
    left = pa.array(["1.5", "2.00", "3", None, "4.0"])
    right = pa.array(["1.4999999", "2.00", "3.1", "1", "4"])
    assert compare_numerics(left, right).to_pylist() == [1, 0, -1, None, 0]
    assert seen == [(Decimal("4.0"), Decimal("4"))]


# --- arithmetic -------------------------------------------------------------------------------------

BY_VALUE = {name: function for name, function, *_ in numbers.FUNCTIONS}
SHORT = st.builds(
    lambda n, s: numerics.text(Decimal(n).scaleb(-s)), st.integers(-(10**18), 10**18), st.integers(0, 20)
)
EDGES = st.sampled_from(
    [
        *("0", "0.0", "0.5", "-0.5", "-0.49", "1.5", "2.5", "-2.5", "9.995", "-9.995", "999999999999999999"),
        *(
            "-999999999999999999",
            "999999999999999.999",
            "0.00000000000000001",
            "-0.0000000000000001",
            "3000000000.5",
        ),
        *("2147483647.4", "2147483647.5", "-2147483648.5", "-2147483648.4", "32767.5", "9223372036854775807"),
        *(
            "9223372036854775808",
            "922337203685477580.7",
            "1" + "0" * 40,
            "0." + "0" * 40 + "1",
            "NaN",
            "-Infinity",
        ),
    ]
)
PADDED = st.builds(lambda v, n: v + ("" if "." in v else ".") + "0" * n, SHORT, st.integers(1, 25))
ANY = st.none() | SHORT | EDGES | PADDED | NUMBERS
PLACES = st.none() | st.integers(-3, 25)


def _values(name: str, rows: list[tuple[object, ...]]) -> list[object] | str:
    """What the function of values makes of each row, or the error that the first raises which raises one."""
    try:
        return [None if None in row else BY_VALUE[name](*row) for row in rows]
    except SqlError as e:
        return f"{e.sqlstate} {e.message}"


def _columns(name: str, rows: list[tuple[object, ...]], kinds: tuple[pa.DataType, ...]) -> list[object] | str:
    columns = [pa.array([row[i] for row in rows], kind) for i, kind in enumerate(kinds)]
    try:
        found: list[object] = BY_COLUMN[name](*columns).to_pylist()
    except SqlError as e:
        return f"{e.sqlstate} {e.message}"
    return found


@pytest.mark.parametrize("name", ["tw_num_add", "tw_num_sub", "tw_num_mul", "tw_num_div"])
@given(rows=st.lists(st.tuples(ANY, ANY), max_size=12))
def test_columns_are_reckoned_as_their_values_are(name: str, rows: list[tuple[object, ...]]) -> None:
    assert _columns(name, rows, (pa.string(), pa.string())) == _values(name, rows)


@given(rows=st.lists(st.tuples(ANY, st.none() | st.integers(1, 1 << 40)), max_size=12))
@example([("2", 3), ("-2.00", 3), ("0.00", 7), ("99999999999999.99", 100_000), ("1", 9_000_000_001)])
def test_columns_of_means(rows: list[tuple[object, ...]]) -> None:
    assert _columns("tw_num_avg", rows, (pa.string(), pa.int64())) == _values("tw_num_avg", rows)


@pytest.mark.parametrize(
    "name",
    ["tw_num_key", "tw_num_neg", "tw_num_abs", "tw_num_floor", "tw_num_ceil", "tw_num_int2", "tw_num_int4", "tw_num_int8", "tw_num_float8"],
)  # fmt: skip
@given(rows=st.lists(st.tuples(ANY), max_size=12))
def test_columns_of_one_argument(name: str, rows: list[tuple[object, ...]]) -> None:
    found, wanted = _columns(name, rows, (pa.string(),)), _values(name, rows)
    assert str(found) == str(wanted)  # NaN is not equal to itself


@pytest.mark.parametrize("name", ["tw_num_round", "tw_num_trunc"])
@given(rows=st.lists(st.tuples(ANY, PLACES), max_size=12))
def test_columns_cut_to_places(name: str, rows: list[tuple[object, ...]]) -> None:
    assert _columns(name, rows, (pa.string(), pa.int32())) == _values(name, rows)


@given(rows=st.lists(st.tuples(st.none() | st.floats() | st.floats(-1e6, 1e6)), max_size=12))
@example([(0.0,), (-0.0,), (1e-4,), (9.9e-5,), (1e15,), (999999999999999.4,), (999999999999999.9,), (-1e15,)])
def test_columns_of_doubles(rows: list[tuple[object, ...]]) -> None:
    assert _columns("tw_num_from_float8", rows, (pa.float64(),)) == _values("tw_num_from_float8", rows)


QUOTIENTS = st.builds(
    lambda a, b: numerics.text(numerics.divide(Decimal(a), Decimal(b))),
    st.integers(-(10**9), 10**9),
    st.integers(1, 999),
)


@given(
    rows=st.lists(
        st.tuples(st.none() | st.lists(st.none() | SHORT | QUOTIENTS | EDGES, max_size=6)), max_size=6
    )
)
@example(
    [
        (["1.5", None, "0.00"],),
        ([],),
        (None,),
        ([None],),
        (["-33.3333333333333333", "0.00000000000000000001"],),
    ]
)
@example([(["999999999.9", "-999999999.99"],), (["1000000000"],)])
def test_lists_are_added_up_as_their_values_are(rows: list[tuple[object, ...]]) -> None:
    assert _columns("tw_num_sum", rows, (pa.list_(pa.string()),)) == _values("tw_num_sum", rows)


@given(
    st.lists(SHORT.filter(lambda v: len(v) <= 22 and abs(Decimal(v)) < 10**9), max_size=6),
    st.lists(st.none() | SHORT | EDGES, max_size=4),
)
def test_what_was_added_up_is_added_to_others(added: list[str], others: list[str | None]) -> None:
    total = sum(map(Decimal, added), Decimal("0." + "0" * 20))
    scale = max((numerics.scale_of(Decimal(v)) for v in added), default=0)
    found = numerics.totalled(format(total, "f") if added else "", scale, others)
    assert found == numerics.total([*added, *others])


def test_short_numbers_are_not_looked_at_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numerics, "multiply", None)
    product = numeric_columns.by_column(BY_VALUE)["tw_num_mul"]
    a, b = pa.array(["1.50", None, "-2", "0.001", "0.00"]), pa.array(["2", "1", "0.25", "0.001", "-3.5"])
    assert product(a, b).to_pylist() == ["3.00", None, "-0.50", "0.000001", "0.000"]
