"""Text search configurations as a session sees them: what its statements' functions are given, and what its setting may say.

Definitions go into a statement when it runs (`SessionValue`), of the catalog that it sees: of its own transaction, and of what others
have altered since it was planned.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from executor.abc import ExecutionError
from planner.abc import SqlError
from planner.catalog import text_search
from planner.catalog.names import quote_qualified, split_name

if TYPE_CHECKING:
    from executor.session.context import SessionContext
    from executor.session.session import Session

SETTING: Final = "default_text_search_config"


def definition(session: Session, said: str) -> str:
    """Of all that users have made (nothing said), of one (`:16400`), of the configuration that the setting names (`:`). Raises 42704."""
    catalog = session.catalog
    if not said:
        return text_search.definitions(catalog)
    if said != ":":
        return text_search.definition(catalog, int(said[1:]))
    name = session.settings.raw(SETTING)
    schema, bare = split_name(name)
    found = text_search.found(catalog, text_search.CONFIGURATION, bare, schema, session.search_path())
    if not found:
        raise SqlError("42704", f'text search configuration "{name}" does not exist')
    return text_search.definition(catalog, found)


def in_full(session: SessionContext, value: str) -> str:
    """The setting with its schema. Raises 22023."""
    catalog = session.catalog
    try:
        schema, name = split_name(value)
    except SqlError:
        schema, name = "", ""
    oid = text_search.found(catalog, text_search.CONFIGURATION, name, schema, session.search_path())
    if not oid:
        raise ExecutionError("22023", f'invalid value for parameter "{SETTING}": "{value}"')
    made = catalog.get(oid)
    home = catalog.schema_of(made.schema_oid).name if made is not None else "pg_catalog"
    return quote_qualified(home, name)


def foretold(session: Session, value: str) -> None:
    """A value for sessions and calls to come: whether there is such a configuration will be seen then."""
    try:
        in_full(session, value)
    except ExecutionError:
        session.notice("NOTICE", "42704", f'text search configuration "{value}" does not exist')


__all__ = ["SETTING", "definition", "foretold", "in_full"]
