"""Takes the literals out of a statement, so that it finds its plan whatever the constants are.

    UPDATE t SET a = a + 5 WHERE k = 'x'
        key      UPDATE t SET a = a + $i WHERE k = $s
        values   (5, "x")
        text     UPDATE t SET a = a + $1 WHERE k = $2       (made only when it must be planned)

This is the hottest code of the simple protocol: one regular expression finds everything that may be a literal,
the loop looks only at those; where all of them are short integers, and the same stood between them before, nothing is looked at. It folds nothing else: other spelling is another key. It is right by
leaning to caution, in two ways:

* What it does not surely understand stays in the key as it is written (`time '10:00'`, `1.`, `ORDER BY 1`),
  and a key with the literal in it is simply more exact.
* What could hide where strings begin and end (comments, dollar quotes, E'' strings, Unicode escapes, `$1`)
  makes it decline the whole statement (None), which is then planned as it stands.

A literal's kind is what PostgreSQL's lexer would make of it, because types follow from it: int4 or int8 by
size, numeric, or a string of unknown type. A minus sign directly before a number where only a sign can be
belongs to the number, unless a cast follows (`-1::int2` is `-(1::int2)`). A string behind the name of its type
(`interval '5 days'`) is the same as one that is cast to it, and becomes that: `$s::interval`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

INT4: Final = "i"
INT8: Final = "l"
NUMERIC: Final = "n"
UNKNOWN: Final = "s"

LITERALS_MAX: Final = 1_000
"""More literals than this (long VALUES lists) would make keys that never come back."""
TEXT_LENGTH_MAX: Final = 16_384

KNOWN_MAX: Final = 1_000
"""So many texts around short integers are remembered."""

Normalised = tuple[str, str, list[str]]
"""(key, kinds, raw values): one letter of `kinds` for each value; strings without quotes, undoubled."""

_VERBS: Final = frozenset(("select", "insert", "update", "delete"))
# Every alternative begins with a plain character, so that the scan between matches is a set lookup. The classes are letters, digits,
# `_`, `.` and all beyond ASCII, said by what they are not: otherwise `re` makes a table of 65,536 characters for each.
_LITERAL: Final = re.compile(
    r"""( [0-9](?<![^\x00-\-/:-@\[-^`{-\x7f].)[0-9]*(?:\.[0-9]+)?(?![^\x00-\-/:-@\[-^`{-\x7f])
        | '[^'\\]*(?:''[^'\\]*)*'(?![ \t\f]*[\n\r'])
        | "[^"]*"
        | -- | /[*] | ['$"\\;]
        )""",
    re.VERBOSE,
)
_split = _LITERAL.split
_BEFORE_LITERAL: Final = frozenset("(,=<>+-*/%|~!#^@")
_COMPARED: Final = frozenset("=<>")
"""What stands before a number that is no column's, behind BY too."""
_BEFORE_SIGN: Final = frozenset("(,=<>+-*/")
_WORDS_BEFORE: Final = frozenset(
    (
        "and",
        "or",
        "not",
        "between",
        "like",
        "ilike",
        "then",
        "else",
        "when",
        "limit",
        "offset",
        "select",
        "returning",
    )
)
_OF_ROWS: Final = frozenset(("limit", "offset"))
"""What no column's number stands behind."""
_sorts = re.compile(r"\b[bB][yY]\b").search
_SPACE: Final = frozenset(" \t\n\r\f")
_OTHERS: Final = frozenset('"-/$\\;')
_INT4_DIGITS: Final = 9
_INT8_DIGITS: Final = 19
_BEHIND_LAST: Final = frozenset((str(1 << 31), str(1 << 63)))
"""Of another type than with a minus sign."""

_known: dict[tuple[str, ...], tuple[str, str, tuple[int, ...]]] = {}
"""What stands between short integers, all of which are taken -> key, kinds, and which of them have a sign. What is found there depends
on nothing else: which number it is makes no difference."""


def normalise(text: str) -> Normalised | None:
    """The key, kinds and raw values of a statement; None: plan it exactly as it is written."""
    if (text[:6].lower() not in _VERBS and text[:5].lower() != "with ") or len(text) > TEXT_LENGTH_MAX:
        return None
    pieces = _split(text)
    count = len(pieces)
    if count == 1 or count > 2 * LITERALS_MAX:
        return None
    if pieces[-2] == ";" and not pieces[-1].strip():  # which is no part of the statement
        del pieces[-2:]
        count -= 2
        if count == 1:
            return None
    found = pieces[1::2]
    if _short_integers(found):
        between = tuple(pieces[::2])
        known = _known.get(between)
        if known is not None:
            key, kinds, negative = known
            for i in negative:
                found[i] = "-" + found[i]
            return key, kinds, found
        normal = _normalised(text, pieces)
        # Otherwise the key has some of these numbers in it.
        if normal is not None and len(normal[2]) == len(found):
            if len(_known) >= KNOWN_MAX:
                _known.clear()
            key, kinds, values = normal
            _known[between] = key, kinds, tuple([i for i, value in enumerate(values) if value[0] == "-"])
        return normal
    return _normalised(text, pieces)


def _short_integers(found: list[str]) -> bool:
    """Whether all that was found are integers that are surely int4."""
    return max(map(len, found)) <= _INT4_DIGITS and "".join(found).isdecimal()


def _normalised(text: str, pieces: list[str]) -> Normalised | None:
    """The same of a text that has been taken apart: what is between literals and what may be some, in turn."""
    count = len(pieces)
    key = ""
    kinds = ""
    values: list[str] = []
    head = pieces[0]
    may_sort = "by" in text.lower()  # then numbers after BY may be column numbers
    for i in range(1, count, 2):
        literal = pieces[i]
        tail = pieces[i + 1]
        first = literal[0]
        if first in _OTHERS or (len(literal) == 1 and first == "'"):
            if first == '"' and len(literal) > 1:
                head += literal + tail
                continue
            return None
        last = head[-1:]
        if last in _SPACE:
            before = head.rstrip()
            last = before[-1:]
        else:
            before = head
        cast = ""
        if (
            last not in _BEFORE_LITERAL
            and not _after_word(before)
            and not (last == "[" and _of_array(before))
        ):
            typed = _typed(before[-_MODIFIED:]) if first == "'" else None
            if typed is None or not _is_whole(literal, tail):
                head += literal + tail
                continue
            ahead = before[: -len(typed[1])].rstrip()
            if ahead[-1:] not in _BEFORE_LITERAL and not _after_word(ahead):
                head += literal + tail
                continue
            head, cast = before[: -len(typed[1])], "::" + typed[1]
        if first == "'":
            if len(literal) < 10 and literal[1:-1].strip().lower() == "now":
                head += literal + tail  # when the transaction began: no value, but a clock
                continue
            if last == "(" and before[-8:-1].lower() == "tsquery" and tail.lstrip()[:1] == ",":
                head += literal + tail  # by which configuration: what is looked for depends on it
                continue
            if last == "(" and _takes_a_name(before[-_MODIFIED:]):
                head += (
                    literal + tail
                )  # of which there are few; and what is grouped by such a call says it once more
                continue
            literal = literal[1:-1]
            kind = UNKNOWN
            if "'" in literal:
                literal = literal.replace("''", "'")
        else:
            sorts = may_sort and last not in _COMPARED and _word_before(before) not in _OF_ROWS
            if sorts and _sorts(key + head) is not None:
                head += literal + tail
                continue
            if last in "(," and _modifies(before[-_MODIFIED:]):
                head += literal + tail
                continue
            if last == "-":
                signed = before[:-1].rstrip()
                if signed[-1:] in _BEFORE_SIGN:
                    negated = len(literal) > _INT4_DIGITS and signed.rstrip("( ")[-1:] == "-"
                    if before[-3:-1] == "!=" or tail.lstrip().startswith("::") or negated:
                        head += literal + tail  # `-(-2147483648)` is the constant 2147483648
                        continue
                    head = before[:-1]
                    literal = "-" + literal
            if (
                len(literal) > _INT4_DIGITS
                and literal.lstrip("0") in _BEHIND_LAST
                and before.rstrip("( ")[-1:] == "-"
            ):
                head += (
                    literal + tail
                )  # behind a word its sign stays in the key: `SELECT -2147483648` is an integer
                continue
            if "." in literal:
                kind = NUMERIC
            else:
                kind = INT4 if len(literal) <= _INT4_DIGITS else _kind(literal)
        values.append(literal)
        key += head
        kinds += kind
        head = "$" + kind + cast + tail
    if not values:
        return None
    return key + head, kinds, values


_typed = re.compile(r"(?<![\w.$\"])(interval|date|timestamp|timestamptz)\Z", re.IGNORECASE).search
"""The name of a type that a string's text follows."""
_fields = re.compile(r"\s*(?:year|month|day|hour|minute|second)\b", re.IGNORECASE).match
_moves = re.compile(r"now|today|tomorrow|yesterday", re.IGNORECASE).search
_of_array = re.compile(r"\barray\s*\[\Z", re.IGNORECASE).search
_modifies = re.compile(
    r"\b(?:numeric|decimal|varchar|varying|char|character|bpchar|bit|varbit|time|timetz|timestamp|timestamptz|interval)\s*\(\s*(?:\d+\s*,\s*)?\Z",
    re.IGNORECASE,
).search
_MODIFIED: Final = 40
"""Characters before a number in which there is room for that."""
_takes_a_name = re.compile(r"\b(?:date_trunc|date_part|nextval|currval|setval)\s*\(\Z", re.IGNORECASE).search


def _is_whole(literal: str, tail: str) -> bool:
    """Whether a string behind its type's name is all there is of the constant, and always the same."""
    return _fields(tail) is None and _moves(literal) is None


def _after_word(before: str) -> bool:
    """Whether the text ends with a word that an expression may follow (so that no typed literal is taken)."""
    return _word_before(before) in _WORDS_BEFORE


def _word_before(before: str) -> str:
    return before[max(before.rfind(" "), before.rfind("(")) + 1 :].lower()


def _kind(literal: str) -> str:
    if len(literal) > _INT8_DIGITS and len(literal.lstrip("-0")) > _INT8_DIGITS:
        return NUMERIC  # of thousands of digits, maybe, which Python would not read
    value = int(literal)
    if -(1 << 31) <= value < (1 << 31):
        return INT4
    return INT8 if -(1 << 63) <= value < (1 << 63) else NUMERIC


def scaled(kinds: str, values: Sequence[str]) -> str:
    """The kinds, with the scales of short numerics: `a` is one digit behind the point.

    Where DuckDB looks at many rows it is to know these, as it does of a literal.
    """
    return "".join([_scaled(v) if k == NUMERIC else k for k, v in zip(kinds, values, strict=True)])


def _scaled(literal: str) -> str:
    scale = len(literal) - literal.find(".") - 1 if "." in literal else 0
    short = 0 < scale <= len(SCALES) and len(literal) <= _SCALED_LENGTH
    return SCALES[scale - 1] if short else NUMERIC


SCALES: Final = "abcdefgh"
SCALED_DIGITS: Final = 15
"""A DECIMAL of so many is exact as a float, too, but for the one rounding."""
_SCALED_LENGTH: Final = SCALED_DIGITS  # with the point, and a sign

MARK: Final = re.compile(r"""("[^"]*"|'[^']*')|\$[ilnsILS]""")
"""A mark in a key; group 1: what is quoted in it, where there are none."""


def partly(normal: Normalised, lifted: Sequence[bool]) -> Normalised | None:
    """The same with those literals alone taken out that are `lifted`; the others stand in the key again.

    None: one of those says what a mark looks like.
    """
    key, kinds, values = normal
    pieces: list[str] = []
    at = number = 0
    for m in MARK.finditer(key):
        if m[1] is not None:
            continue
        if not lifted[number]:
            value = values[number]
            if "$" in value:
                return None
            pieces += key[at : m.start()], "'" + value.replace("'", "''") + "'" if m[0] == "$s" else value
            at = m.end()
        number += 1
    taken = [i for i, x in enumerate(lifted) if x]
    return "".join((*pieces, key[at:])), "".join([kinds[i] for i in taken]), [values[i] for i in taken]


def parameterised(key: str) -> str:
    """The text to plan for a key: its marks become $1, $2, ..."""
    number = 0

    def numbered(m: re.Match[str]) -> str:
        nonlocal number
        if m.group(1) is not None:
            return m.group(1)
        number += 1
        return f"${number}"

    return MARK.sub(numbered, key)
