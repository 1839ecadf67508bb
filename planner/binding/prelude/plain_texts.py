r"""Texts that are written as programs write them are read by DuckDB; all others are read in Python, by all of PostgreSQL's rules.

    '2024-02-29'    the same day whatever DateStyle says     coalesce(CASE WHEN s is plain THEN TRY_CAST(s AS DATE) END, tw_read_date(s, ...))
    'Feb 29, 24'    Python's to read                         TRY_CAST is not asked
    '2023-02-29'    plain, and no day                        TRY_CAST has no answer, Python says what is wrong

What is staged as text and cast by the million is of the first kind. Of that Python is not called for a single row: an argument of
`coalesce` is computed for the rows alone for which those before it were NULL.
"""

from __future__ import annotations

from typing import Final

_DAY: Final = r"[1-9][0-9]{3}-(0[1-9]|1[0-2])-[0-3][0-9]"
_CLOCK: Final = r"([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9](\.[0-9]{1,6})?)?"
"""Without 24:00 and leap seconds, which DuckDB reads otherwise, and with no more digits than are kept."""
_OFFSET: Final = r"[+-](0[0-9]|1[0-4])(:[0-5][0-9])?"
_NUMERIC: Final = r"-?[1-9][0-9]{0,37}(\.[0-9]{1,38})?|0(\.[0-9]{1,38})?"
"""Which PostgreSQL shows as it was written: no sign before zeros, no zeros in front."""
_DECIMAL: Final = r"-?[0-9]{1,18}(\.[0-9]{1,18})?"
_FLOAT: Final = r"-?[0-9]{1,15}(\.[0-9]{1,15})?"


def _plain(name: str, others: str, pattern: str, read: str, elsewise: str) -> str:
    return (
        f"CREATE OR REPLACE MACRO tw_text_{name}(s{others}) AS "
        f"coalesce(CASE WHEN regexp_full_match(s, '{pattern}') THEN {read} END, {elsewise}(s{others}))"
    )


MACROS: Final = (
    _plain("date", ", style, zone, moment", _DAY, "TRY_CAST(s AS DATE)", "tw_read_date"),
    _plain(
        "timestamp", ", style, zone, moment", f"{_DAY}[ T]{_CLOCK}", "TRY_CAST(s AS TIMESTAMP)", "tw_read_timestamp"
    ),
    _plain(
        "timestamptz",
        ", style, zone, moment",
        f"{_DAY}[ T]{_CLOCK}{_OFFSET}",
        "TRY_CAST(s AS TIMESTAMPTZ)",
        "tw_read_timestamptz",
    ),
    _plain("numeric", "", _NUMERIC, "s", "tw_in_numeric"),
    _plain("float8", "", _FLOAT, "TRY_CAST(s AS DOUBLE)", "tw_in_float8"),
    # A numeric's text, exactly; NULL where it is a longer one, or none.
    f"CREATE OR REPLACE MACRO tw_plain_decimal(s) AS CASE WHEN regexp_full_match(s, '{_DECIMAL}') THEN TRY_CAST(s AS DECIMAL(38,18)) END",
)  # fmt: skip


__all__ = ["MACROS"]
