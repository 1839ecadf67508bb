-- Zones that describe themselves, as POSIX writes them, and days and clocks in a zone of a fixed offset.
SET TIME ZONE 'CST7CDT,M4.1.0,M10.5.0';
SHOW timezone;
SELECT timestamptz '2005-04-02 12:00-07' + interval '1 day', timestamptz '2005-04-02 12:00-07' + interval '24 hours';
SELECT timestamptz '2005-04-03 12:00-06' - interval '1 day', timestamptz '2005-04-03 12:00-06' - interval '24 hours';
SELECT to_char(timestamptz '2005-04-05 12:00-07', 'TZ OF'), timestamptz '3100-07-02 12:00', timestamptz '1900-01-02 12:00';
SET TIME ZONE 'AAA3BBB2:30:00,J60/3,300/0:30';
SELECT timestamptz '2005-03-01 02:59', timestamptz '2005-03-01 03:30', timestamptz '2005-10-28 00:30';
SET TIME ZONE 'FOO8BAR';
SELECT timestamptz '2014-12-10 10:10', timestamptz '2014-07-10 10:10';
SET TIME ZONE 'AAA3BBB,M13.1.0,M10.5.0';
SET TIME ZONE 'AAA3BBB,M1.1.0';
SELECT make_timestamptz(2014, 12, 10, 10, 10, 10, 'PST8PDT,M3.2.0,M11.1.0') = timestamptz '2014-12-10 18:10:10+00';
SELECT make_timestamptz(2010, 2, 27, 3, 45, 00, '+10:00:') = make_timestamptz(2010, 2, 27, 3, 45, 00, '+1000');
SELECT make_timestamptz(2010, 2, 27, 3, 45, 00, '+100001');
SELECT make_timestamptz(2010, 2, 27, 3, 45, 00, '+001');
SET TIME ZONE 'UTC-2';
SELECT '4714-11-24 BC'::date::timestamptz;
SELECT '2020-10-05'::date < '2020-10-05'::timestamptz, '2020-10-05'::date::timestamptz;
SELECT '4714-11-24 BC'::date < '2020-10-05'::timestamptz, '4714-11-24 BC'::timestamp < '2020-10-05'::timestamptz;
SELECT '2202020-10-05'::date > '2020-10-05'::timestamptz, '2020-10-05'::timestamptz > '2202020-10-05'::date;
SELECT '2202020-10-05'::date < 'infinity'::timestamptz, 'infinity'::date = 'infinity'::timestamptz, '-infinity'::timestamptz < '4714-11-24 BC'::date;
-- Units before numbers.
SET TIME ZONE 'UTC';
SELECT timestamptz 'Y2001M12D27H04M05S06.789+08', timestamp 'Y2001M12D27H04MM05S06.789', date 'Y2001M12D27H04M05S06.789+08';
SELECT timestamp 'H05MM06S07.5 2001-12-27', timestamp '20011227 H05MM06S07.5 pm', timestamp 'Y2001M12D27H04';
SELECT timestamp 'Y2001M12D27H04H05';
SELECT timestamp '2001-12-27 04:05 H05';
SELECT timestamp '2001-12-27 H04 05:06';
SELECT timestamp 'Y2001M12D27 H05.5';
-- AT TIME ZONE, and days of such a zone.
select timestamptz '2020-07-01 12:00Z' at time zone 'CST7CDT,M4.1.0,M10.5.0', timestamp '2020-07-01 12:00' at time zone 'FOO8BAR', timestamptz 'infinity' at time zone 'FOO8BAR';
select date_trunc('day', timestamptz '2020-07-01 12:00Z', 'FOO8BAR'), timezone('<+03>-3<+04>,J60/0,J300/0', timestamp '2020-07-01 12:00');
select timestamptz '2020-07-01 12:00Z' at time zone 'FOO8BAR,M13.1.0,M10.5.0';
