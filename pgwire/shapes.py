"""How a plan looks on the wire: its RowDescription and its row encoder, made once per plan.

A plan is executed a million times and described in the same bytes each time. What depends on the
plan, the formats that Bind asked for and the session's type settings hangs off `Plan.wire`:

    Plan.wire --formats--> Shape(description, bound, encode_rows, encode_batch)
              --codes----> parameter decoder

This is also the one place that knows the functions of `pgwire.encoding`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from executor.abc import Prepared, Session
from pgwire import replies
from pgwire.encoding import batch_encoder, page_encoder, params_decoder, row_encoder
from pgwire.encoding.altered_types import pieces_under_types, under_types
from pgwire.encoding.batches import BatchEncoder, PageEncoder
from pgwire.encoding.bound_columns import BoundColumn
from pgwire.encoding.copy_columns import Doubt
from pgwire.encoding.rows import formats_for
from pgwire.listed_values import list_reader
from pgwire.messages import ProtocolViolation
from pgwire.pages import Page, lasting
from pgwire.transcoding import RowTranscoder, check_names, recoded_values, spoken
from planner.abc import Plan, ResultColumn, SqlError, TypeRef, Utility
from planner.errors import BytesLeftOver
from planner.listed_parameters import Listing
from planner.statements import Execute, Fetch
from planner.types import arrow_type
from planner.types.settings import MomentUnsaid, moments_unsaid
from storage.abc import Datum, Row

if TYPE_CHECKING:
    from planner.types import TypeSettings

Formats = tuple[int, ...]
ColumnsPage = tuple[list[pa.DataType], PageEncoder]
"""The columns that it is for, and what makes pages of them."""
VARIANTS_LIMIT: Final = 32
"""Shapes kept per plan: formats times settings. Beyond it the oldest is made anew when needed."""


class Shape:
    """One result in certain formats under certain settings."""

    __slots__ = (
        "_batches",
        "_columns",
        "_encoding",
        "_formats",
        "_pages",
        "bound",
        "description",
        "dynamic",
        "encode_rows",
        "lasting",
        "settings",
    )

    def __init__(
        self, columns: Sequence[ResultColumn] | None, formats: Formats, settings: TypeSettings
    ) -> None:
        self.settings = settings
        self._columns, self._formats = columns, formats
        self._batches: BatchEncoder | None = None
        self._pages: ColumnsPage | None = None
        if columns is None:
            # Clients may name formats for the columns of a statement that has none.
            self.description = replies.NO_DATA
            self.encode_rows: Callable[[Sequence[Row]], bytes] = _no_rows
            self._encoding = None
        else:
            self.encode_rows = under_types(settings, row_encoder(columns, formats, settings))
            self._encoding = spoken(settings)
            if self._encoding is not None:
                check_names([c.name for c in columns], self._encoding)
                self.encode_rows = self._transcoder().of_rows(self.encode_rows)
            self.description = replies.row_description(columns, formats)
        self.bound = replies.BIND_COMPLETE + self.description
        self.lasting = columns is not None and lasting(c.type for c in columns)
        """Rows look the same whenever they are encoded (`pgwire.pages`)."""
        self.dynamic = False
        """The plan does not know its columns: EXECUTE and FETCH return those of another statement."""

    def encode_batch(self, batch: pa.RecordBatch, rows_each: int = 0) -> Iterator[bytes]:
        """DataRow messages of a batch, in pieces of some hundred kilobytes, or of so many rows (`BatchEncoder`)."""
        encode = self._batches
        if encode is None:  # made when first needed: keyed plans never do
            assert self._columns is not None, "rows of a statement that returns none"
            encode = batch_encoder(self._columns, self._formats, self.settings)
            if self._encoding is not None:
                encode = self._transcoder().of_batches(encode)
            self._batches = encode
        return pieces_under_types(self.settings, encode(batch, rows_each))

    def page_of_columns(self, arrays: Sequence[pa.Array]) -> Page | None:
        """Some rows in columns, as a page; None where that must be made of tuples. Raises SqlError as `encode_rows` does."""
        if self._encoding is not None:
            return None
        if self._pages is None:
            assert self._columns is not None, "rows of a statement that returns none"
            encode = page_encoder(self._columns, self._formats, self.settings)
            self._pages = [arrow_type(c.type) for c in self._columns], encode
        types, encode = self._pages
        return encode(arrays) if [a.type for a in arrays] == types else None

    def _transcoder(self) -> RowTranscoder:
        assert self._encoding is not None and self._columns is not None
        forms = formats_for(self._formats, len(self._columns))
        return RowTranscoder([c.type for c in self._columns], forms, self._encoding)


class PlanWire:
    """What pgwire remembers of a plan, by formats and settings.

    Each session has settings of its own, which can tell the names of tables and the like; where no value is of such a type,
    sessions whose settings look alike share everything, the pages of rows that were sent above all (`pgwire.pages`).
    """

    __slots__ = ("columns", "decoders", "shapes", "shared")

    def __init__(self, plan: Plan) -> None:
        self.shared = lasting(plan.parameters) and lasting(c.type for c in plan.columns or ())
        self.shapes: dict[tuple[Formats, int], Shape] = {}
        self.decoders: dict[tuple[Formats, int], tuple[TypeSettings, ParameterDecoder]] = {}
        self.columns: dict[tuple[Formats, int], tuple[TypeSettings, list[BoundColumn]]] = {}


ParameterDecoder = Callable[[Sequence[bytes | None]], tuple[Datum, ...]]


def _kept(plan: Plan, formats: Formats, settings: TypeSettings) -> tuple[PlanWire, tuple[Formats, int]]:
    """What is remembered of a plan, and under which key for these formats and settings.

    What is made for it is made with `_kept_settings`: where others share it, it may not ask the session that came first, which may be gone.
    """
    wire: PlanWire | None = plan.wire
    if wire is None:
        wire = plan.wire = PlanWire(plan)
    # What is kept holds its settings, so their id stays theirs for as long as it is.
    return wire, (formats, settings.look if wire.shared else id(settings))


def _kept_settings(wire: PlanWire, settings: TypeSettings) -> TypeSettings:
    return settings.of_all() if wire.shared else settings


def shape_of(plan: Plan, formats: Formats, settings: TypeSettings) -> Shape:
    """Raises ProtocolViolation if the formats do not fit the columns."""
    wire, key = _kept(plan, formats, settings)
    shape: Shape | None = wire.shapes.get(key)
    if shape is None:
        shape = Shape(plan.columns, formats, _kept_settings(wire, settings))
        shape.dynamic = plan.columns is None and _runs_another(plan)
        if len(wire.shapes) >= VARIANTS_LIMIT:
            wire.shapes.clear()
        wire.shapes[key] = shape
    return shape


def shape_of_columns(columns: tuple[ResultColumn, ...], formats: Formats, settings: TypeSettings) -> Shape:
    """For results whose columns only showed at execution (FETCH, EXECUTE, SHOW)."""
    if len(formats) > 1 and len(formats) != len(columns):
        formats = ()
    return Shape(columns, formats, settings)


def described_columns(plan: Plan, session: Session) -> tuple[ResultColumn, ...] | None:
    """What Describe tells of a plan: for EXECUTE and FETCH the columns of what they will run."""
    if plan.columns is None and _runs_another(plan):
        assert isinstance(plan.body, Utility)
        statement = plan.body.statement
        if isinstance(statement, Execute):
            prepared = session.statements.get(statement.name)
            return None if prepared is None else prepared.plan.columns
        if isinstance(statement, Fetch) and not statement.move:
            portal = session.portals.get(statement.cursor)
            return None if portal is None else portal.prepared.plan.columns
    return plan.columns


def formats_of_fetch(plan: Plan, session: Session) -> Formats:
    """Those in which the simple protocol answers: binary for FETCH from a BINARY cursor, text for all else."""
    if isinstance(plan.body, Utility) and isinstance(plan.body.statement, Fetch):
        portal = session.portals.get(plan.body.statement.cursor)
        if portal is not None and portal.extra.get("binary"):
            return (1,)
    return ()


def _runs_another(plan: Plan) -> bool:
    return isinstance(plan.body, Utility) and isinstance(plan.body.statement, Execute | Fetch)


def decode_parameters(
    prepared: Prepared,
    codes: Formats,
    values: Sequence[bytes | None],
    settings: TypeSettings,
    portal: str = "",
    input_now_us: Callable[[], int] | None = None,
) -> tuple[Datum, ...]:
    """Bind's values as datums; `input_now_us`: when `now` is, if one says that (None: now). Raises SqlError, ProtocolViolation."""
    plan, listing = prepared.plan, prepared.listing
    types = plan.parameters if prepared.literals is None else ()
    required = len(types) if listing is None else listing.given
    if len(values) != required:
        raise ProtocolViolation(
            f"bind message supplies {len(values)} parameters,"
            f' but prepared statement "{prepared.name}" requires {required}'
        )
    if prepared.literals is not None:
        return prepared.literals
    if listing is None:
        decode = _reader(plan, types, codes, settings, input_now_us)
    else:
        types = listing.each(plan)
        decode = _reader_of_lists(plan, listing, types, codes, settings, input_now_us)
    try:
        return decode(values)
    except SqlError as error:
        raise _in_parameter(error, types, codes, values, settings, portal) from None


