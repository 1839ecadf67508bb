"""PostgreSQL's own objects as COMMENT ON names them: the functions, types, relations, languages that every database has.

    COMMENT ON FUNCTION now() IS '...'          (pg_proc, 1299)
    COMMENT ON COLUMN pg_class.relname IS ''    (pg_class, 1259, 2)
    COMMENT ON TABLESPACE pg_default IS '...'   (pg_tablespace, 1663), which all databases share

They are no objects of the catalog, so what is said of one is kept under its class and number, for one database. They belong to the first
role: superusers alone may speak of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from planner import statements as st
from planner import types as t
from planner.abc import Oid, PlanError, TypeRef
from planner.catalog import large_objects, rights
from planner.catalog.objects import FIRST_USER_OID
from planner.catalog.system.extensions import PLPGSQL
from planner.catalog.system.relations import (
    ACCESS_METHOD_OID,
    CAST_OID,
    CLASS_OID,
    COLLATION_OID,
    CONVERSION_OID,
    EXTENSION_OID,
    LANGUAGE_OID,
    OPCLASS_OID,
    OPERATOR_OID,
    OPFAMILY_OID,
    PROC_OID,
    TABLESPACE_CLASS_OID,
    TS_CONFIG_OID,
    TS_DICT_OID,
    TS_PARSER_OID,
    TS_TEMPLATE_OID,
    TYPE_OID,
    SystemRelation,
    relation,
)
from planner.catalog.system.static import static_columns
from planner.ddl import conversions, text_search
from planner.ddl.operators import definitions as operators
from planner.ddl.operators import operator_classes
from planner.ddl.routines import names as routine_names
from planner.ddl.scope import Scope
from planner.ddl.types import casts
from planner.ddl.types.copied_types import type_in_signature

_OF_RELATIONS: Final = frozenset(("table", "view", "index", "sequence", "materialized view", "foreign table"))
_ALONE: Final = {
    "language": (LANGUAGE_OID, "pg_language", "lanname"),
    "access method": (ACCESS_METHOD_OID, "pg_am", "amname"),
    "text search parser": (TS_PARSER_OID, "pg_ts_parser", "prsname"),
    "text search template": (TS_TEMPLATE_OID, "pg_ts_template", "tmplname"),
}
"""Kinds of which there are none but these."""
_TABLESPACES: Final = {"pg_default": 1663, "pg_global": 1664}
_FOR_SUPERUSERS: Final = ("access method", "text search parser", "text search template")


@dataclass(frozen=True, slots=True)
class OwnObject:
    """`owned`: as `must be owner of` names it; empty: superusers are asked for as such."""

    class_oid: Oid
    oid: Oid
    owned: str
    sub: int = 0

    @property
    def shared(self) -> bool:
        return self.class_oid == TABLESPACE_CLASS_OID


def find(scope: Scope, said: st.Comment) -> OwnObject | None:
    """The object, if it is one of PostgreSQL's. Raises 42704, 42703, 42809, and what looking for it in this database raises."""
    name, kind = said.name, said.kind
    if kind in _OF_RELATIONS or kind == "column":
        return _of_relation(scope, said)
    if kind in _ALONE:
        return _alone(scope, kind, name)
    if kind == "large object":
        return OwnObject(large_objects.PAGES_CLASS_OID, int(name.name), f"large object {name.name}")
    if kind == "tablespace":
        if name.name not in _TABLESPACES:
            raise PlanError("42704", f'tablespace "{name.name}" does not exist')
        return OwnObject(TABLESPACE_CLASS_OID, _TABLESPACES[name.name], f"tablespace {name.name}")
    if kind == "extension":
        is_own = name.name == "plpgsql"
        return OwnObject(EXTENSION_OID, PLPGSQL, "extension plpgsql") if is_own else None
    found: Oid
    if isinstance(said.signature, st.CastSignature):
        return _cast(scope, said.signature)
    if isinstance(said.signature, st.ClassSignature):
        found = operator_classes.oid_of(scope, said.signature)
        class_oid = OPCLASS_OID if kind == "operator class" else OPFAMILY_OID
        return _own(class_oid, found, f"{kind} {operator_classes.called(said.signature)}")
    if isinstance(said.signature, st.OperatorSignature):
        if said.signature.right is None:
            return None
        return _own(OPERATOR_OID, operators.find(scope, said.signature), f"operator {said.signature.name}")
    if said.signature is not None:
        return _routine(scope, said.signature, kind)
    if kind == "conversion":
        return _own(CONVERSION_OID, conversions.oid_of(scope, name), f"conversion {name.name}")
    if kind in text_search.KINDS:
        found = text_search.oid_of(scope, text_search.KINDS[kind], name)
        class_oid = TS_CONFIG_OID if kind == "text search configuration" else TS_DICT_OID
        return _own(class_oid, found, f"{kind} {name.name}")
    if kind == "collation":
        return _collation(scope, name)
    if kind == "type":
        return _type(scope, name)
    return None


