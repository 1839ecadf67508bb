-- Beyond the year 9999 clocks go on as they do every four hundred years: summer time, too.
SET timezone = 'Europe/Berlin';
CREATE TABLE far (id int PRIMARY KEY, at timestamp, tz timestamptz);
INSERT INTO far VALUES (1, '200000-06-01 12:00', '200000-06-01 12:00'), (2, '10000-07-01', '10000-07-01'), (3, '9999-12-31 23:59', '9999-12-31 23:59'), (4, '9999-12-30', '9999-12-30'), (5, '294246-12-31 23:00', '294246-12-31 22:00'), (6, '12345-01-31', '12345-01-31');
SELECT id, at::timestamptz, tz::timestamp, at::timestamptz = tz FROM far ORDER BY id;
SELECT at::timestamptz, tz::timestamp, tz + interval '1 month', tz - interval '180 days' FROM far WHERE id = 1;
SELECT at::timestamptz, tz::timestamp, tz + interval '1 month', tz - interval '180 days' FROM far WHERE id = 1;
SELECT at::timestamptz, tz::timestamp, tz + interval '1 month', tz - interval '180 days' FROM far WHERE id = 2;
SELECT at::timestamptz, tz::timestamp, tz + interval '1 month', tz - interval '180 days' FROM far WHERE id = 3;
SELECT at::timestamptz, tz::timestamp, tz - interval '1 month', tz - interval '180 days' FROM far WHERE id = 5;
SELECT at AT TIME ZONE 'America/New_York', tz AT TIME ZONE 'America/New_York' FROM far WHERE id = 1;
SELECT at AT TIME ZONE 'America/New_York', tz AT TIME ZONE 'America/New_York' FROM far WHERE id = 1;
SELECT '200000-06-01'::timestamp::timestamptz;
SELECT id, extract(hour FROM tz), extract(timezone FROM tz), date_trunc('day', tz), tz::date, to_char(tz, 'YYYY-MM-DD HH24 OF') FROM far ORDER BY id;
