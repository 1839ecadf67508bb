"""Functions, procedures, aggregates, and the triggers that call them."""
