"""FOR UPDATE and its weaker kin: a query that also says which rows of which tables it found.

    SELECT a.x FROM a JOIN b ON ... WHERE ... ORDER BY ... LIMIT 1 FOR UPDATE OF a SKIP LOCKED

    SELECT a.x AS c0,  LIMIT AS tw_limit, OFFSET AS tw_offset,  a._rid, a's key   FROM ... LIMIT more than 1
           what is asked for                                    what is locked

The executor walks down the rows, locks what they name, and stops when it has as many as LIMIT says: rows that are
skipped do not count. So the text asks for as many more as there are rows that somebody has locked.

**In a subquery** (`WHERE id = (SELECT ... FOR UPDATE SKIP LOCKED LIMIT 1)`, the way to take a job from a queue) or in WITH
it becomes a part of the statement that runs before the rest, as a data-modifying query of WITH does. Rows that such
a part has locked by primary key need not be noted once more as read by a statement that asks for just these keys.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import types as t
from planner.abc import (
    Call,
    CommonWrite,
    Const,
    JoinStep,
    KeyedJoin,
    LockingQuery,
    Lookup,
    PlanError,
    Range,
    RowLock,
    SessionValue,
    Slot,
    TypeRef,
)
from planner.binding import ir, locked_each, locked_rows
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import Frag, Item, join, sql
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed import key_conditions
from planner.binding.keyed.index_order import first_rows, pinned_by
from planner.binding.locked_rows import Asked, InnerRow
from planner.binding.naming import identifier
from planner.binding.numeric_forms import column_form
from planner.binding.scope import FromStep, Relation, RelationColumn, Scope
from planner.binding.state import BoundQuery, Parts, Target
from planner.keyed_plans import FirstRows, narrowed
from planner.parse import position as first_position
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

STRENGTHS: Final = ("key share", "share", "no key update", "update")
ALL_OF_A_KEY: Final = 1 << 10
_COUNT: Final = TypeRef(t.INT8)
_UNLIMITED: Final = 1 << 60
_WAITS: Final = ("wait", "skip", "nowait")
_Origin = tuple[int, int]


@dataclass(slots=True)
class Wish:
    """What the clauses ask for one relation: the strongest of them, and the least patient."""

    relation: Relation
    row: InnerRow
    strength: str
    wait: str


@dataclass(slots=True)
class Wishes:
    tables: list[Wish]
    derived: bool  # rows of tables inside subqueries and views were meant as well

    @property
    def skips(self) -> bool:
        return any(w.wait == "skip" for w in self.tables)


def locks_of(node: exp.Expression) -> Sequence[exp.Expression]:
    """The locking clauses of a query, in order."""
    return node.args.get("locks") or ()


def _strength(clause: exp.Expression) -> str:
    strength = "update" if clause.args.get("update") else "share"
    if clause.args.get("key"):
        return "no key update" if strength == "update" else "key share"
    return strength


def wishes_of(queries: QueryBinder, node: exp.Expression, parts: Parts, scope: Scope) -> Wishes:
    """Which relations are to be locked, and how. Raises PlanError as PostgreSQL does."""
    found: dict[int, Wish] = {}
    derived = False
    for clause in locks_of(node):
        strength, patience = _strength(clause), _patience(clause)
        what = f"FOR {strength.upper()}"
        _check_shape(node, parts, what)
        if parts.ties and patience == "skip":
            raise PlanError("42601", "SKIP LOCKED and WITH TIES options cannot be used together")
        names = clause.args.get("expressions") or ()
        for relation in [_named(x, scope, what) for x in names] or scope.relations:
            derived = derived or relation.derived
            if relation.table is not None:
                queries.accesses.locks(relation.table)
            rows = locked_rows.rows_of(queries, relation)
            if rows:
                _refuse_nullable(relation, what)
            for row in rows:
                wish = found.setdefault(row.number, Wish(relation, row, strength, patience))
                wish.strength = max(wish.strength, strength, key=STRENGTHS.index)
                wish.wait = max(wish.wait, patience, key=_WAITS.index)
    return Wishes([found[n] for n in sorted(found)], derived)


def _patience(clause: exp.Expression) -> str:
    wait = clause.args.get("wait")
    return "nowait" if wait is True else "skip" if wait is False else "wait"


def _refuse_nullable(relation: Relation, what: str) -> None:
    if relation.nullable:
        raise PlanError("0A000", f"{what} cannot be applied to the nullable side of an outer join")


def asked(node: exp.Expression) -> list[Asked]:
    """What a query's locking clauses ask of its FROM."""
    return [
        Asked(
            _strength(c),
            _patience(c),
            frozenset(identifier(x.this) for x in c.args.get("expressions") or ()),
        )
        for c in locks_of(node)
    ]


