-- What CREATE OPERATOR says of operators is kept, shown, altered and guarded.
CREATE TYPE pos AS (x int, y int);
CREATE FUNCTION pos_lt(pos, pos) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1.x < $2.x';
CREATE FUNCTION pos_ge(pos, pos) RETURNS bool LANGUAGE sql IMMUTABLE AS 'SELECT $1.x >= $2.x';
CREATE FUNCTION pos_eq(a pos, b pos) RETURNS bool LANGUAGE plpgsql IMMUTABLE AS 'BEGIN RETURN a.x = b.x; END';
CREATE FUNCTION pos_neg(pos) RETURNS pos LANGUAGE sql IMMUTABLE AS 'SELECT ROW(-$1.x, -$1.y)::pos';
CREATE OPERATOR <<< (leftarg = pos, rightarg = pos, function = pos_lt, commutator = >>>, negator = >==, restrict = scalarltsel, join = scalarltjoinsel);
SELECT '(1,2)'::pos >>> '(0,1)'::pos;
SELECT oprname, oprkind, oprcode, oprresult::regtype, oprcom::regoperator, oprnegate::regoperator, oprcanmerge, oprcanhash, oprrest, oprjoin
  FROM pg_operator WHERE oprnamespace = 'public'::regnamespace ORDER BY oprname;
CREATE OPERATOR >== (leftarg = pos, rightarg = pos, function = pos_ge, negator = <<<);
CREATE OPERATOR === (leftarg = pos, rightarg = pos, function = pos_eq, commutator = ===, hashes, merges, restrict = eqsel, join = eqjoinsel);
CREATE OPERATOR -- nothing
  @!@ (rightarg = pos, function = pos_neg);
SELECT oprname, oprkind, oprcode, oprresult::regtype, oprcom::regoperator, oprnegate::regoperator, oprcanmerge, oprcanhash, oprrest, oprjoin
  FROM pg_operator WHERE oprnamespace = 'public'::regnamespace ORDER BY oprname;
