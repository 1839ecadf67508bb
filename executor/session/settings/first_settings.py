"""The settings that a session begins with: the same for all that begin alike, so they are worked out once.

Clients of an application connect with the same user, database and options a thousand times, and each time some sixty settings would
be checked, derived and shown to it. What they begin with shares the types' settings as well, by which encoders are kept.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from executor.session import acting
from executor.session.settings.session_defaults import beginning
from executor.session.settings.session_settings import Settings
from planner.catalog import rights

if TYPE_CHECKING:
    from executor.executor import Executor

KEPT_MAX: Final = 256


class FirstSettings:
    """By user, database and options. On the event loop only."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._kept: dict[tuple[str, str, bool, tuple[tuple[str, str], ...]], Settings] = {}

    def of(self, user: str, database: str, options: dict[str, str]) -> Settings:
        """Settings of a session's own. Raises what options raise that cannot be: 22023, 42704, 42501, ..."""
        executor = self._executor
        catalog = executor.catalogs.of(database)
        options = beginning(catalog, user, database, options)
        for name in acting.NAMES:
            if name in options:
                acting.require(catalog, name, options[name], user, options.get("session_authorization", user))
        superuser = rights.is_superuser(catalog, acting.as_whom(options, user))
        key = (user, database, superuser, tuple(options.items()))
        first = self._kept.get(key)
        if first is None:
            first = Settings(
                user,
                options,
                lambda path: executor.system.names(path, database, lambda: executor.catalogs.of(database)),
                superuser=superuser,
                configured=executor.configured,
            )
            if len(self._kept) >= KEPT_MAX:
                del self._kept[next(iter(self._kept))]
            self._kept[key] = first
        return first.another()

    def forget(self) -> None:
        """The server's own settings have changed."""
        self._kept.clear()


__all__ = ["FirstSettings"]
