"""Rows of queries and tables as XML, and the XML Schema that describes them, as the standard's part 14 (and PostgreSQL's xml.c) maps them.

<table xmlns:xsi="...">             a document                  <t xmlns:xsi="...">        "forest": an element for each row
                                                                  <a>1</a>
<row>                                                             <b xsi:nil="true"/>
  <a>1</a>                                                      </t>
  <b xsi:nil="true"/>
</row>

</table>
"""

from __future__ import annotations

import base64
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.types import xml_making
from planner.types.arrays import ArrayType
from planner.types.settings import TypeSettings

_XSI: Final = "http://www.w3.org/2001/XMLSchema-instance"
_XSD: Final = "http://www.w3.org/2001/XMLSchema"
_MINUTES: Final = re.compile(r"([+-]\d\d)( BC)?$")
_MOMENTS: Final = {t.DATE: "date", t.TIMESTAMP: "timestamp", t.TIMESTAMPTZ: "timestamp"}


@dataclass(frozen=True, slots=True)
class Form:
    """What the arguments of one of these functions ask for."""

    nulls: bool
    forest: bool
    namespace: str


# --- values -------------------------------------------------------------------------------------------------


def moment(shown: str, kind: str) -> str:
    """A date or time in ISO's style as XML has it. Raises 22008."""
    if shown in ("infinity", "-infinity"):
        raise SqlError(
            "22008", f"{kind} out of range", detail=f"XML does not support infinite {kind} values."
        )
    if kind == "date":
        return shown
    day, _, time = shown.partition(" ")
    return f"{day}T" + _MINUTES.sub(r"\1:00\2", time)


def value(datum: Any, ref: TypeRef, settings: TypeSettings, *, hexadecimal: bool) -> str:
    """What stands for a value between tags. `settings` are of ISO's style. Raises 22008."""
    array = t.sql_type(ref.oid)
    if isinstance(array, ArrayType):
        inner = TypeRef(array.element.oid)
        parts = [
            value(x, inner, settings, hexadecimal=hexadecimal) for x in array.items(datum) if x is not None
        ]
        return "".join(f"<element>{x}</element>" for x in parts)
    if ref.oid == t.XML:
        return str(t.output_text(datum, ref, settings))
    if ref.oid == t.BOOL:
        return "true" if datum else "false"
    if ref.oid == t.BYTEA:
        return datum.hex().upper() if hexadecimal else base64.encodebytes(datum).decode().rstrip("\n")
    shown = t.output_text(datum, ref, settings)
    if ref.oid in _MOMENTS:
        shown = moment(shown, _MOMENTS[ref.oid])
    return xml_making.text(shown)


# --- rows ---------------------------------------------------------------------------------------------------


def opened(element: str, form: Form, *, top: bool = True, schema: bool = False) -> str:
    spaces = ""
    if top:
        spaces = f' xmlns:xsi="{_XSI}"' + (f' xmlns="{form.namespace}"' if form.namespace else "")
    if schema and form.namespace:
        spaces += f' xsi:schemaLocation="{form.namespace} #"'
    elif schema:
        spaces += ' xsi:noNamespaceSchemaLocation="#"'
    return f"<{element}{spaces}>\n"


def element_of(table: str, form: Form) -> str:
    """What the document, or each element of a forest, is called. `table` "": the rows are a query's."""
    if table:
        return xml_making.name(table, of_column=True)
    return "row" if form.forest else "table"


class Rows:
    """Rows as elements."""

    def __init__(
        self, columns: Iterable[tuple[str, TypeRef]], element: str, form: Form, settings: TypeSettings, *,
        top: bool = True, hexadecimal: bool = False,
    ) -> None:  # fmt: skip
        self._columns = [(xml_making.name(n, of_column=True), ref) for n, ref in columns]
        self._first = opened(element, form, top=top) if form.forest else "<row>\n"
        self._last = f"</{element}>\n\n" if form.forest else "</row>\n\n"
        self._nulls, self._hexadecimal = form.nulls, hexadecimal
        self._settings = replace(settings, date_style="ISO, MDY")

    def written(self, row: Sequence[Any]) -> str:
        out = [self._first]
        for datum, (name, ref) in zip(row, self._columns, strict=True):
            if datum is not None:
                shown = value(datum, ref, self._settings, hexadecimal=self._hexadecimal)
                out.append(f"  <{name}>{shown}</{name}>\n")
            elif self._nulls:
                out.append(f'  <{name} xsi:nil="true"/>\n')
        return "".join([*out, self._last])


