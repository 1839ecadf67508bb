-- How views of joins with names, functions in FROM, whole rows and comparisons of rows are written out.
create table int8_tbl(q1 int8, q2 int8);
create type nestedcomposite as (x int8_tbl);
create table tbl1(a int, b int); create table tbl2(c int,d int); create table tbl3(e int,f int); create table tbl4(g int,h int); create table tbl1a (a int, c int);
create view view_of_joins as select * from
  (select * from (tbl1 cross join tbl2) same) ss,
  (tbl3 cross join tbl4) same;
create view view_of_joins_2b as select * from tbl1 join tbl1a using (a) as x;
create view view_of_joins_2c as select * from (tbl1 join tbl1a using (a)) as y;
create view view_of_joins_2d as select * from (tbl1 join tbl1a using (a) as x) as y;
create table tt2 (a int, b int, c int);
create table tt3 (ax int8, b int2, c numeric);
create table tt4 (ay int, b int, q int);
create view v1 as select * from tt2 natural join tt3;
create view v1a as select * from (tt2 natural join tt3) j;
create view v2 as select * from tt2 join tt3 using (b,c) join tt4 using (b);
create view v2a as select * from (tt2 join tt3 using (b,c) join tt4 using (b)) j;
create view v3 as select * from tt2 join tt3 using (b,c) full join tt4 using (b);

create table tt6 (c int, d int);
create view vv1 as select * from (tt5 cross join tt6) j(aa,bb,cc,dd);
create view vv2 as
select * from (values(1,2,3,4,5)) v(a,b,c,d,e)
union all
select 1,xx,y,tt8a.z,tt8ax.z from tt7a full join tt8a using (x), tt8a tt8ax;

create table tt8a (x timestamptz, z int);
create view vv2a as
select * from (values(now(),2,3,now(),5)) v(a,b,c,d,e)
union all
select x,xx,y,tt8ax.x,tt8ax.z from tt7a left join tt8a using (x), tt8a tt8ax;
create table tt9 (x int, xx int, y int); create table tt10 (x int, z int);
create view vv5 as select x,y,z from tt9 cross join tt10 tt10(a,z);
create table tt11 (x int, y int); create table tt12 (x int, z int); create table tt13 (z int, q int);
create view vv6 as select x,y,z,q from
  (tt11 join tt12 using(x)) join tt13 using(z);
create view tt15v as select row(i)::nestedcomposite from int8_tbl i;
create view tt16v as select * from int8_tbl i, lateral(values(i)) ss;
create view tt17v as select * from int8_tbl i where i in (values(i));
create view tt19v as
select 'foo'::text = any(array['abc','def','foo']::text[]) c1,
       'foo'::text = any((select array['abc','def','foo']::text[])::text[]) c2;
create view tt20v as
select * from
  coalesce(1,2) as c,
  current_date as d,
  localtimestamp(3) as t,
  cast(1+2 as int4) as i4,
  cast(1+2 as int8) as i8;
create view tt25v as
with cte as materialized (select pg_get_keywords() k)
select (k).word from cte;
create view tt26v as
select x + y + z as c1,
       (x * y) + z as c2,
       x + (y * z) as c3,
       (x + y) * z as c4,
       x * (y + z) as c5,
       x + (y + z) as c6,
       x + (y # z) as c7,
       (x > y) AND (y > z OR x > z) as c8,
       (x > y) OR (y > z AND NOT (x > z)) as c9,
       (x,y) <> ALL (values(1,2),(3,4)) as c10,
       (x,y) <= ANY (values(1,2),(3,4)) as c11
from (values(1,2,3)) v(x,y,z);
create view vals as select * from (values ('abc'::varchar(3), '0123456789', 42, 'abcd'::varchar(4)), ('0123456789', 'abc'::varchar(3), 42.12, 'abc'::varchar(4))) vv(a,b,c,d);
create view agg as select array_agg(x order by y) from (values (1,2)) v(x,y);
create view d1 as select * from tt5 where current_date > '2020-01-01'::date;
select relname, pg_get_viewdef(oid, true) from pg_class where relnamespace = 'public'::regnamespace and relkind = 'v' order by oid;
