"""The ends of a range of texts that begin alike (`planner.binding.keyed.beginnings`).

'ab%c'   from 'ab' to 'ac'      what stands before the first % or _, and the least text that is greater than all that begin so
'%c'     from '' to NO_END
"""

from __future__ import annotations

from typing import Any, Final

from executor.keyed.registry import scalar
from planner.binding.regexps.plain import beginning

NO_END: Final = object()
"""In place of the end of a range that has none."""
_LAST: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)


def _fixed(pattern: str) -> str:
    out: list[str] = []
    characters = iter(pattern)
    for c in characters:
        if c in "%_":
            break
        if c == "\\":
            c = next(characters, "")
        out.append(c)
    return "".join(out)


def _behind(text: str) -> Any:
    """The least text that is greater than all that begin with this one."""
    while text:
        code = ord(text[-1]) + 1
        if code <= _LAST:
            return text[:-1] + chr(_SURROGATES.stop if code in _SURROGATES else code)
        text = text[:-1]
    return NO_END


@scalar("like from")
def _like_from(pattern: str) -> str:
    return _fixed(pattern)


@scalar("like to")
def _like_to(pattern: str) -> Any:
    return _behind(_fixed(pattern))


scalar("regexp from")(beginning)


@scalar("regexp to")
def _regexp_to(pattern: str) -> Any:
    return _behind(beginning(pattern))


@scalar("begins from")
def _begins_from(text: str) -> str:
    return text


@scalar("begins to")
def _begins_to(text: str) -> Any:
    return _behind(text)


__all__ = ["NO_END"]
