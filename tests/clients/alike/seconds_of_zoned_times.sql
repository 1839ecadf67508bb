-- timetz(n) has n decimals of a second, whoever makes the value.
create table zt (id int primary key, a timetz(2), d timetz(0));
insert into zt values (1, '10:00:00.126', '23:59:59.99+02'), (2, null, null);
insert into zt select 3, x::timetz, x::timetz from (values ('09:59:59.995-03')) v(x);
insert into zt values (2, '00:00:00.004', '00:00:00.5') on conflict (id) do update set a = excluded.a, d = timetz '01:02:03.999';
copy zt from stdin;
4	12:00:00.129-01	12:34:56.789
\.
update zt set a = timetz '10:00:00.999' where id = 1 returning a;
select * from zt order by id;
select '10:00:00.126'::timetz(2), cast(timetz '10:00:00.126' as timetz(1)), '10:00:00.126'::text::timetz(2), time '10:00:00.126'::timetz(2);
select '2020-01-01 10:00:00.126'::timestamptz::timetz(1), x::timetz(2), x::text::timetz(2) from (values (timetz '10:00:00.126'), ('23:59:59.999')) v(x);
select array['10:00:00.126']::timetz(1)[], (row('10:00:00.126'::timetz)::text)::text;
select '10:00:00.12345'::time(3) with time zone, time(2) with time zone '10:00:00.126', '10:00:00.5'::timetz(0);
do $$ declare x timetz(1) := '10:00:00.126'; begin raise notice '%', x; x := '11:11:11.111'; raise notice '%', x; end $$;
prepare p(timetz) as select $1::timetz(2); execute p('10:00:00.126');
select length(current_time(2)::text) < 16;
alter table zt alter column a type timetz(1);
select a from zt order by id;
select count(*) from zt where a = timetz '10:00:01';
create domain zd as timetz(1);
select '10:00:00.126'::zd;
