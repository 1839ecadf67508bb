"""Statements that write: which rows, what stands in each of their columns, and what is to be done where a view, a rule, a trigger or a policy stands in between."""
