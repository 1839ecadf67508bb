"""Quotients of numerics whose digits are few enough: PostgreSQL's, digit for digit, by DuckDB's integers and no Python.

    a / 10^s1  divided by  b / 10^s2        numeric_forms says which are few enough (`quotient_fits`)

The scale of the result is that of `numerics.divide`: sixteen significant digits at least, counted in groups of four. A number's
`weight` is that of its first group, and 10000 * weight + group orders numbers by both; so the difference of two such, cut
down to whole weights, is the quotient's. Half is rounded away from zero, by one division of twice as much.

Everything is named by a lambda over a list of one, and so computed once.
"""

from __future__ import annotations

_POWERS = "[" + ", ".join(f"CAST({10**i} AS HUGEINT)" for i in range(39)) + "]"
_SMALL_POWERS = "[" + ", ".join(f"CAST({10**i} AS BIGINT)" for i in range(19)) + "]"


def _weight(number: str, scale: str) -> str:
    digits = f"length(CAST({number} AS VARCHAR))"
    return f"CASE WHEN {number} = 0 THEN 0 ELSE ({digits} + 399 - {scale}) // 4 - 100 END"


def _quotient(name: str, powers: str) -> str:
    """`powers`: ten to the power of as much as the numbers have digits, and three more."""

    def ordered(number: str, weight: str, scale: str) -> str:
        return f"({weight} * 10000 + {number} * 1000 // {powers}[4 * {weight} + {scale} + 4])"

    difference = f"({ordered('n.u', 'n.wu', 's1')} - {ordered('n.v', 'n.wv', 's2')} - 1)"
    weight = f"(({difference} + 1000000) // 10000 - 100)"
    whole = f"{_POWERS}[least(k.k, 38) + 1]"
    text = (
        "CASE WHEN q = 0 THEN '' ELSE n.sign END || CASE WHEN k.k = 0 THEN CAST(q AS VARCHAR) "
        f"ELSE CAST(q // {whole} AS VARCHAR) || '.' || lpad(CAST(q % {whole} AS VARCHAR), k.k, '0') END"
    )
    made = f"list_transform([(n.u * {_POWERS}[k.k + s2 - s1 + 1] * 2 + n.v) // (CAST(2 AS HUGEINT) * n.v)], lambda q: {text})[1]"
    scaled = f"list_transform([{{'k': CAST(greatest(16 - 4 * {weight}, s1, s2) AS INTEGER)}}], lambda k: {made})[1]"
    parts = (
        f"{{'u': abs(x.a), 'v': abs(x.b), 'wu': {_weight('abs(x.a)', 's1')}, 'wv': {_weight('abs(x.b)', 's2')}, "
        "'sign': CASE WHEN (x.a < 0) = (x.b < 0) THEN '' ELSE '-' END}"
    )
    return (
        f"CREATE OR REPLACE MACRO {name}(a, s1, b, s2) AS list_transform([{{'a': a, 'b': b}}], lambda x: "
        "CASE WHEN x.a IS NULL OR x.b IS NULL THEN NULL WHEN x.b = 0 THEN CAST(error('[22012] division by zero') AS VARCHAR) "
        f"ELSE list_transform([{parts}], lambda n: {scaled})[1] END)[1]"
    )


QUOTIENTS: tuple[str, ...] = (
    _quotient("tw_quotient", _POWERS),
    _quotient("tw_small_quotient", _SMALL_POWERS),
    # Neither NaN nor an infinity, nor so short a text that is too large or too small for a double.
    "CREATE OR REPLACE MACRO tw_num_double(a) AS list_transform([a], lambda x: CASE WHEN length(x) <= 100 AND right(x, 1) <= '9' "
    "THEN CAST(x AS DOUBLE) ELSE tw_num_float8(x) END)[1]",
)
"""Of unscaled HUGEINTs, and of BIGINTs of at most fifteen digits; and what a quotient's text is as a float."""
