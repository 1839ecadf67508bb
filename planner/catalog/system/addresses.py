"""pg_get_object_address: the way back from pg_identify_object_as_address, from an object's kind and names to its class and number.

    'table column', {s,t,b}, {}                     (pg_class, 16384, 2)
    'function', {s,f}, {integer,text}               (pg_proc, 16390, 0)
    'operator of access method', {btree,f,1}, {integer,integer}

What each kind asks of the two lists is checked first, then the object is looked for as statements would: by a name with a schema, or by
what the search path finds. What is said of one that is not there is what statements of its kind say.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from planner.abc import Oid, SqlError
from planner.catalog.by_name import OWN_TEMPORARY, meant_schema
from planner.catalog.names import elsewhere, quote_qualified
from planner.catalog.system import identities, numbered, reg_routines
from planner.catalog.system.context import SystemContext
from planner.catalog.system.described import RELATION_WORDS, described, may_be_large_object
from planner.catalog.system.function_table import system
from planner.catalog.system.functions import regclass_in, regtype_out
from planner.catalog.system.numbered import Named
from planner.catalog.system.reg_names import regtype_in, require_type_syntax
from planner.catalog.system.relations import (
    ACCESS_METHOD_OID,
    AMOP_OID,
    AMPROC_OID,
    ATTRDEF_OID,
    CAST_OID,
    CLASS_OID,
    COLLATION_OID,
    CONSTRAINT_OID,
    DATABASE_CLASS_OID,
    DEFAULT_ACL_OID,
    LANGUAGE_OID,
    NAMESPACE_OID,
    OPCLASS_OID,
    OPERATOR_OID,
    OPFAMILY_OID,
    POLICY_OID,
    PROC_OID,
    PUBLICATION_NAMESPACE_OID,
    PUBLICATION_OID,
    PUBLICATION_REL_OID,
    REWRITE_OID,
    ROLE_CLASS_OID,
    SERVER_OID,
    TRANSFORM_OID,
    TRIGGER_OID,
    TYPE_OID,
    USER_MAPPING_OID,
)
from planner.types.oids import INT4, OID, RECORD, TEXT, TEXT_ARRAY

Address = tuple[Oid, Oid, int]
_RELATIONS: Final = {
    "table": "rp", "index": "iI", "sequence": "S", "view": "v", "materialized view": "m", "foreign table": "f",
}  # fmt: skip
"""The relkinds that each kind of relation stands for."""
_ROUTINES: Final = ("aggregate", "function", "procedure")
_PARTS: Final = {
    "rule": (REWRITE_OID, "rulename", "ev_class", "relation"), "trigger": (TRIGGER_OID, "tgname", "tgrelid", "table"),
    "policy": (POLICY_OID, "polname", "polrelid", "table"), "table constraint": (CONSTRAINT_OID, "conname", "conrelid", "table"),
}  # fmt: skip
"""What a relation has by name: its class, the columns with its name and its relation, and what that is called."""
_UNDER: Final = {"operator class": (OPCLASS_OID, "opc"), "operator family": (OPFAMILY_OID, "opf")}
_MEMBERS: Final = {
    "operator of access method": (AMOP_OID, "amop", "amopstrategy"),
    "function of access method": (AMPROC_OID, "amproc", "amprocnum"),
}
_ALONE: Final = {kind: (class_oid, column) for class_oid, (kind, column) in identities.ALONE.items()}
_PLACED: Final = {
    kind: (class_oid, column, home) for class_oid, (kind, column, home, _) in identities.PLACED.items()
}
_WITHOUT_ADDRESS: Final = frozenset(
    {word for word in RELATION_WORDS.values() if word not in _RELATIONS}
    | {f"{word} column" for word in RELATION_WORDS.values() if word not in ("table", "foreign table")}
)
"""Kinds that pg_identify_object tells of and that this function does not take."""
_DEFAULT_ACLS: Final = {
    "r": "tables",
    "S": "sequences",
    "f": "functions",
    "T": "types",
    "n": "schemas",
}
_NAMES_EXACTLY_1: Final = frozenset({*_ALONE, "publication namespace", "user mapping"})
_NAMES_AT_LEAST: Final = {**dict.fromkeys(_UNDER, 2), **dict.fromkeys(_MEMBERS, 3)}
_NAME_IS_TYPE: Final = frozenset({"type", "cast", "transform", "domain constraint"})
_ARGUMENTS_ARE_TYPES: Final = frozenset((*_ROUTINES, *_MEMBERS, "operator", "cast"))
_ARGUMENTS_EXACTLY: Final = {
    **dict.fromkeys(("publication namespace", "user mapping", "domain constraint", "cast", "publication relation", "default acl", "transform"), 1),
    **dict.fromkeys((*_MEMBERS, "operator"), 2),
}  # fmt: skip


@system(
    "pg_get_object_address",
    (TEXT, TEXT_ARRAY, TEXT_ARRAY),
    RECORD,
    columns=(("classid", OID), ("objid", OID), ("objsubid", INT4)),
)
def _get_object_address(
    context: SystemContext,
    kind: str | None,
    names: list[str | None] | None,
    arguments: list[str | None] | None,
) -> list[dict[str, Any]]:
    if kind is None or names is None or arguments is None:
        return []
    class_oid, oid, sub = address_of(context, kind, names, arguments)
    return [{"classid": class_oid, "objid": oid, "objsubid": sub}]


def address_of(
    context: SystemContext, kind: str, names: Sequence[str | None], arguments: Sequence[str | None]
) -> Address:
    """Raises 22023 for what the kind does not take, 42704 and its kin for what is not there."""
    if kind in _WITHOUT_ADDRESS:
        raise SqlError("22023", f'unsupported object type "{kind}"')
    found = _finder(kind)
    named, given = _checked(kind, names, arguments)
    return found(context, kind, named, given)


def _checked(
    kind: str, names: Sequence[str | None], arguments: Sequence[str | None]
) -> tuple[list[str], list[str]]:
    if kind in _NAME_IS_TYPE or kind == "large object":
        _require_length("name", names, 1)
        if kind == "large object" and names[0] is None:
            raise SqlError("22023", "large object OID may not be null")
    named = _without_nulls(names)
    if not named:
        raise SqlError("22023", "name list length must be at least 1")
    given = _without_nulls(arguments)
    for said in (*(named if kind in _NAME_IS_TYPE else ()), *(given if kind in _ARGUMENTS_ARE_TYPES else ())):
        require_type_syntax(said)
    if kind in _NAMES_EXACTLY_1 and kind not in _ALONE:
        _require_length("name", named, 1)
    if len(named) < _NAMES_AT_LEAST.get(kind, 1):
        raise SqlError("22023", f"name list length must be at least {_NAMES_AT_LEAST[kind]}")
    if kind in _ARGUMENTS_EXACTLY:
        _require_length("argument", given, _ARGUMENTS_EXACTLY[kind])
    if kind in _ALONE:
        _require_length("name", named, 1)
    return named, given


def _require_length(what: str, said: Sequence[object], count: int) -> None:
    if len(said) != count:
        raise SqlError("22023", f"{what} list length must be exactly {count}")


def _without_nulls(said: Sequence[str | None]) -> list[str]:
    values = [x for x in said if x is not None]
    if len(values) != len(said):
        raise SqlError("22023", "name or argument lists may not contain nulls")
    return values


# --- what has a name alone, or lies in a schema ---------------------------------------------------------


def _absent(kind: str, name: str, code: str = "42704") -> SqlError:
    return SqlError(code, f'{kind} "{name}" does not exist')


def _alone(context: SystemContext, kind: str, names: list[str], _: list[str]) -> Address:
    class_oid, column = _ALONE[kind]
    return class_oid, _oid_alone(context, class_oid, names[0], kind, column), 0


def _oid_alone(context: SystemContext, class_oid: Oid, name: str, kind: str, column: str) -> Oid:
    for row in numbered.rows(context, class_oid):
        if row[column] == name:
            return int(row["oid"])
    raise _absent(kind, name, {NAMESPACE_OID: "3F000", DATABASE_CLASS_OID: "3D000"}.get(class_oid, "42704"))


def _in_parts(context: SystemContext, names: Sequence[str], *, relation: bool = False) -> tuple[str, str]:
    """Schema, or empty, and name. Raises 42601, 0A000."""
    if len(names) > 3:
        what = "relation" if relation else "qualified"
        raise SqlError("42601", f"improper {what} name (too many dotted names): {'.'.join(names)}")
    if len(names) == 3 and names[0] != context.database:
        raise elsewhere(names, relation=relation)
    return (names[-2] if len(names) > 1 else ""), names[-1]


def _homes(context: SystemContext, schema: str) -> list[Oid]:
    """Where a name may lie, in the order of search. Raises 3F000."""
    if schema:
        return [context.catalog.schema(meant_schema(schema, context.search_path)).oid]
    return [s.oid for s in context.catalog.schemas_on(context.search_path)]


def _in_schema(
    context: SystemContext, class_oid: Oid, columns: tuple[str, str], names: Sequence[str], **of: Oid
) -> Named | None:
    """The first object of a name on the search path, or in the schema that is said."""
    schema, name = _in_parts(context, names)
    homes = _homes(context, schema)
    column, home = columns
    wanted = {column: name, **of}
    found = [r for r in numbered.rows(context, class_oid) if all(r[c] == v for c, v in wanted.items())]
    by_home = {r[home]: r for r in reversed(found)}
    return next((by_home[h] for h in homes if h in by_home), None)


def _placed(context: SystemContext, kind: str, names: list[str], _: list[str]) -> Address:
    class_oid, column, home = _PLACED[kind]
    found = _in_schema(context, class_oid, (column, home), names)
    if found is None:
        shown = f'"{".".join(names)}"'
        if class_oid == COLLATION_OID:
            shown += ' for encoding "UTF8"'
        raise SqlError("42704", f"{kind} {shown} does not exist")
    return class_oid, found["oid"], 0


# --- relations and their parts --------------------------------------------------------------------------


def _relation_named(context: SystemContext, names: Sequence[str]) -> Oid:
    """Raises 42P01, 3F000, 42601, 0A000."""
    schema, name = _in_parts(context, names, relation=True)
    oid = regclass_in(context, quote_qualified(schema, name))
    assert oid is not None
    return oid


def _relation(context: SystemContext, kind: str, names: list[str], _: list[str]) -> Address:
    oid = _relation_named(context, names)
    found = numbered.row(context, CLASS_OID, oid)
    if found is None or found["relkind"] not in _RELATIONS[kind]:
        article = "an" if kind == "index" else "a"
        raise SqlError("42809", f'"{names[-1]}" is not {article} {kind}')
    return CLASS_OID, oid, 0


def _column(context: SystemContext, kind: str, names: list[str], _: list[str]) -> Address:
    if len(names) < 2:
        raise SqlError("42601", "column name must be qualified")
    *of, name = names
    relation = _relation_named(context, of)
    number = numbered.column_number(context, relation, name)
    whose = f'column "{name}" of relation "{".".join(of)}" does not exist'
    if kind != "default value":
        if number is None:
            raise SqlError("42703", whose)
        return CLASS_OID, relation, number
    for row in numbered.rows(context, ATTRDEF_OID):
        if (row["adrelid"], row["adnum"]) == (relation, number):
            return ATTRDEF_OID, row["oid"], 0
    raise SqlError("42703", f"default value for {whose}")


def _part(context: SystemContext, kind: str, names: list[str], _: list[str]) -> Address:
    if len(names) < 2:
        raise SqlError("42601", "must specify relation and object name")
    class_oid, column, of, word = _PARTS[kind]
    relation = _relation_named(context, names[:-1])
    for row in numbered.rows(context, class_oid):
        if row[of] == relation and row[column] == names[-1]:
            return class_oid, row["oid"], 0
    what = kind.rpartition(" ")[2]
    raise SqlError("42704", f'{what} "{names[-1]}" for {word} "{names[-2]}" does not exist')


# --- types ----------------------------------------------------------------------------------------------


def _type_said(context: SystemContext, text: str) -> Oid:
    """A type as SQL has it. Raises 42704, 3F000."""
    return regtype_in(context, text)


def _type(context: SystemContext, _: str, names: list[str], __: list[str]) -> Address:
    return TYPE_OID, _type_said(context, names[0]), 0


def _cast(context: SystemContext, _: str, names: list[str], arguments: list[str]) -> Address:
    source, target = (_type_said(context, x) for x in (names[0], arguments[0]))
    for row in numbered.rows(context, CAST_OID):
        if (row["castsource"], row["casttarget"]) == (source, target):
            return CAST_OID, row["oid"], 0
    shown = f"from type {regtype_out(context, source)} to type {regtype_out(context, target)}"
    raise SqlError("42704", f"cast {shown} does not exist")


def _transform(context: SystemContext, _: str, names: list[str], arguments: list[str]) -> Address:
    kind = _type_said(context, names[0])
    language = _oid_alone(context, LANGUAGE_OID, arguments[0], "language", "lanname")
    for row in numbered.rows(context, TRANSFORM_OID):
        if (row["trftype"], row["trflang"]) == (kind, language):
            return TRANSFORM_OID, row["oid"], 0
    shown = f'transform for type {regtype_out(context, kind)} language "{arguments[0]}"'
    raise SqlError("42704", f"{shown} does not exist")


def _domain_constraint(context: SystemContext, _: str, names: list[str], arguments: list[str]) -> Address:
    domain = _type_said(context, names[0])
    found = numbered.row(context, TYPE_OID, domain)
    if found is None or found["typtype"] != "d":
        raise SqlError("42809", f'"{_as_read(domain, names[0])}" is not a domain')
    for row in numbered.rows(context, CONSTRAINT_OID):
        if row["contypid"] == domain and row["conname"] == arguments[0]:
            return CONSTRAINT_OID, row["oid"], 0
    shown = f'constraint "{arguments[0]}" for domain {regtype_out(context, domain)}'
    raise SqlError("42704", f"{shown} does not exist")


def _as_read(oid: Oid, said: str) -> str:
    """A type's name once it was read: what is grammar stands for a type of pg_catalog, what is a name stays as it is."""
    return identities.grammatical(oid, said) or said


