"""Affixes of Ispell, MySpell and Hunspell: what a word may begin or end with, and what it was before that.

    flag *A:                                     SFX A Y 1
        [^AEIOU]Y  >  -Y,IES                     SFX A  y  ies  [^aeiou]y          skies -> sky, if sky has the flag A

The older format has flags of one character; in the newer they may have two, or be numbers, and a word may name a set of them by its place in
a list (AF). What of a word may stand where in a compound is said by flags as well.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from planner.abc import SqlError
from planner.textsearch import files
from planner.types.letter_case import lowered

ONLY, BEGIN, MIDDLE, LAST, PERMIT, FORBID, CROSS = 1, 2, 4, 8, 16, 32, 64
ANYWHERE: Final = BEGIN | MIDDLE | LAST
_OF_WORDS: Final = ANYWHERE | ONLY
_FLAG_MAX: Final = 65_000
_COMPOUND_OPTIONS: Final = {
    "COMPOUNDFLAG": ANYWHERE, "COMPOUNDBEGIN": BEGIN, "COMPOUNDLAST": LAST, "COMPOUNDEND": LAST, "COMPOUNDMIDDLE": MIDDLE,
    "ONLYINCOMPOUND": ONLY, "COMPOUNDPERMITFLAG": PERMIT, "COMPOUNDFORBIDFLAG": FORBID,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Affix:
    """`found` at the end (or the beginning) of a word stands for `before`."""

    flag: str
    allowed: int
    """Bits: ANYWHERE and its parts, ONLY, PERMIT, FORBID; CROSS: goes with an affix at the other end."""
    suffix: bool
    before: str
    found: str
    mask: re.Pattern[str] | None


@dataclass(slots=True)
class Affixes:
    """An affix file."""

    affixes: list[Affix] = field(default_factory=list)
    compound_flags: dict[str, int] = field(default_factory=dict)
    mode: str = "default"
    sets: list[str] = field(default_factory=list)
    compounds: bool = False

    def flags(self, text: str) -> list[str]:
        """The flags of a set. Raises F0000."""
        if self.mode == "default":
            return list(text)
        if self.mode == "long":
            if len(text) % 2:
                raise SqlError("F0000", f'invalid affix flag "{text[-1]}" with "long" flag value')
            return [text[i : i + 2] for i in range(0, len(text), 2)]
        found = []
        while text:
            number = re.match(r"\s*[+-]?\d+", text)
            if number is None:
                raise SqlError("F0000", f'invalid affix flag "{text}"')
            if not 0 <= int(number[0]) <= _FLAG_MAX:
                raise SqlError("F0000", f'affix flag "{text}" is out of range')
            found.append(str(int(number[0])))
            text = text[number.end() :]
            between = re.match(r"[\s,]*", text)
            assert between is not None
            rest = text[between.end() :]
            if between[0].count(",") > 1 or (rest and not rest[0].isdigit()):
                raise SqlError("F0000", f'invalid character in affix flag "{text}"')
            if rest and "," not in between[0]:
                raise SqlError("F0000", f'invalid affix flag "{text}"')
            text = rest
        return found

    def of_words(self, flags: Sequence[str]) -> int:
        """Where in a compound a word of these flags may stand."""
        found = 0
        for flag in flags:
            found |= self.compound_flags.get(flag, 0)
        return found & _OF_WORDS

    def named(self, text: str) -> str:
        """A set of flags, or, where sets have numbers, that of this number. Raises F0000."""
        if not self.sets or not text:
            return text
        number = re.match(r"\s*[+-]?\d+", text)
        if number is None or not 0 <= int(number[0]) < len(self.sets):
            raise SqlError("F0000", f'invalid affix alias "{text}"')
        rest = text[number.end() :]
        if rest and not rest[0].isspace():
            raise SqlError("F0000", f'invalid affix alias "{text}"')
        return self.sets[int(number[0])]

    def add(self, flag: str, allowed: int, mask: str, before: str, found: str, suffix: bool) -> None:
        if allowed & (ONLY | PERMIT) and not allowed & ANYWHERE:
            allowed |= ANYWHERE
        self.affixes.append(Affix(flag, allowed, suffix, before, found, _mask(mask, suffix)))

    def compound(self, text: str, allowed: int) -> None:
        text = text.strip()
        if self.mode == "num":
            number = re.match(r"\d+", text)
            if number is None:
                raise SqlError("F0000", f'invalid affix flag "{text}"')
            flag = str(int(number[0]))
        else:
            flag = (text.split() or [""])[0]
        self.compound_flags[flag] = self.compound_flags.get(flag, 0) | allowed
        self.compounds = True


def _mask(mask: str, suffix: bool) -> re.Pattern[str] | None:
    if mask in ("", "."):
        return None
    try:
        return re.compile(f"(?:{mask})$" if suffix else f"^(?:{mask})")
    except re.error:
        raise SqlError("2201B", f'invalid regular expression "{mask}" in an affix file') from None


def read(name: str) -> Affixes:
    """An affix file of either format. Raises F0000, 22023."""
    text = files.lines(name, "affix", "affix")
    made = Affixes()
    older = False
    suffix: bool | None = None
    flag, allowed = "", 0
    for line in text:
        small = lowered(line)
        if small.startswith("compoundwords"):
            place = small.find("l")
            value = re.match(r"\S*\s+(\S)", line[place:]) if place >= 0 else None
            if value is not None:
                made.compound(value[1], ANYWHERE)
            older = True
        elif small.startswith(("suffixes", "prefixes")):
            suffix = small.startswith("suffixes")
            older = True
        elif small.startswith("flag") and (said := re.match(r"\s*([*~]?)\\?(\S)(?=[\s#:]|$)", line[4:])):
            allowed = {"*": CROSS, "~": ONLY, "": 0}[said[1]]
            flag = said[2]
            older = True
        elif small.startswith("flag") or line.startswith(("COMPOUNDFLAG", "COMPOUNDMIN", "PFX", "SFX")):
            if older:
                raise SqlError("F0000", "affix file contains both old-style and new-style commands")
            return _newer(text)
        elif suffix is not None and small and not small.startswith("#"):
            entry = _entry(small)
            if entry is not None:
                made.add(flag, allowed, *entry, suffix)
    return made


def _entry(line: str) -> tuple[str, str, str] | None:
    """`[^aeiou]y > -y,ies`: where, what it was, what it is. Raises F0000."""
    mask, sign, rest = line.partition("#")[0].partition(">")
    mask = "".join(mask.split())
    if not sign:
        return None
    said = re.fullmatch(r"\s*(?:-\s*([^\W\d_]*[^\s,]*)\s*(?:,\s*(-|[^\s]*))?|([^\s,]+))\s*", rest)
    if said is None:
        if not rest.strip():
            return None
        raise SqlError("F0000", "syntax error")
    before, found = (said[1] or "", said[2] or "") if said[3] is None else ("", said[3])
    found = "" if found == "-" else found
    return (mask, before, found) if mask and (before or found) else None


def _newer(text: Sequence[str]) -> Affixes:
    made = Affixes()
    for line in text:
        for option, allowed in _COMPOUND_OPTIONS.items():
            if line.startswith(option):
                made.compound(line[len(option) :], allowed)
                break
        else:
            if line.startswith("FLAG"):
                kind = next((m for m in ("long", "num", "default") if line[4:].strip().startswith(m)), "")
                if line[4:].strip() and not kind:
                    raise SqlError(
                        "F0000",
                        'Ispell dictionary supports only "default", "long", and "num" flag values',
                    )
                made.mode = kind or made.mode
    crossed = 0
    for line in text:
        if not line or line[0].isspace() or line[0] == "#":
            continue
        fields = line.split()
        kind = lowered(fields[0])
        if kind == "af" and len(fields) > 1:
            _alias(made, fields[1])
            continue
        if len(fields) < 4 or kind not in ("sfx", "pfx"):
            continue
        flag = fields[1]
        if len(flag) > {"default": 1, "long": 2}.get(made.mode, len(flag)):
            continue
        if len(fields) == 4:
            crossed = CROSS if fields[2] in ("y", "Y") else 0
            continue
        found, _, flags = fields[3].partition("/")
        allowed = crossed
        for said in made.flags(made.named(flags)):
            allowed |= made.compound_flags.get(said, 0)
        before = "" if fields[2] == "0" else lowered(fields[2])
        found = "" if fields[3] == "0" else lowered(found)
        made.add(flag, allowed, lowered(fields[4]), before, found, kind == "sfx")
    return made


def _alias(made: Affixes, said: str) -> None:
    if made.sets:
        made.sets.append(said)
        return
    if not said.isdigit() or int(said) <= 0:
        raise SqlError("F0000", "invalid number of flag vector aliases")
    made.sets.append("")


__all__ = [
    "ANYWHERE", "BEGIN", "CROSS", "FORBID", "LAST", "MIDDLE", "ONLY", "Affix", "Affixes", "read",
]  # fmt: skip
