"""The functions of large objects: lo_open, loread, lowrite and their kin, in the transaction at hand.

    loread(fd, n)      descriptor: which object, where in it       SELECT pageno, data ... WHERE loid = $1 AND pageno BETWEEN ...
    lowrite(fd, b)     pages from the place to place + len(b)      the object's row is locked; INSERT or UPDATE of each page by key

What they read and write are rows of two tables (`planner.catalog.large_objects`), by statements of our own that are run in the
session's block as a PL/pgSQL function's would be. So snapshots, conflicts, savepoints and durability are those of rows, and
nothing here knows of them; but for descriptors, which are the block's, and close when a savepoint takes their lo_open back.

Pages that were read are written on condition that they are as they were: whoever came between makes it a conflict (40001).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError, PlanOutdated, Rows
from executor.ddl.schema import schema_bytes
from executor.session import large_object_rights, server_files
from executor.session.blocks.defining import DdlStep
from executor.session.blocks.own_block import block_at_hand
from planner import statements as st
from planner.abc import Plan
from planner.catalog import CatalogChange, Function, large_objects, rights
from planner.catalog.large_objects import MAX_BYTES, METADATA, PAGE_BYTES, PAGES, SCHEMA
from storage.abc import Datum
from txn.abc import SerializationFailure

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

WRITE: Final = 0x20000
READ: Final = 0x40000
PAGES_A_TURN: Final = 64
"""Pages that are written before other sessions have their turn."""
_NUMBERS: Final = range(16_384, 1 << 31)
"""Of objects whose numbers are ours to choose; drivers that take an OID for a signed integer can say them."""
_INT4, _INT8, _OID, _BYTEA = 23, 20, 26, 17
_PLANNED_MAX: Final = 3

_FIND = f"SELECT lomowner FROM {SCHEMA}.{METADATA} WHERE oid = $1", (_OID,)
_LOCK = f"SELECT lomowner FROM {SCHEMA}.{METADATA} WHERE oid = $1 FOR UPDATE", (_OID,)
_MAKE = f"INSERT INTO {SCHEMA}.{METADATA} (oid, lomowner) VALUES ($1, $2)", (_OID, _OID)
_GIVE = f"UPDATE {SCHEMA}.{METADATA} SET lomowner = $2 WHERE oid = $1", (_OID, _OID)
_FORGET = f"DELETE FROM {SCHEMA}.{METADATA} WHERE oid = $1", (_OID,)
_LAST = f"SELECT pageno, data FROM {SCHEMA}.{PAGES} WHERE loid = $1 ORDER BY pageno DESC LIMIT 1", (_OID,)
_PAGES = (
    f"SELECT pageno, data FROM {SCHEMA}.{PAGES} WHERE loid = $1 AND pageno >= $2 AND pageno <= $3 ORDER BY pageno",
    (_OID, _INT4, _INT4),
)
_ADD = f"INSERT INTO {SCHEMA}.{PAGES} (loid, pageno, data) VALUES ($1, $2, $3)", (_OID, _INT4, _BYTEA)
_CHANGE = (
    f"UPDATE {SCHEMA}.{PAGES} SET data = $3 WHERE loid = $1 AND pageno = $2 AND data = $4 RETURNING pageno",
    (_OID, _INT4, _BYTEA, _BYTEA),
)
_CUT = f"DELETE FROM {SCHEMA}.{PAGES} WHERE loid = $1 AND pageno > $2", (_OID, _INT4)
_Text = tuple[str, tuple[int, ...]]


@dataclass(slots=True)
class Descriptor:
    oid: int
    writes: bool
    serial: int
    offset: int = 0


@dataclass(slots=True)
class Descriptors:
    """A transaction's. `begun`: how many there have been, so that a savepoint knows its own."""

    open: dict[int, Descriptor] = field(default_factory=dict)
    begun: int = 0

    def roll_back(self, begun: int) -> None:
        """Closes what was opened since there had been so many."""
        self.open = {fd: d for fd, d in self.open.items() if d.serial < begun}


# --- rows -------------------------------------------------------------------------------------------------------


async def run(session: Session, text: _Text, *params: Datum) -> Sequence[Sequence[Any]]:
    """A statement of ours in the block; whether the user may has been asked before."""
    from executor.procedural.result_rows import first_rows

    for tries_left in reversed(range(_PLANNED_MAX)):
        try:
            plan = _planned(session, text)
            made = session.at_once(plan, params)
            if made is not None:
                return made.rows
            result = await session.run_plan(plan, params, autocommit=False)
            return await first_rows(result, 1 << 62)
        except PlanOutdated:
            if not tries_left:
                raise
            session.programs.pop(text, None)
    raise AssertionError("unreachable")


