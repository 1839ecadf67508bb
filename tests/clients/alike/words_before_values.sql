-- SET is a keyword that names may be, functions' too: what stands before it says which it is.
create function set(text) returns text language sql as 'select upper($1)';
select set('a'), length(set('abc')), 'x' || set('b');
select 1 where set('c') = 'C' and not set('d') = 'd';
select * from set('e');
create table holders (a int, b int, set text);
insert into holders values (1, 2, set('f'));
update holders set (a, b) = (3, 4);
update holders set (a) = row (5) where set = set('f') returning a, set;
update holders as h set (a, b) = (select b, a) returning *;
merge into holders using (values (1)) v (x) on true when matched then update set (a, b) = (7, 8);
table holders;
insert into holders select 9, 10, set('g') returning set;
-- A function that is there, but not of that kind.
create event trigger told on ddl_command_end execute function pg_backend_pid();
create trigger told before insert on holders execute function pg_backend_pid();
-- Which columns of the catalogs name rows of others.
select count(*) from pg_get_catalog_foreign_keys();
select * from pg_get_catalog_foreign_keys() where fktable in ('pg_index'::regclass, 'pg_enum'::regclass) order by 1, 2;
select spcname, current_database() = any (array(select datname from pg_database where oid in (select pg_tablespace_databases(t.oid)))) from pg_tablespace t where spcname = 'pg_default';
