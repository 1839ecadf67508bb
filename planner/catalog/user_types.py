"""Which definitions of users' types the registry holds: those of the newest commit, but while a transaction's own are needed.

    committed    what everybody sees: made the registry's at each commit
    shown(...)   a transaction that has altered types is planned with them, and then they are put back

A type that is new is known from the moment that its transaction makes it: its OID is nobody else's, and only that
transaction's catalog has its name. A type that is altered is one OID with two definitions, and others must not see the
second before it is committed, or ever if it is rolled back.

    dropped      when no catalog, plan or reader of the past has its definition any more, a type is forgotten, but for the last ones

Row types (`row_types`) are many and seldom asked for: the registry has those that a column is of or that somebody has
named, and follows their relations from then on.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from planner.abc import Oid
from planner.catalog.attribute_domains import conditions_of
from planner.catalog.objects import CatalogObject, UserType
from planner.catalog.row_types import FIRST_ROW_TYPE, relation_of, row_type_oid
from planner.catalog.type_objects import CompositeType, Domain, EnumType, MultirangeType, RangeType
from planner.types import register_composite, register_domain, register_enum
from planner.types.declared import base_of, forget
from planner.types.user_ranges import Spanned, register_range

if TYPE_CHECKING:
    from planner.catalog.catalog import Catalog

USER_TYPES = (EnumType, Domain, CompositeType, RangeType, MultirangeType)


class _Declared(weakref.ref[UserType]):
    """A definition that the registry has, while anybody else has it."""

    __slots__ = ("array_oid", "oid")
    oid: Oid
    array_oid: Oid


def _held(thing: UserType) -> _Declared:
    made = _Declared(thing, _dying.append)
    made.oid, made.array_oid = thing.oid, thing.array_oid
    return made


_declared: Final[dict[Oid, _Declared]] = {}
"""What the registry says of each type."""
_dying: Final[deque[Any]] = deque()
"""Definitions that nobody has any more: looked at with the next commit, for this may be said in the midst of anything, on any thread."""
_dropped: Final[deque[_Declared]] = deque()
DROPPED_MAX: Final = 500
"""The registry goes on to know so many types that were dropped: results and cursors of them may be open."""
_committed: Mapping[Oid, UserType] = {}
_shown: Mapping[Oid, UserType] = _committed
_of_rows: dict[Oid, None] = {}
"""The row types that the registry has."""
ROWS_WATCHED_MAX: Final = 50
"""With more row types of its own relations in the registry no plan outlives its catalog: each is asked about for each plan (`planner.catalog.reads`)."""
ROWS_KNOWN_MAX: Final = 1_000
"""With so many of whatever database nobody looks which are whose."""
_newest: Catalog | None = None
_within: Catalog | None = None
"""The catalog whose definitions are shown meanwhile, if it is not the newest one's turn."""
_rows_shown = 0
"""The catalog's version whose relations the row types are of."""


def founded(things: Sequence[CatalogObject]) -> list[CatalogObject]:
    """The same objects, where each type follows those that it is made of: rows of a catalog come in the order of their last changes."""
    types = {x.oid: x for x in things if isinstance(x, USER_TYPES)}
    if len(types) < 2:
        return list(things)
    types |= {x.array_oid: x for x in list(types.values())}
    placed: dict[Oid, None] = {}
    out: list[CatalogObject] = []

    def place(thing: CatalogObject) -> None:
        if thing.oid in placed:
            return
        placed[thing.oid] = None
        for oid in _made_of(thing):
            if oid in types:
                place(types[oid])
        out.append(thing)

    for thing in things:
        place(thing)
    return out


def _made_of(thing: CatalogObject) -> list[Oid]:
    match thing:
        case Domain(base=base):
            return [base.oid]
        case RangeType(subtype=subtype):
            return [subtype.oid]
        case MultirangeType(range_oid=under, subtype=subtype):
            return [under, subtype.oid]
        case CompositeType(columns=columns):
            return [oid for c in columns for oid in (c.type.oid, c.declared.oid)]
        case _:
            return []


def _known(oid: Oid) -> UserType | None:
    """The definition that the registry has, if anybody else still has it."""
    found = _declared.get(oid)
    return None if found is None else found()


def declare_new(thing: UserType) -> None:
    """Makes a type known that no commit has made known before."""
    if thing.oid not in _committed and _known(thing.oid) != thing:
        _declare(thing)


