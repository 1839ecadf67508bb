"""Variables of PL/pgSQL in a statement: a name that is a variable's becomes a parameter, whose value the walk gives.

    SELECT a FROM t WHERE id = v AND b = r.f        SELECT a FROM t WHERE id = $1 AND b = $2       places: (v), (r, f)

What a name means is asked of the columns first. One that is both is 42702, unless the body says `#variable_conflict`.
A record's fields are parameters of their own, and the whole record is a row of them: NEW is a row of its table.

An expression is bound as the one column of a SELECT; `wanted` is what its value is assigned to, as PL/pgSQL does it: by an assignment's
cast, or else by the type's text.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlglot import exp

from planner import types as t
from planner.abc import Column, Oid, PlanError, TypeRef
from planner.binding import ir
from planner.binding.coerce import Coercions
from planner.binding.expressions import ExpressionBinder
from planner.binding.naming import identifier
from planner.binding.parameters import Parameters
from planner.binding.records import called_fields, fields_of, row_of
from planner.binding.scope import Scope
from planner.binding.writes.assignments import PartBinder, target_of
from planner.parse import parse_expression
from planner.parse.plpgsql.names import looked_up
from planner.records import replace
from planner.relations import of_domain
from planner.statements.plpgsql import Level


@dataclass(frozen=True, slots=True)
class Shape:
    """What a record is made of now. `rows`: the type of a table's rows or of composite values, if it is one."""

    names: tuple[str, ...]
    types: tuple[TypeRef, ...]
    rows: int = 0
    table: int = 0
    """A table's OID: what is called so is its row type."""
    absent: bool = False
    """It is NULL and stays so, as OLD of an INSERT: the whole is no row of nulls, but none."""
    domains: tuple[Oid, ...] = ()
    """By field, 0 for none; empty where no field is of a domain."""


AT_THE_TARGET: Final = -(1 << 30)
"""A place before all of the value: what is assigned to, with which the statement begins."""
CURRENT: Final = -1
Kind = TypeRef | Shape | None
"""Of a slot: None is a record without a value yet."""


def kind_of(ref: TypeRef) -> Kind:
    """What a slot of that type holds: a composite value is kept by its fields."""
    if (known := fields_of(ref)) is not None:
        return Shape(called_fields(ref), tuple(r for _, r in known))
    fields = t.composite_fields(ref.oid)
    if fields is None:
        return ref
    return Shape(tuple(n for n, _ in fields), tuple(r for _, r in fields), ref.oid)


