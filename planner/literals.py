"""The literals of a statement's text as datums of its parameters' types.

A cached plan is one for all statements that differ in literals only (`planner.planner`): each has raw texts, as the lexer cut them
out, and what reads them is chosen once for the plan. Names that are values (regclass and its kin) are looked up in the context of
the statement itself, whose catalog may be a transaction's own.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from planner import types
from planner.abc import TypeRef
from planner.catalog.system.context import SystemContext
from planner.catalog.system.reg_names import INPUT, RegNames
from planner.listed_literals import LISTS
from planner.normalise import UNKNOWN
from planner.types import TypeSettings
from storage.abc import Datum

if TYPE_CHECKING:
    from planner.plan_context import PlanContext

_OF_LISTS: Final = frozenset(LISTS.values())
_AS_THEY_ARE: Final = frozenset(types.array_of(oid) for oid in (types.INT4, types.INT8, types.TEXT))
"""Arrays whose datums lists of literals are."""
Convert = Callable[[list[str], "PlanContext"], tuple[Datum, ...]]
"""What turns a statement's raw literals into its plan's parameters. Raises ValueError, SqlError for one that does not fit."""


def converter(parameters: Sequence[TypeRef], kinds: str, settings: TypeSettings) -> Convert:
    """What turns raw literals of these kinds into datums of the parameters' types."""
    if any(ref.oid in INPUT for ref in parameters):
        return lambda values, ctx: _read(readers(parameters, kinds, naming(ctx)), values)
    own = readers(parameters, kinds, settings)
    if all(r is int for r in own):
        return lambda values, _: tuple(map(int, values))
    if len(own) == 1:
        one = own[0]
        return lambda values, _: (one(values[0]),)
    return lambda values, _: _read(own, values)


_Readers = Sequence[Callable[[str], Datum]]


def _read(own: _Readers, values: list[str]) -> tuple[Datum, ...]:
    return tuple([read(v) for read, v in zip(own, values, strict=True)])


def readers(parameters: Sequence[TypeRef], kinds: str, settings: TypeSettings) -> _Readers:
    """What reads the raw text of each literal as its parameter's type."""
    found: list[Callable[[str], Datum]] = []
    for ref, kind in zip(parameters, kinds, strict=True):
        if kind in _OF_LISTS and ref.oid in _AS_THEY_ARE:
            found.append(str)
        elif kind != UNKNOWN and ref.oid in (types.INT4, types.INT8):
            found.append(int)  # the lexer has seen digits, and not too many; a string may hold anything
        elif ref.oid in (types.TEXT, types.UNKNOWN) or (ref.oid == types.VARCHAR and ref.typmod < 0):
            found.append(str)
        else:
            found.append(types.text_input(ref, settings))
    return found


def naming(ctx: PlanContext) -> TypeSettings:
    """Settings in which names of regclass and its kin are those of the context, which may be a transaction's own."""
    names = RegNames(lambda: SystemContext(ctx.catalog, ctx.search_path))
    return replace(ctx.settings, reg_output=names.output, reg_input=names.input)
