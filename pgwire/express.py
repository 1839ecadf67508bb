"""A prepared statement that comes as it came before: what was found out about it then is not found out again.

    B length | portal NUL statement NUL formats count | length value ... | result formats | (D) E S
               \\________ the same every time ________/                    \\___ the same every time __/

A client executes a prepared statement with other values, and everything else in the same bytes. So what stands around the values
is compared instead of read, and what was found out for it the first time (`extended.bind`) is kept with the statement: what decodes
the values, what encodes the rows, what is said before them.

    a read outside of blocks     from bytes to bytes, with nothing in between (`executor.session.readers`)
    everything else              by the fast door, as the handlers would (`fused`)

Whatever is not as it was (a portal, a notice to be sent, a message in two pieces, values that cannot be read) is left to the
handlers, which begin with the same bytes: nothing has happened. A read that was begun has changed nothing, so it is left to
them at any error; what may write is seen to its end.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from struct import Struct
from time import time_ns
from typing import TYPE_CHECKING, Any, Final, Literal

from executor.abc import PENDING, Prepared
from pgwire import fused, messages, replies
from pgwire.abc import WAIT, Step
from pgwire.encoding.parameters import (
    field_of,
    fields_decoder,
    integers_of,
    parameter_input,
    params_decoder,
    plain_integers,
    plain_width,
)
from pgwire.pages import encoded
from pgwire.runs import VALUES_MIN
from pgwire.shapes import Shape
from pgwire.transcoding import spoken
from planner.types.settings import moments_unsaid

if TYPE_CHECKING:
    from pgwire.session import Conversation
    from planner.abc import TypeRef
    from planner.listed_parameters import Listing
    from planner.types import TypeSettings
    from storage.abc import Row

Reader = Callable[[tuple[Any, ...]], "Sequence[Row] | None"]
Decode = Callable[[tuple[Any, ...]], tuple[Any, ...]]
Parameters = Callable[[bytes], "tuple[Any, ...] | None"]
"""The bytes from Bind to Sync -> the datums of the values in them, or None: they are not as usual. Raises where they cannot be read."""

_int32_at = Struct(">i").unpack_from
_NAME_AT: Final = messages.HEADER_SIZE_BYTES + 1
_ENDS: Final = [replies.command_complete(f"SELECT {n}") + replies.READY[b"I"] for n in range(1001)]
"""CommandComplete and ReadyForQuery after so many rows."""
INTEGERS_COMPILED_MAX: Final = 8
"""More of them are read faster as one (`plain_integers`)."""
LISTED_MAX: Final = 64
"""A statement with lists that are longer comes in another length each time."""
LAYOUT_FIELDS_MAX: Final = 512
"""So many fields the layouts that are kept with a statement have together, and those of one more."""


class Usual(fused.Four):
    """How a statement is usually bound, and what was found out for that: good for one plan and one set of settings."""

    __slots__ = ("compiled", "parameters", "plan", "read", "settings")

    def __init__(
        self,
        prepared: Prepared,
        shape: Shape,
        settings: TypeSettings,
        bound: messages.Bound,
        *,
        described: bool,
    ) -> None:
        _, name, codes, values, formats = bound
        super().__init__(shape, formats, described=described)
        after = messages.DESCRIBE_EXECUTE_SYNC if described else messages.EXECUTE_SYNC
        head = b"\x00" + name.encode() + b"\x00" + _counted(codes) + len(values).to_bytes(2, "big")
        self.plan, self.settings = prepared.plan, settings
        self.compiled = self.plan.compiled
        """What `run` was made for."""
        listing = prepared.listing
        types = tuple(self.plan.parameters) if listing is None else listing.each(self.plan)
        read = _parameters(head, _counted(formats) + after, len(after), types, codes, settings)
        self.parameters = read if listing is None else _listed(read, listing)
        self.read: Reader | Literal[False] | None = None
        """What answers it outside of blocks. False: it is no such read. None: not asked yet."""


def answered(conversation: Conversation, data: bytes, before: bytes = b"") -> bool:
    """Answers what was read, or begins to, if it is one statement as usual; False: nothing has happened.

    The conversation is `calm`. `before`: what is to be said before the answer, if it is given here.
    """
    session = conversation.session
    prepared = session.statements.get(str(data[_NAME_AT : data.find(0, _NAME_AT)], "latin-1"))
    if prepared is None or session.portals:
        return False
    usual: Usual | None = prepared.express
    if not usual:
        return False
    if session.type_settings is not usual.settings or prepared.plan is not usual.plan:
        prepared.express = None  # learned again, with what there is now
        return False
    try:
        if prepared.listing is not None and session.renewed(prepared) is not prepared:
            return False  # with another catalog it is another statement
        params = usual.parameters(data)
    except Exception:  # noqa: BLE001  whatever it is: the handlers will meet it again, and report it
        return False
    if params is None or session.in_implicit:
        return False
    if session.transaction_status == b"I":
        read = usual.read
        if read:
            return _read(conversation, prepared, usual, read, params, before)
        if read is None:
            return False
    if before:
        conversation.out.append(before)
    run = usual.run
    answer: Step | bytes = None
    if run is not None:  # as in `fused.execute`, where the statement begins anew if there is no result
        session.statement_text, session.statement_began_ns = prepared.text, time_ns()
        try:
            result = run(params, conversation.done)
        except Exception as error:  # noqa: BLE001
            answer = fused.answer(conversation, usual, error)
        else:
            if result is PENDING:
                conversation.unnamed_done = prepared
                conversation.pending = fused.finish, (usual,)
                answer = WAIT
            elif result is not None:
                conversation.unnamed_done = prepared
                answer = fused.answer(conversation, usual, result)  # type: ignore[arg-type]
            elif prepared.plan.compiled is not usual.compiled:
                prepared.express = None  # the catalog is another one: what runs it is found out again
    if answer is None:
        answer = fused.execute(conversation, prepared, usual, params)
    if answer.__class__ is bytes:
        if answer and not before:
            conversation.io.write(answer)
        else:
            conversation.out.append(answer)
            conversation.flush()
    elif answer is WAIT and conversation.early is None:
        conversation.busy = True
    elif conversation.under_way(answer):  # type: ignore[arg-type]
        conversation.flush()
    return True


def _read(
    conversation: Conversation,
    prepared: Prepared,
    usual: Usual,
    read: Reader,
    params: tuple[Any, ...],
    before: bytes,
) -> bool:
    """Answers a read outside of blocks, or leaves it alone."""
    session = conversation.session
    if session.notices or session.heard or session.parameter_changes or session.watched:
        return False
    began_ns = time_ns()
    try:
        rows = read(params)
        if rows is None:
            prepared.express = None  # the catalog may be another one: it is learned again
            return False
        shape = usual.shape
        body = (shape.encode_rows(rows) if type(rows) is tuple else encoded(shape, rows)) if rows else b""
    except Exception:  # noqa: BLE001  whatever it is: the handlers will meet it again, and report it
        return False
    session.statement_text, session.statement_began_ns = prepared.text, began_ns
    count = len(rows)
    conversation.io.write(
        before + usual.opening + body + (_ENDS[count] if count < len(_ENDS) else _end(count))
    )
    return True


def learn(
    conversation: Conversation,
    prepared: Prepared,
    shape: Shape,
    bound: messages.Bound,
    *,
    described: bool,
    alone: bool,
) -> None:
    """After a statement was bound and executed in one: keeps how, if it may come again. `alone`: it was in no block."""
    plan, values, settings = prepared.plan, bound[3], conversation.session.type_settings
    if spoken(settings) is not None:
        return  # each text has to be translated
    long = plan.tag == "INSERT" and len(values) >= VALUES_MIN  # its rows may go in by columns (`runs`)
    long = long or (prepared.listing is not None and len(values) > LISTED_MAX)
    if not prepared.name.isascii() or long or prepared.literals is not None:
        prepared.express = False
        return
    usual = prepared.express = Usual(prepared, shape, settings, bound, described=described)
    usual.run = conversation.session.runner(plan)
    if alone:
        usual.read = conversation.session.reader(plan) or False


def _listed(read: Parameters, listing: Listing) -> Parameters:
    """The same with its lists as one value each."""

    def parameters(data: bytes) -> tuple[Any, ...] | None:
        values = read(data)
        return None if values is None else listing.folded(values)

    return parameters


def _counted(formats: tuple[int, ...]) -> bytes:
    return len(formats).to_bytes(2, "big") + b"".join([f.to_bytes(2, "big") for f in formats])


def _end(count: int) -> bytes:
    return replies.command_complete(f"SELECT {count}") + replies.READY[b"I"]


def _parameters(
    head: bytes,
    tail: bytes,
    after_size: int,
    types: tuple[TypeRef, ...],
    codes: tuple[int, ...],
    settings: TypeSettings,
) -> Parameters:
    """What finds the values between head and tail and reads them; None: they are not all there, or are not what is there. Of a
    Bind with these formats, which has been read once, so they fit.

    Values have few lengths, so from how long they are together, and the first of them, one guesses where each begins, and looks
    whether it is so.
    """
    begin, count = messages.HEADER_SIZE_BYTES, len(types)
    if not count:
        size_bytes = 4 + len(head) + len(tail) - after_size
        whole = b"B" + size_bytes.to_bytes(4, "big") + head + tail
        return lambda data: () if data == whole else None
    first = begin + len(head)
    tail_size = len(tail)
    extra = 1 + after_size
    second = first + 4
    starts: dict[int, bytes] = {}
    """Of a message of so many bytes: all that stands before its one value, lengths included."""
    layouts: dict[
        tuple[int, bytes], tuple[Callable[..., tuple[Any, ...]], tuple[int, ...], Decode, Decode | None]
    ] = {}
    """Of a message so long whose first value is so long: what unpacks lengths and values, the lengths, what makes datums of all that,
    and what does it if they are digits (`integers_of`)."""
    settings = moments_unsaid(settings)
    read = parameter_input(types[0], codes[0] if codes else 0, settings)
    decode = params_decoder(types, codes, settings)
    width = plain_width(types, codes)

    def of_digits(both: tuple[Any, ...]) -> tuple[Any, ...]:
        return plain_integers(decode, both[1::2])

    def one(data: bytes) -> tuple[Any, ...] | None:
        size = len(data)
        start = starts.get(size)
        if start is None:
            length = size - tail_size - second
            if length < 0:
                return None
            start = b"B" + (size - extra).to_bytes(4, "big") + head + length.to_bytes(4, "big")
            if len(starts) < LAYOUT_FIELDS_MAX:
                starts[size] = start
        if data.startswith(start) and data.endswith(tail):
            return (read(data[second : size - tail_size]),)
        return None

    def others(data: bytes) -> tuple[Any, ...] | None:
        if not data.endswith(tail):
            return None
        size = len(data)
        told = size, data[1:second]
        known = layouts.get(told)
        if known is not None:
            unpack, sizes, datums, integers = known
            both = unpack(data, first)
            if both[::2] == sizes:
                if integers is not None and data.find(b"_", first) < 0:
                    try:
                        return integers(both)
                    except ValueError:
                        pass
                return datums(both)
        if not data.startswith(head, begin) or _int32_at(data, 1)[0] != size - extra:
            return None
        values = _values(data, first, size - tail_size)
        if values is None or len(values) != count:
            return None
        if known is None and count * len(layouts) < LAYOUT_FIELDS_MAX and None not in values:
            sizes = tuple([len(value or b"") for value in values])
            fields, of_fields = fields_decoder(types, codes, settings)
            form = "".join([field_of(f, v or b"") for f, v in zip(fields, values, strict=True)])
            short = max(sizes) <= width
            layouts[told] = (
                Struct(">" + form).unpack_from,
                sizes,
                of_digits if short else of_fields,
                integers_of(count) if short and count <= INTEGERS_COMPILED_MAX else None,
            )
        return decode(values)

    return one if count == 1 else others


def _values(data: bytes, at: int, end: int) -> list[bytes | None] | None:
    """The values from `at` to `end`, each after its length (-1: NULL); None: there is something else."""
    values: list[bytes | None] = []
    while at + 4 <= end:
        length: int = _int32_at(data, at)[0]
        at += 4
        if length >= 0:
            values.append(data[at : at + length])
            at += length
        elif length == -1:
            values.append(None)
        else:
            return None
    return values if at == end else None


__all__ = ["answered", "learn"]
