"""How much a regular expression takes: Python tries alternatives in their order, PostgreSQL takes the longest match.

    x|xyz           of 'xyz'       PostgreSQL takes xyz, so the longer alternative has to come first
    Y*?([0-9]+)     of 'XY123'     the first quantifier is lazy, so the whole expression is: the group is 1
    \\s*<.*?>        of '<a><b>'    the first quantifier is greedy, so the whole expression is: all of it

An expression is a list of tokens here, each a string that Python understands: `a`, `.`, `\\d`, `[a-z]`, `(`, `|`, `*`.
What a match takes as a whole hangs on whether the expression is greedy: as its first quantified atom is that is either, and always if it
has alternatives. Where some quantifiers are lazy and some are not, and that cannot be said in Python, it is asked of the match
(`preferred`): first how far it goes, then what of that each group has.

Rewritten is what can be said so: alternatives of which one is always longer, that have no groups to be counted, and behind which
no group of varying length follows (`_Alternatives`); quantifiers of an expression that has no alternatives and no quantified groups.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

_QUANTIFIERS: Final = frozenset("*+?{")
_ONE_CHARACTER: Final = re.compile(
    r"\\(?:[dwsDWS]|U[0-9a-f]{8}|x[0-9a-f]{2}|[^0-9A-Za-z])|(?:\(\?-i:)?\[.+\]\)?|[^\\^$]", re.DOTALL
)
_PREFIXES: Final = (("?", ":"), ("?", "="), ("?", "!"), ("?", "<", "="), ("?", "<", "!"))
_Width = tuple[float, float]
_UNKNOWN: Final = (0.0, math.inf)
_TIMES: Final = {"*": (0.0, math.inf), "+": (1.0, math.inf), "?": (0.0, 1.0)}
_COUNTED: Final = re.compile(r"\{(\d+)(,(\d*))?\}")
_VARYING: Final = re.compile(r"\{\d+,\d*\}")


@dataclass(slots=True)
class _Group:
    """What stands in parentheses: what they begin with, and the alternatives."""

    opening: str
    branches: list[_Branch]

    @property
    def captures(self) -> bool:
        return self.opening == "(" or any(b.captures for b in self.branches)

    @property
    def width(self) -> _Width:
        if self.opening not in ("(", "(?:"):
            return 0.0, 0.0  # it looks, and takes nothing
        return min(b.width[0] for b in self.branches), max(b.width[1] for b in self.branches)


@dataclass(slots=True)
class _Atom:
    """One piece of an alternative with its quantifier, and how many characters it takes at least and at most."""

    piece: str | _Group
    width: _Width
    quantifier: str = ""


@dataclass(slots=True)
class _Branch:
    """One alternative."""

    atoms: list[_Atom] = field(default_factory=list)

    def repeat(self, quantifier: str) -> None:
        """Puts a quantifier behind the last atom, or the `?` behind its quantifier."""
        if not self.atoms:
            raise _Unsure
        last = self.atoms[-1]
        low, high = last.width
        found = _TIMES.get(quantifier) or _bounds(quantifier)
        last.quantifier += quantifier
        last.width = (low * found[0], high * found[1] if high else 0)

    @property
    def captures(self) -> bool:
        return any(isinstance(a.piece, _Group) and a.piece.captures for a in self.atoms)

    @property
    def width(self) -> _Width:
        return sum(a.width[0] for a in self.atoms), sum(a.width[1] for a in self.atoms)


class _Unsure(Exception):
    """An expression that this room does not take apart."""


def _bounds(quantifier: str) -> tuple[float, float]:
    """{m}, {m,} or {m,n}."""
    match = _COUNTED.fullmatch(quantifier)
    if match is None:
        raise _Unsure
    low = int(match[1])
    return low, low if match[2] is None else int(match[3]) if match[3] else math.inf


def by_length(tokens: Sequence[str]) -> str:
    """The expression, preferring the lengths that PostgreSQL prefers as far as that can be said in Python."""
    plain = "".join(tokens)
    try:
        quantifiers = _quantifiers(tokens)
        lazy = [end - start > 0 and tokens[end - 1] == "?" and end - start > 1 for start, end in quantifiers]
        if any(lazy):
            return _of_one_mind(tokens, quantifiers, lazy)
        if "|" not in tokens:
            return plain
        return _Alternatives(tokens).run()
    except _Unsure:
        return plain


LONGEST, SHORTEST, ANY = "longest", "shortest", ""


def preferred(tokens: Sequence[str]) -> str:
    """Whether a match is to be the longest or the shortest at its place, where the text of `by_length` does not say it (ANY: it does)."""
    try:
        quantifiers = _quantifiers(tokens)
        lazy = [end - start > 1 and tokens[end - 1] == "?" for start, end in quantifiers]
        if not any(lazy) or _of_one_mind(tokens, quantifiers, lazy) != "".join(tokens):
            return ANY
        if all(lazy) and "|" not in tokens and not _of_groups(tokens, quantifiers):
            return ANY
        if any(t in _LOOKING or t.startswith(_BOUNDARIES) for t in tokens) or "(?=" in "".join(tokens):
            return ANY  # what is behind the match counts as well
        return _preference(_Alternatives(tokens).parsed()) or ANY
    except _Unsure:
        return ANY


_LOOKING: Final = frozenset(("$", r"\Z", "^"))
_BOUNDARIES: Final = (r"\b", r"\B")


def _preference(branches: Sequence[_Branch]) -> str:
    if len(branches) > 1:
        return LONGEST
    for atom in branches[0].atoms:
        if atom.quantifier and not _EXACTLY.fullmatch(atom.quantifier):
            return SHORTEST if len(atom.quantifier) > 1 and atom.quantifier.endswith("?") else LONGEST
        if isinstance(atom.piece, _Group) and (found := _preference(atom.piece.branches)):
            return found
    return ANY


_EXACTLY: Final = re.compile(r"\{\d+\}\??")


def _of_groups(tokens: Sequence[str], quantifiers: Sequence[tuple[int, int]]) -> bool:
    """Whether any quantifier is of a group."""
    return any(start and tokens[start - 1] == ")" for start, _ in quantifiers)


def _quantifiers(tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Where quantifiers are, with the `?` that makes them lazy; those of the form {m} prefer nothing and are left out."""
    out: list[tuple[int, int]] = []
    i = 0
    while i < len(tokens):
        if tokens[i] == "(" and tokens[i + 1 : i + 2] == ["?"]:
            i += 2
            continue
        if tokens[i] not in _QUANTIFIERS:
            i += 1
            continue
        start = i
        if tokens[i] == "{":
            if "}" not in tokens[i:]:
                raise _Unsure
            i = tokens.index("}", i)
        i += 1
        varies = tokens[start] != "{" or _VARYING.fullmatch("".join(tokens[start:i]))
        i += tokens[i : i + 1] == ["?"]
        if varies:
            out.append((start, i))
    return out


