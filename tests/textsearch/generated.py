"""Texts, vectors and queries of chance, from a seed."""

from __future__ import annotations

from random import Random

PROSE = [
    "the",
    "Quick",
    "brown",
    "fox's",
    "well-known",
    "state-of-the-art",
    "don't",
    "e-mail",
    "résumé",
    "Müller",
    "naïve",
    "3.14",
    "42",
    "-7",
    "2,000",
    "1e10",
    "v1.2.3",
    "x86-64",
    "foo@bar.com",
    "www.example.com/a/b?x=1&y=2",
    "http://example.org/x",
    "https://a.co.uk:8080/path.html",
    "/usr/bin/env",
    "~/x.txt",
    "<b>bold</b>",
    "&amp;",
    "2024-01-15",
    "12:30:45",
    "$100",
    "50%",
    "#tag",
    "@user",
    "a.m.",
    "U.S.",
    "(see)",
    "[1]",
    '"quoted"',
    "'single'",
    "C++",
    "node.js",
    "foo_bar",
    "CamelCase",
    "end.",
    "this,",
    "that;",
    "other:",
    "what?",
    "yes!",
    "--",
    "…",
    "–",
    "“q”",
    "10,000.50",
    "+1-555-1234",
    "3/4",
    "and/or",
    "100km",
    "5th",
    "IPv6",
    "192.168.0.1",
    "x=y",
    "a<b",
    "p>q",
    "1st-class",
    "co-op,",
    "e.g.",
    "vs.",
    "½",
    "№5",
    "50€",
    "über-cool",
    "日本語",
    "Россия-матушка",
    "foxes",
    "running",
    "generously",
    "skies",
    "of",
    "in",
]
WORDS = ("a", "ab", "abc", "b", "bc", "c", "'c d'", "d")


def text(r: Random) -> str:
    return " ".join(r.choice(PROSE) for _ in range(r.randrange(40)))


def vector(r: Random) -> str:
    out = []
    for word in r.sample(WORDS, r.randrange(len(WORDS) + 1)):
        places = [
            f"{r.randrange(1, r.choice((6, 20, 200)))}{r.choice(('', '', 'A', 'B', 'C'))}"
            for _ in range(r.randrange(5))
        ]
        out.append(word + (":" + ",".join(places) if places else ""))
    return " ".join(out)


def query(r: Random, depth: int) -> str:
    kind = r.random()
    if not depth or kind < 0.3:
        return r.choice(WORDS) + r.choice(("", "", "", "", ":*", ":A", ":*BC"))
    if kind < 0.42:
        return "!" + query(r, depth - 1)
    if kind < 0.54:
        return f"({query(r, depth - 1)})"
    sign = r.choice((" & ", "&", "|", " <-> ", "<->", " <3> ", "<0>"))
    return query(r, depth - 1) + sign + query(r, depth - 1)


def said(r: Random) -> str:
    """What somebody types, with signs in the wrong places."""
    signs = (
        '"',
        "or",
        "OR",
        "-",
        "&",
        "|",
        "!",
        "(",
        ")",
        "<->",
        "<2>",
        ":*",
        ":",
        "'",
        "\\",
        "'x y'",
        "the",
    )
    return r.choice(("", "-", '"')) + " ".join(r.choice((*PROSE[:30], *signs)) for _ in range(r.randrange(8)))


LOOKED_FOR = (
    "fox", "brown", "quick", "run", "well-known", "well", "known", "42", "host", "example.com", "müller", "cat", "sky", "of", "end",
    "yes", "co-op", "node.j",
)  # fmt: skip


def headlined(r: Random) -> tuple[str, str, str]:
    """A text, a query whose words are in such texts, and the options of a headline."""
    words = [
        r.choice(PROSE if r.random() < 0.5 else (*LOOKED_FOR, "cats and", "dogs", "is", "lengthy"))
        for _ in range(r.choice((0, 3, 10, 40, 120)))
    ]
    return r.choice((" ", "\n", "  ")).join(words), _of_prose(r, r.randrange(4)), _options(r)


def _of_prose(r: Random, depth: int) -> str:
    if not depth or r.random() < 0.4:
        return f"'{r.choice(LOOKED_FOR)}'" + r.choice(("", "", "", ":*", ":A"))
    if r.random() < 0.1:
        return "!" + _of_prose(r, depth - 1)
    sign = r.choice((" & ", " & ", " | ", " <-> ", " <2> "))
    return f"({_of_prose(r, depth - 1)}{sign}{_of_prose(r, depth - 1)})"


def _options(r: Random) -> str:
    found = []
    if r.random() < 0.5:
        found.append(f"MaxFragments={r.randrange(4)}")
    if r.random() < 0.6:
        least = r.randrange(1, 12)
        found += [f"MinWords={least}", f"MaxWords={least + r.randrange(20)}"]
    if r.random() < 0.3:
        found.append(f"ShortWord={r.randrange(6)}")
    if r.random() < 0.2:
        found.append(f"HighlightAll={r.choice(('true', '1', 'off'))}")
    if r.random() < 0.2:
        found.append('FragmentDelimiter=\' # \', startsel="<""i>"')
    return ", ".join(found)
