-- Classes and families of operators that users make.
CREATE TYPE pair AS (a int, b int);
CREATE FUNCTION pair_cmp(pair, pair) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN $1.b < $2.b THEN -1 WHEN $1.b > $2.b THEN 1 ELSE 0 END';
CREATE FUNCTION pair_lt(pair, pair) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1.b < $2.b';
CREATE FUNCTION pair_le(pair, pair) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1.b <= $2.b';
CREATE FUNCTION pair_eq(pair, pair) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1.b = $2.b';
CREATE FUNCTION pair_ge(pair, pair) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1.b >= $2.b';
CREATE FUNCTION pair_gt(pair, pair) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1.b > $2.b';
CREATE OPERATOR #< (LEFTARG = pair, RIGHTARG = pair, FUNCTION = pair_lt);
CREATE OPERATOR #<= (LEFTARG = pair, RIGHTARG = pair, FUNCTION = pair_le);
CREATE OPERATOR #= (LEFTARG = pair, RIGHTARG = pair, FUNCTION = pair_eq);
CREATE OPERATOR #>= (LEFTARG = pair, RIGHTARG = pair, FUNCTION = pair_ge);
CREATE OPERATOR #> (LEFTARG = pair, RIGHTARG = pair, FUNCTION = pair_gt);
CREATE OPERATOR CLASS pair_ops DEFAULT FOR TYPE pair USING btree AS
  OPERATOR 1 #<, OPERATOR 2 #<=, OPERATOR 3 #=, OPERATOR 4 #>=, OPERATOR 5 #>, FUNCTION 1 pair_cmp(pair, pair);
CREATE OPERATOR CLASS pair_ops DEFAULT FOR TYPE pair USING btree AS OPERATOR 1 #<;
CREATE OPERATOR CLASS other_ops DEFAULT FOR TYPE pair USING btree FAMILY pair_ops AS OPERATOR 1 #<;
CREATE SCHEMA o;
CREATE OPERATOR FAMILY o.mixed USING btree;
CREATE OPERATOR FAMILY o.mixed USING btree;
CREATE OPERATOR CLASS o.by_default FOR TYPE int4 USING btree FAMILY o.mixed AS
  OPERATOR 1 < , OPERATOR 2 <= , OPERATOR 3 = , OPERATOR 4 >= , OPERATOR 5 > ,
  FUNCTION 1 btint4cmp(int4, int4), FUNCTION 2 btint4sortsupport(internal), OPERATOR 1 < (int4, int8);
