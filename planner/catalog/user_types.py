"""Which definitions of users' types the registry holds: those of the newest commit, but while a transaction's own are needed.

    committed    what everybody sees: made the registry's at each commit
    shown(...)   a transaction that has altered types is planned with them, and then they are put back

A type that is new is known from the moment that its transaction makes it: its OID is nobody else's, and only that
transaction's catalog has its name. A type that is altered is one OID with two definitions, and others must not see the
second before it is committed, or ever if it is rolled back.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from planner.abc import Oid
from planner.catalog.objects import CompositeType, Domain, EnumType, UserType
from planner.types import register_composite, register_domain, register_enum

USER_TYPES = (EnumType, Domain, CompositeType)

_declared: dict[Oid, UserType] = {}
"""What the registry says of each type ever met."""
_committed: Mapping[Oid, UserType] = {}
_shown: Mapping[Oid, UserType] = _committed


def declare_new(thing: UserType) -> None:
    """Makes a type known that no commit has made known before."""
    if thing.oid not in _committed and _declared.get(thing.oid) != thing:
        _declare(thing)


def commit(types: Mapping[Oid, UserType]) -> None:
    """These are the newest commit's."""
    global _committed
    _committed = types
    _show(types)


@contextmanager
def shown(types: Mapping[Oid, UserType]) -> Iterator[None]:
    """Within, the registry has these definitions. Nothing may be awaited within."""
    before = _committed
    _show(types)
    try:
        yield
    finally:
        _show(before)


def _show(types: Mapping[Oid, UserType]) -> None:
    global _shown
    if types is _shown:
        return
    for oid in sorted(types):
        if _declared.get(oid) != types[oid]:
            _declare(types[oid])
    _shown = types


def _declare(thing: UserType) -> None:
    _declared[thing.oid] = thing
    if isinstance(thing, EnumType):
        register_enum(thing.oid, thing.array_oid, thing.name, thing.labels)
    elif isinstance(thing, Domain):
        register_domain(thing.oid, thing.array_oid, thing.name, thing.base)
    else:
        fields = tuple((c.name, c.type) for c in thing.columns)
        register_composite(thing.oid, thing.array_oid, thing.name, fields)
