"""What the running process says of itself: pg_config, pg_backend_memory_contexts, pg_hba_file_rules.

Of what PostgreSQL's build has recorded there is nothing here but the version: the rest is "not recorded", PostgreSQL's own words for
that. Memory is the interpreter's, one context for the whole process; the rules of access are those that the server goes by.
"""

from __future__ import annotations

import resource
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from executor.session.session import Session

_RECORDED: Final = (
    "BINDIR", "DOCDIR", "HTMLDIR", "INCLUDEDIR", "PKGINCLUDEDIR", "INCLUDEDIR-SERVER", "LIBDIR", "PKGLIBDIR", "LOCALEDIR", "MANDIR",
    "SHAREDIR", "SYSCONFDIR", "PGXS", "CONFIGURE", "CC", "CPPFLAGS", "CFLAGS", "CFLAGS_SL", "LDFLAGS", "LDFLAGS_EX", "LDFLAGS_SL", "LIBS",
)  # fmt: skip


def build_rows(asking: Session) -> list[dict[str, Any]]:
    """pg_config."""
    version = f"PostgreSQL {asking.settings.raw('server_version')}"
    return [{"name": name, "setting": "not recorded"} for name in _RECORDED] + [
        {"name": "VERSION", "setting": version}
    ]


def memory_rows(_asking: Session) -> list[dict[str, Any]]:
    """pg_backend_memory_contexts: the most that the process has held."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    said = {"total_bytes": most, "total_nblocks": 1, "free_bytes": 0, "free_chunks": 0, "used_bytes": most}
    return [{"name": "TopMemoryContext", "level": 0, **said}]


def access_rows(asking: Session) -> list[dict[str, Any]]:
    """pg_hba_file_rules."""
    return asking.executor.access_rules()
