-- FETCH FIRST without a count is one row, also where views are written out.
create table g (f int, t int);
create view v1 as select f from g order by f fetch first row only;
create view v2 as select f from g union select t from g order by f desc nulls last;
create view v3 as select f from g union select t from g order by f using <;
create view v4 as select f as a, f as b from g union select t, t from g order by 2, a;
create view v5 as (select f from g order by f limit 1) union all (select t from g offset 1) order by 1 limit 2;
create view v6 as select f from g limit (select count(*) from g);
create view v7 as select f from g limit all offset 0;
create view v8 as select f from g limit null;
create view v9 as select f from g fetch next 3 rows only;
create view v10 as select f from g order by f offset 1 row fetch first row with ties;
create view v11 as select f from g order by f + 1, t fetch first 2 + 1 row only;
create view v12 as select f from g union select t from g order by 1 fetch first row only;
select viewname, definition from pg_views where schemaname = 'public' order by 1;
