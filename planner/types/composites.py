"""Types made by CREATE TYPE ... AS (...): a value is its own text, `(a,"b c",)`.

    datum, Arrow, DuckDB column    PostgreSQL's text of the record, each field as its type's output function has it

A record is stored, shown and compared for being null far more often than it is computed with, and its text is
exact. What reads a field splits the text and calls the field's input function.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

import pyarrow as pa

from planner.abc import Oid, SqlError, TypeRef
from planner.types import registry
from planner.types.base import SqlType, TextInput, TextOutput, quote_literal
from planner.types.declared import declare, declare_facts, renamed
from planner.types.facts import FIRST_USER_OID
from planner.types.settings import DEFAULT_SETTINGS, TypeSettings
from storage.abc import Datum

Fields = tuple[tuple[str, TypeRef], ...]

_BARE: Final = re.compile(r'[^\s(),"\\]+')
_ITEM: Final = re.compile(r'(?:[^,()"\\]|\\.|"(?:[^"\\]|""|\\.)*")*', re.DOTALL)
_UNQUOTED: Final = re.compile(r'"((?:[^"\\]|""|\\.)*)"|\\(.)', re.DOTALL)
_PAIRED: Final = re.compile(r'""|\\(.)', re.DOTALL)


def join_record(items: list[str | None]) -> str:
    """A record's output: quotes where they are needed, nothing for NULL."""
    shown = []
    for i in items:
        if i is None:
            shown.append("")
        elif _BARE.fullmatch(i):
            shown.append(i)
        else:
            shown.append('"' + i.replace("\\", "\\\\").replace('"', '""') + '"')
    return "(" + ",".join(shown) + ")"


def split_record(text: str) -> list[str | None]:
    """The texts of a record's fields. Raises 22P02."""
    body = text.strip()
    if not body.startswith("("):
        raise _malformed(text, "Missing left parenthesis.")
    out: list[str | None] = []
    at = 1
    while True:
        found = _ITEM.match(body, at)
        assert found is not None, "an item may be empty"
        raw = found[0]
        out.append(None if raw == "" else _UNQUOTED.sub(_plain, raw))
        at = found.end()
        if at >= len(body):
            raise _malformed(text, "Unexpected end of input.")
        if body[at] == ")":
            break
        if body[at] != ",":
            raise _malformed(text, "Unexpected end of input.")
        at += 1
    if body[at + 1 :].strip():
        raise _malformed(text, "Junk after right parenthesis.")
    return out


def _plain(found: re.Match[str]) -> str:
    if found[2] is not None:
        return str(found[2])
    return _PAIRED.sub(lambda m: m[1] if m[1] is not None else '"', found[1])


def _malformed(text: str, detail: str) -> SqlError:
    return SqlError("22P02", f'malformed record literal: "{text}"', detail=detail)


class AttributeCondition(NamedTuple):
    """What the domain of an attribute asks, said of the whole value (`planner.catalog.attribute_domains`)."""

    domain: Oid
    name: str
    check: str
    """The constraint; none is NOT NULL."""
    expression: str


class CompositeSqlType(SqlType):
    of_fields = True
    conditions: tuple[AttributeCondition, ...] = ()
    declared: tuple[Oid, ...] = ()
    """The types of the attributes as binary values tell them: domains, where `fields` have what is underneath."""

    def __init__(self, oid: int, fields: Fields) -> None:
        super().__init__(oid, pa.string(), "VARCHAR")
        self.fields = fields

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        def read(text: str) -> str:
            items = split_record(text)
            if len(items) == 1 and items[0] is None and not self.fields:
                items = []
            if len(items) != len(self.fields):
                word = "few" if len(items) < len(self.fields) else "many"
                raise _malformed(text, f"Too {word} columns.")
            out: list[str | None] = []
            for item, (_, ref) in zip(items, self.fields, strict=True):
                if item is None:
                    out.append(None)
                    continue
                datum = registry.input_text(item, ref, settings)
                fit = registry.coercion(ref)
                out.append(registry.output_text(datum if fit is None else fit(datum), ref))
            return join_record(out)

        return read

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        if settings == DEFAULT_SETTINGS:
            return str
        readers = [registry.text_input(ref) for _, ref in self.fields]
        shows = [registry.text_output(ref, settings) for _, ref in self.fields]
        if all(show is str for show in shows):
            return str

        known = self.fields

        def shown(text: Datum) -> str:
            if self.fields is not known:  # ALTER TYPE, since this was written out for a prepared statement
                return self.text_output(typmod, settings)(text)
            items = split_record(text)
            if len(items) != len(readers):  # of the transaction that alters the type
                return str(text)
            parts = zip(items, readers, shows, strict=True)
            return join_record([None if item is None else show(read(item)) for item, read, show in parts])

        return shown

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST({quote_literal(datum)} AS VARCHAR)"


def register_composite(
    oid: int,
    array_oid: int,
    name: str,
    fields: Fields,
    conditions: tuple[AttributeCondition, ...] = (),
    declared: tuple[Oid, ...] = (),
) -> None:
    """Makes a composite type and the arrays over it known. Idempotent."""
    known = registry.TYPES.get(oid)
    if isinstance(known, CompositeSqlType):
        known.conditions = conditions
        if known.name == name and (known.fields, known.declared) == (fields, declared):
            return
    declare_facts(oid, array_oid, name, "c", "record")
    if isinstance(known, CompositeSqlType):
        known.fields, known.declared = fields, declared
        renamed(known)
        return
    made = CompositeSqlType(oid, fields)
    made.conditions, made.declared = conditions, declared
    declare(made, array_oid)


def composite_fields(oid: int) -> Fields | None:
    """The fields of a composite type in order; None for a type that is none."""
    found = registry.TYPES.get(oid) if oid >= FIRST_USER_OID else None
    return found.fields if isinstance(found, CompositeSqlType) else None


def composite_declared(oid: int) -> tuple[Oid, ...]:
    """The types of a composite type's attributes as they were declared, domains among them; nothing for a type that is none."""
    found = registry.TYPES.get(oid) if oid >= FIRST_USER_OID else None
    return found.declared if isinstance(found, CompositeSqlType) else ()


def composite_conditions(oid: int) -> tuple[AttributeCondition, ...]:
    """What a composite type asks of its values; nothing for a type that is none."""
    found = registry.TYPES.get(oid) if oid >= FIRST_USER_OID else None
    return found.conditions if isinstance(found, CompositeSqlType) else ()
