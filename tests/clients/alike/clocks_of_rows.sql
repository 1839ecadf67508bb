-- clock_timestamp() is the time at which a row asks for it
select b > a, b - a < interval '1 hour' from (select clock_timestamp() as a, pg_sleep(0.01), clock_timestamp() as b) x;
create table cor (a int primary key, t timestamptz default clock_timestamp());
insert into cor select i from generate_series(1, 5000) i; select count(distinct t) > 1 from cor;
insert into cor values (0), (-1); insert into cor (a) values (-2); select count(*), count(t), bool_and(t <= clock_timestamp()) from cor;
select count(distinct c) > 1 from (select clock_timestamp() c from generate_series(1, 5000)) x;
select count(*) from (select clock_timestamp() c, clock_timestamp() d from generate_series(1, 5000)) x where c <= d;
update cor set t = clock_timestamp(); select count(distinct t) > 1, bool_and(t < clock_timestamp()) from cor; select count(distinct timeofday()) > 1 from cor;
select count(distinct now()), count(distinct statement_timestamp()) from cor;
update cor set t = clock_timestamp() where a = 1 returning t <= clock_timestamp(); select a from cor where a = 1 and t < clock_timestamp(); select count(*) from cor where t > clock_timestamp() - interval '1 hour';
delete from cor where t < clock_timestamp() - interval '1 hour';
create view cor_v as select clock_timestamp() as c, timeofday() is null as d; \d+ cor_v
select a from cor where a in (1, 2) and t < clock_timestamp() order by a;
create table cor_2 (a int check (clock_timestamp() > '2020-01-01'), b timestamptz generated always as (clock_timestamp()) stored);
create index on cor ((clock_timestamp()));
prepare cor_p as select $1::timestamptz < clock_timestamp(); execute cor_p ('2020-01-01');
select date_trunc('day', clock_timestamp()) <= clock_timestamp(), age(clock_timestamp(), clock_timestamp()) < '1 min', extract(year from clock_timestamp()) between 2000 and 3000;
select case when clock_timestamp() >= now() then 1 end from cor where a = 1; insert into cor values (1, clock_timestamp()) on conflict (a) do update set t = clock_timestamp() returning a;
create function cor_f() returns timestamptz language sql as 'select clock_timestamp()'; select cor_f() <= clock_timestamp();
do $$ declare a timestamptz := clock_timestamp(); b timestamptz; begin perform pg_sleep(0.01); b := clock_timestamp(); if b > a then raise notice 'later'; end if; end $$;
merge into cor using (values (1)) v (x) on a = x when matched then update set t = clock_timestamp();
select a from cor group by a, clock_timestamp() having a = 1; select count(*) over (order by clock_timestamp()) from cor where a = 1; select distinct clock_timestamp() is null from cor;
select l is null from cor, lateral (select clock_timestamp() as l) x where a < 2 and a > -1;
copy cor (a) from stdin;
10001
\.
select t <= clock_timestamp() from cor where a = 10001;
select timeofday() ~ '^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z][a-z] \d\d \d\d:\d\d:\d\d\.\d{6} 20\d\d UTC$';
set timezone = 'Asia/Tokyo'; select timeofday() ~ ' JST$', timeofday()::timestamptz between now() - interval '1 s' and clock_timestamp(), substr(timeofday(), 1, 10) = to_char(clock_timestamp(), 'Dy Mon DD'); reset timezone;
set timezone = '-03:30'; select regexp_replace(timeofday(), '^.* ', ''); reset timezone;
select count(distinct timeofday()) > 1 from generate_series(1, 5000);
-- COPY reads them all at the transaction's time.
CREATE TABLE copied_now (at timestamptz, day date, spans tstzrange, n int);
BEGIN;
COPY copied_now FROM STDIN;
now	today	[now,)	1
now	today	[now,)	2
\.
SELECT pg_sleep(0.01);
COPY copied_now (at, n) FROM STDIN;
now	3
\.
SELECT count(DISTINCT at), count(DISTINCT spans), bool_and(at = now()), bool_and(day = current_date) FROM copied_now;
COMMIT;
COPY copied_now (at, n) FROM STDIN;
now	4
now	5
\.
SELECT count(DISTINCT at) FROM copied_now WHERE n > 3;
DROP TABLE copied_now;