def hand_on(
    queries: QueryBinder, node: exp.Expression, parts: Parts, scope: Scope, passed: Sequence[Asked]
) -> None:
    """A subquery or view of a locking query names its tables' rows. Raises 0A000 if it cannot have them locked."""
    what = f"FOR {passed[0].strength.upper()}"
    _check_shape(node, parts, what)
    for relation in scope.relations:
        if relation.table is not None:
            queries.accesses.locks(relation.table)
        if relation.rows or relation.slot:
            _refuse_nullable(relation, what)
    cut = not _none(parts.limit) or not _none(parts.offset)
    if any(r.derived for r in scope.relations) or (cut and any(a.wait == "skip" for a in passed)):
        return  # rows that are skipped would have to be made up for here
    parts.hidden, parts.rows = locked_rows.handed_on(queries, scope.relations)


def refuse_passed(passed: Sequence[Asked], *, view: bool) -> None:
    """A compound query in the FROM of a locking one; PostgreSQL locks nothing in a view that is one. Raises 0A000."""
    if passed and not view:
        raise PlanError(
            "0A000", f"FOR {passed[0].strength.upper()} is not allowed with UNION/INTERSECT/EXCEPT"
        )


def _named(node: exp.Expression, scope: Scope, what: str) -> Relation:
    """The relation that OF names."""
    if node.args.get("db") is not None:
        raise PlanError(
            "42601", f"{what} must specify unqualified relation names", position=first_position(node)
        )
    name = identifier(node.this)
    relation = scope.find_relation(name)
    if relation is None:
        raise PlanError(
            "42P01",
            f'relation "{name}" in {what} clause not found in FROM clause',
            position=first_position(node),
        )
    if relation.table is None and not relation.derived and not relation.rows:
        joined = relation.values or relation.parts
        kind = "a join" if joined else "a WITH query" if _is_common(scope, name) else "a function"
        raise PlanError("0A000", f"{what} cannot be applied to {kind}", position=first_position(node))
    return relation


def _is_common(scope: Scope | None, name: str) -> bool:
    while scope is not None:
        if name in scope.ctes:
            return True
        scope = scope.parent
    return False


def _check_shape(node: exp.Expression, parts: Parts, what: str) -> None:
    outputs = [n for x in parts.targets for n in ir.walk(x.node)]
    refused = (
        (parts.distinct or parts.distinct_on, "DISTINCT clause"),
        (node.args.get("group") is not None, "GROUP BY clause"),
        (node.args.get("having") is not None, "HAVING clause"),
        (parts.grouped, "aggregate functions"),
        (any(isinstance(n, ir.Window) for n in outputs), "window functions"),
        (
            any(isinstance(n, ir.SetReturning) for n in outputs),
            "set-returning functions in the target list",
        ),
    )
    for bad, clause in refused:
        if bad:
            raise PlanError("0A000", f"{what} is not allowed with {clause}")


def _inside(node: exp.Expression) -> Iterator[exp.Expression]:
    """A query between UNIONs and the one in its parentheses, each of which may have the clause."""
    yield node
    while isinstance(node, exp.Subquery | exp.Paren):
        node = node.this
        yield node


def refuse_compound(node: exp.Expression) -> None:
    """A locking clause behind what has no rows of tables. Raises 0A000."""
    if isinstance(node, exp.SetOperation):
        for clause in [
            c for n in (node, *_inside(node.this), *_inside(node.expression)) for c in locks_of(n)
        ]:
            what = f"FOR {_strength(clause).upper()}"
            raise PlanError("0A000", f"{what} is not allowed with UNION/INTERSECT/EXCEPT")
    if isinstance(node, exp.Values):
        for clause in locks_of(node):
            raise PlanError("0A000", f"FOR {_strength(clause).upper()} cannot be applied to VALUES")


