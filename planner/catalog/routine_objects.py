"""What users make that is called: functions, procedures and aggregates, operators, casts and event triggers, as a database's
catalog has them. Each names types and functions by their `oid`s."""

from __future__ import annotations

from collections.abc import Callable

from planner.abc import Oid, TypeRef
from planner.catalog.predefined import DEFAULT_OWNER
from planner.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a function: `mode` as in pg_proc (i in, o out, b both, t a column of RETURNS TABLE)."""

    name: str
    type: TypeRef
    mode: str = "i"
    default: str | None = None
    domain: Oid = 0
    """What it was declared as, if that is a domain or the arrays over one: `type` is then the type underneath."""

    @property
    def declared(self) -> Oid:
        return self.domain or self.type.oid


@dataclass(frozen=True, slots=True)
class MovingParts:
    """How an aggregate would be computed over a frame that moves: kept and shown, the rows of a frame are added up instead."""

    transition: Oid
    inverse: Oid
    state: TypeRef
    initial: str | None = None
    final: Oid = 0
    final_extra: bool = False
    final_modify: str = "r"
    space: int = 0


@dataclass(frozen=True, slots=True)
class AggregateParts:
    """What CREATE AGGREGATE says beyond a function's name and types."""

    transition: Oid
    state: TypeRef
    initial: str | None = None
    final: Oid = 0
    final_extra: bool = False
    """The final function has parameters for the arguments too, and is given NULLs for them."""
    combine: Oid = 0
    sort_operator: Oid = 0
    final_modify: str = "r"
    space: int = 0
    moving: MovingParts | None = None

    @property
    def functions(self) -> tuple[Oid, ...]:
        m = self.moving
        moving = (m.transition, m.inverse, m.final) if m is not None else ()
        return tuple(oid for oid in (self.transition, self.final, self.combine, *moving) if oid)


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Function:
    """A function or procedure: what it is called with, what it returns, and its body as text.

    One in SQL is put in the place of its calls when a statement is bound, unless it `runs`: several statements, or writes. PL/pgSQL runs.
    Names in a body of the standard's form (RETURN, BEGIN ATOMIC) were looked up on `search_path` when it was made, and
    what it needs is in `depends`; names in a string are looked up by whoever calls it.
    """

    oid: Oid
    schema_oid: Oid
    name: str
    parameters: tuple[Parameter, ...]
    result: TypeRef
    returns_set: bool
    body: str
    standard: bool = False  # RETURN expression, or BEGIN ATOMIC ... END
    volatility: str = "v"
    strict: bool = False
    leakproof: bool = False
    parallel: str = "u"
    cost: float = 100.0
    rows: float = 0.0
    owner: str = DEFAULT_OWNER
    depends: tuple[Oid, ...] = ()
    search_path: tuple[str, ...] = ()
    language: str = "sql"
    kind: str = "f"  # as pg_proc has it; "p": a procedure, "a": an aggregate
    runs: bool = False
    definer: bool = False
    """SECURITY DEFINER: it acts as its owner."""
    settings: tuple[str, ...] = ()
    """SET: `name=value`, in force while it runs."""
    domain: Oid = 0
    """Of its result, as of a parameter."""
    aggregate: AggregateParts | None = None

    @property
    def returns(self) -> Oid:
        """The type of its result as it was declared."""
        return self.domain or self.result.oid

    @property
    def is_apart(self) -> bool:
        """Whether it runs as somebody else, or under settings of its own."""
        return self.definer or bool(self.settings)

    @property
    def inputs(self) -> tuple[Parameter, ...]:
        """What a call gives it."""
        return tuple(p for p in self.parameters if p.mode in "ibv")

    @property
    def outputs(self) -> tuple[Parameter, ...]:
        """OUT and INOUT parameters, or the columns of RETURNS TABLE."""
        return tuple(p for p in self.parameters if p.mode not in "iv")

    @property
    def is_variadic(self) -> bool:
        """Whether its last argument's elements may be given one by one."""
        return any(p.mode == "v" for p in self.parameters)

    def with_defaults(self, reworded: Callable[[str], str]) -> Function:
        """The function, its parameters' defaults in other words."""
        parameters = tuple(
            p if p.default is None else replace(p, default=reworded(p.default)) for p in self.parameters
        )
        return replace(self, parameters=parameters)

    @property
    def signature(self) -> tuple[Oid, ...]:
        """What tells it from others of its name in its schema."""
        return tuple(p.declared for p in self.inputs)


@dataclass(frozen=True, slots=True)
class Operator:
    """CREATE OPERATOR: a sign for a function of one argument (`left` is 0 then) or two.

    One without a function is there in name only: another one has called it its commutator or negator.
    """

    oid: Oid
    schema_oid: Oid
    name: str
    left: Oid
    right: Oid
    result: Oid = 0
    function: Oid = 0
    commutator: Oid = 0
    negator: Oid = 0
    restrict: Oid = 0
    join: Oid = 0
    hashes: bool = False
    merges: bool = False
    owner: str = DEFAULT_OWNER

    @property
    def signature(self) -> tuple[Oid, Oid]:
        """What tells it from others of its sign in its schema."""
        return self.left, self.right


@dataclass(frozen=True, slots=True)
class Cast:
    """CREATE CAST. `context`: e where it is said, a in assignment too, i anywhere; `method`: f by a function, i by text."""

    oid: Oid
    source: Oid
    target: Oid
    function: Oid
    context: str
    method: str
    database_oid: Oid


@dataclass(frozen=True, slots=True)
class EventTrigger:
    """CREATE EVENT TRIGGER. `enabled` as in pg_event_trigger: O, D, R, A; `tags`: the commands that it is of, () for all."""

    oid: Oid
    name: str
    event: str
    function: Oid
    database_oid: Oid
    enabled: str = "O"
    tags: tuple[str, ...] = ()
    owner: str = DEFAULT_OWNER


@dataclass(frozen=True, slots=True)
class Conversion:
    """CREATE CONVERSION: between two encodings, by number, with one of PostgreSQL's functions."""

    oid: Oid
    schema_oid: Oid
    name: str
    source: int
    target: int
    function: Oid
    default: bool = False
    owner: str = DEFAULT_OWNER


__all__ = [
    "AggregateParts",
    "Cast",
    "Conversion",
    "EventTrigger",
    "Function",
    "MovingParts",
    "Operator",
    "Parameter",
]
