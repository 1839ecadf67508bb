-- Dates before our era and without end: fields, truncation, templates; what `now` means in a transaction.
SET timezone = 'America/Los_Angeles';
CREATE TEMP TABLE moments (id int, d date, t timestamp, z timestamptz);
INSERT INTO moments VALUES
  (1, '0001-12-31 BC', '0001-12-31 23:59:59 BC', '0001-12-31 12:00 BC'),
  (2, '0011-03-04 BC', '0011-03-04 05:06:07.5 BC', '0011-03-04 05:06:07.5 BC'),
  (3, '0101-02-28 BC', '0101-02-28 BC', '0101-02-28 BC'),
  (4, '4713-01-01 BC', '4713-01-01 00:00:01 BC', '4713-01-02 BC'),
  (5, '0001-01-01', '0001-01-01', '0001-01-01 12:00'),
  (6, '1999-12-31', '1999-12-31 23:00', '1999-12-31 23:00'),
  (7, '12024-02-29', '12024-02-29 13:14:15', '12024-02-29 13:14:15');
SELECT id, extract(year FROM d), extract(decade FROM d), extract(century FROM d), extract(millennium FROM d), extract(isoyear FROM d), extract(week FROM d), extract(dow FROM d), extract(doy FROM d), extract(julian FROM d) FROM moments ORDER BY id;
SELECT id, extract(year FROM t), extract(decade FROM t), extract(century FROM t), extract(millennium FROM t), extract(isoyear FROM t), round(extract(julian FROM t), 9) FROM moments ORDER BY id;
SELECT id, extract(year FROM z), extract(decade FROM z), extract(century FROM z), extract(millennium FROM z), extract(isoyear FROM z), extract(month FROM z), extract(day FROM z) FROM moments ORDER BY id;
SELECT id, unit, date_part(unit, t) FROM moments, (VALUES ('year'), ('decade'), ('century'), ('week'), ('isoyear'), ('dow'), ('doy'), ('quarter'), ('epoch')) u(unit) ORDER BY id, unit;
SELECT id, unit, date_trunc(unit, t) FROM moments, (VALUES ('week'), ('month'), ('quarter'), ('year'), ('decade'), ('century'), ('millennium')) u(unit) WHERE id <> 4 ORDER BY id, unit;
SELECT id, date_trunc('decade', t), date_trunc('century', d), date_trunc('millennium', t) FROM moments WHERE id <> 4 ORDER BY id;
SELECT id, to_char(t, 'YYYY YYY Y,YYY BC b.c. CC Q MM WW W IYYY IW ID DDD D J Day Month RM HH24:MI:SS.US') FROM moments ORDER BY id;
SELECT id, to_char(z, 'FMYYYY FMCC FMIYYY AD FMMonth FMDay') FROM moments ORDER BY id;
SELECT f, date_part(f, timestamp 'infinity'), date_part(f, timestamp '-infinity') FROM (VALUES ('year'), ('month'), ('hour'), ('epoch'), ('julian'), ('week')) v(f) ORDER BY f;
SELECT to_char(timestamp 'infinity', 'YYYY') IS NULL;
SELECT to_char(make_interval(months => m), 'RM|FMrm|') FROM generate_series(-14, 14) m;
SELECT make_date(-44, 3, 15), make_date(2024, 2, 29), make_timestamp(-1, 12, 31, 1, 2, 3.5);
SELECT make_date(0, 1, 1);
SELECT make_date(2023, 2, 29);
SELECT make_time(10, 61, 1.5);
SELECT make_time(1, 1, 'Infinity'); SELECT make_timestamp(2000, 1, 1, 1, 1, 'NaN'); SELECT make_time(1, 1, '-Infinity');
SELECT to_timestamp(1.7e308), 1; SELECT to_timestamp(-1e300);
SELECT date_bin('1 day', timestamp '0055-06-10 15:44 BC', timestamp '2001-01-01');
SELECT date_bin('200000000 days', timestamp '2024-02-01', timestamp '2024-01-01');
SELECT date_bin('1 hour', timestamp 'infinity', timestamp '2024-01-01');
SELECT generate_series(timestamp '0002-11-30 BC', timestamp '0001-02-28 BC', interval '1 month');
SELECT extract(timezone_m FROM date '2020-01-01');
SELECT extract(fortnight FROM date '2020-01-01');
-- A difference of moments is time that has passed, whatever clocks were set to meanwhile.
SELECT timestamptz '2024-07-01 12:00' - timestamptz '2024-01-01 12:00' AS passed, timestamptz '2024-03-10 12:00' - timestamptz '2024-03-09 12:00' AS a_short_day;
SELECT z - timestamptz '1999-07-01 00:00' FROM moments WHERE id = 6;
-- A transaction has one now.
BEGIN;
SELECT now() = timestamptz 'now' AS z, localtimestamp = timestamp 'now' AS t, current_date = date 'now' AS d, localtime = time 'now' AS c;
CREATE TEMP TABLE told (at timestamptz, local timestamp);
INSERT INTO told VALUES ('now', 'now');
SELECT pg_sleep(0.01);
INSERT INTO told VALUES ('now', 'now');
SELECT count(*), count(DISTINCT at), count(DISTINCT local) FROM told;
COMMIT;
SELECT gcd(-2147483648, 0);
SELECT lcm(2147483647, 2147483646);
SELECT lcm(9223372036854775807, 9223372036854775806);
SELECT gcd(12, 18), gcd(12::int8, 18), lcm(4, 6), lcm(-4::int8, 6), gcd(0, 0), lcm(0, 5);
SELECT acosh(0.5);
SELECT atanh(2);
SELECT width_bucket(0::float8, '-inf', 4, 8);
SELECT width_bucket(2.0, 3.0, 'Infinity', 8);
SELECT regexp_split_to_array('the  quick', '\s*'), regexp_split_to_array('  ab ', '\s*'), regexp_split_to_array('a,b,,c', ','), regexp_split_to_array('', 'x*');
SELECT unistr('\d83d\de00 \0061 \\ x'), unistr('a\+01F600');
SELECT unistr('lonely \d83d');
SELECT unistr('too far \U00110000');
SELECT '{"a": 1,}'::json;
SELECT j::jsonb FROM (VALUES ('[1, 2'), ('3')) v(j);
SELECT tz, make_timestamptz(2010, 2, 27, 3, 45, 0, tz) FROM (VALUES ('+1'), ('+1:'), ('+1:0'), ('+10:30'), ('-05'), ('+0530'), ('-1:2:3'), ('UTC'), ('Europe/Paris'), ('PST')) z(tz) ORDER BY tz;
SELECT make_timestamptz(1973, 7, 15, 8, 15, 55.33, '2');
SELECT make_timestamptz(1973, 7, 15, 8, 15, 55.33, '+16');
SELECT make_timestamptz(1973, 7, 15, 8, 15, 55.33, 'Nowhere/At all');
