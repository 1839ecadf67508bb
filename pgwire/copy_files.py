"""COPY from and to files on the server: the same decoders and encoders, with a file where the client would be.

    COPY t FROM '/path'   file --pieces--> FileFeed --take--> receive_copy --write--> executor
    COPY t TO '/path'     Stream --encode--> file

Reading and writing happen in threads, a piece at a time: a slow disk holds up this statement and nobody else.
"""

from __future__ import annotations

import asyncio
import errno
import os
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final

from executor.abc import CopyIn, CopyOut
from executor.named_files import file_error, write_whole
from pgwire.copying import receive_copy, settings_for
from pgwire.encoding import copy_encoder
from pgwire.transcoding import refuse_binary_copy, spoken
from planner.abc import SqlError
from planner.types.encodings import encoded

if TYPE_CHECKING:
    from pgwire.session import Conversation

PIECE_BYTES: Final = 1024 * 1024


class FileFeed:
    """A file as a client that sends it: what `receive_copy` takes from."""

    __slots__ = ("_error", "_file", "size_bytes")

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.size_bytes = os.fstat(file.fileno()).st_size
        self._error: Exception | None = None

    async def take(self) -> bytes:
        """The next piece, b"" at the end. Raises what `fail` was told."""
        if self._error is not None:
            raise self._error
        data: bytes = await asyncio.to_thread(self._file.read, PIECE_BYTES)
        return data

    def fail(self, error: Exception) -> None:
        """The statement is cancelled, or the client is gone."""
        self._error = error

    def close(self) -> None:
        self._file.close()


async def copy_from_file(conversation: Conversation, copy: CopyIn) -> str:
    """COPY FROM 'path'; returns the tag. The client hears of nothing but the end."""
    try:
        feed = FileFeed(await asyncio.to_thread(_opened, copy.path))
    except BaseException:
        copy.abort()
        raise
    conversation.source = feed
    copy.progress.bytes_total = feed.size_bytes
    try:
        return await receive_copy(copy, feed, settings_for(conversation, copy))
    finally:
        conversation.source = None
        feed.close()


async def copy_to_file(conversation: Conversation, copy: CopyOut) -> str:
    """COPY TO 'path'; returns the tag. What is left of a statement that failed is what had been written by then."""
    settings, count = conversation.session.type_settings, 0
    encoder = copy_encoder(copy.stream.columns, copy.options, settings)
    encoding = spoken(settings, copy.options.encoding)

    def bytes_of(data: bytes) -> bytes:
        return data if encoding is None else encoded(data.decode(), encoding)

    try:
        if encoding is not None and copy.options.format == "binary":
            raise refuse_binary_copy()
        with await asyncio.to_thread(_emptied, copy.path) as file:

            def put(data: bytes) -> None:
                try:
                    write_whole(file, bytes_of(data))
                except OSError as error:
                    raise file_error("could not write to COPY file", error) from None

            put(encoder.begin())
            async for batch in copy.stream.batches:
                count += batch.num_rows
                copy.progress.tuples_processed = count
                for piece in encoder.encode(batch):
                    await asyncio.to_thread(put, piece)
                    copy.progress.bytes_processed += len(piece)
            put(encoder.end())
    finally:
        copy.stream.close()
    return f"COPY {count}"


def _opened(path: str) -> BinaryIO:
    """A file to read. Raises `file_error`s, 42809."""
    if Path(path).is_dir():
        raise SqlError("42809", f'"{path}" is a directory')
    _refuse_endless(path)
    try:
        return open(path, "rb")
    except OSError as error:
        raise _refused(path, error, "FROM", "read", "reading") from None


def _emptied(path: str) -> FileIO:
    """A file to write. Raises `file_error`s, 42809."""
    _refuse_endless(path)
    try:
        return open(path, "wb", buffering=0)
    except OSError as error:
        raise _refused(path, error, "TO", "write", "writing") from None


def _refuse_endless(path: str) -> None:
    """Raises 42809 for what could keep us waiting for ever."""
    if Path(path).exists() and not Path(path).is_file() and not Path(path).is_dir():
        raise SqlError("42809", f'"{path}" is not a regular file')


def _refused(path: str, error: OSError, way: str, to_do: str, doing: str) -> SqlError:
    hint = (
        f"COPY {way} instructs the PostgreSQL server process to {to_do} a file. "
        "You may want a client-side facility such as psql's \\copy."
    )
    misled = error.errno in (errno.ENOENT, errno.EACCES)  # as by who means a file of the client's machine
    return file_error(f'could not open file "{path}" for {doing}', error, hint=hint if misled else "")


__all__ = ["PIECE_BYTES", "FileFeed", "copy_from_file", "copy_to_file"]