def _planned(session: Session, text: _Text) -> Plan:
    known, context = session.programs.get(text), session.context()
    if known is not None and known[0] is context:
        return known[1]  # type: ignore[no-any-return]
    sql, types = text
    plan = session.executor.planner.plan(sql, session.trusted_context(), list(types), normalise=False)[0]
    session.programs[text] = context, plan
    return plan


async def rows_of(session: Session, oid: int, text: _Text) -> Sequence[Any]:
    """The row of an object. Raises 42704."""
    found = await run(session, text, oid) if _made(session) else ()
    if not found:
        raise _missing(oid)
    return found[0]


def _made(session: Session) -> bool:
    """Whether the database has ever had a large object."""
    return large_objects.table_of(session.catalog, METADATA) is not None


def _make_storage(session: Session, block: Block) -> None:
    """The two tables, with the first large object. Another transaction that does so too conflicts with this one (40001)."""
    catalog = session.catalog
    schema, metadata, pages = large_objects.storage(catalog.database_oid)
    changes = [CatalogChange(None, made) for made in (schema, metadata, pages)]
    txn = block.transaction()
    for table in (metadata, pages):
        txn.register(table.shard, schema_bytes(table))
    after = session.executor.catalogs.renumbered(catalog.with_changes(changes))
    block.add_step(DdlStep(changes, created=[metadata, pages]), after)


def _missing(oid: int) -> ExecutionError:
    return ExecutionError("42704", f"large object {oid} does not exist")


def _owns(session: Session, owner: int) -> bool:
    role = session.catalog.get(owner)
    name = getattr(role, "name", "")
    return session.superuser or (bool(name) and name in rights.roles_of(session.catalog, session.user))


async def _owner(session: Session, oid: int, text: _Text = _FIND) -> int:
    """Raises 42704."""
    owner: int = (await rows_of(session, oid, text))[0]
    return owner


async def _size(session: Session, oid: int) -> int:
    for number, data in await run(session, _LAST, oid):
        return int(number) * PAGE_BYTES + len(data)
    return 0


