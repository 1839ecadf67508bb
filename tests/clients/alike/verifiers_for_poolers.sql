-- A pooler asks for users' verifiers by a function of a superuser's (PgBouncer's auth_query): pg_shadow has them, pg_user has none.
CREATE ROLE pooled LOGIN PASSWORD 'secret' VALID UNTIL '2099-01-01 00:00:00+00';
CREATE ROLE pooled_admin LOGIN SUPERUSER CREATEDB;
CREATE ROLE pooled_group PASSWORD 'secret';
CREATE ROLE the_pooler LOGIN;
ALTER ROLE pooled SET work_mem = '8MB';
SELECT usename, usecreatedb, usesuper, userepl, usebypassrls, left(passwd, 19) AS passwd, valuntil AT TIME ZONE 'UTC' AS valuntil, useconfig
  FROM pg_shadow WHERE usename LIKE 'pooled%' ORDER BY 1;
SELECT usename, usecreatedb, usesuper, userepl, usebypassrls, passwd, useconfig FROM pg_user WHERE usename LIKE 'pooled%' ORDER BY 1;
SELECT s.passwd = a.rolpassword AS the_same FROM pg_shadow s JOIN pg_authid a ON a.oid = s.usesysid WHERE usename = 'pooled';
CREATE FUNCTION user_lookup(i_username text, OUT uname text, OUT phash text) RETURNS record
  LANGUAGE plpgsql SECURITY DEFINER AS $$
BEGIN
  SELECT usename, passwd FROM pg_catalog.pg_shadow WHERE usename = i_username INTO uname, phash;
  RETURN;
END $$;
REVOKE ALL ON FUNCTION user_lookup(text) FROM public;
GRANT EXECUTE ON FUNCTION user_lookup(text) TO the_pooler;
SET ROLE the_pooler;
SELECT uname, left(phash, 14) AS phash FROM user_lookup('pooled');
SELECT uname, phash FROM user_lookup('nobody at all');
SELECT passwd FROM pg_shadow;
RESET ROLE;
ALTER ROLE pooled PASSWORD NULL;
SELECT usename, passwd FROM pg_shadow WHERE usename = 'pooled';
DROP FUNCTION user_lookup;
DROP ROLE pooled, pooled_admin, pooled_group, the_pooler;
