"""Objects as SQL text: what pg_get_indexdef, pg_get_constraintdef and their like answer."""

from __future__ import annotations

import itertools
import re
from functools import lru_cache

from planner.abc import Column, Constraint, Oid, SqlError, Table, TypeRef
from planner.catalog import classes_of_operators, collations, own_functions, table_functions
from planner.catalog.catalog import Catalog
from planner.catalog.class_objects import OperatorClass
from planner.catalog.constants import with_constants
from planner.catalog.domains import underneath
from planner.catalog.information_types import BY_OID as INFORMATION_TYPES
from planner.catalog.information_types import OIDS
from planner.catalog.names import quote_identifier, quote_qualified, split_name
from planner.catalog.objects import (
    FIRST_USER_OID,
    Extension,
    Index,
    IndexKey,
    Schema,
    Sequence,
    UserType,
    View,
)
from planner.catalog.routine_objects import Function, Operator
from planner.catalog.row_types import is_row_array, relation_of, row_type_oid
from planner.catalog.stored_queries import stored_query
from planner.catalog.system.relations import INFORMATION_SCHEMA_OID, by_row_type, fact_lines, found_before
from planner.catalog.system.written import (
    column_default,
    condition,
    domain_condition,
    spelled,
    type_of,
    view_query,
)
from planner.catalog.text_search_objects import TextSearchConfiguration, TextSearchDictionary
from planner.catalog.type_objects import BaseType, Collation, Domain
from planner.extensions import class_of
from planner.lexer import Token
from planner.types import BY_NAME as BUILT_IN
from planner.types import BY_OID, bare_type, sql_type
from planner.types.of_extensions import EXTENSION_OF
from planner.types.oids import BIT, BPCHAR, BPCHAR_ARRAY, INTERVAL, TEXT, VARCHAR

_NEXTVAL = re.compile(r"nextval\('((?:[^']|'')*)'(?:::regclass)?\)\Z", re.IGNORECASE)
_NAMED = (
    UserType, Function, Collation, TextSearchConfiguration, TextSearchDictionary, Table, View, Sequence, Index
)  # fmt: skip
_STRING = re.compile(r"^'(?:[^']|'')*'$")


def bare(text: str) -> str:
    """Without parentheses around the whole, as PostgreSQL's pretty form has it."""
    while text.startswith("(") and text.endswith(")"):
        depth = 0
        for i, c in enumerate(text):
            depth += (c == "(") - (c == ")")
            if depth == 0 and i < len(text) - 1:
                return text
        text = text[1:-1].strip()
    return text


def type_in_words(catalog: Catalog, oid: Oid, search_path: tuple[str, ...] = ("public",)) -> str:
    """A type of which no modifier is known, as functions' arguments and results are shown: char is `character` there."""
    shown = type_name(catalog, TypeRef(oid), search_path)
    return shown.replace("bpchar", "character") if oid in (BPCHAR, BPCHAR_ARRAY) else shown


def type_name(catalog: Catalog, ref: TypeRef, search_path: tuple[str, ...] = ("public",)) -> str:
    """format_type() for every type, those of users too. Relations are called like types; an extension by what stands before
    its members, an operator by what stands before its sign: `s.`."""
    if ref.oid == 0:
        return "-"
    if ref.oid in BY_OID and ref.oid < FIRST_USER_OID and ref.oid not in EXTENSION_OF and ref.oid not in OIDS:
        return bare_type(ref)
    if ref.oid < FIRST_USER_OID and (relation := by_row_type().get(ref.oid)) is not None:
        shown = quote_identifier(relation.name)
        if relation.schema not in ("pg_catalog", *search_path):
            shown = f"{relation.schema}.{shown}"
        return f"{shown}[]" if ref.oid == relation.row_array else shown
    thing = catalog.get(ref.oid)
    if isinstance(thing, _NAMED):
        schema = catalog.get(thing.schema_oid)
        shown = quote_identifier(thing.name)
        if (
            isinstance(schema, Schema)
            and schema.name != "pg_catalog"
            and not (_is_found(thing.name, schema, search_path) and catalog.sees(thing, search_path))
        ):
            shown = f"{quote_identifier(schema.name)}.{shown}"
        return shown + sql_type(ref.oid).typmod_out(ref.typmod) if isinstance(thing, BaseType) else shown
    if isinstance(thing, Extension | Operator):
        home = catalog.schema_of(thing.schema_oid).name
        return "" if home in search_path else f"{quote_identifier(home)}."
    element = _element_type(catalog, ref.oid)
    if element is not None:
        return type_name(catalog, TypeRef(element, ref.typmod), search_path) + "[]"
    own = own_functions.found(ref.oid)
    if own is not None:
        extension = (
            catalog.extension(table_functions.EXTENSION) if own.oid in table_functions.functions() else None
        )
        return (type_name(catalog, TypeRef(extension.oid), search_path) if extension else "") + own.name
    try:
        shown = bare_type(ref)
    except SqlError:
        shown = "???"
    return _of_information_schema(ref.oid, search_path) if shown == "???" else shown


