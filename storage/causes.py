"""What object stores say when they fail, for people: obstore puts the structures of its errors below the words.

Generic S3 error: Error performing PUT http://…: 403 Forbidden           told
                                                                         a line in between
Debug source: Generic { store: "S3", source: RetryError( …               not told: some twenty lines
"""

from __future__ import annotations


def told(error: Exception) -> str:
    """The error's words."""
    return str(error).partition("\n\nDebug source:")[0]
