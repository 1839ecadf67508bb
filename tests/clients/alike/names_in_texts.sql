-- Names in texts: of one part or several, in quotes, and what is none.
select 'pg_catalog.pg_class'::regclass, 'information_schema.tables'::regclass, '"pg_catalog"."pg_class"'::regclass, ' pg_catalog . pg_class '::regclass;
select to_regclass('a.'), 1; select to_regclass('nos.b'); select to_regrole('a.b'); select to_regclass('a b');
select 'nos.x'::regclass; select * from nos.x; select nextval('nos.s'); select nextval('x y');
select has_table_privilege('nos.x', 'select'); select has_table_privilege('x y', 'select');
select pg_get_serial_sequence('nos.x', 'a'); select pg_get_serial_sequence('x y', 'a');
select 'nos.+(int4,int4)'::regoperator;
select pg_relation_size('nos.x');
select 'double precision'::regtype, 'timestamp with time zone[]'::regtype, 'character varying'::regtype, 'pg_catalog.int4'::regtype, 'int4[]'::regtype, 'INT'::regtype, '"char"'::regtype, 'time (3)  without time zone'::regtype, 'numeric(10,2)'::regtype, 'pg_catalog.int4[]'::regtype, 'bit varying'::regtype;
select 'a'::regclass; select 'nodb.b.c.d'::regclass;