def _is_found(name: str, home: Schema, search_path: tuple[str, ...]) -> bool:
    """Whether the bare name is enough: pg_catalog, where it is not named, comes first."""
    hidden = name in BUILT_IN and "pg_catalog" not in search_path
    return home.name in search_path and not hidden and found_before(name, home.name, search_path) is None


def _of_information_schema(oid: Oid, search_path: tuple[str, ...]) -> str:
    """What PostgreSQL's own domains are called, of which the views of information_schema have their columns."""
    name = _information_types().get(oid)
    if name is None:
        return "???"
    element = next((n for n in _information_types().values() if name == f"_{n}"), None)
    shown = name if element is None else f"{element}[]"
    return shown if "information_schema" in search_path else f"information_schema.{shown}"


@lru_cache(maxsize=1)
def _information_types() -> dict[Oid, str]:
    columns = next(fact_lines("pg_type"))
    oid, name, schema = (columns.index(c) for c in ("oid", "typname", "typnamespace"))
    lines = itertools.islice(fact_lines("pg_type"), 1, None)
    return {int(f[oid]): f[name] for f in lines if f[schema] == str(INFORMATION_SCHEMA_OID)}


def _element_type(catalog: Catalog, array_oid: Oid) -> Oid | None:
    """Of which user's type this is the array type."""
    if is_row_array(array_oid):
        return row_type_oid(relation_of(array_oid))
    known = (*catalog.user_types.values(), *catalog.base_types(), *INFORMATION_TYPES.values())
    return next((made.oid for made in known if made.array_oid == array_oid), None)


_WITHOUT_LENGTH = {BPCHAR: "bpchar", BIT: '"bit"'}
"""What the grammar's words for types would be of one character or bit."""


def has_default(column: Column) -> bool:
    """Whether a default is kept in the catalog: NULL is none, unless it is cast to the column's domain, length or precision.

    An interval's precision is not such a cast: it is a matter of how the literal is read.
    """
    if column.default is None or column.default.strip().lower() != "null":
        return column.default is not None
    return bool(column.domain) or (column.type.typmod >= 0 and column.type.oid != INTERVAL)


def null_of(catalog: Catalog, of: Oid, search_path: tuple[str, ...]) -> str:
    """NULL as a default that is kept is shown: with its type, the length of which is no part of it."""
    return f"NULL::{_WITHOUT_LENGTH.get(of) or type_name(catalog, TypeRef(of), search_path)}"


def default_text(
    catalog: Catalog,
    column: Column,
    table: Table | View | None = None,
    search_path: tuple[str, ...] = ("public",),
) -> str | None:
    """The default as pg_get_expr shows it: string literals with their type."""
    if isinstance(table, View):
        table = table.as_table()
    if column.default is None:
        return None
    text = column.default.strip()
    if text.lower() == "null":
        if not has_default(column):
            return None
        return null_of(catalog, column.type.oid, search_path)

    def as_found(name: Token) -> str:
        schema, bare_name = split_name(name.value)
        found = None
        if not schema or catalog.find_schema(schema) is not None:
            found = catalog.find_relation(bare_name, schema, search_path)
        return name.value if found is None else qualified(catalog, found.schema_oid, found.name, search_path)

    if _NEXTVAL.match(text):  # most defaults that are calls are this one
        call = (
            "nextval" + with_constants(text, as_found)[len("nextval") :]
        )  # it may have been said in capitals
        return call if call.endswith("::regclass)") else call[:-1] + "::regclass)"
    if table is not None:
        found = column_default(catalog, table, column, search_path)
        if found is not None:
            return with_constants(found, as_found) if "::regclass" in found else found
    if _STRING.match(text):
        base = TypeRef(column.type.oid)
        if base.oid in (VARCHAR, BPCHAR, TEXT):
            shown = {VARCHAR: "character varying", BPCHAR: "bpchar", TEXT: "text"}[base.oid]
        else:
            shown = type_name(catalog, base)
        return f"{text}::{shown}"
    return spelled(text)


