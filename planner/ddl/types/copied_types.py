"""`table.column%TYPE` where a routine's signature names a type: that of the column as it is now.

    CREATE FUNCTION f(a films.code%TYPE)      NOTICE:  type reference films.code%TYPE converted to character varying

Nothing is kept of the column: the routine stays as it is when the column's type changes, as in PostgreSQL.
"""

from __future__ import annotations

from planner import statements as st
from planner import types
from planner.abc import PlanError, Table, TypeRef
from planner.catalog import CompositeType, View
from planner.catalog.names import missing_schema
from planner.ddl.scope import Scope
from planner.ddl.types.typenames import resolve_type


def type_in_signature(scope: Scope, said: st.TypeName, *, told: bool = False) -> TypeRef:
    """The type, a domain as itself; `told`: nobody needs the notice again. Raises what `resolve_type` does; 42P01, 42703, 3F000, 0A000."""
    if not said.copied:
        return resolve_type(said, scope.catalog, scope.search_path)
    *path, column = said.names
    if len(path) > 2:
        raise PlanError("0A000", f'cross-database references are not implemented: "{".".join(path)}"')
    schema = path[0] if len(path) == 2 else ""
    if schema and scope.catalog.find_schema(schema) is None:
        raise missing_schema(schema)
    relation = scope.catalog.resolve_relation(path[-1], schema, scope.search_path, 0)
    columns = relation.columns if isinstance(relation, Table | View | CompositeType) else ()
    for c in columns:
        if c.name == column:
            ref = TypeRef(c.domain.oid if c.domain is not None else c.type.oid)
            shown = types.type_in_words(ref.oid)
            if not told:
                scope.notice(f"type reference {'.'.join(said.names)}%TYPE converted to {shown}")
            return ref
    raise PlanError("42703", f'column "{column}" of relation "{path[-1]}" does not exist')


__all__ = ["type_in_signature"]