@dataclass(slots=True)
class Variables:
    """What a text may name. `places`, by parameter from 0: a slot, and a field's place in it or -1."""

    level: Level
    seen: int
    kinds: Sequence[Kind]
    commonest: str = "error"
    wanted: TypeRef | None = None
    part: str = ""
    """`x[1]`: the value takes this place in the value of x."""
    assigning: bool = False
    """It is an assignment's: a literal is read as what it is assigned to when the text is planned."""
    shown: Sequence[str] = ()
    """The slots' names, for messages."""
    meant: tuple[Oid, ...] = ()
    """The functions that an aggregate calls, whatever others are called so."""
    folding: bool = False
    """It is a call of an aggregate's: of its statement's moment, which has asked already."""
    places: list[tuple[int, int]] = field(default_factory=list)
    current: dict[str, tuple[int, TypeRef]] = field(default_factory=dict)
    """Names for the key of the row on which a cursor stands, whose slot is CURRENT: WHERE CURRENT OF (`planner.parse.positioned`)."""
    used: dict[int, Kind] = field(default_factory=dict)
    """The records among them, and how they were when the text was bound."""
    values: Sequence[Any] = ()
    """What is in the slots now, where a record may be NULL."""
    wholes: dict[int, bool] = field(default_factory=dict)
    """The records that the text names as a whole, and whether they were NULL: a row of nulls is no NULL, so another text is planned."""

    domains: Mapping[int, Oid] = field(default_factory=dict)
    """The domains that slots are of."""

    def node(
        self, parameters: Parameters, words: Sequence[str], position: int, found: bool
    ) -> ir.Node | None:
        """What stands for a name, if it is a variable's. `found`: a column has it too. Raises 42702, 42703, 55000."""
        if self.current and words[0] in self.current:
            place, ref = self.current[words[0]]
            return self._parameter(parameters, CURRENT, place, ref, position)
        if found and self.commonest == "use_column":
            return None
        at = looked_up(self.level, words, self.seen)
        if at is None:
            return None
        slot, fields = at
        kind = self.kinds[slot]
        self.used[slot] = kind
        if isinstance(kind, TypeRef):
            if fields:
                composite = t.composite_fields(kind.oid)
                if composite is None or found:
                    return None
            made: ir.Node = self._parameter(parameters, slot, -1, kind, position)
            if not fields and slot in self.domains:
                made = replace(made, type=of_domain(made.type, self.domains[slot]))
            for name in fields:
                from planner.binding.records import field_of

                inner = field_of(made, name, position)
                assert inner is not None
                made = inner
        elif kind is None:
            if found:
                return None
            if not fields:  # the whole of a record that is not assigned yet is NULL
                return ir.Lit(TypeRef(t.RECORD), None)
            shown = words[0] if len(words) - len(fields) == 1 else words[1]
            raise PlanError(
                "55000",
                f'record "{shown}" is not assigned yet',
                detail="The tuple structure of a not-yet-assigned record is indeterminate.",
            )
        elif not fields and (self._is_null(slot) or kind.absent):
            nulls = tuple(ir.Lit(ref, None) for ref in kind.types)
            made = ir.Lit(row_of(nulls, kind.names, kind.rows).type, None)
        elif not fields:
            items = [self._parameter(parameters, slot, i, ref, position) for i, ref in enumerate(kind.types)]
            made = row_of(tuple(items), kind.names, kind.rows)
        else:
            if fields[0] not in kind.names:
                if found:
                    return None
                shown = ".".join(words[: len(words) - len(fields)])
                raise PlanError("42703", f'record "{shown}" has no field "{fields[0]}"')
            i = kind.names.index(fields[0])
            made = self._parameter(parameters, slot, i, kind.types[i], position)
            for name in fields[1:]:
                from planner.binding.records import field_of

                inner = field_of(made, name, position)
                if inner is None:
                    return None
                made = inner
        if found and self.commonest == "error":
            raise PlanError(
                "42702",
                f'column reference "{".".join(words)}" is ambiguous',
                detail="It could refer to either a PL/pgSQL variable or a table column.",
                position=position,
            )
        return made

    def _is_null(self, slot: int) -> bool:
        if not self.values:
            return False
        return self.wholes.setdefault(slot, self.values[slot] is None)

    def _parameter(
        self, parameters: Parameters, slot: int, place: int, ref: TypeRef, position: int
    ) -> ir.Node:
        where = (slot, place)
        apart = ref.oid == t.NUMERIC and t.numeric.is_decimal(ref.typmod)  # held otherwise than numeric
        own = ref if apart else TypeRef(ref.oid)
        if where in self.places:
            number = self.places.index(where) + 1
        else:
            self.places.append(where)
            number = parameters.declare(own)
        return ir.Parm(ref if ref.oid == t.RECORD else own, number, position)

    # --- the value of an expression --------------------------------------------------------------------

    def assigned(
        self, value: ir.Node, expressions: ExpressionBinder, coercions: Coercions, scope: Scope
    ) -> ir.Node:
        """A value as what it is assigned to. Raises what the casts raise."""
        if self.part:
            return self._put(value, expressions, coercions, scope)
        if self.wanted is None:
            return coercions.settled(value)
        return fitted(value, self.wanted, coercions, as_written=self.assigning)

    def _put(
        self, value: ir.Node, expressions: ExpressionBinder, coercions: Coercions, scope: Scope
    ) -> ir.Node:
        root, steps = target_of(parse_expression(self.part))
        first = f"${root.name}" if isinstance(root, exp.Parameter) else identifier(root)
        fields = list(itertools.takewhile(lambda step: isinstance(step, str), steps))
        found = looked_up(self.level, [first, *map(str, fields)], self.seen)
        assert found is not None
        # What gets a new value is the variable, or the record's field.
        own = max(len(fields) - max(len(found[1]) - 1, 0), 0)
        base = self.node(expressions.parameters, [first, *map(str, fields[:own])], AT_THE_TARGET, False)
        assert base is not None
        whole = self._declared(base)
        if isinstance(value, ir.Lit) and value.type.oid == t.TEXT:
            value = ir.Lit(TypeRef(t.UNKNOWN), value.value, value.position)
        putter = _PartOfVariable(expressions, coercions, Column(first, whole, 1), scope, 0)
        return putter.put(base, whole, steps[own:], value, AT_THE_TARGET)

    def _declared(self, base: ir.Node) -> TypeRef:
        """The type of a variable or field with its modifier, which its elements have, too: `numeric(6,2)[]`."""
        if not isinstance(base, ir.Parm):
            return base.type
        slot, place = self.places[base.number - 1]
        kind = self.kinds[slot] if slot != CURRENT else None
        if isinstance(kind, Shape) and place >= 0:
            kind = kind.types[place]
        return TypeRef(base.type.oid, kind.typmod) if isinstance(kind, TypeRef) else base.type


class _PartOfVariable(PartBinder):
    """A part gets a value as a variable does."""

    def fitted(self, value: ir.Node, wanted: TypeRef) -> ir.Node | None:
        return fitted(value, wanted, self.coercions, as_written=False)


def fitted(value: ir.Node, wanted: TypeRef, coercions: Coercions, *, as_written: bool) -> ir.Node:
    """As PL/pgSQL assigns: by an assignment's cast, or where there is none by what the output function shows."""
    if (
        as_written and isinstance(value, ir.Lit) and value.type.oid == t.TEXT
    ):  # as it was written, before it became text
        value = ir.Lit(TypeRef(t.UNKNOWN), value.value, value.position)
    made = coercions.try_coerce(value, wanted, "a")
    if made is None:
        shown = ir.Call(TypeRef(t.CSTRING), "cstring of value", (coercions.settled(value),))
        text = ir.Call(TypeRef(t.TEXT), "text of cstring", (shown,))
        made = coercions.coerce(text, wanted, "e")
    return made


__all__ = ["CURRENT", "Kind", "Shape", "Variables", "fitted", "kind_of"]