# --- routines and operators -----------------------------------------------------------------------------


def _routine(context: SystemContext, kind: str, names: list[str], arguments: list[str]) -> Address:
    given = tuple(_type_said(context, a) for a in arguments)
    schema, name = _in_parts(context, names)
    _homes(context, schema)
    oid = reg_routines.function_of(context, schema, name, given)
    types = ", ".join(regtype_out(context, x) or "" for x in given)
    shown = f"{'.'.join(names)}({types})"
    if oid is None:
        shown = f"{'.'.join(names)}({types or ('*' if kind == 'aggregate' else '')})"
        raise SqlError("42883", f"{kind} {shown} does not exist")
    found = numbered.row(context, PROC_OID, oid)
    is_one = found["prokind"] if found is not None else "f"
    if kind == "aggregate" and is_one != "a":
        raise SqlError("42809", f"function {shown} is not an aggregate")
    if kind in ("function", "procedure") and (kind == "procedure") != (is_one == "p"):
        raise SqlError("42809", f"{shown} is not a {kind}")
    return PROC_OID, oid, 0


def _operator(context: SystemContext, _: str, names: list[str], arguments: list[str]) -> Address:
    left, right = (_type_said(context, a) for a in arguments)
    schema, name = _in_parts(context, names)
    schema = meant_schema(schema, context.search_path) if schema == OWN_TEMPORARY else schema
    oid = reg_routines.operator_of(context, schema, name, (left, right))
    if oid is None:
        shown = f"{regtype_out(context, left)} {'.'.join(names)} {regtype_out(context, right)}"
        raise SqlError("42883", f"operator does not exist: {shown}")
    return OPERATOR_OID, oid, 0


