"""Text search: documents as vectors of words, what they are asked, and how well they answer.

    tokens     a text as words, numbers, addresses, ...        documents       these through dictionaries: vectors and queries
    vectors    tsvector: reading, writing, operators           queries         tsquery: the same
    matching   whether a vector has what a query asks for      ranking         ts_rank, ts_rank_cd
    words      how both write words                            configurations  their OIDs; chains  those of users

All of it is pure, and knows nothing of catalogs and sessions. Values are texts, as PostgreSQL shows them.
"""