def _of_one_mind(tokens: Sequence[str], quantifiers: Sequence[tuple[int, int]], lazy: Sequence[bool]) -> str:
    """All quantifiers as the first one is, where some are lazy and some are not."""
    plain = "".join(tokens)
    fixed_end = tokens[-1:] == ["\\Z"] or tokens[-1:] == ["$"]
    of_groups = _of_groups(tokens, quantifiers)
    captures = any(t == "(" and tokens[i + 1 : i + 2] != ["?"] for i, t in enumerate(tokens))
    if all(lazy) or fixed_end or of_groups or "|" in tokens or (captures and not lazy[0]):
        return plain
    out = list(tokens)
    for (_, end), is_lazy in zip(reversed(quantifiers), reversed(lazy), strict=True):
        if lazy[0] and not is_lazy:
            out.insert(end, "?")
        elif is_lazy and not lazy[0]:
            del out[end - 1]
    return "".join(out)


class _Alternatives:
    """The expression with the longer of two alternatives first, where no group of varying length follows.

    Before such a group the shorter one may be part of the longer match: `(a|ab)(c|bcd)` of `abcd`.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        self.tokens, self.at = list(tokens), 0

    def run(self) -> str:
        return _alternatives(self.parsed(), plain=True)

    def parsed(self) -> list[_Branch]:
        whole = self._branches()
        if self.at < len(self.tokens):
            raise _Unsure
        return whole

    def _branches(self) -> list[_Branch]:
        """Up to the closing parenthesis, or the end."""
        found = [self._branch()]
        while self.tokens[self.at : self.at + 1] == ["|"]:
            self.at += 1
            found.append(self._branch())
        return found

    def _branch(self) -> _Branch:
        made = _Branch()
        while self.at < len(self.tokens) and self.tokens[self.at] not in ("|", ")"):
            token = self.tokens[self.at]
            self.at += 1
            if token == "(":
                group = self._group()
                made.atoms.append(_Atom(group, group.width))
            elif token == "{":
                made.repeat(token + self._until_brace())
            elif token in _QUANTIFIERS:
                made.repeat(token)
            else:
                made.atoms.append(_Atom(token, (1.0, 1.0) if _ONE_CHARACTER.fullmatch(token) else _UNKNOWN))
        return made

    def _until_brace(self) -> str:
        if "}" not in self.tokens[self.at :]:
            raise _Unsure
        start, self.at = self.at, self.tokens.index("}", self.at) + 1
        return "".join(self.tokens[start : self.at])

    def _group(self) -> _Group:
        prefix = next((p for p in _PREFIXES if tuple(self.tokens[self.at : self.at + len(p)]) == p), ())
        if not prefix and self.tokens[self.at : self.at + 1] == ["?"]:
            raise _Unsure
        self.at += len(prefix)
        inner = self._branches()
        if self.tokens[self.at : self.at + 1] != [")"]:
            raise _Unsure
        self.at += 1
        return _Group("(" + "".join(prefix), inner)


def _alternatives(branches: list[_Branch], *, plain: bool) -> str:
    """Their text. `plain`: no group of varying length follows them."""
    if plain and not any(b.captures for b in branches):
        _longest_first(branches)
    return "|".join(_text(b, plain=plain) for b in branches)


def _text(branch: _Branch, *, plain: bool) -> str:
    out: list[str] = []
    for atom in reversed(branch.atoms):
        piece = atom.piece
        if isinstance(piece, _Group):
            text = f"{piece.opening}{_alternatives(piece.branches, plain=plain)})"
            plain = plain and atom.width[0] == atom.width[1]
        else:
            text = piece
        out.append(text + atom.quantifier)
    return "".join(reversed(out))


def _longest_first(branches: list[_Branch]) -> None:
    """Moves what is always longer before what is always shorter; others stay where they are to each other."""
    for end in range(len(branches) - 1, 0, -1):
        for i in range(end):
            (a_least, a_most), (b_least, b_most) = branches[i].width, branches[i + 1].width
            if a_most <= b_least and a_least < b_most:
                branches[i], branches[i + 1] = branches[i + 1], branches[i]
