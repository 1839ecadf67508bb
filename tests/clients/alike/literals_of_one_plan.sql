-- Statements that differ in literals alone are served by one plan, which none of them may notice: each is sent with several, some of which mean
-- something else than the first did, or nothing.
CREATE TABLE visits (id int PRIMARY KEY, page text, at timestamptz, day date, seen jsonb);
INSERT INTO visits SELECT i, 'page ' || chr(65 + i % 26) || '_' || i, timestamptz '2024-01-01 00:00:00+00' + i * interval '6 hours', date '2024-01-01' + i / 4,
    jsonb_build_object('agent', 'a' || i % 5, 'time', i % 7) FROM generate_series(0, 199) i;
INSERT INTO visits VALUES (900, 'back\slash', null, null, null), (901, '100%', now() - interval '30 minutes', current_date, '{"agent": "a%"}'), (902, 'APFEL', now() - interval '3 days', current_date - 3, '{"agent": null}');
SET TIME ZONE 'UTC';
-- patterns
SELECT id FROM visits WHERE page LIKE 'page B%' ORDER BY id LIMIT 3;
SELECT id FROM visits WHERE page LIKE 'page \_%' ORDER BY id LIMIT 3;
SELECT id FROM visits WHERE page LIKE '%\%' ORDER BY id LIMIT 3;
SELECT id FROM visits WHERE page LIKE '%\\%' ORDER BY id LIMIT 3;
SELECT id FROM visits WHERE page LIKE '' ORDER BY id LIMIT 3;
SELECT id FROM visits WHERE page LIKE 'page C\' ORDER BY id LIMIT 3;
SELECT count(*) FROM visits WHERE page LIKE '%A%';
SELECT count(*) FROM visits WHERE page LIKE '%\_1%';
SELECT count(*) FROM visits WHERE page LIKE '%_1%';
SELECT count(*) FROM visits WHERE page NOT LIKE 'page%';
SELECT count(*) FROM visits WHERE page NOT LIKE 'page\%';
SELECT count(*) FROM visits WHERE page ILIKE 'ap%';
SELECT count(*) FROM visits WHERE page ILIKE '%SLASH';
SELECT count(*) FROM visits WHERE page ILIKE '%\\s%';
-- how many
SELECT id FROM visits WHERE page ILIKE '%a%' ORDER BY page DESC LIMIT 2;
SELECT id FROM visits WHERE page ILIKE '%b%' ORDER BY page DESC LIMIT 3 OFFSET 1;
SELECT id FROM visits WHERE page ILIKE '%b%' ORDER BY page DESC LIMIT 0 OFFSET 1;
SELECT id FROM visits WHERE page ILIKE '%b%' ORDER BY page DESC LIMIT -1 OFFSET 1;
SELECT id FROM visits WHERE page ILIKE '%b%' ORDER BY page DESC LIMIT 1 OFFSET -1;
-- intervals and moments
SELECT count(*) FROM visits WHERE at > now() - interval '1 hour';
SELECT count(*) FROM visits WHERE at > now() - interval '1 week';
SELECT count(*) FROM visits WHERE at > now() - interval '-1 hour';
SELECT count(*) FROM visits WHERE at > now() - interval '1 potato';
SELECT count(*) FROM visits WHERE at > now() - interval '300000000 years';
SELECT count(*) FROM visits WHERE at < timestamptz '2024-01-03' - interval '1 day';
SELECT count(*) FROM visits WHERE at < timestamptz '2024-01-04 12:00+03' - interval '1 month';
SELECT id FROM visits WHERE at > '2024-02-01'::timestamptz ORDER BY at LIMIT 2;
SELECT id FROM visits WHERE at > '2024-02-10 03:00 America/New_York'::timestamptz ORDER BY at LIMIT 2;
SELECT id FROM visits WHERE at > 'infinity'::timestamptz ORDER BY at LIMIT 2;
SELECT id FROM visits WHERE at > 'some day'::timestamptz ORDER BY at LIMIT 2;
SET TIME ZONE 'Asia/Tokyo';
SELECT id FROM visits WHERE at > '2024-02-01'::timestamptz ORDER BY at LIMIT 2;
SELECT id FROM visits WHERE at > timestamptz '2024-02-02' ORDER BY at LIMIT 2;
SET datestyle TO 'SQL, DMY';
SELECT count(*) FROM visits WHERE day = date '02/01/2024';
SELECT count(*) FROM visits WHERE day = date '03/01/2024';
SET datestyle TO 'SQL, MDY';
SELECT count(*) FROM visits WHERE day = date '02/01/2024';
SELECT count(*) FROM visits WHERE day = date '13/01/2024';
RESET datestyle;
SET TIME ZONE 'UTC';
SELECT count(*) FROM visits WHERE day BETWEEN date '2024-01-02' AND date '2024-01-03';
SELECT count(*) FROM visits WHERE day BETWEEN date '2024-01-09' AND date '2024-01-08';
SELECT count(*) FROM visits WHERE day = date 'today';
SELECT count(*) FROM visits WHERE day = date 'yesterday';
SELECT date '2024-01-31', interval '1 month', timestamp '2024-01-31 10:00';
SELECT date '2024-02-29', interval '1 year 2 days', timestamp '2024-02-29';
SELECT date '2024-02-30', interval '1 year 2 days', timestamp '2024-02-29';
SELECT date '2024-01-31' + interval '1 month' AS next, - interval '3 days' AS back, interval '5' day AS days, interval '90' second * 2 AS twice;
SELECT date '2024-02-29' + interval '2 years' AS next, - interval '-3 days' AS back, interval '7' day AS days, interval '80' second * 2 AS twice;
SELECT timestamp '2024-01-31 10:00' AT TIME ZONE 'UTC', extract(day FROM interval '3 days'), timestamptz '2024-01-31 10:00+00'::date;
SELECT at + interval '1 day' AS shifted, count(*) FROM visits WHERE id < 3 GROUP BY at + interval '1 day' ORDER BY 1;
SELECT at + interval '2 days' AS shifted, count(*) FROM visits WHERE id < 2 GROUP BY at + interval '2 days' ORDER BY 1;
SELECT at + interval '1 day' AS shifted, count(*) FROM visits WHERE id < 3 GROUP BY at + interval '2 days' ORDER BY 1;
-- beside literals that stay where they are
SELECT count(*) FROM visits WHERE seen->>'agent' = 'a1';
SELECT count(*) FROM visits WHERE seen->>'agent' = 'a2';
SELECT count(*) FROM visits WHERE seen->>'agent' = 'a%';
SELECT count(*) FROM visits WHERE seen->>'time' = '3';
SELECT count(*) FROM visits WHERE seen->>'time' = '4';
SELECT count(*) FROM visits WHERE seen->>'it''s' = 'it''s';
SELECT count(*) FROM visits WHERE seen->>'it''s' = 'its';
SELECT coalesce(max(id), 7), 'a' FROM visits WHERE id BETWEEN 5 AND 9 AND page > 'p';
SELECT coalesce(max(id), 7), 'a' FROM visits WHERE id BETWEEN 9 AND 5 AND page > 'p';
SELECT coalesce(max(id), -8), 'b' FROM visits WHERE id BETWEEN 9 AND -5 AND page > 'q';
SELECT coalesce(max(id), -8), 'b' FROM visits WHERE id BETWEEN 99999999999 AND 5.5 AND page > 'q';
-- what could not be planned at first
SELECT count(*) FROM later WHERE at > now() - interval '1 hour';
CREATE TABLE later (at timestamptz);
INSERT INTO later VALUES (now() - interval '90 minutes');
SELECT count(*) FROM later WHERE at > now() - interval '1 hour';
SELECT count(*) FROM later WHERE at > now() - interval '2 hours';
ALTER TABLE later ALTER at TYPE text;
SELECT count(*) FROM later WHERE at > now() - interval '2 hours';
DROP TABLE later, visits;
