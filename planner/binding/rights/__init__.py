"""Who may: what a statement touches, row-level security, and what of a query may look at rows that are not shown."""