def require_superuser(scope: Scope, found: OwnObject) -> None:
    """Raises 42501. Whose a large object is says its row."""
    if found.class_oid != large_objects.PAGES_CLASS_OID and not rights.is_superuser(
        scope.catalog, scope.user
    ):
        raise PlanError("42501", f"must be owner of {found.owned}" if found.owned else "must be superuser")


def _own(class_oid: Oid, oid: Oid, owned: str) -> OwnObject | None:
    return OwnObject(class_oid, oid, owned) if 0 < oid < FIRST_USER_OID else None


def _alone(scope: Scope, kind: str, name: st.Name) -> OwnObject:
    class_oid, catalog, column = _ALONE[kind]
    for oid, known in static_columns(catalog, ("oid", column)):
        if known == name.name and name.schema in ("", "pg_catalog"):
            return OwnObject(class_oid, oid, "" if kind in _FOR_SUPERUSERS else f"{kind} {name.name}")
    raise PlanError("42704", f'{kind} "{name}" does not exist')


def _of_relation(scope: Scope, said: st.Comment) -> OwnObject | None:
    name = said.name
    found = _relation(name)
    if found is None:
        return None
    word = "view" if found.kind == "v" else "table"
    if said.kind != "column":
        if said.kind != word:
            article = "an" if said.kind == "index" else "a"
            raise PlanError("42809", f'"{name.name}" is not {article} {said.kind}')
        return OwnObject(CLASS_OID, found.oid, f"{word} {found.name}")
    for column in found.columns:
        if column.name == said.column:
            return OwnObject(CLASS_OID, found.oid, f"relation {found.name}", column.attnum)
    raise PlanError("42703", f'column "{said.column}" of relation "{name.name}" does not exist')


def _relation(name: st.Name) -> SystemRelation | None:
    return relation(name.schema or "pg_catalog", name.name)


def _routine(scope: Scope, said: st.Signature, kind: str) -> OwnObject | None:
    """By name and types; by its name alone where no other has it. Raises 42725, 42809."""
    if scope.homed(said.name).schema not in ("", "pg_catalog"):
        return None
    called = [
        (oid, tuple(takes), letter)
        for oid, name, takes, letter in static_columns(
            "pg_proc", ("oid", "proname", "proargtypes", "prokind")
        )
        if name == said.name.name
    ]
    if not called:
        return None
    if said.parameters is None:
        if len(called) != 1 or scope.catalog.functions(said.name.name, "", scope.search_path):
            return None
    else:
        wanted = tuple(
            type_in_signature(scope, p.type).oid for p in said.parameters if (p.mode or "i") in "ibv"
        )
        called = [c for c in called if c[1] == wanted]
    if not called:
        return None
    oid, _, letter = called[0]
    shown = f"{said.name}({routine_names.types_shown(scope, said)})"
    if kind == "aggregate" and letter != "a":
        raise PlanError("42809", f"function {shown} is not an aggregate")
    if kind in ("function", "procedure") and (letter == "p") != (kind == "procedure"):
        raise PlanError("42809", f"{shown} is not a {kind}")
    word = {"a": "aggregate", "p": "procedure"}.get(letter, "function")
    return OwnObject(PROC_OID, oid, f"{word} {said.name}")


def _cast(scope: Scope, said: st.CastSignature) -> OwnObject | None:
    pair = casts.types_of(scope, said.source, said.target)
    for oid, *known in static_columns("pg_cast", ("oid", "castsource", "casttarget")):
        if tuple(known) == pair:
            kinds = [t.format_type(TypeRef(x)) for x in pair]
            return OwnObject(CAST_OID, oid, f"type {kinds[0]} or type {kinds[1]}")
    return None


def _collation(scope: Scope, name: st.Name) -> OwnObject | None:
    if name.schema not in ("", "pg_catalog"):
        return None
    for oid, known in static_columns("pg_collation", ("oid", "collname")):
        if known == name.name:
            return OwnObject(COLLATION_OID, oid, f"collation {name.name}")
    return None


_SPELLED: Final = {"integer": "int4", "int": "int4", "smallint": "int2", "bigint": "int8", "boolean": "bool", "real": "float4",
                   "decimal": "numeric", "dec": "numeric", "float": "float8", "char": "bpchar", "character": "bpchar"}  # fmt: skip


def _type(scope: Scope, name: st.Name) -> OwnObject | None:
    if name.schema not in ("", "pg_catalog"):
        return None
    called = name.name if name.schema else _SPELLED.get(name.name, name.name)
    for oid, known in static_columns("pg_type", ("oid", "typname")):
        if known == called:
            return OwnObject(TYPE_OID, oid, f"type {t.format_type(TypeRef(oid))}")
    return None


__all__ = ["OwnObject", "find", "require_superuser"]
