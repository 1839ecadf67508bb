"""pg_describe_object: an object of any class in words, as messages about dependencies call it.

    (pg_class, 16384, 2)        column b of table t
    (pg_constraint, 16390, 0)   constraint t_check on table t
    (pg_attrdef, ...)           default value for column b of table t
    (pg_rewrite, ...)           rule _RETURN on view v

What an object is called is in its row of the catalog (`numbered`), PostgreSQL's own objects included. Names of what lies in a schema are
qualified where the search path does not find them; names of parts are as they are, unquoted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner.abc import Oid, SqlError
from planner.catalog import large_objects
from planner.catalog.names import quote_identifier, quote_qualified
from planner.catalog.system import conversions, numbered, operator_classes
from planner.catalog.system.context import SystemContext
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
    PG_CATALOG_OID,
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
)
from planner.types.oids import INT4, OID, TEXT

RELATION_WORDS: Final = {
    "r": "table", "p": "table", "i": "index", "I": "index", "S": "sequence", "t": "toast table", "v": "view",
    "m": "materialized view", "c": "composite type", "f": "foreign table",
}  # fmt: skip
"""By relkind."""
DEFAULT_ACL_WORDS: Final = {
    "r": "relations",
    "S": "sequences",
    "f": "functions",
    "T": "types",
    "n": "schemas",
}


@system("pg_describe_object", (OID, OID, INT4), TEXT)
def _describe_object(
    context: SystemContext, class_oid: Oid | None, oid: Oid | None, sub: int | None
) -> str | None:
    if class_oid is None or oid is None or sub is None or not (class_oid or oid):
        return None
    return described(context, class_oid, oid, sub)


def described(context: SystemContext, class_oid: Oid, oid: Oid, sub: int = 0) -> str | None:
    """The object in words; None: there is none. Raises XX000 for what is no class of objects."""
    if class_oid == LARGE_OBJECT_OID:
        return f"large object {oid}" if may_be_large_object(context, oid) else None
    require_class(class_oid)
    found = numbered.row(context, class_oid, oid)
    if found is None:
        return None
    if class_oid == CLASS_OID:
        return _relation(context, found, sub)
    if class_oid in _BARE:
        word, name = _BARE[class_oid]
        return f"{word} {found[name]}"
    if class_oid in _PLACED:
        word, name, schema = _PLACED[class_oid]
        return f"{word} {_seen(context, found, class_oid, name, schema)}"
    return _OTHERS[class_oid](context, found)


def may_be_large_object(context: SystemContext, oid: Oid) -> bool:
    """Whether there may be a large object of this number: which there are, the rows of a table say, and no catalog."""
    return bool(oid) and large_objects.table_of(context.catalog, large_objects.METADATA) is not None


def require_class(class_oid: Oid) -> None:
    if class_oid not in (CLASS_OID, LARGE_OBJECT_OID) and not any(
        class_oid in known for known in (_BARE, _PLACED, _OTHERS)
    ):
        raise SqlError("XX000", f"unrecognized object class: {class_oid}")


def _relation(context: SystemContext, found: Named, sub: int = 0) -> str | None:
    from planner.catalog.system.functions import regclass_out

    shown = f"{RELATION_WORDS[found['relkind']]} {regclass_out(context, found['oid'])}"
    if not sub:
        return shown
    name = numbered.column(context, found["oid"], sub)
    return None if name is None else f"column {name} of {shown}"


def _on(word: str, name: str, relation: str) -> Callable[[SystemContext, Named], str | None]:
    """A part of a relation."""

    def shown(context: SystemContext, found: Named) -> str | None:
        return f"{word} {found[name]} on {described(context, CLASS_OID, found[relation])}"

    return shown


def _seen(context: SystemContext, found: Named, class_oid: Oid, name: str, schema: str) -> str:
    """The name of what lies in a schema, with that where the search path lacks it or has another of the name before."""
    catalog, home = context.catalog, found[schema]
    if home == PG_CATALOG_OID:
        return quote_identifier(found[name])
    path = [PG_CATALOG_OID, *(s.oid for s in catalog.schemas_on(context.search_path))]
    if home in path:
        before = path[: path.index(home)]
        if not any(r[name] == found[name] and r[schema] in before for r in numbered.rows(context, class_oid)):
            return quote_identifier(found[name])
    return quote_qualified(catalog.schema_of(home).name, found[name])


def _procedure(context: SystemContext, found: Named) -> str:
    from planner.catalog.system.reg_routines import regprocedure_out

    return f"function {regprocedure_out(context, found['oid'])}"


def _operator(context: SystemContext, found: Named) -> str:
    from planner.catalog.system.reg_routines import regoperator_out

    return f"operator {regoperator_out(context, found['oid'])}"


def _type_name(context: SystemContext, oid: Oid) -> str:
    from planner.catalog.system.functions import regtype_out

    return regtype_out(context, oid) or ""


def _type(context: SystemContext, found: Named) -> str:
    return f"type {_type_name(context, found['oid'])}"


def _cast(context: SystemContext, found: Named) -> str:
    source, target = (_type_name(context, found[x]) for x in ("castsource", "casttarget"))
    return f"cast from {source} to {target}"


def _transform(context: SystemContext, found: Named) -> str:
    language = numbered.row(context, LANGUAGE_OID, found["trflang"])
    return f"transform for {_type_name(context, found['trftype'])} language {language['lanname'] if language else ''}"


def _constraint(context: SystemContext, found: Named) -> str:
    name = found["conname"]
    if not found["conrelid"]:
        return f"constraint {name}"
    return f"constraint {name} on {described(context, CLASS_OID, found['conrelid'])}"


def _default(context: SystemContext, found: Named) -> str:
    return f"default value for {described(context, CLASS_OID, found['adrelid'], found['adnum'])}"


def _conversion(context: SystemContext, found: Named) -> str | None:
    return conversions.described(context, found["oid"])


def _under(word: str, class_oid: Oid, prefix: str) -> Callable[[SystemContext, Named], str | None]:
    """A class or family of operators."""

    def shown(context: SystemContext, found: Named) -> str | None:
        name = _seen(context, found, class_oid, f"{prefix}name", f"{prefix}namespace")
        return f"{word} {name} for {described(context, ACCESS_METHOD_OID, found[prefix + 'method'])}"

    return shown


def _member(function: bool) -> Callable[[SystemContext, Named], str | None]:
    def shown(context: SystemContext, found: Named) -> str | None:
        member = operator_classes.member_of(context.catalog, function, found["oid"])
        if member is None:
            return None
        family, one = member
        return operator_classes.member_described(context.catalog, one, family, context.search_path)

    return shown


def _mapping(context: SystemContext, found: Named) -> str:
    server = numbered.row(context, SERVER_OID, found["umserver"])
    return f"user mapping for {user_of(context, found)} on server {server['srvname'] if server else ''}"


def user_of(context: SystemContext, mapping: Named) -> str:
    role = numbered.row(context, ROLE_CLASS_OID, mapping["umuser"])
    return str(role["rolname"]) if role is not None else "public"


def _default_acl(context: SystemContext, found: Named) -> str:
    role = numbered.row(context, ROLE_CLASS_OID, found["defaclrole"])
    what = DEFAULT_ACL_WORDS[found["defaclobjtype"]]
    shown = f"default privileges on new {what} belonging to role {role['rolname'] if role else ''}"
    if found["defaclnamespace"]:
        shown += f" in schema {context.catalog.schema_of(found['defaclnamespace']).name}"
    return shown


def _published_table(context: SystemContext, found: Named) -> str:
    by = numbered.row(context, PUBLICATION_OID, found["prpubid"])
    table = described(context, CLASS_OID, found["prrelid"])
    return f"publication of {table} in publication {by['pubname'] if by else ''}"


def _published_schema(context: SystemContext, found: Named) -> str:
    by = numbered.row(context, PUBLICATION_OID, found["pnpubid"])
    schema = context.catalog.schema_of(found["pnnspid"]).name
    return f"publication of schema {schema} in publication {by['pubname'] if by else ''}"


_BARE: Final[dict[Oid, tuple[str, str]]] = {
    NAMESPACE_OID: ("schema", "nspname"), LANGUAGE_OID: ("language", "lanname"), ACCESS_METHOD_OID: ("access method", "amname"),
    ROLE_CLASS_OID: ("role", "rolname"), DATABASE_CLASS_OID: ("database", "datname"), TABLESPACE_CLASS_OID: ("tablespace", "spcname"),
    WRAPPER_OID: ("foreign-data wrapper", "fdwname"), SERVER_OID: ("server", "srvname"), EXTENSION_OID: ("extension", "extname"),
    EVENT_TRIGGER_OID: ("event trigger", "evtname"), PARAMETER_ACL_OID: ("parameter", "parname"),
    PUBLICATION_OID: ("publication", "pubname"), SUBSCRIPTION_OID: ("subscription", "subname"),
}  # fmt: skip
"""What lies in no schema: the word for it, the column with its name."""
_PLACED: Final[dict[Oid, tuple[str, str, str]]] = {
    COLLATION_OID: ("collation", "collname", "collnamespace"), STATISTIC_EXT_OID: ("statistics object", "stxname", "stxnamespace"),
    TS_PARSER_OID: ("text search parser", "prsname", "prsnamespace"), TS_DICT_OID: ("text search dictionary", "dictname", "dictnamespace"),
    TS_TEMPLATE_OID: ("text search template", "tmplname", "tmplnamespace"), TS_CONFIG_OID: ("text search configuration", "cfgname", "cfgnamespace"),
}  # fmt: skip
_OTHERS: Final[dict[Oid, Callable[[SystemContext, Named], str | None]]] = {
    PROC_OID: _procedure, OPERATOR_OID: _operator, TYPE_OID: _type, CAST_OID: _cast, TRANSFORM_OID: _transform, CONSTRAINT_OID: _constraint,
    ATTRDEF_OID: _default, CONVERSION_OID: _conversion, OPCLASS_OID: _under("operator class", OPCLASS_OID, "opc"), OPFAMILY_OID: _under("operator family", OPFAMILY_OID, "opf"),
    AMOP_OID: _member(function=False), AMPROC_OID: _member(function=True), USER_MAPPING_OID: _mapping, DEFAULT_ACL_OID: _default_acl,
    REWRITE_OID: _on("rule", "rulename", "ev_class"), TRIGGER_OID: _on("trigger", "tgname", "tgrelid"), POLICY_OID: _on("policy", "polname", "polrelid"),
    PUBLICATION_REL_OID: _published_table, PUBLICATION_NAMESPACE_OID: _published_schema,
}  # fmt: skip

__all__ = [
    "DEFAULT_ACL_WORDS",
    "RELATION_WORDS",
    "described",
    "may_be_large_object",
    "require_class",
    "user_of",
]
