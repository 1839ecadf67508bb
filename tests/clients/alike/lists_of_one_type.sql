-- Several elements of a list that name no columns are an array of one type, which they and what is compared decide; a single one is compared as it is.
select 0.1::real in (0.1, 0.2), 0.1::real in (0.1), 0.1::real not in (0.1, 0.2), 0.1::real in (0.1::float8, 0.2), 0.1::real in (0.1, '0.3');
select x in (0.1, x + 1), x in (0.1, 0.2, x + 1), x in (0.1), x in (0.1, null) from (values (0.1::real)) v(x);
select 16777217 in (16777216::real, 1::real), 16777217 in (16777216::real), 1.1::real in (1, 1.1), 1::int2 in (1.5, 1), 0.1::float8 in (0.1, 0.2::real);
select 'a '::char(3) in ('a'::text, 'b'), 'a '::char(3) in ('a '::text, 'b '::text), 'a '::char(3) in ('a'::varchar, 'b'::char(2)), 'a '::text in ('a'::char(3), 'b'::char(2));
select 'a '::varchar in ('a'::char(3), 'b'::char(2)), 'a'::name in ('a'::char(3), 'b'::text), 'a '::char(3) in ('a', 'b'), 'a '::char(3) in ('a'::text);
select '1.0' in (1, 2.5), '1' in ('1', '2'), null in (1, 2.5), 1 in (null, 2.5);
select 1 in (1, 'x');
select 1 in ('1'::text, 2);
select (-1)::oid in (-1, 2), 1259 in ('pg_class'::regclass, 'pg_type'::regclass), 'pg_class'::regclass in (1259, 1), date '2020-01-01' in (timestamp '2020-01-01', timestamptz '2020-01-02');
create table measured (id int primary key, r real, k real);
create index on measured (r);
insert into measured values (1, 1.1, 1.1), (2, 2.2, 2), (3, 3, 3.3);
select id from measured where r in (1.1, 2.2) order by id;
select id from measured where r in (1.1) order by id;
select id from measured where id in (1, 2, 3) and k not in (1.1, 2) order by id;
delete from measured where r in (2.2, 3) and id in (2, 3) returning id;
prepare several (real, float8) as select $1 in ($2, 0.5), $1 in ($2);
execute several (0.1, 0.1);
