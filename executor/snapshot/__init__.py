"""The snapshot store: a local, disposable image of the shards that answers every read."""

from executor.snapshot.abc import NotHydrated, TooOldForKeyed
from executor.snapshot.bulk import Bulk
from executor.snapshot.hydration import HydrationProgress, HydrationSource
from executor.snapshot.image import TableImage
from executor.snapshot.removal import Removal
from executor.snapshot.store import SnapshotStore
from executor.snapshot.writer import PinnedTooLong, ReadPin, SnapshotLimits

__all__ = [
    "Bulk",
    "HydrationProgress",
    "HydrationSource",
    "NotHydrated",
    "PinnedTooLong",
    "ReadPin",
    "Removal",
    "SnapshotLimits",
    "SnapshotStore",
    "TableImage",
    "TooOldForKeyed",
]
