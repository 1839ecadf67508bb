"""DDL of classes and families of operators."""

from __future__ import annotations

from planner.records import dataclass
from planner.statements.operators import OperatorSignature
from planner.statements.routines import Signature
from planner.statements.written import Name, TypeName

CLASS, FAMILY = "operator class", "operator family"


@dataclass(frozen=True, slots=True)
class ClassSignature:
    """One of the two kinds, by its name and the method of the indexes that it is for."""

    kind: str
    name: Name
    method: str


@dataclass(frozen=True, slots=True)
class ClassItem:
    """One of the things that a class is made of: `what` is operator, function or storage.

    `operator.right` is None where no operands are said. `types` are those that a function is for, or that DROP names.
    """

    what: str
    number: int = 0
    operator: OperatorSignature | None = None
    function: Signature | None = None
    types: tuple[TypeName, ...] = ()
    sort_family: Name | None = None


@dataclass(frozen=True, slots=True)
class CreateOperatorClass:
    name: Name
    type: TypeName
    method: str
    items: tuple[ClassItem, ...]
    default: bool = False
    family: Name | None = None


@dataclass(frozen=True, slots=True)
class CreateOperatorFamily:
    name: Name
    method: str


@dataclass(frozen=True, slots=True)
class AlterOperatorFamily:
    """ADD items, or DROP those of some numbers and types."""

    signature: ClassSignature
    items: tuple[ClassItem, ...]
    drop: bool = False


@dataclass(frozen=True, slots=True)
class AlterClass:
    """`what`: rename, owner, set schema."""

    signature: ClassSignature
    what: str
    to: str


@dataclass(frozen=True, slots=True)
class DropClass:
    signature: ClassSignature
    if_exists: bool = False
    cascade: bool = False


__all__ = [
    "CLASS", "FAMILY", "AlterClass", "AlterOperatorFamily", "ClassItem", "ClassSignature", "CreateOperatorClass",
    "CreateOperatorFamily", "DropClass",
]  # fmt: skip
