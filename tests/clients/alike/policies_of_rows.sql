-- Row-level security: who sees and writes which rows, in PostgreSQL's words.
CREATE ROLE alike_ann;
CREATE ROLE alike_bob;
CREATE ROLE alike_staff;
CREATE ROLE alike_free BYPASSRLS;
GRANT alike_staff TO alike_bob;
CREATE TABLE docs (id int PRIMARY KEY, owner text, level int, title text);
INSERT INTO docs VALUES (1, 'alike_ann', 1, 'one'), (2, 'alike_ann', 5, 'two'), (3, 'alike_bob', 1, 'three'),
  (4, 'alike_bob', 9, 'four'), (5, 'nobody', 2, 'five');
GRANT ALL ON docs TO alike_ann, alike_bob, alike_free;

-- default deny
ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
SELECT count(*) FROM docs;
SET ROLE alike_ann;
SELECT count(*) FROM docs;
INSERT INTO docs VALUES (6, 'alike_ann', 1, 'six');
UPDATE docs SET title = 'x';
DELETE FROM docs;
SELECT row_security_active('docs');
RESET ROLE;
SELECT row_security_active('docs'), row_security_active('docs'::regclass);
SET ROLE alike_free;
SELECT count(*) FROM docs;
RESET ROLE;

-- permissive and restrictive
CREATE POLICY mine ON docs USING (owner = current_user);
CREATE POLICY low ON docs FOR SELECT TO alike_staff USING (level < 3);
CREATE POLICY not_nine ON docs AS RESTRICTIVE USING (level <> 9);
CREATE POLICY fresh ON docs FOR INSERT TO alike_ann WITH CHECK (id > 100);
SET ROLE alike_ann;
SELECT * FROM docs ORDER BY id;
SELECT * FROM docs WHERE id = 3;
SELECT title FROM docs WHERE id = 1;
SELECT * FROM docs WHERE id IN (1, 2, 3, 4) ORDER BY id DESC LIMIT 1;
INSERT INTO docs VALUES (10, 'alike_ann', 1, 'ten') RETURNING *;
INSERT INTO docs VALUES (11, 'alike_bob', 1, 'eleven');
INSERT INTO docs VALUES (111, 'alike_bob', 1, 'eleven');
INSERT INTO docs VALUES (112, 'alike_bob', 1, 'eleven') RETURNING id;
INSERT INTO docs VALUES (12, 'alike_ann', 9, 'twelve');
INSERT INTO docs VALUES (4, 'nobody', 1, 'taken');
INSERT INTO docs VALUES (4, 'alike_ann', 1, 'taken');
UPDATE docs SET title = title || '!' RETURNING id, title;
UPDATE docs SET owner = 'alike_bob' WHERE id = 1;
UPDATE docs SET level = 9 WHERE id = 1;
UPDATE docs SET title = 'stolen' WHERE id = 3;
DELETE FROM docs WHERE id = 3;
DELETE FROM docs WHERE id = 10 RETURNING *;
RESET ROLE;
SET ROLE alike_bob;
SELECT * FROM docs ORDER BY id;
UPDATE docs SET title = 'b' WHERE id IN (1, 3) RETURNING id;
SELECT id FROM docs ORDER BY id FOR UPDATE;
SELECT id FROM docs ORDER BY id FOR SHARE;
SELECT d.id FROM docs d JOIN docs e ON e.id = d.id ORDER BY 1 FOR UPDATE OF d;
DELETE FROM docs;
RESET ROLE;
SELECT * FROM docs ORDER BY id;

-- row_security = off
SET row_security = off;
SELECT count(*) FROM docs;
SET ROLE alike_ann;
SELECT count(*) FROM docs;
INSERT INTO docs VALUES (500, 'alike_ann', 1, '');
UPDATE docs SET title = '';
DELETE FROM docs;
TABLE docs;
SET row_security = on;
SELECT count(*) FROM docs;
RESET ROLE;

-- owners, FORCE
ALTER TABLE docs OWNER TO alike_ann;
SET ROLE alike_ann;
SELECT count(*) FROM docs;
ALTER TABLE docs FORCE ROW LEVEL SECURITY;
SELECT count(*) FROM docs;
SET row_security = off;
SELECT count(*) FROM docs;
SET row_security = on;
ALTER TABLE docs NO FORCE ROW LEVEL SECURITY;
SELECT count(*) FROM docs;
RESET ROLE;
ALTER TABLE docs OWNER TO CURRENT_USER;
GRANT ALL ON docs TO alike_ann;

