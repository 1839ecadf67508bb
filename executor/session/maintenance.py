"""VACUUM, ANALYZE, CLUSTER, REINDEX and CHECKPOINT: what keeps a database in order is done here by itself.

    VACUUM t           nothing is left to do: versions that nobody reads go when their time is over
    ANALYZE t          DuckDB knows its columns' statistics; what tools ask pg_stats for is counted (`analyzing`)
    REINDEX, CLUSTER   keys are kept in their order; CLUSTER ... USING leaves the mark that ALTER TABLE ... CLUSTER ON does
    CHECKPOINT         packs what memory holds of large tables

So they look at what they are told of, as PostgreSQL does, and say what it says: scripts of administrators, vacuumdb,
reindexdb and clusterdb must go on, over the system's own relations, too, and wrong ones must hear of it. They wait for whom they would wait
for there, and keep those waiting: a script may count on being alone with a table.

    VACUUM, ANALYZE, REINDEX CONCURRENTLY    beside who reads and writes, not beside each other and definitions
    VACUUM FULL, CLUSTER, REINDEX            beside nobody; REINDEX of a table without indexes beside readers
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Final

from executor.abc import ExecutionError, Rows
from executor.ddl import run as ddl
from executor.session import analyzing
from executor.session.locks import definition_locks
from planner import statements as st
from planner.abc import Plan, Table
from planner.catalog import Database, Index, Relation, predefined, rights
from planner.catalog.catalog import TEMPORARY_PREFIX
from planner.catalog.foreign_objects import unreachable
from planner.catalog.names import missing_relation
from planner.catalog.system.long_values import may_be_long
from planner.catalog.system.relations import SystemRelation, relations
from planner.ddl.scope import behind
from planner.partitioning import descendants
from planner.relations import TransitionTable
from storage.abc import Datum
from txn.abc import LockNotAvailable, SerializationFailure
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

_OPTIONS: Final = {
    "vacuum": frozenset(
        ("verbose", "analyze", "freeze", "full", "skip_locked", "index_cleanup", "process_toast", "truncate", "parallel",
         "disable_page_skipping")
    ),
    "analyze": frozenset(("verbose", "skip_locked")),
}  # fmt: skip
_PARALLEL_MAX: Final = 1_024


@dataclass(frozen=True, slots=True)
class _System:
    """One of the system's own relations, as a statement names it."""

    name: str
    relation: SystemRelation


async def run(session: Session, plan: Plan, s: st.Vacuum, params: Sequence[Datum], autocommit: bool) -> Rows:
    if s.what == "checkpoint":
        if not rights.has_role(session.catalog, session.user, predefined.CHECKPOINT):
            raise ExecutionError(
                "42501", "must be superuser or have privileges of pg_checkpoint to do CHECKPOINT"
            )
        await session.executor.store.packer.pack()
    elif s.what == "reindex":
        await _alone_with(session, s, _reindex(session, s))
    elif s.what == "cluster":
        marked = _cluster(session, s)
        found = _found(session, s.tables[0]) if s.tables else None
        await _alone_with(session, s, [found] if isinstance(found, Table) else [])
        if marked is not None:
            await ddl.run(session, plan, marked, params, autocommit)
    else:
        await _vacuum(session, s)
    return Rows(plan.tag)


_Then = Callable[["Session", "Block", Table], Awaitable[None]]
"""What is done with a table while it is locked."""


async def _alone_with(
    session: Session, s: st.Vacuum, tables: Sequence[Table], then: _Then | None = None
) -> None:
    """Locks the tables that a statement names: to the end of the block, or each for a moment. Raises DeadlockDetected, LockNotAvailable."""
    for table in tables:
        session.heed()
        if session.block is None:
            await _for_a_moment(session, s, table, then)
        elif await _locked(session, session.block, s, table) and then is not None:
            await then(session, session.block, session.catalog.table(table.oid))


async def _for_a_moment(session: Session, s: st.Vacuum, table: Table, then: _Then | None) -> None:
    """In a transaction of its own, which others may be in the way of: another server that does the same."""
    for left in reversed(range(session.executor.limits.retries_max)):
        block = session.open_block(implicit=True)
        try:
            block.statement()
            locked = await _locked(session, block, s, table)
            now = session.catalog.get(table.oid)
            if locked and then is not None and isinstance(now, Table):  # else somebody has dropped it
                await then(session, block, now)
                await session.commit()
            return
        except SerializationFailure:
            if not left:
                raise
        finally:
            if session.block is not None:
                session.rollback()
            if block.txn is not None:
                session.executor.defining.pop(block.txn, None)
                session.executor.letting.pop(block.txn, None)


