"""Tables made and altered: columns, heirs, types of rows, and what becomes of the rows that there are."""