ALTER OPERATOR FAMILY o.mixed USING btree ADD OPERATOR 3 = (int4, int8), FUNCTION 1 btint48cmp(int4, int8);
ALTER OPERATOR FAMILY o.mixed USING btree ADD OPERATOR 3 = (int4, int8);
ALTER OPERATOR FAMILY o.mixed USING btree ADD OPERATOR 3 = (int2, int8), OPERATOR 3 = (int2, int8);
ALTER OPERATOR FAMILY o.mixed USING btree DROP OPERATOR 3 (int4, int8);
ALTER OPERATOR FAMILY o.mixed USING btree DROP OPERATOR 3 (int4, int8);
ALTER OPERATOR FAMILY o.mixed USING btree DROP OPERATOR 3 (int4);
ALTER OPERATOR FAMILY o.mixed USING btree DROP FUNCTION 1 (int4, int4);
ALTER OPERATOR FAMILY o.mixed USING btree DROP FUNCTION 1 (int4, int4, int4);
ALTER OPERATOR FAMILY o.mixed USING btree ADD OPERATOR 6 < (int4, int4);
ALTER OPERATOR FAMILY o.mixed USING btree ADD FUNCTION 0 btint48cmp(int4, int8);
ALTER OPERATOR FAMILY o.mixed USING btree ADD OPERATOR 1 <;
ALTER OPERATOR FAMILY o.mixed USING btree ADD STORAGE int4;
ALTER OPERATOR FAMILY o.mixed USING btree ADD OPERATOR 1 + (int4, int4);
ALTER OPERATOR FAMILY o.mixed USING btree ADD OPERATOR 1 - (NONE, int4);
ALTER OPERATOR FAMILY o.mixed USING btree ADD OPERATOR 1 < (int4);
ALTER OPERATOR FAMILY o.mixed USING btree ADD FUNCTION 1 abs(int4);
ALTER OPERATOR FAMILY o.mixed USING btree ADD FUNCTION 1 int4pl(int4, nothing);
ALTER OPERATOR FAMILY o.mixed USING btree ADD FUNCTION 1 nothing(int4, int4);
ALTER OPERATOR FAMILY o.mixed USING btree ADD FUNCTION 2 (int4) int4pl(int4, int4);
ALTER OPERATOR FAMILY o.mixed USING btree ADD FUNCTION 2 btint4sortsupport(internal);
ALTER OPERATOR FAMILY o.mixed USING btree ADD FUNCTION 3 int4pl(int4, int4);
ALTER OPERATOR FAMILY o.mixed USING btree ADD FUNCTION 4 (int4, int8) btequalimage(oid);
ALTER OPERATOR FAMILY o.mixed USING btree ADD FUNCTION 5 (int4) int4pl(int4, int4);
ALTER OPERATOR FAMILY o.mixed USING hash ADD OPERATOR 1 = (int4, int4);
ALTER OPERATOR FAMILY o.mixed USING nothing ADD OPERATOR 1 = (int4, int4);
ALTER OPERATOR FAMILY nothing.mixed USING hash ADD OPERATOR 1 = (int4, int4);
CREATE OPERATOR FAMILY hashed USING hash;
ALTER OPERATOR FAMILY hashed USING hash ADD FUNCTION 1 int4pl(int4, int4);
ALTER OPERATOR FAMILY hashed USING hash ADD FUNCTION 1 int8abs(int8);
ALTER OPERATOR FAMILY hashed USING hash ADD FUNCTION 2 int4pl(int4, int4);
ALTER OPERATOR FAMILY hashed USING hash ADD FUNCTION 2 hashint4extended(int4, int8), FUNCTION 1 hashint4(int4), OPERATOR 1 = (int4, int4);
CREATE OPERATOR CLASS hashed_ops FOR TYPE uuid USING hash FAMILY hashed AS STORAGE text;
CREATE OPERATOR CLASS hashed_ops FOR TYPE uuid USING hash FAMILY hashed AS STORAGE uuid, STORAGE uuid;
CREATE OPERATOR CLASS hashed_ops FOR TYPE uuid USING hash FAMILY nothing AS OPERATOR 1 =;
CREATE OPERATOR CLASS hashed_ops FOR TYPE nothing USING hash AS OPERATOR 1 =;
CREATE OPERATOR CLASS hashed_ops FOR TYPE uuid USING hash AS OPERATOR 1 =, FUNCTION 1 uuid_hash(uuid);
CREATE OPERATOR CLASS points FOR TYPE point USING gist AS
  OPERATOR 1 <<, OPERATOR 15 <-> (point, point) FOR ORDER BY float_ops, FUNCTION 1 gist_point_consistent(internal, point, smallint, oid, internal), STORAGE box;
ALTER OPERATOR FAMILY o.mixed USING btree ADD OPERATOR 1 <-> (point, point) FOR ORDER BY float_ops;
-- listed
\dAc
\dAc btree pair
\dAc+ * pair
\dAf * pair
\dAo * pair_ops
\dAo btree o.mixed
\dAp btree o.mixed
\dAp+ * pair_ops
SELECT opfname, opfnamespace::regnamespace, amname FROM pg_opfamily f JOIN pg_am a ON a.oid = opfmethod WHERE f.oid >= 16384 ORDER BY 1;
SELECT opcname, opcfamily >= 16384 AS own, opcintype::regtype, opcdefault, opckeytype::regtype, pg_opclass_is_visible(oid) FROM pg_opclass WHERE oid >= 16384 ORDER BY 1;
SELECT amoplefttype::regtype, amoprighttype::regtype, amopstrategy, amoppurpose, amopopr::regoperator, f.opfname FROM pg_amop p JOIN pg_opfamily f ON f.oid = amopfamily WHERE p.oid >= 16384 ORDER BY opfname, amopstrategy, 1, 2;
SELECT amproclefttype::regtype, amprocrighttype::regtype, amprocnum, amproc::regprocedure, f.opfname FROM pg_amproc p JOIN pg_opfamily f ON f.oid = amprocfamily WHERE p.oid >= 16384 ORDER BY opfname, amprocnum, 1, 2;
SELECT pg_describe_object('pg_opclass'::regclass, oid, 0) FROM pg_opclass WHERE oid >= 16384 ORDER BY 1;
SELECT pg_describe_object('pg_opfamily'::regclass, oid, 0) FROM pg_opfamily WHERE oid >= 16384 ORDER BY 1;
SELECT pg_describe_object('pg_amop'::regclass, oid, 0) FROM pg_amop WHERE oid >= 16384 ORDER BY 1 COLLATE "C";
SELECT pg_describe_object('pg_amproc'::regclass, oid, 0) FROM pg_amproc WHERE oid >= 16384 ORDER BY 1 COLLATE "C";
SELECT i.* FROM pg_opclass c, pg_identify_object('pg_opclass'::regclass, c.oid, 0) i WHERE c.oid >= 16384 ORDER BY identity;
SELECT i.* FROM pg_opfamily c, pg_identify_object_as_address('pg_opfamily'::regclass, c.oid, 0) i WHERE c.oid >= 16384 ORDER BY 2;
SELECT pg_describe_object(classid, objid, objsubid) AS who, pg_describe_object(refclassid, refobjid, refobjsubid) AS needs, deptype
  FROM pg_depend WHERE classid = 'pg_opclass'::regclass AND objid >= 16384 AND refclassid <> 'pg_namespace'::regclass ORDER BY 1, 2;
