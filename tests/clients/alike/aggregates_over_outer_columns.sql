-- An aggregate is of the query whose rows its argument or FILTER asks, be it in a subquery alone.
CREATE TABLE paid (id int PRIMARY KEY, dm numeric);
INSERT INTO paid SELECT i, i FROM generate_series(1, 5) i;
CREATE TABLE seen (id int PRIMARY KEY, l int);
INSERT INTO seen SELECT i, i % 3 FROM generate_series(1, 5) i;
CREATE VIEW shown AS SELECT * FROM paid;
SELECT * FROM paid o JOIN LATERAL (SELECT sum(o.dm) FILTER (WHERE NOT EXISTS (SELECT FROM seen WHERE l = i.id)) FROM paid i) s ON true ORDER BY 1;
SELECT * FROM paid o JOIN LATERAL (SELECT sum(o.dm) FILTER (WHERE EXISTS (SELECT FROM seen WHERE l = i.id)) FROM shown i WHERE i.id > o.id) s ON true ORDER BY 1;
SELECT * FROM paid o JOIN LATERAL (SELECT sum(o.dm) FILTER (WHERE i.id IN (SELECT l FROM seen)) FROM paid i WHERE i.id <> o.id) s ON true ORDER BY 1;
SELECT o.id, (SELECT sum(o.dm) FILTER (WHERE EXISTS (SELECT FROM seen WHERE l = i.id)) FROM paid i) FROM paid o ORDER BY 1;
SELECT o.id, (SELECT sum(CASE WHEN EXISTS (SELECT FROM seen WHERE l = i.id) THEN o.dm END) FROM paid i) FROM paid o ORDER BY 1;
SELECT o.id, (SELECT array_agg(o.dm ORDER BY (SELECT max(l) FROM seen WHERE l = i.id)) FROM paid i) FROM paid o ORDER BY 1;
SELECT o.id, (SELECT sum(o.dm + i.id) FILTER (WHERE EXISTS (SELECT FROM seen WHERE l = i.id)) FROM paid i) FROM paid o ORDER BY 1;
SELECT o.id, (SELECT count(*) FILTER (WHERE EXISTS (SELECT FROM seen WHERE l = i.id)) FROM paid i) FROM paid o ORDER BY 1;
SELECT (SELECT sum(o.dm) FILTER (WHERE EXISTS (SELECT FROM seen WHERE l = o.id)) FROM paid i LIMIT 1) FROM paid o;
SELECT i.id % 2, count(*) FILTER (WHERE EXISTS (SELECT FROM seen WHERE l = i.id)) FROM paid i GROUP BY 1 ORDER BY 1;
SELECT count(i) FILTER (WHERE EXISTS (SELECT FROM seen WHERE l = i.id)), sum(1) FILTER (WHERE EXISTS (SELECT FROM seen s WHERE s.l = (i).id)) FROM paid i;
