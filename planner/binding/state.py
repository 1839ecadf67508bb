"""What a statement's binding knows: its parameters, relations, texts so far; and a SELECT between binding and writing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from planner import types as t
from planner.abc import (
    ChangesUse,
    CommonWrite,
    Expr,
    Lookup,
    PlanError,
    Query,
    ResultColumn,
    Search,
    Sought,
    SqlError,
    SystemUse,
    Table,
    TypeRef,
)
from planner.binding import collations_met, ir
from planner.binding.coerce import Coercions
from planner.binding.column_names import start_of
from planner.binding.emit import EmittedColumn, Emitter
from planner.binding.expressions import ExpressionBinder
from planner.binding.fragments import Form, Frag, Item
from planner.binding.keyed.selects import BoundSelect
from planner.binding.locked_rows import Asked, InnerRow
from planner.binding.naming import writes_operator
from planner.binding.parameters import Parameters
from planner.binding.rights.accesses import Accesses
from planner.binding.routines.inlined import Routines
from planner.binding.scope import Relation, Scope
from planner.binding.sources import SourceBinder
from planner.binding.typenames import modifier, type_of
from planner.catalog.by_name import OWN_TEMPORARY
from planner.catalog.catalog import meant_schema
from planner.catalog.names import missing_schema
from planner.catalog.system.context import SystemContext
from planner.catalog.system.reg_names import RegNames
from planner.lexer import QUOTED, WORD, tokenize
from planner.records import dataclass, replace

if TYPE_CHECKING:
    from planner.binding.locked_each import Asks
    from planner.binding.routines.variables import Variables
    from planner.catalog import Function

DEPTH_MAX = 200
"""Queries inside queries; deeper is 54001."""
COLUMNS_MAX = 1664
"""Entries of a target list, as in PostgreSQL (54011)."""


@dataclass(slots=True)
class BoundQuery:
    """A finished query. Its columns are called c0, c1, ... in the text."""

    frag: Frag
    columns: list[ResultColumn]
    forms: list[Form]
    outer: tuple[ir.Var, ...] = ()
    rows: Sequence[InnerRow] = ()
    """Asked for by the query around it: the rows of tables that its rows are made of, named behind its columns."""
    numbered: bool = False
    """It has one more column, `tw_n`: the order of its rows."""
    unlocked: bool = False
    """No row of a table is locked in it, whatever is asked."""
    by_key: BoundSelect | None = None
    """The same for the keyed engine."""
    effects: tuple[int, ...] = ()
    """The columns that do something when they are computed (`planner.binding.effects`)."""
    unasked: Sequence[tuple[int, int]] = ()
    """The columns that may be left out, each with its mark (`planner.binding.unasked`)."""
    own: Sequence[ir.Node | None] = ()
    """What a SELECT computes of rows (`planner.binding.folding`)."""
    apart: Apart | None = None
    """What its columns are made of, where these are not the columns of the text (`late_targets.set_apart`)."""
    sides: tuple[BoundQuery, ...] = ()
    """Of UNION and its kin: the two that it is made of."""


@dataclass(frozen=True, slots=True)
class Apart:
    """What a query's rows are, as values over a relation with the columns of its text."""

    relation: int
    types: Sequence[TypeRef]
    made: Sequence[ir.Node]
    where: ir.Node | None
    """What is still asked of each."""


@dataclass(slots=True)
class Target:
    name: str
    node: ir.Node
    syntax: exp.Expression | None = None
    table_oid: int = 0
    attnum: int = 0
    position: int = 0
    """Of the star that it comes from."""


@dataclass(frozen=True, slots=True)
class Below:
    """What a grouping is made of: rows that pass `where`, and what each column of the grouping's relation is of them."""

    where: ir.Node | None
    columns: Sequence[ir.Node | None]
    """Keys, aggregates, and columns that the keys decide; None: what is not known here."""
    keys: int
    sets: tuple[tuple[int, ...], ...]
    """The grouping sets: which of the keys each has."""


@dataclass(slots=True)
class Parts:
    """A SELECT, bound and not yet written."""

    source: Frag | None
    where: ir.Node | None
    targets: list[Target]
    having: ir.Node | None = None
    order: list[ir.SortKey] = field(default_factory=list)
    distinct: bool = False
    distinct_on: list[ir.Node] | None = None
    sorted_itself: bool = False
    """Whether ORDER BY is not what somebody said, but the order in which DISTINCT ON finds its firsts."""
    limit: ir.Node | None = None
    offset: ir.Node | None = None
    ties: bool = False
    grouped: bool = False
    grouping: int = 0
    """The relation that the grouping makes."""
    below: Below | None = None
    """What is below the grouping."""
    hidden: list[tuple[Frag, str]] = field(default_factory=list)
    """Columns behind the targets and their names, for the executor or the query around it alone."""
    rows: Sequence[InnerRow] = ()
    numbered: bool = False
    """Whether the query around it asks for the order of the rows."""
    cut: list[Item] | None = None
    """In place of LIMIT and OFFSET."""
    prefix: Frag | None = None

    @property
    def asked_of_rows(self) -> ir.Node | None:
        """WHERE, which stands below the grouping where there is one."""
        return self.where if self.below is None else self.below.where

    def asking_of_rows(self, where: ir.Node | None) -> Parts:
        """The same with another WHERE."""
        if self.below is None:
            return replace(self, where=where)
        return replace(self, below=replace(self.below, where=where))


