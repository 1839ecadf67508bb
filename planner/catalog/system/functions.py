"""Definitions, names and comments: pg_get_constraintdef, format_type, pg_table_is_visible, to_regclass, ..."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from planner import aims
from planner.abc import Oid, SqlError, Table, TypeRef
from planner.catalog import collations, information_types
from planner.catalog.by_name import OWN_TEMPORARY, meant_schema
from planner.catalog.information_types import OIDS
from planner.catalog.names import missing_schema, quote_identifier, quote_qualified, split_name
from planner.catalog.objects import (
    FIRST_USER_OID,
    PUBLIC_OID,
    Index,
    Role,
    Schema,
    Sequence,
    UserType,
    View,
)
from planner.catalog.routine_objects import Function, Operator
from planner.catalog.stored_queries import stored_query
from planner.catalog.system import extension_functions, routines
from planner.catalog.system.context import SystemContext
from planner.catalog.system.definitions import (
    bare,
    constraint_definition,
    default_text,
    index_column,
    index_definition,
    qualified,
    type_name,
    view_definition,
)
from planner.catalog.system.descriptions import built_in, commented_on, pg_shdescription
from planner.catalog.system.function_table import system
from planner.catalog.system.reg_routines import number_in
from planner.catalog.system.relations import (
    CLASS_OID,
    SystemRelation,
    by_oid,
    fact_lines,
    found_before,
    relation,
    relations,
    whole_path,
)
from planner.catalog.system.static import static_rows
from planner.catalog.system.styles import styled
from planner.catalog.system.written import condition, type_of
from planner.catalog.type_objects import Collation, CompositeType, Domain
from planner.types import BY_OID, oids
from planner.types.facts import ARRAY_OF
from planner.types.of_extensions import EXTENSION_OF
from planner.types.oids import BOOL, INT4, NAME, OID, OIDVECTOR, PG_NODE_TREE, TEXT

_BIT_ARRAY = 1561


def _class_named(catalog: str | None) -> Oid:
    """The class of objects that a relation of pg_catalog lists; -1: there is no such relation."""
    found = relation("pg_catalog", catalog or "")
    return -1 if found is None else found.oid


# --- visibility -----------------------------------------------------------------------------------


@system("pg_table_is_visible", (OID,), BOOL)
def _table_visible(context: SystemContext, oid: Oid | None) -> bool | None:
    if oid is None:
        return None
    thing = context.catalog.get(oid)
    if isinstance(thing, Table | View | Sequence | Index | CompositeType):
        return context.catalog.visible(thing, context.search_path)
    r = by_oid().get(oid)
    return None if r is None else _found_bare(context, r)


def _found_bare(context: SystemContext, r: SystemRelation) -> bool:
    """Whether nothing else of that name is found before a system relation."""
    for home in whole_path(context.search_path):
        if home == r.schema:
            return True
        schema = context.catalog.find_schema(home)
        if (home, r.name) in relations() or (
            schema is not None and context.catalog.relation_in(schema.oid, r.name) is not None
        ):
            return False
    return False


@system("pg_type_is_visible", (OID,), BOOL)
def _type_visible(context: SystemContext, oid: Oid | None) -> bool | None:
    if oid is None:
        return None
    if oid in BY_OID and oid < FIRST_USER_OID and oid not in EXTENSION_OF and oid not in OIDS:
        return True
    thing = context.catalog.get(oid)
    if isinstance(thing, UserType):
        found = context.catalog.type_named(thing.name, "", context.search_path)
        return found is not None and found.oid == oid
    return None


def _always_visible(context: SystemContext, oid: Oid | None) -> bool | None:
    return None if oid is None else True


@system("pg_function_is_visible", (OID,), BOOL)
def _function_visible(context: SystemContext, oid: Oid | None) -> bool | None:
    made = context.catalog.get(oid) if oid is not None else None
    if isinstance(made, Function):
        return made in context.catalog.functions(made.name, "", context.search_path)
    return _always_visible(context, oid)


@system("pg_operator_is_visible", (OID,), BOOL)
def _operator_visible(context: SystemContext, oid: Oid | None) -> bool | None:
    made = context.catalog.get(oid) if oid is not None else None
    if isinstance(made, Operator):
        return made in context.catalog.operators(made.name, "", context.search_path)
    return _always_visible(context, oid)


@system("pg_collation_is_visible", (OID,), BOOL)
def _collation_visible(context: SystemContext, oid: Oid | None) -> bool | None:
    made = context.catalog.get(oid) if oid is not None else None
    if isinstance(made, Collation):
        found = context.catalog.collation_key(made.name, "", context.search_path)
        return found == collations.key_of(made.oid)
    return _always_visible(context, oid)


for _name in (
    "ts_parser",
    "ts_template",
):
    system(f"pg_{_name}_is_visible", (OID,), BOOL)(_always_visible)


# --- definitions ----------------------------------------------------------------------------------


@system("format_type", (OID, INT4), TEXT)
def _format_type(context: SystemContext, oid: Oid | None, typmod: int | None) -> str | None:
    if oid is None:
        return None
    if typmod is None and oid in _WITHOUT_MODIFIER:
        return _WITHOUT_MODIFIER[oid]
    if typmod is not None and typmod < 0 and oid in _OF_ANY_LENGTH:
        return _OF_ANY_LENGTH[oid]
    typmod = -1 if typmod is None else typmod
    return type_name(context.catalog, TypeRef(oid, typmod), context.search_path)


@system("oidvectortypes", (OIDVECTOR,), TEXT)
def _oidvectortypes(context: SystemContext, kinds: list[Oid] | None) -> str | None:
    """The types of a function's arguments, as pg_proc.proargtypes has them."""
    if kinds is None:
        return None
    return ", ".join(_format_type(context, kind, None) or "" for kind in kinds)


