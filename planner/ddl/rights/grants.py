"""What GRANT and REVOKE leave behind: one record for each grantee of an object or column and who gave, and what hangs on it.

    GRANT SELECT ON t TO ann WITH GRANT OPTION      by the owner            ann=r*/owner
    GRANT SELECT ON t TO bob                        by ann, to whom it was given so     bob=r/ann
    REVOKE SELECT ON t FROM bob                     by the owner: nothing, for bob has it from ann
    REVOKE SELECT ON t FROM ann                     2BP01: bob has it from ann. With CASCADE bob loses it as well
    GRANT SELECT ON t TO bob                        by the owner too        bob=r/ann and bob=r/owner: one of them may go

Who owns an object gives in its owner's name, superusers too; anybody else in the name of the role that may give most
of what is asked for, and no more than that (a warning tells).

What nobody has spoken of has no record: its owner has everything, and PUBLIC what its kind gives. The first GRANT or REVOKE
writes that down, and there it stays, whatever is taken back later: so `relacl` and its kin are null until then, and never again.

    nothing said            {}                      relacl NULL
    GRANT ... TO bob        owner=all, bob=r        {owner=arwdDxt/owner,bob=r/owner}
    REVOKE ... FROM bob     owner=all               {owner=arwdDxt/owner}
"""

from __future__ import annotations

from typing import Final

from planner import statements as st
from planner.abc import Oid, PlanError, Table
from planner.catalog import Grant, Schema, View, rights
from planner.catalog.objects import BuiltIn, Granted, Parameter
from planner.catalog.system import built_ins
from planner.catalog.system.relations import SYSTEM_COLUMNS
from planner.ddl.scope import Scope
from planner.records import replace

_OF_COLUMNS: Final = frozenset(("select", "insert", "update", "references"))


def giver(scope: Scope, thing: Granted, attnum: int, wanted: frozenset[str]) -> tuple[str, frozenset[str]]:
    """In whose name the user gives or takes, and what of it that role may."""
    owner = str(getattr(thing, "owner", ""))
    if rights.owns(scope.catalog, scope.user, thing):
        return owner, wanted
    best, most = scope.user, frozenset[str]()
    roles = rights.roles_of(scope.catalog, scope.user)
    for role in (scope.user, *sorted(roles - {scope.user})):
        may = frozenset(
            p
            for g in scope.catalog.grants_on(thing.oid)
            if g.grantee == role and g.attnum in (0, attnum)
            for p in g.grantable
        )
        if len(may & wanted) > len(most):
            best, most = role, may & wanted
    return best, most


def allowed(
    scope: Scope, thing: Granted, attnum: int, wanted: frozenset[str], *, everything: bool, revoke: bool
) -> tuple[str, frozenset[str]]:
    """The giver, and what is given or taken after all: less than `wanted` with a warning. Raises 42501."""
    name, may = giver(scope, thing, attnum, wanted)
    if not may and not any(
        rights.holds(scope.catalog, name, thing, p, attnum) for p in rights.ALL_OF[rights.kind_of(thing)]
    ):
        if attnum:
            raise PlanError("42501", f"permission denied for {_named(thing, attnum)}")
        raise rights.denied(thing)
    if not may:
        _warn(
            scope, thing, attnum, "no privileges could be revoked" if revoke else "no privileges were granted"
        )
    elif may != wanted and not everything:
        lost = "not all privileges could be revoked" if revoke else "not all privileges were granted"
        _warn(scope, thing, attnum, lost)
    return name, may


def look_at_columns(scope: Scope, thing: Granted, wanted: frozenset[str], *, everything: bool) -> None:
    """What is revoked on a table is revoked on each of its columns, with a warning of its own for each."""
    names = wanted & _OF_COLUMNS
    if (
        not isinstance(thing, Table | View | BuiltIn)
        or rights.owns(scope.catalog, scope.user, thing)
        or not names
    ):
        return
    for attnum in (
        *(SYSTEM_COLUMNS if isinstance(thing, Table) or rights.word_for(thing) == "table" else ()),
        *(c.attnum for c in thing.columns if not getattr(c, "hidden", False)),
    ):
        allowed(scope, thing, attnum, names, everything=everything, revoke=True)