def locked(
    queries: QueryBinder, parts: Parts, scope: Scope, wishes: Wishes, *, top: bool
) -> tuple[LockingQuery, BoundQuery]:
    """Writes a bound SELECT as a query that names the rows it found."""
    limited = not parts.ties and not (_none(parts.limit) and _none(parts.offset))
    by_key = _by_key(queries, parts, scope, wishes, limited=limited)
    hidden: list[tuple[Frag, str]] = []
    cut_at = parts.limit
    if limited:
        limit, offset = queries.limits_of(parts)
        hidden += [(limit, "tw_limit"), (offset, "tw_offset")]
        more: list[Item] = []
        if wishes.skips:
            more = [" + ", SessionValue("row_locks", TypeRef(t.INT8))]
        parts.cut = [] if _none(parts.limit) else [" LIMIT ", limit, " + ", offset, *more]
        parts.limit = parts.offset = None
    locks: list[RowLock] = []
    at = len(parts.targets) + len(hidden)
    for wish in wishes.tables:
        rid, keys = locked_rows.named(queries, wish.relation, wish.row)
        locks.append(RowLock(wish.row.table, wish.strength, wish.wait, at, wish.row.leaf_keys))
        hidden.append((rid, f"tw_r{at}"))
        hidden += [(key, f"tw_k{at}_{i}") for i, key in enumerate(keys)]
        at += 1 + len(keys)
        if wish.wait == "skip":
            queries.ranges[wish.row.number] = ()  # the rows that it gets are noted when they are locked
    if limited and wishes.skips and not _none(cut_at):
        hidden.append((sql(SessionValue("row_locks", TypeRef(t.INT8))), "tw_more"))
    parts.hidden = hidden
    bound = queries.written(parts, scope, top)
    query = replace(queries.finished(bound.frag), by_key=by_key)
    body = LockingQuery(query, len(parts.targets), limited, tuple(locks), wishes.derived)
    return body, bound


def _by_key(
    queries: QueryBinder, parts: Parts, scope: Scope, wishes: Wishes, *, limited: bool
) -> KeyedJoin | None:
    """The query of `locked` for the keyed engine: all rows in order, for who locks them counts them."""
    if parts.ties or parts.distinct_on or not scope.steps or not all(w.relation.table for w in wishes.tables):
        return None
    keys: list[ir.Node] = []
    for wish in wishes.tables:
        table, number = wish.row.table, wish.relation.number
        keys.append(ir.Lit(TypeRef(t.INT8), None))  # the row's id, which nobody asks for if there is a key
        keys += [ir.Var(table.columns[i].type, number, i) for i in table.key_indexes]
    targets = [*parts.targets, *(Target("", n) for n in keys)]
    walk = first_rows(queries.ctx.catalog, parts, scope.steps)
    whole = replace(parts, targets=targets, limit=None, offset=None)
    select = queries.kept(whole, scope.steps, walked=walk is not None)
    try:
        made = select.plan() if select is not None else None
        if made is None or not limited:
            return made
        limit, offset = (
            Call("coalesce", (keyed.expression(n, {}), Const(least, n.type)), n.type)
            if n is not None
            else Const(least, _COUNT)
            for n, least in ((parts.limit, _UNLIMITED), (parts.offset, 0))
        )
    except keyed.NotKeyed:
        return None
    cut = len(parts.targets)
    right = tuple(Call("int8 >= int8", (n, Const(0, _COUNT)), TypeRef(t.BOOL)) for n in (limit, offset))
    condition = Call("and", right, TypeRef(t.BOOL))  # or else DuckDB says what is wrong
    outputs = (*made.outputs[:cut], limit, offset, *made.outputs[cut:])
    first = None
    if walk is not None and not made.steps[0].rid:
        before = pinned_by(walk) >= _pinned(made.steps[0])
        first = FirstRows(walk, limit, offset, wishes.skips, before)
    return replace(made, outputs=outputs, condition=condition, first=first)


def _pinned(step: JoinStep) -> int:
    """How many columns the rows of a step have in common."""
    lookup = step.lookup
    if isinstance(lookup, Range):
        return len(lookup.prefix)
    return narrowed(step.index, len(step.index)) if step.index else ALL_OF_A_KEY


def _none(node: ir.Node | None) -> bool:
    return node is None or (isinstance(node, ir.Lit) and node.value is None)


# --- as a part of a statement ------------------------------------------------------------------------


def is_locking(node: exp.Expression) -> bool:
    return isinstance(node, exp.Select) and bool(locks_of(node))


