-- arithmetic
1 + 2, 7 / 2, -7 / 2, 7 % 3, -7 % 3, 2 * 3.5
2147483647 + 1
9223372036854775807 + 1
-(-2147483648)
1 / 0
1 % 0
1.0 / 0
1::float8 / 0
5 / 2.0, 1.0 / 3, 10.00 / 4, 1e10 / 3, 0.001 / 7
1.10 + 2.2, 1.10 * 2.200, 1.5 - 0.25, -1.50
2 ^ 10, 2.0 ^ 0.5, 2::numeric ^ 3, 10 ^ -2
5::int2 + 3::int2, 5::int2 * 3::int8, 32767::int2 + 1::int2
1::float4 + 1::float8, 0.1::float8 + 0.2::float8, 1e300::float8 * 1e10::float8
1e300::float8 * 1e300::float8
1.5::int, 2.5::int, -2.5::int, 2.5::float8::int, 3.5::float8::int, 0.5::numeric::int
3000000000::int
32768::int2
1e20::float8::int8
123.456::numeric(5,2), 123.455::numeric(5,2), -0.005::numeric(5,2)
12345::numeric(4,2)
1.10::numeric, 100::numeric, 1e5, 1.0e-3, 123456789012345678901234567890
abs(-5), abs(-5.5), abs(-5::float8), @ -3, sign(-2.5), sign(-2::float8)
round(2.5), round(-2.5), round(2.567, 2), round(2.5, 3), round(1234.5, -2), round(2.5::float8)
trunc(2.567), trunc(2.567, 1), trunc(-2.5::float8), ceil(2.1), ceil(-2.1), floor(2.9), floor(-2.1), ceiling(2.1::float8)
mod(7, 3), mod(-7.5, 2), mod(7::int8, 3::int8), div(7.5, 2), gcd(12, 18), lcm(4, 6)
sqrt(2), sqrt(2.0), sqrt(16::numeric), cbrt(27), exp(1.0), exp(1::float8), ln(2.0), ln(2::float8), log(100), log(2.0, 8.0), log(100.0)
power(2, 3), power(2.0, 3), power(2.5, 1.5), power(2::numeric, -2)
sqrt(-1)
ln(0)
pi(), degrees(pi()), radians(180), sin(1), cos(1), tan(1), atan(1), atan2(1, 2), asin(0.5), acos(0.5)
greatest(1, 2.5, 3), least(1, 2, null), greatest(null, null::int), coalesce(null, 1), coalesce(null, 1.5, 2), nullif(1, 1), nullif(1, 2), nullif('a', 'b')
5 & 3, 5 | 3, 5 # 3, ~5, 1 << 4, 16 >> 2, 1::int8 << 40, -8 >> 1
factorial(5), width_bucket(5.35, 0.024, 10.06, 5), scale(1.500), min_scale(1.500), trim_scale(1.500)
1 = 1.0, 1 < 2, 1.5 > 1, 'a' < 'b', 1 <> 2, 1 != 2, null = 1, 2 between 1 and 3, 2 not between 1 and 3, 2 between symmetric 3 and 1
1 in (1, 2), 3 not in (1, 2), null in (1), 1 in (2, null), 'a' in ('a', 'b')
substr('abc', 1, 2) in ('ab', 'x', null), substr('abc', 2, 2) in ('ab', 'x', null), substr('abc', 2, 2) not in ('ab', 'x'), null::int in (1, 2, 3), 3 in (1, 2, 3, 4, 5, 6, 7, 8), 9 in (1, 2, 3, 4, 5, 6, 7, null), date '2020-01-01' in (date '2020-01-02', 'infinity', '2020-01-01'), 'infinity'::date in ('2020-01-01', 'infinity'), 5::int8 in (1, 5)
'NaN'::float8 = 'NaN'::float8, 'NaN'::float8 > 1, 'Infinity'::float8 > 1, 'NaN'::numeric = 'NaN'::numeric
1 is null, null is null, 1 is not null, true is true, null is true, null is not false, 1 is distinct from null, 1 is not distinct from 1, null::bool is unknown
true and null, false and null, true or null, not null::bool, not true
case when 1 = 1 then 'a' else 'b' end, case 2 when 1 then 'one' when 2 then 'two' end, case when false then 1 end
case when true then 1 else 2.5 end, case when false then 1 else 2.50 end
(1, 2) = (1, 2), (1, 2) < (1, 3), (1, null) = (1, 2), row(1, 2) <> row(1, 3)
-- strings
'a' || 'b', 'a' || null, 'a' || 1, 1 || 'a', 'x' || 1.50 || true, 'abc' || '' = 'abc'
lower('ABC'), upper('abc'), initcap('hello wORLD foo-bar'), length('héllo'), char_length('abc'), octet_length('héllo'), bit_length('ab')
substr('abcdef', 2), substr('abcdef', 2, 3), substr('abcdef', -1, 3), substring('abcdef' from 2 for 3), substring('abcdef' from 3), substring('abcdef' for 2), substr('abc', 10)
substr('abc', 1, -1)
left('abcdef', 2), left('abcdef', -2), right('abcdef', 2), right('abcdef', -2), left('ab', 5)
position('c' in 'abc'), strpos('abc', 'z'), replace('abcabc', 'b', 'X'), translate('12345', '143', 'ax'), reverse('abc'), repeat('ab', 3), repeat('a', -1)
trim('  a '), trim(both 'x' from 'xxaxx'), ltrim('  a'), rtrim('a  '), trim(leading 'x' from 'xax'), trim(trailing 'x' from 'xax'), btrim('xyaxy', 'xy')
lpad('hi', 5), lpad('hi', 5, 'xy'), rpad('hi', 5, '-'), lpad('hello', 2), lpad('a', 3, '')
split_part('a,b,c', ',', 2), split_part('a,b,c', ',', -1), split_part('a,b', ',', 5), split_part('abc', '', 1)
split_part('a,b', ',', 0)
ascii('A'), chr(65), md5('abc'), to_hex(255), to_hex(-1), concat('a', 1, null, true), concat_ws(',', 'a', null, 'b', 1), starts_with('abc', 'ab')
overlay('abcdef' placing 'XX' from 2 for 3), overlay('abcdef' placing 'XX' from 2)
quote_ident('Foo bar'), quote_ident('foo'), quote_ident('select'), quote_literal('a''b'), quote_nullable(null), format('%s-%I-%L', 'a', 'B c', 'd''e'), format('%2$s %1$s', 'a', 'b'), format('%5s|%-5s|', 'a', 'b')
encode('abc'::bytea, 'hex'), encode('abc'::bytea, 'base64'), decode('616263', 'hex'), 'abc'::bytea, '\x6162'::bytea, length('\x6162'::bytea)
'abc' like 'a%', 'abc' like 'A%', 'abc' ilike 'A%', 'abc' not like '%z', 'a%c' like 'a\%c', 'a_c' like 'a#_c' escape '#', 'abc' like '_b_', 'a\c' like 'a\\c'
'abc' similar to 'a(b|x)c', 'abc' similar to 'a', 'abc' similar to '%(b|d)%', 'abc' not similar to 'x'
'abc' ~ 'b', 'abc' ~ '^b', 'abc' ~* 'B', 'abc' !~ 'z', 'abc' !~* 'B', 'foo.bar' ~ 'o\.b', 'abc' ~ '[[:alpha:]]+', 'a1' ~ '\d', E'a\nb' ~ 'a.b'
regexp_replace('foobarbaz', 'b..', 'X'), regexp_replace('foobarbaz', 'b..', 'X', 'g'), regexp_replace('foobarbaz', 'b(..)', 'X\1Y', 'g'), regexp_replace('Hello', 'l', 'L', 'gi')
regexp_match('foobarbequebaz', '(bar)(beque)'), regexp_match('abc', 'd'), regexp_split_to_array('a b  c', '\s+'), substring('foobar' from 'o.b'), substring('foobar', 'o(.)b')
string_to_array('a,b,c', ','), string_to_array('abc', null), array_to_string(array['a', null, 'b'], ','), array_to_string(array[1, null, 2], ',', '*')
'a'::varchar(3), 'abcdef'::varchar(3), 'ab'::char(4), 'ab'::char(4) || 'x', length('ab'::char(4)), 'ab'::char(4) = 'ab  ', 'abcdef'::char(3), 'abc'::name
'5'::int, ' 5 '::int, '1.5'::numeric, 't'::bool, 'yes'::bool, 'off'::bool, 1::bool, true::int, true::text, 5::text, 1.50::text, 1e20::float8::text, 0.1::float8::text
'abc'::int
'1.5'::int
'99999999999'::int
'x'::bool
'' = '', length(''), '' is null, 'a' > '', 'B' < 'a', 'é' > 'z'
'abc' between 'a' and 'b', greatest('a', 'b'), least('a', 'B')
-- date and time
date '2020-01-31', timestamp '2020-01-31 10:20:30.5', timestamptz '2020-01-31 10:20:30+02', time '10:20:30', interval '1 day 2 hours', interval '1 year 2 months -3 days'
date '2020-01-31' + 1, date '2020-01-31' - date '2020-01-01', date '2020-01-31' - 5, date '2020-01-31' + interval '1 month', date '2020-01-31' - interval '1 day', date '2020-01-01' + time '10:00'
timestamp '2020-03-01 12:00' - timestamp '2020-01-01 10:00', timestamp '2020-01-31' + interval '1 month', timestamptz '2020-01-31 00:00+00' + interval '1 day'
interval '1 day' * 2, interval '1 day' * 1.5, interval '1 month' / 2, 2 * interval '1 hour', interval '1 day' + interval '2 hours', - interval '1 day', interval '1 day' - interval '2 hours'
time '10:00' + interval '3 hours', time '10:00' - time '08:30'
extract(year from date '2020-05-06'), extract(month from timestamp '2020-05-06 07:08:09.5'), extract(second from timestamp '2020-05-06 07:08:09.5'), extract(epoch from timestamp '2020-01-01'), extract(epoch from interval '1 day'), extract(dow from date '2020-05-06'), extract(isodow from date '2020-05-10'), extract(doy from date '2020-05-06'), extract(week from date '2020-01-01'), extract(quarter from date '2020-05-06'), extract(century from date '2020-01-01'), extract(decade from date '2020-01-01'), extract(milliseconds from time '10:00:01.5'), extract(microseconds from time '10:00:01.5'), extract(hour from interval '26 hours'), extract(epoch from date '2020-01-01')
date_part('year', timestamp '2020-05-06'), date_part('epoch', timestamptz '2020-01-01 00:00+00'), date_part('day', interval '5 days')
date_trunc('month', timestamp '2020-05-06 07:08:09'), date_trunc('day', timestamptz '2020-05-06 07:08:09+00'), date_trunc('hour', interval '1 day 2 hours 30 minutes'), date_trunc('week', timestamp '2020-05-06'), date_trunc('quarter', timestamp '2020-05-06')
extract(foo from date '2020-01-01')
age(timestamp '2020-03-01', timestamp '2019-01-15'), age(timestamp '2019-01-15', timestamp '2020-03-01')
make_date(2020, 2, 29), make_timestamp(2020, 1, 2, 3, 4, 5.5), make_interval(days => 10), make_time(8, 15, 23.5)
make_date(2021, 2, 29)
to_char(timestamp '2020-05-06 07:08:09', 'YYYY-MM-DD HH24:MI:SS'), to_char(timestamp '2020-05-06 17:08:09.123', 'Dy, DD Mon YYYY HH12:MI:SS.MS AM'), to_char(date '2020-05-06', 'Day DDth Month'), to_char(date '2020-05-06', 'FMDay, FMDD FMMonth YY Q WW IW D J')
to_char(1234.5, '9999.99'), to_char(1234.5, 'FM9,999.00'), to_char(-12, '999'), to_char(12, '00000'), to_char(0.5, '9.99'), to_char(0.5, '0.99'), to_char(12, 'S999'), to_char(-12.3, '999D9MI'), to_char(1234567, '9,999,999'), to_char(12, 'FM999'), to_char(12345, '999')
to_date('2020-05-06', 'YYYY-MM-DD'), to_date('06 May 2020', 'DD Mon YYYY'), to_timestamp('2020-05-06 07:08:09', 'YYYY-MM-DD HH24:MI:SS'), to_timestamp(1600000000), to_number('1,234.5', '9,999.9')
timestamptz '2020-01-01 00:00+00' at time zone 'America/New_York', timestamp '2020-01-01 00:00' at time zone 'America/New_York'
'2020-01-01'::date::text, '2020-01-01 10:00'::timestamp::date, '2020-01-01'::date::timestamp, '2020-01-01 10:20'::timestamp::time, '1 day'::interval::text, timestamp '2020-01-01 10:00:00.123456'::timestamp(3)
'2020-02-30'::date
'foo'::date
date '2020-01-01' < timestamp '2020-01-01 01:00', date '2020-01-01' = date '2020-01-01', interval '1 month' = interval '30 days', interval '24 hours' = interval '1 day'
'infinity'::date, 'infinity'::timestamp, isfinite(date 'infinity'), isfinite(date '2020-01-01')
justify_days(interval '35 days'), justify_hours(interval '27 hours'), justify_interval(interval '1 mon -1 hour')
(date '2020-01-01', date '2020-02-01') overlaps (date '2020-01-15', date '2020-03-01')
-- arrays
array[1, 2, 3], array['a', 'b'], array[1, 2.5], '{1,2,3}'::int[], array[]::int[], array[1, null], (array[1, 2, 3])[2], (array[1, 2, 3])[0], (array[1, 2, 3])[4], (array[1, 2, 3])[2:3], (array[1, 2, 3])[:2], (array['a', 'b'])[1]
array[1, 2] || 3, array[1, 2] || array[3], 0 || array[1], array[1, 2] = array[1, 2], array[1, 2] < array[1, 3], array[1, 2, 3] @> array[2], array[1] <@ array[1, 2], array[1, 2] && array[2, 3]
array_length(array[1, 2, 3], 1), cardinality(array[1, 2]), array_upper(array[1, 2], 1), array_append(array[1], 2), array_prepend(0, array[1]), array_cat(array[1], array[2]), array_position(array['a', 'b'], 'b'), array_remove(array[1, 2, 1], 1), array_replace(array[1, 2], 1, 9), array_ndims(array[1]), array_dims(array[1, 2])
1 = any(array[1, 2]), 3 = any(array[1, 2]), 1 = all(array[1, 1]), null = any(array[1]), 1 = any(array[2, null]), 'a' like any(array['a%', 'b']), 5 > all(array[1, 2]), 1 = any('{1,2}'), 1 <> all(array[]::int[])
array[1, 2]::text, array['a b', null, 'c"d']::text, array[1.5, 2]::int[], '{a,b}'::text[], array[1, 2]::text[], array(select 1), array[date '2020-01-01']
-- json
'{"a": 1, "b": [1, 2]}'::json -> 'a', '{"a": {"b": 2}}'::json -> 'a' ->> 'b', '[1, 2, 3]'::json -> 1, '[1, 2]'::json ->> -1, '{"a": "x"}'::jsonb ->> 'a', '{"b":1,"a":2}'::jsonb, '{"a": [1, {"b": 3}]}'::jsonb #> '{a,1,b}', '{"a": [1, {"b": "z"}]}'::jsonb #>> '{a,1,b}'
'{"a": 1, "b": 2}'::jsonb @> '{"a": 1}', '{"a": 1}'::jsonb ? 'a', '{"a":1}'::jsonb ?| array['b', 'a'], '{"a":1}'::jsonb ?& array['b', 'a'], '{"a": 1}'::jsonb || '{"b": 2}', '{"a": 1, "b": 2}'::jsonb - 'a', '[1, 2, 3]'::jsonb - 1, '{"a": {"b": 1}}'::jsonb #- '{a,b}'
json_build_object('a', 1, 'b', 'x'), jsonb_build_object('a', 1, 'b', null), json_build_array(1, 'a', null, true), jsonb_build_array(1, 2.50), to_json('a'::text), to_jsonb(5), to_jsonb(array[1, 2]), to_json(array['a', 'b'])
jsonb_array_length('[1, 2]'), json_typeof('{}'), jsonb_typeof('1'), jsonb_set('{"a": 1}', '{a}', '2'), jsonb_set('{"a": 1}', '{b}', '"x"'), jsonb_pretty('{"a": [1]}'), jsonb_strip_nulls('{"a": null, "b": 1}'), jsonb_insert('[1, 2]', '{1}', '9')
('5'::jsonb)::int, ('1.5'::jsonb)::numeric, ('true'::jsonb)::bool, '{"a":1}'::jsonb = '{"a": 1.0}'::jsonb, jsonb_extract_path_text('{"a": {"b": "c"}}', 'a', 'b')
'{bad'::json
-- uuid, misc
'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid

