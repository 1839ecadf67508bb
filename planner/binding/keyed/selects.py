"""A SELECT kept for the keyed engine while the query around it is bound: a subquery, a WITH query, a side of a UNION.

    SELECT p.id, (SELECT count(*) FROM comments c WHERE c.post_id = p.id) FROM posts p WHERE p.author_id = $1

    comments   [(p.id,)]  -->  by an index (c.post_id = given 0)  -->  one row of aggregates
    posts      [()]       -->  by an index ($1)                   -->  id, what the subquery comes to for (p.id,)

A subquery names columns of the queries around it; these are the **given** values that its rows begin with. So its plan depends on
nothing but itself and can be made whenever it is asked for, and equal values have equal answers.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import Const, KeyedJoin, TypeRef
from planner.binding import ir
from planner.binding.keyed import catalog as keyed_catalog
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed.flattening import Given, flattened, is_bare, put, put_in_parts, put_in_step
from planner.binding.keyed.narrowing import Equality, narrowed
from planner.binding.keyed.unasked_columns import is_computed
from planner.binding.records import fields_of
from planner.catalog import Catalog
from planner.keyed_plans import Recursed
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.scope import FromStep, Recursion
    from planner.binding.state import Parts

GIVEN: Final = -9
"""The given values, as a relation."""
_NUMBERS: Final = 1 << 24
"""More than a statement has SELECTs."""
_NARROWED: Final = 1 << 1_700
"""More than a SELECT has sets of columns by whose values its rows may be asked for."""
_INEXACT: Final = (t.FLOAT4, t.FLOAT8)
"""Types of which values are equal that look different: what one comes to is not what the other does."""


class BoundSelect:
    """A SELECT as it was bound. `number`: which of the statement's it is."""

    def __init__(
        self,
        catalog: Catalog,
        parts: Parts,
        steps: Sequence[FromStep],
        number: int = 0,
        *,
        leafwise: bool = False,
        walked: bool = False,
    ) -> None:
        self.number = number
        self._leafwise, self._walked = leafwise, walked
        self._catalog, self.steps = catalog, tuple(steps)
        self.parts = replace(
            parts, targets=[replace(x) for x in parts.targets], order=list(parts.order)
        )  # whoever writes it puts other nodes into the parts
        self.columns = [x.node.type for x in parts.targets]
        self._plans: dict[tuple[tuple[tuple[int, int], ...], bool], KeyedJoin | None] = {}
        self._of_fewer: dict[int, BoundSelect] = {}

    def narrowed(
        self, relation: int, wanted: Sequence[Equality]
    ) -> tuple[BoundSelect, tuple[Equality, ...]] | None:
        """The query of the rows that have some values alone, and which; they are columns of `PUSHED` to it. None if that cannot be."""
        made = narrowed(self.parts, relation, wanted)
        if made is None:
            return None
        parts, used = made
        columns = sum(1 << x.column for x in used)
        number = self.number + columns * _NUMBERS  # another query than it is without, to who keeps answers
        return BoundSelect(self._catalog, parts, self.steps, number, leafwise=self._leafwise), used

    def without(self, named: set[int]) -> BoundSelect:
        """The query of which only these columns are asked for."""
        if self.parts.distinct:
            return self
        left = [i for i, x in enumerate(self.parts.targets) if i not in named and is_computed(x.node)]
        columns = sum(1 << i for i in left)
        if columns and columns not in self._of_fewer:
            targets = [
                replace(x, node=ir.Lit(x.node.type, None)) if i in left else x
                for i, x in enumerate(self.parts.targets)
            ]
            number = self.number + columns * _NARROWED * _NUMBERS  # another query here, too
            self._of_fewer[columns] = BoundSelect(
                self._catalog, replace(self.parts, targets=targets), self.steps, number,
                leafwise=self._leafwise, walked=self._walked,
            )  # fmt: skip
        return self._of_fewer[columns] if columns else self

    def row(self) -> ir.Logic | None:
        """The record that is its one row's one value, of no table's columns but outer ones: `(SELECT e FROM (SELECT o.a, o.b) e)`."""
        if len(self.steps) != 1 or not _is_bare(self.parts) or len(self.parts.targets) != 1:
            return None
        (step,), node = self.steps, self.parts.targets[0].node
        inner = step.made_of[0] if len(step.made_of) == 1 else None
        if inner is None or step.on or step.outer or inner.steps or not _is_bare(inner.parts):
            return None
        own = step.relation.number
        if (
            not isinstance(node, ir.Logic)
            or node.op != "row"
            or node.args != tuple(ir.Var(v.type, own, i) for i, v in enumerate(node.args))
        ):
            return None
        values = tuple(x.node for x in inner.parts.targets)
        if len(values) != len(node.args) or any(
            isinstance(n, _OF_ROWS) or ir.is_volatile(n) for v in values for n in ir.walk(v)
        ):
            return None
        return replace(node, args=values)

    def array(self) -> ir.Node | None:
        """The array whose elements are its rows, if it is no more than that: `SELECT unnest($1)`, `SELECT x FROM unnest($1) x`."""
        if len(self.steps) > 1 or not _is_bare(self.parts) or len(self.parts.targets) != 1:
            return None
        node = self.parts.targets[0].node
        for step in self.steps:
            more = step.outer or step.on or step.guards or step.numbered or len(step.spread) != 1
            if (
                more
                or not isinstance(node, ir.Var)
                or (node.relation, node.column) != (step.relation.number, 0)
            ):
                return None
            node = step.spread[0]
        if not isinstance(node, ir.SetReturning) or node.op != "unnest(anyarray)" or node.asked is not None:
            return None
        return node.args[0]

    def plan(self, outer: Sequence[ir.Var] = (), *, exists: bool = False, within: bool = False) -> KeyedJoin:
        """Its look-ups; rows begin with the values of `outer`. `exists`: nobody asks what the rows are. `within`: the query around it
        knows what to make of records. Raises NotKeyed."""
        key = tuple((v.relation, v.column) for v in outer), exists
        if key not in self._plans:
            self._plans[key] = None
            self._plans[key] = self._planned(outer, exists)
        found = self._plans[key]
        if found is None:
            raise keyed.NotKeyed("a subquery")
        if not (within or exists) and any(ref.oid == t.RECORD for ref in self.columns):
            raise keyed.NotKeyed("records that are sent")
        return found

    def _planned(self, outer: Sequence[ir.Var], exists: bool) -> KeyedJoin:
        from planner.binding.keyed.joins import look_ups

        if any(_is_inexact(v.type) for v in outer):
            raise keyed.NotKeyed("given values that are equal and look different")
        given: Given = {(v.relation, v.column): ir.Var(v.type, GIVEN, i) for i, v in enumerate(outer)}
        parts, steps = put_in_parts(self.parts, given), tuple(put_in_step(s, given) for s in self.steps)

        def made_of(steps: Sequence[FromStep], parts: Parts) -> KeyedJoin:
            return look_ups(
                self._catalog,
                steps,
                parts,
                {GIVEN: 0} if given else {},
                len(given),
                leafwise=self._leafwise,
                walked=self._walked,
            )

        made, flat = None, flattened(steps, parts)
        if flat is not None:
            with contextlib.suppress(keyed.NotKeyed):
                made = made_of(*flat)
        if made is None:
            made = made_of(steps, parts)
        if exists and made.groups is None and not made.distinct:
            return replace(made, outputs=(Const(1, TypeRef(t.INT4)),))
        return made


