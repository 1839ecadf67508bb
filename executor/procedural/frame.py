"""The values of a running program: one slot each, and what kind of thing is in it.

    scalar      a datum; its kind is its type
    record      a tuple of datums, or None; its kind says how its fields are called (`Shape`), or None before it has any

`Code` is a program with its types looked up, for one session in one catalog; its texts' plans hang there as well.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from executor.abc import ExecutionError
from planner import types as t
from planner.abc import Column, Oid, Table, TypeRef
from planner.binding.routines.variables import Kind, Shape, kind_of
from planner.catalog import Catalog, CompositeType, View
from planner.catalog.domains import underneath
from planner.catalog.row_types import relation_of, row_type
from planner.catalog.user_types import meet_rows
from planner.ddl.types.typenames import resolve_type
from planner.parse.plpgsql.names import looked_up
from planner.statements import TypeName
from planner.statements.plpgsql import CopiedType, Dynamic, Nested, Program, Step, Variable, steps_in
from planner.statements.plpgsql import Kind as Said


@dataclass(slots=True)
class Code:
    """`kinds`: by slot as declared; a slot whose kind is made while it runs has None."""

    program: Program
    shown: str
    kinds: list[Kind]
    names: list[str]
    declared: dict[int, Variable]
    plans: list[Any] = field(default_factory=list)
    """By a text's number (`executor.procedural.texts`)."""
    dynamic: frozenset[int] = frozenset()
    once: bool = False
    """It is DO's: nobody will ask for its plans again."""
    path: tuple[str, ...] = ()
    """Where a body of the standard's form has its names looked up: as when it was made."""
    reads_only: bool = False
    """It is STABLE or IMMUTABLE: what it runs may not write."""
    domains: dict[int, Oid] = field(default_factory=dict)
    """By slot: what the variable was declared as."""
    rules: dict[Oid, Any] = field(default_factory=dict)
    """By domain (`executor.procedural.domains`)."""
    as_values: set[int] = field(default_factory=set)
    """Texts, by number, that are no rows: they go into a variable of a composite type by what they look like."""
    inputs: Sequence[int] = ()
    """The slots that a call's arguments go into."""
    returns: Any = None
    """What RETURN means in it (`executor.procedural.routines`), where that is the same for all who call it."""
    tells_cursors: bool = False
    """It returns a refcursor."""


def shape_of_table(table: Table) -> Shape:
    made = row_type(table)
    meet_rows(made)
    return _shape_of_columns(table.columns, made.oid, table.oid)


def _shape_of_columns(columns: Sequence[Column], rows: Oid = 0, table: Oid = 0) -> Shape:
    domains = tuple(c.domain.oid if c.domain is not None else 0 for c in columns)
    return Shape(
        tuple(c.name for c in columns),
        tuple(c.type for c in columns),
        rows,
        table,
        domains=domains if any(domains) else (),
    )


class Declarations:
    """Looks up the types of a program's variables. Raises 42704, 42P01, 42703, 0A000."""

    def __init__(
        self,
        catalog: Catalog,
        path: tuple[str, ...],
        program: Program,
        kinds: list[Kind],
        domains: dict[int, Oid] | None = None,
    ) -> None:
        self._program = program
        self.domains = dict(domains or ())
        self._catalog, self._path = catalog, path
        self.kinds: list[Kind] = kinds + [TypeRef(t.TEXT)] * (program.slots - len(kinds))
        self.names = [""] * program.slots
        level = program.outer
        for name, slot in level.slots.items():
            if not name.startswith("$") or not self.names[slot]:
                self.names[slot] = name
        self.declared: dict[int, Variable] = {}
        self.dynamic = program.dynamic
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

    def code(self, shown: str, *, reads_only: bool = False) -> Code:
        """The program with what has been looked up."""
        return Code(
            self._program,
            shown,
            self.kinds,
            self.names,
            self.declared,
            [None] * self._program.texts,
            self.dynamic,
            reads_only=reads_only,
            domains=self.domains,
        )

    def _declare(self, v: Variable) -> None:
        self.kinds[v.slot], domain = self.kind(v.kind)
        if domain and isinstance(self.kinds[v.slot], Shape):
            raise ExecutionError("0A000", "a variable of a domain over a composite type is not supported")
        if domain:
            self.domains[v.slot] = domain

    def _step(self, step: Step) -> None:
        if isinstance(step, Nested):
            self._block(step)
            return
        if type(step).__name__ == "ForRange":
            self.kinds[step.slot] = TypeRef(t.INT4)  # type: ignore[attr-defined]
        for inner in steps_in(step):
            self._step(inner)

    def kind(self, said: Said) -> tuple[Kind, Oid]:
        """What a slot holds, and the domain that it is of; 0 for none."""
        if isinstance(said, Dynamic):
            return None, 0
        if isinstance(said, CopiedType):
            return self._copied(said)
        ref, domain = self._type(said)
        return self._kind_of(ref), domain

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

    def _type(self, said: TypeName) -> tuple[TypeRef, Oid]:
        ref, use = underneath(self._catalog, resolve_type(said, self._catalog, self._path))
        if ref.oid in (t.VOID, t.TRIGGER, t.EVENT_TRIGGER) or t.BY_OID.get(ref.oid) is None:
            shown = t.format_type(ref)
            raise ExecutionError(
                "0A000", f"variable cannot have type {shown}" if ref.oid in (t.VOID, t.TRIGGER, t.EVENT_TRIGGER) else f"variables of type {shown} are not supported"
            )  # fmt: skip
        return ref, use.oid if use is not None else 0

    def _copied(self, said: CopiedType) -> tuple[Kind, Oid]:
        words = said.words
        if not said.row and said.names is not None:
            at = looked_up(said.names, words, len(self.kinds))
            if at is not None:
                slot, fields = at
                kind = self.kinds[slot]
                if not fields:
                    return kind, self.domains.get(slot, 0)
                if isinstance(kind, Shape) and fields[0] in kind.names:
                    place = kind.names.index(fields[0])
                    return kind_of(kind.types[place]), kind.domains[place] if kind.domains else 0
        relation = words if said.row else words[:-1]
        if not relation:
            raise ExecutionError("42704", f'variable "{words[0]}" does not exist')
        schema = relation[-2] if len(relation) > 1 else ""
        if said.row and not schema:
            ref = self._catalog.type_named(relation[-1], "", self._path)
            if ref is not None and t.composite_fields(ref.oid) is not None:
                return self._kind_of(TypeRef(ref.oid)), 0
        found = self._catalog.resolve_relation(relation[-1], schema, self._path, 0)
        if not isinstance(found, Table | View | CompositeType):
            raise ExecutionError(
                "0A000", f'variables of the type of columns of "{found.name}" are not supported'
            )
        if said.row:
            return shape_of_table(found) if isinstance(found, Table) else _shape_of_columns(found.columns), 0
        for c in found.columns:
            if c.name == words[-1]:
                return kind_of(c.type), c.domain.oid if c.domain is not None else 0
        raise ExecutionError("42703", f'column "{words[-1]}" of relation "{relation[-1]}" does not exist')


class Frame:
    """One execution's values."""

    __slots__ = ("kinds", "values")

    def __init__(self, code: Code) -> None:
        self.kinds = list(code.kinds)
        self.values: list[Any] = [None] * len(code.kinds)

    def at(self, slot: int, place: int) -> Any:
        value = self.values[slot]
        return value if place < 0 else None if value is None else value[place]


__all__ = ["Code", "Declarations", "Frame", "kind_of", "shape_of_table"]
