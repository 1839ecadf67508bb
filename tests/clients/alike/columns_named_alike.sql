-- A column goes, or gets another type, without what names another relation's column of its name.
create table t (a int, b int);
create table u (a int, b int, c int);
create view v as select t.a, u.b from t, u;
create view v2 as select t.a from t join u using (b);
create materialized view v3 as select x.a from t x where exists (select from u where u.c = x.b);
create function f() returns bigint language sql begin atomic select t.a + u.b from t, u; end;
create policy p on t using (exists (select from u where u.b = t.a));
alter table u drop column a;
alter table t drop column b;
alter table u alter c type text;
alter table u alter b type text;
alter table t alter b type text;
create table w (a int, b int, c int);
create rule r as on insert to w do also insert into t (a) values (new.b);
create rule r2 as on delete to w do also insert into u select 1;
alter table w drop column a;
alter table w drop column b;
alter table t drop column b;
alter table u alter b type bigint;
create view v5 as select w.c, (select max(a) from t) as m from w where c in (select b from u);
alter table w drop column b cascade;
alter table t drop column a;
create view v6 as select 1 as a, count(*) as c from w;
alter table w drop column c;
alter table w drop column c cascade;
create view v7 as select w as r from w;
alter table w add column d int;
alter table w drop column d;
create table n1 (k int, x int);
create table n2 (k int, y int);
create view v8 as select y from n1 natural join n2;
create view v9 as select p + q as s from n1 as m (p, q);
alter table n1 drop column k;
alter table n1 drop column x;
alter table n1 drop column k cascade;
create table g (a int, b int generated always as (a * 2) stored, c text);
create view v10 as select g.c as a, 'b' as x from g;
alter table g drop column a;
alter table g drop column a cascade;
create function g1(a int) returns int language sql begin atomic select a from g where c = 'b'; end;
alter table g add column a int, add column b int;
alter table g alter a type bigint;
alter table g alter c type varchar;
alter table g drop column a;
alter table g drop column b;
\d v*
\d w
\df
select pg_describe_object(classid, objid, objsubid) as a, pg_describe_object(refclassid, refobjid, refobjsubid) as b from pg_depend
  where classid = 'pg_rewrite'::regclass and objid in (select oid from pg_rewrite where rulename <> '_RETURN' and ev_class >= 16384) and refobjsubid > 0 and deptype = 'n' order by 1, 2;