def narrowed_alike(
    queries: Sequence[BoundSelect], relation: int, wanted: Sequence[Equality]
) -> tuple[tuple[BoundSelect, ...], tuple[Equality, ...]] | None:
    """The sides of a UNION, each of the rows that have some values alone, and which. None if they are not the same for all."""
    made = [q.narrowed(relation, wanted) for q in queries]
    first = made[0]
    if first is None or any(m is None or m[1] != first[1] for m in made):
        return None
    return tuple(m[0] for m in made if m is not None), first[1]


_OF_ROWS: Final = (ir.SubQuery, ir.Aggregate, ir.Window, ir.SetReturning, ir.Argument)
"""What is not computed of one row alone."""


def _is_bare(parts: Parts) -> bool:
    """Whether a SELECT has but targets and FROM."""
    return parts.where is None and is_bare(parts)


def row_of(node: ir.Node) -> ir.Node:
    """A subquery that makes a record of outer values, which is how some write a row with names, as that row; any other node as it is."""
    if not isinstance(node, ir.SubQuery) or node.kind != "scalar" or node.by_key is None:
        return node
    row = node.by_key.row()
    if row is None:
        return node
    return put(row, {(a.relation, a.column): b for a, b in zip(node.outer_from, node.outer, strict=True)})


def _is_inexact(ref: TypeRef) -> bool:
    fields = fields_of(ref)
    return ref.oid in _INEXACT if fields is None else any(_is_inexact(f) for _, f in fields)


def recursed(recursion: Recursion) -> Recursed:
    """WITH RECURSIVE as rows of a step. Raises NotKeyed."""
    base, step = recursion.base, recursion.step
    if recursion.once and any(not keyed_catalog.is_alike(ref.oid) for ref in base.columns):
        raise keyed.NotKeyed("equality of rows")
    first, further = (base.number, base.plan()), (step.number, step.plan())
    return Recursed(recursion.number, first, further, tuple(base.columns), recursion.once)


__all__ = ["GIVEN", "BoundSelect", "narrowed_alike", "recursed", "row_of"]
