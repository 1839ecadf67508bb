-- Moments and intervals of rows that are found by key: the calendar is the session's zone's.
CREATE TABLE mmk (id int PRIMARY KEY, at timestamptz, d date, i interval);
SET TimeZone = 'America/New_York';
INSERT INTO mmk VALUES (1, '2024-03-09 02:30', '2024-03-09', '1 month'), (2, '2024-11-02 01:30', '2024-11-02', '1 day 12:00'),
  (3, '2024-01-31 23:59:59.5', '2024-01-31', '1 mon -1 day 00:00:01'), (4, 'infinity', 'infinity', '-3 days'), (5, NULL, NULL, NULL),
  (6, '2024-11-03 06:30+00', '2024-11-03', '-1 year -1 day');
SELECT id, at + interval '1 day', at - interval '1 day', at + interval '24 hours', at + interval '1 month' FROM mmk WHERE id = 1;
SELECT id, at + interval '1 day', at - interval '1 day', at + interval '24 hours', interval '1 month' + at FROM mmk WHERE id = 2;
SELECT id, at + i, at - i, d + i, d - i FROM mmk WHERE id = 3;
SELECT id, at + i, at - i FROM mmk WHERE id = 4;
SELECT id, at + i, at - i, d + i FROM mmk WHERE id = 5;
SELECT id, at + i, at - i, i * 2, i * 1.5, 0.3 * i, i / 7, -i, i + i, i - interval '1 hour' FROM mmk WHERE id = 6;
SELECT id, at + 3 * interval '1 day' FROM mmk WHERE id = 2;
SELECT id FROM mmk WHERE id = 2 AND at > timestamptz '2024-11-03 01:00' - interval '1 day';
SELECT i / 0 FROM mmk WHERE id = 1;
SELECT i * 1e12 FROM mmk WHERE id = 1;
SELECT at + interval '300000 years' FROM mmk WHERE id = 1;
SET TimeZone = 'Asia/Kolkata';
SELECT id, at + interval '1 month 1 day 01:00', at - interval '1 month 1 day 01:00' FROM mmk WHERE id = 1;
SET TimeZone = 'UTC';
SELECT id, at + i, at - i FROM mmk WHERE id = 6;
CREATE INDEX ON mmk (at);
SELECT count(*) FROM mmk WHERE at >= timestamptz '2024-11-05 00:00+00' - interval '5 days' AND at < timestamptz '2024-11-05 00:00+00';
RESET TimeZone;
DROP TABLE mmk;
