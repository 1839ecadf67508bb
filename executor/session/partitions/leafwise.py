"""Which leaf an execution of a partitioned table's plan is of, and that leaf's plan (`planner.leafwise`).

    plan of orders ── id = $1 ──> Router ──> orders_3 ──> plan of orders_3      made once, then as any plan by key
                   ── several leaves, none, NULL ──> the plan itself: DuckDB's

What an INSERT computes for a key (`now()`, `nextval(...)`, `lower($1)`) decides where its row goes, so it is computed once, here: the
leaf's plan has it as one more parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from executor.keyed.compile import Compiled, compile_row
from executor.keyed.insert import sequences_of
from executor.session.commands import NeedsLease
from executor.snapshot.abc import NoKeyedAnswer
from planner.abc import (
    Call,
    Const,
    Expr,
    InsertValues,
    KeyedJoin,
    KeyedRead,
    Param,
    PartUse,
    Plan,
    Points,
    StatementKind,
    Table,
    TypeRef,
)
from planner.leafwise import ByKey, Leafwise, at_leaves
from planner.partitioning import Router, dealing, deciding, of_partition, router
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session
    from planner.catalog.catalog import Catalog

ROWS_MAX = 100
"""An INSERT of more rows is not looked at row by row here."""
PLANS_MAX = 1_024

Given = tuple[Datum, ...]
_T = TypeVar("_T")
_Pick = Callable[[Sequence[Any]], Table | None]


class LeafPlans:
    """The plans of leaves that stand in for a plan, of one catalog."""

    def __init__(self, catalog: Catalog, plan: Plan, made: Leafwise) -> None:
        """Raises NotCompilable where the keyed engine cannot compute where rows go."""
        self._catalog, self._plan, self._by_key = catalog, plan, made.by_key
        self._plans: dict[int | tuple[int, ...], Plan | None] = {}
        self._tables = [use.table.oid for use in made.uses]
        self._picks = [_pick(catalog, use) for use in made.uses]
        self._dealing = [
            x for use in made.uses if not _fixed(catalog, use)[1] for x in dealing(catalog, use.table)
        ]
        """Tables of which a partition that is yet to come may be asked for, too."""
        self._whole = made.whole
        self._rows: _Rows | None = None
        if isinstance(made.by_key, InsertValues):
            self._tables = [made.by_key.table.oid]
            self._rows = _Rows(catalog, made.by_key, len(plan.parameters))

    @property
    def computes(self) -> bool:
        """Whether leaves' plans have more parameters than the statement."""
        return self._rows is not None and bool(self._rows.computed)

    def find(self, session: Session, params: Given, *, now: bool = False) -> tuple[Plan, Given] | None:
        """The plan that answers for these parameters, and its own; None: the statement's own plan is to.

        `now`: whoever asks may have to give up, and then asks again.
        """
        if now and self._rows is not None and self._rows.draws:
            return None  # numbers are drawn once
        block = session.block
        if session.pinned is not None or (block is not None and block.as_of is not None):
            return None
        if self._rows is not None:
            if self._rows.computed and (
                session.settings.read_only or (block is not None and block.read_only)
            ):
                return None  # it will be refused, and has drawn no numbers by then
            try:
                leaf, params = self._rows.leaf(session, params)
            except (NoKeyedAnswer, NeedsLease):
                return None
        elif len(self._picks) == 1:
            leaf = self._picks[0](params)
        else:
            return self._of_several(session, params)
        if leaf is None:
            return None
        if block is not None:
            for table in self._dealing:
                block.use(table)
        try:
            plan = self._plans[leaf.oid]
        except KeyError:
            plan = self._plans[leaf.oid] = self._made(leaf.oid, [leaf])
        return None if plan is None else (plan, params)

    def _of_several(self, session: Session, params: Given) -> tuple[Plan, Given] | None:
        leaves = [pick(params) for pick in self._picks]
        found = [leaf for leaf in leaves if leaf is not None]
        if len(found) < len(leaves):
            return None
        if session.block is not None:
            for table in self._dealing:
                session.block.use(table)
        key = tuple(leaf.oid for leaf in found)
        if key not in self._plans:
            self._plans[key] = self._made(key, found)
        plan = self._plans[key]
        return None if plan is None else (plan, params)

    def _made(self, key: int | tuple[int, ...], leaves: Sequence[Table]) -> Plan | None:
        if len(self._plans) >= PLANS_MAX:
            self._plans.clear()
        by_key = self._by_key if self._rows is None else self._rows.body
        made = at_leaves(self._catalog, by_key, dict(zip(self._tables, leaves, strict=True)))
        return None if made is None else _plan_of(self._plan, made, self._whole)


class StandIns(Protocol):
    """Plans that stand in for one, of which parameters say which."""

    @property
    def computes(self) -> bool: ...

    def find(self, session: Session, params: Given, *, now: bool = False) -> tuple[Plan, Given] | None: ...


