"""Quotients that DuckDB's integers make are those of `numerics.divide`: value, scale, sign, text."""

from __future__ import annotations

import decimal
import itertools
import random
from decimal import Decimal

import duckdb
import pytest

from planner.binding import numerics
from planner.binding.fragments import sql
from planner.binding.numeric_forms import SMALL_DIGITS_MAX, quotient_fits, unscaled
from planner.binding.prelude import installation as prelude

EXACT = decimal.Context(prec=99)
FORMS = [
    (form_a, form_b)
    for form_a, form_b in itertools.product(
        [(1, 0), (5, 2), (10, 0), (12, 12), (15, 2), (15, 15), (19, 0), (18, 9), (28, 9), (30, 7)],
        [(1, 0), (2, 1), (9, 9), (10, 0), (15, 2), (15, 15), (17, 0), (17, 8), (17, 17)],
    )
    if quotient_fits(form_a, form_b)
]


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect()
    prelude.install(made)
    return made


def _numbers(rng: random.Random, digits: int) -> list[int]:
    """Of all lengths, and those at which something turns."""
    edges = [n for i in range(digits) for n in (10**i - 1, 10**i, 10**i + 1)]
    some = [rng.randrange(10 ** rng.randint(1, digits)) for _ in range(60)]
    return [n * s for n in rng.sample([*edges, 10**digits - 1, *some], 40) if n < 10**digits for s in (1, -1)]


def _number(n: int, form: tuple[int, int]) -> Decimal:
    return Decimal(n).scaleb(-form[1], EXACT)


@pytest.mark.parametrize(("a", "b"), FORMS, ids=str)
def test_quotients(connection: duckdb.DuckDBPyConnection, a: tuple[int, int], b: tuple[int, int]) -> None:
    rng = random.Random(str((a, b)))
    pairs = list(zip(_numbers(rng, a[0]) * 2, _numbers(rng, b[0]) * 2, strict=False))
    pairs += [(10 ** a[0] - 1, 1), (10 ** a[0] - 1, 10 ** b[0] - 1), (1, 10 ** b[0] - 1), (0, 10 ** b[0] - 1)]
    pairs = [(x, y) for x, y in pairs if y]
    small = max(a[0], b[0]) <= SMALL_DIGITS_MAX
    name, integer = ("tw_small_quotient", "BIGINT") if small else ("tw_quotient", "HUGEINT")
    top, bottom = (unscaled(sql(c, form=f), integer).text for c, f in (("a", a), ("b", b)))
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE q (n INTEGER, a DECIMAL({a[0]},{a[1]}), b DECIMAL({b[0]},{b[1]}))"
    )
    values = ", ".join(f"({i}, {_number(x, a):f}, {_number(y, b):f})" for i, (x, y) in enumerate(pairs))
    connection.execute(f"INSERT INTO q VALUES {values}")
    found = connection.execute(f"SELECT {name}({top}, {a[1]}, {bottom}, {b[1]}) FROM q ORDER BY n").fetchall()
    wanted = [numerics.text(numerics.divide(_number(x, a), _number(y, b))) for x, y in pairs]
    assert [row[0] for row in found] == wanted


def test_nulls_and_zero(connection: duckdb.DuckDBPyConnection) -> None:
    for name in ("tw_quotient", "tw_small_quotient"):
        assert connection.execute(f"SELECT {name}(NULL, 0, 1, 0), {name}(1, 0, NULL, 0)").fetchall() == [
            (None, None)
        ]
        with pytest.raises(duckdb.Error, match=r"\[22012\] division by zero"):
            connection.execute(f"SELECT {name}(x, 0, x - 1, 0) FROM range(1, 2) t(x)").fetchall()


@pytest.mark.parametrize(
    "text",
    [
        "0",
        "1.5",
        "0.1",
        "123456789.123456789123",
        "9" * 99,
        "-" + "9" * 300,
        "NaN",
        "Infinity",
        "-Infinity",
    ],
)
def test_floats_of_numerics(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    def made(function: str) -> str:
        try:
            return str(
                connection.execute(
                    f"SELECT CAST({function}(x) AS VARCHAR) FROM (SELECT ? AS x)", [text]
                ).fetchall()
            )
        except duckdb.Error as e:
            return "22003" if "out of range" in str(e) else str(e)

    assert made("tw_num_double") == made("tw_num_float8")
