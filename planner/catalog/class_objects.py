"""Classes and families of operators that users make: by which operators and functions an index of a method goes for values of a type.

    OperatorFamily f  (btree)     members: what is of several types (int4 < int2), or was put there by ALTER OPERATOR FAMILY
      OperatorClass c (int4)      members: what the class cannot be without; it goes with the class

PostgreSQL keeps all members in two relations of their own (pg_amop, pg_amproc), and says in pg_depend which of them are a class's.
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.abc import Oid
from planner.catalog.predefined import DEFAULT_OWNER


@dataclass(frozen=True, slots=True)
class ClassMember:
    """An operator or a function under its number, for values of two types."""

    oid: Oid
    function: bool
    number: int
    left: Oid
    right: Oid
    does: Oid
    """The operator, or the function."""
    sort_family: Oid = 0
    """Of an operator that an ORDER BY is answered by: the family that orders its results."""

    @property
    def place(self) -> tuple[bool, int, Oid, Oid]:
        """Where it is in its family: nothing else may be."""
        return self.function, self.number, self.left, self.right


@dataclass(frozen=True, slots=True)
class OperatorFamily:
    """CREATE OPERATOR FAMILY, or the one that a class brings where none is named."""

    oid: Oid
    schema_oid: Oid
    name: str
    method: str
    members: tuple[ClassMember, ...] = ()
    owner: str = DEFAULT_OWNER


@dataclass(frozen=True, slots=True)
class OperatorClass:
    """CREATE OPERATOR CLASS, in a user's family or one of PostgreSQL's."""

    oid: Oid
    schema_oid: Oid
    name: str
    method: str
    family: Oid
    type_oid: Oid
    default: bool = False
    storage: Oid = 0
    members: tuple[ClassMember, ...] = ()
    owner: str = DEFAULT_OWNER


__all__ = ["ClassMember", "OperatorClass", "OperatorFamily"]
