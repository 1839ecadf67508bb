"""The types that users make, as a database's catalog has them: each is a record with an `oid`, by which columns point to it.

EnumType      labels in their order            CompositeType   attributes
Domain        a type and its conditions        BaseType        a type whose input and output are functions
RangeType     over a subtype, with its         Collation       how text is compared
              MultirangeType"""

from __future__ import annotations

from planner.abc import Column, Constraint, Oid, TypeRef
from planner.catalog.predefined import DEFAULT_OWNER
from planner.records import dataclass


@dataclass(frozen=True, slots=True, weakref_slot=True)
class EnumType:
    oid: Oid
    schema_oid: Oid
    name: str
    array_oid: Oid
    labels: tuple[str, ...]
    label_oids: tuple[Oid, ...] = ()
    owner: str = DEFAULT_OWNER
    places: tuple[float, ...] = ()
    """enumsortorder of the labels, where it is not 1, 2, 3 and so on."""
    unsafe: tuple[str, ...] = ()
    """Labels that the transaction at hand has added: nobody may use them before it commits. In no row of the catalog."""

    @property
    def numbers(self) -> tuple[Oid, ...]:
        """The labels' OIDs, made up where an older server kept none."""
        return self.label_oids or tuple((self.oid << 8) + i for i in range(len(self.labels)))


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Domain:
    oid: Oid
    schema_oid: Oid
    name: str
    array_oid: Oid
    base: TypeRef
    not_null: bool = False
    default: str | None = None
    constraints: tuple[Constraint, ...] = ()
    owner: str = DEFAULT_OWNER
    collation: str = ""  # "": its type's
    own_default: bool = (
        False  # `default` is all there is; older servers left out what the domain underneath had
    )


@dataclass(frozen=True, slots=True, weakref_slot=True)
class CompositeType:
    oid: Oid
    schema_oid: Oid
    name: str
    array_oid: Oid
    columns: tuple[Column, ...]
    owner: str = DEFAULT_OWNER


@dataclass(frozen=True, slots=True, weakref_slot=True)
class RangeType:
    """CREATE TYPE ... AS RANGE. Beside it there is always its `MultirangeType`."""

    oid: Oid
    schema_oid: Oid
    name: str
    array_oid: Oid
    subtype: TypeRef
    multirange_oid: Oid
    opclass: Oid
    collation: str = ""  # "": the subtype's
    difference: str = ""  # subtype_diff, for those who ask: no index is searched by it
    owner: str = DEFAULT_OWNER


@dataclass(frozen=True, slots=True, weakref_slot=True)
class MultirangeType:
    """The multirange over a range type, under a name of its own."""

    oid: Oid
    schema_oid: Oid
    name: str
    array_oid: Oid
    subtype: TypeRef
    range_oid: Oid
    owner: str = DEFAULT_OWNER


@dataclass(frozen=True, slots=True)
class BaseType:
    """A type that an extension brings. No row holds it: it is there as long as the extension is."""

    oid: Oid
    schema_oid: Oid
    name: str
    array_oid: Oid
    extension: Oid
    owner: str = DEFAULT_OWNER


@dataclass(frozen=True, slots=True)
class Collation:
    """CREATE COLLATION. Columns and expressions name it by its key (`planner.catalog.collations`)."""

    oid: Oid
    schema_oid: Oid
    name: str
    provider: str  # "i": ICU, "c": the order of bytes
    locale: str
    deterministic: bool = True
    encoding: int = -1  # -1: any
    owner: str = DEFAULT_OWNER


__all__ = ["BaseType", "Collation", "CompositeType", "Domain", "EnumType", "MultirangeType", "RangeType"]
