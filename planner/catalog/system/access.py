"""Who may do what: has_*_privilege, pg_has_role, and access-control lists taken apart.

    superuser or owner          everything
    a grant to the role, to a role that it is a member of, or to PUBLIC
    what PostgreSQL gives PUBLIC of itself: CONNECT and TEMPORARY, USAGE of types, EXECUTE, the system relations

A list of privileges ('SELECT, INSERT') asks whether any of them is held, as PostgreSQL does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from planner.abc import Column, Oid, ResultColumn, SqlError, Table
from planner.catalog import rights
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer
from planner.catalog.objects import FIRST_USER_OID, Database, Role, Schema, Sequence, UserType, View
from planner.catalog.routine_objects import Function
from planner.catalog.system import built_ins, numbered
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.catalog.system.functions import regclass_in
from planner.catalog.system.people import TOAST_OID
from planner.catalog.system.privileges import LETTERS, OWNER
from planner.catalog.system.relations import CLASS_OID, PROC_OID, SYSTEM_COLUMNS, by_oid
from planner.catalog.system.routines import LANGUAGES
from planner.catalog.system.sizes import TABLESPACES
from planner.types import BY_OID
from planner.types.hashing import hash_word, signed
from planner.types.oids import (
    ACLITEM,
    ACLITEM_ARRAY,
    BOOL,
    CHAR,
    INT2,
    INT4,
    INT8,
    NAME,
    OID,
    REGPROCEDURE,
    REGTYPE,
    TEXT,
)

PUBLIC = ""
_NOBODYS: Final = "RULE"
"""What may be asked for and is never held: it was a privilege once."""
_RELATION = frozenset(("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"))
_PRIVILEGES: dict[str, frozenset[str]] = {
    "table": _RELATION | {_NOBODYS},
    "any_column": frozenset(("SELECT", "INSERT", "UPDATE", "REFERENCES")),
    "column": frozenset(("SELECT", "INSERT", "UPDATE", "REFERENCES")),
    "sequence": frozenset(("USAGE", "SELECT", "UPDATE")),
    "schema": frozenset(("CREATE", "USAGE")),
    "database": frozenset(("CREATE", "CONNECT", "TEMPORARY", "TEMP")),
    "type": frozenset(("USAGE",)),
    "language": frozenset(("USAGE",)),
    "function": frozenset(("EXECUTE",)),
    "parameter": frozenset(("SET", "ALTER SYSTEM")),
    "tablespace": frozenset(("CREATE",)),
    "foreign_data_wrapper": frozenset(("USAGE",)),
    "server": frozenset(("USAGE",)),
}
_GONE: Final = re.compile(r"\.{8}pg\.dropped\.[0-9]+\.{8}")
"""What a column is called that was dropped."""
_OF_BUILT_INS: Final = frozenset(("table", "any_column", "column", "function", "language", "tablespace"))
_OF_PUBLIC = {
    "database": frozenset(("CONNECT", "TEMPORARY", "TEMP")),
    "type": frozenset(("USAGE",)),
    "language": frozenset(("USAGE",)),
    "function": frozenset(("EXECUTE",)),
}


_BUILT_IN: Final = (0, "tidewire")
"""What is nobody's object: the superuser's, and PUBLIC's as far as it is that by default."""

_OF_ROLES = frozenset(
    f"{word}{option}"
    for word in ("MEMBER", "USAGE")
    for option in ("", " WITH ADMIN OPTION", " WITH GRANT OPTION")
)


def role_of(context: SystemContext, who: Any) -> Role | None:
    """A role by name or OID; None for the OID of PUBLIC or of nobody. Raises 42704 for an unknown name."""
    if isinstance(who, int):
        found = context.catalog.get(who)
        return found if isinstance(found, Role) else None
    role = context.catalog.role(who)
    if role is None and who.lower() != "public":
        raise SqlError("42704", f'role "{who}" does not exist')
    return role


def _asked(kind: str, text: str) -> list[tuple[str, bool]]:
    """(privilege, with grant option) of 'SELECT, UPDATE WITH GRANT OPTION'. Raises 22023."""
    found = []
    for said in text.split(","):
        word = " ".join(said.upper().split())
        plain = word.removesuffix(" WITH GRANT OPTION")
        if plain not in _PRIVILEGES[kind]:
            raise SqlError("22023", f'unrecognized privilege type: "{said.strip()}"')
        found.append((plain, plain != word))
    return found


