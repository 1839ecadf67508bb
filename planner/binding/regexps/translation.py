"""PostgreSQL's advanced regular expressions as Python's.

The two differ in words more than in ideas: `\\m \\M \\y` are word boundaries, `[[:alpha:]]` are classes, `.` matches a
newline unless a flag says otherwise, `\\A \\Z` are the ends of the text and `$` is the end alone; `[[.hyphen.]]` is a character
by its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from planner.abc import SqlError
from planner.binding.regexps.collating_elements import element
from planner.binding.regexps.lengths import ANY, by_length, preferred
from planner.binding.regexps.letter_cases import classes_in_both_cases, either_case, in_both_cases
from planner.binding.regexps.patterns import Pattern

_Classes = dict[str, str]
_ASCII: Final[_Classes] = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z", "space": r"\s",
    "blank": r" \t", "punct": r"!-/:-@\[-`{-~", "cntrl": r"\x00-\x1f\x7f", "xdigit": "0-9a-fA-F", "print": r"\x20-\x7e",
    "graph": r"\x21-\x7e", "word": r"\w",
}  # fmt: skip
"""What `re` knows, which only says whether a pattern is well-formed."""
_BY_LOCALE: Final[_Classes] = {
    "alpha": r"\p{Alphabetic}", "digit": "0-9", "alnum": r"\p{Alphabetic}\p{Nd}", "upper": r"\p{Uppercase}\p{Lt}",
    "lower": r"\p{Lowercase}", "blank": r" \t", "xdigit": "0-9a-fA-F", "word": r"\p{Alphabetic}\p{Nd}_",
    "space": r"\t-\r \u1680\u2000-\u2006\u2008-\u200a\u2028\u2029\u205f\u3000", "cntrl": r"\p{Cc}",
    "punct": r"\p{P}\p{S}\p{No}\p{Cf}\p{Me}\p{Co}\u00a0\u2007\u202f", "graph": r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Cf}\p{Co}",
    "print": r" \p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}\p{Cf}\p{Co}",
}  # fmt: skip
"""The C library's classes in UTF-8, which the default collation asks."""
_BY_ICU: Final[_Classes] = {
    "alpha": r"\p{L}", "digit": r"\p{Nd}", "alnum": r"\p{L}\p{Nd}", "upper": r"\p{Lu}", "lower": r"\p{Ll}",
    "space": r"\t-\r\x1c-\x1f\x85\p{Z}", "blank": r" \t", "punct": r"\p{P}", "cntrl": r"\p{Cc}", "xdigit": "0-9a-fA-F",
    "print": r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}", "graph": r"\p{L}\p{M}\p{N}\p{P}\p{S}\p{Co}", "word": r"\p{L}\p{Nd}_",
}  # fmt: skip
ICU: Final = "***u:"
"""What a pattern begins with that is asked under one of ICU's collations: PostgreSQL knows no such director."""
_SHORT: Final = {"d": "digit", "s": "space", "w": "word"}
_ESCAPES = {
    "m": r"\b(?=\w)",
    "M": r"\b(?<=\w)",
    "y": r"\b",
    "Y": r"\B",
    "A": r"\A",
    "Z": r"\Z",
    "e": r"\x1b",
    "b": r"\x08",
    "B": r"\\",
}
_EMBEDDED: Final = frozenset("bceimnpqstwx")
PATTERN_LENGTH_MAX = 100_000
REPETITIONS_MAX = 255


@lru_cache(maxsize=512)
def compile_pattern(pattern: str, flags: str) -> Pattern:
    """Raises 2201B for a malformed pattern, 22023 for an unknown flag."""
    if len(pattern) > PATTERN_LENGTH_MAX:
        raise SqlError("54000", "regular expression is too long")
    classes = _BY_ICU if pattern.startswith(ICU) else _BY_LOCALE
    pattern = pattern.removeprefix(ICU)
    if pattern.startswith("***="):
        return Pattern(re.escape(pattern[4:]), _flags(flags))
    if pattern.startswith("***:"):
        pattern = pattern[4:]
    options = re.match(r"\(\?([a-z]+)\)", pattern)
    if options is not None:
        if set(options[1]) - _EMBEDDED:
            raise SqlError("2201B", "invalid regular expression: invalid embedded option")
        flags, pattern = flags + options[1], pattern[options.end() :]
    if "q" in flags:
        return Pattern(re.escape(pattern), _flags(flags))
    try:
        lines = any(f in flags for f in "nmw")
        either = bool(_flags(flags) & re.IGNORECASE)
        known = _written(_translate(pattern, lines, "x" in flags, _ASCII, either=False), verbose="x" in flags)
        tokens = _translate(
            pattern,
            lines,
            "x" in flags,
            classes_in_both_cases(classes) if either else classes,
            either=either,
        )
        found = _written(tokens, verbose="x" in flags)
        return Pattern(found, _flags(flags), known, ANY if "x" in flags else preferred(tokens))
    except (re.error, OverflowError) as e:
        raise SqlError("2201B", f"invalid regular expression: {_reason(str(e))}") from None


