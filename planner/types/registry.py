"""The one list of types: to add a type, write its family in a file beside this one and a line here.

    TypeRef(oid, typmod)  ->  SqlType (behaviour)  ->  arrow, duckdb, text closures, literals, names

Arrays come of themselves, for every element type listed. Types that PostgreSQL has and this registry
has not are known by OID and name (`facts`): they can be described, not stored or read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Final

import pyarrow as pa

from planner.abc import SqlError, TypeRef
from planner.errors import NoSuchType
from planner.types import oids
from planner.types.arrays import ArrayType, VectorType
from planner.types.base import Coercion, SqlType, TextInput, TextOutput
from planner.types.bits import BitType
from planner.types.booleans import BoolType
from planner.types.bytea import ByteaType
from planner.types.datetimes import DateType, TimestampType, TimeType, TimeTzType
from planner.types.embeddings import EmbeddingType
from planner.types.facts import ARRAY_OF, BY_NAME, BY_OID, ELEMENT_OF, FIRST_USER_OID
from planner.types.floats import FloatType
from planner.types.geometry import GEOMETRIC, GeometryType
from planner.types.hstores import HstoreType
from planner.types.integers import CountedType, IntegerType, RegType, UnsignedType
from planner.types.intervals import IntervalType
from planner.types.jsonpaths import JsonPathType
from planner.types.jsons import JsonType
from planner.types.log_places import LogPlaceType
from planner.types.ltrees import LtreeType
from planner.types.macaddrs import MacaddrType
from planner.types.money import MoneyType
from planner.types.networks import NetworkType
from planner.types.number_queries import NumberQueryType
from planner.types.numeric import NumericType
from planner.types.of_extensions import EXTENSION_OF, MEMBERS
from planner.types.places import PlaceType
from planner.types.ranges import range_types
from planner.types.settings import DEFAULT_SETTINGS, TypeSettings
from planner.types.speech import SPEAKER
from planner.types.texts import (
    BlankPaddedType,
    CopiedType,
    LengthType,
    NameType,
    OneByteType,
    RecordType,
    ShownType,
    TextType,
    UnreadType,
)
from planner.types.textsearch import TextSearchType
from planner.types.transactions_seen import SnapshotType
from planner.types.uuids import UuidType
from planner.types.xmls import XmlType
from storage.abc import Datum

_REG_OIDS: Final = (
    oids.REGPROC,
    oids.REGPROCEDURE,
    oids.REGOPER,
    oids.REGOPERATOR,
    oids.REGCLASS,
    oids.REGTYPE,
    oids.REGCONFIG,
    oids.REGDICTIONARY,
    oids.REGNAMESPACE,
    oids.REGROLE,
    oids.REGCOLLATION,
)
_SHOWN_OIDS: Final = (
    oids.CSTRING,
    oids.VOID,
    oids.TRIGGER,
    oids.PG_DDL_COMMAND,
    oids.ANY,
    oids.ANYARRAY,
    oids.ANYELEMENT,
)

_OF_EXTENSIONS: Final[dict[str, Callable[[int], SqlType]]] = {
    "citext": TextType,
    "hstore": HstoreType,
    "ltree": LtreeType,
    "lquery": LtreeType,
    "ltxtquery": LtreeType,
    "query_int": NumberQueryType,
    "vector": lambda _oid: EmbeddingType(),
}


def _families() -> dict[int, SqlType]:
    int2 = IntegerType(oids.INT2, 16, "SMALLINT", "smallint")
    oid = UnsignedType(oids.OID)
    scalars: list[SqlType] = [
        BoolType(),
        int2,
        IntegerType(oids.INT4, 32, "INTEGER", "integer"),
        IntegerType(oids.INT8, 64, "BIGINT", "bigint"),
        FloatType(oids.FLOAT4),
        FloatType(oids.FLOAT8),
        NumericType(),
        TextType(oids.TEXT),
        LengthType(oids.VARCHAR, "character varying"),
        BlankPaddedType(oids.BPCHAR, "character"),
        NameType(),
        OneByteType(),
        TextType(oids.UNKNOWN),
        TextType(oids.REFCURSOR),
        RecordType(oids.RECORD),
        ByteaType(),
        DateType(),
        TimeType(),
        TimeTzType(),
        TimestampType(False),
        TimestampType(True),
        IntervalType(),
        UuidType(),
        PlaceType(),
        LogPlaceType(),
        MoneyType(),
        SnapshotType(oids.PG_SNAPSHOT),
        SnapshotType(oids.TXID_SNAPSHOT),
        JsonType(oids.JSON),
        JsonType(oids.JSONB),
        JsonPathType(),
        TextSearchType(oids.TSVECTOR),
        TextSearchType(oids.TSQUERY),
        *(GeometryType(n) for n in sorted(GEOMETRIC)),
        BitType(oids.BIT),
        BitType(oids.VARBIT),
        NetworkType(oids.INET),
        NetworkType(oids.CIDR),
        MacaddrType(oids.MACADDR),
        MacaddrType(oids.MACADDR8),
        *(_OF_EXTENSIONS[m.typname](m.oid) for members in MEMBERS.values() for m in members),
        oid,
        CountedType(oids.XID),
        CountedType(oids.CID),
        CountedType(oids.XID8, 64),
        VectorType(oids.INT2VECTOR, int2),
        VectorType(oids.OIDVECTOR, oid),
        *(RegType(n) for n in _REG_OIDS),
        # ANY is a reserved word: bare, the name would not be read back.
        *(ShownType(n, '"any"' if n == oids.ANY else "") for n in _SHOWN_OIDS),
        CopiedType(oids.ACLITEM),
        UnreadType(oids.PG_NODE_TREE),
        XmlType(),
    ]
    scalars += range_types({t.oid: t for t in scalars})
    families = {t.oid: t for t in scalars}
    for t in scalars:
        array = ARRAY_OF.get(t.oid)
        if array is not None and array not in families:
            families[array] = ArrayType(array, t, BY_OID[t.oid].typdelim)
    return families


TYPES: Final[dict[int, SqlType]] = _families()

# SQL's own spellings of type names, beside those of pg_type.
_ALIASES: Final = {
    "int": oids.INT4,
    "integer": oids.INT4,
    "smallint": oids.INT2,
    "bigint": oids.INT8,
    "real": oids.FLOAT4,
    "double precision": oids.FLOAT8,
    "float": oids.FLOAT8,
    "decimal": oids.NUMERIC,
    "dec": oids.NUMERIC,
    "boolean": oids.BOOL,
    "character varying": oids.VARCHAR,
    "char varying": oids.VARCHAR,
    "national character varying": oids.VARCHAR,
    "nchar varying": oids.VARCHAR,
    "character": oids.BPCHAR,
    "char": oids.BPCHAR,
    "national character": oids.BPCHAR,
    "nchar": oids.BPCHAR,
    '"char"': oids.CHAR,
    "timestamp without time zone": oids.TIMESTAMP,
    "timestamp with time zone": oids.TIMESTAMPTZ,
    "time without time zone": oids.TIME,
    "time with time zone": oids.TIMETZ,
    "bit varying": oids.VARBIT,
}
_CHAR_NAMES: Final = frozenset(("character", "char", "national character", "nchar"))


def sql_type(oid: int) -> SqlType:
    """The behaviour of a type. Raises 0A000 for one that is only known by name, 42704 for an unknown OID."""
    found = TYPES.get(oid)
    if found is None:
        fact = BY_OID.get(oid)
        if fact is None:
            raise SqlError("42704", f"type with OID {oid} does not exist")
        raise SqlError("0A000", f"type {fact.typname} is not supported")
    return found


def is_known(oid: int) -> bool:
    """Whether values of the type can be read and shown."""
    return oid in TYPES


def check_storable(ref: TypeRef) -> None:
    """Raises 0A000 when no table can have a column of the type (42P16 for pseudo-types)."""
    fact = BY_OID.get(ref.oid)
    if fact is not None and fact.typtype == "p":
        raise SqlError("42P16", f"column has pseudo-type {fact.typname}")
    t = sql_type(ref.oid)
    if not t.storable:
        raise SqlError("0A000", f"columns of type {t.format(ref.typmod)} are not supported")


def arrow_type(ref: TypeRef) -> pa.DataType:
    """The canonical Arrow type (storage.abc)."""
    return sql_type(ref.oid).arrow(ref.typmod)


def duckdb_type(ref: TypeRef) -> str:
    """The type of a column in a DuckDB table."""
    return sql_type(ref.oid).duckdb(ref.typmod)


def list_type(ref: TypeRef) -> str:
    """DuckDB's type of what a query computes: an array's elements are a list there, other types are as stored."""
    found = sql_type(ref.oid)
    return found.list_type(-1) if isinstance(found, ArrayType) else found.duckdb(ref.typmod)


def array_datum(items: Sequence[Datum] | None, oid: int) -> Datum:
    """An array of one dimension with these elements, as the datum of the array type."""
    if items is None:
        return None
    found = sql_type(oid)
    return found.of_items(items) if isinstance(found, ArrayType) else list(items)


def array_items(datum: Datum, oid: int) -> list[Datum]:
    """The elements of an array's datum, row by row."""
    found = sql_type(oid)
    return found.items(datum) if isinstance(found, ArrayType) else list(datum)


