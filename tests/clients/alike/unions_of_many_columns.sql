-- A hundred queries of a hundred columns each, one union.
SELECT 'SELECT count(*), sum(a99), min(a0) FROM (' || string_agg(query, ' UNION ALL ' ORDER BY n) || ') AS u'
  FROM (SELECT n, 'SELECT ' || string_agg(n || ' AS a' || c, ', ' ORDER BY c) AS query
          FROM generate_series(0, 99) AS n, generate_series(0, 99) AS c GROUP BY n) AS queries \gexec
SELECT 1 AS a, 'b' AS b UNION ALL SELECT 2, 'c' UNION ALL SELECT 4, 3;
SELECT 1 AS a UNION ALL SELECT 2 UNION ALL SELECT now();
SELECT now() AS a UNION ALL SELECT 2 UNION ALL SELECT 3;
(SELECT 1 UNION SELECT 2.5) UNION ALL (SELECT 3 UNION SELECT true);
select 1, now() union all (select 2, 3 union all select 4, 5);
