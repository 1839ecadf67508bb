-- IS DISTINCT FROM between types that compare with each other.
set timezone = 'Europe/Berlin';
create table d(id int primary key, d date, ts timestamp, tz timestamptz, f float4, g float8, n name, t text);
insert into d values (1, '2024-01-01', '2024-01-01', '2024-01-01 00:00+01', 1.5, 1.5, 'a', 'a'), (2, '2024-01-02', '2024-01-01', '2024-01-01 00:00+00', 0.1, 0.1, 'a', 'b'), (3), (4, 'infinity', 'infinity', 'infinity', 'nan', 'nan', '', '');
select id, d is distinct from ts, ts is distinct from d, d is distinct from tz, tz is distinct from d, ts is distinct from tz, tz is distinct from ts from d order by id;
select id, d is not distinct from ts, ts is not distinct from d, d is not distinct from tz, tz is not distinct from d, ts is not distinct from tz, tz is not distinct from ts from d order by id;
select id, f is distinct from g, g is distinct from f, f is not distinct from g, n is distinct from t, t is distinct from n, n is not distinct from t, t is not distinct from n from d order by id;
prepare p(timestamptz, timestamp) as select id, ts is distinct from $1, d is not distinct from $2 from d where id = 1 or d is not distinct from $1;
execute p('2024-01-01 00:00+01', '2024-01-01');
execute p('2024-01-01 00:00+01', '2024-01-01');
execute p(null, null);
select 1 is distinct from 1.0, 1 is not distinct from 1.5::float4, 2::numeric is distinct from 2::float8;
