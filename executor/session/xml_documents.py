"""query_to_xml, table_to_xml and their kin: queries that are known when they run, their rows put into one document.

    xpath('/row/n/text()', query_to_xml('SELECT count(*) AS n FROM ' || t, false, true, ''))      how many rows each table has

They run in the session's block, as EXECUTE of a function that only reads does, with the rights of who asks.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError
from executor.procedural.result_rows import columns_of, rows_of
from executor.session import asked, cursors
from planner.abc import Plan, ResultColumn
from planner.catalog import Function
from planner.types import xml_documents as xml
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session

_CHARS_MAX: Final = 2**30
"""Of one document, as of any value of PostgreSQL's."""
_TABLES: Final = (
    "SELECT oid FROM pg_catalog.pg_class WHERE relnamespace = {} AND relkind IN ('r', 'm', 'v')"
    " AND pg_catalog.has_table_privilege(oid, 'SELECT') ORDER BY relname"
)
_SCHEMAS: Final = (
    "SELECT nspname FROM pg_catalog.pg_namespace WHERE pg_catalog.has_schema_privilege(oid, 'USAGE')"
    " AND NOT (nspname ~ '^pg_' OR nspname = 'information_schema') ORDER BY nspname"
)
_KINDS: Final = (
    "SELECT t.oid, n.nspname, t.typname, t.typtype, t.typbasetype FROM pg_catalog.pg_type t"
    " JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace WHERE t.oid IN ({})"
)


async def call(session: Session, f: Function, arguments: Sequence[Datum]) -> Datum:
    """One call. Raises what its queries raise, 34000, 3F000, 22008, 54000."""
    return await _BY_NAME[f.name](session, *arguments)


async def _query(
    session: Session, query: Any, nulls: Any, forest: Any, namespace: Any, *, described: bool = False
) -> str:
    form = xml.Form(nulls, forest, namespace)
    return await _document(session, query, "", form, described=described)


async def _table(
    session: Session, oid: Any, nulls: Any, forest: Any, namespace: Any, *, described: bool = False
) -> str:
    return await _of_table(session, oid, xml.Form(nulls, forest, namespace), described=described)


async def _query_and_schema(session: Session, *arguments: Any) -> str:
    return await _query(session, *arguments, described=True)


async def _table_and_schema(session: Session, *arguments: Any) -> str:
    return await _table(session, *arguments, described=True)


async def _query_schema(session: Session, query: Any, nulls: Any, forest: Any, namespace: Any) -> str:
    plan = _planned(session, query)
    return await _schema(session, _columns(plan.columns), xml.Form(nulls, forest, namespace))


async def _table_schema(session: Session, oid: Any, nulls: Any, forest: Any, namespace: Any) -> str:
    return await _schema_of_table(session, oid, xml.Form(nulls, forest, namespace))


async def _schema_of_table(session: Session, oid: Any, form: xml.Form) -> str:
    schema, name, _ = await _relation(session, oid)
    return await _schema(session, await _columns_of(session, [(oid,)]), form, (schema, name))


async def _columns_of(session: Session, tables: Sequence[tuple[int]]) -> list[tuple[str, int]]:
    """Names and types of tables' columns, domains as domains."""
    found: list[tuple[str, int]] = []
    for (oid,) in tables:
        found += await asked.rows(
            session,
            f"SELECT attname, atttypid FROM pg_catalog.pg_attribute WHERE attrelid = {oid} AND attnum > 0 AND NOT attisdropped"
            " ORDER BY attnum",
        )
    return found


async def _cursor(session: Session, name: Any, count: Any, nulls: Any, forest: Any, namespace: Any) -> str:
    form = xml.Form(nulls, forest, namespace)
    portal = _portal(session, name)
    rows = await cursors.move(portal, "forward", count)
    written = _writer(session, portal.prepared.plan.columns, "", form)
    return _joined(form, xml.element_of("", form), [written.written(r) for r in rows])


async def _cursor_schema(session: Session, name: Any, nulls: Any, forest: Any, namespace: Any) -> str:
    columns = _columns(_portal(session, name).prepared.plan.columns)
    return await _schema(session, columns, xml.Form(nulls, forest, namespace))


