"""Objects as PostgreSQL identifies them: class, number, kind, and a name that holds on every search path.

s.t             function s.f(integer,pg_catalog.text)          trigger tr on s.t          column s.t.a
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from planner.abc import Column, Oid, Table
from planner.catalog import (
    Cast,
    Catalog,
    CatalogObject,
    Collation,
    Conversion,
    Extension,
    ForeignDataWrapper,
    ForeignServer,
    Function,
    Index,
    Operator,
    OperatorClass,
    OperatorFamily,
    Publication,
    PublishedSchema,
    PublishedTable,
    Schema,
    StatisticsObject,
    Subscription,
    TextSearchConfiguration,
    TextSearchDictionary,
    UserMapping,
    UserType,
    View,
    quote_identifier,
    quote_qualified,
    rights,
)
from planner.catalog import (
    Sequence as SequenceObject,
)
from planner.catalog.system.identities import qualified_type
from planner.catalog.system.relations import (
    ATTRDEF_OID,
    CAST_OID,
    CLASS_OID,
    COLLATION_OID,
    CONVERSION_OID,
    EXTENSION_OID,
    NAMESPACE_OID,
    OPCLASS_OID,
    OPERATOR_OID,
    OPFAMILY_OID,
    PROC_OID,
    PUBLICATION_NAMESPACE_OID,
    PUBLICATION_OID,
    PUBLICATION_REL_OID,
    SERVER_OID,
    STATISTIC_EXT_OID,
    SUBSCRIPTION_OID,
    TS_CONFIG_OID,
    TS_DICT_OID,
    TYPE_OID,
    USER_MAPPING_OID,
    WRAPPER_OID,
)

_KINDS: Final = {"a": "aggregate", "p": "procedure", "f": "function"}
CLASSES: Final[dict[type[Any], tuple[Oid, str]]] = {
    View: (CLASS_OID, "view"), SequenceObject: (CLASS_OID, "sequence"), Index: (CLASS_OID, "index"),
    Schema: (NAMESPACE_OID, "schema"), Collation: (COLLATION_OID, "collation"), Extension: (EXTENSION_OID, "extension"),
    TextSearchConfiguration: (TS_CONFIG_OID, "text search configuration"), TextSearchDictionary: (TS_DICT_OID, "text search dictionary"),
    ForeignDataWrapper: (WRAPPER_OID, "foreign-data wrapper"), ForeignServer: (SERVER_OID, "server"), UserMapping: (USER_MAPPING_OID, "user mapping"),
    StatisticsObject: (STATISTIC_EXT_OID, "statistics object"), Operator: (OPERATOR_OID, "operator"), Conversion: (CONVERSION_OID, "conversion"), OperatorClass: (OPCLASS_OID, "operator class"),
    OperatorFamily: (OPFAMILY_OID, "operator family"), Cast: (CAST_OID, "cast"),
    Publication: (PUBLICATION_OID, "publication"), Subscription: (SUBSCRIPTION_OID, "subscription"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Address:
    """An object, or a part of one, as PostgreSQL identifies it."""

    class_oid: Oid
    oid: Oid
    kind: str
    schema: str | None
    identity: str
    name: str | None
    names: tuple[str, ...]
    arguments: tuple[str, ...] = ()
    sub: int = 0
    temporary: bool = False


class Addresses:
    """Objects of one catalog."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog

    def home(self, thing: Any) -> str:
        """The schema's name; `pg_temp` is the session's own."""
        name = self.catalog.schema_of(thing.schema_oid).name
        return "pg_temp" if name.startswith("pg_temp_") else name

    def type(self, oid: Oid) -> str:
        """A type with its schema."""
        return qualified_type(self.catalog, oid)

    def of(self, thing: CatalogObject) -> Address:
        """An object as a whole."""
        if isinstance(thing, Cast):
            kinds = self.type(thing.source), self.type(thing.target)
            identity = f"({kinds[0]} AS {kinds[1]})"
            return Address(CAST_OID, thing.oid, "cast", None, identity, None, (kinds[0],), (kinds[1],))
        name = str(getattr(thing, "name", ""))
        if isinstance(thing, UserMapping):
            on = getattr(self.catalog.get(thing.server), "name", "")
            identity = f"{thing.user or 'public'} on server {on}"
            return Address(
                USER_MAPPING_OID,
                thing.oid,
                "user mapping",
                None,
                identity,
                None,
                (thing.user or "public",),
                (on,),
            )
        if isinstance(
            thing, Schema | Extension | Publication | Subscription | ForeignDataWrapper | ForeignServer
        ):
            class_oid, kind = CLASSES[type(thing)]
            return Address(class_oid, thing.oid, kind, None, quote_identifier(name), name, (name,))
        home = self.home(thing)
        temporary, full = home == "pg_temp", quote_qualified(home, name)
        if isinstance(thing, Function):
            given = tuple(self.type(p.declared) for p in thing.inputs)
            identity = f"{full}({','.join(given)})"
            kind = _KINDS[thing.kind]
            return Address(PROC_OID, thing.oid, kind, home, identity, None, (home, name), given, 0, temporary)
        if isinstance(thing, Operator):
            given = tuple(self.type(x) if x else "-" for x in thing.signature)
            identity = (
                f"{quote_identifier(home)}.{name}({','.join(k if k != '-' else 'NONE' for k in given)})"
            )
            sides = tuple(k for k in given if k != "-")
            return Address(OPERATOR_OID, thing.oid, "operator", home, identity, None, (home, name), sides)
        if isinstance(thing, OperatorClass | OperatorFamily):
            class_oid, kind = CLASSES[type(thing)]
            names = (thing.method, home, name)
            return Address(class_oid, thing.oid, kind, home, f"{full} USING {thing.method}", name, names)
        if isinstance(thing, UserType):
            return Address(TYPE_OID, thing.oid, "type", home, full, name, (full,), (), 0, temporary)
        if isinstance(thing, Table):
            kind = rights.table_word(thing)
            return Address(CLASS_OID, thing.oid, kind, home, full, name, (home, name), (), 0, temporary)
        class_oid, kind = CLASSES[type(thing)]
        return Address(class_oid, thing.oid, kind, home, full, name, (home, name), (), 0, temporary)

    def arrays(self, oid: Oid, home: str, name: str) -> Address:
        """The arrays over a type of this name."""
        full = quote_qualified(home, name) + "[]"
        return Address(TYPE_OID, oid, "type", home, full, f"_{name}", (full,), (), 0, home == "pg_temp")

    def part(
        self, class_oid: Oid, oid: Oid, kind: str, holder: Any, name: str, *, schema: bool = True
    ) -> Address:
        """A constraint, trigger, policy or rule of a relation."""
        home = self.home(holder)
        identity = f"{quote_identifier(name)} on {quote_qualified(home, holder.name)}"
        names = (home, holder.name, name)
        return Address(
            class_oid, oid, kind, home if schema else None, identity, None, names, (), 0, home == "pg_temp"
        )  # fmt: skip

    def published(self, publication: Publication, part: PublishedTable | PublishedSchema) -> Address:
        """What a publication says of a table, or of a schema."""
        by = quote_identifier(publication.name)
        if isinstance(part, PublishedSchema):
            name = self.catalog.schema_of(part.schema).name
            identity, kind = f"{quote_identifier(name)} in publication {by}", "publication namespace"
            return Address(
                PUBLICATION_NAMESPACE_OID, part.oid, kind, None, identity, None, (name,), (publication.name,)
            )
        table = self.catalog.table(part.table)
        home = self.home(table)
        identity = f"{quote_qualified(home, table.name)} in publication {by}"
        names, arguments = (home, table.name), (publication.name,)
        return Address(
            PUBLICATION_REL_OID, part.oid, "publication relation", None, identity, None, names, arguments
        )

    def column(self, holder: Any, column: Column) -> Address:
        """A column."""
        home = self.home(holder)
        identity = f"{quote_qualified(home, holder.name)}.{quote_identifier(column.name)}"
        names = (home, holder.name, column.name)
        return Address(
            CLASS_OID, holder.oid, "table column", home, identity, None, names, (), column.attnum, home == "pg_temp"
        )  # fmt: skip

    def default(self, table: Table, column: Column) -> Address:
        """A column's default."""
        from planner.catalog.system.attributes import attrdef_oid

        home = self.home(table)
        identity = f"for {quote_qualified(home, table.name)}.{quote_identifier(column.name)}"
        names = (home, table.name, column.name)
        return Address(
            ATTRDEF_OID, attrdef_oid(table, column), "default value", home, identity, None, names, (), 0, home == "pg_temp"
        )  # fmt: skip


__all__ = ["CLASSES", "Address", "Addresses"]
