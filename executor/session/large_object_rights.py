"""Who may do what with large objects: GRANT, REVOKE, and what is asked when one is opened.

    GRANT SELECT ON LARGE OBJECT 4711 TO ann       lomacl of its row: {owner=rw/owner,ann=r/owner}

Lists are changed as rows are, in the transaction at hand. Roles stand in them by name: DROP ROLE and ALTER ROLE ... RENAME look
for the name there first (`planner.ddl.rights.large_object_roles`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from executor.abc import ExecutionError, Rows
from executor.session import large_objects
from executor.session.blocks.defining import DdlStep
from executor.session.blocks.own_block import block_at_hand
from planner import statements as st
from planner import types as t
from planner.abc import Plan
from planner.catalog import CatalogChange, access_lists, rights
from planner.catalog.access_lists import Item
from planner.catalog.large_objects import METADATA, PAGES_CLASS_OID, SCHEMA
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

_LETTERS: Final = {"select": "r", "update": "w"}
_ALL: Final = frozenset(_LETTERS.values())
_FIND = f"SELECT lomowner, lomacl FROM {SCHEMA}.{METADATA} WHERE oid = $1", (t.OID,)
_LOCK = f"SELECT lomowner, lomacl FROM {SCHEMA}.{METADATA} WHERE oid = $1 FOR UPDATE", (t.OID,)
_LIST = f"UPDATE {SCHEMA}.{METADATA} SET lomacl = $2 WHERE oid = $1", (t.OID, t.ACLITEM_ARRAY)


async def require(session: Session, oid: int, letters: str) -> None:
    """Raises 42704, 42501."""
    owner, items = await _of(session, oid, _FIND)
    if session.superuser:
        return
    roles = rights.roles_of(session.catalog, session.user)
    if not all(access_lists.held(items, roles, letter) for letter in letters) and (
        owner not in roles or any(i.grantee == owner for i in items)
    ):
        raise ExecutionError("42501", f"permission denied for large object {oid}")


async def _of(session: Session, oid: int, text: tuple[str, tuple[int, ...]]) -> tuple[str, list[Item]]:
    """Its owner and its list, as it is where nobody has said anything."""
    found = await large_objects.rows_of(session, oid, text)
    owner = str(getattr(session.catalog.get(found[0]), "name", found[0]))
    if found[1] is None:
        return owner, [Item(owner, _ALL, frozenset(), owner)]
    return owner, access_lists.read(str(x) for x in t.array_items(found[1], t.ACLITEM_ARRAY))


async def hand_over(session: Session, oid: int, old: str, new: str) -> None:
    """After ALTER LARGE OBJECT ... OWNER TO: what the old owner had and gave is the new one's."""
    found = await large_objects.rows_of(session, oid, _LOCK)
    if found[1] is not None:
        items = access_lists.read(str(x) for x in t.array_items(found[1], t.ACLITEM_ARRAY))
        await _put(session, oid, access_lists.handed_over(items, old, new))


async def _put(session: Session, oid: int, items: Sequence[Item]) -> None:
    kept = t.array_datum([str(i) for i in items], t.ACLITEM_ARRAY)
    await large_objects.run(session, _LIST, oid, kept)


async def grant(
    session: Session, _plan: Plan, s: st.GrantLargeObject, _params: Sequence[Datum], autocommit: bool
) -> Rows:
    """Raises 42704, 42501, 0LP01, 2BP01, 0A000, 25006."""
    word = "REVOKE" if s.revoke else "GRANT"
    async with block_at_hand(session, autocommit) as block:
        if block.read_only:
            raise ExecutionError("25006", f"cannot execute {word} in a read-only transaction")
        if s.granted_by and _role(session, s.granted_by) != session.user:
            raise ExecutionError("0A000", "grantor must be current user")
        grantees = [g and _role(session, g) for g in s.grantees]
        wanted = _wanted(s)
        for oid in s.oids:
            await _change(session, s, oid, grantees, wanted)
    return Rows(word)


def _says_all(s: st.GrantLargeObject) -> bool:
    return any(p == "all" for p, _ in s.privileges)


def _wanted(s: st.GrantLargeObject) -> frozenset[str]:
    for privilege, columns in s.privileges:
        if columns:
            raise ExecutionError("0LP01", "column privileges are only valid for relations")
        if privilege not in ("all", *_LETTERS):
            raise ExecutionError("0LP01", f"invalid privilege type {privilege.upper()} for large object")
    return _ALL if _says_all(s) else frozenset(_LETTERS[p] for p, _ in s.privileges)


async def _change(
    session: Session, s: st.GrantLargeObject, oid: int, grantees: Sequence[str], wanted: frozenset[str]
) -> None:
    owner, items = await _of(session, oid, _LOCK)
    roles = rights.roles_of(session.catalog, session.user)
    by, may = owner, wanted
    if not session.superuser and owner not in roles:
        by, may = session.user, frozenset()
        for role in (session.user, *sorted(roles - {session.user})):
            options = wanted & {x for i in items if i.grantee == role for x in i.options}
            if len(options) > len(may):
                by, may = role, options
        if not may and not any(access_lists.held(items, roles, x) for x in _ALL):
            raise ExecutionError("42501", f"permission denied for large object {oid}")
    done = "revoked" if s.revoke else "granted"
    if not may or (may != wanted and not _says_all(s)):
        how = "no" if not may else "not all"
        code = "01006" if s.revoke else "01007"
        session.notice(
            "WARNING",
            code,
            f'{how} privileges {"could be" if s.revoke else "were"} {done} for "large object {oid}"',
        )
    for grantee in grantees if may else ():
        if s.revoke:
            items = access_lists.taken(items, grantee, may, by, only_option=s.grant_option, cascade=s.cascade)
            continue
        if s.grant_option and not grantee:
            raise ExecutionError("0LP01", "grant options can only be granted to roles")
        items = access_lists.given(items, grantee, may, by, option=s.grant_option)
    if may:
        await _put(session, oid, items)


def forget_comment(session: Session, block: Block, oid: int) -> None:
    """With an object goes what was said of it."""
    catalog = session.catalog
    for said in catalog.comments_on_own(oid):
        if (said.class_oid, said.database_oid) == (PAGES_CLASS_OID, catalog.database_oid):
            gone = [CatalogChange(said, None)]
            after = session.executor.catalogs.renumbered(catalog.with_changes(gone))
            block.add_step(DdlStep(gone), after)


def _role(session: Session, name: str) -> str:
    named = {"current_user": session.user, "session_user": session.settings.raw("session_authorization")}
    role = session.catalog.role(named.get(name, name))
    if role is None:
        raise ExecutionError("42704", f'role "{name}" does not exist')
    return str(role.name)


__all__ = ["forget_comment", "grant", "hand_over", "require"]
