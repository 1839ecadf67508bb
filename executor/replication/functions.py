"""The functions of replication slots, as SQL calls them.

    SELECT * FROM pg_logical_slot_get_changes('s', NULL, 100, 'include-xids', '0')

reads what there is, as a stream would, and says that it has it. What is written to slots is of no transaction: it stays when the caller rolls back.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from executor.abc import ExecutionError
from executor.replication.follower import Changes, Follower, plugin_of
from executor.replication.plugin import transaction_number
from executor.replication.slots import Slot
from planner.catalog import Function
from planner.types.arrays import split_array
from planner.types.log_places import datum_of, place_of, shown_log_place
from storage.abc import Datum, Row

if TYPE_CHECKING:
    from executor.session.session import Session


async def call(session: Session, f: Function, arguments: Sequence[Datum]) -> list[Row]:
    """The rows of a call. Raises 42501, 42704, 42710, 55000, 55006, 0A000, 22004, 54000, and what plugins raise."""
    if f.name == "pg_create_logical_replication_slot":
        return await _create(session, *arguments)
    if f.name == "pg_copy_logical_replication_slot":
        return await _copy(session, *arguments)
    if f.name == "pg_drop_replication_slot":
        await Follower(session).drop(arguments[0])
        return [("",)]
    if f.name == "pg_replication_slot_advance":
        return await _advance(session, *arguments)
    return await _changes(session, f, *arguments)


async def _create(session: Session, name: str, plugin: str, temporary: bool, two_phase: bool) -> list[Row]:
    follower = Follower(session)
    if two_phase:
        raise ExecutionError("0A000", "two-phase commit of a replication slot is not supported")
    slot = await follower.create(name, plugin, temporary=temporary)
    return [(slot.name, datum_of(slot.confirmed))]


async def _copy(
    session: Session, source: str, name: str, temporary: bool | None = None, plugin: str | None = None
) -> list[Row]:
    follower = Follower(session)
    slot = follower.find(source)
    kept = bool(slot.holder) if temporary is None else temporary
    made = await follower.copy(slot, name, plugin or slot.plugin, temporary=kept)
    return [(made.name, datum_of(made.confirmed))]


async def _advance(session: Session, name: str, place: int) -> list[Row]:
    upto = place_of(place)
    follower = Follower(session)
    if not upto:
        raise ExecutionError("22023", "invalid target WAL LSN")
    slot = follower.acquire(name)
    try:
        if upto < slot.confirmed:
            raise ExecutionError(
                "55000",
                f"cannot advance replication slot to {shown_log_place(place)},"
                f" minimum is {shown_log_place(datum_of(slot.confirmed))}",
            )
        follower.confirm(slot, upto)
    finally:
        await follower.release(slot)
    return [(slot.name, datum_of(slot.confirmed))]


async def _changes(
    session: Session, f: Function, name: str | None, upto: int | None, count: int | None, options: str | None
) -> list[Row]:
    follower = Follower(session)
    if name is None:
        raise ExecutionError("22004", "slot name must not be null")
    if options is None:
        raise ExecutionError("22004", "options array must not be null")
    slot = follower.acquire(name)
    try:
        return await _read(session, follower, f, slot, upto, count, _options(options))
    finally:
        await follower.release(slot)


def _options(array: str) -> dict[str, str | None]:
    given = split_array(array)
    if len(given) % 2:
        raise ExecutionError("22023", "array must have even number of elements")
    if None in given:
        raise ExecutionError("22004", "array must not contain nulls")
    return {str(a): b for a, b in zip(given[::2], given[1::2], strict=True)}


async def _read(
    session: Session, follower: Follower, f: Function, slot: Slot, upto: int | None, count: int | None, options: dict[str, str | None]
) -> list[Row]:  # fmt: skip
    plugin = plugin_of(slot, options)
    binary = "binary" in f.name
    if plugin.binary and not binary:
        raise ExecutionError(
            "0A000",
            f'logical decoding output plugin "{slot.plugin}" produces binary output, but function'
            f' "{f.name}(name,pg_lsn,integer,text[])" expects textual data',
        )
    changes = Changes(session, slot, plugin)
    rows: list[Row] = []
    left = session.executor.limits.slot_result_bytes_max
    async for place, message, is_last in changes.messages(None if upto is None else place_of(upto)):
        data: Datum = message if binary else message.decode()
        rows.append((datum_of(place), transaction_number(place), data))
        left -= len(message) + 100
        if left < 0:
            raise ExecutionError(
                "54000",
                "there are too many changes for one result",
                hint="Ask for fewer with upto_nchanges; a transaction that is too large in itself is for a replication connection.",
            )
        if is_last and count is not None and len(rows) >= count:
            changes.told = place
            break
    if "_get_" in f.name:
        follower.confirm(slot, changes.told + 1)
    return rows


__all__ = ["call"]