def _warn(scope: Scope, thing: Granted, attnum: int, what: str) -> None:
    name = _named(thing, attnum) if attnum else f'"{getattr(thing, "name", "")}"'
    sqlstate = "01006" if "revoked" in what else "01007"
    scope.notice(f"{what} for {name}", sqlstate, severity="WARNING")


def _named(thing: Granted, attnum: int) -> str:
    names = SYSTEM_COLUMNS | {c.attnum: c.name for c in getattr(thing, "columns", ())}
    return f'column "{names[attnum]}" of relation "{getattr(thing, "name", "")}"'


def record(
    scope: Scope,
    thing: Granted,
    grantee: str,
    names: frozenset[str],
    attnum: int,
    giver: str,
    said: st.Grant,
) -> None:
    """One grantee's record is as GRANT or REVOKE says. Raises 2BP01 where others have their privileges from it."""
    owner = getattr(thing, "owner", None)
    if not said.revoke and said.grant_option:
        _refuse_circle(scope, thing, grantee, names, attnum, giver)
    old = _of(scope, thing, grantee, attnum, giver)
    if said.revoke and giver != owner and old is None:
        return
    unsaid = _unsaid(thing, grantee, attnum) if giver == owner else frozenset[str]()
    held = set(old.privileges if old is not None else unsaid)
    grantable = set(old.grantable) if old is not None else set()
    lost: set[str] = set()
    if said.revoke:
        lost = grantable & names
        grantable -= names
        if not said.grant_option:
            held -= names
    else:
        held |= names
        if said.grant_option:
            grantable |= names
    _put(scope, thing, grantee, attnum, held, grantable, giver)
    _withdraw(scope, thing, grantee, attnum, lost, cascade=said.cascade)


def _refuse_circle(
    scope: Scope, thing: Granted, grantee: str, names: frozenset[str], attnum: int, giver: str
) -> None:
    """Who gives may not have the right to do so by way of whom it is given to. Raises 0LP01."""
    owner = getattr(thing, "owner", None)
    if giver == owner:
        return
    said = [g for g in scope.catalog.grants_on(thing.oid) if g.attnum in (0, attnum)]
    for privilege in names:
        reached, more = {owner}, True
        while more:  # from the owner, by way of all but the grantee
            given = {g.grantee for g in said if g.grantor in reached and privilege in g.grantable}
            more = not given - {grantee} <= reached
            reached |= given - {grantee}
        if giver not in reached:
            raise PlanError("0LP01", "grant options cannot be granted back to your own grantor")


def forget(scope: Scope, old: Grant) -> None:
    """A grantee loses everything, and whoever had some of it from there loses that."""
    thing = built_ins.target(scope.catalog, old.target)
    scope.remove(old)
    if thing is not None:
        _withdraw(scope, thing, old.grantee, old.attnum, set(old.grantable), cascade=True)


def change_owner(scope: Scope, target: Oid, old: str, new: str) -> None:
    """What the old owner had and gave is the new one's; one who had everything leaves everything."""
    said = list(scope.catalog.grants_on(target))
    limited = any(g.grantee == old and not g.attnum for g in said)
    kept: dict[tuple[str, str, int], Grant] = {}
    for g in said:
        if g.grantee == new and not g.attnum and not limited:
            scope.remove(g)
            continue
        grantee, grantor = (new if x == old else x for x in (g.grantee, g.grantor))
        first = kept.get((grantee, grantor, g.attnum))
        if first is not None:
            scope.remove(g)
            g = replace(
                first,
                privileges=tuple(sorted({*first.privileges, *g.privileges})),
                grantable=tuple(sorted({*first.grantable, *g.grantable})),
            )
            scope.replace(first, g)
        elif old in (g.grantee, g.grantor):
            changed = replace(g, grantee=grantee, grantor=grantor)
            scope.replace(g, changed)
            g = changed
        kept[grantee, grantor, g.attnum] = g


