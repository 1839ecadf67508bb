-- CREATE TABLE AS in PL/pgSQL names variables: its query's parameters.
create table src(id int primary key, grp text, v numeric(8,2)); insert into src select i, 'g' || i % 3, i * 1.5 from generate_series(1, 10) i;
do $$ declare a int := 3; b int[] := '{4,5}'; begin create temp table z1 as select a as x, b[1] as y; end $$; select * from z1;
create function z2(lim int, g text) returns bigint language plpgsql as $$ declare n bigint; begin drop table if exists z2; create temp table z2 as select id, v + lim as w, g as gg from src where id <= lim and grp = g order by id; get diagnostics n = row_count; return n; end $$;
select z2(5, 'g1'); table z2; select z2(9, 'g2'); table z2;
create function z3(int, int[]) returns int language plpgsql as $$ begin create temp table z3 as select $2[1] + $1 as x; return 1; end $$; select z3(1, '{2}'); table z3;
create function z4(a int, b int[]) returns int language plpgsql as $$ begin create temp table z4 as select b[i] as x from generate_series(array_lower(b, 1), array_upper(b, 1)) i; return 1; end $$; select z4(1, '{2,7}'); table z4;
do $$ declare t text; d date := '2020-01-01'; begin create table z6 (a, b, c) as select t, d, d + 1 with no data; create table if not exists z6 as select d; end $$; \d z6
do $$ declare a int := 1; begin create materialized view mv as select a as x; end $$;
do $$ declare a int := 1; begin create view vv as select a as x; end $$;
do $$ declare id int := 1; begin create table z7 as select id from src; end $$;
do $$ declare k int := 1; begin create table z8 as select nope + k from src; end $$;
do $$ declare k int := 0; begin create table z8 as select 1 / k as x from src; end $$;
do $$ declare k int := 2; begin for i in 1..2 loop execute 'drop table if exists z9'; create table z9 as with c as (select * from src where src.id = i * k) select c.id, k as k, i as i from c; end loop; end $$; table z9;
do $$ declare k int := 2; begin create table z10 as values (k, 'a'), (k + 1, 'b'); end $$; table z10;
prepare p(int) as select $1 as q; do $$ declare k int := 2; begin create table z11 as execute p(5); end $$; table z11;
create procedure zp(n int) language plpgsql as $$ begin create table z12 as select n as n; commit; insert into z12 values (n + 1); end $$; call zp(4); table z12;
create function z13(anyelement) returns text language plpgsql as $$ begin drop table if exists z13; create temp table z13 as select $1 as x; return (select pg_typeof(x) from z13); end $$; select z13(1), z13('a'::text), z13('2020-01-01'::date);
create function z14() returns trigger language plpgsql as $$ begin create temp table z14 as select new.id, new.v; return new; end $$; create trigger t before insert on src for each row execute function z14(); insert into src values (77, 'x', 1); table z14;
create function z15() returns int language plpgsql stable as $$ declare a int := 1; begin create temp table z15 as select a; return 1; end $$; select z15();
do $$ declare r record; s src; begin select * into r from src where id = 2; select * into s from src where id = 3; create table z5 as select r.id, r.grp as rg, s.grp, s.id as sid; end $$; table z5; \d z5
do $$ begin execute 'create temp table q1 as select $1 as a, $2 as b' using 5, 'x'::text; execute 'create temp table q2 as select $1' using 5;  end $$; table q1; table q2;
do $$ begin create temp table q3 as select 'a'::text as n; create table q4 as select * from src where id = 1; insert into q3 values ('b'); end $$; select * from q3 order by n; table q4;
