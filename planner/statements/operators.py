"""DDL of operators and casts: CREATE, ALTER, DROP, and how other statements say which one they mean."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from planner.records import dataclass
from planner.statements.routines import Signature
from planner.statements.written import Name, TypeName


@dataclass(frozen=True, slots=True)
class OperatorSignature:
    """An operator, by its sign (`name.name`) and the types of its operands: None for NONE."""

    name: Name
    left: TypeName | None
    right: TypeName | None


@dataclass(frozen=True, slots=True)
class CreateOperator:
    """`options` by their names; `unknown`: those that nobody knows."""

    name: Name
    options: dict[str, Any] = field(default_factory=dict)
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AlterOperator:
    """`what`: owner, set schema, set (`options`: restrict and join; None for NONE)."""

    signature: OperatorSignature
    what: str
    to: str = ""
    options: dict[str, Name | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class DropOperators:
    signatures: tuple[OperatorSignature, ...]
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class CreateCast:
    """`method`: f by a function, i by what is written out and read, b by nothing; `context`: e, a, i, as in pg_cast."""

    source: TypeName
    target: TypeName
    method: str
    function: Signature | None = None
    context: str = "e"


@dataclass(frozen=True, slots=True)
class CastSignature:
    source: TypeName
    target: TypeName


@dataclass(frozen=True, slots=True)
class DropCast:
    source: TypeName
    target: TypeName
    if_exists: bool = False
    cascade: bool = False
