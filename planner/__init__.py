"""Statement text -> plan: parse, classify, resolve, rewrite; the catalog."""