async def _locked(session: Session, block: Block, s: st.Vacuum, table: Table) -> bool:
    """False: others have it, and the statement does not wait."""
    looks, skips = 0, bool(s.options.get("skip_locked"))
    found: object = table
    while isinstance(found, Table):
        mode = _mode(session, s, found)
        try:
            if await definition_locks.locked(session, block, found, mode, looks, nowait=skips):
                return True
        except LockNotAvailable:
            if not skips:
                raise
            session.notice("WARNING", "55P03", f'skipping {s.what} of "{table.name}" --- lock not available')
            return False
        looks, found = looks + 1, session.catalog.get(table.oid)  # as it is by now
    return True


def _mode(session: Session, s: st.Vacuum, table: Table) -> LockMode:
    """As PostgreSQL locks the table; who reads it has its indexes locked as well, which REINDEX wants for itself."""
    if s.what in ("vacuum", "analyze"):
        return LockMode.UPDATE if s.options.get("full") else LockMode.TABLE_UPDATE
    if s.what == "cluster":
        return LockMode.UPDATE
    if s.options.get("concurrently"):
        return LockMode.TABLE_UPDATE
    indexed = table.primary_key is not None or any(session.catalog.indexes_of(table.oid))
    return LockMode.UPDATE if indexed else LockMode.TABLE_SHARE


def _found(session: Session, name: st.Name) -> Relation | _System:
    """Raises 42P01 and 3F000, to which PostgreSQL gives no position here."""
    catalog, path = session.catalog, session.search_path()
    schemas = [name.schema] if name.schema else ["pg_catalog", *path]
    for schema in schemas:
        known = relations().get((schema, name.name))
        if known is not None:
            return _System(name.name, known)
    found: Relation | None = catalog.commanded_relation(name.name, name.schema, path)
    if isinstance(found, TransitionTable):
        found = behind(catalog, found, path)
    if found is None:
        raise missing_relation(str(name))
    return found


# --- VACUUM, ANALYZE -----------------------------------------------------------------------------


async def _vacuum(session: Session, s: st.Vacuum) -> None:
    """The tables that are named, or all, of those that the user may keep in order."""
    analyzes = s.what == "analyze" or bool(s.options.get("analyze"))
    _check_options(s)
    if any(s.columns) and not analyzes:
        raise ExecutionError("0A000", "ANALYZE option must be specified when a column list is provided")
    if analyzes and session.executor.read_only:
        raise ExecutionError("25006", f"cannot execute {s.what.upper()} during recovery")
    kept: list[tuple[Table, tuple[str, ...]]] = []
    for name, columns in zip(s.tables, s.columns, strict=True):
        found = _found(session, name)
        verb = s.what
        if not _may_keep(session, found):
            _warn(session, _not_ones_own(found, verb))
            if isinstance(found, Table):  # its partitions may be the user's
                kept += [(t, columns) for t in _partitions(session, found)]
        elif isinstance(found, Table) and found.foreign is not None and s.what == "analyze":
            raise unreachable(session.catalog, found)
        elif not _is_table(found):
            _warn(session, f'skipping "{found.name}" --- cannot {verb} non-tables or special system tables')
        else:
            _check_columns(found, columns)
            if isinstance(found, Table):
                kept += [(t, columns) for t in (found, *_partitions(session, found))]
    if not s.tables:
        kept = [(t, ()) for t in session.catalog.objects(Table) if _is_kept(session, t)]
    for table, columns in kept:
        if not _may_keep(session, table):
            _warn(session, _not_ones_own(table, s.what))
            continue
        looks = partial(analyzing.analyze, columns=columns) if analyzes else None
        if analyzes or s.tables:
            await _alone_with(session, s, [table], looks)
        session.executor.statistics.maintained(table, vacuumed=s.what == "vacuum", analyzed=analyzes)


def _partitions(session: Session, table: Table) -> list[Table]:
    """Those that have rows here: they are kept in order with the whole."""
    below = descendants(session.catalog, table) if table.partitioning is not None else []
    return [part for part in below if part.foreign is None]