# --- operator classes, families and their members -------------------------------------------------------


def _under(context: SystemContext, kind: str, names: list[str], _: list[str]) -> Address:
    class_oid, prefix = _UNDER[kind]
    name = names[0]
    method = _oid_alone(context, ACCESS_METHOD_OID, name, "access method", "amname")
    by = numbered.row(context, ACCESS_METHOD_OID, method)
    if by is None or by["amtype"] != "i":
        raise SqlError("55000", f'access method "{name}" is not of type INDEX')
    columns = f"{prefix}name", f"{prefix}namespace"
    found = _in_schema(context, class_oid, columns, names[1:], **{f"{prefix}method": method})
    if found is None:
        shown = f'{kind} "{".".join(names[1:])}"'
        raise SqlError("42704", f'{shown} does not exist for access method "{name}"')
    return class_oid, found["oid"], 0


def _member(context: SystemContext, kind: str, names: list[str], arguments: list[str]) -> Address:
    class_oid, prefix, number = _MEMBERS[kind]
    wanted = _leading_number(names[-1])
    _, family, _ = _under(context, "operator family", names[:-1], [])
    left, right = (_type_said(context, a) for a in arguments)
    for row in numbered.rows(context, class_oid):
        sides = row[f"{prefix}lefttype"], row[f"{prefix}righttype"]
        if (row[f"{prefix}family"], row[number], *sides) == (family, wanted, left, right):
            return class_oid, row["oid"], 0
    types = ", ".join(_as_read(oid, said) for oid, said in zip((left, right), arguments, strict=True))
    of = described(context, OPFAMILY_OID, family)
    raise SqlError("42704", f"{kind.partition(' ')[0]} {wanted} ({types}) of {of} does not exist")


