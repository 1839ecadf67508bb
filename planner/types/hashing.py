"""PostgreSQL's hash functions, which its applications see in `hashtext('name')`: Bob Jenkins' lookup3 on 32-bit words.

    hash_bytes(b"abc")           32 bits, as hash_any() gives them on a little-endian machine
    hash_bytes(b"abc", seed)     64 bits, as hash_any_extended() does; seed 0 has the same low half
    hash_word(5)                 the hash of one 32-bit word, which integers and dates have

    hash_words, hash_rows        the same of columns: arrays of 32-bit words, and of texts of one length

Results are unsigned; `signed` makes int4 and int8 of them. Not for keeping secrets.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

_MASK: Final = 0xFFFFFFFF
_START: Final = 0x9E3779B9 + 3923095
_BLOCK_BYTES: Final = 12

State = tuple[Any, Any, Any]
"""Three words, or three arrays of them (uint32, whose sums wrap by themselves)."""
Words = np.ndarray[Any, np.dtype[np.uint32]]
Hashes = np.ndarray[Any, np.dtype[np.uint64]]


def _rotated(v: Any, by: int) -> Any:
    return (v << by | v >> (32 - by)) & _MASK


def _mixed(a: Any, b: Any, c: Any) -> State:
    a = (a - c & _MASK) ^ _rotated(c, 4)
    c = c + b & _MASK
    b = (b - a & _MASK) ^ _rotated(a, 6)
    a = a + c & _MASK
    c = (c - b & _MASK) ^ _rotated(b, 8)
    b = b + a & _MASK
    a = (a - c & _MASK) ^ _rotated(c, 16)
    c = c + b & _MASK
    b = (b - a & _MASK) ^ _rotated(a, 19)
    a = a + c & _MASK
    c = (c - b & _MASK) ^ _rotated(b, 4)
    b = b + a & _MASK
    return a, b, c


def _finished(a: Any, b: Any, c: Any) -> tuple[Any, Any]:
    """The last round: (b, c), of which c is the hash."""
    c = (c ^ b) - _rotated(b, 14) & _MASK
    a = (a ^ c) - _rotated(c, 11) & _MASK
    b = (b ^ a) - _rotated(a, 25) & _MASK
    c = (c ^ b) - _rotated(b, 16) & _MASK
    a = (a ^ c) - _rotated(c, 4) & _MASK
    b = (b ^ a) - _rotated(a, 14) & _MASK
    c = (c ^ b) - _rotated(b, 24) & _MASK
    return b, c


def _begun(size: int, seed: int | None) -> State:
    start = _START + size & _MASK
    if not seed:
        return start, start, start
    seed &= (1 << 64) - 1
    return _mixed(start + (seed >> 32) & _MASK, start + (seed & _MASK) & _MASK, start)


def _answer(last: tuple[int, int], seed: int | None) -> int:
    b, c = last
    return c if seed is None else b << 32 | c


def hash_bytes(data: bytes, seed: int | None = None) -> int:
    """32 bits without a seed, 64 with one."""
    a, b, c = _begun(len(data), seed)
    whole = len(data) - len(data) % _BLOCK_BYTES
    for at in range(0, whole, _BLOCK_BYTES):
        a, b, c = _mixed(
            a + int.from_bytes(data[at : at + 4], "little") & _MASK,
            b + int.from_bytes(data[at + 4 : at + 8], "little") & _MASK,
            c + int.from_bytes(data[at + 8 : at + 12], "little") & _MASK,
        )
    rest = data[whole:]
    a = a + int.from_bytes(rest[:4], "little") & _MASK
    b = b + int.from_bytes(rest[4:8], "little") & _MASK
    c = c + (int.from_bytes(rest[8:], "little") << 8) & _MASK  # its lowest byte is the length's
    return _answer(_finished(a, b, c), seed)


def hash_word(word: int, seed: int | None = None) -> int:
    """The hash of an integer of 32 bits, signed or not."""
    a, b, c = _begun(4, seed)
    return _answer(_finished(a + word & _MASK, b, c), seed)


def hash_long(value: int, seed: int | None = None) -> int:
    """The hash of an integer of 64 bits: that of 32 where it fits in them."""
    high = value >> 32 & _MASK
    return hash_word(value & _MASK ^ (high if value >= 0 else ~high & _MASK), seed)


def hash_words(words: Words, seed: int) -> Hashes:
    """`hash_word` of each."""
    a, b, c = _begun(4, seed)
    return _both(_finished(a + words, b, c))


def hash_longs(values: np.ndarray[Any, np.dtype[np.int64]], seed: int) -> Hashes:
    """`hash_long` of each."""
    high = (values >> 32).astype(np.uint32)
    return hash_words(values.astype(np.uint32) ^ np.where(values >= 0, high, ~high), seed)


def hash_rows(data: np.ndarray[Any, np.dtype[np.uint8]], seed: int) -> Hashes:
    """`hash_bytes` of each row of a matrix of bytes."""
    count, size = data.shape
    whole = size - size % _BLOCK_BYTES
    padded = np.zeros((count, whole + _BLOCK_BYTES), np.uint8)
    padded[:, :whole] = data[:, :whole]
    rest = size - whole
    padded[:, whole : whole + min(rest, 8)] = data[:, whole : whole + 8]
    padded[:, whole + 9 : whole + 1 + rest] = data[:, whole + 8 :]  # the lowest byte of c is the length's
    words = padded.view("<u4")
    a, b, c = _begun(size, seed)
    for at in range(0, whole // 4, 3):
        a, b, c = _mixed(a + words[:, at], b + words[:, at + 1], c + words[:, at + 2])
    at = whole // 4
    return _both(_finished(a + words[:, at], b + words[:, at + 1], c + words[:, at + 2]))


def _both(last: tuple[Any, Any]) -> Hashes:
    b, c = last
    high, low = np.asarray(b, np.uint64), np.asarray(c, np.uint64)
    return high << np.uint64(32) | low


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value
