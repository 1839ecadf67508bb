"""DDL: statement and catalog in, the catalog's changes and the work on data out.

binder       one door: `bind_ddl(statement, ctx, planner) -> DdlPlan`
plan         what comes out                  scope        what is being changed while binding
tables       CREATE TABLE                    constraints  keys, CHECK, foreign keys, and their checks
alter        ALTER TABLE                     moves        RENAME TO, SET SCHEMA
drop         DROP, TRUNCATE                  standing     what stands in the way of dropping a column
filled       CREATE TABLE AS, materialized views
views        CREATE VIEW                     others       indexes, schemas, types
sequences    sequences, serial, identity     roles        roles, databases, privileges, comments
typenames    names of types -> TypeRef       naming       t_pkey, t_a_check1
"""