COMMENT ON OPERATOR === (pos, pos) IS 'the same place';
COMMENT ON OPERATOR @!@ (NONE, pos) IS 'the other way';
COMMENT ON OPERATOR @!@ (NONE, int) IS 'nothing';
\do ===
\do+ @!@
\do public.*
SELECT obj_description('===(pos,pos)'::regoperator, 'pg_operator'), '@!@(none,pos)'::regoperator, '==='::regoper;
SELECT '(1,2)'::pos === '(1,3)'::pos, @!@ '(1,2)'::pos, '(1,2)'::pos >== '(0,0)';
-- what is not allowed
CREATE OPERATOR <<< (leftarg = pos, rightarg = pos, function = pos_lt);
CREATE OPERATOR ### (leftarg = pos, rightarg = pos);
CREATE OPERATOR ### (function = pos_lt);
CREATE OPERATOR ### (leftarg = pos, function = pos_neg);
CREATE OPERATOR ### (leftarg = pos, rightarg = int, function = pos_lt);
CREATE OPERATOR ### (leftarg = pos, rightarg = nothing, function = pos_lt);
CREATE OPERATOR ### (leftarg = setof pos, rightarg = pos, function = pos_lt);
CREATE OPERATOR ### (rightarg = pos, function = pos_neg, commutator = ###);
CREATE OPERATOR ### (rightarg = pos, function = pos_neg, negator = ####);
CREATE OPERATOR ### (rightarg = pos, function = pos_neg, hashes);
CREATE OPERATOR ### (rightarg = pos, function = pos_neg, merges);
CREATE OPERATOR ### (rightarg = pos, function = pos_neg, join = eqjoinsel);
CREATE OPERATOR ### (rightarg = pos, function = pos_neg, restrict = eqsel);
CREATE OPERATOR ### (leftarg = pos, rightarg = pos, function = pos_lt, negator = ###);
CREATE OPERATOR ### (leftarg = pos, rightarg = pos, function = pos_lt, restrict = nosuchsel);
CREATE OPERATOR => (leftarg = pos, rightarg = pos, function = pos_lt);
CREATE OPERATOR nowhere.### (leftarg = pos, rightarg = pos, function = pos_lt);
CREATE OPERATOR ### (leftarg = pos, rightarg = pos, function = nowhere.pos_lt);
CREATE OPERATOR ### (leftarg = pos, rightarg = pos, function = pos_lt, invalid_att = int8);
DROP OPERATOR ### (pos, pos);
-- ALTER
ALTER OPERATOR === (pos, pos) SET (restrict = NONE);
ALTER OPERATOR === (pos, pos) SET (restrict = contsel, join = NONE);
SELECT oprrest, oprjoin FROM pg_operator WHERE oid = '===(pos,pos)'::regoperator;
ALTER OPERATOR === (pos, pos) SET (commutator = !==);
ALTER OPERATOR === (pos, int) SET (restrict = NONE);
CREATE SCHEMA other;
ALTER OPERATOR === (pos, pos) SET SCHEMA other;
SELECT '(1,2)'::pos === '(1,3)'::pos;
SELECT '(1,2)'::pos OPERATOR(other.===) '(1,3)'::pos, '===(pos,pos)'::regoperator;
SELECT 'other.===(pos,pos)'::regoperator, 'other.==='::regoper;
\do ===
ALTER OPERATOR other.=== (pos, pos) SET SCHEMA public;
ALTER FUNCTION pos_eq(pos, pos) RENAME TO pos_same;
SELECT '(1,2)'::pos === '(1,3)'::pos;
-- rights
CREATE ROLE ops_reader;
CREATE ROLE ops_owner;
GRANT CREATE, USAGE ON SCHEMA public TO ops_owner;
REVOKE EXECUTE ON FUNCTION pos_same(pos, pos) FROM PUBLIC;
SET ROLE ops_reader;
SELECT '(1,2)'::pos === '(1,3)'::pos;
SELECT '(1,2)'::pos <<< '(1,3)'::pos;
SELECT '(1,2)'::pos OPERATOR(other.<<<) '(1,3)'::pos;
DROP OPERATOR <<< (pos, pos);
ALTER OPERATOR <<< (pos, pos) SET SCHEMA other;
ALTER OPERATOR <<< (pos, pos) OWNER TO ops_reader;
COMMENT ON OPERATOR <<< (pos, pos) IS 'mine';
CREATE OPERATOR ### (leftarg = pos, rightarg = pos, function = pos_lt);
RESET ROLE;
SET ROLE ops_owner;
CREATE OPERATOR ### (leftarg = pos, rightarg = pos, function = pos_same);
CREATE OPERATOR ### (leftarg = pos, rightarg = pos, function = pos_lt);
RESET ROLE;
ALTER OPERATOR ### (pos, pos) OWNER TO ops_reader;
SELECT r.rolname FROM pg_operator o JOIN pg_roles r ON r.oid = o.oprowner WHERE o.oid = '###(pos,pos)'::regoperator;
DROP ROLE ops_reader;
REASSIGN OWNED BY ops_reader TO ops_owner;
DROP ROLE ops_reader;
DROP OWNED BY ops_owner;
SELECT '(1,2)'::pos ### '(1,3)'::pos;
DROP ROLE ops_owner;
-- in transactions, and gone with what they need
BEGIN;
CREATE OPERATOR ~~~ (leftarg = pos, rightarg = pos, function = pos_ge);
SELECT '(1,2)'::pos ~~~ '(1,3)'::pos;
ROLLBACK;
SELECT '(1,2)'::pos ~~~ '(1,3)'::pos;
DROP OPERATOR <<< (pos, pos);
SELECT oprname, oprcom, oprnegate FROM pg_operator WHERE oprname IN ('>>>', '>==') ORDER BY 1;
CREATE VIEW places AS SELECT v FROM (VALUES ('(1,2)'::pos), ('(3,4)'::pos)) t (v) WHERE v >== '(2,2)'::pos;
SELECT * FROM places;
\d+ places
CREATE MATERIALIZED VIEW kept AS SELECT v >== '(2,2)' AS c FROM places;
TABLE kept;
DROP FUNCTION pos_ge(pos, pos);
DROP FUNCTION pos_ge(pos, pos) CASCADE;
DROP TYPE pos;
DROP TYPE pos CASCADE;
SELECT count(*) FROM pg_operator WHERE oprnamespace = 'public'::regnamespace;
