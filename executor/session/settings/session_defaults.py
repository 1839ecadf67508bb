"""Settings that sessions begin with (ALTER ROLE ... SET, ALTER DATABASE ... SET): checked when said, taken at the start.

    what the client asks for at its start
    ALTER ROLE r IN DATABASE d SET ...
    ALTER ROLE r SET ...
    ALTER DATABASE d SET ...
    ALTER ROLE ALL SET ...                  whoever stands above decides

They are what RESET goes back to. Sessions that have begun stay as they are.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

from executor.abc import ExecutionError
from executor.session import text_search
from executor.session.permissions import require_setting
from executor.session.settings.guc_table import GUCS
from executor.session.settings.session_settings import join_list
from executor.session.settings.setting_values import unknown_setting
from planner import statements as st
from planner.catalog import Catalog
from planner.catalog.names import QUOTED_LISTS

if TYPE_CHECKING:
    from executor.session.session import Session

_NOT_OF_FUNCTIONS = (
    "role", "session_authorization", "client_encoding", "tidewire.as_of", "transaction_isolation", "transaction_read_only",
    "transaction_deferrable", "tidewire.isolation",
)  # fmt: skip
"""They belong to the session, to its client, or to the transaction."""
_LISTS = (
    *QUOTED_LISTS,
    "datestyle",
    "listen_addresses",
    "log_destination",
    "synchronous_standby_names",
    "wal_consistency_checking",
)


def one_value(name: str, values: Sequence[str]) -> str:
    """The values of SET as one text. Raises 22023 for several where there is one."""
    if len(values) > 1 and name.lower() not in _LISTS:
        raise ExecutionError("22023", f"SET {name} takes only one argument")
    return join_list(values) if name.lower() in QUOTED_LISTS else ", ".join(values)


def checked(session: Session, said: st.AlterSettings) -> st.AlterSettings:
    """The statement with its value in one text. Raises 42704, 22023, 55P02."""
    known = GUCS.get(said.name.lower())
    name = known.name if known is not None else said.name
    if said.from_current:
        return dataclasses.replace(said, name=name, values=(session.settings.show(name),), from_current=False)
    if said.values is None:
        return dataclasses.replace(said, name=name)
    value = one_value(name, said.values)
    require_setting(session, name.lower())
    session.settings.check(name, value)
    if name == text_search.SETTING:
        text_search.foretold(session, value)
    return dataclasses.replace(said, name=name, values=(value,))


def checked_for_function(
    session: Session, said: st.CreateFunction | st.AlterFunction
) -> st.CreateFunction | st.AlterFunction:
    """CREATE or ALTER FUNCTION with what it says of settings checked. Raises 42704, 22023, 55P02, 0A000."""
    found = [checked(session, s) for s in said.options["set"]]
    for s in found:
        if s.values is None and s.name and s.name.lower() not in GUCS and "." not in s.name:
            raise unknown_setting(s.name)
        if s.name.lower() in _NOT_OF_FUNCTIONS:
            raise ExecutionError("0A000", f"SET {s.name} of a function is not supported")
        made = isinstance(said, st.CreateFunction) and session.settings.raw("check_function_bodies") == "on"
        if made and s.name == text_search.SETTING and s.values is not None:
            text_search.in_full(session, s.values[0])
    return dataclasses.replace(said, options={**said.options, "set": found})


def beginning(catalog: Catalog, user: str, database: str, options: dict[str, str]) -> dict[str, str]:
    """The settings of a session's start: the client's, above those that the catalog has for it."""
    said = catalog.session_defaults(user, database)
    if not said:
        return options
    return {**dict(s.split("=", 1) for s in said), **options}


__all__ = ["beginning", "checked", "checked_for_function", "one_value"]