@system("pg_get_indexdef", (OID, INT4, BOOL), TEXT, optional=2)
def _get_indexdef(
    context: SystemContext, oid: Oid | None, column: int | None = 0, pretty: bool | None = False
) -> str | None:
    index = context.catalog.get(oid) if oid is not None else None
    if not isinstance(index, Index) or column is None:
        return None
    if column == 0:
        return styled(context, index_definition(context.catalog, index, bool(pretty), context.search_path))
    table = context.catalog.get(index.table_oid)
    assert isinstance(table, Table)
    shown = index_column(table, index, column, context.catalog, bool(pretty), context.search_path)
    return styled(context, shown)


@system("pg_get_constraintdef", (OID, BOOL), TEXT, optional=1)
def _get_constraintdef(context: SystemContext, oid: Oid | None, pretty: bool | None = False) -> str | None:
    holder = information_types.BY_CONSTRAINT.get(oid or 0) or (
        context.catalog.holder_of(oid) if oid else None
    )
    if isinstance(holder, Table | View):
        for x in holder.triggers:
            if x.oid == oid and x.constraint:
                put_off = " DEFERRABLE" + (" INITIALLY DEFERRED" if x.deferred else "")
                return "TRIGGER" + (put_off if x.deferrable else "")
    if not isinstance(holder, Table | Domain):
        return None
    for c in aims.listed(context.catalog, holder) if isinstance(holder, Table) else holder.constraints:
        if c.oid == oid and not c.index_only:
            shown = constraint_definition(context.catalog, holder, c, context.search_path, bool(pretty))
            return styled(context, shown)
    return None


@system("pg_get_viewdef", (OID, BOOL), TEXT, optional=1)
def _get_viewdef(
    context: SystemContext, oid: Oid | None, pretty: bool | None = False, wrap: int = 0
) -> str | None:
    holder = context.catalog.get(oid) if oid is not None else None
    if stored_query(holder) is None or pretty is None:
        return None
    return styled(context, view_definition(context.catalog, holder, context.search_path, pretty, wrap))


@system("pg_get_viewdef", (OID, INT4), TEXT)
def _get_wrapped_viewdef(context: SystemContext, oid: Oid | None, column: int | None) -> str | None:
    return None if column is None else _get_viewdef(context, oid, True, column)


@system("pg_get_viewdef", (TEXT, BOOL), TEXT, optional=1)
def _get_viewdef_by_name(context: SystemContext, name: str | None, pretty: bool | None = False) -> str | None:
    return _get_viewdef(context, regclass_in(context, name), pretty) if name is not None else None


def _is_converted(context: SystemContext, table: Table, expression: str) -> bool:
    """Whether it is an operator's result and the default of a column of another type: beside the conversion, which goes
    without saying, PostgreSQL's pretty form leaves the operator its parentheses."""
    if bare(expression) == expression:
        return False
    catalog, path = context.catalog, context.search_path
    kind, _ = type_of(catalog, table, expression)
    return any(
        c.default is not None
        and (c.type.oid != kind.oid or c.type.typmod not in (-1, kind.typmod))
        and default_text(catalog, c, table, path) == expression
        for c in table.columns
    )


@system("pg_get_expr", (PG_NODE_TREE, OID, BOOL), TEXT, optional=1)
def _get_expr(
    context: SystemContext, expression: str | None, relation: Oid | None, pretty: bool | None = False
) -> str | None:
    """Expressions are kept as PostgreSQL writes them out; the pretty form drops needless parentheses."""
    if expression is None:
        return None
    table = context.catalog.get(relation) if relation is not None else None
    if pretty and isinstance(table, Table):
        written = condition(context.catalog, table, expression, context.search_path, True)
        if written is not None and _is_converted(context, table, expression):
            written = f"({written})"
        if written is not None:
            return styled(context, written)
    return styled(context, bare(expression) if pretty else expression)


