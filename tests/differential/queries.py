"""Statements by grammar: over the table `x`, its rows in `ROWS`, from the expressions of `expressions`."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.differential.expressions import COLUMNS, aggregates, expression

KINDS = tuple(COLUMNS)
TABLE = (
    "k int4; i int4; j int4; b int8; s int2; n numeric; m numeric(10,2); f float8; t text; u varchar(10); p bool; q bool; "
    "d date; ts timestamp; iv interval"
)
ROWS = (
    ("1", "1", "2", "10", "3", "1.50", "2.25", "0.5", "abc", "B", "t", "f", "2024-02-29", "2024-02-29 12:34:56", "1 day"),
    ("2", "0", "-7", "-5", "0", "0", "0.00", "0", "", "a", "f", "f", "2000-01-01", "1999-12-31 23:59:59.5", "-2 hours"),
    ("3", None, "100", None, "-1", None, "-99.99", None, None, "aB c", None, "t", None, None, None),
    ("4", "2147483647", "1", "9223372036854775807", "32767", "-3.14159", None, "1e10", "12", None, "t", None, "1970-01-01", "2023-06-15 00:00:00", "3 mons"),
    ("5", "1", None, "10", None, "1.5", "2.25", "-2.25", "ABC", "B", "f", "t", "2024-02-29", "2024-02-29 12:34:56", "1 day"),
    ("6", "-12", "3", "0", "7", "1000000.001", "12.50", "3", "xyzzy", "", None, None, "1987-06-05", "1987-06-05 04:03:02", "1 year 2 mons 3 days 04:05:06"),
)  # fmt: skip
some = st.sampled_from(KINDS)


def scalars(depth: int) -> st.SearchStrategy[str]:
    """SELECT of expressions over each row."""
    return some.flatmap(lambda k: expression(k, depth)).map(lambda e: f"SELECT k, {e} AS v FROM x ORDER BY k")


def filtered(depth: int) -> st.SearchStrategy[str]:
    return expression("bool", depth).map(lambda e: f"SELECT k FROM x WHERE {e} ORDER BY k")


def grouped(depth: int) -> st.SearchStrategy[str]:
    keys = st.sampled_from(("int4", "text", "bool", "date", "numeric")).flatmap(lambda k: expression(k, 1))
    return st.tuples(keys, aggregates(depth), aggregates(depth)).map(
        lambda x: f"SELECT {x[0]} AS g, {x[1]} AS a, {x[2]} AS b FROM x GROUP BY {x[0]} ORDER BY 1, 2, 3"
    )


def whole(depth: int) -> st.SearchStrategy[str]:
    return aggregates(depth).map(lambda a: f"SELECT {a} AS a FROM x")


def ordered(depth: int) -> st.SearchStrategy[str]:
    suffix = st.sampled_from(("", " DESC", " NULLS FIRST", " DESC NULLS LAST"))
    kinds = st.sampled_from(("int4", "numeric", "float8", "text", "bool", "date", "timestamp"))
    return st.tuples(kinds.flatmap(lambda k: expression(k, depth)), suffix).map(
        lambda x: f"SELECT k FROM x ORDER BY {x[0]}{x[1]}, k"
    )


def combined(depth: int) -> st.SearchStrategy[str]:
    """Set operations, whose columns find a type that both sides have."""
    pairs = st.sampled_from(
        (("int4", "int4"), ("int4", "int8"), ("int4", "numeric"), ("numeric", "float8"), ("text", "text"), ("date", "timestamp"), ("bool", "bool"), ("numeric", "numeric"))
    )  # fmt: skip
    words = st.sampled_from(("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"))
    sides = pairs.flatmap(lambda p: st.tuples(expression(p[0], depth), expression(p[1], depth)))
    return st.tuples(sides, words).map(
        lambda x: f"SELECT {x[0][0]} AS v FROM x {x[1]} SELECT {x[0][1]} FROM x ORDER BY 1"
    )


def windows(depth: int) -> st.SearchStrategy[str]:
    calls = st.one_of(
        st.sampled_from(
            ("row_number()", "rank()", "dense_rank()", "percent_rank()", "cume_dist()", "ntile(2)")
        ),
        expression("int4", depth).map(lambda e: f"sum({e})"),
        expression("numeric", depth).map(lambda e: f"avg({e})"),
        expression("text", depth).map(lambda e: f"lag({e})"),
        st.sampled_from(("i", "j")).map(lambda e: f"first_value({e})"),
        expression("date", depth).map(lambda e: f"max({e})"),
    )
    return st.tuples(calls, expression("bool", 0)).map(
        lambda x: f"SELECT k, {x[0]} OVER (PARTITION BY {x[1]} ORDER BY k) AS w FROM x ORDER BY k"
    )


def statement(depth: int = 2) -> st.SearchStrategy[str]:
    return st.one_of(
        scalars(depth),
        scalars(depth),
        filtered(depth),
        grouped(1),
        whole(depth),
        ordered(1),
        combined(1),
        windows(1),
    )
