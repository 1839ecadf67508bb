"""Types made by CREATE TYPE ... AS RANGE, and the multiranges over them: ranges as all others, of bounds that a user chose.

    datum, Arrow, DuckDB column    PostgreSQL's text of the range, canonical as its bounds' text is

What the bounds are is looked up when it is first needed: the catalog's rows come in any order, and the bounds' type may
be a user's as well.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, NamedTuple

import pyarrow as pa

from planner.types import registry
from planner.types.base import SqlType, TextInput, TextOutput
from planner.types.declared import declare, declare_facts, kept_beside, renamed
from planner.types.enums import EnumSqlType
from planner.types.orders import SAME_AS_DATUM, order_of
from planner.types.orders_of_parts import has_order, order_by_parts
from planner.types.ranges import BUILT_IN, Kind, RangeType
from planner.types.settings import DEFAULT_SETTINGS


class Spanned(NamedTuple):
    """A range type and its multirange, and what their bounds are."""

    range_oid: int
    multirange_oid: int
    subtype: int


class UserRangeType(RangeType):
    def __init__(self, said: Spanned, multi: bool) -> None:
        SqlType.__init__(self, said.multirange_oid if multi else said.range_oid, pa.string(), "VARCHAR")
        self.said, self.multi = said, multi

    @cached_property
    def kind(self) -> Kind:  # type: ignore[override]
        subtype = registry.sql_type(self.said.subtype)
        order = order_by_parts(subtype.oid) if order_of(subtype.oid) is None else None
        return Kind(self.said.range_oid, self.name, subtype, False, self.said.multirange_oid, order)

    @cached_property
    def _read(self) -> TextInput:  # type: ignore[override]
        return self.kind.subtype.text_input(-1, DEFAULT_SETTINGS)

    @cached_property
    def _show(self) -> TextOutput:  # type: ignore[override]
        return self.kind.subtype.text_output(-1, DEFAULT_SETTINGS)


_SPANNED: Final[dict[int, Spanned]] = {}
"""By the OIDs of ranges and of multiranges."""
for _built_in in BUILT_IN:
    _said = Spanned(_built_in[0], _built_in[4], _built_in[2])
    _SPANNED[_said.range_oid] = _SPANNED[_said.multirange_oid] = _said
kept_beside(_SPANNED)


def spanned(oid: int) -> Spanned | None:
    """What is known of a range or multirange type; None for other types."""
    return _SPANNED.get(oid)


def may_be_bounds(oid: int) -> bool:
    """Whether ranges over the type are computed here."""
    return registry.is_known(oid) and has_order(oid)


def equal_as_text(oid: int) -> bool:
    """Whether equal ranges of the type are equal texts."""
    subtype = _SPANNED[oid].subtype
    return subtype in SAME_AS_DATUM or isinstance(registry.TYPES.get(subtype), EnumSqlType)


def register_range(said: Spanned, oid: int, array_oid: int, name: str) -> None:
    """Makes a range or multirange type and the arrays over it known. Idempotent."""
    multi = oid == said.multirange_oid
    known = registry.TYPES.get(oid)
    same = isinstance(known, UserRangeType) and known.said == said
    if known is not None and same and known.name == name:
        return
    family = "multirange" if multi else "range"
    declare_facts(oid, array_oid, name, family[0], family)
    _SPANNED[oid] = said
    if known is not None and same:
        renamed(known)
        return
    declare(UserRangeType(said, multi), array_oid)