# --- schemas ------------------------------------------------------------------------------------------------

Kind = tuple[str, str, str]
"""Of a type: its schema, its name, and pg_type's typtype."""

_CALLED: Final = {
    t.BPCHAR: "CHAR", t.VARCHAR: "VARCHAR", t.NUMERIC: "NUMERIC", t.INT4: "INTEGER", t.INT2: "SMALLINT", t.INT8: "BIGINT",
    t.FLOAT4: "REAL", t.FLOAT8: "DOUBLE", t.BOOL: "BOOLEAN", t.TIME: "TIME", t.TIMETZ: "TIME_WTZ", t.TIMESTAMP: "TIMESTAMP",
    t.TIMESTAMPTZ: "TIMESTAMP_WTZ", t.DATE: "DATE", t.XML: "XML",
}  # fmt: skip
_TWO: Final = r"\p{Nd}{2}"
_DAY: Final = rf"\p{{Nd}}{{4}}-{_TWO}-{_TWO}"
_TIME: Final = rf"{_TWO}:{_TWO}:{_TWO}(.\p{{Nd}}+)?"
_ZONE: Final = rf"(\+|-){_TWO}:{_TWO}"
_PATTERNS: Final = {
    t.TIME: ("time", _TIME), t.TIMETZ: ("time", _TIME + _ZONE), t.TIMESTAMP: ("dateTime", f"{_DAY}T{_TIME}"),
    t.TIMESTAMPTZ: ("dateTime", f"{_DAY}T{_TIME}{_ZONE}"), t.DATE: ("date", _DAY),
}  # fmt: skip
_WHOLE: Final = {t.INT2: ("short", 15), t.INT4: ("int", 31), t.INT8: ("long", 63)}
_PLAIN: Final = {t.FLOAT4: "float", t.FLOAT8: "double", t.BOOL: "boolean"}
_STRINGS: Final = (t.BPCHAR, t.VARCHAR, t.TEXT)
_ANYTHING: Final = """<xsd:complexType mixed="true">
  <xsd:sequence>
    <xsd:any name="element" minOccurs="0" maxOccurs="unbounded" processContents="skip"/>
  </xsd:sequence>
</xsd:complexType>
"""


@dataclass(frozen=True, slots=True)
class Described:
    """What an XML Schema is of. `relation`: schema and name, of a table's rows."""

    database: str
    columns: Sequence[tuple[str, int]]
    kinds: dict[int, Kind]
    """Of the columns' types, and of those that are beneath domains."""
    beneath: dict[int, int]
    relation: tuple[str, str] | None = None


def _in_parts(first: str, *names: str) -> str:
    return ".".join([first, *(xml_making.name(n, of_column=True).replace(".", "_x002E_") for n in names)])


def _called(of: Described, oid: int) -> str:
    if oid in _CALLED:
        return _CALLED[oid]
    schema, name, kind = of.kinds[oid]
    return _in_parts("Domain" if kind == "d" else "UDT", of.database, schema, name)


def _restriction(base: str, inside: str = "") -> str:
    return f'  <xsd:restriction base="xsd:{base}">\n{inside}  </xsd:restriction>\n'


def _type(of: Described, oid: int, *, hexadecimal: bool) -> str:
    if oid == t.XML:
        return _ANYTHING
    inside = ""
    if oid in _STRINGS:
        inside = _restriction("string")
    elif oid == t.BYTEA:
        inside = _restriction("hexBinary" if hexadecimal else "base64Binary")
    elif oid in _WHOLE:
        base, bits = _WHOLE[oid]
        ends = (
            f'    <xsd:maxInclusive value="{2**bits - 1}"/>\n    <xsd:minInclusive value="{-(2**bits)}"/>\n'
        )
        inside = _restriction(base, ends)
    elif oid in _PLAIN:
        inside = f'  <xsd:restriction base="xsd:{_PLAIN[oid]}"></xsd:restriction>\n'
    elif oid in _PATTERNS:
        base, pattern = _PATTERNS[oid]
        inside = _restriction(base, f'    <xsd:pattern value="{pattern}"/>\n')
    elif oid in of.beneath:
        inside = f'  <xsd:restriction base="{_called(of, of.beneath[oid])}"/>\n'
    return f'<xsd:simpleType name="{_called(of, oid)}">\n{inside}</xsd:simpleType>\n'


