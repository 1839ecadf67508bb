-- What is volatile, or returns sets, is computed for rows in their order, unless it orders them itself.
create table v (a int, c int);
insert into v values (3, 0), (1, 1), (2, 0), (5, 1), (4, 0);
create sequence s;
select a, nextval('s') from v order by a limit 3;
select nextval('s'), a from v order by a desc;
select a, nextval('s') from v order by a limit 2 offset 1;
select a, nextval('s') from v order by a offset 2;
select last_value from s;
select nextval('s') as n from v order by n desc limit 2;
select last_value from s;
select nextval('s') as n, rank() over (order by a), a from v order by a desc limit 3;
select c, sum(a), nextval('s') from v group by c order by c desc;
select distinct nextval('s') from v order by 1;
select distinct on (c) c, a, nextval('s') from v order by c, a;
select sum(n) from (select nextval('s') as n, a from v order by a limit 2) x;
select last_value from s;
create view w as select a, nextval('s') as n from v order by a limit 2;
select * from w;
insert into v select nextval('s') + 100, -1 from v order by a limit 2 returning a > 100;
select *, nextval('s') > 0 as p from v where a < 100 order by a limit 2 for update;
select a, generate_series(1, 3) from v where a < 3 order by a limit 4;
select a, generate_series(1, 2) as g from v where a < 3 order by a desc, g desc;
select distinct on (c) c, a, generate_series(1, 2) from v where a < 100 order by c, a;
select a, unnest(array['x', 'y']), nextval('s') > 0 from v where a < 3 order by a offset 1;
-- A window over what varies is there before the rows are in order, like any other.
select a, row_number() over (order by random()) > 0 as p from v where a < 100 order by a limit 2;
select a, sum(a) over (partition by (random() * 0)::int), nextval('s') > 0 as p from v where a < 100 order by a desc;