-- indexes
CREATE TABLE t (id int PRIMARY KEY, p pair, n int, s text, g point);
INSERT INTO t SELECT i, ROW(i, 100 - i)::pair, i, i::text, point(i, i) FROM generate_series(1, 20) i;
CREATE INDEX t_p ON t (p pair_ops DESC);
CREATE INDEX t_n ON t (n o.by_default);
CREATE INDEX t_n2 ON t (n int4_ops, s text_pattern_ops);
CREATE UNIQUE INDEX t_n3 ON t (n o.by_default);
CREATE INDEX t_none ON t (n nothing_ops);
CREATE INDEX t_none ON t (n o.nothing_ops);
CREATE INDEX t_none ON t (n nowhere.nothing_ops);
CREATE INDEX t_none ON t (n pair_ops);
CREATE INDEX t_none ON t (n text_ops);
CREATE INDEX t_none ON t ((n + 1) text_ops);
CREATE INDEX t_e ON t ((n + 1) o.by_default);
\d t
SELECT pg_get_indexdef('t_n'::regclass), pg_get_indexdef('t_p'::regclass), pg_get_indexdef('t_e'::regclass);
SELECT opcname FROM pg_index i JOIN pg_opclass c ON c.oid = indclass[0] WHERE indrelid = 't'::regclass ORDER BY indexrelid;
SELECT id FROM t WHERE n = 7;
SELECT id FROM t WHERE p #< ROW(1, 83)::pair ORDER BY id;
INSERT INTO t VALUES (21, NULL, 3);
-- names
COMMENT ON OPERATOR CLASS pair_ops USING btree IS 'by the second';
COMMENT ON OPERATOR FAMILY o.mixed USING btree IS 'of all kinds';
COMMENT ON OPERATOR FAMILY o.mixed USING hash IS 'nothing';
SELECT obj_description(oid, 'pg_opclass') FROM pg_opclass WHERE opcname = 'pair_ops';
\dd
COMMENT ON OPERATOR CLASS pair_ops USING btree IS NULL;
ALTER OPERATOR CLASS pair_ops USING btree RENAME TO by_second;
ALTER OPERATOR CLASS pair_ops USING btree RENAME TO by_second;
ALTER OPERATOR CLASS o.by_default USING btree SET SCHEMA public;
ALTER OPERATOR FAMILY o.mixed USING btree RENAME TO mixed2;
CREATE OPERATOR FAMILY o.pair_ops USING btree;
ALTER OPERATOR FAMILY o.pair_ops USING btree SET SCHEMA public;
ALTER OPERATOR FAMILY o.pair_ops USING btree RENAME TO mixed2;
ALTER OPERATOR CLASS by_second USING hash RENAME TO x;
ALTER OPERATOR CLASS by_second USING nothing RENAME TO x;
\d t_p
\d t_n
-- who may
CREATE ROLE classes_alice;
GRANT CREATE ON SCHEMA public TO classes_alice;
SET ROLE classes_alice;
CREATE OPERATOR FAMILY mine USING btree;
CREATE OPERATOR FAMILY o.mine USING btree;
CREATE OPERATOR CLASS mine FOR TYPE int4 USING btree AS OPERATOR 1 <;
ALTER OPERATOR FAMILY pair_ops USING btree ADD OPERATOR 1 < (int4, int2);
ALTER OPERATOR FAMILY pair_ops USING btree RENAME TO q;
ALTER OPERATOR CLASS by_second USING btree OWNER TO classes_alice;
DROP OPERATOR CLASS by_second USING btree;
COMMENT ON OPERATOR CLASS by_second USING btree IS 'x';
DROP OPERATOR CLASS int4_ops USING btree;
RESET ROLE;
ALTER OPERATOR FAMILY pair_ops USING btree OWNER TO classes_alice;
ALTER OPERATOR CLASS by_second USING btree OWNER TO classes_alice;
SELECT opfname, opfowner::regrole FROM pg_opfamily WHERE opfowner = 'classes_alice'::regrole;
DROP ROLE classes_alice;
SET ROLE classes_alice;
ALTER OPERATOR CLASS by_second USING btree RENAME TO pair_ops;
ALTER OPERATOR FAMILY pair_ops USING btree OWNER TO CURRENT_USER;
RESET ROLE;
REASSIGN OWNED BY classes_alice TO CURRENT_USER;
DROP OWNED BY classes_alice;
DROP ROLE classes_alice;
-- what stands on what
DROP FUNCTION pair_cmp(pair, pair);
DROP OPERATOR #< (pair, pair);
DROP OPERATOR CLASS pair_ops USING btree;
DROP OPERATOR FAMILY pair_ops USING btree;
DROP TYPE pair;
DROP OPERATOR CLASS int4_ops USING btree;
DROP OPERATOR FAMILY integer_ops USING btree;
DROP OPERATOR CLASS IF EXISTS nothing USING btree;
DROP OPERATOR FAMILY IF EXISTS nowhere.nothing USING btree;
DROP OPERATOR CLASS nothing USING btree;
DROP OPERATOR FAMILY nothing USING nothing;
DROP OPERATOR FAMILY IF EXISTS nothing USING nothing;
DROP OPERATOR FAMILY pair_ops USING btree CASCADE;
\d t
DROP INDEX t_n, t_e;
DROP OPERATOR CLASS by_default USING btree;
SELECT count(*) FROM pg_amop WHERE oid >= 16384 AND amopfamily = (SELECT oid FROM pg_opfamily WHERE opfname = 'mixed2');
DROP INDEX t_n3;
DROP OPERATOR CLASS by_default USING btree;
SELECT count(*) FROM pg_amop WHERE oid >= 16384 AND amopfamily = (SELECT oid FROM pg_opfamily WHERE opfname = 'mixed2');
CREATE FUNCTION cmp42(int4, int2) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT 0';
ALTER OPERATOR FAMILY o.mixed2 USING btree ADD FUNCTION 1 cmp42(int4, int2);
DROP FUNCTION cmp42(int4, int2);
SELECT amprocnum, amproc FROM pg_amproc WHERE oid >= 16384 AND amprocfamily = (SELECT oid FROM pg_opfamily WHERE opfname = 'mixed2') ORDER BY 1;
DROP SCHEMA o CASCADE;
SELECT opfname FROM pg_opfamily WHERE oid >= 16384 ORDER BY 1;
-- event triggers, and what goes with a schema
CREATE FUNCTION told() RETURNS event_trigger LANGUAGE plpgsql AS $$DECLARE r record; BEGIN
  FOR r IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP RAISE NOTICE '% | % | % | %', r.command_tag, r.object_type, r.schema_name, r.object_identity; END LOOP; END$$;
