"""Constants as PostgreSQL writes them out, and what a session gives for the asking.

    0 as a numeric      (0)::numeric            'x'                    'x'::text
    1e3                 '1000'::numeric         's.t'::regclass        't'::regclass, where the search path finds it
    now()               now()                   CURRENT_TIMESTAMP      CURRENT_TIMESTAMP

A tree has values; whether they were numbers or strings in quotes the text says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.records import told_type
from planner.catalog import Catalog
from planner.catalog.names import split_name
from planner.textsearch.configurations import CONFIGURATIONS, DICTIONARIES
from planner.types import TypeSettings

TypeName = Callable[[TypeRef], str]
"""How a type is called where the expression is shown: qualified if the search path does not find it."""

_SEARCH_NAMES: Final = {t.REGCONFIG: CONFIGURATIONS, t.REGDICTIONARY: DICTIONARIES}
_SESSION: Final = {
    "now": "now()", "current_user": "CURRENT_USER", "session_user": "SESSION_USER", "user": "CURRENT_USER",
    "current_role": "CURRENT_ROLE", "current_catalog": "CURRENT_CATALOG", "current_schema": "CURRENT_SCHEMA",
    "current_database": "current_database()", "query_text": "current_query()",
    "statement_timestamp": "statement_timestamp()",
}  # fmt: skip
_NUMBERS: Final = frozenset((t.INT2, t.INT4, t.INT8, t.NUMERIC, t.FLOAT4, t.FLOAT8))
_INT4: Final = 1 << 31
_NUMBER: Final = re.compile(r"(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")


class NotWritable(Exception):
    """An expression that this module has no words for."""


class ConstantWriter:
    def __init__(self, text: str, type_name: TypeName, pretty: bool) -> None:
        self.text, self.type_name, self.pretty = text, type_name, pretty
        self.catalog: Catalog | None = None
        """Where extensions are, of which an expression may have members."""

    def constant(self, node: ir.Lit) -> str:
        ref = node.type
        if node.value is None:
            return f"NULL::{self.type_name(TypeRef(told_type(ref).oid))}" if ref.oid != t.UNKNOWN else "NULL"
        if ref.oid == t.BOOL and isinstance(node.value, bool):
            return "true" if node.value else "false"
        if (ref.oid in _NUMBERS or ref.oid == t.OID) and self.is_number(node.position):
            return self.number(node)
        if ref.oid in _SEARCH_NAMES:
            name = _SEARCH_NAMES[ref.oid].get(node.value) or self.of_text_search(node.value)
            return f"'{name}'::{self.type_name(ref)}"
        if ref.oid == t.REGTYPE and isinstance(node.value, int):
            # By its name, for elsewhere the number may be another's.
            name = self.type_name(TypeRef(node.value)).replace("'", "''")
            return f"'{name}'::{self.type_name(ref)}"
        return self.quoted(node.value, ref)

    def of_text_search(self, oid: Any) -> str:
        """A user's configuration or dictionary; its number where it is gone."""
        there = self.catalog is not None and self.catalog.get(oid) is not None
        return self.type_name(TypeRef(oid)).replace("'", "''") if there else str(oid)

    def of_relation(self, said: str) -> str:
        """A relation of that name, with its schema where the search path does not find it."""
        schema, name = split_name(said)
        there = self.catalog.find_relation(name, schema, ()) if self.catalog is not None and schema else None
        return said if there is None else self.type_name(TypeRef(there.oid))

    def is_number(self, position: int) -> bool:
        """Whether a constant is a bare number in the text. A sign may stand before it."""
        at = self.text[position - 1 : position] if position else ""
        return at.isdigit() or at in ("-", "+", ".")

    def number(self, node: ir.Lit) -> str:
        shown = str(node.value)
        written = self.text[node.position - 1 :].lstrip("+- ")
        digits = written[: next((i for i, c in enumerate(written) if not c.isdigit()), len(written))]
        fraction = written[len(digits) : len(digits) + 1] in (".", "e", "E")
        if fraction:
            natural = t.NUMERIC
        else:
            value = int(digits or "0")
            natural = t.INT4 if value < _INT4 else t.INT8 if value < 1 << 63 else t.NUMERIC
            shown = ("-" if str(node.value).startswith("-") else "") + str(value)
        if natural == t.NUMERIC and node.type.oid != t.NUMERIC:
            # As it was written, with its places: the value has been made what it is to be.
            number = _NUMBER.match(written)
            assert number is not None, written
            shown = ("-" if str(node.value).startswith("-") else "") + f"{Decimal(number[0]):f}"
        speaks = natural == t.INT4 or (natural == t.NUMERIC and "." in shown)
        bare = shown if speaks and not shown.startswith("-") else ""
        text = bare or f"'{shown}'::{self.type_name(TypeRef(natural))}"
        if natural == node.type.oid:
            return text
        inner = text if self.pretty else f"({text})"
        return f"{inner}::{self.type_name(TypeRef(node.type.oid))}"

    @staticmethod
    def speaks_for_itself(node: ir.Node, text: str) -> bool:
        """Whether a constant is written bare, as `2.5` in `2.5::numeric(5,2)`."""
        return isinstance(node, ir.Lit) and text[:1].isdigit()

    def quoted(self, value: Any, ref: TypeRef) -> str:
        shown = t.output_text(value, ref, TypeSettings()) if ref.oid != t.UNKNOWN else str(value)
        bare = (ref.oid == t.INT4 and shown.isdigit()) or (
            ref.oid == t.NUMERIC and ref.typmod < 0 and "." in shown and not shown.startswith("-")
        )
        if bare:
            return shown
        literal = shown.replace("'", "''")
        if ref.oid == t.UNKNOWN:
            return f"'{literal}'"
        # In quotes it is of any length: bit alone is bit(1), character alone character(1).
        any_length = {t.BPCHAR: "bpchar", t.BIT: '"bit"'} if ref.typmod < 0 else {}
        name = any_length.get(ref.oid) or self.type_name(ref)
        return f"'{literal}'::{name}"

    def session(self, node: ir.Session) -> str:
        words = self.text.lower()
        if node.name == "now" and "current_timestamp" in words:
            return "CURRENT_TIMESTAMP"
        if node.name.startswith("setting"):
            return self.setting(node.name)
        found = _SESSION.get(node.name)
        if found is None:
            raise NotWritable(node.name)
        return found

    def setting(self, asked: str) -> str:
        """current_setting('TimeZone') under the name that was said, whose capitals the tree has not kept."""
        kind, _, name = asked.partition(":")
        said = re.search(rf"current_setting\s*\(\s*'({re.escape(name)})'", self.text, re.IGNORECASE)
        if said is None:
            raise NotWritable(asked)
        return f"current_setting('{said[1]}'::text{', true' if kind.endswith('_or_null') else ''})"


__all__ = ["ConstantWriter", "NotWritable", "TypeName"]
