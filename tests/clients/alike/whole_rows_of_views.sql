-- The whole row of a view is of the type of its rows, which has the name of the view.
create table t(a int, b text, c int);
insert into t values (1,'x',1),(2,'y',2);
create view v as select a, b from t;
select v, pg_typeof(v) from v;
select v, pg_typeof(v) from t left join v on v.a=t.a-1 order by t.a;
create view v2 as select v from v;
\d v2
table v2;
create view v3 as select v from t left join v on v.a=t.a-1;
select v, (v).b, (v).a from v3 order by 2;
select pg_get_viewdef('v2'), pg_get_viewdef('v3');
create table x as select v, array_agg(v) over () from v;
\d x
table x;
create materialized view m as select a, b from t;
select m, pg_typeof(m) from m;
create view v5 as select m, row_to_json(m) from m;
\d v5
create view v6 as select v2 from v2;
\d v6
table v6;
select (v2).v.a, pg_typeof(v2) from v6;
create table y (v v, t t);
insert into y select v, t from v, t where v.a = t.a;
table y;
select v from v except select v from v where a = 1;
select count(distinct v), max(v::text) from v;
select v, count(*) from v group by v order by v;
select * from y where v in (select v from v);
select jsonb_agg(v) from v;
create function f(v) returns text language sql as 'select $1.b';
select f(v), v.f from v;
select f(x) from (select v as x from v) z;
create view vv as select v.*, v as w from v;
table vv;
drop view v;
drop view v cascade;
