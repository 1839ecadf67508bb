"""The commit queue: who waits to commit, who has the log at the moment, and the end of both.

    submit -> [member member member] --- a round takes them ---> the log is the round's, then the next one's
                                                                  or, for once, exclusive work's (a rollup)

One thing at a time has the log. A round that is over within the turn of the event loop just has it; what takes
longer runs in the background (`_background`) or beside the loop, and the queue fills up meanwhile. When the log is
free again (`_landed`, `_next`), exclusive work that waited for its turn goes first, then the next round, then
whoever waits for silence (`drain`).

**The end.** A closed queue refuses every submission with the error that closed it (`closed_by`; CommitUnknown as
NoLongerCommitting, for what was never sent did not happen). It does not open again.

What a round does is its subclass's: `txn.committer`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from storage.abc import Timestamp
from txn.abc import CommitUnknown, Group, Member, NoLongerCommitting, QueueFull, TxnError

T = TypeVar("T")

QUEUE_MAX = 20_000


class _Mark:
    """A member that writes nothing: its answer comes behind those of all who were submitted before."""

    def __init__(self, reached: asyncio.Future[None]) -> None:
        self.reached = reached

    def admit(self, group: Group) -> None:
        pass

    def committed(self, ts: Timestamp) -> None:
        self._over()

    def failed(self, error: Exception) -> None:
        self._over()  # what became of the group is for its writers to hear

    def _over(self) -> None:
        if not self.reached.done():
            self.reached.set_result(None)


class CommitQueue:
    """See the module. All methods are called on the event loop's thread."""

    settles_in_order = True
    """Whether what commits after a group in flight is admitted when that one is durable, so that a snapshot may have it already."""

    def __init__(self, *, queue_max: int = QUEUE_MAX) -> None:
        self.queue_max = queue_max
        self.loop = asyncio.get_running_loop()
        self._queue: list[Member] = []
        self._scheduled = False
        self._busy = False  # an append is under way outside the loop's turn, or work has the log for itself
        self._turns: list[asyncio.Future[None]] = []
        self._work: set[asyncio.Task[None]] = set()
        self._drained: list[asyncio.Future[None]] = []
        self._settling: list[asyncio.Future[None]] = []
        self.in_flight_ts: Timestamp = 0
        """The group that is admitted and being made durable outside the loop's turn; 0: none."""
        self.closed_by: TxnError | None = None
        self.on_closed: list[Callable[[TxnError], None]] = []

    def _round(self) -> None:
        """Takes waiting members and sees to them; called when the log is free."""
        raise NotImplementedError

    def _put_off(self) -> bool:
        """Whether the round is to have a turn more to gather members. Must be false at last."""
        return False

    def _broke_down(self, fault: Exception) -> None:
        """An error of ours in a round or its task: whoever waits for an answer gets one, and this queue is closed."""
        raise NotImplementedError

    # --- submitting and waiting ----------------------------------------------------------------

    def submit(self, member: Member) -> None:
        """Queues a member for the round at the end of this turn of the loop.

        Raises QueueFull, or `refusal` (Fenced, NoLongerCommitting): nothing was queued then.
        """
        queue = self._queue
        if self.closed_by is not None:
            raise self.refusal
        if len(queue) >= self.queue_max:
            raise QueueFull(f"more than {self.queue_max} transactions wait to commit")
        queue.append(member)
        if not self._scheduled and not self._busy:
            self._scheduled = True
            self.loop.call_soon(self._turn)

    def _turn(self) -> None:
        """The end of a turn in which members wait and the log is free: their round begins, or is put off to the next turn."""
        if self._put_off():
            self.loop.call_soon(self._turn)
        else:
            self._round()

    @property
    def queued(self) -> int:
        return len(self._queue)

    @property
    def idle(self) -> bool:
        return not self._queue and not self._busy and not self._scheduled

    async def drain(self) -> None:
        """Returns when everything submitted before has been answered."""
        while not self.idle:
            future = self.loop.create_future()
            self._drained.append(future)
            await future

    async def settled(self) -> None:
        """Returns when what is in flight is durable, or taken back."""
        if self.in_flight_ts:
            await self.landing()

    async def caught_up(self) -> None:
        """Returns when what was submitted before is over: durable, refused or taken back. More than `settled`, which knows of nothing
        that still waits for its round: who has just locked a table is to see what was on its way there. Raises QueueFull, `refusal`."""
        if self._queue:
            mark = _Mark(self.loop.create_future())
            self.submit(mark)
            await mark.reached
        await self.settled()

    def landing(self) -> asyncio.Future[None]:
        """Something is in flight: done when that is durable, or taken back."""
        future: asyncio.Future[None] = self.loop.create_future()
        self._settling.append(future)
        return future

    async def exclusively(self, work: Callable[[], Awaitable[T]]) -> T:
        """Runs `work` while no append is under way and none begins (rollups, catching up)."""
        while self._busy:
            turn = self.loop.create_future()
            self._turns.append(turn)
            await turn
        if self.closed_by is not None:
            raise self.refusal
        self._busy = True
        try:
            return await work()
        finally:
            self._busy = False
            self._next()

    # --- the log goes from hand to hand --------------------------------------------------------

    def _background(self, work: Callable[[], Awaitable[None]]) -> None:
        """The log is this work's until it ends."""
        self._busy = True

        async def run() -> None:
            try:
                await work()
            except TxnError as error:
                self._close(error)
            except Exception as error:  # noqa: BLE001 - an error of ours: never go on as if nothing was
                self._broke_down(error)
            finally:
                self._landed()

        task = self.loop.create_task(run())
        self._work.add(task)
        task.add_done_callback(self._work.discard)

    def _landed(self) -> None:
        """Nothing is under way any more: whoever waited for it goes on."""
        self._busy = False
        self.in_flight_ts = 0
        settling, self._settling = self._settling, []
        for future in settling:
            if not future.done():
                future.set_result(None)
        self._next()

    def _next(self) -> None:
        """After a round: waiting work first, then the next group, then whoever waits for silence."""
        if self._busy:
            return
        while self._turns:
            turn = self._turns.pop(0)
            if not turn.done():
                turn.set_result(None)
                return
        if self._queue:
            if not self._scheduled and self.closed_by is None:
                self._scheduled = True
                self.loop.call_soon(self._turn)
        elif self._drained:
            drained, self._drained = self._drained, []
            for future in drained:
                if not future.done():
                    future.set_result(None)

    # --- answers that are not an acknowledgement -----------------------------------------------

    def _fail(self, member: Member, error: Exception) -> None:
        try:
            member.failed(error)
        except Exception as secondary:  # noqa: BLE001 - must not keep the others from their answer
            self._report(member, secondary)

    def _report(self, member: Member, error: Exception) -> None:
        self._defect(f"answering {member!r} raised", error)

    def _defect(self, what: str, error: Exception) -> None:
        """Tells whoever looks after the loop (the server's log) of a fault of ours."""
        self.loop.call_exception_handler({"message": what, "exception": error})

    # --- the end -------------------------------------------------------------------------------

    @property
    def refusal(self) -> TxnError:
        """What a closed queue answers to whoever had nothing in the append that closed it."""
        closed_by = self.closed_by
        assert closed_by is not None
        if isinstance(closed_by, CommitUnknown):
            refusal = NoLongerCommitting(
                "the server commits nothing more: the outcome of a commit is unknown"
            )
            refusal.__cause__ = closed_by
            return refusal
        return closed_by

    def close(self, error: TxnError) -> None:
        """For good: what waits is refused, and so is everything that comes (shutdown, a lost file lock)."""
        self._close(error)

    def _close(self, error: TxnError) -> None:
        if self.closed_by is not None:
            return
        self.closed_by = error
        waiting, self._queue = self._queue, []
        for member in waiting:
            self._fail(member, self.refusal)
        for turn in self._turns:
            if not turn.done():
                turn.set_result(None)
        self._turns.clear()
        for callback in self.on_closed:
            callback(error)
        self._next()