class QueryState:
    """One statement's binding: its parameters, relations and texts."""

    def __init__(self, ctx: Any, text: str, parameters: Parameters) -> None:
        self.ctx = ctx
        self.text = text
        self.search_path: tuple[str, ...] = ctx.search_path
        if getattr(ctx, "trusted", False):
            self.search_path = ctx.catalog.reaching_extensions(self.search_path)
        self.parameters = parameters
        self.variables: Variables | None = getattr(ctx, "variables", None)
        self.named_objects = False
        """Whether what the statement means hangs on the name of an object that is no system relation."""

        def named() -> SystemContext:
            self.named_objects = True
            return SystemContext(ctx.catalog, self.search_path)

        names = RegNames(named)
        self.coercions = Coercions(parameters, ctx.settings, names, ctx.catalog)
        self.emitter = Emitter()
        self.tables: list[Relation] = []
        self.parts_asked: dict[int, tuple[tuple[int, str, tuple[Any, ...]], ...]] = {}
        """By relation: what WHERE asks of the keys of a partitioned table (`planner.binding.partitioned`)."""
        self.accesses = Accesses(ctx)
        self.routines = Routines()
        self.policies_under_way: list[int] = []
        """Tables whose policies, with queries in them, are being bound (`planner.binding.rights.row_security`)."""
        self.barriers: dict[int, list[Frag]] = {}
        """By relation: what is asked below the barrier around it (`planner.binding.rights.barriers`)."""
        self.keys_used: set[int] = set()
        """Primary keys that tell of columns beside them what they are in a group: constraints, by OID."""
        self.tells_collations = collations_met.told()
        """Each column and COLLATE says its collation, and who meets is looked at."""
        self.only_written = False
        """Nobody runs what is bound: it is written again as SQL, so COLLATE stays where it was said."""
        self.calling: bool = getattr(ctx, "calling", False)
        """It is what CALL is followed by."""
        self.called: Function | None = None
        """The procedure that it is a call of."""
        self.called_with: tuple[int, ...] = ()
        """Which parameters the arguments stand for."""
        self.written_table: Table | None = None
        """The table whose rows the statement writes."""
        self.onlookers: set[int] = set()
        """Functions that may look at it meanwhile (`planner.binding.routines.onlookers`), by OID,"""
        self.onlooking = 0
        """and how often one has been called so far."""
        self.apart: exp.Expression | None = None
        """The SELECT whose targets that call one of them are left to who writes its rows."""
        self.running = False
        """Whether routines run in its course (`planner.binding.routines.runs`),"""
        self.volatilities: set[bool] = set()
        """and whether they are volatile: both, perhaps."""
        self.system: list[SystemUse | ChangesUse] = []
        self.system_relations: dict[int, tuple[str, Relation]] = {}
        """Slot and relation, by number."""
        self.views: dict[int, Relation] = {}
        """By number, for their columns in use."""
        self.volatile = False
        self.failing: Query | None = None
        """What raises the error of a constant that a part of WITH cannot compute."""
        self.numerics = False
        """Whether numerics that are given, and of which nobody knows the digits, are computed with."""
        self.undecided = False
        """Whether literals stand in places where some may fail."""
        self.prefer_keyed = True
        self.keeps_selects = True
        self.common_writes: list[CommonWrite] = []
        self.in_common_write = False
        self.arbiter_conditions: list[ir.Node] = []
        """What ON CONFLICT asks of parameters (`planner.binding.writes.arbiter_predicates`)."""
        self.with_texts: dict[str, Frag] = {}
        """The text of each WITH query so far, by its name in the text."""
        self.locked_texts: dict[Frag, tuple[tuple[int, int] | None, ...]] = {}
        """What stands for a locking part of the statement: (table, attribute number) of its columns of locked rows."""
        self.locked_each: dict[str, Asks] = {}
        """By slot: of which rows a locking part of the statement is asked, if it names columns around it."""
        self.locked_relations: dict[int, tuple[tuple[int, int] | None, ...]] = {}
        self.asked: tuple[Asked, ...] = ()
        """What locking clauses ask of the FROM that is being bound,"""
        self.passed: tuple[Asked, ...] = ()
        """and of the query that is bound next (`planner.binding.locked_rows`)."""
        self.numbering = False
        """Whether the order of its rows is asked of the query that is bound next,"""
        self.single = False
        """and whether it is a value in an expression."""
        self.outer_aggregates: dict[int, ir.Aggregate] = {}
        """What aggregates of an outer query are columns of, where they are written."""
        self.ranges: dict[int, tuple[Lookup, ...] | None] = {}
        self.own_conditions: dict[int, tuple[Expr, ...]] = {}
        """By relation: what is asked of its rows alone (`planner.binding.own_conditions`)."""
        self.searches: dict[int, Search | Sought] = {}
        """By relation: what WHERE asks that an index of parts serves (`planner.binding.keyed.searched`)."""
        self._relations = 0
        self._scopes = 0
        self._selects = 0
        self._depth = 0
        self._opened: set[int] = set()
        """The views whose queries are being bound."""
        self._used: dict[int, Relation] = {}
        self.expressions: ExpressionBinder
        self.sources: SourceBinder

    def offered(self, schema: str = "") -> frozenset[str]:
        """The extensions whose functions and operators a name finds here, with or without a schema."""
        found: frozenset[str] = self.ctx.catalog.offered(schema, self.search_path)
        return found

    def offered_operators(self) -> frozenset[str]:
        """The same for operators: OPERATOR(s.%) has lost its schema by now, so it finds those of every extension."""
        if not writes_operator(self.text):
            return self.offered()
        catalog = self.ctx.catalog
        found: frozenset[str] = catalog.offered("", catalog.reaching_extensions(self.search_path))
        return found

    def next_relation(self) -> int:
        self._relations += 1
        return self._relations

    def declare(self, number: int, columns: list[EmittedColumn]) -> None:
        self.emitter.aliases[number] = f"r{number}"
        self.emitter.columns[number] = columns

    def new_scope(self, parent: Scope | None) -> Scope:
        self._scopes += 1
        return Scope(parent, self._scopes)

    def use(self, var: ir.Var) -> None:
        if var.relation in self.system_relations:
            self.system_relations[var.relation][1].used.add(var.column)
            return
        if var.relation in self.views:
            self.views[var.relation].used.add(var.column)
            return
        for r in self.tables:
            if r.number == var.relation and var.column < 0:
                r.rid = True  # `planner.binding.system_columns`
                r.system.add(var.column)
            elif r.number == var.relation:
                r.used.add(var.column)

    def origin(self, node: ir.Node, relations: Sequence[Relation]) -> tuple[int, int]:
        """The column of a table or view that a value is as it stands, of what these relations are made of."""
        if isinstance(node, ir.Collated) and not node.explicit:
            node = node.arg
        if isinstance(node, ir.Var):
            for r in relations:
                if r.number == node.relation and node.column < len(r.columns):  # below 0: a system column
                    return r.columns[node.column].table_oid, r.columns[node.column].attnum
        return 0, 0

    def anonymous_relation(self, bound: BoundQuery) -> int:
        number = self.next_relation()
        self.declare(number, [EmittedColumn(f"c{i}", f) for i, f in enumerate(bound.forms)])
        return number

    def system_use(self, schema: str, name: str, relation: Relation) -> str:
        slot = f"y{len(self.system)}"
        self.system.append(SystemUse(slot, schema, name))
        self.system_relations[relation.number] = slot, relation
        return slot

    def type_of(self, node: exp.Expression) -> TypeRef:
        return self._user_type(node) or type_of(node)

    def _user_type(self, node: exp.Expression) -> TypeRef | None:
        """A type made by CREATE TYPE, or an array over one."""
        if not isinstance(node, exp.DataType):
            return None
        if node.this == exp.DataType.Type.ARRAY and node.expressions:
            inner = self._user_type(node.expressions[0])
            return None if inner is None else TypeRef(t.array_of(inner.oid))
        if node.this not in (exp.DataType.Type.USERDEFINED, exp.DataType.Type.HSTORE):
            return None
        named = "hstore" if node.this == exp.DataType.Type.HSTORE else str(node.args.get("kind") or "")
        words = [w.value for w in tokenize(named) if w.kind in (WORD, QUOTED)]
        schema = words[-2] if len(words) > 1 else ""
        catalog = self.ctx.catalog
        if not words:
            return None
        if schema not in ("", OWN_TEMPORARY) and catalog.find_schema(schema) is None:
            raise missing_schema(schema)
        if schema:
            self.accesses.enters(schema, start_of(node))
        found = catalog.type_named(words[-1], schema, self.search_path)
        oid = found.oid if found is not None else catalog.array_named(words[-1], schema, self.search_path)
        self.named_objects = self.named_objects or bool(oid)
        if oid and node.expressions:
            try:
                return TypeRef(oid, t.modifier(oid, [modifier(e) for e in node.expressions], words[-1]))
            except SqlError as e:
                raise PlanError(e.sqlstate, e.message, position=start_of(node)) from None
        return TypeRef(oid) if oid else None

    def called_schema(self, name: str) -> str:
        """The schema that a call names: `pg_temp` is the session's own temporary one."""
        return meant_schema(name, self.search_path)

    def parenthesis_before(self, position: int) -> int:
        """Where the parenthesis opens in which something at this position is the first thing."""
        at = self.text.rfind("(", 0, max(position - 1, 0))
        return at + 1 if at >= 0 else position

    # --- what the subclasses add ---------------------------------------------------------------------

    def nested(
        self,
        node: exp.Expression,
        scope: Scope | None,
        expected: Sequence[TypeRef | None] | None = None,
        *,
        top: bool = False,
    ) -> BoundQuery:
        raise NotImplementedError

    def limits(self, node: exp.Expression, parts: Parts, scope: Scope) -> None:
        raise NotImplementedError
