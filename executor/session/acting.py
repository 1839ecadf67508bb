"""As whom a session acts: SET ROLE, SET SESSION AUTHORIZATION, and functions that run as their owners or under settings of their own.

    logged in as alice       SET ROLE app         f() SECURITY DEFINER, of bob        f() has ended
    session_user  alice      alice                alice                               alice
    current_user  alice      app                  bob                                 app
    settings                                      those of SET, as SET LOCAL would    what they were

What a function is surrounded by is put back by whoever put it there (`around`), whatever happens inside. It belongs to the session, so nothing else of
the session may run meanwhile: a statement ends when all the calls that it has asked for have ended (`executor.procedural.calls`). Plans are made
for a user (`Planner.partition`), and kept texts of a program are compared with the context that they were planned in.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from executor.abc import ExecutionError, Prepared
from executor.session import text_search
from planner.abc import Plan, SqlError
from planner.catalog import Catalog, Function, rights

if TYPE_CHECKING:
    from executor.session.context import SessionContext
    from executor.session.session import Session

NAMES: Final = ("role", "session_authorization")
"""The settings that say it."""
_KEPT_MAX: Final = 64


# --- by statements ------------------------------------------------------------------------------------------


def require(catalog: Catalog, name: str, value: str, login: str, logged: str) -> None:
    """Whether who has logged in as `login`, and is `logged` now, may become somebody. Raises 22023, 42501."""
    if name == "role" and value == "none":
        return
    if catalog.role(value) is None:
        raise ExecutionError("22023", f'role "{value}" does not exist')
    if name == "session_authorization":
        if value != login and not rights.is_superuser(catalog, login):
            raise ExecutionError("42501", "permission denied to set session authorization")
    elif not (
        rights.is_superuser(catalog, logged) or value in rights.roles_of(catalog, logged, inherited=False)
    ):
        raise ExecutionError("42501", f'permission denied to set role "{value}"')


def refuse_inside(session: SessionContext, name: str) -> None:
    """Raises 42501 in a function that acts as its owner: it could never be left again."""
    if session.settings.acting:
        raise ExecutionError("42501", f'cannot set parameter "{name}" within security-definer function')


def become(session: Session, name: str, value: str | None, *, local: bool) -> None:
    """Sets one of `NAMES`; None: what it was at the start. Raises 22023, 42501."""
    refuse_inside(session, name)
    settings = session.settings
    logged = settings.raw("session_authorization")
    if value is not None:
        value = settings.check(name, value)
        require(session.catalog, name, value, settings.user, logged)
    elif name == "session_authorization":
        value = settings.user
    if name == "session_authorization":
        assert value is not None, "a session's user is always somebody"
        now = value
    else:
        now = as_whom({"role": value if value is not None else settings.origin("role")[1]}, logged)
    superuser = rights.is_superuser(session.catalog, now)
    settings.become(name, value, superuser=superuser, local=local)
    if name == "session_authorization":
        settings.set("role", "none", local=local)
    session.become(now)


def as_whom(options: Mapping[str, str], logged: str) -> str:
    """Who acts under such settings where somebody has logged in."""
    role = options.get("role", "none")
    return role if role != "none" else options.get("session_authorization", logged)


# --- by functions -------------------------------------------------------------------------------------------


@contextmanager
def around(session: SessionContext, f: Function) -> Iterator[None]:
    """As whom, and under which settings, a function runs; all is as it was when it has ended, however that came about.

    Raises what the settings' values raise: a role or a file may have gone since the function was made.
    """
    settings, kept = session.settings, session.contexts_of_functions
    before, user, acting, types = session.own, session.user, settings.acting, settings.types
    path, secured = session.path_set, session.secured_set
    context, superuser, type_settings = session.kept_context(), session.superuser, session.type_settings
    now = f.owner if f.definer else acting
    key = f.oid, now or user
    session.own = object()
    try:
        said = [(name, value) for name, _, value in (s.partition("=") for s in f.settings)]
        settings.enter(now, said)
        for name, value in said:
            if name == text_search.SETTING:  # which may have been said before there was such a configuration
                text_search.in_full(session, value)
        session.act_as(key[1], kept.get(key))
        yield
        if session.user == key[1]:
            own = session.kept_context()
            if len(kept) >= _KEPT_MAX or any(
                c is not None and c.catalog is not session.catalog for c, _ in kept.values()
            ):
                kept.clear()  # or old catalogs would stay as long as the session
            kept[key] = own
    except SqlError as error:
        session.conceal(error)  # as who it was that met it
        raise
    finally:
        settings.leave(acting)
        session.own = before
        role = settings.raw("role")
        now = acting or (role if role != "none" else settings.raw("session_authorization"))
        same = settings.search_path == path and settings.row_security == secured
        if now == user and settings.types == types and same:
            settings.types = types
            session.act_as(user, context)
            session.superuser, session.type_settings = superuser, type_settings
        else:  # SET in it lasts
            session.act_as(user, None)
            session.path_set, session.secured_set = path, secured
            session.settings_changed()


def is_apart(session: SessionContext) -> bool:
    """Whether such a function runs now."""
    return session.own is not None


def plan_here(session: Session, prepared: Prepared) -> Plan:
    """A prepared statement's plan; in such a function one that is made again for it alone."""
    if session.own is None:
        return prepared.plan
    return dataclasses.replace(prepared.plan, catalog_version=-1, compiled=None)


__all__ = ["NAMES", "around", "as_whom", "become", "is_apart", "plan_here", "refuse_inside", "require"]
