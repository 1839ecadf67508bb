-- How many rows TABLESAMPLE takes is said by the row that the subquery stands beside.
create table wheat (a int primary key);
insert into wheat select generate_series(1, 50);
create table sizes (x int, pct int);
insert into sizes values (1, 100), (2, 0);
select * from sizes, lateral (select count(*) from wheat tablesample bernoulli (pct)) q order by x;
select * from sizes, lateral (select count(*) from wheat tablesample system (sizes.pct)) q order by x;
select x, (select count(*) from wheat tablesample bernoulli (pct)) from sizes order by x;
select x, (select count(*) from wheat tablesample bernoulli (pct) repeatable (x)) from sizes order by x;
select x from sizes where exists (select from wheat tablesample bernoulli (pct));
select pct, q.* from (values (0), (100)) v(pct), lateral (select count(*), max(a) from wheat tablesample bernoulli (pct)) q order by 1;
select * from wheat tablesample bernoulli (a);
select * from sizes, (select count(*) from wheat tablesample bernoulli (pct)) q;
select x, (select count(*) from wheat tablesample bernoulli (nobody)) from sizes;
insert into sizes values (3, 101);
select x, (select count(*) from wheat tablesample bernoulli (pct)) from sizes order by x;
