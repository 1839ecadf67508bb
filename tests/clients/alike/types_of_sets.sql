-- The type of what a function returns as a set is asked as often as there are rows.
SELECT pg_typeof(unnest(ARRAY[1, 2]));
SELECT pg_typeof(generate_series(1, 3)), 5 AS x;
SELECT pg_typeof(unnest('11 22 33'::int2vector)), unnest('11 22 33'::int2vector);
SELECT pg_typeof(unnest(ARRAY['1 2'::oidvector]));
SELECT pg_typeof(x), pg_typeof(unnest(x)) FROM (VALUES (ARRAY['a']), (ARRAY['b', 'c'])) v(x);
SELECT pg_typeof(jsonb_array_elements('[1, 2]'));
CREATE TABLE sets_of (a int[]);
INSERT INTO sets_of VALUES ('{1,2}'), (null), ('{3}');
SELECT pg_typeof(unnest(a)), count(*) FROM sets_of GROUP BY 1;
SELECT DISTINCT pg_typeof(unnest(a)) FROM sets_of;
SELECT CASE WHEN true THEN unnest(ARRAY[1]) END;
SELECT CASE WHEN unnest(ARRAY[1]) IS NULL THEN 1 ELSE 1 END;