def _reader(
    plan: Plan,
    types: Sequence[TypeRef],
    codes: Formats,
    settings: TypeSettings,
    input_now_us: Callable[[], int] | None,
) -> ParameterDecoder:
    """What reads values in these formats, of types that are always the same for the plan. Raises SqlError for formats that do not fit."""
    wire, key = _kept(plan, codes, settings)
    known = wire.decoders.get(key)
    if known is None:
        if len(wire.decoders) >= VARIANTS_LIMIT:
            wire.decoders.clear()
        used = _kept_settings(wire, settings)
        known = (used, _decoder(types, codes, moments_unsaid(used)))
        wire.decoders[key] = known
    used, decode = known

    def read(values: Sequence[bytes | None]) -> tuple[Datum, ...]:
        try:
            return decode(values)
        except MomentUnsaid:
            now_us = None if input_now_us is None else input_now_us()
            return _decoder(types, codes, replace(used, now_us=now_us))(values)

    return read


def _reader_of_lists(
    plan: Plan,
    listing: Listing,
    types: Sequence[TypeRef],
    codes: Formats,
    settings: TypeSettings,
    input_now_us: Callable[[], int] | None,
) -> ParameterDecoder:
    """The same where lists of any length are among them, which are read by themselves."""
    if len(codes) > 1 and len(codes) != listing.given:
        raise SqlError(
            "08P01", f"bind message has {len(codes)} parameter formats but {listing.given} parameters"
        )
    at = listing.others()
    forms = tuple([codes[i] for i in at]) if len(codes) > 1 else codes
    others = _reader(plan, tuple([types[i] for i in at]), forms, settings, input_now_us)
    lists = []
    for first, behind in listing.lists:
        own = codes[first:behind] if len(codes) > 1 else codes
        lists.append(list_reader(types[first:behind], own, settings, _decoder))

    def read(values: Sequence[bytes | None]) -> tuple[Datum, ...]:
        rest = others([values[i] for i in at])
        read_lists = [
            of(values[first:behind]) for of, (first, behind) in zip(lists, listing.lists, strict=True)
        ]
        return listing.put(rest, read_lists)

    return read