@system("pg_get_serial_sequence", (TEXT, TEXT), TEXT)
def _get_serial_sequence(context: SystemContext, table: str | None, column: str | None) -> str | None:
    if table is None or column is None:
        return None
    thing = context.catalog.get(regclass_in(context, table) or 0)
    if isinstance(thing, Sequence):
        raise SqlError("42703", f'column "{column}" of relation "{thing.name}" does not exist')
    if not isinstance(thing, Table | View):
        raise SqlError("42P01", f'relation "{table}" does not exist')
    attnum = next((c.attnum for c in thing.columns if c.name == column), None)
    if attnum is None:
        raise SqlError("42703", f'column "{column}" of relation "{thing.name}" does not exist')
    for s in context.catalog.sequences_of(thing.oid):
        if s.attnum == attnum:
            schema = context.catalog.get(s.schema_oid)
            if (
                isinstance(schema, Schema)
                and schema.name.startswith("pg_temp_")
                and schema.name in context.search_path
            ):
                return quote_qualified(OWN_TEMPORARY, s.name)
            return qualified(context.catalog, s.schema_oid, s.name, ())
    return None


@system("pg_get_userbyid", (OID,), NAME)
def _get_userbyid(context: SystemContext, oid: Oid | None) -> str | None:
    if oid is None:
        return None
    role = context.catalog.get(oid)
    return role.name if isinstance(role, Role) else f"unknown (OID={oid})"


@system("pg_get_function_arguments", (OID,), TEXT)
def _function_arguments(context: SystemContext, oid: Oid | None) -> str | None:
    return _arguments(context, oid, 0)


@system("pg_get_function_identity_arguments", (OID,), TEXT)
def _identity_arguments(context: SystemContext, oid: Oid | None) -> str | None:
    return _arguments(context, oid, 1)


@lru_cache(maxsize=1)
def _signatures() -> dict[Oid, tuple[str, str]]:
    """Arguments with and without their defaults, of functions that have more to them than types."""
    lines = fact_lines("signatures")
    next(lines)
    return {int(oid): (shown, shown if bare == r"\N" else bare) for oid, shown, bare in lines}


def _arguments(context: SystemContext, oid: Oid | None, form: int) -> str | None:
    made = context.catalog.get(oid) if oid is not None else None
    if isinstance(made, Function):
        return routines.arguments(context, made, defaults=form == 0)
    row = _proc(oid) or _of_extension(context, oid)
    if row is None:
        return None
    known = _signatures().get(row[0])
    if known is not None:
        return known[form]
    return ", ".join(_type_shown(context, t) for t in row[19])


def _type_shown(context: SystemContext, oid: Oid) -> str:
    """A type that nobody has asked the length of: `character`, not `bpchar`, which is one of any length."""
    whole = {oids.BPCHAR: "character", oids.BPCHAR_ARRAY: "character[]", oids.BIT: "bit", _BIT_ARRAY: "bit[]"}
    return whole.get(oid) or type_name(context.catalog, TypeRef(oid))


@system("pg_get_function_result", (OID,), TEXT)
def _function_result(context: SystemContext, oid: Oid | None) -> str | None:
    made = context.catalog.get(oid) if oid is not None else None
    if isinstance(made, Function):
        return routines.result(context, made)
    row = _proc(oid) or _of_extension(context, oid)
    if row is None or row[9] == "p":
        return None
    shown = _type_shown(context, row[18])
    return f"SETOF {shown}" if row[13] else shown


_PROCS: dict[Oid, tuple[Any, ...]] = {}


def _proc(oid: Oid | None) -> tuple[Any, ...] | None:
    if not _PROCS:
        _PROCS.update({row[0]: row for row in static_rows("pg_proc")})
    return _PROCS.get(oid) if oid is not None else None


def _of_extension(context: SystemContext, oid: Oid | None) -> tuple[Any, ...] | None:
    return next((row for row in extension_functions.rows(context.catalog) if row[0] == oid), None)


_ANY: Final = "\0"
"""Nobody can say this: no catalog was named."""


@system("obj_description", (OID, NAME), TEXT, optional=1)
def _obj_description(context: SystemContext, oid: Oid | None, catalog: str | None = _ANY) -> str | None:
    if oid is None or catalog is None:
        return None
    wanted = _class_named(catalog) if catalog != _ANY else None
    for row in commented_on(context, oid):
        if row[2] == 0 and (wanted is None or row[1] == wanted):
            found: str = row[3]
            return found or None
    schema = context.catalog.get(oid)
    if isinstance(schema, Schema) and schema.name == "public":
        oid = PUBLIC_OID  # every database's is described as the first one's
    return built_in(oid, wanted)