def refuse_global(name: str, flags: str, hint: str = "") -> None:
    """Raises 22023 for `g` where a function takes one match, and before that for what is no option at all."""
    _flags(flags)
    if "g" in flags:
        raise SqlError("22023", f'{name}() does not support the "global" option', hint=hint)


def _reason(text: str) -> str:
    for found, words in (
        ("unterminated character set", "brackets [] not balanced"),
        ("missing ), unterminated", "parentheses () not balanced"),
        ("unbalanced parenthesis", "parentheses () not balanced"),
        ("nothing to repeat", "quantifier operand invalid"),
        ("min repeat greater than max repeat", "invalid repetition count(s)"),
        ("multiple repeat", "quantifier operand invalid"),
        ("bad character range", "invalid character range"),
        ("bad escape", "invalid escape \\ sequence"),
        ("invalid group reference", "invalid backreference number"),
    ):
        if found in text:
            return words
    return text


def _flags(flags: str) -> int:
    out = re.DOTALL
    for f in flags:
        if f == "i":
            out |= re.IGNORECASE
        elif f in ("n", "m"):
            out = (out & ~re.DOTALL) | re.MULTILINE
        elif f == "p":
            out &= ~re.DOTALL
        elif f == "w":
            out |= re.MULTILINE
        elif f == "x":
            out |= re.VERBOSE
        elif f == "c":
            out &= ~re.IGNORECASE
        elif f not in "seqtbg":
            raise SqlError("22023", f'invalid regular expression option: "{f}"')
    return int(out)


def _translate(pattern: str, lines: bool, verbose: bool, classes: _Classes, *, either: bool) -> list[str]:
    """The tokens. `either`: letters stand for themselves in both cases."""
    out: list[str] = []
    i, n = 0, len(pattern)
    looks: list[bool] = []  # of each parenthesis that is open, whether it or one around it only looks
    while i < n:
        c = pattern[i]
        if c == "\\":
            if i + 1 >= n:
                raise _wrong_escape()
            e = pattern[i + 1]
            named = _SHORT.get(e.lower())
            if e in _WRITTEN_OUT:
                text, i = _character(pattern, i)
                out.append(in_both_cases(text) if either else text)
                continue
            if named is not None:
                out.append(f"[{'^' if e.isupper() else ''}{classes[named]}]")
            elif e in "123456789" and looks and looks[-1]:
                raise SqlError("2201B", "invalid regular expression: invalid backreference number")
            else:
                out.append(_ESCAPES.get(e, "\\" + e))
            i += 2
        elif c == "[":
            text, i = _bracket(pattern, i, classes)
            out.append(in_both_cases(text) if either else text)
        elif c == "$":
            out.append("$" if lines else r"\Z")
            i += 1
        else:
            _check_syntax(pattern, i, out)
            if c == "(":
                looks.append(_LOOKS.match(pattern, i) is not None or bool(looks and looks[-1]))
            elif c == ")" and looks:
                looks.pop()
            if c == "{" and not pattern[i + 1 : i + 2].isdigit():
                out.append("\\{")
            else:
                out.append(either_case(c) if either else c)
            i += 1
    return out


def _written(tokens: Sequence[str], *, verbose: bool) -> str:
    return "".join(tokens) if verbose else by_length(tokens)


_WRITTEN_OUT: Final = frozenset("xc")
_CHARACTER_MAX: Final = 0x7FFFFFFE
_LOOKS: Final = re.compile(r"\(\?<?[=!]")


def _wrong_escape() -> SqlError:
    return SqlError("2201B", "invalid regular expression: invalid escape \\ sequence")


