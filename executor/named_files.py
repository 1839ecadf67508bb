"""Files of the server's machine that statements name: COPY, lo_import, pg_read_file and their like.

    open("/nowhere")      ENOENT    58P01   could not open file "/nowhere" for reading: No such file or directory
    write to a full disk  ENOSPC    53100   could not write to COPY file: No space left on device

What the operating system says of them is told in PostgreSQL's words and SQLSTATEs (`errcode_for_file_access`). Trouble with files
of the server's own is told by `pgwire.errors`.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping
from io import FileIO
from typing import Final

from executor.abc import ExecutionError

SQLSTATES: Final[Mapping[int, str]] = {
    errno.EPERM: "42501",
    errno.EACCES: "42501",
    errno.EROFS: "42501",
    errno.ENOENT: "58P01",
    errno.EEXIST: "58P02",
    errno.ENOTDIR: "42809",
    errno.EISDIR: "42809",
    errno.ENOTEMPTY: "42809",
    errno.ENOSPC: "53100",
    errno.ENFILE: "53000",
    errno.EMFILE: "53000",
    errno.EIO: "58030",
}
_OTHER: Final = "XX000"


def file_error(doing: str, error: OSError, *, hint: str = "") -> ExecutionError:
    """`doing` is what failed, as PostgreSQL begins its message: `could not open file "x" for reading`."""
    state = SQLSTATES.get(error.errno or 0, _OTHER)
    return ExecutionError(state, f"{doing}: {error.strerror or error}", hint=hint)


def write_whole(file: FileIO, data: bytes) -> None:
    """All of it, to a file that holds nothing back until it is closed: what fails fails here. Raises OSError."""
    rest = memoryview(data)
    while rest:
        written = file.write(rest)
        if written is None:
            raise BlockingIOError(errno.EAGAIN, "its reader is too slow")
        rest = rest[written:]


__all__ = ["SQLSTATES", "file_error", "write_whole"]
