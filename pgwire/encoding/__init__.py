"""Values as bytes on the wire.

    binary        a datum <-> PostgreSQL's binary format, one small codec per type
    rows          keyed results: tuples of datums -> DataRow messages, by a function made for the columns
    text_columns  whole Arrow columns -> text, as PostgreSQL prints it
    binary_columns   ... -> binary
    batches       Arrow batches -> DataRow messages, joined from encoded columns, never cell by cell
    parameters    Bind's values -> datums
    copy_formats (copy_text, copy_csv, copy_binary)    COPY's formats, both ways, in bounded memory

All are pure functions of bytes and values: no I/O, no session.
"""

from pgwire.encoding.batches import batch_encoder as batch_encoder
from pgwire.encoding.batches import page_encoder as page_encoder
from pgwire.encoding.binary import binary_input as binary_input
from pgwire.encoding.binary import binary_output as binary_output
from pgwire.encoding.copy_formats import CopyDecoder as CopyDecoder
from pgwire.encoding.copy_formats import CopyEncoder as CopyEncoder
from pgwire.encoding.copy_formats import copy_decoder as copy_decoder
from pgwire.encoding.copy_formats import copy_encoder as copy_encoder
from pgwire.encoding.parameters import decode_params as decode_params
from pgwire.encoding.parameters import params_decoder as params_decoder
from pgwire.encoding.rows import row_encoder as row_encoder
