"""Row ids where several servers hand them out: each has a range that is so large that it hardly ever asks again.

    2^63 ids    |-- server 1: 2^36 --|-- server 2 --|-- server 1, started again --|-- ...

The range is leased in the entry with which a server joins, and another when half of it is used up. What is left of
it is given up when the process ends: there are enough ranges for a server to be started every second for four years.
"""

from __future__ import annotations

from txn.rids import RidAllocator

RANGE = 1 << 36


class RidRange(RidAllocator):
    """See the module. `renew` is to be asked now and then; running out raises RidsExhausted."""

    __slots__ = ("range_size",)

    def __init__(self, first: int, *, range_size: int = RANGE) -> None:
        super().__init__(first, exclusive=False)
        self.range_size = range_size
        self.new_block(first, first + range_size)

    def due(self) -> int | None:
        """Nothing rides along: a new range is a commit of its own."""
        return None

    def leased(self, mark: int) -> None:
        """The range that a group has asked for comes by `new_block`."""

    @property
    def runs_low(self) -> bool:
        return self._leased - self._next < self.range_size // 2