async def _read(session: Session, oid: int, offset: int, wanted: int) -> bytes:
    """Up to so many bytes; holes and what short pages lack are zeros."""
    if wanted <= 0 or offset >= MAX_BYTES:
        return b""
    end = min(offset + wanted, MAX_BYTES)
    size = await _size(session, oid)
    end = min(end, size)
    if end <= offset:
        return b""
    made = bytearray(end - offset)
    for number, data in await run(session, _PAGES, oid, offset // PAGE_BYTES, (end - 1) // PAGE_BYTES):
        begin = number * PAGE_BYTES - offset
        piece = bytes(data)
        if begin < 0:
            piece, begin = piece[-begin:], 0
        piece = piece[: len(made) - begin]
        made[begin : begin + len(piece)] = piece
    return bytes(made)


async def _put(session: Session, oid: int, number: int, data: bytes, before: bytes | None) -> None:
    if before is None:
        await run(session, _ADD, oid, number, data)
    elif data != before and not await run(session, _CHANGE, oid, number, data, before):
        raise SerializationFailure("could not serialize access due to concurrent update")


async def _write(session: Session, oid: int, offset: int, data: bytes) -> None:
    """Raises 54000, 22023, 42704."""
    end, most = offset + len(data), session.executor.limits.large_object_bytes_max
    if end > MAX_BYTES:
        raise ExecutionError("22023", f"invalid large object write request size: {len(data)}")
    if end > most:
        raise ExecutionError("54000", f"large objects of more than {most} bytes are not supported")
    await _owner(session, oid, _LOCK)
    if not data:
        return
    first, last = offset // PAGE_BYTES, (end - 1) // PAGE_BYTES
    there = {n: bytes(d) for n, d in await run(session, _PAGES, oid, first, last)}
    for i, number in enumerate(range(first, last + 1), 1):
        begin = number * PAGE_BYTES
        at = max(offset - begin, 0)
        piece = data[begin + at - offset : begin + PAGE_BYTES - offset]
        before = there.get(number)
        old = before or b""
        await _put(session, oid, number, old[:at].ljust(at, b"\0") + piece + old[at + len(piece) :], before)
        if not i % PAGES_A_TURN:
            await asyncio.sleep(0)


async def _truncate(session: Session, oid: int, length: int) -> None:
    if not 0 <= length <= MAX_BYTES:
        raise ExecutionError("22023", f"invalid large object truncation target: {length}")
    most = session.executor.limits.large_object_bytes_max
    if length > most:
        raise ExecutionError("54000", f"large objects of more than {most} bytes are not supported")
    await _owner(session, oid, _LOCK)
    number, at = divmod(length, PAGE_BYTES)
    found = await run(session, _PAGES, oid, number, number)
    before = bytes(found[0][1]) if found else None
    await _put(session, oid, number, (before or b"")[:at].ljust(at, b"\0"), before)
    await run(session, _CUT, oid, number)


# --- descriptors --------------------------------------------------------------------------------------------------


def _descriptors(session: Session) -> Descriptors:
    block = session.block
    assert block is not None
    found: Descriptors | None = block.large_objects
    if found is None:
        found = block.large_objects = Descriptors()
    return found


def _open(session: Session, fd: int) -> Descriptor:
    found = _descriptors(session).open.get(fd)
    if found is None:
        raise ExecutionError("42704", f"invalid large-object descriptor: {fd}")
    return found


def _open_for_writing(session: Session, fd: int) -> Descriptor:
    found = _open(session, fd)
    if not found.writes:
        raise ExecutionError("55000", f"large object descriptor {fd} was not opened for writing")
    return found


async def _opened(session: Session, oid: int, mode: int) -> Descriptor:
    if not mode & (READ | WRITE):
        raise ExecutionError("22023", f"invalid flags for opening a large object: {mode}")
    await large_object_rights.require(session, oid, "rw" if mode & WRITE else "r")
    return Descriptor(oid, bool(mode & WRITE), 0)


def _sought(offset: int) -> int:
    if not 0 <= offset <= MAX_BYTES:
        raise ExecutionError("22023", f"invalid large object seek target: {offset}")
    return offset


def _as_int4(value: int, what: str, fd: int) -> int:
    if value >= 1 << 31:
        raise ExecutionError("22003", f"{what} result out of range for large-object descriptor {fd}")
    return value


# --- functions ------------------------------------------------------------------------------------------------------


async def _create(session: Session, oid: int) -> int:
    block = session.block
    assert block is not None
    if not _made(session):
        _make_storage(session, block)
    while not oid:
        oid = random.choice(_NUMBERS)
        if await run(session, _FIND, oid):
            oid = 0
    role = session.catalog.role(session.user)
    assert role is not None
    await run(session, _MAKE, oid, role.oid)
    return oid


async def _creat(session: Session, _mode: int) -> int:
    return await _create(session, 0)


async def _lo_open(session: Session, oid: int, mode: int) -> int:
    descriptors = _descriptors(session)
    most = session.executor.limits.large_object_descriptors_max
    if len(descriptors.open) >= most:
        raise ExecutionError("53400", f"more than {most} large object descriptors are open")
    made = await _opened(session, oid, mode)
    made.serial = descriptors.begun
    descriptors.begun += 1
    fd = next(i for i in range(most) if i not in descriptors.open)
    descriptors.open[fd] = made
    return fd


async def _close(session: Session, fd: int) -> int:
    _open(session, fd)
    del _descriptors(session).open[fd]
    return 0


async def _loread(session: Session, fd: int, count: int) -> bytes:
    at = _open(session, fd)
    data = await _read(session, at.oid, at.offset, count)
    at.offset += len(data)
    return data


async def _lowrite(session: Session, fd: int, data: bytes) -> int:
    at = _open_for_writing(session, fd)
    await _write(session, at.oid, at.offset, data)
    at.offset += len(data)
    return len(data)


async def _lseek64(session: Session, fd: int, offset: int, whence: int) -> int:
    at = _open(session, fd)
    if whence not in (0, 1, 2):
        raise ExecutionError("22023", f"invalid whence setting: {whence}")
    base = 0 if whence == 0 else at.offset if whence == 1 else await _size(session, at.oid)
    at.offset = _sought(base + offset)
    return at.offset


async def _lseek(session: Session, fd: int, offset: int, whence: int) -> int:
    return _as_int4(await _lseek64(session, fd, offset, whence), "lo_lseek", fd)


async def _tell64(session: Session, fd: int) -> int:
    return _open(session, fd).offset


async def _tell(session: Session, fd: int) -> int:
    return _as_int4(_open(session, fd).offset, "lo_tell", fd)


async def _lo_truncate(session: Session, fd: int, length: int) -> int:
    await _truncate(session, _open_for_writing(session, fd).oid, length)
    return 0


async def _unlink(session: Session, oid: int) -> int:
    if not _owns(session, await _owner(session, oid)):
        raise ExecutionError("42501", f"must be owner of large object {oid}")
    await _owner(session, oid, _LOCK)
    descriptors = _descriptors(session)
    descriptors.open = {fd: d for fd, d in descriptors.open.items() if d.oid != oid}
    block = session.block
    assert block is not None
    large_object_rights.forget_comment(session, block, oid)
    await run(session, _FORGET, oid)
    await run(session, _CUT, oid, -1)
    return 1


async def _from_bytea(session: Session, oid: int, data: bytes) -> int:
    made = await _create(session, oid)
    await _write(session, made, 0, data)
    return made


async def _get(session: Session, oid: int, offset: int = 0, count: int | None = None) -> bytes:
    if count is not None and count < 0:
        raise ExecutionError("22023", "requested length cannot be negative")
    await _opened(session, oid, READ)
    return await _read(session, oid, _sought(offset), MAX_BYTES if count is None else count)


async def _lo_put(session: Session, oid: int, offset: int, data: bytes) -> str:
    await _opened(session, oid, WRITE)
    await _write(session, oid, _sought(offset), data)
    return ""


async def _import(session: Session, path: str, oid: int = 0) -> int:
    """A new object of a file on the server. Raises as `server_files.pieces`."""
    made, offset = 0, 0
    async for piece in server_files.pieces(session, path):
        made = made or await _create(session, oid)
        await _write(session, made, offset, piece)
        offset += len(piece)
    return made or await _create(session, oid)


async def _export(session: Session, oid: int, path: str) -> int:
    """An object as a file on the server. Raises as `server_files.created`."""
    await _opened(session, oid, READ)
    with await server_files.created(session, path) as file:
        offset = 0
        while data := await _read(session, oid, offset, server_files.PIECE_BYTES):
            await server_files.write(file, path, data)
            offset += len(data)
    return 1


_READING: Final = frozenset((
    "lo_export", "lo_open", "lo_close", "loread", "lo_lseek", "lo_lseek64", "lo_tell", "lo_tell64", "lo_get",
))  # fmt: skip
_OF_FILES: Final = ("lo_import", "lo_export")
_BY_NAME: Final[Mapping[str, Callable[..., Awaitable[Datum]]]] = {
    "lo_creat": _creat,
    "lo_create": _create,
    "lo_open": _lo_open,
    "lo_close": _close,
    "loread": _loread,
    "lowrite": _lowrite,
    "lo_lseek": _lseek,
    "lo_lseek64": _lseek64,
    "lo_tell": _tell,
    "lo_tell64": _tell64,
    "lo_truncate": _lo_truncate,
    "lo_truncate64": _lo_truncate,
    "lo_unlink": _unlink,
    "lo_from_bytea": _from_bytea,
    "lo_import": _import,
    "lo_export": _export,
    "lo_get": _get,
    "lo_put": _lo_put,
}


async def call(session: Session, f: Function, arguments: Sequence[Datum]) -> Datum:
    """One call, in the session's block. Raises what PostgreSQL's raises; 25006 for those that write, as PostgreSQL 16 does."""
    block = session.block
    assert block is not None
    if f.name not in _READING and block.read_only:
        raise ExecutionError("25006", f"cannot execute {f.name}() in a read-only transaction")
    if f.name in _OF_FILES:
        server_files.require(session, f)
    return await _BY_NAME[f.name](session, *arguments)


async def alter_owner(
    session: Session, _plan: Plan, s: st.AlterLargeObject, _params: Sequence[Datum], autocommit: bool
) -> Rows:
    """ALTER LARGE OBJECT ... OWNER TO, in the block at hand or one of its own. Raises 42704, 42501, 25006."""
    async with block_at_hand(session, autocommit) as block:
        if block.read_only:
            raise ExecutionError("25006", "cannot execute ALTER LARGE OBJECT in a read-only transaction")
        name = {"current_user": session.user, "session_user": session.settings.raw("session_authorization")}
        role = session.catalog.role(name.get(s.owner, s.owner))
        if role is None:
            raise ExecutionError("42704", f'role "{s.owner}" does not exist')
        owner = await _owner(session, s.oid, _LOCK)
        if owner != role.oid:
            if not _owns(session, owner):
                raise ExecutionError("42501", f"must be owner of large object {s.oid}")
            if not session.superuser and role.name not in rights.roles_of(
                session.catalog, session.user, inherited=False
            ):
                raise ExecutionError("42501", f'must be member of role "{role.name}"')
            await run(session, _GIVE, s.oid, role.oid)
            old = str(getattr(session.catalog.get(owner), "name", owner))
            await large_object_rights.hand_over(session, s.oid, old, role.name)
    return Rows("ALTER LARGE OBJECT")


__all__ = ["Descriptor", "Descriptors", "alter_owner", "call", "rows_of", "run"]
