"""Calls of PostgreSQL's own functions and operators, as pg_proc and pg_operator list them, over values of their types.

    calls(asked)      asked: a query of PostgreSQL's catalog  ->  what may be called with the types below
    Calls.text(rng)   one SELECT of one call

Values are those at which functions differ: edges of types, NaN and infinities, accents that stand alone, empty and nested ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

Rows = Sequence[Sequence[str | None]]

VALUES: dict[str, tuple[str, ...]] = {
    "bool": ("t", "f"),
    "int2": ("0", "1", "-1", "32767", "-32768", "7"),
    "int4": ("0", "1", "-1", "3", "-5", "20", "33"),
    "int8": ("0", "1", "-1", "42", "9223372036854775807"),
    "float4": ("0", "1.5", "-2.25", "NaN", "Infinity", "0.1"),
    "float8": ("0", "-0", "1", "-1.5", "0.3", "1e10", "NaN", "Infinity", "-Infinity", "123456.789"),
    "numeric": ("0", "1", "-0.5", "2.50", "123456.789", "12345678901234567890", "NaN"),
    "text": ("", "a", "Hello World", "Straße", "e\u0301a", "  pad  ", "a,b,,c", "x%y_z", "日本語", "-12"),
    "bytea": ("\\x", "\\x00ff", "\\x616263"),
    "date": ("2024-02-29", "1999-12-31", "0044-03-15 BC", "infinity"),
    "time": ("00:00", "23:59:59.999999", "12:34:56.5"),
    "timestamp": ("2024-03-10 02:30:00", "2000-01-01", "0001-01-01", "1999-12-31 23:59:59.999999"),
    "timestamptz": ("2024-03-10 02:30:00+00", "2024-11-03 05:30:00+00", "1970-01-01 00:00:00+00"),
    "interval": ("1 day", "-1 mon +3 days -02:00", "1 year 2 mons 3 days 04:05:06.789", "0", "36:00:00"),
    "jsonb": ('{"a":1,"b":[1,2,{"c":3}],"d":null}', '[1,2,"x",null]', '"str"', "12.50", "[]", "{}"),
    "json": ('{"x":1e3,"y":null,"z":-0.0}', '[1,2,3]', "null"),
    "uuid": ("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "00000000-0000-0000-0000-000000000000"),
    "inet": ("192.168.1.5/24", "::1", "10.0.0.0/8"),
    "varbit": ("", "1", "10110", "1111111111"),
    "int4range": ("empty", "[1,5)", "(,3]", "[2,)"),
    "numrange": ("empty", "[1.0,1.5)", "(1.5,10]"),
    "daterange": ("[2024-01-01,2024-02-01)", "(,2024-01-15]"),
    "int4multirange": ("{}", "{[1,5),[8,10)}", "{(,3)}"),
    "_int4": ("{}", "{1,2,3}", "{3,NULL,1}", "{{1,2},{3,4}}"),
    "_text": ("{}", "{a,b,NULL}", '{"x,y",""}'),
}  # fmt: skip

ASKED = """
SELECT p.proname, (SELECT string_agg(t.typname, ',' ORDER BY o) FROM unnest(p.proargtypes) WITH ORDINALITY u(x, o)
JOIN pg_type t ON t.oid = x), 'f', r.typname FROM pg_proc p JOIN pg_type r ON r.oid = p.prorettype
WHERE p.prokind = 'f' AND p.provolatile = 'i' AND p.pronargs BETWEEN 1 AND 4 AND NOT p.proretset AND p.pronamespace = 11
AND r.typname NOT IN ('internal', 'cstring', 'trigger')
AND p.proname !~ '(send|recv|in|out|sel|support|cmp|smaller|larger|accum|combine|inv|final|transfn|hash.*)$' AND p.proname !~ '^array_'
AND p.proname NOT IN ('position', 'timezone', 'overlaps')
UNION ALL
SELECT o.oprname, concat_ws(',', l.typname, r.typname), 'o', z.typname FROM pg_operator o LEFT JOIN pg_type l ON l.oid = o.oprleft
JOIN pg_type r ON r.oid = o.oprright JOIN pg_type z ON z.oid = o.oprresult WHERE o.oprcode <> 0 AND o.oprleft <> 0
ORDER BY 3, 1, 2
"""
"""Functions that the grammar writes otherwise (`position(a IN b)`) take their arguments in another order as functions."""


@dataclass(frozen=True, slots=True)
class Calls:
    """What may be called: names, types of arguments, whether it is an operator, and the type of what it gives."""

    known: tuple[tuple[str, tuple[str, ...], bool, str], ...]

    def text(self, rng: Random) -> str:
        name, types, is_operator, _ = rng.choice(self.known)
        values = [_value(rng, kind) for kind in types]
        if is_operator:
            return f"SELECT {values[0]} {name} {values[1]}"
        return f'SELECT "{name}"({", ".join(values)})'


def _value(rng: Random, kind: str) -> str:
    if rng.random() < 0.05:
        return f"NULL::{kind}"
    return "'" + rng.choice(VALUES[kind]).replace("'", "''") + f"'::{kind}"


def calls(asked: Callable[[str], Rows]) -> Calls:
    found = []
    for name, types, kind, result in asked(ASKED):
        assert name is not None and types is not None and result is not None
        given = tuple(types.split(","))
        if VALUES.keys() >= set(given):
            found.append((name, given, kind == "o", result))
    return Calls(tuple(found))
