-- Keys of partitions as parts of unique indexes above that are no constraints.
CREATE TABLE t (a integer, b integer) PARTITION BY HASH (a, b);
CREATE TABLE tp (a integer, b integer, PRIMARY KEY (a, b), UNIQUE (b, a));
ALTER TABLE t ATTACH PARTITION tp FOR VALUES WITH (MODULUS 1, REMAINDER 0);
CREATE UNIQUE INDEX t_a_idx ON t (a, b);
CREATE UNIQUE INDEX t_b_idx ON t (b, a);
\d tp
ALTER INDEX t_a_idx ATTACH PARTITION tp_pkey;
ALTER INDEX t_b_idx ATTACH PARTITION tp_b_a_key;
SELECT conname, conparentid, conislocal, coninhcount
  FROM pg_constraint WHERE conname IN ('tp_pkey', 'tp_b_a_key')
  ORDER BY conname DESC;
ALTER TABLE t DETACH PARTITION tp;
\d tp
alter table t attach partition tp FOR VALUES WITH (MODULUS 1, REMAINDER 0);
\d tp
drop index t_a_idx;
\d tp
alter table tp drop constraint tp_b_a_key;
drop index tp_b_a_key;
\d tp
alter table t detach partition tp;
drop table t;
create table l (a int) partition by list (a);
create table l1 (a int primary key);
create unique index on l(a);
alter table l attach partition l1 for values in (1);
\d l1
alter table l add primary key (a);
\d l1
alter table l drop constraint l_pkey;
\d l1
drop table l;