1::oid, 1::int8, 1::text::int, cast('1' as int) + 1, int4 '5', '5'::varchar::int, text 'a', bool 't'
exists(select 1), (select 5), (select null::int), 1 in (select 1), 2 = any(select 1), 3 > all(select 1 union all select 2), not exists(select 1 where false)
-- errors
1 + 'a'
1 + true
'a' + 'b'
1 || 2
foo(1)
lower(1)
upper(1, 2)
abs('x'::text)
nosuch
count(*) filter (where 1)
coalesce(1, 'a')
coalesce(1, true)
case when 1 then 2 end
case when true then 1 else 'x' end
array[1, 'a']
array[1, true]
1::date
true::date
date '2020-01-01' + date '2020-01-01'
not 1
sum(sum(1))
max(1) over () + rank()
array[]
(select 1, 2)
(1, 2) = (1, 2, 3)
1 = any(2)
1 in (1, 'x')
-'a'
substring(1 from 2)
'a' like 5
null + null
extract(year from 5)
interval '1 day' * interval '1 day'
-- constants and powers
-9223372036854775808, -2147483648, mod(-9223372036854775808, 3), pg_catalog.abs(-5)
5.0::numeric ^ 2, 2::numeric ^ -5, 1.123456789012345678::numeric ^ 3, 10::numeric ^ 30, 0.1::numeric ^ 20, 0.1::numeric ^ 15, (-2.0)::numeric ^ 3
'infinity'::numeric ^ 2, '-infinity'::numeric ^ 3, 2 ^ 'infinity'::numeric, 0.5 ^ 'infinity'::numeric, ln('infinity'::numeric), 'NaN'::numeric ^ 0
'a' not like any(array['b', null]), 'a' not like all(array['b', 'c'])
to_jsonb(timestamptz '2023-06-01 00:00:00+00'), to_jsonb(timestamp '2023-06-01 00:00:00'), to_json(date '2023-06-01')
'foobar' similar to '%#"o_b#"%' escape '#', substring('foobar' from '%#"o_b#"%' for '#')
array_cat(null::int[], null::int[]), null::int[] || array[1], array[1] || null
99999999.99::numeric(10,2) * 99999999.9999::numeric(12,4)
9999999999999.99::numeric(15,2) * 9999999999999.99::numeric(15,2), -99999999.99::numeric(10,2) * 99999999.99::numeric(10,2)
