-- current_query(): all that the client has sent, whoever asks for it.
select current_query();
select 1 as a, current_query() from generate_series(1, 2);
select 'é' as x, length(current_query());
create table t (id int primary key, q text default current_query(), n text);
create table audit (op text, q text);
create function noted() returns trigger language plpgsql as $$ begin
  insert into audit values (tg_op, current_query()); return new; end $$;
create trigger noted before insert or update on t for each row execute function noted();
insert into t (id) values (1);
insert into t values (2, current_query());
insert into t (id) select 3;
update t set n = current_query() where id = 1;
update t set n = upper(current_query()) where id > 1;
select * from t order by id;
select * from audit;
prepare p(int) as select current_query(), $1;
execute p(1);
execute p(22);
do $$ begin raise notice '%', current_query(); end $$;
create function f() returns text language sql as $$ select current_query() $$;
select f();
create view v as select current_query() as q;
select * from v;
select pg_get_viewdef('v');
begin; select current_query(); commit;
select current_query()\; select current_query();
select count(*) from t where q = current_query();
copy (select current_query()) to stdout;
