-- Dates that defaults of parameters, bodies by the standard and bounds of partitions say are what they were then.
set datestyle = 'SQL, DMY'; set timezone = 'Asia/Tokyo';
create function f(d date default '3.4.2021') returns date language sql as 'select d';
create function g() returns date language sql return '3.4.2021'::date;
create function g2() returns date language sql begin atomic select date '3.4.2021'; end;
create table p (d date, at timestamptz) partition by range (d); create table p1 partition of p for values from ('3.4.2021') to ('4.4.2021');
create table q (at timestamptz) partition by range (at); create table q1 partition of q for values from ('2020-01-02') to ('2020-01-03');
create table u (x text); insert into u values ('3.4.2021'); alter table u alter x type date using x::date;
create type ct as (d date); create table dd (c ct default '(3.4.2021)');
reset datestyle; reset timezone;
select f(), g(), g2(); insert into p values ('2021-04-03'); insert into q values ('2020-01-01 15:00+00'); select * from u; insert into dd default values; select * from dd;
select pg_get_functiondef('f'::regproc), pg_get_functiondef('g'::regproc), pg_get_expr(relpartbound, oid) from pg_class where relname in ('p1', 'q1') order by relname;
