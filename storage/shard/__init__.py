"""Shards: durable multisets of rows over time, as a state machine on a log.

state.py     what a shard is at one seqno, and its bytes
machine.py   what may become of it: pure decisions
log.py       the loop that appends decisions to consensus and catches up with others'
readers.py   leased and critical holds on the past
shard.py     all of it as one handle
"""

from storage.shard.log import LogLimits, ShardDeleted
from storage.shard.machine import BadBatch, PartsGone, SchemaMismatch
from storage.shard.readers import CriticalReader, LeasedReader
from storage.shard.shard import NotYetReadable, Shard

__all__ = [
    "BadBatch",
    "CriticalReader",
    "LeasedReader",
    "LogLimits",
    "NotYetReadable",
    "PartsGone",
    "SchemaMismatch",
    "Shard",
    "ShardDeleted",
]
