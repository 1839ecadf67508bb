"""Bit strings: bit(n) and bit varying(n). The datum is the digits, `10110`, whose order is that of the bits.

A modifier is the length itself. bit(n) takes exactly n bits, bit varying(n) at most so many; an explicit cast cuts off or
fills up with zeros at the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from planner.abc import SqlError
from planner.types import oids
from planner.types.base import Coercion, SqlType, TextInput, TextOutput, integer_args, quote_literal
from planner.types.settings import TypeSettings
from storage.abc import Datum

LENGTH_MAX = 83_886_080


def bits_in(text: str) -> str:
    """`101`, `B101`, `X1F`. Raises 22P02."""
    if text[:1] in ("x", "X"):
        try:
            return "".join([f"{int(c, 16):04b}" for c in text[1:]])
        except ValueError:
            bad = next(c for c in text[1:] if c not in "0123456789abcdefABCDEF")
            raise SqlError("22P02", f'"{bad}" is not a valid hexadecimal digit') from None
    digits = text[1:] if text[:1] in ("b", "B") else text
    for c in digits:
        if c not in "01":
            raise SqlError("22P02", f'"{c}" is not a valid binary digit')
    return digits


class BitType(SqlType):
    def __init__(self, oid: int) -> None:
        super().__init__(oid, pa.string(), "VARCHAR", "bit varying" if oid == oids.VARBIT else "bit")
        self.varying = oid == oids.VARBIT

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        fit = self.coercion(typmod, False)
        return bits_in if fit is None else lambda text: fit(bits_in(text))

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return str

    def coercion(self, typmod: int, explicit: bool) -> Coercion | None:
        if typmod < 0:
            return None

        def fit(bits: Datum) -> str:
            if explicit:
                return str(bits[:typmod]) if self.varying else str(bits[:typmod].ljust(typmod, "0"))
            if self.varying and len(bits) > typmod:
                raise SqlError("22001", f"bit string too long for type bit varying({typmod})")
            if not self.varying and len(bits) != typmod:
                raise SqlError("22026", f"bit string length {len(bits)} does not match type bit({typmod})")
            return str(bits)

        return fit

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST({quote_literal(datum)} AS VARCHAR)"

    def typmod_in(self, args: Sequence[str]) -> int:
        (length,) = integer_args(args, 1)
        shown = "varbit" if self.varying else "bit"
        if length < 1:
            raise SqlError("22023", f"length for type {shown} must be at least 1")
        if length > LENGTH_MAX:
            raise SqlError("22023", f"length for type {shown} cannot exceed {LENGTH_MAX}")
        return length

    def format(self, typmod: int) -> str:
        return self.sql_name + self.typmod_out(typmod)
