"""pgcrypto's passwords: what a known checksum is, and what would keep a thread for hours."""

from __future__ import annotations

import pytest

from planner.abc import SqlError
from planner.extensions.passwords import BLOWFISH_ROUNDS_MAX, crypt, gen_salt_rounds

# PostgreSQL 15: SELECT crypt('secret', salt)
KNOWN = [
    ("ab", "abNANd1rDfiNc"),
    ("$1$saltsalt", "$1$saltsalt$9xy1btjgzLYfb7hivXtC//"),
    ("$2a$04$CCCCCCCCCCCCCCCCCCCCC.", "$2a$04$CCCCCCCCCCCCCCCCCCCCC.4K7lyz.nKATbsiu/RcZjqWyDNnj87qG"),
]


@pytest.mark.parametrize(("salt", "checksum"), KNOWN)
def test_a_checksum_is_its_own_salt(salt: str, checksum: str) -> None:
    assert crypt("secret", salt) == checksum
    assert crypt("secret", checksum) == checksum != crypt("Secret", checksum)


def test_a_salt_that_would_take_hours_is_refused() -> None:
    with pytest.raises(SqlError) as caught:
        crypt("x", gen_salt_rounds("bf", BLOWFISH_ROUNDS_MAX + 1))
    assert caught.value.sqlstate == "0A000"