def _begun(of: Described, form: Form, *, hexadecimal: bool) -> list[str]:
    """The beginning of a schema, and the types of the columns."""
    said = [oid for _, oid in of.columns]
    types = dict.fromkeys([*said, *(of.beneath[oid] for oid in said if oid in of.beneath)])
    target = ""
    if form.namespace:
        target = f'\n    targetNamespace="{form.namespace}"\n    elementFormDefault="qualified"'
    first = f'<xsd:schema\n    xmlns:xsd="{_XSD}"{target}>\n\n'
    return [first, *(_type(of, oid, hexadecimal=hexadecimal) + "\n" for oid in types)]


def schema(of: Described, form: Form, *, hexadecimal: bool = False) -> str:
    """The XML Schema of rows."""
    element = element_of(of.relation[1] if of.relation is not None else "", form)
    table, row = "TableType", "RowType"
    if of.relation is not None:
        table, row = (_in_parts(first, of.database, *of.relation) for first in (table, row))
    out = _begun(of, form, hexadecimal=hexadecimal)
    out.append(f'<xsd:complexType name="{row}">\n  <xsd:sequence>\n')
    may_lack = ' nillable="true"' if form.nulls else ' minOccurs="0"'
    for name, oid in of.columns:
        shown = xml_making.name(name, of_column=True)
        out.append(f'    <xsd:element name="{shown}" type="{_called(of, oid)}"{may_lack}></xsd:element>\n')
    out.append("  </xsd:sequence>\n</xsd:complexType>\n\n")
    if not form.forest:
        out.append(
            f'<xsd:complexType name="{table}">\n  <xsd:sequence>\n'
            f'    <xsd:element name="row" type="{row}" minOccurs="0" maxOccurs="unbounded"/>\n'
            "  </xsd:sequence>\n</xsd:complexType>\n\n"
        )
    return "".join([*out, _ended(element, row if form.forest else table)])


def schema_of_schema(
    of: Described, name: str, tables: Sequence[str], form: Form, *, hexadecimal: bool = False
) -> str:
    """The XML Schema of all tables of a schema. `of.columns`: those of all of them."""
    inside, many = ("sequence", ' minOccurs="0" maxOccurs="unbounded"') if form.forest else ("all", "")
    first = "RowType" if form.forest else "TableType"
    elements = [
        f'    <xsd:element name="{xml_making.name(x, of_column=True)}" type="{_in_parts(first, of.database, name, x)}"{many}/>\n'
        for x in tables
    ]
    called = _in_parts("SchemaType", of.database, name)
    made = _listing(called, inside, elements)
    last = _ended(xml_making.name(name, of_column=True), called)
    return "".join([*_begun(of, form, hexadecimal=hexadecimal), made, last])


def schema_of_database(
    of: Described, schemas: Sequence[str], form: Form, *, hexadecimal: bool = False
) -> str:
    """The XML Schema of all schemas of a database."""
    elements = [
        f'    <xsd:element name="{xml_making.name(x, of_column=True)}" type="{_in_parts("SchemaType", of.database, x)}"/>\n'
        for x in schemas
    ]
    called = _in_parts("CatalogType", of.database)
    last = _ended(xml_making.name(of.database, of_column=True), called)
    return "".join([*_begun(of, form, hexadecimal=hexadecimal), _listing(called, "all", elements), last])


def _listing(called: str, inside: str, elements: Sequence[str]) -> str:
    listed = "".join(elements)
    return f'<xsd:complexType name="{called}">\n  <xsd:{inside}>\n{listed}  </xsd:{inside}>\n</xsd:complexType>\n\n'


def _ended(element: str, called: str) -> str:
    return f'<xsd:element name="{element}" type="{called}"/>\n\n</xsd:schema>'


__all__ = [
    "Described",
    "Form",
    "Kind",
    "Rows",
    "element_of",
    "moment",
    "opened",
    "schema",
    "schema_of_database",
    "schema_of_schema",
    "value",
]
