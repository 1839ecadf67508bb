-- Relations of the system as names of types.
select 'pg_class'::regtype, 'pg_catalog.pg_class'::regtype, 'pg_class[]'::regtype, '_pg_class'::regtype, 'Pg_Views'::regtype;
select 'pg_class'::regtype::oid, 'information_schema.tables'::regtype, to_regtype('pg_proc'), to_regtype('pg_nothing');
select typname, typrelid::regclass from pg_type where oid = 'pg_attribute'::regtype;
select 'information_schema.nothing'::regtype;
select '_pg_nothing'::regtype;
create table rt (a int);
select 'rt'::regtype, 'rt[]'::regtype, '_rt'::regtype, 'public.rt'::regtype;