async def _schema_rows(session: Session, name: Any, nulls: Any, forest: Any, namespace: Any) -> str:
    return await _of_schema(session, name, xml.Form(nulls, forest, namespace))


async def _schema_and_schema(session: Session, name: Any, nulls: Any, forest: Any, namespace: Any) -> str:
    described = await _schema_schema(session, name, nulls, forest, namespace)
    return await _of_schema(session, name, xml.Form(nulls, forest, namespace), schema=described)


async def _schema_schema(session: Session, name: Any, nulls: Any, forest: Any, namespace: Any) -> str:
    tables = await asked.rows(session, _TABLES.format(_schema_oid(session, name)))
    described = await _described(session, await _columns_of(session, tables))
    names = [(await _relation(session, oid))[1] for (oid,) in tables]
    form = xml.Form(nulls, forest, namespace)
    return xml.schema_of_schema(described, name, names, form, hexadecimal=_hexadecimal(session))


async def _database(session: Session, nulls: Any, forest: Any, namespace: Any) -> str:
    return await _of_database(session, xml.Form(nulls, forest, namespace))


async def _database_and_schema(session: Session, nulls: Any, forest: Any, namespace: Any) -> str:
    described = await _database_schema(session, nulls, forest, namespace)
    return await _of_database(session, xml.Form(nulls, forest, namespace), schema=described)


async def _database_schema(session: Session, nulls: Any, forest: Any, namespace: Any) -> str:
    schemas = [name for (name,) in await asked.rows(session, _SCHEMAS)]
    columns: list[tuple[str, int]] = []
    for name in schemas:
        tables = await asked.rows(session, _TABLES.format(_schema_oid(session, name)))
        columns += await _columns_of(session, tables)
    described = await _described(session, columns)
    form = xml.Form(nulls, forest, namespace)
    return xml.schema_of_database(described, schemas, form, hexadecimal=_hexadecimal(session))


async def _of_database(session: Session, form: xml.Form, schema: str = "") -> str:
    parts = [
        await _of_schema(session, name, form, top=False) + "\n"
        for (name,) in await asked.rows(session, _SCHEMAS)
    ]
    return _around(session.database, form, parts, schema=schema)


def _portal(session: Session, name: str) -> Any:
    portal = session.portals.get(name)
    if portal is None or "cursor" not in portal.extra:
        raise ExecutionError("34000", f'cursor "{name}" does not exist')
    return portal


def _schema_oid(session: Session, name: str) -> int:
    """Raises 3F000."""
    found = session.catalog.find_schema(name)
    if found is None:
        raise ExecutionError("3F000", f'schema "{name}" does not exist')
    return int(found.oid)


async def _of_schema(
    session: Session, name: str, form: xml.Form, *, top: bool = True, schema: str = ""
) -> str:
    tables = await asked.rows(session, _TABLES.format(_schema_oid(session, name)))
    parts = [await _of_table(session, oid, form, top=False) + "\n" for (oid,) in tables]
    return _around(name, form, parts, top=top, schema=schema)


def _around(name: str, form: xml.Form, parts: Sequence[str], *, top: bool = True, schema: str = "") -> str:
    """A schema's or the database's parts as one document."""
    element = xml.element_of(name, form)
    first = xml.opened(element, form, top=top, schema=bool(schema))
    return _limited([first, "\n", f"{schema}\n\n" if schema else "", *parts, f"</{element}>\n"])


async def _of_table(
    session: Session, oid: int, form: xml.Form, *, top: bool = True, described: bool = False
) -> str:
    _, name, shown = await _relation(session, oid)
    schema = await _schema_of_table(session, oid, form) if described else ""
    return await _document(session, f"SELECT * FROM {shown}", name, form, top=top, schema=schema)


async def _relation(session: Session, oid: int) -> tuple[str, str, str]:
    """Schema, name, and how a query says both. Raises 42P01."""
    rows = await asked.rows(
        session,
        f"SELECT n.nspname, c.relname, c.oid::pg_catalog.regclass::pg_catalog.text FROM pg_catalog.pg_class c"
        f" JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = {oid}",
    )
    if not rows:
        raise ExecutionError("42P01", f"relation with OID {oid} does not exist")
    schema, name, shown = rows[0]
    return schema, name, shown