def bind_part(
    queries: QueryBinder, node: exp.Select, scope: Scope, expected: Sequence[TypeRef | None] | None
) -> BoundQuery:
    """A locking query in another one: a part of the plan of its own, and what to write in its place. Raises PlanError."""
    what = f"FOR {_strength(locks_of(node)[0]).upper()}"
    queries.prefer_keyed = False
    scope.standing = standing = locked_each.Standing(queries, scope, what, first_position(node))
    prefix = queries.with_clause(node, scope)
    parts = queries.select(node, scope, expected)
    if scope.outer:
        raise PlanError(
            "0A000",
            f"{what} is not supported in a subquery that depends on the query around it",
            position=first_position(node),
        )
    if prefix is not None:
        parts.prefix = prefix
    asked = bool(standing.values)
    body, bound = locked(queries, parts, scope, wishes_of(queries, node, parts, scope), top=asked)
    around = around_of(queries, bound.frag)
    if around:
        if prefix is not None:
            raise PlanError(
                "0A000", f"{what} is not supported in a subquery with WITH queries inside and around it"
            )
        text = sql("WITH RECURSIVE ", join(", ", around), " ", bound.frag)
        body = replace(body, query=replace(queries.finished(text), by_key=body.query.by_key))
    slot = f"w{len(queries.common_writes)}"
    queries.common_writes.append(CommonWrite(slot, body))
    number = queries.next_relation()
    if asked:
        bound.forms = [column_form(c.type) for c in bound.columns]
    queries.declare(number, [EmittedColumn(f"c{i}", f) for i, f in enumerate(bound.forms)])
    names = ", ".join(f"r{number}.c{i}" for i in range(body.width)) or "1"
    frag = sql(f"SELECT {names} FROM ", Slot(slot), f" AS r{number}")
    if asked:
        frag = sql(frag, " WHERE ", standing.is_of(f"r{number}", slot, bound))
    relation = Relation(number, "", [RelationColumn("", c.type) for c in bound.columns])
    own = [Target("", ir.Var(c.type, number, i)) for i, c in enumerate(bound.columns)]
    by_key = None if asked else queries.kept(Parts(None, None, own), (FromStep(relation, handed=slot),))
    oids = {lock.table.oid for lock in body.locks}
    origins = tuple((c.table_oid, c.attnum) if c.table_oid in oids else None for c in bound.columns)
    queries.locked_texts[frag] = origins
    return BoundQuery(frag, bound.columns, bound.forms, tuple(standing.values), by_key=by_key)


def around_of(queries: QueryBinder, text: Frag) -> list[Item]:
    """The WITH queries of the statement that the text names, and those that they name."""
    wanted: list[Item] = []
    texts = [text]
    for name, text in reversed(queries.with_texts.items()):
        if any(isinstance(p, str) and f"{name} AS r" in p for f in texts for p in f.parts):
            wanted.insert(0, text)
            texts.append(text)
    return wanted


# --- what is read of rows that are locked already ----------------------------------------------------


def ranges(queries: QueryBinder, relation: Relation, where: ir.Node | None) -> tuple[Lookup, ...] | None:
    """What a write's query reads of its target; (): the rows that a part of the statement has locked by key."""
    table = relation.table
    if table is None:
        return None
    key = {table.columns[i].attnum for i in table.key_indexes}
    if key and queries.locked_texts:
        pinned: dict[object, set[int]] = {}
        for c in keyed.conjuncts(where):
            for source, own, origin in _equalities(queries, c, relation.number):
                if origin == (table.oid, table.columns[own].attnum):
                    pinned.setdefault(source, set()).add(origin[1])
        if any(key <= columns for columns in pinned.values()):
            return ()
    return key_conditions.read_ranges(table, relation.number, where)


def _equalities(
    queries: QueryBinder, node: ir.Node, relation: int
) -> list[tuple[object, int, _Origin | None]]:
    """(where from, own column, what of a locked row) of conjuncts that ask for a locked row's columns."""
    out: list[tuple[object, int, _Origin | None]] = []
    if isinstance(node, ir.SubQuery) and node.kind == "any" and node.compare is not None:
        origins = queries.locked_texts.get(node.query)
        pair = _pair(node.compare, relation)
        if origins and pair is not None and isinstance(pair[1], ir.Var) and pair[1].relation == node.relation:
            out.append((node.query, pair[0], origins[pair[1].column]))
    pair = _pair(node, relation)
    if pair is None:
        return out
    own, other = pair
    if isinstance(other, ir.SubQuery) and other.kind == "scalar":
        origins = queries.locked_texts.get(other.query)
        if origins:
            out.append((other.query, own, origins[0]))
    elif isinstance(other, ir.Var) and other.relation in queries.locked_relations:
        out.append((other.relation, own, queries.locked_relations[other.relation][other.column]))
    return out


def _pair(node: ir.Node, relation: int) -> tuple[int, ir.Node] | None:
    """(own column, the other side) of `column = other`."""
    if not isinstance(node, ir.Call) or len(node.args) != 2 or node.op.split(" ")[1:2] != ["="]:
        return None
    for a, b in (node.args, node.args[::-1]):
        if isinstance(a, ir.Var) and a.relation == relation and a.type.oid == b.type.oid:
            return a.column, b
    return None


__all__ = [
    "around_of",
    "asked",
    "bind_part",
    "hand_on",
    "is_locking",
    "locked",
    "locks_of",
    "ranges",
    "refuse_compound",
    "refuse_passed",
    "wishes_of",
]