def _withdraw(
    scope: Scope, thing: Granted, giver: str, attnum: int, lost: set[str], *, cascade: bool
) -> None:
    """Who passed on what it may not pass on any more: as long as nobody else lets it, those to whom it did lose that."""
    still = _all_of(scope, thing, giver, attnum)
    lost = lost - {p for g in still for p in g.grantable}
    if not lost or giver == getattr(thing, "owner", None):
        return
    for g in list(scope.catalog.grants_on(thing.oid)):
        taken = lost & set(g.privileges)
        if g.grantor != giver or g.attnum != attnum or g.grantee == giver or not taken:
            continue
        if not cascade:
            raise PlanError("2BP01", "dependent privileges exist", hint="Use CASCADE to revoke them too.")
        _put(scope, thing, g.grantee, attnum, set(g.privileges) - taken, set(g.grantable) - taken, g.grantor)
        _withdraw(scope, thing, g.grantee, attnum, taken & set(g.grantable), cascade=True)


def _all_of(scope: Scope, thing: Granted, grantee: str, attnum: int) -> list[Grant]:
    found = scope.catalog.grants_on(thing.oid)
    return [g for g in found if g.grantee == grantee and g.attnum == attnum]


def _of(scope: Scope, thing: Granted, grantee: str, attnum: int, giver: str) -> Grant | None:
    return next((g for g in _all_of(scope, thing, grantee, attnum) if g.grantor == giver), None)


def _unsaid(thing: Granted, grantee: str, attnum: int) -> frozenset[str]:
    """What a grantee has while nobody has said anything of it."""
    return frozenset() if attnum else rights.unsaid(thing, grantee)


def _put(
    scope: Scope,
    thing: Granted,
    grantee: str,
    attnum: int,
    held: set[str],
    grantable: set[str],
    giver: str,
) -> None:
    if not attnum:
        _write_down(scope, thing)
    old = _of(scope, thing, grantee, attnum, giver)
    privileges, options = tuple(sorted(held)), tuple(sorted(grantable))
    kept_empty = giver == getattr(thing, "owner", None) and _unsaid(thing, grantee, attnum)
    if old is not None and not held and not kept_empty:
        scope.remove(old)
    elif old is not None and (old.privileges or not held):
        scope.replace(old, replace(old, privileges=privileges, grantable=options))
    elif old is not None or held:
        if old is not None:  # it had lost everything: in the list, who comes again is the last
            scope.remove(old)
        scope.add(
            Grant(
                scope.allocate(), thing.oid, grantee, privileges, options, attnum, giver, _home(scope, thing)
            )
        )


def _write_down(scope: Scope, thing: Granted) -> None:
    """What an object's owner and PUBLIC have by nature becomes records, where there are none yet."""
    owner = str(getattr(thing, "owner", ""))
    first: tuple[str, ...] = (rights.PUBLIC, owner)
    if isinstance(thing, Schema) or (isinstance(thing, BuiltIn) and thing.written):
        first = (owner, rights.PUBLIC)
    if isinstance(thing, BuiltIn) and thing.group:
        first = (*first, thing.group)
    for grantee in first:
        had = rights.unsaid(thing, grantee)
        if had and not _all_of(scope, thing, grantee, 0):
            home = _home(scope, thing)
            scope.add(Grant(scope.allocate(), thing.oid, grantee, tuple(sorted(had)), (), 0, owner, home))


def _home(scope: Scope, thing: Granted) -> Oid:
    """In which database what is said of one of PostgreSQL's own objects holds."""
    return scope.catalog.database_oid if isinstance(thing, BuiltIn) and not thing.shared else 0


def forget_parameter(scope: Scope, thing: Granted) -> None:
    """A setting of which nobody but its owner has anything is not listed."""
    said = scope.catalog.grants_on(thing.oid)
    if isinstance(thing, Parameter) and all(g.grantee == thing.owner and g.privileges for g in said):
        for g in said:
            scope.remove(g)
        scope.remove(thing)