def array_slices(datum: Datum, oid: int, dimensions: int) -> list[Datum]:
    """The arrays of so many dimensions that an array's datum is made of. Raises 2202E."""
    found = sql_type(oid)
    assert isinstance(found, ArrayType)
    return found.slices(datum, dimensions)


def format_type(ref: TypeRef) -> str:
    """PostgreSQL's format_type(oid, typmod): a type that somebody made with its schema, where whoever is spoken to would not
    find it by its name alone (`planner.types.speech`)."""
    if ref.oid >= FIRST_USER_OID or ref.oid in EXTENSION_OF:
        speaker = SPEAKER.get()
        if speaker is not None:
            return speaker(ref)
    return bare_type(ref)


@lru_cache(maxsize=4096)
def bare_type(ref: TypeRef) -> str:
    """A type as `format_type` says it, by the name that it has in its schema."""
    found = TYPES.get(ref.oid)
    if found is not None:
        return found.format(ref.typmod)
    fact = BY_OID.get(ref.oid)
    if fact is None:
        return "???" if ref.oid else "-"
    if fact.typcategory == "A" and fact.typelem:
        return bare_type(TypeRef(fact.typelem)) + "[]"
    return told(fact.typname) if ref.oid >= FIRST_USER_OID else fact.typname


def called(oid: int, name: str) -> str:
    """What a message calls somebody's type, of which it knows the name."""
    speaker = SPEAKER.get()
    return told(name) if speaker is None else speaker(TypeRef(oid))


