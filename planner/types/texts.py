"""Text kinds: text, varchar(n), char(n), name, "char", unknown, and the like.

Lengths count characters. A value that is too long is an error (22001) unless all that is cut off is
blanks, or the cast is explicit. A char(n) datum is always blank-padded to n.
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from planner.abc import SqlError
from planner.types import oids
from planner.types.base import Coercion, SqlType, TextInput, TextOutput, integer_args, quote_literal
from planner.types.settings import TypeSettings
from storage.abc import Datum

TYPMOD_HEADER = 4
"""varlena header: atttypmod of varchar(n) is n + 4."""
LENGTH_MAX = 10_485_760
NAME_BYTES_MAX = 63
VALUE_BYTES_MAX = (1 << 30) - 1
"""Of any value."""


def too_much(held: int, more: int) -> SqlError:
    """What a text that is put together piece by piece ends with, at VALUE_BYTES_MAX."""
    detail = f"Cannot enlarge string buffer containing {held} bytes by {more} more bytes."
    return SqlError("54000", "out of memory", detail=detail)


def _identity(text: str) -> str:
    return text


def _too_long(sql_name: str, limit: int) -> SqlError:
    return SqlError("22001", f"value too long for type {sql_name}({limit})")


class TextType(SqlType):
    """A string without rules: text, unknown, xml, and types that are only ever shown."""

    def __init__(self, oid: int, sql_name: str = "") -> None:
        super().__init__(oid, pa.string(), "VARCHAR", sql_name)

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return _identity

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return _identity

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST({quote_literal(datum)} AS VARCHAR)"


class ShownType(TextType):
    """A type that catalogs show as text but that no table may hold."""

    storable = False


class CopiedType(ShownType):
    """One that tables may hold, for catalogs are copied into tables: CREATE TABLE classes AS SELECT * FROM pg_class."""

    storable = True


class UnreadType(CopiedType):
    """A type that is known by name and described, but of which nobody writes values: text that nobody has looked at would be one."""

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        name = self.name

        def refuse(text: str) -> str:
            raise SqlError("0A000", f"cannot accept a value of type {name}")

        return refuse


class RecordType(ShownType):
    """Records of no declared type: only expressions make them, never text. One with a modifier was shown before, and is its text."""

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        if typmod >= 0:
            return str

        def refuse(text: str) -> str:
            raise SqlError("0A000", "input of anonymous composite types is not implemented")

        return refuse


class LengthType(TextType):
    """varchar(n)."""

    def typmod_in(self, args: Sequence[str]) -> int:
        (n,) = integer_args(args, 1)
        if n < 1:
            raise SqlError("22023", f"length for type {self.name} must be at least 1")
        if n > LENGTH_MAX:
            raise SqlError("22023", f"length for type {self.name} cannot exceed {LENGTH_MAX}")
        return n + TYPMOD_HEADER

    def typmod_out(self, typmod: int) -> str:
        return f"({typmod - TYPMOD_HEADER})" if typmod >= TYPMOD_HEADER else ""

    def coercion(self, typmod: int, explicit: bool) -> Coercion | None:
        if typmod < TYPMOD_HEADER:
            return None
        n, sql_name = typmod - TYPMOD_HEADER, self.sql_name

        def fit(text: Datum) -> str:
            if len(text) <= n:
                return str(text)
            if not explicit and text[n:].strip(" "):
                raise _too_long(sql_name, n)
            return str(text[:n])

        return fit

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return self.coercion(typmod, False) or _identity


class BlankPaddedType(LengthType):
    """char(n)."""

    def format(self, typmod: int) -> str:
        return "bpchar" if typmod < TYPMOD_HEADER else super().format(typmod)

    def coercion(self, typmod: int, explicit: bool) -> Coercion | None:
        if typmod < TYPMOD_HEADER:
            return None
        n, sql_name = typmod - TYPMOD_HEADER, self.sql_name

        def fit(text: Datum) -> str:
            if len(text) <= n:
                return str(text.ljust(n))
            if not explicit and text[n:].strip(" "):
                raise _too_long(sql_name, n)
            return str(text[:n])

        return fit


def name_in(text: str) -> str:
    """Cuts at 63 bytes, never inside a character."""
    data = text.encode()
    return text if len(data) <= NAME_BYTES_MAX else data[:NAME_BYTES_MAX].decode("utf-8", "ignore")


class NameType(TextType):
    def __init__(self) -> None:
        super().__init__(oids.NAME)

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return name_in


class OneByteType(TextType):
    """ "char": the first byte of what is given. One that is no ASCII character is kept as it is shown, as \\ooo."""

    def __init__(self) -> None:
        super().__init__(oids.CHAR, '"char"')

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return one_byte


def one_byte(text: str) -> str:
    """The input function of "char"."""
    octal = len(text) == 4 and text[0] == "\\" and all(c in "01234567" for c in text[1:])
    return shown_byte(int(text[1:], 8) & 0xFF if octal else (text.encode()[:1] or b"\0")[0])


def shown_byte(byte: int) -> str:
    """The output function of "char"."""
    if byte == 0:
        return ""
    return chr(byte) if byte < 0x80 else f"\\{byte:03o}"


def byte_of_number(number: int) -> str:
    """The cast from int4. Raises 22003."""
    if not -128 <= number <= 127:
        raise SqlError("22003", '"char" out of range')
    return shown_byte(number & 0xFF)


def number_of_byte(shown: str) -> int:
    """The cast to int4: the byte is signed."""
    byte = int(shown[1:], 8) if len(shown) > 1 else ord(shown or "\0")
    return byte - 256 if byte > 127 else byte
