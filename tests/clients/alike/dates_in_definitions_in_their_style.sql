-- Dates in definitions are shown as DateStyle says, intervals as IntervalStyle does.
set datestyle to 'postgres, mdy';
create table dt(d date default '2020-01-02', t timestamp default '2020-01-02 03:04:05', i interval default '1 day 2 hours', check (d >= '2009-01-01'), check (t < '2030-01-01 00:00'), check (i > '1 hour'));
\d dt
create view vd as select * from dt where d > '2001-02-03' and t > '2001-02-03 04:05:06' and i < '2 days';
\d+ vd
create index di on dt (d) where d > '2000-01-01';
\d dt
set intervalstyle to postgres_verbose;
\d+ vd
select pg_get_viewdef('vd');
select pg_get_expr(adbin, adrelid) from pg_attrdef where adrelid = 'dt'::regclass order by adnum;
select pg_get_constraintdef(oid) from pg_constraint where conrelid = 'dt'::regclass order by conname;
create policy po on dt using (d > '2020-01-01');
\d dt
create domain dd as date default '2020-01-02' check (value > '2020-01-01');
select column_default from information_schema.columns where table_name = 'dt' order by 1;
set datestyle to 'german';
\d dt
reset datestyle;
\d dt
create table dp (d date) partition by range (d);
create table dp1 partition of dp for values from ('2020-01-01') to ('2021-01-01');
set datestyle to 'postgres, mdy';
select pg_get_partition_constraintdef('dp1'::regclass);
