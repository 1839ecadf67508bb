"""Types made by CREATE TYPE ... AS ENUM: a label is a string, and labels have an order of their own.

datum, Arrow, DuckDB column    the label as text
equality                       that of the text
order                          that of the labels: CAST(x AS ENUM('sad', 'ok', 'happy')) in DuckDB
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import pyarrow as pa

from planner.abc import SqlError
from planner.types import registry
from planner.types.base import SqlType, TextInput, TextOutput, quote_literal
from planner.types.declared import declare, declare_facts, kept_beside, renamed
from planner.types.facts import FIRST_USER_OID
from planner.types.orders import ORDERS, declare_order
from planner.types.settings import TypeSettings
from storage.abc import Datum

UNSAFE_HINT: Final = "New enum values must be committed before they can be used."


class EnumSqlType(SqlType):
    """One enum. `labels` is replaced when ALTER TYPE adds one, which is `unsafe` until that is committed.

    `numbers` are the labels' OIDs, which their hashes are made of.
    """

    def __init__(self, oid: int, labels: tuple[str, ...], numbers: tuple[int, ...] = ()) -> None:
        super().__init__(oid, pa.string(), "VARCHAR")
        self.labels = labels
        self.numbers = numbers
        self.unsafe: tuple[str, ...] = ()

    def number_of(self, label: str) -> int:
        """The OID of a label."""
        return self.numbers[self.labels.index(label)]

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        def read(text: str) -> str:
            if text not in self.labels:
                raise SqlError(
                    "22P02",
                    f'invalid input value for enum {registry.called(self.oid, self.name)}: "{text}"',
                )
            if text in self.unsafe:
                raise SqlError("55P04", self.refusal(text), hint=UNSAFE_HINT)
            return text

        return read

    def refusal(self, label: str) -> str:
        """What is said of a label that its transaction has not committed."""
        return f'unsafe use of new value "{label}" of enum type {self.name}'

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return str

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST({quote_literal(datum)} AS VARCHAR)"

    def ordered_sql(self) -> tuple[str, str]:
        """What to put before and after a DuckDB expression so that it compares as the labels do."""
        if not self.labels:
            return "", ""
        return "CAST(", f" AS ENUM({', '.join(map(quote_literal, self.labels))}))"


kept_beside(ORDERS)


def register_enum(
    oid: int,
    array_oid: int,
    name: str,
    labels: tuple[str, ...],
    numbers: tuple[int, ...],
    unsafe: tuple[str, ...] = (),
) -> None:
    """Makes an enum and the arrays over it known. Idempotent."""
    known = registry.TYPES.get(oid)
    if isinstance(known, EnumSqlType):
        known.labels, known.numbers, known.unsafe = labels, numbers, unsafe
        if known.name != name:
            declare_facts(oid, array_oid, name, "e", "enum")
            renamed(known)
        return
    declare_facts(oid, array_oid, name, "e", "enum")
    made = EnumSqlType(oid, labels, numbers)
    made.unsafe = unsafe
    declare_order(oid, lambda label: made.labels.index(label))  # noqa: PLW0108 (labels are replaced)
    declare(made, array_oid)


def labels_of(oid: int) -> tuple[str, ...] | None:
    """The labels of an enum in order; None for a type that is none."""
    found = registry.TYPES.get(oid) if oid >= FIRST_USER_OID else None
    return found.labels if isinstance(found, EnumSqlType) else None


def refuse_unsafe(oid: int, labels: Iterable[str]) -> None:
    """Raises 55P04 where one of an enum's labels has been added by the transaction at hand."""
    found = registry.TYPES[oid]
    assert isinstance(found, EnumSqlType)
    for label in labels:
        if label in found.unsafe:
            raise SqlError("55P04", found.refusal(label), hint=UNSAFE_HINT)


def unsafe_labels(oid: int) -> tuple[tuple[str, str], ...]:
    """Of an enum: such labels, and what is said of them."""
    found = registry.TYPES[oid]
    return tuple((x, found.refusal(x)) for x in found.unsafe) if isinstance(found, EnumSqlType) else ()


def enum_order(oid: int) -> tuple[str, str]:
    """See `EnumSqlType.ordered_sql`."""
    found = registry.TYPES[oid]
    assert isinstance(found, EnumSqlType)
    return found.ordered_sql()