def domain_default(catalog: Catalog, domain: Domain, search_path: tuple[str, ...]) -> str | None:
    """A domain's default as the catalogs show it: functions with their schema where the search path does not find them."""
    column = Column("", underneath(catalog, domain.base)[0], 0, default=domain.default)
    nothing = Table(0, domain.schema_oid, domain.name, (), (), "")
    return default_text(catalog, column, nothing, search_path)


def collation_name(catalog: Catalog, key: str, search_path: tuple[str, ...]) -> str:
    """A collation as definitions name it."""
    made = collations.made(key)
    if made is None:
        return quote_identifier(key)
    return qualified(catalog, made.schema_oid, made.name, search_path)


def qualified(catalog: Catalog, schema_oid: Oid, name: str, search_path: tuple[str, ...]) -> str:
    """The name, with its schema where the search path does not find it."""
    schema = catalog.get(schema_oid)
    assert isinstance(schema, Schema)
    if schema.name in search_path:
        own = catalog.relation_in(schema_oid, name)
        if own is None or catalog.visible(own, search_path):
            return quote_identifier(name)
    return f"{quote_identifier(schema.name)}.{quote_identifier(name)}"


def _column_names(table: Table, attnums: tuple[int, ...]) -> str:
    return ", ".join(quote_identifier(table.columns[table.index_of(a)].name) for a in attnums)


_ACTIONS = {"c": "CASCADE", "n": "SET NULL", "d": "SET DEFAULT", "r": "RESTRICT"}


def constraint_definition(
    catalog: Catalog,
    holder: Table | Domain,
    c: Constraint,
    search_path: tuple[str, ...],
    pretty: bool = False,
) -> str:
    """As pg_get_constraintdef()."""
    suffix = (" NO INHERIT" if c.no_inherit else "") + ("" if c.validated else " NOT VALID")
    if c.kind == "c":
        written = (
            domain_condition(catalog, holder, c.expression, search_path, pretty)
            if isinstance(holder, Domain)
            else condition(catalog, holder, c.expression, search_path, pretty)
        )
        if written is not None:
            return f"CHECK ({written}){suffix}"
        text = bare(spelled(c.expression))
        return f"CHECK ({text}){suffix}" if pretty else f"CHECK (({text})){suffix}"
    assert isinstance(holder, Table)
    table = holder
    columns = _column_names(table, c.columns)
    index = catalog.get(c.index_oid)
    if c.deferrable:
        suffix = " DEFERRABLE" + (" INITIALLY DEFERRED" if c.deferred else "") + suffix
    if isinstance(index, Index) and index.include:
        suffix = f" INCLUDE ({_column_names(table, index.include)}){suffix}"
    if c.kind == "p":
        return f"PRIMARY KEY ({columns}){suffix}"
    if c.kind == "u":
        nulls = " NULLS NOT DISTINCT" if c.nulls_not_distinct else ""
        return f"UNIQUE{nulls} ({columns}){suffix}"
    if c.kind == "x":
        assert isinstance(index, Index)
        keys = ", ".join(
            f"{_index_key(catalog, table, index, i, pretty, search_path)} WITH {operator}"
            for i, operator in enumerate(c.operators, 1)
        )
        included = f" INCLUDE ({_column_names(table, index.include)})" if index.include else ""
        where = (
            f" WHERE ({predicate_text(catalog, table, index, pretty, search_path)})"
            if index.predicate
            else ""
        )
        late = suffix[suffix.index(" DEFERRABLE") :] if c.deferrable else ""
        return f"EXCLUDE USING {index.method} ({keys}){included}{where}{late}"
    target = catalog.get(c.foreign_table)
    assert isinstance(target, Table)
    shown = qualified(catalog, target.schema_oid, target.name, search_path)
    text = f"FOREIGN KEY ({columns}) REFERENCES {shown}({_column_names(target, c.foreign_columns)})"
    text += " MATCH FULL" if c.match == "f" else ""
    if c.on_update in _ACTIONS:
        text += f" ON UPDATE {_ACTIONS[c.on_update]}"
    if c.on_delete in _ACTIONS:
        text += f" ON DELETE {_ACTIONS[c.on_delete]}"
    if c.delete_columns:
        text += f" ({_column_names(table, c.delete_columns)})"
    return text + suffix


