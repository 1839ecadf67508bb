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