def _is_kept(session: Session, table: Table) -> bool:
    """Whether a statement that names no table is about this one, too."""
    home = session.catalog.schema_of(table.schema_oid).name
    others = home.startswith(TEMPORARY_PREFIX) and home != session.temporary_schema
    return _is_table(table) and not others and _may_keep(session, table)


def _check_options(s: st.Vacuum) -> None:
    for option in s.options:
        if option not in _OPTIONS[s.what]:
            raise ExecutionError(
                "42601", f'unrecognized {s.what.upper()} option "{option}"', position=s.places.get(option, 0)
            )
    workers = s.options.get("parallel")
    if workers is True:
        raise ExecutionError(
            "42601",
            f"parallel option requires a value between 0 and {_PARALLEL_MAX}",
            position=s.places["parallel"],
        )
    if workers is not None and not 0 <= float(workers) <= _PARALLEL_MAX:
        raise ExecutionError(
            "42601",
            f"parallel workers for vacuum must be between 0 and {_PARALLEL_MAX}",
            position=s.places["parallel"],
        )
    if workers is not None and float(workers) and s.options.get("full"):
        raise ExecutionError("0A000", "VACUUM FULL cannot be performed in parallel")


def _check_columns(found: Relation | _System, columns: tuple[str, ...]) -> None:
    if not columns:
        return
    known = (
        {c.name for c in found.relation.columns}
        if isinstance(found, _System)
        else {c.name for c in getattr(found, "visible", ())}
    )
    for i, column in enumerate(columns):
        if column not in known:
            raise ExecutionError("42703", f'column "{column}" of relation "{found.name}" does not exist')
        if column in columns[:i]:
            raise ExecutionError(
                "42701", f'column "{column}" of relation "{found.name}" appears more than once'
            )


def _is_table(found: Relation | _System) -> bool:
    if isinstance(found, _System):
        return found.relation.kind == "r"
    return isinstance(found, Table) and found.foreign is None


def _may_keep(session: Session, found: Relation | _System) -> bool:
    """Whether the user may keep it in order: its owner, the database's, a superuser."""
    catalog, user = session.catalog, session.user
    database = catalog.get(catalog.database_oid)
    if isinstance(database, Database) and rights.owns(catalog, user, database):
        return True
    if isinstance(found, _System):
        return rights.is_superuser(catalog, user)
    thing = catalog.get(found.table_oid) if isinstance(found, Index) else found
    return thing is not None and rights.owns(catalog, user, thing)


def _not_ones_own(found: Relation | _System, verb: str) -> str:
    who = "table or database owner"
    if isinstance(found, _System):
        who = "superuser" if found.relation.shared else "superuser or database owner"
    return f'skipping "{found.name}" --- only {who} can {verb} it'


def _warn(session: Session, message: str) -> None:
    session.notice("WARNING", "01000", message)


# --- REINDEX, CLUSTER ----------------------------------------------------------------------------


def _reindex(session: Session, s: st.Vacuum) -> Sequence[Table]:
    """The table that is named, or whose index is."""
    kind, name = str(s.options["kind"]), str(s.options["name"])
    catalog, beside_others = session.catalog, bool(s.options["concurrently"])
    if kind == "system" and beside_others:
        raise _not_beside_others()
    if kind == "schema":
        schema = catalog.schema(name)
        if not rights.owns(catalog, session.user, schema):
            raise ExecutionError("42501", f"must be owner of schema {name}")
        if name == "pg_catalog" and beside_others:
            _warn_of_skipped(session)
    elif kind in ("database", "system"):
        if name != session.database:
            raise ExecutionError("0A000", "can only reindex the currently open database")
        database = catalog.database(name)
        if database is None or not rights.owns(catalog, session.user, database):
            raise ExecutionError("42501", f"must be owner of database {name}")
        if beside_others:
            _warn_of_skipped(session)
    else:
        found = _indexed(session, s.tables[0], kind)
        if not _may_keep(session, found):
            raise ExecutionError("42501", f"must be owner of {kind} {found.name}")
        if isinstance(found, _System):
            if beside_others:
                raise _not_beside_others()
            return ()
        thing = catalog.get(found.table_oid) if isinstance(found, Index) else found
        if session.block is not None and isinstance(thing, Table) and thing.partitioning is not None:
            raise _in_transactions_of_its_own(session, found, kind)
        _tell_rebuilt(session, found, beside_others, bool(s.options["verbose"]))
        return (thing,) if isinstance(thing, Table) else ()
    return ()