-- ON CONFLICT
SET ROLE alike_ann;
INSERT INTO docs VALUES (1, 'alike_ann', 1, 'again') ON CONFLICT DO NOTHING;
INSERT INTO docs VALUES (1, 'alike_ann', 1, 'again') ON CONFLICT (id) DO UPDATE SET title = excluded.title RETURNING *;
INSERT INTO docs VALUES (5, 'alike_ann', 1, 'again') ON CONFLICT (id) DO UPDATE SET title = excluded.title;
INSERT INTO docs VALUES (5, 'alike_ann', 1, 'again') ON CONFLICT (id) DO UPDATE SET title = excluded.title WHERE docs.id = 77;
INSERT INTO docs VALUES (1, 'alike_ann', 1, 'again') ON CONFLICT (id) DO UPDATE SET owner = 'alike_bob';
INSERT INTO docs VALUES (1, 'alike_bob', 1, 'again') ON CONFLICT (id) DO UPDATE SET title = 'no';
INSERT INTO docs VALUES (4, 'alike_ann', 1, 'again') ON CONFLICT DO NOTHING;
INSERT INTO docs VALUES (4, 'nobody', 1, 'again') ON CONFLICT (id) DO NOTHING;
RESET ROLE;

-- COPY
SET ROLE alike_ann;
COPY docs TO STDOUT;
COPY docs (id, title) TO STDOUT;
COPY (SELECT id FROM docs ORDER BY id) TO STDOUT;
COPY docs FROM STDIN;
\.
RESET ROLE;

-- settings, prepared statements and roles
CREATE TABLE rents (tenant int, what text, PRIMARY KEY (tenant, what));
INSERT INTO rents VALUES (1, 'a'), (1, 'b'), (2, 'c');
GRANT ALL ON rents TO alike_ann;
ALTER TABLE rents ENABLE ROW LEVEL SECURITY;
CREATE POLICY tenants ON rents USING (tenant = current_setting('app.tenant', true)::int);
SET ROLE alike_ann;
PREPARE mine AS SELECT * FROM rents ORDER BY what;
PREPARE one (int) AS SELECT * FROM rents WHERE tenant = $1 ORDER BY what;
EXECUTE mine;
SET app.tenant = 1;
EXECUTE mine;
EXECUTE one(1);
EXECUTE one(2);
SET app.tenant = 2;
EXECUTE mine;
EXECUTE one(1);
EXECUTE one(2);
INSERT INTO rents VALUES (2, 'd'), (1, 'e');
INSERT INTO rents VALUES (2, 'd');
UPDATE rents SET tenant = 1 WHERE what = 'd';
UPDATE rents SET what = 'dd' WHERE what = 'd' RETURNING *;
BEGIN;
SET LOCAL app.tenant = 1;
SELECT * FROM rents ORDER BY what;
COMMIT;
SELECT * FROM rents ORDER BY what;
RESET ROLE;
EXECUTE mine;
SET ROLE alike_bob;
EXECUTE mine;
RESET ROLE;

-- queries in policies, views
CREATE TABLE members (doc int, who text);
INSERT INTO members VALUES (5, 'alike_ann'), (3, 'alike_ann'), (2, 'alike_bob');
GRANT SELECT ON members TO alike_ann;
CREATE POLICY shared ON docs FOR SELECT USING (EXISTS (SELECT FROM members m WHERE m.doc = docs.id AND m.who = current_user));
SET ROLE alike_ann;
SELECT id FROM docs ORDER BY id;
SELECT d.id, count(*) FROM docs d, members WHERE d.id = doc GROUP BY 1 ORDER BY 1;
SELECT (SELECT max(id) FROM docs), EXISTS (SELECT FROM docs WHERE id = 4), 4 IN (SELECT id FROM docs);
WITH w AS (SELECT * FROM docs) SELECT count(*) FROM w;
RESET ROLE;
SET ROLE alike_bob;
SELECT id FROM docs ORDER BY id;
RESET ROLE;
CREATE VIEW all_docs AS SELECT id, owner, title FROM docs;
CREATE VIEW own_docs WITH (security_invoker) AS SELECT id, owner, title FROM docs;
GRANT ALL ON all_docs, own_docs TO alike_ann, alike_bob;
SET ROLE alike_ann;
SELECT id FROM all_docs ORDER BY id;
SELECT id FROM own_docs ORDER BY id;
UPDATE own_docs SET title = 'v' WHERE id = 5;
UPDATE all_docs SET title = 'v' WHERE id = 5;
INSERT INTO own_docs VALUES (20, 'alike_bob', 'w');
INSERT INTO own_docs VALUES (21, 'alike_ann', 'w');
DELETE FROM own_docs;
RESET ROLE;
SELECT id, owner, title FROM docs ORDER BY id;
ALTER VIEW all_docs OWNER TO alike_bob;
GRANT SELECT ON members TO alike_bob;
SET ROLE alike_ann;
SELECT id FROM all_docs ORDER BY id;
RESET ROLE;