def _leading_number(text: str) -> int:
    """As C's atoi() reads it: what is no digit ends the number, and no digit at all is none."""
    digits = ""
    for c in text.strip():
        if not c.isdecimal():
            break
        digits += c
    return int(digits or "0")


# --- what stands between two objects --------------------------------------------------------------------


def _role_oid(context: SystemContext, name: str) -> Oid | None:
    return next((r["oid"] for r in numbered.rows(context, ROLE_CLASS_OID) if r["rolname"] == name), None)


def _mapping(context: SystemContext, _: str, names: list[str], arguments: list[str]) -> Address:
    user, server = names[0], arguments[0]
    missing = SqlError("42704", f'user mapping for user "{user}" on server "{server}" does not exist')
    role = 0 if user == "public" else _role_oid(context, user)
    if role is None:
        raise missing
    on = _oid_alone(context, SERVER_OID, server, "server", "srvname")
    for row in numbered.rows(context, USER_MAPPING_OID):
        if (row["umuser"], row["umserver"]) == (role, on):
            return USER_MAPPING_OID, row["oid"], 0
    raise missing


def _default_acl(context: SystemContext, _: str, names: list[str], arguments: list[str]) -> Address:
    user, schema, letter = names[0], names[1] if len(names) > 1 else "", arguments[0][:1]
    if letter not in _DEFAULT_ACLS:
        kinds = ", ".join(f'"{x}"' for x in _DEFAULT_ACLS)
        message = f'unrecognized default ACL object type "{letter}"'
        raise SqlError("22023", message, hint=f"Valid object types are {kinds}.")
    home = context.catalog.find_schema(schema) if schema else None
    role = _role_oid(context, user)
    if role is not None and (home is not None or not schema):
        wanted = role, home.oid if home is not None else 0, letter
        for row in numbered.rows(context, DEFAULT_ACL_OID):
            if (row["defaclrole"], row["defaclnamespace"], row["defaclobjtype"]) == wanted:
                return DEFAULT_ACL_OID, row["oid"], 0
    place = f' in schema "{schema}"' if schema else ""
    shown = f'default ACL for user "{user}"{place} on {_DEFAULT_ACLS[letter]}'
    raise SqlError("42704", f"{shown} does not exist")


