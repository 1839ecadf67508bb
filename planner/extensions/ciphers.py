"""pgcrypto: checksums, keyed checksums, random bytes, and encryption with AES without any envelope.

    encrypt(data, key, 'aes')              CBC with PKCS padding from an initial vector of zeros
    encrypt(data, key, 'aes-ecb/pad:none')

Other ciphers (Blowfish, DES) and OpenPGP's messages are refused: 0A000.
"""

from __future__ import annotations

import hashlib
import hmac as keyed
import secrets
from typing import TYPE_CHECKING, Any, Final

from planner.abc import SqlError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers import Cipher

BYTES_MAX: Final = 1024
_BLOCK: Final = 16
_KEY_SIZES: Final = (16, 24, 32)
_NAMES: Final = {"aes": "aes", "rijndael": "aes", "aes-cbc": "aes-cbc", "rijndael-cbc": "aes-cbc", "aes-ecb": "aes-ecb", "rijndael-ecb": "aes-ecb"}  # fmt: skip
_OTHER: Final = frozenset(
    ("bf", "blowfish", "bf-cbc", "bf-ecb", "blowfish-cbc", "blowfish-ecb", "des", "des-cbc", "des-ecb", "3des", "des3", "3des-cbc", "3des-ecb",
     "des3-cbc", "des3-ecb", "cast5", "cast5-cbc", "cast5-ecb", "bf-cfb", "blowfish-cfb")
)  # fmt: skip


def _hash(name: str) -> str:
    lowered = name.lower()
    if lowered.startswith("shake") or lowered not in hashlib.algorithms_available:
        raise SqlError("22023", f'Cannot use "{lowered}": No such hash algorithm')
    return lowered


def digest(data: bytes, algorithm: str) -> bytes:
    return hashlib.new(_hash(algorithm), data, usedforsecurity=False).digest()


def digest_text(text: str, algorithm: str) -> bytes:
    return digest(text.encode(), algorithm)


def hmac(data: bytes, key: bytes, algorithm: str) -> bytes:
    return keyed.new(key, data, _hash(algorithm)).digest()


def hmac_text(text: str, key: str, algorithm: str) -> bytes:
    return hmac(text.encode(), key.encode(), algorithm)


def random_bytes(count: int) -> bytes:
    if not 1 <= count <= BYTES_MAX:
        raise SqlError("39000", "Length not in range")
    return secrets.token_bytes(count)


def _cipher(key: bytes, vector: bytes, algorithm: str) -> tuple[Cipher[Any], bool]:
    """The cipher that a text names, and whether it pads. Raises 22023, 0A000."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes  # a server starts without it

    lowered = algorithm.lower()
    name, *options = lowered.split("/")
    padded = True
    for option in options:
        what, _, value = option.partition(":")
        if what != "pad" or value not in ("pkcs", "none"):
            raise SqlError("22023", f'Cannot use "{lowered}": Unknown option')
        padded = value == "pkcs"
    if name in _OTHER:
        raise SqlError("0A000", f'cipher "{name}" is not supported')
    known = _NAMES.get(name)
    if known is None:
        raise SqlError("22023", f'Cannot use "{lowered}": No such cipher algorithm')
    size = next((s for s in _KEY_SIZES if len(key) <= s), 0)
    if not size:
        raise SqlError("39000", "encrypt error: Key was too big")
    kind = algorithms.AES(key.ljust(size, b"\0"))
    mode = modes.ECB() if known == "aes-ecb" else modes.CBC(vector[:_BLOCK].ljust(_BLOCK, b"\0"))
    return Cipher(kind, mode), padded


def encrypt_iv(data: bytes, key: bytes, vector: bytes, algorithm: str) -> bytes:
    from cryptography.hazmat.primitives.padding import PKCS7

    cipher, padded = _cipher(key, vector, algorithm)
    if padded:
        padder = PKCS7(_BLOCK * 8).padder()
        data = padder.update(data) + padder.finalize()
    elif len(data) % _BLOCK:
        raise SqlError("39000", "encrypt error: Data not a multiple of block size")
    worker = cipher.encryptor()
    return worker.update(data) + worker.finalize()


def decrypt_iv(data: bytes, key: bytes, vector: bytes, algorithm: str) -> bytes:
    from cryptography.hazmat.primitives.padding import PKCS7

    cipher, padded = _cipher(key, vector, algorithm)
    if len(data) % _BLOCK:
        raise SqlError("39000", "decrypt error: Data not a multiple of block size")
    worker = cipher.decryptor()
    out = worker.update(data) + worker.finalize()
    if not padded or not out:
        return out
    remover = PKCS7(_BLOCK * 8).unpadder()
    try:
        return remover.update(out) + remover.finalize()
    except ValueError:
        raise SqlError("39000", "decrypt error: Decryption failed") from None


def encrypt(data: bytes, key: bytes, algorithm: str) -> bytes:
    return encrypt_iv(data, key, b"", algorithm)


def decrypt(data: bytes, key: bytes, algorithm: str) -> bytes:
    return decrypt_iv(data, key, b"", algorithm)