def index_column(
    table: Table,
    index: Index,
    position: int,
    catalog: Catalog | None = None,
    pretty: bool = False,
    search_path: tuple[str, ...] = ("public",),
) -> str:
    """One column or expression of an index, 1-based; empty if there is none."""
    if position > len(index.keys):
        extra = position - len(index.keys) - 1
        if extra >= len(index.include):
            return ""
        return quote_identifier(table.columns[table.index_of(index.include[extra])].name)
    key = index.keys[position - 1]
    if key.attnum:
        return quote_identifier(table.columns[table.index_of(key.attnum)].name)
    return expression_shown(table, key.expression, catalog, pretty, search_path)


def expression_shown(
    table: Table,
    text: str,
    catalog: Catalog | None = None,
    pretty: bool = False,
    search_path: tuple[str, ...] = ("public",),
) -> str:
    """An expression in a list of columns: a call as it is, others in parentheses."""
    text = text.strip()
    written = condition(catalog, table, text, search_path, pretty) if catalog is not None else None
    if written is not None:
        return written if _is_call(written) or _is_at_time_zone(written) else f"({written})"
    return text if re.match(r"^\w+\(.*\)$", text) or text.startswith("(") else f"({spelled(text)})"


def _index_key(
    catalog: Catalog, table: Table, index: Index, position: int, pretty: bool, search_path: tuple[str, ...]
) -> str:
    """A key as CREATE INDEX has it: its class of operators and its order with it."""
    key = index.keys[position - 1]
    text = index_column(table, index, position, catalog, pretty, search_path)
    own = (
        table.columns[table.index_of(key.attnum)].collation
        if key.attnum
        else type_of(catalog, table, key.expression)[1]
    )
    if key.collation and key.collation != own:
        text += f" COLLATE {collation_name(catalog, key.collation, search_path)}"
    if key.options or (key.opclass and not _is_default(catalog, key)):
        text += f" {_class_shown(catalog, index.method, key.opclass or _default_class(catalog, table, index, key), search_path)}"
    if key.options:
        text += f" ({_options(key.options)})"
    if key.descending:
        text += " DESC" if key.nulls_first else " DESC NULLS LAST"
    elif key.nulls_first:
        text += " NULLS FIRST"
    return text


def _default_class(catalog: Catalog, table: Table, index: Index, key: IndexKey) -> str:
    """The name of the class that a key has without being asked."""
    from planner.catalog.system.operator_choice import opclass_for

    of = (
        table.columns[table.index_of(key.attnum)].type
        if key.attnum
        else type_of(catalog, table, key.expression)[0]
    )
    found = classes_of_operators.named(catalog, opclass_for(index.method, "", of.oid))
    return found.name if found is not None else ""


def _is_default(catalog: Catalog | None, key: IndexKey) -> bool:
    """Whether it is a user's class that its type has without asking."""
    made = catalog.get(classes_of_operators.oid_of(key.opclass)) if catalog is not None else None
    return isinstance(made, OperatorClass) and made.default


