"""Foreign data as it was said: wrappers, servers, user mappings, IMPORT FOREIGN SCHEMA."""

from __future__ import annotations

from planner.records import dataclass
from planner.statements.written import Name


@dataclass(frozen=True, slots=True)
class ForeignOption:
    """One of OPTIONS (...). `action`: "add", "set" or "drop"."""

    action: str
    name: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class WrapperFunction:
    """HANDLER f, VALIDATOR f; no name: NO HANDLER, NO VALIDATOR."""

    what: str
    name: Name | None
    position: int = 0


@dataclass(frozen=True, slots=True)
class CreateWrapper:
    name: str
    functions: tuple[WrapperFunction, ...] = ()
    options: tuple[ForeignOption, ...] = ()


@dataclass(frozen=True, slots=True)
class AlterWrapper:
    """`what`: "options" (functions too), "rename" or "owner" (`to`)."""

    name: str
    what: str
    to: str = ""
    functions: tuple[WrapperFunction, ...] = ()
    options: tuple[ForeignOption, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateServer:
    name: str
    wrapper: str
    type: str | None = None
    version: str | None = None
    options: tuple[ForeignOption, ...] = ()
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterServer:
    """`what`: as of wrappers. `versioned`: VERSION was said, and `version` None is NULL."""

    name: str
    what: str
    to: str = ""
    versioned: bool = False
    version: str | None = None
    options: tuple[ForeignOption, ...] = ()


@dataclass(frozen=True, slots=True)
class UserMappingStatement:
    """CREATE, ALTER, DROP USER MAPPING (`verb`) FOR user ("" is PUBLIC) SERVER server. `exists`: IF [NOT] EXISTS."""

    verb: str
    user: str
    server: str
    options: tuple[ForeignOption, ...] = ()
    exists: bool = False


@dataclass(frozen=True, slots=True)
class ForeignTableOf:
    """SERVER s OPTIONS (...), of CREATE FOREIGN TABLE."""

    server: str
    options: tuple[ForeignOption, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportForeignSchema:
    remote: str
    server: str
    into: str


__all__ = [
    "AlterServer", "AlterWrapper", "CreateServer", "CreateWrapper", "ForeignOption", "ForeignTableOf", "ImportForeignSchema", "UserMappingStatement",
    "WrapperFunction",
]  # fmt: skip