-- recursion
CREATE TABLE ring (a int);
ALTER TABLE ring ENABLE ROW LEVEL SECURITY;
GRANT ALL ON ring TO alike_ann;
CREATE POLICY around ON ring USING (a = (SELECT max(a) FROM ring));
SET ROLE alike_ann;
SELECT * FROM ring;
INSERT INTO ring VALUES (1);
RESET ROLE;

-- references and unique keys say nothing of rows
CREATE TABLE notes (id int PRIMARY KEY, doc int REFERENCES docs);
GRANT ALL ON notes TO alike_ann;
SET ROLE alike_ann;
INSERT INTO notes VALUES (1, 4);
INSERT INTO notes VALUES (2, 404);
RESET ROLE;
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY any_note ON notes USING (true);
SET ROLE alike_ann;
INSERT INTO notes VALUES (1, 4);
INSERT INTO notes VALUES (2, 404);
INSERT INTO notes VALUES (NULL, 4);
RESET ROLE;

-- what is asked of policies
CREATE POLICY p ON docs FOR SELECT WITH CHECK (true);
CREATE POLICY p ON docs FOR DELETE WITH CHECK (true);
CREATE POLICY p ON docs FOR INSERT USING (true);
CREATE POLICY p ON docs AS UGLY USING (true);
CREATE POLICY mine ON docs USING (true);
CREATE POLICY p ON docs USING (nope = 1);
CREATE POLICY p ON docs USING (id);
CREATE POLICY p ON docs USING (count(*) > 1);
CREATE POLICY p ON docs USING (row_number() OVER () > 1);
CREATE POLICY p ON docs TO nobody_at_all USING (true);
CREATE POLICY p ON no_docs USING (true);
CREATE POLICY p ON all_docs USING (true);
CREATE POLICY p ON docs TO public, alike_ann USING (true);
DROP POLICY p ON docs;
DROP POLICY p ON docs;
DROP POLICY IF EXISTS p ON docs;
DROP POLICY IF EXISTS p ON no_docs;
ALTER POLICY p ON docs USING (true);
ALTER POLICY low ON docs WITH CHECK (true);
ALTER POLICY fresh ON docs USING (true);
ALTER POLICY low ON docs RENAME TO mine;
ALTER POLICY low ON docs RENAME TO lower;
ALTER POLICY lower ON docs TO alike_ann, CURRENT_USER USING (level < 2);
COMMENT ON POLICY lower ON docs IS 'a comment';
COMMENT ON POLICY p ON docs IS 'a comment';
SELECT obj_description(oid, 'pg_policy') FROM pg_policy WHERE polname = 'lower';
SET ROLE alike_bob;
CREATE POLICY p ON docs USING (true);
DROP POLICY mine ON docs;
ALTER POLICY mine ON docs USING (true);
ALTER TABLE docs DISABLE ROW LEVEL SECURITY;
RESET ROLE;
SELECT polname, polcmd, polpermissive, cardinality(polroles), pg_get_expr(polqual, polrelid), pg_get_expr(polwithcheck, polrelid)
  FROM pg_policy ORDER BY polrelid::regclass::text, 1;
SELECT schemaname = current_schema(), tablename, policyname, permissive, cmd, qual, with_check FROM pg_policies ORDER BY 2, 3;
SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class WHERE relname IN ('docs', 'rents', 'ring', 'members') ORDER BY 1;
SELECT tablename, rowsecurity FROM pg_tables WHERE tablename IN ('docs', 'members') ORDER BY 1;

