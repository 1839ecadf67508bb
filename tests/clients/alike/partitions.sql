-- Partitioned tables: rows go to their partitions, and are found, changed, moved and deleted there.
create table t(id int, day date not null, n int default 7, s text) partition by range (day);
insert into t values (1,'2024-01-05',1,'x');
create table t1 partition of t for values from ('2024-01-01') to ('2024-02-01');
create table t2 partition of t for values from ('2024-02-01') to ('2024-03-01');
create table t3 partition of t for values from ('2024-02-11') to ('2024-04-01');
create table t3 partition of t for values from ('2024-04-11') to ('2024-04-01');
insert into t values (1,'2024-01-05',1,'x'),(2,'2024-02-05',2,'y'),(3,'2024-01-31',3,'z');
insert into t(id,day) values (4,'2024-02-28') returning tableoid::regclass, *;
insert into t(id,day) values (4,'2024-03-28') returning tableoid::regclass, *;
select tableoid::regclass, * from t order by id;
select count(*) from t;
select * from only t;
select * from t1 order by id;
insert into t1 values (9,'2024-02-05');
update t set n = n + 1 where id = 2 returning *;
update t set day = day + 31 where id = 1 returning tableoid::regclass, *;
select tableoid::regclass, * from t order by id;
delete from t where id = 3 returning *;
update t set day = '2025-01-01' where id = 1;
select sum(n) from t where day = '2024-02-05';
select * from t where day >= '2024-02-01' and day < '2024-02-10' order by id;
create table td partition of t default;
insert into t values (10,'2030-01-01'), (11, '2024-01-03');
create table t4 partition of t for values from ('2030-01-01') to ('2031-01-01');
select tableoid::regclass, * from t order by id;
update t set id = id + 100 from (values (10),(11)) v(x) where t.id = v.x returning v.x, t.*, tableoid::regclass;
merge into t using (values (110, 5), (200, 6)) v(i, m) on t.id = v.i when matched then update set n = m when not matched then insert values (i, '2024-02-02', m, 'm');
select tableoid::regclass, * from t order by id;
with d as (delete from t where id > 100 returning *) select count(*) from d;
truncate t;
select count(*) from t;
drop table t1;
insert into t values (1,'2024-01-05',1,'x');
select tableoid::regclass, * from t order by id;
drop table t;
select * from t2;
create table l(a text, b int) partition by list (a);
create table la partition of l for values in ('a','b');
create table ln partition of l for values in (null, 'z');
create table lb partition of l for values in ('b');
create table lh partition of l default partition by hash (b);
create table lh0 partition of lh for values with (modulus 2, remainder 0);
create table lh1 partition of lh for values with (modulus 2, remainder 1);
insert into l select x, i from (values ('a'),('b'),(null),('q'),('w')) v(x), generate_series(1,6) i;
select tableoid::regclass, count(*), sum(b) from l group by 1 order by 1;
select tableoid::regclass, * from l where a = 'q' order by b;
create table p(id int, day date, v int check (v > 0), primary key (id)) partition by range (day);
create table p(id int, day date, v int check (v > 0), primary key (id, day)) partition by range (day);
create index on p(v);
create table p1 partition of p for values from ('2024-01-01') to ('2024-02-01');
create table p2 partition of p (v default 5) for values from ('2024-02-01') to (maxvalue);
insert into p values (1,'2024-01-01',1),(2,'2024-02-03',4);
insert into p values (1,'2024-01-01',1);
insert into p values (3,'2024-01-01',-1);
insert into p values (1,'2024-01-01',9) on conflict (id, day) do update set v = excluded.v returning *;
insert into p values (1,'2024-01-01',9) on conflict do nothing;
select * from p order by 1;
\d p
\d+ p
\d p1
\d+ p2
\dt
\dP
\di
