-- RANGE frames along a key that is the same for all rows
CREATE TABLE framed_rows (a text);
INSERT INTO framed_rows VALUES ('x'), ('z');
SELECT count(*) OVER (ORDER BY date '2024-01-01' RANGE BETWEEN '1 day' PRECEDING AND CURRENT ROW) FROM framed_rows;
SELECT count(*) OVER (ORDER BY date 'infinity' RANGE BETWEEN interval '1 mon' PRECEDING AND CURRENT ROW) FROM framed_rows;
SELECT count(*) OVER (ORDER BY NULL::date DESC RANGE BETWEEN '1 day' PRECEDING AND CURRENT ROW) FROM framed_rows;
SELECT count(*) OVER (ORDER BY time '12:00' RANGE BETWEEN '1 hour' PRECEDING AND CURRENT ROW) FROM framed_rows;
SELECT count(*) OVER (ORDER BY interval '12:00' RANGE BETWEEN '1 hour' PRECEDING AND CURRENT ROW) FROM framed_rows;
SELECT count(*) OVER (ORDER BY 1.5::float8 RANGE BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) FROM framed_rows;
PREPARE framed(date) AS SELECT count(*) OVER (ORDER BY $1 RANGE BETWEEN '1 day' PRECEDING AND CURRENT ROW) FROM framed_rows;
EXECUTE framed('2024-01-01');
EXECUTE framed(NULL);
DROP TABLE framed_rows;
