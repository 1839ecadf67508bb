"""What is a letter, and its lower case, as the C library has it in a UTF-8 locale: one character to one character."""

from __future__ import annotations


def is_word(c: str) -> bool:
    """A letter or a digit."""
    return c.isalnum()


def lower(text: str) -> str:
    """In lower case; what would become several characters stays."""
    whole = text.lower()
    if text.isascii():
        return whole
    return "".join(m if len(m := c.lower()) == 1 else c for c in text)