def _class_shown(catalog: Catalog, method: str, said: str, search_path: tuple[str, ...]) -> str:
    """A class of operators by its name; one of an extension with the schema, where the path does not find it."""
    own = classes_of_operators.named(catalog, classes_of_operators.oid_of(said)) if said[0] == "#" else None
    if own is not None:
        from planner.catalog.system.operator_classes import shown

        return shown(catalog, own, search_path)
    member = class_of(method, said.rpartition(".")[2])
    extension = catalog.extension(member[0]) if member is not None else None
    if extension is None:
        return said
    schema, bare = catalog.schema_of(extension.schema_oid).name, said.rpartition(".")[2]
    return bare if schema in search_path else quote_qualified(schema, bare)


def index_definition(
    catalog: Catalog, index: Index, pretty: bool = False, search_path: tuple[str, ...] = ("public",)
) -> str:
    """As pg_get_indexdef(): the whole CREATE INDEX."""
    table = catalog.get(index.table_oid)
    assert isinstance(table, Table)
    keys = [_index_key(catalog, table, index, i, pretty, search_path) for i in range(1, len(index.keys) + 1)]
    schema = catalog.get(table.schema_oid)
    assert isinstance(schema, Schema)
    shown = quote_qualified(schema.name, table.name)
    if pretty and catalog.find_relation(table.name, "", search_path) is table:
        shown = quote_identifier(table.name)
    text = (
        f"CREATE {'UNIQUE ' if index.unique else ''}INDEX {quote_identifier(index.name)} ON {'ONLY ' if table.partitioning is not None else ''}"
        f"{shown} USING {index.method} ({', '.join(keys)})"
    )
    if index.include:
        text += f" INCLUDE ({_column_names(table, index.include)})"
    if index.nulls_not_distinct:
        text += " NULLS NOT DISTINCT"
    if index.options:
        text += f" WITH ({_options(index.options)})"
    if index.predicate:
        text += f" WHERE {predicate_text(catalog, table, index, pretty, search_path)}"
    return text


def _options(kept: tuple[str, ...]) -> str:
    said = (o.partition("=") for o in kept)
    return ", ".join(f"{quote_identifier(n)}={_option(v)}" for n, _, v in said)


def _option(value: str) -> str:
    """A storage parameter's value as PostgreSQL writes it: a word is bare, anything else a literal."""
    return value if quote_identifier(value) == value else "'" + value.replace("'", "''") + "'"


def predicate_text(
    catalog: Catalog,
    table: Table,
    index: Index,
    pretty: bool = False,
    search_path: tuple[str, ...] = ("public",),
) -> str:
    """The WHERE of a partial index."""
    written = condition(catalog, table, index.predicate, search_path, pretty)
    if written is not None:
        return written
    predicate = bare(spelled(index.predicate))
    return predicate if pretty else f"({predicate})"


def _is_call(text: str) -> bool:
    """`COALESCE(a, b)`, `lower(x)`: nothing before or after one call."""
    called = _CALLED.match(text)
    if called is None or called[0] == "ROW(":
        return False
    rest = text[called.end() - 1 :]
    return bare(rest) != rest


_CALLED = re.compile(r"""(?:(?:"[^"]+"|\w+)\.)?(?:"[^"]+"|\w+)\(""")
_NESTED = re.compile(r"'(?:[^']|'')*'|\([^()]*\)")


def _is_at_time_zone(text: str) -> bool:
    """`(a AT TIME ZONE b)`, a call of timezone() in other words, which has its parentheses already."""
    inner = bare(text)
    before = ""
    while inner != before:
        before, inner = inner, _NESTED.sub("", inner)
    return inner != text and " AT TIME ZONE " in inner


def view_definition(
    catalog: Catalog, holder: object, search_path: tuple[str, ...], pretty: bool = False, wrap: int = 0
) -> str:
    """As pg_get_viewdef() of a view or materialized view: its query, ended by a semicolon."""
    kept = stored_query(holder)
    assert kept is not None
    return view_query(catalog, kept, search_path, pretty, wrap) + ";"


def rule_definition(
    catalog: Catalog, holder: View | Table, search_path: tuple[str, ...], pretty: bool
) -> str:
    """As pg_get_ruledef() of the one rule there is: what a view stands for."""
    name = qualified(catalog, holder.schema_oid, holder.name, () if not pretty else search_path)
    query = view_definition(catalog, holder, search_path, pretty)
    return f'CREATE RULE "_RETURN" AS\n    ON SELECT TO {name} DO INSTEAD {query}'