def told(name: str) -> str:
    """What messages call a user's type: quoted where a statement would have to quote it."""
    from planner.catalog.names import quote_identifier  # the catalog imports the types

    return quote_identifier(name)


_BLANK_PADDED: Final = (oids.BPCHAR, oids.BPCHAR_ARRAY)


def type_in_words(oid: int) -> str:
    """A type without a modifier as messages and information_schema call it (PostgreSQL's `format_type_be`): `character`
    where `format_type` says `bpchar`, which is what takes any length."""
    shown = format_type(TypeRef(oid))
    return shown.replace("bpchar", "character") if oid in _BLANK_PADDED else shown


def literal_sql(datum: Datum, ref: TypeRef) -> str:
    """A DuckDB expression of the type's DuckDB type with this value."""
    t = sql_type(ref.oid)
    if datum is None:
        return f"CAST(NULL AS {t.duckdb(ref.typmod)})"
    return t.literal(datum, ref.typmod)


def select_sql(expr: str, ref: TypeRef) -> str:
    """What to select so that DuckDB's Arrow output is canonical after `to_canonical`."""
    return sql_type(ref.oid).select_sql(expr, ref.typmod)


def store_sql(expr: str, ref: TypeRef) -> str:
    """The value to insert into a DuckDB table's column, from a canonical Arrow column."""
    return sql_type(ref.oid).store_sql(expr, ref.typmod)


def to_canonical(array: Any, ref: TypeRef) -> Any:
    """An Arrow array (or chunked array) from DuckDB, in the canonical Arrow type. Free where it is so already."""
    return sql_type(ref.oid).to_canonical(array, ref.typmod)


@lru_cache(maxsize=4096)
def text_input(ref: TypeRef, settings: TypeSettings = DEFAULT_SETTINGS) -> TextInput:
    """PostgreSQL's input function for a type, resolved: call it per value. Raises SqlError."""
    return sql_type(ref.oid).text_input(ref.typmod, settings)


@lru_cache(maxsize=4096)
def text_output(ref: TypeRef, settings: TypeSettings = DEFAULT_SETTINGS) -> TextOutput:
    """PostgreSQL's output function for a type, resolved: call it per value (never with None)."""
    return sql_type(ref.oid).text_output(ref.typmod, settings)


def input_text(text: str, ref: TypeRef, settings: TypeSettings = DEFAULT_SETTINGS) -> Datum:
    return text_input(ref, settings)(text)


