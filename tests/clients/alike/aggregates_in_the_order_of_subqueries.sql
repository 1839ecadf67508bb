-- A subquery that an aggregate is DISTINCT of may be what it is sorted by.
CREATE TABLE s (a int, t text);
INSERT INTO s VALUES (1,'x'),(2,'y'),(2,'z'),(3,null);
SELECT array_agg(DISTINCT (SELECT max(t) FROM s) ORDER BY (SELECT max(t) FROM s)) FROM s;
SELECT array_agg(DISTINCT (SELECT max(t) FROM s WHERE s.a = o.a) ORDER BY (SELECT max(t) FROM s WHERE s.a = o.a) DESC) FROM s o;
SELECT array_agg(DISTINCT EXISTS (SELECT FROM s WHERE s.a > o.a) ORDER BY EXISTS (SELECT FROM s WHERE s.a > o.a)) FROM s o;
SELECT array_agg(DISTINCT a + (SELECT count(*) FROM s) ORDER BY a + (SELECT count(*) FROM s) DESC) FROM s;
SELECT string_agg(DISTINCT (SELECT max(t) FROM s WHERE s.a = o.a), ',' ORDER BY (SELECT max(t) FROM s WHERE s.a = o.a) DESC) FROM s o;
DROP TABLE s;
