"""pg_identify_object and pg_identify_object_as_address: an object by a name that holds on every search path.

    (pg_class, 16384, 2)            table column    s.t.b                       {s,t,b}  {}
    (pg_publication_rel, 16390, 0)  publication relation    s.t in publication p    {s,t}    {p}

Each is read of the object's row in the catalog (`numbered`), PostgreSQL's own objects included. `planner.ddl.dependencies.addresses` says the
same of objects that are no rows yet, or no longer, for event triggers.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from planner import types as t
from planner.abc import Oid, TypeRef
from planner.catalog.catalog import Catalog
from planner.catalog.names import quote_identifier, quote_qualified
from planner.catalog.system import numbered
from planner.catalog.system.context import SystemContext
from planner.catalog.system.definitions import type_name
from planner.catalog.system.described import (
    DEFAULT_ACL_WORDS,
    RELATION_WORDS,
    may_be_large_object,
    require_class,
    user_of,
)
from planner.catalog.system.function_table import system
from planner.catalog.system.numbered import Named
from planner.catalog.system.relations import (
    ACCESS_METHOD_OID,
    AMOP_OID,
    AMPROC_OID,
    ATTRDEF_OID,
    CAST_OID,
    CLASS_OID,
    COLLATION_OID,
    CONSTRAINT_OID,
    CONVERSION_OID,
    DATABASE_CLASS_OID,
    DEFAULT_ACL_OID,
    EVENT_TRIGGER_OID,
    EXTENSION_OID,
    LANGUAGE_OID,
    LARGE_OBJECT_OID,
    NAMESPACE_OID,
    OPCLASS_OID,
    OPERATOR_OID,
    OPFAMILY_OID,
    PARAMETER_ACL_OID,
    POLICY_OID,
    PROC_OID,
    PUBLICATION_NAMESPACE_OID,
    PUBLICATION_OID,
    PUBLICATION_REL_OID,
    REWRITE_OID,
    ROLE_CLASS_OID,
    SERVER_OID,
    STATISTIC_EXT_OID,
    SUBSCRIPTION_OID,
    TABLESPACE_CLASS_OID,
    TRANSFORM_OID,
    TRIGGER_OID,
    TS_CONFIG_OID,
    TS_DICT_OID,
    TS_PARSER_OID,
    TS_TEMPLATE_OID,
    TYPE_OID,
    USER_MAPPING_OID,
    WRAPPER_OID,
    by_row_type,
)
from planner.types import array_datum
from planner.types.oids import INT4, OID, RECORD, TEXT, TEXT_ARRAY

_STANDARD: Final = frozenset(
    (t.BOOL, t.INT2, t.INT4, t.INT8, t.FLOAT4, t.FLOAT8, t.NUMERIC, t.BIT, t.VARBIT, t.BPCHAR, t.VARCHAR, t.TIME, t.TIMETZ,
     t.TIMESTAMP, t.TIMESTAMPTZ, t.INTERVAL)
)  # fmt: skip
"""Types that are grammar, so that their names need no schema."""
_NAMED: Final = frozenset(
    ("bool", "int2", "int4", "int8", "float4", "float8", "bpchar", "varbit", "timetz", "timestamptz")
)
"""Their other names, which are names like any."""


@dataclass(frozen=True, slots=True)
class Identity:
    kind: str
    schema: str | None = None
    name: str | None = None
    identity: str | None = None
    names: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


@system(
    "pg_identify_object",
    (OID, OID, INT4),
    RECORD,
    columns=(("type", TEXT), ("schema", TEXT), ("name", TEXT), ("identity", TEXT)),
)
def _identify(
    context: SystemContext, class_oid: Oid | None, oid: Oid | None, sub: int | None
) -> list[dict[str, Any]]:
    if class_oid is None or oid is None or sub is None:
        return []
    found = identified(context, class_oid, oid, sub)
    schema, name = (None if x is None else quote_identifier(x) for x in (found.schema, found.name))
    return [{"type": found.kind, "schema": schema, "name": name, "identity": found.identity}]


@system(
    "pg_identify_object_as_address",
    (OID, OID, INT4),
    RECORD,
    columns=(("type", TEXT), ("object_names", TEXT_ARRAY), ("object_args", TEXT_ARRAY)),
)
def _as_address(
    context: SystemContext, class_oid: Oid | None, oid: Oid | None, sub: int | None
) -> list[dict[str, Any]]:
    if class_oid is None or oid is None or sub is None:
        return []
    found = identified(context, class_oid, oid, sub)
    names, arguments = (
        None if found.identity is None else array_datum(list(x), TEXT_ARRAY)
        for x in (found.names, found.arguments)
    )
    return [{"type": found.kind, "object_names": names, "object_args": arguments}]


def identified(context: SystemContext, class_oid: Oid, oid: Oid, sub: int = 0) -> Identity:
    """The object; of one that is not there only what it might be. Raises XX000 for what is no class of objects."""
    require_class(class_oid)
    if class_oid == LARGE_OBJECT_OID:
        if not may_be_large_object(context, oid):
            return Identity("large object")
        return Identity("large object", None, None, str(oid), (str(oid),))
    found = numbered.row(context, class_oid, oid)
    if found is None:
        kind = _MISSING.get(class_oid) or _kind_of(class_oid)
        return Identity(kind + " column" if sub and class_oid == CLASS_OID else kind)
    if class_oid == CLASS_OID:
        return _relation(context, found, sub)
    if class_oid in ALONE:
        kind, column = ALONE[class_oid]
        name = found[column]
        shown = name if class_oid == PARAMETER_ACL_OID else quote_identifier(name)
        return Identity(kind, None, None if class_oid == PARAMETER_ACL_OID else name, shown, (name,))
    if class_oid in PLACED:
        kind, column, home, unique = PLACED[class_oid]
        return _placed(context, kind, found[home], found[column], unique)
    return _OTHERS[class_oid][1](context, found)


def _kind_of(class_oid: Oid) -> str:
    for known in (ALONE, PLACED, _OTHERS):
        if class_oid in known:
            return str(known[class_oid][0])
    raise AssertionError(class_oid)


def _home(context: SystemContext, oid: Oid) -> str:
    """A schema's name; `pg_temp` is the session's own."""
    name = context.catalog.schema_of(oid).name
    return "pg_temp" if name.startswith("pg_temp_") else name


def qualified_type(catalog: Catalog, oid: Oid) -> str:
    """A type with its schema."""
    element = t.element_of(oid)
    if element:
        return qualified_type(catalog, element) + "[]"
    if relation := by_row_type().get(oid):
        return quote_qualified(relation.schema, relation.name) + "[]" * (oid == relation.row_array)
    if oid in t.BY_OID and oid < 16384:
        bare = t.type_in_words(oid)
        return bare if oid in _STANDARD else f"pg_catalog.{bare}"
    return type_name(catalog, TypeRef(oid), ())


def grammatical(oid: Oid, said: str) -> str | None:
    """The name that the grammar puts in the place of a type that is words of its own: `integer` is `pg_catalog.int4`; None for a name."""
    if oid not in _STANDARD or said in _NAMED:
        return None
    return f"pg_catalog.{t.BY_OID[oid].typname}"


def _placed(
    context: SystemContext, kind: str, schema_oid: Oid, name: str, unique: bool = True, *under: str
) -> Identity:
    home = _home(context, schema_oid)
    identity, names = quote_qualified(home, name), (*under, home, name)
    using = f" USING {quote_identifier(under[0])}" if under else ""
    return Identity(kind, home, name if unique else None, identity + using, names)


def _relation(context: SystemContext, found: Named, sub: int = 0) -> Identity:
    whole = _placed(context, RELATION_WORDS[found["relkind"]], found["relnamespace"], found["relname"])
    if not sub:
        return whole
    kind = whole.kind + " column"
    name = numbered.column(context, found["oid"], sub)
    if name is None:
        return Identity(kind)
    names = (*whole.names, name)
    return Identity(kind, whole.schema, whole.name, f"{whole.identity}.{quote_identifier(name)}", names)


def _procedure(context: SystemContext, found: Named) -> Identity:
    given = tuple(qualified_type(context.catalog, x) for x in found["proargtypes"])
    kind = {"a": "aggregate", "p": "procedure"}.get(found["prokind"], "function")
    whole = _placed(context, kind, found["pronamespace"], found["proname"], False)
    return Identity(kind, whole.schema, None, f"{whole.identity}({','.join(given)})", whole.names, given)


def _operator(context: SystemContext, found: Named) -> Identity:
    home, name = _home(context, found["oprnamespace"]), found["oprname"]
    sides = [found["oprleft"], found["oprright"]]
    shown = ",".join(qualified_type(context.catalog, x) if x else "NONE" for x in sides)
    given = tuple(qualified_type(context.catalog, x) for x in sides if x)
    return Identity("operator", home, None, f"{quote_identifier(home)}.{name}({shown})", (home, name), given)


def _type(context: SystemContext, found: Named) -> Identity:
    shown = qualified_type(context.catalog, found["oid"])
    home = _home(context, found["typnamespace"])
    return Identity("type", home, found["typname"], shown, (shown,))


def _cast(context: SystemContext, found: Named) -> Identity:
    source, target = (qualified_type(context.catalog, found[x]) for x in ("castsource", "casttarget"))
    return Identity("cast", None, None, f"({source} AS {target})", (source,), (target,))


def _transform(context: SystemContext, found: Named) -> Identity:
    kind = qualified_type(context.catalog, found["trftype"])
    row = numbered.row(context, LANGUAGE_OID, found["trflang"])
    language = str(row["lanname"]) if row is not None else ""
    return Identity("transform", None, None, f"for {kind} on language {language}", (kind,), (language,))


def _constraint(context: SystemContext, found: Named) -> Identity:
    name, home = found["conname"], _home(context, found["connamespace"])
    if found["conrelid"]:
        on = identified(context, CLASS_OID, found["conrelid"])
        return Identity("table constraint", home, None, _part(name, on), (*on.names, name))
    on = identified(context, TYPE_OID, found["contypid"])
    return Identity("domain constraint", home, None, _part(name, on), on.names, (name,))


def _part(name: str, on: Identity) -> str:
    return f"{quote_identifier(name)} on {on.identity}"


def _default(context: SystemContext, found: Named) -> Identity:
    on = identified(context, CLASS_OID, found["adrelid"], found["adnum"])
    return Identity("default value", None, None, f"for {on.identity}", on.names)


def _under(kind: str, name: str, schema: str, method: str) -> Callable[[SystemContext, Named], Identity]:
    """A class or family of operators."""

    def made(context: SystemContext, found: Named) -> Identity:
        by = numbered.row(context, ACCESS_METHOD_OID, found[method])
        under = str(by["amname"]) if by is not None else ""
        return _placed(context, kind, found[schema], found[name], True, under)

    return made


def _member(
    kind: str, family: str, number: str, left: str, right: str
) -> Callable[[SystemContext, Named], Identity]:
    word = kind.partition(" ")[0]

    def made(context: SystemContext, found: Named) -> Identity:
        of = identified(context, OPFAMILY_OID, found[family])
        given = tuple(qualified_type(context.catalog, found[x]) for x in (left, right))
        shown = f"{word} {found[number]} ({', '.join(given)}) of {of.identity}"
        return Identity(kind, None, None, shown, (*of.names, str(found[number])), given)

    return made


def _on(kind: str, name: str, relation: str) -> Callable[[SystemContext, Named], Identity]:
    """A part of a relation."""

    def made(context: SystemContext, found: Named) -> Identity:
        on = identified(context, CLASS_OID, found[relation])
        return Identity(kind, None, None, _part(found[name], on), (*on.names, found[name]))

    return made


def _mapping(context: SystemContext, found: Named) -> Identity:
    server = numbered.row(context, SERVER_OID, found["umserver"])
    user, on = user_of(context, found), str(server["srvname"]) if server is not None else ""
    return Identity("user mapping", None, None, f"{quote_identifier(user)} on server {on}", (user,), (on,))


def _default_acl(context: SystemContext, found: Named) -> Identity:
    role = numbered.row(context, ROLE_CLASS_OID, found["defaclrole"])
    name = str(role["rolname"]) if role is not None else ""
    what = {**DEFAULT_ACL_WORDS, "r": "tables"}[found["defaclobjtype"]]
    shown, names = f"for role {quote_identifier(name)}", (name,)
    if found["defaclnamespace"]:
        schema = context.catalog.schema_of(found["defaclnamespace"]).name
        shown, names = f"{shown} in schema {quote_identifier(schema)}", (name, schema)  # type: ignore[assignment]
    return Identity("default acl", None, None, f"{shown} on {what}", names, (found["defaclobjtype"],))


def _published_table(context: SystemContext, found: Named) -> Identity:
    table = identified(context, CLASS_OID, found["prrelid"])
    return _published(context, "publication relation", found["prpubid"], table.identity, table.names)


def _published_schema(context: SystemContext, found: Named) -> Identity:
    schema = context.catalog.schema_of(found["pnnspid"]).name
    return _published(context, "publication namespace", found["pnpubid"], schema, (schema,))


def _published(
    context: SystemContext, kind: str, publication: Oid, what: str | None, names: tuple[str, ...]
) -> Identity:
    """PostgreSQL quotes neither the publication nor the schema."""
    by = numbered.row(context, PUBLICATION_OID, publication)
    name = str(by["pubname"]) if by is not None else ""
    return Identity(kind, None, None, f"{what} in publication {name}", names, (name,))


ALONE: Final[dict[Oid, tuple[str, str]]] = {
    NAMESPACE_OID: ("schema", "nspname"), LANGUAGE_OID: ("language", "lanname"), ACCESS_METHOD_OID: ("access method", "amname"),
    ROLE_CLASS_OID: ("role", "rolname"), DATABASE_CLASS_OID: ("database", "datname"), TABLESPACE_CLASS_OID: ("tablespace", "spcname"),
    WRAPPER_OID: ("foreign-data wrapper", "fdwname"), SERVER_OID: ("server", "srvname"), EXTENSION_OID: ("extension", "extname"),
    EVENT_TRIGGER_OID: ("event trigger", "evtname"), PARAMETER_ACL_OID: ("parameter ACL", "parname"),
    PUBLICATION_OID: ("publication", "pubname"), SUBSCRIPTION_OID: ("subscription", "subname"),
}  # fmt: skip
"""What lies in no schema: its kind, the column with its name."""
PLACED: Final[dict[Oid, tuple[str, str, str, bool]]] = {
    COLLATION_OID: ("collation", "collname", "collnamespace", True), CONVERSION_OID: ("conversion", "conname", "connamespace", True),
    STATISTIC_EXT_OID: ("statistics object", "stxname", "stxnamespace", True),
    TS_PARSER_OID: ("text search parser", "prsname", "prsnamespace", True), TS_DICT_OID: ("text search dictionary", "dictname", "dictnamespace", True),
    TS_TEMPLATE_OID: ("text search template", "tmplname", "tmplnamespace", True), TS_CONFIG_OID: ("text search configuration", "cfgname", "cfgnamespace", True),
}  # fmt: skip
"""What lies in a schema, and whether no other of its kind can have its name there."""
_OTHERS: Final[dict[Oid, tuple[str, Callable[[SystemContext, Named], Identity]]]] = {
    PROC_OID: ("function", _procedure), OPERATOR_OID: ("operator", _operator), TYPE_OID: ("type", _type), CAST_OID: ("cast", _cast), TRANSFORM_OID: ("transform", _transform),
    CONSTRAINT_OID: ("table constraint", _constraint), ATTRDEF_OID: ("default value", _default),
    OPCLASS_OID: ("operator class", _under("operator class", "opcname", "opcnamespace", "opcmethod")),
    OPFAMILY_OID: ("operator family", _under("operator family", "opfname", "opfnamespace", "opfmethod")),
    AMOP_OID: ("operator of access method", _member("operator of access method", "amopfamily", "amopstrategy", "amoplefttype", "amoprighttype")),
    AMPROC_OID: ("function of access method", _member("function of access method", "amprocfamily", "amprocnum", "amproclefttype", "amprocrighttype")),
    REWRITE_OID: ("rule", _on("rule", "rulename", "ev_class")), TRIGGER_OID: ("trigger", _on("trigger", "tgname", "tgrelid")),
    POLICY_OID: ("policy", _on("policy", "polname", "polrelid")), USER_MAPPING_OID: ("user mapping", _mapping),
    DEFAULT_ACL_OID: ("default acl", _default_acl), PUBLICATION_REL_OID: ("publication relation", _published_table),
    PUBLICATION_NAMESPACE_OID: ("publication namespace", _published_schema),
}  # fmt: skip
_MISSING: Final = {CLASS_OID: "relation", PROC_OID: "routine", CONSTRAINT_OID: "constraint"}
"""What an object that is not there might be."""

__all__ = ["ALONE", "PLACED", "Identity", "grammatical", "identified", "qualified_type"]