def output_text(datum: Datum, ref: TypeRef, settings: TypeSettings = DEFAULT_SETTINGS) -> str:
    return text_output(ref, settings)(datum)


@lru_cache(maxsize=4096)
def coercion(ref: TypeRef, explicit: bool = False) -> Coercion | None:
    """What brings a datum of the same type to the modifier: assignment (22001, 22003) or explicit cast."""
    return sql_type(ref.oid).coercion(ref.typmod, explicit)


_VOLATILE_INPUT: Final = re.compile(r"\b(now|today|tomorrow|yesterday)\b", re.IGNORECASE)
CLOCK_OIDS: Final = frozenset((oids.DATE, oids.TIME, oids.TIMETZ, oids.TIMESTAMP, oids.TIMESTAMPTZ))
"""Types whose input knows `now`."""


def is_volatile_input(text: str, ref: TypeRef) -> bool:
    """Whether the text means another value tomorrow, so that a plan must not keep it as a constant."""
    oid = ref.oid
    element = BY_OID[oid].typelem if oid in BY_OID else 0
    return (oid in CLOCK_OIDS or element in CLOCK_OIDS) and _VOLATILE_INPUT.search(text) is not None


def array_of(oid: int) -> int:
    """The array type over an element type. Raises 42704."""
    array = ARRAY_OF.get(oid)
    if array is None:
        raise SqlError("42704", f"could not find array type for data type {format_type(TypeRef(oid))}")
    return array


def element_of(oid: int) -> int:
    """The element type of an array type; 0 for a type that is no array."""
    t = TYPES.get(oid)
    return t.element.oid if isinstance(t, ArrayType) else 0


_WITH_ARGS: Final = re.compile(r"([^(]+)\(([^)]*)\)(.*)")
_INTERVAL_NAME: Final = re.compile(r"interval\s+([a-z]+(?:\s+to\s+[a-z]+)?)", re.IGNORECASE)


def resolve_name(name: str, typmods: Sequence[str | int] = ()) -> TypeRef:
    """`int4`, `character varying` with ("20",), `numeric(10,2)[]`, `interval day to second` -> TypeRef.

    Names are folded to lower case; `pg_catalog.` is allowed before them. A `float(n)` picks its size.
    Raises 42704 for an unknown name, 42601 and 22023 for bad modifiers.
    """
    key = " ".join(name.lower().split()).removeprefix("pg_catalog.").removeprefix('"pg_catalog".')
    args = [str(a) for a in typmods]
    written = _WITH_ARGS.fullmatch(key)
    if written is not None:
        key = " ".join((written[1].strip() + " " + written[3].strip()).split())
        args = [a.strip() for a in written[2].split(",")]
    dimensions = 0
    while key.endswith("[]"):
        key, dimensions = key[:-2].rstrip(), dimensions + 1
    interval = _INTERVAL_NAME.fullmatch(key)
    if interval is not None:
        key, args = "interval", [interval[1], *args]
    if key == "float" and args:
        return _array(TypeRef(_float_of(args)), dimensions)
    oid = _ALIASES.get(key)
    if oid is None:
        fact = BY_NAME.get(key.strip('"'))
        if fact is None:
            raise NoSuchType(name)
        oid = fact.oid
    plain_bit = key == "bit" and "pg_catalog" not in name.lower()  # as the grammar's word it is bit(1)
    if (key in _CHAR_NAMES or plain_bit) and not args:
        args = ["1"]
    ref = TypeRef(oid, sql_type(oid).typmod_in(args)) if args else TypeRef(oid)
    return _array(ref, dimensions)


def modifier(oid: int, args: Sequence[str], name: str) -> int:
    """That of a type, or of arrays over one, which is found by the catalog. Raises 42601 for users' types, and what the type says of it."""
    if oid not in EXTENSION_OF:
        raise SqlError("42601", f'type modifier is not allowed for type "{name}"')
    return sql_type(ELEMENT_OF.get(oid, oid)).typmod_in(args)


def _array(ref: TypeRef, dimensions: int) -> TypeRef:
    return TypeRef(array_of(ref.oid), ref.typmod) if dimensions else ref


def _float_of(args: Sequence[str]) -> int:
    bits = int(args[0])
    if bits < 1:
        raise SqlError("22023", "precision for type float must be at least 1 bit")
    if bits > 53:
        raise SqlError("22023", "precision for type float must be less than 54 bits")
    return oids.FLOAT4 if bits <= 24 else oids.FLOAT8