def note_rows(types: Iterable[Oid]) -> None:
    """Columns are of these types: their row types are known as soon as a catalog is shown."""
    for oid in types:
        if oid >= FIRST_ROW_TYPE:
            _of_rows[row_type_oid(relation_of(oid))] = None


def has_rows_of(type_oid: Oid) -> bool:
    """Whether the registry has this row type: where not, no column is of it."""
    return type_oid in _of_rows


def known_rows() -> Collection[Oid]:
    """The row types that the registry has."""
    return _of_rows


def meet_rows(made: CompositeType) -> None:
    """A row type that somebody names: the registry has it as the catalog of who is planning."""
    _of_rows[made.oid] = None
    if _known(made.oid) != made:
        _declare(made)


def commit(catalog: Catalog) -> None:
    """This catalog is the newest commit's."""
    global _committed, _newest
    _committed, _newest = catalog.user_types, catalog
    _show(catalog.user_types)
    _show_rows(catalog)
    if _dying:
        _bury(catalog)


def _bury(newest: Catalog) -> None:
    """Has the registry forget types that are gone, except for the last ones."""
    while _dying:
        died: _Declared = _dying.popleft()
        if _declared.get(died.oid) is not died:
            continue  # it was another definition of the type
        made = newest.get(died.oid)
        if isinstance(made, USER_TYPES):
            _declare(made)
        else:
            _of_rows.pop(died.oid, None)
            _dropped.append(died)
    while len(_dropped) > DROPPED_MAX:
        died = _dropped.popleft()
        if _declared.get(died.oid) is died:
            del _declared[died.oid]
            forget(died.oid, died.array_oid)


def forget_all() -> None:
    """The environment is closed, and another may have other types under the same numbers: a process serves one after the other."""
    global _committed, _shown, _newest, _rows_shown
    for died in (*_declared.values(), *_dropped):
        forget(died.oid, died.array_oid)
    for known in (_declared, _of_rows, _dropped, _dying):
        known.clear()
    _committed = _shown = {}
    _newest, _rows_shown = None, 0


@contextmanager
def shown(catalog: Catalog) -> Iterator[None]:
    """Within, the registry has this catalog's definitions. Nothing may be awaited within.

    May be nested: what is planned on the way to a definition (a body of SQL) leaves the definition the types that it is of.
    """
    global _within
    around, _within = _within, catalog
    _show(catalog.user_types)
    _show_rows(catalog)
    try:
        yield
    finally:
        _within = around
        before = around if around is not None else _newest
        _show(_committed if around is None else around.user_types)
        if before is not None:
            _show_rows(before)


def _show(types: Mapping[Oid, UserType]) -> None:
    global _shown
    if types is _shown:
        return
    for oid in sorted(types):
        if _known(oid) != types[oid]:
            _declare(types[oid])
    _shown = types


def _show_rows(catalog: Catalog) -> None:
    global _rows_shown
    if catalog.version == _rows_shown:
        return
    for oid in _of_rows:
        made = catalog.get(oid)
        if isinstance(made, CompositeType) and (known := _known(oid)) is not made and known != made:
            _declare(made)
    _rows_shown = catalog.version


def _declare(thing: UserType) -> None:
    _declared[thing.oid] = _held(thing)
    if isinstance(thing, EnumType):
        register_enum(thing.oid, thing.array_oid, thing.name, thing.labels, thing.numbers, thing.unsafe)
    elif isinstance(thing, Domain):
        register_domain(thing.oid, thing.array_oid, thing.name, thing.base)
    elif isinstance(thing, RangeType):
        said = Spanned(thing.oid, thing.multirange_oid, base_of(thing.subtype).oid)
        register_range(said, thing.oid, thing.array_oid, thing.name)
    elif isinstance(thing, MultirangeType):
        said = Spanned(thing.range_oid, thing.oid, base_of(thing.subtype).oid)
        register_range(said, thing.oid, thing.array_oid, thing.name)
    elif isinstance(thing, CompositeType):
        fields = tuple((c.name, c.type) for c in thing.columns)
        register_composite(
            thing.oid, thing.array_oid, thing.name, fields, conditions_of(thing),
            tuple(c.declared.oid for c in thing.columns),
        )  # fmt: skip