# --- documents ----------------------------------------------------------------------------------------------


async def _document(
    session: Session, query: str, table: str, form: xml.Form, *,
    top: bool = True, described: bool = False, schema: str = "",
) -> str:  # fmt: skip
    plan, result = await asked.run(session, query)
    columns = columns_of(plan, result) or ()
    writer = _writer(session, columns, table, form, top=top)
    parts, length = list[str](), 0
    async for row in rows_of(result):
        parts.append(writer.written(row))
        length += len(parts[-1])
        if length > _CHARS_MAX:
            raise _too_long()
    if described:
        schema = await _schema(session, _columns(columns), form)
    return _joined(form, xml.element_of(table, form), parts, top=top, schema=schema)


def _joined(form: xml.Form, element: str, parts: Sequence[str], *, top: bool = True, schema: str = "") -> str:
    before = f"{schema}\n\n" if schema else ""
    if form.forest:
        return _limited([before, *parts])
    first = xml.opened(element, form, top=top, schema=bool(schema))
    return _limited([first, "\n", before, *parts, f"</{element}>\n"])


def _limited(parts: Sequence[str]) -> str:
    if sum(map(len, parts)) > _CHARS_MAX:
        raise _too_long()
    return "".join(parts)


def _too_long() -> ExecutionError:
    return ExecutionError("54000", f"an XML document of more than {_CHARS_MAX} characters is not supported")


def _writer(
    session: Session, columns: Sequence[ResultColumn] | None, table: str, form: xml.Form, *, top: bool = True
) -> xml.Rows:
    return xml.Rows(
        [(c.name, c.type) for c in columns or ()], xml.element_of(table, form), form, session.type_settings,
        top=top, hexadecimal=_hexadecimal(session),
    )  # fmt: skip


def _hexadecimal(session: Session) -> bool:
    return session.settings.raw("xmlbinary") == "hex"


def _columns(columns: Sequence[ResultColumn] | None) -> list[tuple[str, int]]:
    return [(c.name, c.type.oid) for c in columns or ()]


async def _schema(
    session: Session,
    columns: Sequence[tuple[str, int]],
    form: xml.Form,
    relation: tuple[str, str] | None = None,
) -> str:
    described = await _described(session, columns, relation)
    return xml.schema(described, form, hexadecimal=_hexadecimal(session))


async def _described(
    session: Session, columns: Sequence[tuple[str, int]], relation: tuple[str, str] | None = None
) -> xml.Described:
    kinds: dict[int, xml.Kind] = {}
    beneath: dict[int, int] = {}
    wanted = {oid for _, oid in columns}
    while wanted:
        found = await asked.rows(session, _KINDS.format(", ".join(map(str, sorted(wanted)))))
        for oid, schema, name, kind, base in found:
            kinds[oid] = (schema, name, kind)
            if kind == "d":
                beneath[oid] = base
        wanted = set(beneath.values()) - kinds.keys()
    for oid, base in list(beneath.items()):
        while base in beneath:
            base = beneath[base]
        beneath[oid] = base
    return xml.Described(session.database, columns, kinds, beneath, relation)


def _planned(session: Session, query: str) -> Plan:
    plan = asked.planned(session, query)
    if plan.columns is None:
        raise ExecutionError("22000", "invalid query")
    return plan


_BY_NAME: Final[dict[str, Callable[..., Awaitable[Datum]]]] = {
    "cursor_to_xml": _cursor,
    "cursor_to_xmlschema": _cursor_schema,
    "database_to_xml": _database,
    "database_to_xml_and_xmlschema": _database_and_schema,
    "database_to_xmlschema": _database_schema,
    "query_to_xml": _query,
    "query_to_xml_and_xmlschema": _query_and_schema,
    "query_to_xmlschema": _query_schema,
    "schema_to_xml": _schema_rows,
    "schema_to_xml_and_xmlschema": _schema_and_schema,
    "schema_to_xmlschema": _schema_schema,
    "table_to_xml": _table,
    "table_to_xml_and_xmlschema": _table_and_schema,
    "table_to_xmlschema": _table_schema,
}