def _in_transactions_of_its_own(session: Session, found: Relation, kind: str) -> ExecutionError:
    """Partitions are rebuilt one after the other, each in its own."""
    error = ExecutionError("25001", f"REINDEX {kind.upper()} cannot run inside a transaction block")
    shown = f"{session.catalog.schema_of(found.schema_oid).name}.{found.name}"
    error.context = f'while reindexing partitioned {kind} "{shown}"'
    return error


def _not_beside_others() -> ExecutionError:
    return ExecutionError("0A000", "cannot reindex system catalogs concurrently")


def _warn_of_skipped(session: Session) -> None:
    session.notice("WARNING", "0A000", "cannot reindex system catalogs concurrently, skipping all")


def _tell_rebuilt(session: Session, found: Relation, beside_others: bool, verbose: bool) -> None:
    """What is said of the indexes of a table, or of one of them. Raises 0A000 for an exclusion constraint's CONCURRENTLY."""
    catalog = session.catalog
    tables: list[Table] = [found] if isinstance(found, Table) else []
    if any(t.partitioning is not None for t in tables):
        tables = [d for d in descendants(catalog, tables[0]) if d.partitioning is None]
    indexes = [i for t in tables for i in catalog.indexes_of(t.oid)] if tables else [found]
    rebuilt: list[Relation] = []
    for index in indexes:
        of = catalog.get(index.table_oid) if isinstance(index, Index) else None
        excludes = isinstance(of, Table) and any(
            c.kind == "x" and isinstance(index, Index) and c.index_oid == index.oid for c in of.constraints
        )
        if not (excludes and beside_others):
            rebuilt.append(index)
        elif not isinstance(found, Table):
            raise ExecutionError(
                "0A000", "concurrent index creation for exclusion constraints is not supported"
            )
        else:
            shown = f"{catalog.schema_of(index.schema_oid).name}.{index.name}"
            session.notice(
                "WARNING",
                "0A000",
                f'cannot reindex exclusion constraint index "{shown}" concurrently, skipping',
            )
    if isinstance(found, Table) and found.partitioning is None and not rebuilt and not may_be_long(found):
        what = "that can be reindexed concurrently" if beside_others else "to reindex"
        session.notice("NOTICE", "00000", f'table "{found.name}" has no indexes {what}')
    if verbose and not beside_others:
        for index in rebuilt:
            session.notice("INFO", "00000", f'index "{index.name}" was reindexed')


def _indexed(session: Session, name: st.Name, kind: str) -> Relation | _System:
    if kind == "index" and name.schema in ("", "pg_catalog") and name.name.startswith("pg_"):
        # The system's indexes are not listed here, and are nobody's to look for.
        own = session.catalog.find_relation(name.name, name.schema, session.search_path())
        return _System(name.name, relations()["pg_catalog", "pg_class"]) if own is None else own
    found = _found(session, name)
    if kind == "index" and not isinstance(found, Index):
        raise ExecutionError("42809", f'"{found.name}" is not an index')
    if kind == "table" and not _is_table(found):
        raise ExecutionError("42809", f'"{found.name}" is not a table or materialized view')
    return found


def _cluster(session: Session, s: st.Vacuum) -> st.AlterTable | None:
    """What is left to do: the mark of the index that was named. Raises 42704 where none is named, and none marked."""
    if not s.tables:
        return None
    found = _indexed(session, s.tables[0], "table")
    if not _may_keep(session, found):
        raise ExecutionError("42501", f"must be owner of table {found.name}")
    using = str(s.options.get("using", ""))
    if not isinstance(found, Table):
        return None
    if not using:
        if not any(index.clustered for index in session.catalog.indexes_of(found.oid)):
            raise ExecutionError(
                "42704", f'there is no previously clustered index for table "{found.name}"', table=found.name
            )
        return None
    index = session.catalog.relation_in(found.schema_oid, using)
    if not isinstance(index, Index):
        raise ExecutionError("42704", f'index "{using}" for table "{found.name}" does not exist')
    if index.table_oid != found.oid:
        raise ExecutionError("42809", f'"{using}" is not an index for table "{found.name}"')
    if found.partitioning is not None:
        return None  # each partition would be marked, and it never is
    kind = "table" if found.materialized is None else "materialized view"
    return st.AlterTable(kind, s.tables[0], (st.AlterAction("cluster on", using),))


__all__ = ["run"]
