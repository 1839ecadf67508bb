"""Roles, and who may do what: grants, defaults of grants, policies, owners."""
