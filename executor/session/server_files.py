"""Functions that read the files of the server's machine, and what large objects need of them; all of it runs in threads.

    pg_read_file('conf/x')     a path that says nothing else is one of the data directory, where PostgreSQL's processes work
    pg_read_file('/etc/x')     anywhere else: superusers, and members of pg_read_server_files
    pg_ls_waldir()             the log: `consensus.*` in the data directory; no rows where it is kept elsewhere

Who may call them at all, GRANT says (`planner.catalog.server_functions`).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from executor.abc import ExecutionError
from executor.named_files import file_error, write_whole
from planner.catalog import Function, predefined, rights
from planner.catalog.system import built_ins
from planner.types.encodings import decoded, encoding_named
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session

Row = tuple[Datum, ...]
VALUE_MAX_BYTES: Final = (1 << 30) - 1
"""What PostgreSQL holds in one value."""
PIECE_BYTES: Final = 1 << 20
_LOG: Final = "consensus."
_LOCK: Final = ".lock"


async def call(session: Session, f: Function, arguments: Sequence[Datum]) -> list[Row]:
    """The rows of a call. Raises 42501, 58P01, 42809, 22023, 22021, 42704, 54000."""
    require(session, f)
    if f.name == "pg_reload_conf":
        return [(_reload(session),)]
    if f.name == "pg_ls_replslotdir":
        session.executor.slots.find(*arguments)
        return []  # a slot keeps no files: what it has not heard of is in the log
    anywhere = rights.has_role(session.catalog, session.user, predefined.READ_SERVER_FILES)
    return await asyncio.to_thread(_BY_NAME[f.name], _Reader(_home(session), anywhere), *arguments)


def require(session: Session, f: Function) -> None:
    """Raises 42501 for who may not execute one of PostgreSQL's own functions."""
    found = built_ins.of_function(f.oid)
    assert found is not None
    rights.require(session.catalog, session.user, found, "execute")


def _reload(session: Session) -> bool:
    reload = session.executor.reload
    if reload is None:
        session.notice("WARNING", "01000", "there is no server whose files could be read anew")
        return False
    reload()
    return True


# --- where a path is --------------------------------------------------------------------------------------------


def _home(session: Session) -> Path:
    """The data directory; of a server that has none, where its process works."""
    return Path(session.executor.configured.get("data_directory") or Path.cwd())


@dataclass(frozen=True, slots=True)
class _Reader:
    """Who reads: from where, and whether anything else."""

    home: Path
    anywhere: bool

    def meant(self, path: str) -> Path:
        """Where a path is that the user may read. Raises 42501."""
        if not self.anywhere:
            if os.path.isabs(path):
                if not Path(os.path.normpath(path)).is_relative_to(self.home):
                    raise ExecutionError("42501", "absolute path not allowed")
            elif ".." in Path(path).parts:
                raise ExecutionError("42501", "path must be in or below the current directory")
        return self.home / path


# --- reading ----------------------------------------------------------------------------------------------------


def _bytes_of(
    reader: _Reader, path: str, offset: int = 0, count: int | None = None, missing_ok: bool | None = False
) -> bytes | None:
    if count is not None and count < 0:
        raise ExecutionError("22023", "requested length cannot be negative")
    if count is not None and count > VALUE_MAX_BYTES:
        raise ExecutionError("22023", "requested length too large")
    meant = reader.meant(path)
    try:
        file = _opened(meant)
    except FileNotFoundError as error:
        if missing_ok:
            return None
        raise file_error(f'could not open file "{path}" for reading', error) from None
    except IsADirectoryError as error:
        raise file_error(f'could not read file "{path}"', error) from None
    except OSError as error:
        raise file_error(f'could not open file "{path}" for reading', error) from None
    with file:
        try:
            file.seek(offset, os.SEEK_SET if offset >= 0 else os.SEEK_END)
        except OSError as error:
            raise file_error(f'could not seek in file "{path}"', error) from None
        try:
            data = file.read(VALUE_MAX_BYTES + 1 if count is None else count)
        except OSError as error:
            raise file_error(f'could not read file "{path}"', error) from None
    if len(data) > VALUE_MAX_BYTES:
        raise ExecutionError("54000", "file length too large")
    return data


def _opened(path: Path) -> BinaryIO:
    """A file that has an end: what could keep a reader waiting for ever is none here. Raises 42809, OSError."""
    if path.exists() and not path.is_dir() and not path.is_file():
        raise ExecutionError("42809", f'"{path}" is not a regular file')
    return open(path, "rb")


def _emptied(path: Path) -> FileIO:
    """A file to write, of which nothing is held back until it is closed. A pipe that nobody reads is refused, not waited for. Raises OSError."""
    return open(
        path, "wb", buffering=0, opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK, 0o644)
    )


def _text_of(reader: _Reader, path: str, *where: Any) -> str | None:
    data = _bytes_of(reader, path, *where)
    utf8 = encoding_named("UTF8")
    assert utf8 is not None
    return None if data is None else decoded(data, utf8)