def _published(context: SystemContext, kind: str, names: list[str], arguments: list[str]) -> Address:
    if kind == "publication namespace":
        class_oid, prefix, of, word = PUBLICATION_NAMESPACE_OID, "pn", "pnnspid", "schema"
        what = context.catalog.schema(names[0]).oid
    else:
        class_oid, prefix, of, word = PUBLICATION_REL_OID, "pr", "prrelid", "relation"
        what = _relation_named(context, names)
    by = _oid_alone(context, PUBLICATION_OID, arguments[0], "publication", "pubname")
    for row in numbered.rows(context, class_oid):
        if (row[of], row[f"{prefix}pubid"]) == (what, by):
            return class_oid, row["oid"], 0
    shown = f'publication {word} "{names[-1]}" in publication "{arguments[0]}"'
    raise SqlError("42704", f"{shown} does not exist")


def _large_object(context: SystemContext, _: str, names: list[str], __: list[str]) -> Address:
    """Which there are is told by rows, which no function of the catalog reads."""
    text = names[0].strip()
    number = reg_routines.number_in(text) if text != "-" else None
    if number is None:
        raise SqlError("22P02", f'invalid input syntax for type oid: "{names[0]}"')
    if not may_be_large_object(context, number):
        raise SqlError("42704", f"large object {number} does not exist")
    raise SqlError("0A000", "the address of a large object is not supported")


_Finder = Callable[[SystemContext, str, list[str], list[str]], Address]


def _finder(kind: str) -> _Finder:
    """Raises 22023 for what is no kind of object."""
    found = _FINDERS.get(kind)
    if found is None:
        raise SqlError("22023", f'unrecognized object type "{kind}"')
    return found


_FINDERS: Final[dict[str, _Finder]] = {
    **dict.fromkeys(_ALONE, _alone), **dict.fromkeys(_PLACED, _placed), **dict.fromkeys(_RELATIONS, _relation),
    **dict.fromkeys(("table column", "foreign table column", "default value"), _column), **dict.fromkeys(_PARTS, _part),
    **dict.fromkeys(_ROUTINES, _routine), **dict.fromkeys(_UNDER, _under), **dict.fromkeys(_MEMBERS, _member),
    **dict.fromkeys(("publication namespace", "publication relation"), _published), "type": _type, "cast": _cast,
    "transform": _transform, "domain constraint": _domain_constraint, "operator": _operator, "user mapping": _mapping,
    "default acl": _default_acl, "large object": _large_object,
}  # fmt: skip

__all__ = ["Address", "address_of"]
