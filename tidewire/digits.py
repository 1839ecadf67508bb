"""Numbers of as many digits as PostgreSQL reads: 131,072 before the point and 16,383 behind it.

Python refuses texts of more than 4,300 digits, because its time for them grows with the square of their number. For the longest here that is
half a second; what is longer is no number of any type.
"""

from __future__ import annotations

import sys
from typing import Final

DIGITS_MAX: Final = 131_072 + 16_383


def read_long_numbers() -> None:
    """For the process of a server, before it works."""
    sys.set_int_max_str_digits(DIGITS_MAX)