def _text(reader: _Reader, path: str, *where: Any) -> list[Row]:
    return [(_text_of(reader, path, *where),)]


def _binary(reader: _Reader, path: str, *where: Any) -> list[Row]:
    return [(_bytes_of(reader, path, *where),)]


# --- what there is ----------------------------------------------------------------------------------------------


def _stat(reader: _Reader, path: str, missing_ok: bool = False) -> list[Row]:
    meant = reader.meant(path)
    try:
        found = meant.stat()
    except FileNotFoundError as error:
        if missing_ok:
            return [(None,) * 6]
        raise file_error(f'could not stat file "{path}"', error) from None
    except OSError as error:
        raise file_error(f'could not stat file "{path}"', error) from None
    times = (_moment_us(found.st_atime), _moment_us(found.st_mtime), _moment_us(found.st_ctime))
    return [(found.st_size, *times, None, meant.is_dir())]


def _moment_us(since_1970_s: float) -> int:
    """In whole seconds, as PostgreSQL tells it."""
    return int(since_1970_s) * 1_000_000


def _names(
    reader: _Reader, path: str, missing_ok: bool | None = False, with_dots: bool | None = False
) -> list[Row]:
    meant = reader.meant(path)
    try:
        found = os.listdir(meant)
    except FileNotFoundError as error:
        if missing_ok:
            return []
        raise file_error(f'could not open directory "{path}"', error) from None
    except OSError as error:
        raise file_error(f'could not open directory "{path}"', error) from None
    return [(name,) for name in ([".", ".."] if with_dots else []) + sorted(found)]


def _files(folder: Path, shown: str, wanted: Callable[[str], bool] = lambda name: True) -> list[Row]:
    """(name, size, modification) of a folder's files but the hidden ones."""
    rows: list[Row] = []
    try:
        with os.scandir(folder) as entries:
            for entry in sorted(entries, key=lambda e: e.name):
                if entry.name.startswith(".") or not wanted(entry.name) or not entry.is_file():
                    continue
                try:
                    stat = entry.stat()
                except FileNotFoundError:  # gone since it was listed
                    continue
                rows.append((entry.name, stat.st_size, _moment_us(stat.st_mtime)))
    except OSError as error:
        raise file_error(f'could not open directory "{shown}"', error) from None
    return rows


def _log(reader: _Reader) -> list[Row]:
    home = reader.home
    return _files(home, str(home), lambda name: name.startswith(_LOG) and not name.endswith(_LOCK))


def _messages(reader: _Reader) -> list[Row]:
    """Of a server that logs to its standard error there are none; PostgreSQL looks for the folder then, too."""
    return _files(reader.home / "log", "log")


def _temporary(reader: _Reader, tablespace: int | None = None) -> list[Row]:
    if tablespace is not None and tablespace not in built_ins.TABLESPACES:
        raise ExecutionError("42704", f"tablespace with OID {tablespace} does not exist")
    folder = reader.home / "scratch"
    return _files(folder, str(folder)) if folder.is_dir() else []


def _none(reader: _Reader) -> list[Row]:
    return []


_BY_NAME: Final[Mapping[str, Callable[..., list[Row]]]] = {
    "pg_read_file": _text,
    "pg_read_file_old": _text,
    "pg_read_binary_file": _binary,
    "pg_stat_file": _stat,
    "pg_ls_dir": _names,
    "pg_ls_waldir": _log,
    "pg_ls_logdir": _messages,
    "pg_ls_tmpdir": _temporary,
    "pg_ls_archive_statusdir": _none,
    "pg_ls_logicalmapdir": _none,
    "pg_ls_logicalsnapdir": _none,
}


# --- large objects ----------------------------------------------------------------------------------------------


async def pieces(session: Session, path: str) -> AsyncIterator[bytes]:
    """A file's bytes. Raises 58P01, 42501, 42809, 58030."""
    try:
        file = await asyncio.to_thread(_opened, _home(session) / path)
    except OSError as error:
        raise file_error(f'could not open server file "{path}"', error) from None
    try:
        while data := await asyncio.to_thread(file.read, PIECE_BYTES):
            yield data
    except OSError as error:
        raise file_error(f'could not read server file "{path}"', error) from None
    finally:
        file.close()


async def created(session: Session, path: str) -> FileIO:
    """A new file, or an old one that is empty now. Raises 58P01, 42501, 42809."""
    try:
        return await asyncio.to_thread(_emptied, _home(session) / path)
    except OSError as error:
        raise file_error(f'could not create server file "{path}"', error) from None


async def write(file: FileIO, path: str, data: bytes) -> None:
    """To a file of `created`. Raises 53100 and its like."""
    try:
        await asyncio.to_thread(write_whole, file, data)
    except OSError as error:
        raise file_error(f'could not write server file "{path}"', error) from None


__all__ = ["PIECE_BYTES", "call", "created", "pieces", "require", "write"]
