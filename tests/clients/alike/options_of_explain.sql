-- What EXPLAIN takes, and what it refuses; plans are shown as they are here.
create table t(a int primary key);
explain (foo) select 1; explain (analyze maybe) select 1; explain (format foo) select 1; explain (format) select 1; explain (wal) select 1; explain (timing) select 1; explain (costs 1, verbose 0, buffers off) select 1 where false \g /dev/null
explain (analyze, costs off, timing off, summary off, format json) select 1 \g /dev/null
explain (buffers off, settings on, format text) select 1 \g /dev/null
explain create table x(a int); explain (analyze) create table x as select 1 \g /dev/null
explain declare c cursor for select 1 \g /dev/null
explain analyze verbose select 1 \g /dev/null
explain verbose analyze select 1;
explain execute nosuch; explain (analyze off) select nosuch; explain vacuum t; explain drop table t; explain insert into t values (1) \g /dev/null
explain (analyze) insert into t values (77) \g /dev/null
select * from t; explain (format xml) select 1 \g /dev/null
explain (format yaml, verbose) select 1 \g /dev/null
explain (summary) select 1 \g /dev/null
explain (generic_plan) select 1; explain (analyze, analyze off) select 1 \g /dev/null
explain (memory) select 1; explain (costs 2) select 1; explain (costs 'on') select 1 \g /dev/null
explain (costs yes) select 1; explain; explain (costs); explain (select 1) \g /dev/null
explain (analyze, timing) with x as (insert into t values (5) returning a) select * from x \g /dev/null
select count(*) from t;
