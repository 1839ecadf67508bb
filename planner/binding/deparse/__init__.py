"""What was bound, written out again as PostgreSQL writes it: views, rules, defaults, checks (its ruleutils)."""
