-- Partitions come and go; columns, constraints, indexes and foreign keys of the table above are theirs.
create table t(id int not null, day date not null, n int) partition by range (day);
create table x(n int, day date not null, id int not null);
insert into x values (1,'2024-01-05',1),(2,'2024-02-05',2);
alter table t attach partition x for values from ('2024-01-01') to ('2024-02-01');
delete from x where n = 2;
alter table t attach partition x for values from ('2024-01-01') to ('2024-02-01');
alter table t attach partition x for values from ('2025-01-01') to ('2025-02-01');
insert into t values (5,'2024-01-09',50) returning *, tableoid::regclass;
update t set n = n + 1 where id = 5 returning *;
select * from x order by id;
create table y(id int not null, day date not null, n int);
insert into y values (7, '2026-01-01', 7);
alter table t attach partition y default;
insert into t values (8, '2027-01-01', 8);
create table z(id int, day date not null, n int);
alter table t attach partition z for values from ('2026-01-01') to ('2026-02-01');
alter table z alter id set not null;
alter table t attach partition z for values from ('2026-01-01') to ('2026-02-01');
update t set day = '2024-01-20' where id = 7;
alter table t attach partition z for values from ('2026-01-01') to ('2026-02-01');
insert into t values (9, '2026-01-05', 9);
select tableoid::regclass, * from t order by id;
alter table t detach partition x;
select tableoid::regclass, * from t order by id;
select * from x order by id;
alter table t attach partition x for values from ('2024-01-01') to ('2024-02-01');
alter table t add column s text default 'new';
select * from t order by id;
select * from x order by id;
alter table t rename column n to m;
alter table t alter column m set default 77;
insert into t(id, day) values (20, '2024-01-02') returning *;
alter table x add column q int;
alter table x drop column s;
alter table x rename column s to r;
alter table x alter column m type bigint;
alter table t alter column m type bigint;
alter table t drop column day;
alter table t alter column day type timestamp;
alter table x alter day drop not null;
alter table t add constraint pos check (m > 0);
insert into x values (-1, '2024-01-05', 30);
\d x
alter table x drop constraint pos;
alter table t drop constraint pos;
alter table t add primary key (id);
alter table t add primary key (id, day);
\d x
\d t
alter table t drop constraint t_pkey;
create unique index on t (id);
create unique index tu on t (day, id);
create index on t (m);
create index xi on x (s);
create index ti on t (s);
\d x
drop index x_m_idx;
drop index ti;
drop index tu;
\d x
alter table t drop column s;
select * from t order by id;
create table w(id int, k int references w2);
create table ref(id int primary key);
insert into ref values (1),(2);
create table f(a int, r int references ref on delete cascade) partition by list (a);
create table f1 partition of f for values in (1);
create table f2 partition of f for values in (2);
insert into f values (1,1),(2,2),(2,1);
insert into f values (1,3);
delete from ref where id = 1;
select * from f order by 1,2;
\d f1
\d ref
create table bad partition of f for values from (1) to (2);
create table bad partition of ref for values in (1);
create table bad partition of f for values in ('x');
create table c(a int, b text, c int generated always as (a * 2) stored, d int default 3) partition by list (b);
create table c1 partition of c (d default 4) for values in ('a');
insert into c(a, b) values (1, 'a') returning *;
insert into c1(a, b) values (2, 'a') returning *;
insert into c1(a, b) values (2, 'b') returning *;
update c set a = 10 where a = 1 returning *;
create table i(id int generated always as identity, a int) partition by hash (a);
create table i0 partition of i for values with (modulus 4, remainder 0);
create table i1 partition of i for values with (modulus 4, remainder 1);
create table i2 partition of i for values with (modulus 2, remainder 0);
create table i3 partition of i for values with (modulus 3, remainder 2);
create table i3 partition of i for values with (modulus 8, remainder 2);
create table i6 partition of i for values with (modulus 8, remainder 6);
create table i7 partition of i for values with (modulus 4, remainder 3);
insert into i(a) select g from generate_series(1, 100) g;
select tableoid::regclass, count(*), sum(a) from i group by 1 order by 1;
select * from pg_partition_tree('t') order by 1;
select * from pg_partition_tree('i0');
select pg_partition_root('f1'), pg_partition_ancestors('f1');
select relid, parentrelid, isleaf, level from pg_partition_tree('t_m_idx') order by level, relid::text;
select pg_get_partkeydef('i'::regclass), pg_get_partkeydef('t'::regclass), pg_get_partkeydef('x'::regclass);
select relname, pg_get_partition_constraintdef(oid) from pg_class where relispartition and relkind = 'r' and relname !~ '^[iy]' order by 1;
select relname, relkind, relispartition, pg_get_expr(relpartbound, oid) from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r','p') order by 1;
select partrelid::regclass, partstrat, partnatts, partdefid::regclass, partattrs from pg_partitioned_table order by 1;
select table_name, table_type from information_schema.tables where table_schema = 'public' order by 1;
copy t to stdout;
copy (select * from t order by id) to stdout;
copy t from stdin;
40	2024-01-06	4
41	2026-01-06	5
\.
select tableoid::regclass, * from t order by id;
truncate only t;
truncate x;
truncate t;
select count(*) from t;
drop table f1;
drop table f, t, ref;
\d