def _held(
    context: SystemContext, who: Any, kind: str, oid: Oid, owner: str, text: str, attnum: int = 0
) -> bool:
    asked = _asked(kind, text)
    role = role_of(context, who)
    catalog = context.catalog
    if role is not None and role.superuser:
        return any(privilege != _NOBODYS for privilege, _ in asked)
    thing = (
        built_ins.target(catalog, oid) if kind in _OF_BUILT_INS or oid >= FIRST_USER_OID else catalog.get(oid)
    )
    name = role.name if role is not None else PUBLIC
    for privilege, grantable in asked:
        if thing is None:
            if not grantable and privilege in _OF_PUBLIC.get(kind, ()):
                return True
            continue
        attnums = [attnum]
        if kind == "any_column":
            attnums = [0, *(c.attnum for c in getattr(thing, "columns", ()))]
        if any(rights.holds(catalog, name, thing, privilege, n, grantable=grantable) for n in attnums):
            return True
    return False


# --- what is asked about, by name or OID ------------------------------------------------------------


def _relation(context: SystemContext, what: Any) -> tuple[Oid, str] | None:
    oid = what if isinstance(what, int) else regclass_in(context, what)
    thing = context.catalog.get(oid) if oid is not None else None
    if isinstance(thing, Table | View | Sequence):
        return thing.oid, thing.owner
    return (oid, "tidewire") if oid in by_oid() else None


def _sequence(context: SystemContext, what: Any) -> tuple[Oid, str] | None:
    found = _relation(context, what)
    if found is not None and not isinstance(context.catalog.get(found[0]), Sequence):
        name = what if isinstance(what, str) else numbered.row(context, CLASS_OID, found[0])["relname"]  # type: ignore[index]
        raise SqlError("42809", f'"{name}" is not a sequence')
    return found


def _schema(context: SystemContext, what: Any) -> tuple[Oid, str] | None:
    if what in ("pg_toast", TOAST_OID):  # listed, and empty
        return TOAST_OID, "tidewire"
    thing = context.catalog.get(what) if isinstance(what, int) else context.catalog.find_schema(what)
    if not isinstance(thing, Schema):
        if isinstance(what, str):
            raise SqlError("3F000", f'schema "{what}" does not exist')
        return None
    return thing.oid, thing.owner


def _database(context: SystemContext, what: Any) -> tuple[Oid, str] | None:
    thing = context.catalog.get(what) if isinstance(what, int) else context.catalog.database(what)
    if not isinstance(thing, Database):
        if isinstance(what, str):
            raise SqlError("3D000", f'database "{what}" does not exist')
        return None
    return thing.oid, thing.owner


def _type(context: SystemContext, what: Any) -> tuple[Oid, str] | None:
    from planner.catalog.system.reg_names import INPUT

    oid = what if isinstance(what, int) else INPUT[REGTYPE](context, what)
    thing = context.catalog.get(oid)
    if isinstance(thing, UserType):
        return thing.oid, thing.owner
    return _BUILT_IN if oid in BY_OID else None


def _function(context: SystemContext, what: Any) -> tuple[Oid, str] | None:
    from planner.catalog.system.reg_names import INPUT

    oid = what if isinstance(what, int) else INPUT[REGPROCEDURE](context, what)
    thing = context.catalog.get(oid)
    if isinstance(thing, Function):
        return oid, thing.owner
    return (oid, "tidewire") if numbered.row(context, PROC_OID, oid) is not None else None


def _foreign(kind: type[Any], word: str) -> Callable[[SystemContext, Any], tuple[Oid, str] | None]:
    def found(context: SystemContext, what: Any) -> tuple[Oid, str] | None:
        here = context.catalog.objects(kind)
        thing = next((x for x in here if what in (x.oid, x.name)), None)
        if thing is None and isinstance(what, str):
            raise SqlError("42704", f'{word} "{what}" does not exist')
        return (thing.oid, thing.owner) if thing is not None else None

    return found


def _fixed(word: str, known: Mapping[str, Oid]) -> Callable[[SystemContext, Any], tuple[Oid, str] | None]:
    """Of a kind of which there are these, and never others."""

    def found(context: SystemContext, what: Any) -> tuple[Oid, str] | None:
        if isinstance(what, int):
            return (what, "tidewire") if what in known.values() else None
        if what not in known:
            raise SqlError("42704", f'{word} "{what}" does not exist')
        return known[what], "tidewire"

    return found


