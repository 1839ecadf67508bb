-- Columns in which there is nothing but NULL, or no row at all: DuckDB's optimizer knows it, and stumbles over what it makes of that.
CREATE TABLE never_said (id int, s text, j int);
CREATE TABLE never_said_at_length (id int, s text, j int);
CREATE TABLE never_there (id int, s text, j int);
INSERT INTO never_said SELECT i, NULL, NULL FROM generate_series(1, 2000) i;
INSERT INTO never_said_at_length SELECT i, NULL, NULL FROM generate_series(1, 30000) i;
SELECT count(*) FROM never_said WHERE id > 3 OR split_part(s, '-', 1) IN ('', '-');
SELECT count(*) FROM never_said WHERE NOT (split_part(s, '-', 1) = '');
SELECT count(*), count(CASE WHEN id % 2 = 0 THEN nullif(nullif(coalesce(s, ''), ''), '-') END) FROM never_said;
SELECT count(*) FROM never_said_at_length WHERE id > 3 OR split_part(s, '-', 1) IN ('', '-');
SELECT count(*) FROM never_said_at_length WHERE split_part(s, '-', 1) BETWEEN '' AND '-';
SELECT count(*), count(CASE WHEN id % 2 = 0 THEN nullif(nullif(coalesce(s, ''), ''), '-') END) FROM never_said_at_length;
SELECT id, CASE WHEN id = 3 THEN split_part(s, '-', 1) IN ('', '-') END FROM never_said_at_length ORDER BY id DESC LIMIT 2;
SELECT count(*) FROM never_there WHERE id > 3 OR split_part(s, '-', 1) IN ('', '-');
BEGIN;
UPDATE never_said SET j = 1 WHERE id > 3 AND (split_part(s, '-', 1) BETWEEN '' AND '-' OR id > 1990);
CREATE TABLE never_said_again AS SELECT id, nullif(nullif(coalesce(s, ''), ''), '-') AS t FROM never_said WHERE id < 1500 OR NOT (split_part(s, '-', 1) = '');
SELECT count(*), count(t) FROM never_said_again;
SELECT count(*) FROM never_said WHERE j = 1;
COMMIT;
WITH taken AS (SELECT id, row_number() OVER (ORDER BY id) AS n, CASE WHEN id = 3 THEN split_part(s, '-', 1) IN ('', '-') END AS k FROM never_said_at_length)
SELECT count(*), count(k), max(n) FROM taken;
SELECT id / (id - 2500) FROM never_said_at_length WHERE id BETWEEN 2499 AND 2500 AND (split_part(s, '-', 1) IN ('', '-') OR id > 0) ORDER BY id;
DROP TABLE never_said, never_said_at_length, never_there, never_said_again;
