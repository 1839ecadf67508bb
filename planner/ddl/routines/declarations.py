"""What a body in PL/pgSQL declares: each slot's kind, looked up by name, when the body is kept and whenever it is compiled.

    x int;                 a value of the type
    x t%ROWTYPE;           a row of the relation, x c; of a composite type
    x RECORD;              None: a record takes the shape of what it is given
    x y%TYPE; x t.a%TYPE;  what another variable, or a column, is of, its domain as well

Who misspells a type is told at once, and told the same where the type has gone since (`plpgsql_validator`, `plpgsql_compile`):

    x nosuch;              42704  type "nosuch" does not exist, where it stands
    x t.nosuch%TYPE;       42601  at the sign: the name is none of a column, so the sign makes no type of it
    x nosuch%ROWTYPE;      42P01  relation "nosuch" does not exist
    x void;                0A000  variable "x" has pseudo-type void

Of records and their fields there is no %TYPE, as in PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from planner import types as t
from planner.abc import Column, Oid, PlanError, ResultColumn, SqlError, Table, TypeRef
from planner.binding.routines.variables import Kind, Shape, kind_of
from planner.catalog import Catalog, CompositeType, Index, View
from planner.catalog import Sequence as Numbers
from planner.catalog.domains import underneath
from planner.catalog.names import missing_relation, missing_schema
from planner.catalog.objects import Relation
from planner.catalog.row_types import relation_of, row_type
from planner.catalog.system.relations import SystemRelation, found_before
from planner.catalog.system.relations import relation as system_relation
from planner.catalog.user_types import meet_rows
from planner.ddl.types.typenames import resolve_type
from planner.parse.plpgsql.names import looked_up
from planner.records import replace
from planner.statements import TypeName
from planner.statements.plpgsql import (
    CopiedType,
    Dynamic,
    ForRange,
    Nested,
    Program,
    Step,
    Variable,
    steps_in,
)
from planner.statements.plpgsql import Kind as Said

_HELD: Final = frozenset((t.RECORD, t.REFCURSOR))
_OF_SEQUENCES: Final = {"last_value": t.INT8, "log_cnt": t.INT8, "is_called": t.BOOL}
_OF_EVERY_TABLE: Final = {
    "ctid": t.TID,
    "tableoid": t.OID,
    "xmin": t.XID,
    "xmax": t.XID,
    "cmin": t.CID,
    "cmax": t.CID,
}
_Related = Relation | SystemRelation


@dataclass(frozen=True, slots=True)
class _Column:
    type: TypeRef
    domain: Oid = 0


def shape_of_table(table: Table) -> Shape:
    made = row_type(table)
    meet_rows(made)
    return _shape_of_columns(table.columns, made.oid, table.oid)


def _shape_of_columns(columns: Sequence[Column | ResultColumn], rows: Oid = 0, table: Oid = 0) -> Shape:
    domains = tuple(_domain(c) for c in columns)
    return Shape(
        tuple(c.name for c in columns),
        tuple(c.type for c in columns),
        rows,
        table,
        domains=domains if any(domains) else (),
    )


def _domain(column: Column | ResultColumn) -> Oid:
    return column.domain.oid if isinstance(column, Column) and column.domain is not None else 0


class Declarations:
    """The kinds of a program's slots. `kinds`: those of what nothing declares, parameters and FOUND; `name`: the function's.

    Raises what PostgreSQL says of the first declaration that is wrong: 42601, 42704, 42P01, 42809, 0A000."""

    def __init__(
        self,
        catalog: Catalog,
        path: Sequence[str],
        program: Program,
        kinds: Sequence[Kind],
        name: str,
        domains: dict[int, Oid] | None = None,
    ) -> None:
        self.program = program
        self.domains = dict(domains or ())
        self._catalog, self._path, self._name = catalog, path, name
        self.kinds: list[Kind] = [*kinds] + [TypeRef(t.TEXT)] * (program.slots - len(kinds))
        self.names = [""] * program.slots
        level = program.outer
        for called, slot in level.slots.items():
            if not called.startswith("$") or not self.names[slot]:
                self.names[slot] = called
        self.declared: dict[int, Variable] = {}
        for slot in program.dynamic:
            self.kinds[slot] = None
        self._block(program.body)

    def _block(self, block: Nested) -> None:
        for v in block.variables:
            self.declared[v.slot] = v
            self.names[v.slot] = v.name
            self._declare(v)
            for argument in v.arguments:
                self._declare(argument)
        for step in steps_in(block):
            self._step(step)

    def _step(self, step: Step) -> None:
        if isinstance(step, Nested):
            self._block(step)
            return
        if isinstance(step, ForRange):
            self.kinds[step.slot] = TypeRef(t.INT4)
        for inner in steps_in(step):
            self._step(inner)

    def _declare(self, v: Variable) -> None:
        try:
            kind, domain = self._kind(v)
        except SqlError as error:
            if not error.position:
                line = v.line if isinstance(v.kind, CopiedType) else 1
                near = f'compilation of PL/pgSQL function "{self._name}" near line {line}'
                error.context = f"{error.context}\n{near}" if error.context else near
            raise
        self.kinds[v.slot] = kind
        if domain:
            self.domains[v.slot] = domain

    def _kind(self, v: Variable) -> tuple[Kind, Oid]:
        """What a slot holds, and the domain that it is of; 0 for none."""
        said: Said = v.kind
        if isinstance(said, Dynamic):
            return None, 0
        if not isinstance(said, CopiedType):
            return self._of_type(said, v.name)
        return (self._row(said), 0) if said.row else self._copied(said)

    def _of_type(self, said: TypeName, name: str) -> tuple[Kind, Oid]:
        ref = resolve_type(said, self._catalog, self._path)
        fact = t.BY_OID.get(ref.oid)
        if fact is not None and fact.typtype == "p" and ref.oid not in _HELD:
            raise PlanError("0A000", f'variable "{name}" has pseudo-type {t.format_type(ref)}')
        return self._held(ref)

    def _held(self, ref: TypeRef) -> tuple[Kind, Oid]:
        ref, domain = underneath(self._catalog, ref)
        if t.BY_OID.get(ref.oid) is None:
            raise PlanError("0A000", f"variables of type {t.format_type(ref)} are not supported")
        return self._checked(ref, domain.oid if domain is not None else 0)

    def _checked(self, ref: TypeRef, domain: Oid) -> tuple[Kind, Oid]:
        """What holds values of a type, and the domain over it that is asked about each; 0 for none. Raises 0A000."""
        kind = self._kind_of(ref)
        if domain and isinstance(kind, Shape):
            raise PlanError("0A000", "a variable of a domain over a composite type is not supported")
        return kind, domain

    def _kind_of(self, ref: TypeRef) -> Kind:
        """Also of a table's rows and of composite types, whose fields may be of domains."""
        made = kind_of(ref)
        if not isinstance(made, Shape):
            return made
        whole = self._catalog.get(relation_of(ref.oid) or ref.oid)
        if isinstance(whole, Table | CompositeType):
            columns = whole.visible if isinstance(whole, Table) else whole.columns
            of = {c.name: c.domain.oid for c in columns if c.domain is not None}
            return replace(made, domains=tuple(of.get(name, 0) for name in made.names)) if of else made
        return made

    # --- %TYPE, %ROWTYPE -------------------------------------------------------------------------

    def _copied(self, said: CopiedType) -> tuple[Kind, Oid]:
        """`x%TYPE` of a variable or of a type that is not composite, `t.a%TYPE` of a column."""
        words = said.words
        at = looked_up(said.names, words, len(self.kinds))
        if at is not None and not at[1]:
            kind = self.kinds[at[0]]
            if not isinstance(kind, TypeRef):
                _no_type(said)
            return kind, self.domains.get(at[0], 0)
        if len(words) == 1:
            return self._of_word(said)
        found = self._related(words[:-1]) if len(words) <= 3 else None
        column = None if found is None else _column(found, words[-1])
        if column is None:
            _no_type(said)
        return self._checked(column.type, column.domain)

    def _of_word(self, said: CopiedType) -> tuple[Kind, Oid]:
        """`int4%TYPE`, which PostgreSQL takes for the type."""
        try:
            ref = resolve_type(TypeName(said.words, (), 0, 0), self._catalog, self._path)
        except SqlError:
            _no_type(said)
        if t.composite_fields(ref.oid) is not None:
            _no_type(said)
        return self._held(ref)

    def _row(self, said: CopiedType) -> Kind:
        """`t%ROWTYPE`, of a relation or of a composite type."""
        words = said.words
        if len(words) > 2:
            _no_type(said)
        schema = words[0] if len(words) > 1 else ""
        if schema and self._catalog.find_schema(schema) is None:
            raise missing_schema(schema)
        found = self._related(words)
        if found is None:
            raise missing_relation(".".join(words))
        if isinstance(found, Table):
            return shape_of_table(found)
        if isinstance(found, CompositeType):
            return self._kind_of(TypeRef(found.oid))
        if isinstance(found, View | SystemRelation):
            return _shape_of_columns(found.columns)
        raise PlanError("42809", f'relation "{found.name}" does not have a composite type')

    def _related(self, words: Sequence[str]) -> _Related | None:
        """The relation of a name, or the composite type, which is one to PostgreSQL."""
        name, schema = words[-1], words[-2] if len(words) > 1 else ""
        if schema:
            if (system := system_relation(schema, name)) is not None:
                return system
            if self._catalog.find_schema(schema) is None:
                return None
        found = self._catalog.find_relation(name, schema, self._path)
        if schema:
            return found
        home = self._catalog.schema_of(found.schema_oid).name if found is not None else ""
        return found_before(name, home, self._path) or found


def _column(found: _Related, name: str) -> _Column | None:
    if isinstance(found, Numbers):
        return _Column(TypeRef(_OF_SEQUENCES[name])) if name in _OF_SEQUENCES else None
    if isinstance(found, Index):
        return None
    columns: Sequence[Column | ResultColumn] = found.visible if isinstance(found, Table) else found.columns
    made = next((_Column(c.type, _domain(c)) for c in columns if c.name == name), None)
    if made is None and isinstance(found, Table) and name in _OF_EVERY_TABLE:
        return _Column(TypeRef(_OF_EVERY_TABLE[name]))
    return made


def _no_type(said: CopiedType) -> NoReturn:
    """At its sign, as what is before it is no name of something that has a type."""
    raise PlanError(
        "42601", 'syntax error at or near "%"', position=said.position, context=f'invalid type name "{said.said}"'
    )  # fmt: skip


__all__ = ["Declarations", "shape_of_table"]