-- what depends on what
DROP ROLE alike_staff;
DROP TABLE members;
ALTER TABLE docs DROP COLUMN level;
ALTER TABLE docs DROP COLUMN owner;
CREATE FUNCTION big(int) RETURNS boolean LANGUAGE sql AS 'SELECT $1 > 2';
CREATE POLICY bigs ON notes AS RESTRICTIVE USING (big(id));
DROP FUNCTION big(int);
DROP FUNCTION big(int) CASCADE;
SELECT policyname FROM pg_policies WHERE tablename = 'notes';
ALTER TABLE docs RENAME COLUMN title TO name;
ALTER TABLE rents RENAME COLUMN tenant TO renter;
SELECT qual FROM pg_policies WHERE tablename = 'rents';
BEGIN;
DROP POLICY tenants ON rents;
ALTER TABLE rents DISABLE ROW LEVEL SECURITY;
SET ROLE alike_ann;
SELECT count(*) FROM rents;
ROLLBACK;
SET ROLE alike_ann;
SELECT count(*) FROM rents;
RESET ROLE;

-- privileges on columns: policies need none
CREATE TABLE half (a int, secret int);
INSERT INTO half VALUES (1, 1), (2, 0);
GRANT SELECT (a), UPDATE (a) ON half TO alike_ann;
ALTER TABLE half ENABLE ROW LEVEL SECURITY;
CREATE POLICY whole ON half USING (secret = 1);
SET ROLE alike_ann;
SELECT a FROM half;
SELECT * FROM half;
UPDATE half SET a = a + 10 RETURNING a;
SELECT half.a AS x FROM half AS half (x) ORDER BY 1;
SELECT x FROM half AS other (x) ORDER BY 1;
RESET ROLE;

-- triggers see and change rows before policies are asked
CREATE FUNCTION renamed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN NEW.what := NEW.what || '!'; NEW.renter := 2; RETURN NEW; END $$;
CREATE TRIGGER renamed BEFORE INSERT OR UPDATE ON rents FOR EACH ROW EXECUTE FUNCTION renamed();
SET ROLE alike_ann;
SET app.tenant = 2;
INSERT INTO rents VALUES (1, 'f') RETURNING *;
SET app.tenant = 1;
INSERT INTO rents VALUES (1, 'g') RETURNING *;
INSERT INTO rents VALUES (1, 'g');
UPDATE rents SET what = 'x';
SELECT * FROM rents ORDER BY 1, 2;
RESET ROLE;

-- policies of other roles' functions, RETURNING and FROM
CREATE TABLE s (a int, b int);
INSERT INTO s SELECT i, i % 3 FROM generate_series(1, 9) i;
GRANT ALL ON s TO alike_ann;
ALTER TABLE s ENABLE ROW LEVEL SECURITY;
CREATE POLICY reading ON s FOR SELECT USING (b < 2);
CREATE POLICY writing ON s FOR UPDATE USING (b > 0) WITH CHECK (a < 100);
CREATE POLICY gone ON s FOR DELETE USING (a > 5);
SET ROLE alike_ann;
SELECT * FROM s ORDER BY a;
BEGIN;
UPDATE s SET a = 50;
UPDATE s SET a = 200;
ROLLBACK;
BEGIN;
UPDATE s SET a = a + 10 RETURNING *;
UPDATE s SET b = 2 WHERE a = 11;
ROLLBACK;
UPDATE s SET a = s.a + 20 FROM (VALUES (1), (2), (3), (4)) v (a) WHERE v.a = s.a RETURNING s.*;
BEGIN;
DELETE FROM s;
ROLLBACK;
DELETE FROM s WHERE a > 0 RETURNING *;
SELECT * FROM s ORDER BY a FOR UPDATE;
WITH gone AS (UPDATE s SET a = a + 1 WHERE a > 20 RETURNING *) SELECT * FROM gone;
INSERT INTO s VALUES (1, 1);
RESET ROLE;
TABLE s ORDER BY a, b;

DROP TABLE s, half, notes, rents, ring CASCADE;
DROP TABLE docs CASCADE;
DROP TABLE members;
DROP FUNCTION renamed();
DROP OWNED BY alike_ann, alike_bob, alike_free;
DROP ROLE alike_ann, alike_bob, alike_free;
