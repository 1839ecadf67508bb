"""PostgreSQL's lexical rules: text to tokens, exactly, with the character offset of each.

Everything that looks at SQL text in this house looks at it through here: the splitter, the grammar of
utility statements, the tokens that are fed to sqlglot, the messages that point into a statement.
One compiled regular expression finds each token; the few kinds with an inner grammar (escape strings,
Unicode escapes, operators) are finished by hand.

    SELECT E'a\\n' AS "B", $1::int --x
    |      |        |  |  | |  | |
    word   string   |  |  | |  | word
                 word  |  | |  operator ::
                  quoted  , parameter

The rules that are easily forgotten, and hold here:

* Unquoted identifiers fold A-Z only, and may contain `$` and any character beyond ASCII.
* `'a'` newline `'b'` is one string; `'a' 'b'` on one line is not.
* Block comments nest. An operator ends where a comment begins in it.
* An operator of several characters does not end in + or - unless it has one of ``~ ! @ # ^ & | ` ? %``.
* `1..2` is `1` `..` `2`; `1a`, `0x1F`, `1_000` and `$1a` are errors (PostgreSQL 15 knows them not yet).

Positions are offsets in characters, as clients count them. Errors are 42601 with PostgreSQL's words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import attrgetter
from typing import Final, NoReturn

from planner.abc import PlanError
from planner.keywords import KEYWORDS

WORD: Final = 1
"""An unquoted identifier or keyword, folded."""
QUOTED: Final = 2
"""A quoted identifier."""
STRING: Final = 3
"""A character string of whatever notation, decoded."""
BITS: Final = 4
"""B'...': the digits."""
HEX: Final = 5
"""X'...': the digits."""
INTEGER: Final = 6
DECIMAL: Final = 7
PARAMETER: Final = 8
"""$n: the digits."""
OPERATOR: Final = 9
PUNCTUATION: Final = 10
"""One of ( ) [ ] , ; : . and the pairs :: := .. (operators like + and = are OPERATOR)."""
END: Final = 11
"""The end of the statement, so that a parser can always look one token ahead."""

IDENTIFIER_BYTES_MAX: Final = 63
_SHORT: Final = 15
"""Characters of an identifier that are that many bytes at most, whichever they are."""


class Token:
    """`value` is what the token means, `text[start:end]` how it was written.

    `keyword` is the value if it is an unquoted keyword, otherwise "".
    """

    __slots__ = ("end", "keyword", "kind", "start", "value")

    def __init__(self, kind: int, value: str, start: int, end: int, keyword: str = "") -> None:
        self.kind, self.value, self.start, self.end, self.keyword = kind, value, start, end, keyword

    def __repr__(self) -> str:
        return f"Token({self.kind}, {self.value!r}, {self.start}, {self.end})"


# Said by what they are not: of a class up to the last character `re` makes a table of all 65,536, four milliseconds each.
_LETTER = r"[^\x00-@\[-^`{-\x7f]"  # A-Z, a-z, _ and all beyond ASCII
_LETTER_OR_DIGIT = r"[^\x00-/:-@\[-^`{-\x7f]"
_LETTER_DIGIT_DOLLAR = r"[^\x00-\#%-/:-@\[-^`{-\x7f]"
# Possessive: what follows a string that ends a line is any amount of indentation, and each way of dividing it would be tried.
CONTINUED: Final = r"(?:[ \t\f]++|--[^\n\r]*+)*+[\n\r](?:[ \t\n\r\f]++|--[^\n\r]*+[\n\r])*+"

_MASTER: Final = re.compile(
    rf"""
    (?: [ \t\n\r\f]++ | --[^\n\r]*+ )*+
    (?:
    (?P<nothing> \Z )
  | (?P<prefixed> [eEbBxXnN]' | [uU]&['"] )
  | (?P<word>   {_LETTER}{_LETTER_DIGIT_DOLLAR}* )
  | (?P<string> '[^']*(?:''[^']*)*' )
  | (?P<quoted> "[^"]*(?:""[^"]*)*" )
  | (?P<number> (?: \d+\.(?!\.)\d* | \.\d+ | \d+ ) (?: [eE][+-]?\d+ )? )
  | (?P<parameter> \$\d+ )
  | (?P<dollar> \$(?:{_LETTER}{_LETTER_OR_DIGIT}*)?\$ )
  | (?P<punct>  :: | := | \.\. | [()\[\],;:.] )
  | (?P<block>  /\* )
  | (?P<op>     [~!@\#^&|`?+\-*/%<>=]+ )
    )
    """,
    re.VERBOSE,
)
_GROUPS: Final = dict(_MASTER.groupindex)
_NOTHING, _PREFIXED, _WORD = _GROUPS["nothing"], _GROUPS["prefixed"], _GROUPS["word"]
_STRING, _QUOTED, _NUMBER = _GROUPS["string"], _GROUPS["quoted"], _GROUPS["number"]
_PARAMETER, _DOLLAR, _PUNCT = _GROUPS["parameter"], _GROUPS["dollar"], _GROUPS["punct"]
_BLOCK, _OP = _GROUPS["block"], _GROUPS["op"]

_SPACES: Final = re.compile(r"(?:[ \t\n\r\f]++|--[^\n\r]*+)*+")
_PLAIN_STRING: Final = re.compile(r"'[^']*(?:''[^']*)*'")
_ESCAPE_STRING: Final = re.compile(r"'[^'\\]*(?:(?:''|\\.)[^'\\]*)*'", re.DOTALL)
_QUOTE_OR_ESCAPE: Final = re.compile(r"''|\\.", re.DOTALL)
_CONTINUATION: Final = re.compile(CONTINUED + r"(?=')")
_QUOTED_IDENTIFIER: Final = re.compile(r'"[^"]*(?:""[^"]*)*"')
_COMMENT_EDGE: Final = re.compile(r"/\*|\*/")
_JUNK: Final = re.compile(_LETTER)
_WORD_CHARS: Final = re.compile(rf"{_LETTER_DIGIT_DOLLAR}+")
_UESCAPE: Final = re.compile(
    r"(?:[ \t\n\r\f]++|--[^\n\r]*+)*+[uU][eE][sS][cC][aA][pP][eE](?:[ \t\n\r\f]++|--[^\n\r]*+)*+'"
)
_ESCAPE: Final = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|([uU])|(.))", re.DOTALL
)
_SIMPLE_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_UPPER_TO_LOWER: Final = {c: c + 32 for c in range(ord("A"), ord("Z") + 1)}
_FREE_OPERATOR_CHARS: Final = frozenset("~!@#^&|`?%")


_KEPT_MAX: Final = 16
_KEPT_LENGTH_MAX: Final = 4_096
_lately: Final[dict[str, list[Token]]] = {}
"""Tokens are never changed, lists of them are."""


def fold(name: str) -> str:
    """An unquoted identifier as PostgreSQL stores it: ASCII letters lower, at most 63 bytes."""
    name = lowered(name)
    return truncate(name) if len(name) > _SHORT else name


def lowered(name: str) -> str:
    """With ASCII letters in lower case, and no others."""
    return name.lower() if name.isascii() else name.translate(_UPPER_TO_LOWER)


def within_parentheses(tokens: list[Token]) -> list[Token]:
    """The tokens of an expression without parentheses around a single one: `(('5'))` is the literal."""
    inside = tokens
    while len(inside) > 3 and is_sign(inside[0], "(") and is_sign(inside[-2], ")"):
        inside = [*inside[1:-2], inside[-1]]
    return inside if len(inside) == 2 else tokens


def is_sign(token: Token, sign: str) -> bool:
    """Whether a token is this punctuation, and not a string or a name that reads like it."""
    return token.kind == PUNCTUATION and token.value == sign


_keyword: Final = attrgetter("keyword")


def keywords_of(tokens: Iterable[Token]) -> set[str]:
    """The keywords among these: what most grammar need not be looked for."""
    return set(map(_keyword, tokens))


def quoted(name: str) -> str:
    """The quoted identifier that means a name."""
    return '"' + name.replace('"', '""') + '"'


def truncate(name: str) -> str:
    """Cuts an identifier to 63 bytes without splitting a character."""
    raw = name.encode()
    if len(raw) <= IDENTIFIER_BYTES_MAX:
        return name
    return raw[:IDENTIFIER_BYTES_MAX].decode(errors="ignore")


def _fail(message: str, text: str, start: int, end: int, sqlstate: str = "42601") -> NoReturn:
    raise PlanError(sqlstate, f'{message} at or near "{text[start:end]}"', position=start + 1)


def tokenize(text: str) -> list[Token]:
    """All tokens of a text, END last. Raises PlanError 42601 (22025, 22021 for bad escapes).

    A definition's texts are looked at several times, for one thing after the other: the last few are kept.
    """
    known = _lately.get(text)
    if known is not None:
        return known.copy()
    tokens = _tokenized(text)
    if len(text) <= _KEPT_LENGTH_MAX:
        if len(_lately) >= _KEPT_MAX:
            _lately.clear()
        _lately[text] = tokens.copy()
    return tokens


def _tokenized(text: str) -> list[Token]:
    tokens: list[Token] = []
    append = tokens.append
    match = _MASTER.match
    keywords = KEYWORDS
    at, size = 0, len(text)
    while at < size:
        m = match(text, at)
        if m is None:
            _unmatched(text, at)
        group = m.lastindex
        assert group is not None
        at, end = m.span(group)
        if group == _WORD:
            value = m[group]
            value = value.lower() if len(value) <= _SHORT and value.isascii() else fold(value)
            append(Token(WORD, value, at, end, value if value in keywords else ""))
        elif group == _PUNCT:
            append(Token(PUNCTUATION, m[group], at, end))
        elif group == _NOTHING:
            break
        elif group == _NUMBER:
            number = m[group]
            if end < size and _JUNK.match(text, end):
                _fail("trailing junk after numeric literal", text, at, _junk_end(text, end))
            append(Token(INTEGER if number.isdigit() else DECIMAL, number, at, end))
        elif group == _STRING:
            value, end = _continued(text, m[group][1:-1].replace("''", "'"), end, _plain)
            append(Token(STRING, value, at, end))
        elif group == _OP:
            op = _operator(m[group])
            end = at + len(op)
            append(Token(OPERATOR, "<>" if op == "!=" else op, at, end))
        elif group == _QUOTED:
            append(Token(QUOTED, _identifier(text, m[group], at), at, end))
        elif group == _PARAMETER:
            if end < size and _JUNK.match(text, end):
                _fail("trailing junk after parameter", text, at, _junk_end(text, end))
            append(Token(PARAMETER, text[at + 1 : end], at, end))
        elif group == _PREFIXED:
            token = _prefixed(text, at)
            end = token.end
            append(token)
        elif group == _BLOCK:
            end = _block_comment(text, at)
        else:
            tag = m[group]
            close = text.find(tag, end)
            if close < 0:
                _fail("unterminated dollar-quoted string", text, at, size)
            append(Token(STRING, text[end:close], at, close + len(tag)))
            end = close + len(tag)
        at = end
    append(Token(END, "", size, size))
    return tokens


def _junk_end(text: str, at: int) -> int:
    """The junk after a number is all that could be an identifier; after `1e+` it is the sign."""
    if text[at] in "eE" and text[at + 1 : at + 2] in ("+", "-"):
        return at + 2
    m = _WORD_CHARS.match(text, at)
    return m.end() if m is not None else at + 1


def _unmatched(text: str, at: int) -> NoReturn:
    space = _SPACES.match(text, at)
    assert space is not None
    at = space.end()
    c = text[at]
    if c == "'":
        _fail("unterminated quoted string", text, at, len(text))
    if c == '"':
        _fail("unterminated quoted identifier", text, at, len(text))
    _fail("syntax error", text, at, at + 1)


def _operator(run: str) -> str:
    """Cuts a run of operator characters to the operator that PostgreSQL sees in it."""
    for comment in ("--", "/*"):
        cut = run.find(comment, 1)
        if cut > 0:
            run = run[:cut]
    if len(run) > 1 and run[-1] in "+-" and not _FREE_OPERATOR_CHARS.intersection(run):
        run = run.rstrip("+-") or run[0]
    return run


def _identifier(text: str, quoted: str, at: int) -> str:
    if quoted == '""':
        _fail("zero-length delimited identifier", text, at, at + 2)
    name = quoted[1:-1].replace('""', '"')
    return truncate(name) if len(name) > _SHORT else name


def _plain(text: str, at: int) -> tuple[str, int]:
    m = _PLAIN_STRING.match(text, at)
    if m is None:
        _fail("unterminated quoted string", text, at, len(text))
    return m.group()[1:-1].replace("''", "'"), m.end()


def _escape(text: str, at: int) -> tuple[str, int]:
    m = _ESCAPE_STRING.match(text, at)
    if m is None:
        _fail("unterminated quoted string", text, at, len(text))
    return with_escaped_quotes(m.group()[1:-1]), m.end()


def with_escaped_quotes(inside: str) -> str:
    """The inside of an E'' string whose doubled quotes are escapes as well, so that `unescape` has one kind to read."""
    if "''" not in inside:
        return inside
    return _QUOTE_OR_ESCAPE.sub(lambda m: "\\'" if m[0] == "''" else m[0], inside)


def _continued(text: str, value: str, end: int, part: object) -> tuple[str, int]:
    """Adds the parts of a string that goes on after a line break."""
    m = _CONTINUATION.match(text, end)
    while m is not None:
        more, end = part(text, m.end())  # type: ignore[operator]
        value += more
        m = _CONTINUATION.match(text, end)
    return value, end


def _prefixed(text: str, at: int) -> Token:
    letter = text[at].lower()
    if letter == "u":
        return _unicode(text, at)
    open_at = at + 1
    if letter == "e":
        if _ESCAPE_STRING.match(text, open_at) is None:
            _fail("unterminated quoted string", text, at, len(text))
        raw, end = _continued(text, *_escape(text, open_at), _escape)
        return Token(STRING, unescape(raw, open_at + 2), at, end)
    m = _PLAIN_STRING.match(text, open_at)
    if m is None:
        what = {"b": "bit string literal", "x": "hexadecimal string literal"}.get(letter, "quoted string")
        _fail(f"unterminated {what}", text, at, len(text))
    value, end = _continued(text, m.group()[1:-1].replace("''", "'"), m.end(), _plain)
    return Token({"b": BITS, "x": HEX}.get(letter, STRING), value, at, end)


def unescape(raw: str, position: int = 0) -> str:
    """Decodes the inside of an E'' string that begins at `position` (1-based).

    `\\ooo` and `\\xhh` are bytes, which must form UTF-8. Raises 42601, 22025, 22021.
    """
    if "\\" not in raw:
        return raw

    def bad(message: str, at: int, near: str) -> PlanError:
        return PlanError("42601", f'{message} at or near "{near}"', position=position + at)

    pair = "invalid Unicode surrogate pair"
    out = bytearray()
    last = 0
    high = 0
    for m in _ESCAPE.finditer(raw):
        if high and m.start() != last:
            raise bad(pair, last, raw[last])
        out += raw[last : m.start()].encode()
        last = m.end()
        octal, hexa, u4, u8, malformed, other = m.groups()
        if malformed is not None:
            raise PlanError(
                "22025",
                "invalid Unicode escape",
                position=position + m.start(),
                hint=r"Unicode escapes must be \uXXXX or \UXXXXXXXX.",
            )
        if u4 is not None or u8 is not None:
            code = int(u4 or u8, 16)
            if high:
                if not 0xDC00 <= code <= 0xDFFF:
                    raise bad(pair, m.start(), m.group())
                code, high = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00, 0
            elif 0xD800 <= code <= 0xDBFF:
                high = code
                continue
            elif 0xDC00 <= code <= 0xDFFF:
                raise bad(pair, m.start(), m.group())
            if code == 0 or code > 0x10FFFF:
                raise bad("invalid Unicode escape value", m.start(), m.group())
            out += chr(code).encode()
            continue
        if high:
            raise bad(pair, m.start(), m.group())
        if octal is not None:
            out.append(int(octal, 8) & 0xFF)
        elif hexa is not None:
            out.append(int(hexa, 16))
        else:
            out += _SIMPLE_ESCAPES.get(other, other).encode()
    if high:
        raise bad(pair, last, raw[last : last + 1] or "'")
    out += raw[last:].encode()
    try:
        if b"\0" in out:
            raise PlanError("22021", 'invalid byte sequence for encoding "UTF8": 0x00')
        return out.decode()
    except UnicodeDecodeError as e:
        shown = " ".join(f"0x{b:02x}" for b in out[e.start : e.end])
        raise PlanError("22021", f'invalid byte sequence for encoding "UTF8": {shown}') from None


def _unicode(text: str, at: int) -> Token:
    """U&'...' and U&"...", with UESCAPE if it follows."""
    open_at = at + 2
    if text[open_at] == "'":
        kind = STRING
        m = _PLAIN_STRING.match(text, open_at)
        if m is None:
            _fail("unterminated quoted string", text, at, len(text))
        raw, end = _continued(text, m.group()[1:-1].replace("''", "'"), m.end(), _plain)
    else:
        kind = QUOTED
        m = _QUOTED_IDENTIFIER.match(text, open_at)
        if m is None:
            _fail("unterminated quoted identifier", text, at, len(text))
        raw, end = m.group()[1:-1].replace('""', '"'), m.end()
        if not raw:
            _fail("zero-length delimited identifier", text, at, end)
    escape = "\\"
    said = _UESCAPE.match(text, end)
    if said is not None:
        escape, end = _plain(text, said.end() - 1)
        if len(escape) != 1 or escape in "0123456789abcdefABCDEF+'\" \t\n\r\f":
            _fail("invalid Unicode escape character", text, said.end() - 1, end)
    value = _decode_unicode(raw, escape, open_at + 2)
    return Token(kind, truncate(value) if kind == QUOTED else value, at, end)


def _decode_unicode(raw: str, escape: str, position: int) -> str:
    if escape not in raw:
        return raw
    e = re.escape(escape)
    out: list[str] = []
    last = 0
    high = 0
    for m in re.finditer(rf"{e}(?:({e})|([0-9A-Fa-f]{{4}})|\+([0-9A-Fa-f]{{6}})|)", raw):
        if high and m.start() != last:
            raise PlanError("42601", "invalid Unicode surrogate pair", position=position + last)
        out.append(raw[last : m.start()])
        last = m.end()
        if m.group(1) is not None:
            out.append(escape)
            continue
        digits = m.group(2) or m.group(3)
        if digits is None:
            raise PlanError(
                "42601",
                "invalid Unicode escape",
                position=position + m.start(),
                hint="Unicode escapes must be \\XXXX or \\+XXXXXX.",
            )
        code = int(digits, 16)
        if high:
            if not 0xDC00 <= code <= 0xDFFF:
                raise PlanError("42601", "invalid Unicode surrogate pair", position=position + m.start())
            code, high = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00, 0
        elif 0xD800 <= code <= 0xDBFF:
            high = code
            continue
        elif 0xDC00 <= code <= 0xDFFF:
            raise PlanError("42601", "invalid Unicode surrogate pair", position=position + m.start())
        if code == 0 or code > 0x10FFFF:
            raise PlanError("42601", "invalid Unicode escape value", position=position + m.start())
        out.append(chr(code))
    if high:
        raise PlanError("42601", "invalid Unicode surrogate pair", position=position + last)
    out.append(raw[last:])
    return "".join(out)


def _block_comment(text: str, at: int) -> int:
    """The end of the comment that begins here."""
    end = comment_end(text, at)
    if end is None:
        _fail("unterminated /* comment", text, at, len(text))
    return end


def comment_end(text: str, at: int) -> int | None:
    """Where the comment in /* */ that begins here ends; comments nest. None: nowhere."""
    depth, scan = 1, at + 2
    while depth:
        m = _COMMENT_EDGE.search(text, scan)
        if m is None:
            return None
        depth += 1 if m.group() == "/*" else -1
        scan = m.end()
    return scan