def of_each(
    session: Session, plans: StandIns, make: Callable[[Session, Plan], _T | None]
) -> Callable[[Given], tuple[_T, Given] | None]:
    """What `make` makes of a leaf's plan, once for each leaf: which of them is to be asked, and with which parameters."""
    find = plans.find
    known: dict[int, tuple[Plan, _T]] = {}

    def at(params: Given) -> tuple[_T, Given] | None:
        found = find(session, params)
        if found is None:
            return None
        leaf, given = found
        kept = known.get(id(leaf))
        if kept is None:
            made = make(session, leaf)
            if made is None:
                return None
            kept = known[id(leaf)] = leaf, made
        return kept[1], given

    return at


def _plan_of(plan: Plan, by_key: ByKey, whole: bool) -> Plan:
    """As the binder makes plans of such forms."""
    extra = {name: value for name, value in plan.extra.items() if name != "leafwise"}
    found = replace(plan, compiled=None, wire=None, extra=extra)
    if isinstance(by_key, InsertValues):
        found.body = by_key
        if by_key.on_conflict is None:
            found.kind = StatementKind.WRITE
    elif isinstance(by_key, KeyedJoin) or (isinstance(by_key, KeyedRead) and not whole):
        extra["keyed"] = by_key
    elif isinstance(by_key, KeyedRead):
        found.body = by_key
        if not isinstance(by_key.lookup, Points):
            extra["beyond"] = plan.body
    elif isinstance(by_key.lookup, Points) and not by_key.index:
        found.body = by_key
    else:
        extra["by_range"] = by_key
    return found


def _pick(catalog: Catalog, use: PartUse) -> _Pick:
    """Parameters to the one leaf that they name; None: they name several, or none."""
    way = router(catalog, use.table)
    fixed, all_of_them = _fixed(catalog, use)
    if all_of_them:
        made = [
            (p, v.number - 1 if isinstance(v, Param) else None, getattr(v, "value", None))
            for p, v in fixed.items()
        ]

        def known(params: Sequence[Any]) -> Table | None:
            row = {place: constant if n is None else params[n] for place, n, constant in made}
            return None if None in row.values() else _leaf(way, row)

        return known

    def wanted(params: Sequence[Any]) -> Table | None:
        asked = [
            (place, how, [v.value if isinstance(v, Const) else params[v.number - 1] for v in values])
            for place, how, values in use.asked
        ]
        found = way.wanted(asked)
        return catalog.table(*found) if len(found) == 1 else None

    return wanted


def _fixed(catalog: Catalog, use: PartUse) -> tuple[Mapping[int, Const | Param], bool]:
    """The columns that decide of which one value is asked for, and whether these are all: no partition but one can have such a row."""
    places = router(catalog, use.table).all_places()
    fixed = {place: v[0] for place, how, v in use.asked if how == "=" and len(v) == 1 and place in places}
    return fixed, places <= fixed.keys()


def _leaf(way: Router, row: Any) -> Table | None:
    found = way.leaf(row)
    return found if isinstance(found, Table) and found.foreign is None else None


class _Rows:
    """Where the rows of an INSERT go."""

    def __init__(self, catalog: Catalog, said: InsertValues, parameters: int) -> None:
        self._way = router(catalog, said.table)
        places = sorted(deciding(catalog, said.table))
        types = [said.table.columns[i].type for i in places]
        self.computed: list[Expr] = []
        rows: list[tuple[Expr, ...]] = []
        kinds: list[TypeRef] = []
        for row in said.rows[: ROWS_MAX + 1]:
            cells = list(row)
            for i, ref in zip(places, types, strict=True):
                if not isinstance(cells[i], Const | Param):
                    self.computed.append(cells[i])
                    kinds.append(ref)
                    cells[i] = Param(parameters + len(self.computed), ref)
            rows.append(tuple(cells))
        self.body = replace(said, rows=tuple(rows))
        self._sequences = sequences_of([tuple(self.computed)])
        self.draws = any(_draws(cell) for cell in self.computed)
        self._many = len(said.rows) > (1 if self.draws else ROWS_MAX)
        self._places = places
        self._ours = of_partition(said.table) if said.table.partition is not None else None
        self._compute = compile_row(self.computed, kinds)
        self._keys: list[Compiled] = [compile_row([row[i] for i in places], types) for row in rows]

    def leaf(self, session: Session, params: Given) -> tuple[Table | None, Given]:
        """The leaf of all rows, and the parameters with what was computed. Raises what computing it raises."""
        if self._many:
            return None, params
        if self.computed:
            for oid, count in self._sequences:
                session.reserve_values(oid, count)
            params = (*params, *self._compute(params, None, session))
        found: Table | None = None
        for key in self._keys:
            values = key(params, None, session)
            row: Any = dict(zip(self._places, values, strict=True))
            if self._ours is not None and not self._ours(row):
                return None, params  # which is said of the table that is named
            leaf = _leaf(self._way, row)
            if leaf is None or (found is not None and leaf is not found):
                return None, params
            found = leaf
        return found, params


def _draws(e: Expr) -> bool:
    return isinstance(e, Call) and (e.op == "nextval" or any(map(_draws, e.args)))


__all__ = ["LeafPlans", "of_each"]
