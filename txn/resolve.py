"""Lost answers: asking until the outcome is known.

An append whose answer was lost has happened or not; sending it again with the same token finds out,
at its own position in the log:

    accepted, or recognised      it has happened, once
    SeqnoMismatch                the position is another's: it has not, and never will
    no answer either             ask again, with backoff, until the limit: CommitUnknown

Any other determinate error speaks of that very try. It is definite only as long as nothing was lost before.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from storage.abc import Determinate, Indeterminate, SeqnoMismatch
from txn.abc import CommitUnknown

T = TypeVar("T")

RESOLVE_LIMIT_S = 30.0
RETRY_FIRST_S = 0.005
RETRY_MAX_S = 1.0


async def resolve(
    attempt: Callable[[], Awaitable[T]],
    lost: Exception | None,
    limit_s: float,
    monotonic_s: Callable[[], float],
    sleep: Callable[[float], Awaitable[None]],
) -> T:
    """Repeats `attempt` until it has a definite outcome; `lost` says that a first try's answer is missing.

    Raises what is definite, and CommitUnknown when `limit_s` have passed.
    """
    deadline = monotonic_s() + limit_s
    delay = RETRY_FIRST_S
    while True:
        if lost is not None:
            if monotonic_s() >= deadline:
                raise CommitUnknown(
                    f"the append's outcome could not be found out in {limit_s:g} s: {lost}"
                ) from lost
            await sleep(delay)
            delay = min(2 * delay, RETRY_MAX_S)
        try:
            return await attempt()
        except SeqnoMismatch:
            raise
        except Indeterminate as error:
            lost = error
        except Determinate as error:
            if lost is None:
                raise
            lost = error
