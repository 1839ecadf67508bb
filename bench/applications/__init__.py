"""What ORMs and REST layers send, on Tidewire and PostgreSQL: CPU of each server by the statement.

schema.py       users 100,000, posts 500,000, comments 2,000,000, tags, orders; indexes as people make them
statements.py   some seventy statements, each named after what it is for and who writes it so
__main__.py     python -m bench.applications: loads both servers, asks all of them of both, sorts by the ratio
"""
