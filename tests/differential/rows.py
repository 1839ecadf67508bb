"""Calls over the rows of a table: the functions and operators of `calls`, of columns, constants and parameters.

    definition(rng)          the table `many`, in statements: a column for each type of VALUES, NULLs among its values
    Asked                    one expression, and the parameters that stand in it
    asked(calls, rng)        the next one: now and then of a CASE, a coalesce or a comparison of two calls

`few` marks the rows that are looked at: the table is large, and nothing leads to them, so a query of them all goes through the columnar
engine; one of them by its key `k` through the keyed one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from random import Random

from tests.differential.calls import VALUES, Calls

ROWS, FEW = 12_000, 60
KINDS = {**{kind: kind for kind in VALUES}, "numeric(12,2)": "numeric", "numeric(20,6)": "numeric"}
"""Types of columns, and what calls take them for."""
_SMALL = ("0", "1", "-0.50", "2.5", "12345.67", "99999")
_AROUND = (
    "{0}",
    "{0}",
    "{0}",
    "coalesce({0}, {1})",
    "CASE WHEN k % 2 = 0 THEN {0} ELSE {1} END",
    "{0} IS DISTINCT FROM {1}",
)
_WITHOUT_EQUALITY = ("json", "point", "line", "lseg", "box", "path", "polygon", "circle", "xml", "jsonpath")


def _column(kind: str) -> str:
    return "c_" + kind.replace("(", "_").replace(",", "_").replace(")", "")


def _name(kind: str) -> str:
    return f"{kind[1:]}[]" if kind.startswith("_") else kind


def _values(kind: str) -> tuple[str, ...]:
    return _SMALL if "(" in kind else VALUES[kind]


def _quoted(value: str | None) -> str:
    return "NULL" if value is None else "'" + value.replace("'", "''") + "'"


def definition(rng: Random) -> Iterator[str]:
    columns = ", ".join(f"{_column(kind)} {_name(kind)}" for kind in KINDS)
    yield f"CREATE TABLE many (k int PRIMARY KEY, few bool, {columns})"
    for start in range(0, ROWS, 1_000):
        rows = []
        for k in range(start, start + 1_000):
            cells = [None if rng.random() < 0.1 else rng.choice(_values(kind)) for kind in KINDS]
            rows.append(f"({k}, {k < FEW}, {', '.join(map(_quoted, cells))})")
        yield "INSERT INTO many VALUES " + ", ".join(rows)


@dataclass(frozen=True, slots=True)
class Asked:
    expression: str
    parameters: tuple[str, ...] = ()

    def of_all(self, without: list[int]) -> str:
        """The query of all rows that are looked at, but for those whose keys are named."""
        left_out = f" AND k <> ALL ('{{{','.join(map(str, without))}}}')" if without else ""
        return f"SELECT k, {self.expression} AS v FROM many WHERE few{left_out} ORDER BY k"

    def by_key(self) -> str:
        """The query of one row; its key is the last parameter."""
        return f"SELECT k, {self.expression} AS v FROM many WHERE k = ${len(self.parameters) + 1}"


def asked(calls: Calls, rng: Random) -> Asked:
    parameters: list[str] = []
    first = rng.choice(calls.known)
    result = first[3]
    around = rng.choice(_AROUND if result not in _WITHOUT_EQUALITY else _AROUND[:-1])
    second = [rng.choice([call for call in calls.known if call[3] == result])] if "{1}" in around else []
    made = []
    for name, types, is_operator, _ in (first, *second):
        values = [_argument(rng, kind, parameters) for kind in types]
        made.append(f"({values[0]} {name} {values[1]})" if is_operator else f'"{name}"({", ".join(values)})')
    return Asked(around.format(*made), tuple(parameters))


def _argument(rng: Random, of: str, parameters: list[str]) -> str:
    kind = rng.choice([column for column, taken_for in KINDS.items() if taken_for == of])
    chance = rng.random()
    if chance < 0.65:
        return _column(kind)
    if chance < 0.7:
        return f"NULL::{_name(kind)}"
    value = rng.choice(_values(kind))
    if chance < 0.8:
        parameters.append(value)
        return f"${len(parameters)}::{_name(kind)}"
    return f"{_quoted(value)}::{_name(kind)}"
