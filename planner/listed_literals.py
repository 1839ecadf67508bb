"""Lists of literals, however long they are, as one value: what programs write into IN has another length each time.

    a = $i AND id IN ($i, $i, $i)      values 7, 4, 17, 99      as `planner.normalise` has it
    a = $i AND id IN ($I)              values 7, {4,17,99}      `id = ANY (array)`: one plan for lists of all lengths

Lists of one kind are folded, of integers or of strings. Whether what they are compared with has such arrays is the binder's to say
(`planner.binding.long_lists.parameter`); where it has none, each length has a plan of its own.
"""

from __future__ import annotations

import re
from typing import Final

from planner.listed_parameters import array_of
from planner.normalise import INT4, INT8, UNKNOWN, Normalised

LISTS: Final = {INT4: "I", INT8: "L", UNKNOWN: "S"}
"""The kinds of lists, by the kind of their literals."""

_PLACES: Final = re.compile(
    r"""("[^"]*"|'[^']*')|\bin\s*\(\s*\$([ils])(?:\s*,\s*\$\2(?!\w))+\s*\)|\$[ilns](?!\w)""", re.IGNORECASE
)
_MANY: Final = re.compile(r"\bin\s*\(\s*\$([ils])\s*,", re.IGNORECASE)


def folded(normal: Normalised) -> Normalised | None:
    """The same with its lists as one value each; None if it has none."""
    key, kinds, values = normal
    if _MANY.search(key) is None:
        return None
    pieces: list[str] = []
    shorter: list[str] = []
    made: list[str] = []
    taken = at = 0
    for m in _PLACES.finditer(key):
        kind = m[2]
        if m[1] is not None:
            continue
        if kind is None:
            made.append(values[taken])
            shorter.append(kinds[taken])
            taken += 1
            continue
        count = m[0].count("$")
        made.append(_array(kind, values[taken : taken + count]))
        shorter.append(LISTS[kind])
        taken += count
        pieces += key[at : m.start()], "IN ($", LISTS[kind], ")"
        at = m.end()
    if not at:
        return None
    return "".join((*pieces, key[at:])), "".join(shorter), made


def _array(kind: str, values: list[str]) -> str:
    """The array's text, which is its datum where its elements are integers or texts."""
    if kind == UNKNOWN:
        return array_of(values)
    return "{" + ",".join([str(int(v)) for v in values]) + "}"


__all__ = ["LISTS", "folded"]
