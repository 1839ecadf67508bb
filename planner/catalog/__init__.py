"""What exists: the immutable catalog, its objects, and their rows in the catalog shard.

objects   the dataclasses            codec     object <-> row (oid, kind, JSON)
catalog   lookups and `with_changes` names     quoting, and the words for what is not there
"""

from planner.catalog.catalog import (
    DEFAULT_SEARCH_PATH,
    TEMPORARY_PREFIX,
    Catalog,
    SearchPath,
    changes_to_rows,
)
from planner.catalog.codec import CatalogRow, decode, encode
from planner.catalog.names import quote_identifier, quote_qualified
from planner.catalog.objects import (
    DATABASE_OID,
    DEFAULT_OWNER,
    FIRST_USER_OID,
    INFORMATION_SCHEMA_OID,
    PG_CATALOG_OID,
    PUBLIC_OID,
    SUPERUSER_OID,
    CatalogChange,
    CatalogObject,
    Comment,
    CompositeType,
    Counter,
    Database,
    Domain,
    EnumType,
    Grant,
    Index,
    IndexKey,
    Relation,
    Role,
    Schema,
    Sequence,
    UserType,
    View,
)

__all__ = [
    "DATABASE_OID",
    "DEFAULT_OWNER",
    "DEFAULT_SEARCH_PATH",
    "FIRST_USER_OID",
    "INFORMATION_SCHEMA_OID",
    "PG_CATALOG_OID",
    "PUBLIC_OID",
    "SUPERUSER_OID",
    "TEMPORARY_PREFIX",
    "Catalog",
    "CatalogChange",
    "CatalogObject",
    "CatalogRow",
    "Comment",
    "CompositeType",
    "Counter",
    "Database",
    "Domain",
    "EnumType",
    "Grant",
    "Index",
    "IndexKey",
    "Relation",
    "Role",
    "Schema",
    "SearchPath",
    "Sequence",
    "UserType",
    "View",
    "changes_to_rows",
    "decode",
    "encode",
    "quote_identifier",
    "quote_qualified",
]