def _character(pattern: str, i: int) -> tuple[str, int]:
    r"""`\x41`, with as many digits as there are, or `\cA`; and where it ends. Raises 2201B."""
    if pattern[i + 1] == "c":
        if i + 2 >= len(pattern):
            raise _wrong_escape()
        return f"\\x{ord(pattern[i + 2]) & 0x1F:02x}", i + 3
    digits = re.compile("[0-9a-fA-F]+").match(pattern, i + 2)
    if digits is None or int(digits[0], 16) > _CHARACTER_MAX:
        raise _wrong_escape()
    code = int(digits[0], 16)
    return (f"\\U{code:08x}" if code <= 0x10FFFF else r"[^\x00-\U0010ffff]"), digits.end()


_EXTENSION: Final = re.compile(r"\(\?(?:[:=!#]|<[=!])")
_BOUND: Final = re.compile(r"\{(\d+)(?:,(\d*))?\}")


def _check_syntax(pattern: str, i: int, before: Sequence[str]) -> None:
    """Refuses what means something to Python that it does not mean to PostgreSQL. Raises 2201B.

    `before`: what has been made of the pattern so far, one string for each of its parts.
    """
    reason = ""
    if pattern.startswith("(?", i) and _EXTENSION.match(pattern, i) is None:
        reason = "quantifier operand invalid"
    elif pattern[i] == "+" and _ends_quantifier(before):
        reason = "quantifier operand invalid"  # what Python calls possessive
    elif pattern[i] == "{" and pattern[i + 1 : i + 2].isdigit():
        bound = _BOUND.match(pattern, i)
        if bound is None:
            reason = "braces {} not balanced"
        elif max(int(n or 0) for n in bound.groups()) > REPETITIONS_MAX:
            reason = "invalid repetition count(s)"
    if reason:
        raise SqlError("2201B", f"invalid regular expression: {reason}")


def _ends_quantifier(parts: Sequence[str]) -> bool:
    """Whether the last of these is a quantifier, or closes one: a brace that closes nothing is a character."""
    if parts[-1:] != ["}"]:
        return parts[-1:] in (["*"], ["+"], ["?"])
    opened = next((i for i in reversed(range(len(parts))) if parts[i] == "{"), -1)
    return opened >= 0 and "}" not in parts[opened:-1]


def _bracket(pattern: str, start: int, classes: _Classes) -> tuple[str, int]:
    if pattern.startswith("[[:<:]]", start):
        return r"\b(?=\w)", start + 7
    if pattern.startswith("[[:>:]]", start):
        return r"\b(?<=\w)", start + 7
    out = ["["]
    i = start + 1
    if pattern.startswith("^", i):
        out.append("^")
        i += 1
    first = True
    while i < len(pattern):
        c = pattern[i]
        if c == "]" and not first:
            return "".join(out) + "]", i + 1
        first = False
        if pattern.startswith("[:", i):
            end = pattern.find(":]", i)
            name = pattern[i + 2 : end] if end > 0 else ""
            if name not in classes:
                raise SqlError("2201B", "invalid regular expression: invalid character class")
            out.append(classes[name])
            i = end + 2
        elif pattern.startswith("[=", i) or pattern.startswith("[.", i):
            named, i = element(pattern, i)
            out.append(re.escape(named))
        elif c == "\\" and i + 1 < len(pattern):
            e = pattern[i + 1]
            if e in _WRITTEN_OUT:
                text, i = _character(pattern, i)
                if not text.startswith("["):
                    out.append(text)
                continue
            out.append(r"\\" if e == "B" else classes[_SHORT[e]] if e in _SHORT else pattern[i : i + 2])
            i += 2
        else:
            out.append("\\" + c if c in "[]&~|" else c)
            i += 1
    raise SqlError("2201B", "invalid regular expression: brackets [] not balanced")


@lru_cache(maxsize=512)
def _replacement_parts(new: str) -> tuple[str | int, ...]:
    """Texts, and numbers of groups between them."""
    out: list[str | int] = []
    text, i = "", 0
    while (found := new.find("\\", i)) >= 0 and found + 1 < len(new):
        text += new[i:found]
        e, i = new[found + 1], found + 2
        if e in "123456789&":
            out += [text, 0 if e == "&" else int(e)]
            text = ""
        else:
            text += e if e == "\\" else "\\" + e
    return (*out, text + new[i:])


def replacement(new: str) -> Callable[[re.Match[str]], str]:
    """A replacement text (`\\1`, `\\&`) as a function of the match."""
    parts = _replacement_parts(new)

    def make(m: re.Match[str]) -> str:
        out = []
        for p in parts:
            if isinstance(p, str):
                out.append(p)
            elif p <= (m.re.groups or 0):
                out.append(m[p] or "")
        return "".join(out)

    return make