def _in_parameter(
    error: SqlError,
    types: Sequence[TypeRef],
    codes: Formats,
    values: Sequence[bytes | None],
    settings: TypeSettings,
    portal: str,
) -> SqlError:
    """The error with the CONTEXT that names the first parameter that cannot be read."""
    forms = codes if len(codes) == len(values) else (codes[0] if codes else 0,) * len(values)
    for number, (ref, form, value) in enumerate(zip(types, forms, values, strict=True), 1):
        try:
            _decoder((ref,), (form,), settings)([value])
        except SqlError as own:
            where = f'portal "{portal}"' if portal else "unnamed portal"
            # A text is there to be told of once it has been converted; PostgreSQL says no more of it by default.
            shown = " = '...'" if value else " = ''"
            told = shown if form == 0 and own.sqlstate not in ("22021", "22P05") else ""
            context = f"{where} parameter ${number}{told}"
            own.context = f"{own.context}\n{context}" if own.context else context
            if isinstance(own, BytesLeftOver):
                own.message = BytesLeftOver(f" in bind parameter {number}").message
            return own
    return error


def _decoder(types: Sequence[TypeRef], codes: Formats, settings: TypeSettings) -> ParameterDecoder:
    decode = under_types(settings, params_decoder(types, codes, settings))
    encoding = spoken(settings)
    if encoding is None:
        return decode
    return lambda values: decode(recoded_values(values, types, codes, encoding))


def bound_columns(
    prepared: Prepared, types: Sequence[TypeRef], codes: Formats, settings: TypeSettings
) -> list[BoundColumn]:
    """What reads the parameters of one row of an INSERT by columns; `types` are what they are read as.

    Reading raises MomentUnsaid. Raises Doubt where rows differ in their formats, SqlError for a format that is none.
    """
    if spoken(settings) is not None:
        raise Doubt
    plan = prepared.plan
    wire, key = _kept(plan, codes, settings)
    known = wire.columns.get(key)
    if known is None:
        width = len(types)
        if len(codes) > 1 and codes != codes[:width] * (len(plan.parameters) // width):
            raise Doubt
        forms = codes[:width] if len(codes) > 1 else (codes[0] if codes else 0,) * width
        if len(wire.columns) >= VARIANTS_LIMIT:
            wire.columns.clear()
        used = _kept_settings(wire, settings)
        unsaid = moments_unsaid(used)
        known = (used, [BoundColumn(ref, form, unsaid) for ref, form in zip(types, forms, strict=True)])
        wire.columns[key] = known
    readers: list[BoundColumn] = known[1]
    return readers


def _no_rows(_: Any) -> bytes:
    return b""
