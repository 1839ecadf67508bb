-- Objects by the addresses that pg_identify_object_as_address has of them, there and back: also with names that need quotes.
CREATE SCHEMA "A a";
CREATE TYPE "A a"."Mood" AS ENUM ('sad', 'ok');
CREATE TYPE "A a".pair AS (x int, "Y" "A a"."Mood");
CREATE FUNCTION "A a"."F f"("A a"."Mood", int[], character varying) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
CREATE FUNCTION "A a".number("A a"."Mood") RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 1';
CREATE FUNCTION "A a".alike("A a".pair, "A a".pair) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT true';
CREATE FUNCTION "A a".added(int, int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 + $2';
CREATE FUNCTION "A a".fired() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
CREATE FUNCTION "A a".told() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END';
CREATE PROCEDURE "A a"."P p"(text) LANGUAGE plpgsql AS 'BEGIN END';
CREATE AGGREGATE "A a"."Sum"(int) (SFUNC = "A a".added, STYPE = int, INITCOND = '0');
CREATE OPERATOR "A a".=== (LEFTARG = "A a".pair, RIGHTARG = "A a".pair, FUNCTION = "A a".alike);
CREATE CAST ("A a"."Mood" AS int) WITH FUNCTION "A a".number("A a"."Mood");
CREATE DOMAIN "A a"."Pos" AS int CONSTRAINT "Pos c" CHECK (VALUE > 0);
CREATE COLLATION "A a"."German" (provider = icu, locale = 'de');
CREATE CONVERSION "A a"."Latin" FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
CREATE OPERATOR FAMILY "A a"."Fam" USING btree;
CREATE OPERATOR CLASS "A a"."Cls" FOR TYPE int4 USING btree FAMILY "A a"."Fam" AS OPERATOR 3 =, FUNCTION 1 btint4cmp(int4, int4);
CREATE TEXT SEARCH DICTIONARY "A a"."Dict" (TEMPLATE = simple);
CREATE TEXT SEARCH CONFIGURATION "A a"."Cfg" (PARSER = default);
CREATE TABLE "A a"."T.t" (id serial CONSTRAINT "T pk" PRIMARY KEY, "a b" int DEFAULT 1 CHECK ("a b" > 0));
CREATE VIEW "A a"."V" AS SELECT id AS "I" FROM "A a"."T.t";
CREATE MATERIALIZED VIEW "A a"."M" AS SELECT id FROM "A a"."T.t";
CREATE RULE "R r" AS ON DELETE TO "A a"."T.t" DO INSTEAD NOTHING;
CREATE TRIGGER "Fires" AFTER INSERT ON "A a"."T.t" FOR EACH ROW EXECUTE FUNCTION "A a".fired();
CREATE POLICY "Pol" ON "A a"."T.t";
CREATE STATISTICS "A a"."St" ON id, "a b" FROM "A a"."T.t";
CREATE ROLE "Addressed r";
CREATE FOREIGN DATA WRAPPER "Addressed w";
CREATE SERVER "Addressed s" FOREIGN DATA WRAPPER "Addressed w";
CREATE USER MAPPING FOR PUBLIC SERVER "Addressed s";
CREATE USER MAPPING FOR "Addressed r" SERVER "Addressed s";
CREATE FOREIGN TABLE "A a"."Ft" ("A" int) SERVER "Addressed s";
ALTER DEFAULT PRIVILEGES FOR ROLE "Addressed r" IN SCHEMA "A a" GRANT SELECT ON TABLES TO PUBLIC;
ALTER DEFAULT PRIVILEGES FOR ROLE "Addressed r" REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
SET client_min_messages = error;
CREATE PUBLICATION "Pub" FOR TABLE "A a"."T.t";
CREATE PUBLICATION "Pub s" FOR TABLES IN SCHEMA "A a";
CREATE SUBSCRIPTION "Addressed sub" CONNECTION '' PUBLICATION bar WITH (connect = false, slot_name = NONE);
RESET client_min_messages;
CREATE EVENT TRIGGER "Addressed e" ON ddl_command_end EXECUTE FUNCTION "A a".told();
CREATE VIEW objects (kind, names, arguments) AS VALUES
  ('table', '{A a,T.t}'::text[], '{}'::text[]), ('index', '{A a,T pk}', '{}'), ('sequence', '{A a,T.t_id_seq}', '{}'),
  ('view', '{A a,V}', '{}'), ('materialized view', '{A a,M}', '{}'), ('foreign table', '{A a,Ft}', '{}'),
  ('table column', '{A a,T.t,a b}', '{}'), ('foreign table column', '{A a,Ft,A}', '{}'), ('table column', '{A a,T.t,ctid}', '{}'),
  ('aggregate', '{A a,Sum}', '{integer}'), ('function', '{A a,F f}', '{"\"A a\".\"Mood\"",int[],varchar}'), ('procedure', '{A a,P p}', '{text}'),
  ('function', '{now}', '{}'), ('function', '{pg_catalog,abs}', '{numeric}'), ('aggregate', '{max}', '{double precision}'),
  ('type', '{"\"A a\".\"Mood\""}', '{}'), ('type', '{timestamp with time zone}', '{}'), ('type', '{text[]}', '{}'), ('type', '{"\"A a\".pair"}', '{}'),
  ('cast', '{"\"A a\".\"Mood\""}', '{integer}'), ('cast', '{int8}', '{int4}'), ('collation', '{A a,German}', '{}'), ('collation', '{C}', '{}'),
  ('table constraint', '{A a,T.t,T pk}', '{}'), ('domain constraint', '{"\"A a\".\"Pos\""}', '{Pos c}'), ('conversion', '{A a,Latin}', '{}'),
  ('default value', '{A a,T.t,a b}', '{}'), ('language', '{plpgsql}', '{}'), ('operator', '{A a,===}', '{"\"A a\".pair","\"A a\".pair"}'),
  ('operator', '{+}', '{int4,bigint}'), ('operator class', '{btree,A a,Cls}', '{}'), ('operator class', '{hash,text_ops}', '{}'),
  ('operator family', '{btree,A a,Fam}', '{}'), ('access method', '{gin}', '{}'), ('operator of access method', '{btree,integer_ops,1}', '{integer,integer}'),
  ('operator of access method', '{btree,A a,Fam,3}', '{integer,integer}'), ('function of access method', '{btree,A a,Fam,1}', '{integer,integer}'),
  ('rule', '{A a,T.t,R r}', '{}'), ('rule', '{A a,V,_RETURN}', '{}'), ('trigger', '{A a,T.t,Fires}', '{}'), ('policy', '{A a,T.t,Pol}', '{}'),
  ('schema', '{A a}', '{}'), ('text search parser', '{default}', '{}'), ('text search dictionary', '{A a,Dict}', '{}'),
  ('text search template', '{simple}', '{}'), ('text search configuration', '{A a,Cfg}', '{}'), ('role', '{Addressed r}', '{}'),
  ('tablespace', '{pg_default}', '{}'), ('foreign-data wrapper', '{Addressed w}', '{}'), ('server', '{Addressed s}', '{}'),
  ('user mapping', '{public}', '{Addressed s}'), ('user mapping', '{Addressed r}', '{Addressed s}'), ('default acl', '{Addressed r,A a}', '{r}'),
  ('default acl', '{Addressed r}', '{f}'), ('extension', '{plpgsql}', '{}'), ('event trigger', '{Addressed e}', '{}'), ('publication', '{Pub}', '{}'),
  ('publication relation', '{A a,T.t}', '{Pub}'), ('publication namespace', '{A a}', '{Pub s}'), ('subscription', '{Addressed sub}', '{}'),
  ('statistics object', '{A a,St}', '{}');
SELECT kind, i.*, a.objsubid FROM objects, pg_get_object_address(kind, names, arguments) a, pg_identify_object(classid, objid, objsubid) i
  ORDER BY kind COLLATE "C", identity COLLATE "C";
SELECT kind, there.*, again = a AS same
  FROM objects, pg_get_object_address(kind, names, arguments) a, pg_identify_object_as_address(classid, objid, objsubid) there,
       pg_get_object_address(there.type, there.object_names, there.object_args) again
  ORDER BY kind COLLATE "C", there::text COLLATE "C";
SELECT kind, pg_describe_object(classid, objid, objsubid) FROM objects, pg_get_object_address(kind, names, arguments) ORDER BY 1 COLLATE "C", 2 COLLATE "C";
SET search_path = "A a";
SELECT kind, pg_describe_object(classid, objid, objsubid) FROM public.objects, pg_get_object_address(kind, names, arguments) ORDER BY 1 COLLATE "C", 2 COLLATE "C";
SELECT pg_get_object_address('table', '{T.t}', '{}') = pg_get_object_address('table', '{A a,T.t}', '{}');
SELECT pg_get_object_address('function', '{added}', '{int,int}') = pg_get_object_address('function', '{A a,added}', '{int,int}');
RESET search_path;
SELECT (pg_get_object_address('table', '{pg_class}', '{}')).*, pg_get_object_address('type', '{int}', '{}');
SELECT * FROM pg_get_object_address('table', NULL, '{}');
SELECT pg_get_object_address(NULL, '{}', '{}') IS NULL;
-- What is not there, and what a kind does not take.
CREATE TABLE answers (number serial, kind text, names text[], arguments text[], code text, message text, hint text);
DO $$
DECLARE k text; n text[]; a text[]; code text; said text; advice text;
BEGIN
  FOR k IN VALUES ('table'), ('index'), ('sequence'), ('view'), ('materialized view'), ('foreign table'), ('table column'), ('foreign table column'),
    ('aggregate'), ('function'), ('procedure'), ('type'), ('cast'), ('collation'), ('table constraint'), ('domain constraint'), ('conversion'), ('default value'),
    ('language'), ('large object'), ('operator'), ('operator class'), ('operator family'), ('access method'), ('operator of access method'),
    ('function of access method'), ('rule'), ('trigger'), ('schema'), ('text search parser'), ('text search dictionary'), ('text search template'),
    ('text search configuration'), ('role'), ('database'), ('tablespace'), ('foreign-data wrapper'), ('server'), ('user mapping'), ('default acl'),
    ('extension'), ('event trigger'), ('parameter ACL'), ('policy'), ('publication'), ('publication namespace'), ('publication relation'), ('subscription'),
    ('transform'), ('statistics object'), ('toast table'), ('composite type'), ('index column'), ('view column'), ('composite type column'), ('stone'), ('')
  LOOP
    FOR n, a IN SELECT x::text[], y::text[] FROM (VALUES ('{}', '{}'), ('{NULL}', '{}'), ('{x}', '{}'), ('{x}', '{NULL}'), ('{x}', '{integer}'), ('{1}', '{1}'),
      ('{x}', '{x y}'), ('{btree,one}', '{int4,integer}'), ('{heap,one}', '{}'), ('{A a,V}', '{}'), ('{nowhere,one}', '{text}'), ('{A a,one}', '{text,nowhere}'),
      ('{a.b}', '{nowhere}'), ('{A a,T.t,one}', '{Pub}'), ('{elsewhere,b,c}', '{integer}'), ('{a,b,c,d}', '{bool,bool}'), ('{btree,integer_ops,99x}', '{int4,bool}'),
      ('{public}', '{Addressed s}'), ('{public}', '{Pub}'), ('{Addressed r}', '{T}'), ('{Addressed r,A a}', '{x}'), ('{integer}', '{text}'), ('{integer}', '{plpgsql}'),
      ('{A a,P p}', '{text}'), ('{A a,added}', '{integer,integer}'), ('{A a,Sum}', '{int}'), ('{"\"A a\".\"Pos\""}', '{x}')) v (x, y)
    LOOP
      BEGIN
        PERFORM pg_get_object_address(k, n, a);
      EXCEPTION WHEN OTHERS THEN
        GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, said = MESSAGE_TEXT, advice = PG_EXCEPTION_HINT;
        INSERT INTO answers (kind, names, arguments, code, message, hint) VALUES (k, n, a, code, said, advice);
      END;
    END LOOP;
  END LOOP;
END $$;
SELECT kind, names, arguments, code, message, hint FROM answers ORDER BY number;
DROP EVENT TRIGGER "Addressed e";
DROP SUBSCRIPTION "Addressed sub";
DROP FOREIGN DATA WRAPPER "Addressed w" CASCADE;
DROP SCHEMA "A a" CASCADE;
DROP OWNED BY "Addressed r";
DROP ROLE "Addressed r";
