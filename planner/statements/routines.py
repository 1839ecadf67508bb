"""DDL of functions: CREATE, ALTER, and how other statements say which one they mean."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from planner.records import dataclass
from planner.statements.tables import AlterAction
from planner.statements.written import Name, Sql, TypeName


@dataclass(frozen=True, slots=True)
class ParameterDef:
    """A parameter as written: `mode` as in pg_proc, "" where none is said."""

    name: str
    type: TypeName
    mode: str = ""
    default: Sql | None = None
    position: int = 0


@dataclass(frozen=True, slots=True)
class Signature:
    """A function, by its name and the types of its parameters; `parameters` None: by its name alone."""

    name: Name
    parameters: tuple[ParameterDef, ...] | None = None


@dataclass(frozen=True, slots=True)
class CreateFunction:
    """`body` is what the literal says, `written` how it stands in the statement; of RETURN and BEGIN ATOMIC they are one.

    `options`: language, volatility, strict, leakproof, parallel, cost, rows, definer; `set`: a list of `AlterSettings`.
    """

    name: Name
    parameters: tuple[ParameterDef, ...]
    returns: TypeName | None
    body: str
    written: Sql
    standard: bool = False
    replace: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    kind: str = "function"  # procedure


@dataclass(frozen=True, slots=True)
class CreateAggregate:
    """`parameters` None: the form of old, where `basetype` says the one there is. `unknown`: options that nobody knows."""

    name: Name
    parameters: tuple[ParameterDef, ...] | None
    options: dict[str, Any]
    unknown: tuple[str, ...] = ()
    replace: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """CALL: `query` is what follows it, a call of the procedure."""

    query: Sql


@dataclass(frozen=True, slots=True)
class AlterFunction:
    signature: Signature
    action: AlterAction | None = None  # rename, owner, set schema
    options: dict[str, Any] = field(default_factory=dict)
    tag: str = "ALTER FUNCTION"
    of_functions: int = 0  # where the first option stands that procedures have not


@dataclass(frozen=True, slots=True)
class DropFunctions:
    signatures: tuple[Signature, ...]
    if_exists: bool = False
    cascade: bool = False
    kind: str = "function"  # routine
