-- Rows without a column are rows: COPY has an empty line for each, both ways.
create table t(a int, b text);
insert into t values (1, 'x'), (2, null);
copy (select from t) to stdout;
copy (select from (values (1), (1)) as x (n) order by n fetch first 1 row with ties) to stdout;
copy (select from (values (1), (1)) as x (n)) to stdout (format csv);
copy (select from t order by a) to stdout (format csv, header);
copy (select from t) to stdout (format text, header);
copy (select from t where a = 1) to stdout;
copy (select from t where a = 7) to stdout;
copy (select from generate_series(1, 3)) to stdout;
create table e();
insert into e default values; insert into e default values;
copy e to stdout;
copy e to stdout csv;
copy e from stdin;


\.
select count(*) from e;
select from e;
copy e to stdout;
create table e2() inherits (e);
copy e2 from stdin csv;


\.
select count(*) from e;
copy e from stdin;
1
\.
copy e from stdin where true;

\.
copy e from stdin where false;

\.
copy e from stdin where random() > 2;

\.
select count(*) from e;
create table e3 as select from e;
select count(*) from e3;
declare c cursor for select from e;
begin;
declare c cursor for select from e;
fetch 3 from c;
fetch all from c;
rollback;
prepare p as select from e;
execute p;
select count(*) from (select from e union all select from e3) q;
select exists (select from e), array(select 1 from e);
do $$ declare r record; n int = 0; begin for r in select from e loop n := n + 1; end loop; raise notice '%', n; end $$;
select from e union select from e;
select from e intersect select from e3;
select from e except select from e3;
select distinct from e;
create function fe() returns setof e language sql as 'select from e';
select count(*) from fe();
select e from e;
select count(*) from e a, e b;
insert into e select from e; insert into e table e; with w as (select from e) insert into e select from w; select count(*) from e; select e, e is null from (select 1) q left join e on false; select count(e) from (select 1) q left join e on true;
alter table e add column a int default 5;
table e;
