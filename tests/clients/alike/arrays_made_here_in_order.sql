-- Arrays that a query makes are ordered, grouped and told apart by what their elements are, not by how they are kept.
CREATE TYPE made_mood AS ENUM ('sad', 'ok', 'happy');
CREATE TABLE made_here (id int PRIMARY KEY, n numeric, tz timetz, ip inet, bp bpchar, m made_mood, ma made_mood[], iv interval);
INSERT INTO made_here VALUES (1, 10, '12:00+05', '10.0.0.2', 'a ', 'sad', '{sad,ok}', '1 mon'), (2, 9, '10:00-05', '9.0.0.2', 'a', 'ok', '{ok}', '1 day'),
  (3, 'NaN', '10:00+05', '::1', 'b', 'happy', '{happy,sad}', '29 days'), (4, 10.0, '07:00+00', '10.0.0.2/8', 'c', NULL, NULL, '40 days');
CREATE TABLE made_there AS SELECT * FROM made_here;
SELECT id FROM made_there ORDER BY array[n], id;
SELECT id FROM made_there ORDER BY array[tz], id;
SELECT id FROM made_there ORDER BY array[ip], id;
SELECT id FROM made_there ORDER BY array[bp], id;
SELECT id FROM made_there ORDER BY array[m], id;
SELECT id FROM made_here WHERE id < 9 ORDER BY array[m, 'ok'] DESC NULLS LAST, id;
SELECT count(DISTINCT array[n]), count(DISTINCT array[bp]), min(array[n]), max(array[tz]), max(array[ip]), min(array[m]) FROM made_there;
SELECT count(*) FROM made_there GROUP BY array[n] ORDER BY 1;
SELECT id, rank() OVER (ORDER BY array[n]), rank() OVER (ORDER BY array[m] DESC) FROM made_there ORDER BY id;
SELECT greatest(array[n], array[9.5]), greatest(array[tz], array['08:00+00'::timetz]) FROM made_there ORDER BY id;
SELECT id, array[m, m] >= ma, array[m] < array['ok'::made_mood], array[m, 'ok'] <= array['sad', 'ok']::made_mood[] FROM made_there ORDER BY id;
SELECT id FROM made_here WHERE array[m, m] >= ma AND id < 9;
WITH RECURSIVE r(id, path) AS (SELECT id, array[n] FROM made_there WHERE id = 1 UNION ALL SELECT d.id, path || d.n FROM made_there d JOIN r ON d.id = r.id + 1)
  SELECT id FROM r ORDER BY path DESC;
-- The least and greatest of times with zones, and percentiles of what DuckDB orders otherwise.
SELECT min(tz), max(tz) FROM made_there;
SELECT id > 2, min(tz), max(tz) FROM made_here WHERE id < 9 GROUP BY 1 ORDER BY 1;
SELECT id, min(tz) OVER (ORDER BY id), max(tz) OVER (ORDER BY id) FROM made_there ORDER BY id;
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY tz), percentile_disc(0.5) WITHIN GROUP (ORDER BY ip), percentile_disc(0.5) WITHIN GROUP (ORDER BY m),
  percentile_disc(array[0.1, 0.9]) WITHIN GROUP (ORDER BY tz), percentile_disc(0.9) WITHIN GROUP (ORDER BY array[n]) FROM made_here;
