"""Transaction blocks, from BEGIN to COMMIT, and the short ways of statements in them."""
