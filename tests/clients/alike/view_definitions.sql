-- What \d+, pg_dump and other tools show of a view: its query written out.
CREATE TABLE owners (id int PRIMARY KEY, name varchar(40) NOT NULL, town text, "Since" date);
CREATE TABLE pets (id int PRIMARY KEY, owner int, kind char(3), age smallint, weight numeric(6,2), born timestamp);
CREATE VIEW plain AS SELECT * FROM pets;
CREATE VIEW one AS SELECT 1;
CREATE VIEW constants AS SELECT 1 AS a, 'x' AS b, 2.5 AS c, -3 AS d, NULL AS e, true AS f, 'it''s' AS g, 10000000000 AS h;
CREATE VIEW filtered(number, years) AS SELECT id, age + 1 FROM pets p WHERE age > 3 AND (kind = 'cat' OR NOT weight < 5);
CREATE VIEW joined AS SELECT o.name, p.id, p.kind AS sort FROM owners o JOIN pets p ON p.owner = o.id LEFT JOIN owners x ON x.id = p.id + 1 AND x.town IS NOT NULL;
CREATE VIEW crossed AS SELECT o.id, p.id AS pet FROM owners o, pets p CROSS JOIN owners q WHERE o.id = p.owner;
CREATE VIEW used AS SELECT name, count(*) AS n, sum(weight) total FROM owners JOIN pets USING (id) GROUP BY name HAVING count(*) > 1 ORDER BY n DESC, name LIMIT 10;
CREATE VIEW cases AS SELECT id, CASE WHEN age < 2 THEN 'young' WHEN age IS NULL THEN NULL ELSE 'old' END AS stage, CASE kind WHEN 'cat' THEN 1 ELSE 2 END AS k, coalesce(weight, 0) AS w FROM pets;
CREATE VIEW casts AS SELECT id::text AS t, CAST(weight AS int) AS i, '2020-01-01'::date AS d, born::date AS b, name::varchar(5) AS s, "Since" + 1 AS next FROM pets, owners WHERE born > now() AND name LIKE 'a%' AND town IN ('x', 'y');
CREATE VIEW inside AS SELECT id, (SELECT max(age) FROM pets q WHERE q.owner = p.owner) AS oldest FROM pets p WHERE EXISTS (SELECT 1 FROM owners WHERE id = p.owner) AND owner IN (SELECT id FROM owners WHERE town = 'here') AND age > ALL (SELECT 1);
CREATE VIEW derived AS SELECT q.kind, q.n FROM (SELECT kind, count(*) AS n FROM pets GROUP BY kind) q WHERE q.n > 1;
CREATE VIEW united AS SELECT id, name::text FROM owners UNION ALL SELECT id, kind FROM pets UNION ALL SELECT 0, 'none' ORDER BY 1, 2 DESC NULLS LAST;
CREATE VIEW excepted AS SELECT id FROM owners EXCEPT (SELECT owner FROM pets UNION SELECT 7);
CREATE VIEW common AS WITH old AS (SELECT id, age FROM pets WHERE age > 9), few(x) AS (SELECT id FROM old LIMIT 3) SELECT few.x, old.age FROM few JOIN old ON old.id = few.x;
CREATE VIEW counted AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5) SELECT i FROM n;
CREATE VIEW windowed AS SELECT id, row_number() OVER (PARTITION BY kind ORDER BY age DESC, id) AS place, sum(weight) OVER () AS all_of_it FROM pets;
CREATE VIEW aggregated AS SELECT kind, count(DISTINCT owner) AS owners, string_agg(id::text, ',' ORDER BY id DESC) AS ids, count(*) FILTER (WHERE age > 2) AS grown FROM pets GROUP BY kind;
CREATE VIEW listed AS SELECT * FROM (VALUES (1, 'one'), (2, 'two')) v(n, word);
CREATE VIEW series AS SELECT i, j * 2 AS twice FROM generate_series(1, 3) AS i, generate_series(1, 2) AS g(j) WHERE i <> j;
CREATE VIEW chosen AS SELECT DISTINCT ON (owner) owner, age FROM pets ORDER BY owner, age DESC;
CREATE VIEW several AS SELECT DISTINCT kind FROM pets;
CREATE VIEW lateral_one AS SELECT o.id, x.age FROM owners o CROSS JOIN LATERAL (SELECT p.age FROM pets p WHERE p.owner = o.id ORDER BY p.age LIMIT 1) x;
CREATE VIEW above AS SELECT number, upper(kind) AS kind FROM filtered JOIN pets ON pets.id = filtered.number WHERE (number % 2) = 0 AND number BETWEEN 1 AND 10;
CREATE VIEW arithmetic AS SELECT (age + 1) * 2 - id / 3 AS a, -age AS b, age * (id - 2) AS c, weight * 1.5 > 3 AS d, NOT (age > 1 OR id > 2) AS e, kind || '!' AS f FROM pets;
CREATE VIEW arrays AS SELECT ARRAY[1, 2] AS a, ARRAY(SELECT id FROM pets ORDER BY id) AS b, id = ANY (ARRAY[1, 2]) AS c FROM owners;
CREATE VIEW dated AS SELECT date_trunc('day', born) AS day, extract(year FROM born) AS year, born + '1 day'::interval AS next, current_date AS today FROM pets;
CREATE MATERIALIZED VIEW kept AS SELECT kind, avg(age) AS mean FROM pets GROUP BY kind WITH NO DATA;
\d+ joined
\d+ cases
\d+ kept
\pset format unaligned
SELECT viewname, definition FROM pg_views WHERE schemaname = 'public' ORDER BY 1;
SELECT relname, pg_get_viewdef(oid, true) FROM pg_class WHERE relkind IN ('v', 'm') AND relnamespace = 'public'::regnamespace ORDER BY 1;
SELECT pg_get_ruledef(r.oid), pg_get_ruledef(r.oid, true) FROM pg_rewrite r WHERE ev_class = 'filtered'::regclass;
SELECT definition FROM pg_matviews WHERE matviewname = 'kept';
SELECT pg_get_viewdef('plain'), pg_get_viewdef('plain'::regclass, 40), pg_get_viewdef(NULL::oid), pg_get_viewdef('pets'::regclass);
SET search_path = '';
SELECT pg_get_viewdef('public.joined'::regclass);
SELECT pg_get_viewdef('public.above'::regclass, true);
-- VALUES within WITH and between UNIONs stay what they are; a column that is called otherwise, or a name that somebody has given, is a SELECT.
reset search_path;
create view counted as with recursive upward (n) as (values (1) union all select n + 1 from upward where n < 9) select sum(n) from upward;
create view listed as values (1, 'a') union select 2, 'b' union all values (3, 'c'), (4, 'd');
create view pairs as with w as (values (1, 2)) select * from w where column1 in (values (1) union values (2));
create view said as select * from (values (1)) _values union select * from (values (2)) as _values;
select pg_get_viewdef('counted'), pg_get_viewdef('listed'), pg_get_viewdef('pairs', true), pg_get_viewdef('said');
table counted; table listed order by 1; table pairs; table said order by 1;
