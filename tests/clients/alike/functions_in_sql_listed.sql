-- Functions in SQL as tools list them; who may call them; what stands on them.
create table t (id int primary key, g text, n numeric(10,2));
insert into t values (1,'a',1.5),(2,'a',2.25),(3,'b',10),(4,null,null);
create function add1(a int) returns int language sql as 'select a + 1';
create function extent(w int, h int default 2, t text default 'x') returns int language sql immutable strict cost 5 return w * h;
create function rows_(mi int) returns table (a int, b text) language sql stable rows 10 begin atomic select id, g from t where id >= mi order by id; end;
create function onerow(out x int, inout y text) language sql as 'select 1, ''z''::text';
create function gett(i int) returns setof t language sql as 'select * from t where id = i';
create schema s; create function s.q(numeric[]) returns text language sql as $_$ select $1::text || '$function$' $_$;
comment on function extent is 'of a rectangle';
select proname, prosrc, proargnames, proargtypes, proallargtypes, proargmodes, pronargs, pronargdefaults, proretset, provolatile, proisstrict, procost, prorows, prokind, prosqlbody is null as nobody, prorettype::regtype, pg_get_function_arguments(oid), pg_get_function_identity_arguments(oid), pg_get_function_result(oid), pg_get_function_sqlbody(oid), pg_get_function_arg_default(oid, 2), obj_description(oid, 'pg_proc') from pg_proc where oid >= 16384 order by proname;
select pg_get_functiondef(oid) from pg_proc where oid >= 16384 order by proname;
\df
\df s.*
\df+ extent
\sf extent
\sf rows_
\sf s.q
\df *row*
select 'add1'::regproc, 's.q'::regproc, 'add1(int)'::regprocedure, 's.q(numeric[])'::regprocedure, 'extent'::regproc::oid = 'extent(int,int,text)'::regprocedure::oid;
select 'nofun'::regproc;
select to_regproc('add1'), to_regprocedure('add1(int)'), to_regproc('nope');
create view v as select add1(id) as p, extent(id, 3) q, s.q(array[n]) from t where add1(id) > 2;
\d+ v
create view v2 as select r.a, b from rows_(2) r;
\d+ v2
create table c (a int default add1(4), b int check (add1(b) > 3), k int generated always as identity);
\d c
insert into c (b) values (5);
insert into c (a, b) values (1, 2);
insert into c values (add1(7), extent(2, 2)) returning add1(a), b;
update c set a = add1(a) where add1(b) > 5 returning *;
delete from c where add1(a) = 10 returning add1(a);
drop function add1(int);
alter function extent(int, int, text) stable;
alter function s.q rename to qq;
select s.qq('{1,2}');
alter function s.qq set schema public;
select qq('{1,2}');
select current_setting('search_path');
create role caller;
revoke execute on function extent from public;
grant execute on function rows_(int) to caller;
\df+ extent
select proname, proacl from pg_proc where proname in ('extent', 'rows_') order by 1;
select has_function_privilege('caller', 'extent(int,int,text)', 'execute'), has_function_privilege('caller', 'rows_(int)', 'execute'), has_function_privilege('extent'::regproc, 'execute');
grant select on t to caller;
set role caller;
select extent(1);
select * from rows_(3);
select add1(1);
drop function extent;
create function jo() returns int language sql as 'select 1';
reset role;
grant create on schema public to caller;
set role caller;
create function jo() returns int language sql as 'select 1';
select jo();
comment on function jo() is 'of one''s own';
comment on function extent(int, int, text) is 'of another';
reset role;
revoke all on function extent(int, int, text), rows_(int) from caller; revoke select on t from caller; revoke create on schema public from caller;
drop role caller;
drop function jo();
create type shade_of as enum ('a'); alter type shade_of owner to caller;
drop role caller;
drop type shade_of;
create type range_of as range (subtype = int); alter type range_of owner to caller;
drop role caller;
drop owned by caller cascade;
drop table t;
drop table t cascade;
\df
drop schema s cascade;
drop role caller;
