"""pgcrypto's crypt and gen_salt, by the C library's own `crypt`: what PostgreSQL and `/etc/shadow` mean by a password.

    crypt('secret', gen_salt('bf', 8))      $2a$08$...

`libcrypt` is asked without the interpreter's lock, for a Blowfish takes tens of milliseconds by intention. Where there is no
such library, or it does not know an algorithm, that one is refused (0A000).
"""

from __future__ import annotations

import ctypes
import ctypes.util
import secrets
from functools import lru_cache
from typing import Any, Final

from planner.abc import SqlError

_LETTERS: Final = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_BCRYPT: Final = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
_DEFAULTS: Final = {"des": 25, "xdes": 725, "md5": 1000, "bf": 6}
_RANGES: Final = {"des": (25, 25), "xdes": (1, 0xFFFFFF), "md5": (1000, 1000), "bf": (4, 31)}
BLOWFISH_ROUNDS_MAX: Final = 18
"""As powers of two; each more doubles the time (18: some twenty seconds), and nothing can interrupt the library."""
_DATA_BYTES: Final = 1 << 17  # more than any library's `struct crypt_data`


@lru_cache(maxsize=1)
def _library() -> Any:
    name = ctypes.util.find_library("crypt")
    if name is None:
        return None
    found = ctypes.CDLL(name)
    found.crypt_r.restype = ctypes.c_char_p
    found.crypt_r.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p)
    return found


def crypt(password: str, salt: str) -> str:
    """The password's checksum under a salt, or under the checksum to compare with. Raises 22023, 0A000."""
    algorithm = _algorithm(salt)
    if algorithm is None:
        raise SqlError("22023", "invalid salt")
    library = _library()
    if library is None:
        raise SqlError("0A000", f"crypt() with {algorithm} is not supported: this machine has no libcrypt")
    if algorithm == "bf" and salt[4:6].isdigit() and int(salt[4:6]) > BLOWFISH_ROUNDS_MAX:
        raise SqlError(
            "0A000", f"crypt() with bf and more than {BLOWFISH_ROUNDS_MAX} rounds is not supported"
        )
    made = library.crypt_r(password.encode(), salt.encode(), ctypes.create_string_buffer(_DATA_BYTES))
    if made is None or made.startswith(b"*"):
        raise SqlError("22023", "invalid salt")
    text: str = made.decode("ascii")
    return text


def _algorithm(salt: str) -> str | None:
    if salt.startswith(("$2a$", "$2x$")):
        return "bf"
    if salt.startswith("$1$"):
        return "md5"
    if salt.startswith("$"):
        return None
    return "xdes" if salt.startswith("_") else "des"


def gen_salt(algorithm: str) -> str:
    return gen_salt_rounds(algorithm, 0)


def gen_salt_rounds(algorithm: str, rounds: int) -> str:
    """A new salt; 0 rounds: as many as usual. Raises 22023."""
    name = algorithm.lower()
    if name not in _DEFAULTS:
        raise SqlError("22023", "gen_salt: Unknown salt algorithm")
    lowest, highest = _RANGES[name]
    count = rounds or _DEFAULTS[name]
    if not lowest <= count <= highest or (name == "xdes" and count % 2 == 0):
        raise SqlError("22023", "gen_salt: Incorrect number of rounds")
    if name == "bf":
        return f"$2a${count:02d}${_bcrypt_salt()}"
    if name == "md5":
        return "$1$" + _letters(8)
    if name == "xdes":
        return "_" + "".join(_LETTERS[count >> shift & 63] for shift in (0, 6, 12, 18)) + _letters(4)
    return _letters(2)


def _letters(count: int) -> str:
    return "".join(secrets.choice(_LETTERS) for _ in range(count))


def _bcrypt_salt() -> str:
    """128 bits in 22 letters: the last one holds two of them, and zeros."""
    bits = secrets.randbits(128) << 4
    return "".join(_BCRYPT[bits >> shift & 63] for shift in range(126, -1, -6))