_FIND: dict[str, Callable[[SystemContext, Any], tuple[Oid, str] | None]] = {
    "table": _relation, "any_column": _relation, "sequence": _sequence, "schema": _schema, "database": _database,
    "type": _type, "language": _fixed("language", {**LANGUAGES, "c": 13}), "function": _function, "tablespace": _fixed("tablespace", TABLESPACES), "foreign_data_wrapper": _foreign(ForeignDataWrapper, "foreign-data wrapper"),
    "server": _foreign(ForeignServer, "server"),
}  # fmt: skip


def _register(kind: str) -> None:
    find = _FIND[kind]

    def of_somebody(context: SystemContext, who: Any, what: Any, privilege: str | None) -> bool | None:
        if who is None or what is None or privilege is None:
            return None
        found = find(context, what)
        return None if found is None else _held(context, who, kind, *found, privilege)

    def of_me(context: SystemContext, what: Any, privilege: str | None) -> bool | None:
        return of_somebody(context, context.user, what, privilege)

    for what in (OID, TEXT):
        system(f"has_{kind}_privilege", (what, TEXT), BOOL)(of_me)
        for who in (NAME, OID):
            system(f"has_{kind}_privilege", (who, what, TEXT), BOOL)(of_somebody)


for _kind in _FIND:
    _register(_kind)


def _column_of_somebody(
    context: SystemContext, who: Any, what: Any, column: Any, privilege: str | None
) -> bool | None:
    if who is None or what is None or column is None or privilege is None:
        return None
    found = _relation(context, what)
    if found is None:
        return None
    attnum = _attnum(context, found[0], what, column)
    return None if attnum is None else _held(context, who, "column", *found, privilege, attnum)


def _attnum(context: SystemContext, oid: Oid, what: Any, column: int | str) -> int | None:
    """The number of a column, of those that every table has too; None for one that has gone, or never was one. Raises 42703 for such a name."""
    thing = context.catalog.get(oid)
    known = thing if isinstance(thing, Table | View) else by_oid().get(oid)
    columns: tuple[Column | ResultColumn, ...] = tuple(known.columns) if known is not None else ()
    numbers = {c.name: c.attnum for c in columns if not getattr(c, "hidden", False)}
    if isinstance(thing, Table) or getattr(known, "kind", "") == "r":
        numbers = {name: attnum for attnum, name in SYSTEM_COLUMNS.items()} | numbers
    if isinstance(column, int):
        return column if column in numbers.values() else None
    if column not in numbers and columns and not _GONE.fullmatch(column):
        raise SqlError("42703", f'column "{column}" of relation "{what}" does not exist')
    return numbers.get(column)


def _column_of_me(context: SystemContext, what: Any, column: Any, privilege: str | None) -> bool | None:
    return _column_of_somebody(context, context.user, what, column, privilege)


for _what in (OID, TEXT):
    for _column in (INT2, TEXT):
        system("has_column_privilege", (_what, _column, TEXT), BOOL)(_column_of_me)
        for _who in (NAME, OID):
            system("has_column_privilege", (_who, _what, _column, TEXT), BOOL)(_column_of_somebody)


def _has_role(context: SystemContext, who: Any, what: Any, privilege: str | None) -> bool | None:
    if who is None or what is None or privilege is None:
        return None
    role, group = role_of(context, who), role_of(context, what)
    asked = [" ".join(word.upper().split()) for word in privilege.split(",")]
    for word in asked:
        if word not in _OF_ROLES:
            raise SqlError("22023", f'unrecognized privilege type: "{privilege}"')
    if role is None or group is None:
        return False
    return role.superuser or any(
        rights.is_admin(context.catalog, role.name, group.name)
        if "OPTION" in word
        else group.name in rights.roles_of(context.catalog, role.name, inherited=word == "USAGE")
        for word in asked
    )


def _i_have_role(context: SystemContext, what: Any, privilege: str | None) -> bool | None:
    return _has_role(context, context.user, what, privilege)


for _what in (OID, NAME):
    system("pg_has_role", (_what, TEXT), BOOL)(_i_have_role)
    for _who in (NAME, OID):
        system("pg_has_role", (_who, _what, TEXT), BOOL)(_has_role)


def _parameter_of_somebody(
    context: SystemContext, who: Any, name: str | None, privilege: str | None
) -> bool | None:
    if who is None or name is None or privilege is None:
        return None
    role = role_of(context, who)
    asked = _asked("parameter", privilege)
    if role is None or role.superuser:
        return role is not None
    found = rights.parameter(context.catalog, name)
    return found is not None and any(
        rights.holds(context.catalog, role.name, found, word, grantable=grantable)
        for word, grantable in asked
    )


