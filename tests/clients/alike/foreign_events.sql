-- What event triggers are told of foreign data, and of typed tables.
CREATE FUNCTION told() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT * FROM pg_event_trigger_ddl_commands() LOOP
    RAISE NOTICE '% | % | % | % | %', tg_tag, r.command_tag, r.object_type, r.schema_name, r.object_identity;
  END LOOP;
END $$;
CREATE FUNCTION gone() RETURNS event_trigger LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
  FOR r IN SELECT * FROM pg_event_trigger_dropped_objects() WHERE object_type NOT LIKE 'type%' LOOP
    RAISE NOTICE '% drops % (%) | % | % | % | % | %', tg_tag, r.object_type, r.original, r.schema_name, r.object_name, r.object_identity, r.address_names, r.address_args;
  END LOOP;
END $$;
CREATE EVENT TRIGGER told ON ddl_command_end EXECUTE FUNCTION told();
CREATE EVENT TRIGGER gone ON sql_drop EXECUTE FUNCTION gone();
CREATE FOREIGN DATA WRAPPER "Odd One" OPTIONS (a 'b');
ALTER FOREIGN DATA WRAPPER "Odd One" OPTIONS (b 'c');
CREATE SERVER here FOREIGN DATA WRAPPER "Odd One";
ALTER SERVER here VERSION '2';
ALTER SERVER here RENAME TO "There";
CREATE USER MAPPING FOR PUBLIC SERVER "There";
ALTER USER MAPPING FOR PUBLIC SERVER "There" OPTIONS (a 'b');
COMMENT ON SERVER "There" IS 'x';
COMMENT ON FOREIGN DATA WRAPPER "Odd One" IS 'x';
GRANT USAGE ON FOREIGN SERVER "There" TO PUBLIC;
GRANT USAGE ON FOREIGN DATA WRAPPER "Odd One" TO PUBLIC;
CREATE FOREIGN TABLE far (id int) SERVER "There";
ALTER FOREIGN TABLE far ADD COLUMN b text;
ALTER FOREIGN TABLE far OPTIONS (a 'b');
COMMENT ON FOREIGN TABLE far IS 'x';
CREATE TYPE pair AS (a int, b text);
CREATE TABLE pairs OF pair;
ALTER TABLE pairs NOT OF;
ALTER TABLE pairs OF pair;
DROP USER MAPPING FOR PUBLIC SERVER "There";
DROP FOREIGN TABLE far;
CREATE USER MAPPING FOR PUBLIC SERVER "There";
DROP SERVER "There" CASCADE;
DROP FOREIGN DATA WRAPPER "Odd One";
DROP EVENT TRIGGER told;
DROP EVENT TRIGGER gone;
