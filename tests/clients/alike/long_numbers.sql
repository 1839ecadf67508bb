-- Numbers of more digits than Python rounds to unasked.
create table nn (id int primary key, v numeric); insert into nn values (1, -123456789012345678901234567890.123456789), (2, 123456789012345678901234567890.123456789), (3, 0), (4, -0.0000000000000000000000000000000000001);
select abs(v), @ v, - v, +v, sign(v), v::text, to_char(v, '999999999999999999999999999999999999D999999999'), to_char(v, 'FM9.99EEEE'), v::numeric(50,5), v % 7, div(v, 3), round(v, 3), trunc(v,3), ceil(v), floor(v) from nn order by id;
select abs(v), @ v, - v, sign(v), v % 7, round(v, 3), trunc(v,3), ceil(v), floor(v), v * -1, v - v - v, mod(v, 1000000007) from nn where id = 1;
select abs(v), @ v, - v, sign(v), v % 7, round(v, 3), trunc(v,3), ceil(v), floor(v), v * -1, v - v - v from nn where id = 4;
update nn set v = abs(v) where id = 1 returning v; update nn set v = -v where id = 1 returning v;
select jsonb_path_query(to_jsonb(v), '-$'), jsonb_path_query(to_jsonb(v), '$.abs()'), jsonb_path_query(to_jsonb(v), '+$'), jsonb_path_query(to_jsonb(v), '$ * 3'), jsonb_path_query(to_jsonb(v), '$.floor()'), jsonb_path_query(to_jsonb(v), '$.ceiling()'), jsonb_path_query(to_jsonb(v), '$ % 7') from nn order by id;
select gcd(trunc(v), 10), lcm(trunc(v), 9), scale(v), min_scale(v), trim_scale(v), v::int8 from nn where id > 2;
select gcd(trunc(v), 10), lcm(trunc(v), 9), numeric_inc(v), power(v, 3), (v ^ 3.0), greatest(v, -v), sum(v) over (), avg(v) over () from nn order by id;
select sum(v), avg(v), stddev(v), variance(v), min(v), max(v), max(abs(v)) from nn;
select v::text::numeric(40,3), to_char(-v, '9,999,999,999,999,999,999,999,999,999,999,999,999.99999PR'), to_char(v,'RN') from nn order by id;
select numrange(-v, v), v <@ numrange(v, v, '[]'), numrange(0, abs(v)) from nn where id = 2;
select 10000000000000000000000000000000000000001::numeric(41,0), abs(-10000000000000000000000000000000000000001), - 10000000000000000000000000000000000000001, -(-10000000000000000000000000000000000000001);
drop table nn;