CREATE FUNCTION told_gone() RETURNS event_trigger LANGUAGE plpgsql AS $$DECLARE r record; BEGIN
  FOR r IN SELECT * FROM pg_event_trigger_dropped_objects() WHERE object_type IN ('operator class', 'operator family') LOOP
    RAISE NOTICE '% | % | % | % | %', r.original, r.object_type, r.object_identity, r.address_names, r.address_args; END LOOP; END$$;
CREATE EVENT TRIGGER classes_told ON ddl_command_end EXECUTE FUNCTION told();
CREATE EVENT TRIGGER classes_gone ON sql_drop EXECUTE FUNCTION told_gone();
CREATE OPERATOR FAMILY watched USING hash;
CREATE OPERATOR CLASS watched_ops FOR TYPE int8 USING hash AS OPERATOR 1 =, FUNCTION 1 hashint8(int8);
ALTER OPERATOR FAMILY watched USING hash ADD OPERATOR 1 = (int8, int8);
ALTER OPERATOR FAMILY watched USING hash RENAME TO seen;
COMMENT ON OPERATOR CLASS watched_ops USING hash IS 'x';
DROP OPERATOR CLASS watched_ops USING hash;
DROP OPERATOR FAMILY seen USING hash;
DROP EVENT TRIGGER classes_told;
DROP EVENT TRIGGER classes_gone;
CREATE SCHEMA o2;
CREATE OPERATOR CLASS o2.c FOR TYPE int8 USING hash AS OPERATOR 1 =, FUNCTION 1 hashint8(int8);
DROP SCHEMA o2 CASCADE;
