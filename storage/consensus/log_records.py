"""The bytes of a log file: a header, then records of all shards as they were written, then zeros.

    [header 32 | record | record | record | zeros, written ahead ......]
     "TWLF" version salt crc
                record = crc32 | kind | lengths | seqno | offset | shard | token | data | padding to 8

The file is lengthened by zeros before they are needed, so an append changes neither its length nor where it lies on the disk:
making it durable is one write of the disk, without the file system's journal.

**Where the log ends.** Records are made durable one after the other, so a crash can leave at most the last one torn. Whoever opens
the file finds its end by reading: zeros are the end, and so is a record that does not add up, *if nothing that follows is a
record*. If something is, what does not add up was acknowledged once, and the file is corrupt. What a torn record has left is
cut off before anything is written behind it.

**What is a record.** The checksum begins with the file's random salt and covers the record's own offset, so neither data that
look like a record nor a record of another file or place are taken for one.
"""

from __future__ import annotations

import zlib
from enum import IntEnum
from struct import Struct

FORMAT_VERSION = 1
"""A file with a greater one belongs to a newer Tidewire."""
MAGIC = b"TWLF"
SALT_BYTES = 16
_HEADER = Struct("<4sI16sI")
HEADER_BYTES = 32

APPEND, TRUNCATE, DELETE, CLOSED = 1, 2, 3, 4
_KINDS = (APPEND, TRUNCATE, DELETE, CLOSED)

_ALIGN = 8
_CRC_BYTES = 4
_HEAD = Struct("<BxHHxxIQQ")
"""Kind; lengths of name, token and data; seqno; offset in the file. The checksum stands before it."""
HEAD_BYTES = _CRC_BYTES + _HEAD.size
NAME_MAX_BYTES = 0xFFFF
DATA_MAX_BYTES = 0xFFFFFFFF
NOTHING = bytes(HEAD_BYTES)
"""What stands where the next record will be."""

Record = tuple[int, str, int, int, int]
"""(kind, shard, seqno, offset, size in the file with padding)"""


class NotALog(Exception):
    """The header is not that of a log file, or is damaged."""


class End(IntEnum):
    """Why reading ended."""

    ZEROS = 0
    """There is nothing more."""
    CUT = 1
    """A record goes on behind the bytes that were given."""
    GARBAGE = 2
    """Bytes that are no record."""


def header(salt: bytes) -> bytes:
    start = _HEADER.pack(MAGIC, FORMAT_VERSION, salt, 0)[:-_CRC_BYTES]
    return (start + zlib.crc32(start).to_bytes(_CRC_BYTES, "little")).ljust(HEADER_BYTES, b"\0")


def read_header(data: bytes) -> tuple[int, int]:
    """(format version, the seed of this file's checksums). Raises NotALog."""
    if len(data) < HEADER_BYTES:
        raise NotALog("it is too short")
    magic, version, salt, crc = _HEADER.unpack_from(data)
    if magic != MAGIC:
        raise NotALog("it is another kind of file")
    if crc != zlib.crc32(data[: _HEADER.size - _CRC_BYTES]):
        raise NotALog("its header is damaged")
    return version, zlib.crc32(salt)


def encode(seed: int, kind: int, shard: str, seqno: int, token: bytes, data: bytes, offset: int) -> bytes:
    """The bytes of one record at `offset`."""
    name = shard.encode()
    body = _HEAD.pack(kind, len(name), len(token), len(data), seqno, offset) + name + token + data
    padding = -(_CRC_BYTES + len(body)) % _ALIGN
    return zlib.crc32(body, seed).to_bytes(_CRC_BYTES, "little") + body + bytes(padding)


def is_end(head: bytes) -> bool:
    """Whether these bytes, at a record's place, say that there is none (yet)."""
    return head == NOTHING or not any(head)


def read(view: memoryview, base: int, seed: int, file_bytes: int) -> tuple[list[Record], int, End]:
    """The records in `view`, which begins at `base` in a file of `file_bytes`; where they end in it, and why."""
    records: list[Record] = []
    at, limit = 0, len(view)
    while True:
        if limit - at < HEAD_BYTES:
            rest = bytes(view[at:])
            whole = base + limit >= file_bytes
            if is_end(rest) and whole:
                return records, base + at, End.ZEROS
            return records, base + at, End.GARBAGE if whole else End.CUT
        found = _record(view, at, base, seed, file_bytes)
        if isinstance(found, End):
            return records, base + at, found
        records.append(found)
        at += found[4]


def _record(view: memoryview, at: int, base: int, seed: int, file_bytes: int) -> Record | End:
    head = bytes(view[at : at + HEAD_BYTES])
    if head == NOTHING:
        return End.ZEROS
    kind, name_size, token_size, data_size, seqno, offset = _HEAD.unpack_from(head, _CRC_BYTES)
    size = HEAD_BYTES + name_size + token_size + data_size
    if offset != base + at or kind not in _KINDS or offset + size > file_bytes:
        return End.GARBAGE
    padded = size + -size % _ALIGN
    if at + padded > len(view):
        return End.CUT if offset + padded <= file_bytes else End.GARBAGE
    if zlib.crc32(view[at + _CRC_BYTES : at + size], seed) != int.from_bytes(head[:_CRC_BYTES], "little"):
        return End.GARBAGE
    name = bytes(view[at + HEAD_BYTES : at + HEAD_BYTES + name_size])
    return kind, name.decode(), seqno, offset, padded


def goes_on(rest: bytes, base: int, seed: int, file_bytes: int) -> bool:
    """Whether there is a record anywhere in `rest`, which begins with bytes that are none: then these were one."""
    view = memoryview(rest)
    # The offset in a record is that of its own place: one comparison for each place where one might begin.
    for at in range(_ALIGN, min(len(rest.rstrip(b"\0")), len(rest) - HEAD_BYTES), _ALIGN):
        if not isinstance(_record(view, at, base, seed, file_bytes), End):
            return True
    return False


def payload(record: bytes, seed: int) -> tuple[bytes, bytes] | None:
    """(token, data) of the bytes of one record; None if they do not add up."""
    _, name_size, token_size, data_size, _, _ = _HEAD.unpack_from(record, _CRC_BYTES)
    end = HEAD_BYTES + name_size + token_size + data_size
    if end > len(record) or zlib.crc32(memoryview(record)[_CRC_BYTES:end], seed) != int.from_bytes(
        record[:_CRC_BYTES], "little"
    ):
        return None
    start = HEAD_BYTES + name_size
    return record[start : start + token_size], record[start + token_size : end]
