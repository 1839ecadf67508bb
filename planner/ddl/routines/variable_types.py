"""What a body in PL/pgSQL declares is looked up when the body is kept, so that who misspells a type is told at once.

    x nosuch;              42704  type "nosuch" does not exist, where it stands
    x t.nosuch%TYPE;       42601  at the sign: the name is none of a column, so the sign makes no type of it
    x nosuch%ROWTYPE;      42P01  relation "nosuch" does not exist
    x void;                0A000  variable "x" has pseudo-type void

What is looked up is not kept: a body is read anew when it runs, by names, as in PostgreSQL (`plpgsql_validator`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from planner import types as t
from planner.abc import PlanError, SqlError, Table
from planner.catalog import Catalog, CompositeType, View
from planner.ddl.types.typenames import resolve_type
from planner.parse.plpgsql.names import looked_up
from planner.statements.plpgsql import CopiedType, Dynamic, Nested, Program, Step, Variable, steps_in

_HELD: Final = frozenset((t.RECORD, t.REFCURSOR))


def check(program: Program, catalog: Catalog, path: Sequence[str], name: str) -> None:
    """Raises what PostgreSQL says of the first declaration that is wrong. `name`: the function's."""
    for variable in _declared(program.body):
        try:
            _check(variable, program, catalog, path)
        except SqlError as error:
            if not error.position and not error.context:
                line = variable.line if isinstance(variable.kind, CopiedType) else 1
                error.context = f'compilation of PL/pgSQL function "{name}" near line {line}'
            raise


def _declared(step: Step) -> Iterator[Variable]:
    if isinstance(step, Nested):
        for v in step.variables:
            yield v
            yield from v.arguments
    for inner in steps_in(step):
        yield from _declared(inner)


def _check(variable: Variable, program: Program, catalog: Catalog, path: Sequence[str]) -> None:
    kind = variable.kind
    if isinstance(kind, Dynamic):
        return
    if isinstance(kind, CopiedType):
        _check_copied(kind, program, catalog, path)
        return
    ref = resolve_type(kind, catalog, path)
    if ref.oid in t.BY_OID and t.BY_OID[ref.oid].typtype == "p" and ref.oid not in _HELD:
        shown = t.format_type(ref)
        raise PlanError("0A000", f'variable "{variable.name}" has pseudo-type {shown}')


def _check_copied(kind: CopiedType, program: Program, catalog: Catalog, path: Sequence[str]) -> None:
    words = kind.words
    if not kind.row and looked_up(kind.names, words, program.slots) is not None:
        return
    relation = words if kind.row else words[:-1]
    schema = relation[-2] if len(relation) > 1 else ""
    if kind.row:
        found_type = catalog.type_named(relation[-1], schema, path)
        if found_type is None or t.composite_fields(found_type.oid) is None:
            catalog.resolve_relation(relation[-1], schema, path, 0)
        return
    known = relation and (not schema or catalog.find_schema(schema) is not None)
    found = catalog.find_relation(relation[-1], schema, path) if known else None
    if found is not None and not isinstance(found, Table | View | CompositeType):
        return  # a sequence, whose columns are not looked at
    if found is None and known:
        found_type = catalog.type_named(relation[-1], schema, path)
        found = found_type if isinstance(found_type, CompositeType) else None
    if found is None or all(c.name != words[-1] for c in found.columns):
        raise PlanError(
            "42601", 'syntax error at or near "%"', position=kind.position, context=f'invalid type name "{kind.said}"'
        )  # fmt: skip


__all__ = ["check"]
