"""Foreign-data wrappers, servers, user mappings and foreign tables."""
