-- INSERT INTO t (VALUES ...): a query in brackets, and no list of columns.
\set VERBOSITY default
create table t(a int default 5, b int);
insert into t (values (7, 2)) returning *;
insert into t (a, b) (values (7, 2), (8, 1)) returning *;
insert into t (select 1, 2) returning *;
insert into t ((values (7, 2))) returning *;
insert into t (table t) returning *;
insert into t (with w as (select 3 x, 4 y) select * from w) returning *;
insert into t ((select 1, 2)) returning *;
with i as (insert into t (values (77, 2)) returning *) select * from i;
prepare q(int) as insert into t (values ($1, 2)) returning *; execute q(9);
insert into t (values (7, 2)) on conflict do nothing;
create table v (values int, b int);
insert into v (values, b) values (1, 2) returning *;
insert into v ("values") values (1) returning *;
insert into v (values) values (1) returning *;
insert into t as x (values (1, 2), (3, 4)) returning x.a;
insert into public.t (values (1, (select max(b) from (values (5), (6)) w(b))), ((3), 4)) returning *;
insert into t (values (1, 2) union all values (3, 4)) returning *;
insert into t (values (1, 2) order by 1 limit 1) returning *;

insert into t (values (1, 2), (3));
insert into t (values (1, nothing));
insert into t (values (1, 2);
insert into t (values (1, 2)) (values (1, 2));
create function f() returns int language sql as 'insert into t (values (7, 8)) returning a';
select f();
do $$ begin insert into t (values (9, 9)); end $$;
select count(*) from t;
insert into v (values, b) (values (5, 6)) returning *;
