"""Notifications that a session has heard, until its client takes them.

    commit   ->   one tuple for all who listen   ->   Heard, of each of them   ->   bytes, as fast as its client reads

LISTEN and UNLISTEN are of their transaction as NOTIFY is: they hold from its commit on, before its own notifications are told.

A client that does not read keeps what it has not taken; the bytes of its messages are not made before it does. When one has too much
NOTIFY is refused, as PostgreSQL refuses it when its queue is full: what has been promised is never dropped.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

HEARD_BYTES_MAX: Final = 256 * 1024 * 1024
"""What one client may leave unread before nobody can notify any more."""
_EACH_BYTES: Final = 200
"""What a notification takes beside its payload."""

Notification = tuple[int, str, str]
"""(pid, channel, payload)"""


@dataclass(frozen=True, slots=True, eq=False)
class Heeding:
    """LISTEN, or UNLISTEN of one channel or of all (None), until its block commits."""

    channel: str | None
    begins: bool

    def take_effect(self, channels: dict[str, None]) -> None:
        if self.channel is None:
            channels.clear()
        elif self.begins:
            channels.setdefault(self.channel)
        else:
            channels.pop(self.channel, None)


Said = tuple[str, str] | Heeding
"""What a block has to say when it commits: a channel and what it is told, or who listens to what."""


def told(said: Iterable[Said]) -> list[tuple[str, str]]:
    """The notifications among it."""
    return [one for one in said if not isinstance(one, Heeding)]


class Heard(deque[Notification]):
    """In the order of commits."""

    __slots__ = ("size_bytes",)

    def __init__(self) -> None:
        super().__init__()
        self.size_bytes = 0

    def hear(self, notifications: Iterable[Notification]) -> None:
        for one in notifications:
            self.append(one)
            self.size_bytes += len(one[2]) + _EACH_BYTES

    def taken(self, count_max: int) -> list[Notification]:
        """The first ones, which are the client's from now on."""
        found = [self.popleft() for _ in range(min(count_max, len(self)))]
        self.size_bytes -= sum(len(payload) + _EACH_BYTES for _, _, payload in found)
        return found


__all__ = ["HEARD_BYTES_MAX", "Heard", "Heeding", "Notification", "Said", "told"]