@system("shobj_description", (OID, NAME), TEXT)
def _shobj_description(context: SystemContext, oid: Oid | None, catalog: str | None) -> str | None:
    wanted = _class_named(catalog)
    for row in pg_shdescription(context):
        if row[0] == oid and row[1] == wanted:
            found: str = row[2]
            return found
    return None


@system("col_description", (OID, INT4), TEXT)
def _col_description(context: SystemContext, oid: Oid | None, attnum: int | None) -> str | None:
    for row in commented_on(context, oid) if oid is not None and attnum else ():
        if row[2] == attnum and row[1] == CLASS_OID:
            found: str = row[3]
            return found or None
    return None


# --- names and OIDs -------------------------------------------------------------------------------


@system("to_regclass", (TEXT,), 2205)
def _to_regclass(context: SystemContext, text: str | None) -> Oid | None:
    """The OID of a relation by name, or None."""
    if text is None:
        return None
    if (number := number_in(text)) is not None:
        return number
    schema, name = split_name(text, context.catalog.here, relation=True)
    schema = meant_schema(schema, context.search_path)
    if schema and context.catalog.find_schema(schema) is None:
        return None
    if schema:
        system = relations().get((schema, name))
        found = context.catalog.find_relation(name, schema, context.search_path)
    else:
        found = context.catalog.find_relation(name, "", context.search_path)
        home = _schema(context, found.schema_oid) if found is not None else ""
        system = found_before(name, home, context.search_path)
    return system.oid if system is not None else found.oid if found is not None else None


def regclass_in(context: SystemContext, text: str | None) -> Oid | None:
    """The cast `text::regclass`. Raises 3F000, 42P01."""
    oid: Oid | None = _to_regclass(context, text)
    if oid is None and text is not None:
        if text == "-":
            return 0
        schema, name = split_name(text)
        if schema and context.catalog.find_schema(meant_schema(schema, context.search_path)) is None:
            raise missing_schema(schema)
        shown = f"{schema}.{name}" if schema else name
        raise SqlError("42P01", f'relation "{shown}" does not exist')
    return oid


def regclass_out(context: SystemContext, oid: Oid | None) -> str | None:
    """A regclass as text: the name, qualified where the search path does not find it."""
    if oid is None:
        return None
    if oid == 0:
        return "-"
    thing = context.catalog.get(oid)
    if isinstance(thing, Table | View | Sequence | Index | CompositeType):
        if context.catalog.visible(thing, context.search_path):
            return quote_identifier(thing.name)
        return qualified(context.catalog, thing.schema_oid, thing.name, ())
    r = by_oid().get(oid)
    if r is None:
        return str(oid)
    return r.name if _found_bare(context, r) else f"{r.schema}.{r.name}"


def _schema(context: SystemContext, oid: Oid) -> str:
    schema = context.catalog.get(oid)
    assert isinstance(schema, Schema)
    return schema.name


_WITHOUT_MODIFIER = {oids.BPCHAR: "character", oids.BPCHAR_ARRAY: "character[]"}
"""Types that are called otherwise where nothing is said of a modifier than where there is none."""
_OF_ANY_LENGTH = {oids.BIT: '"bit"', ARRAY_OF[oids.BIT]: '"bit"[]'}
"""Bit strings of any length: the word alone, read as SQL, is one bit."""


def regtype_out(context: SystemContext, oid: Oid | None) -> str | None:
    if oid is None:
        return None
    shown = _WITHOUT_MODIFIER.get(oid) or type_name(context.catalog, TypeRef(oid), context.search_path)
    return str(oid) if shown == "???" else shown


def regnamespace_out(context: SystemContext, oid: Oid | None) -> str | None:
    if oid is None:
        return None
    thing = context.catalog.get(oid)
    return quote_identifier(thing.name) if isinstance(thing, Schema) else str(oid or "-")


# --- names that may not exist -----------------------------------------------------------------------


_UNREADABLE = {"22P02", "42602", "42P02", "54023"}
"""SQLSTATEs of what is no name of a function or operator, whether or not one is there."""


def _or_null(read: str) -> Callable[[SystemContext, str | None], Oid | None]:
    raised = _UNREADABLE | ({"42704"} if read in ("REGPROCEDURE", "REGOPERATOR") else set())

    def look(context: SystemContext, text: str | None) -> Oid | None:
        from planner.catalog.system import reg_names

        if text is None:
            return None
        try:
            return reg_names.INPUT[getattr(oids, read)](context, text)
        except SqlError as e:
            if e.sqlstate in raised:
                raise
            return None

    return look


for _kind in (
    "REGTYPE",
    "REGPROC",
    "REGPROCEDURE",
    "REGOPER",
    "REGOPERATOR",
    "REGNAMESPACE",
    "REGROLE",
    "REGCOLLATION",
):
    system(f"to_{_kind.lower()}", (TEXT,), getattr(oids, _kind))(_or_null(_kind))
