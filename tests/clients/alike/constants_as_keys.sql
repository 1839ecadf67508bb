-- Constants as keys of ORDER BY and DISTINCT ON are no numbers of columns, in definitions too; LIMIT ALL, FETCH FIRST (...) WITH TIES.
create table vt (a int, b text);
create view w1 as select 5 as a, b from vt order by a; select pg_get_viewdef('w1');
create view w2 as select 5 as a, 'x' as x, 2.5 as n, true as t from vt order by a, x, n, t; select pg_get_viewdef('w2');
create view w3 as select 7 as a, count(*) from vt group by a; select pg_get_viewdef('w3');
create view w4 as select 5 as k, count(*) from vt group by k; select pg_get_viewdef('w4');
create view w5 as select distinct on (k) 5 as k, b from vt order by k, b; select pg_get_viewdef('w5');
create view w6 as select row_number() over (order by 5) from vt; select pg_get_viewdef('w6');
create view w7 as select b from vt order by a limit null; select pg_get_viewdef('w7');
create view w8 as select b from vt order by a fetch first (1+1) rows with ties; select pg_get_viewdef('w8');
create view w9 as select b from vt order by a limit 1 + 1 offset 2; select pg_get_viewdef('w9', true);
create view w10 as select b from vt order by a limit all; select pg_get_viewdef('w10', true);
create view w11 as select b from vt order by a fetch first 3 rows with ties; select pg_get_viewdef('w11', true);
select * from w1; select * from w4; select * from w5;
select distinct on (k, 'x') 5 as k, b from vt order by k, b;
insert into vt values (1,'b'),(2,'a');
select distinct on (7) a from vt order by 7;
select distinct on (k) 7 as k, a from vt order by k, a desc;
select distinct on (k) 7 as k, count(*) from vt group by a order by k;