def _parameter_of_me(context: SystemContext, name: str | None, privilege: str | None) -> bool | None:
    return _parameter_of_somebody(context, context.user, name, privilege)


system("has_parameter_privilege", (TEXT, TEXT), BOOL)(_parameter_of_me)
for _who in (NAME, OID):
    system("has_parameter_privilege", (_who, TEXT, TEXT), BOOL)(_parameter_of_somebody)


# --- lists ----------------------------------------------------------------------------------------

_LETTER_NAMES = {letter: name for name, letter in LETTERS.items() if name != "TEMP"}


def _quoted(name: str) -> str:
    return name if name.isidentifier() else '"' + name.replace('"', '""') + '"'


@system("acldefault", (CHAR, OID), ACLITEM_ARRAY)
def _acldefault(context: SystemContext, kind: str | None, owner: Oid | None) -> list[str] | None:
    """The list that an object has where nobody granted anything."""
    if kind is None or owner is None:
        return None
    role = context.catalog.get(owner)
    name = _quoted(role.name) if isinstance(role, Role) else str(owner)
    owners = {"r": OWNER["r"], "s": OWNER["S"], "n": OWNER["n"], "d": OWNER["d"], "f": "X", "l": "U", "L": "rw",
              "t": "C", "F": "U", "S": "U", "T": "U", "p": "sA"}  # fmt: skip
    public = {"d": "Tc", "f": "X", "l": "U", "T": "U"}
    if kind == "c":
        return []
    if kind not in owners:
        raise SqlError("XX000", f"unrecognized object type abbreviation: {kind}")
    found = [f"={public[kind]}/{name}"] if kind in public else []
    return [*found, f"{name}={owners[kind]}/{name}"]


@system(
    "aclexplode",
    (ACLITEM_ARRAY,),
    2249,
    columns=(("grantor", OID), ("grantee", OID), ("privilege_type", TEXT), ("is_grantable", BOOL)),
)
def _aclexplode(context: SystemContext, items: list[str | None] | None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for item in items or ():
        if item is None:
            continue
        grantee, _, rest = item.rpartition("=")
        letters, _, grantor = rest.partition("/")
        for i, letter in enumerate(letters):
            if letter != "*":
                found.append(
                    {
                        "grantor": _oid(context, grantor),
                        "grantee": _oid(context, grantee),
                        "privilege_type": _LETTER_NAMES.get(letter, letter),
                        "is_grantable": letters[i + 1 : i + 2] == "*",
                    }
                )
    return found


_BITS: Final = "arwdDxtXUCTcsA"
"""The letters in the order of their bits in an item; the right to pass one on is 16 bits further up."""


def _added_up(context: SystemContext, item: str) -> int:
    """An item as one number, which is its hash: rights, grantee and grantor."""
    grantee, _, rest = item.rpartition("=")
    letters, _, grantor = rest.partition("/")
    bits = last = 0
    for letter in letters:
        last = last << 16 if letter == "*" else 1 << _BITS.index(letter)
        bits |= last
    return (bits + _oid(context, grantee) + _oid(context, grantor)) & 0xFFFFFFFF


@system("hash_aclitem", (ACLITEM,), INT4)
def _hash_aclitem(context: SystemContext, item: str | None) -> int | None:
    return None if item is None else signed(_added_up(context, item), 32)


@system("hash_aclitem_extended", (ACLITEM, INT8), INT8)
def _hash_aclitem_extended(context: SystemContext, item: str | None, seed: int | None) -> int | None:
    if item is None or seed is None:
        return None
    total = _added_up(context, item)
    return total if seed == 0 else signed(hash_word(total, seed), 64)


def _oid(context: SystemContext, name: str) -> Oid:
    role = context.catalog.role(name.strip('"')) if name else None
    return role.oid if role is not None else 0


@system("makeaclitem", (OID, OID, TEXT, BOOL), ACLITEM)
def _makeaclitem(
    context: SystemContext,
    grantee: Oid | None,
    grantor: Oid | None,
    privilege: str | None,
    grantable: bool | None,
) -> str | None:
    if grantee is None or grantor is None or privilege is None or grantable is None:
        return None
    names = []
    for oid in (grantee, grantor):
        role = context.catalog.get(oid)
        names.append(_quoted(role.name) if isinstance(role, Role) else "")
    letter = LETTERS.get(privilege.upper())
    if letter is None:
        raise SqlError("22023", f'unrecognized privilege type: "{privilege}"')
    letters = letter + ("*" if grantable else "")
    return f"{names[0]}={letters}/{names[1]}"
