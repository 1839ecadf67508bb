-- Conversions between encodings that users make of PostgreSQL's functions.
CREATE SCHEMA c;
CREATE CONVERSION mine FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
CREATE CONVERSION mine FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
CREATE DEFAULT CONVERSION theirs FOR 'latin1' TO 'utf-8' FROM pg_catalog.iso8859_1_to_utf8;
CREATE DEFAULT CONVERSION others FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
CREATE DEFAULT CONVERSION c.others FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
CREATE CONVERSION "Of Windows" FOR 'UTF8' TO 'WIN1252' FROM utf8_to_win;
CREATE CONVERSION x FOR 'LATIN1' TO 'UTF8' FROM iso8859_to_utf8;
CREATE CONVERSION x FOR 'LATIN1' TO 'LATIN2' FROM iso8859_1_to_utf8;
CREATE CONVERSION x FOR 'LATIN2' TO 'UTF8' FROM iso8859_1_to_utf8;
CREATE CONVERSION x FOR 'LATIN2' TO 'UTF8' FROM nothing;
CREATE CONVERSION x FOR 'LATIN2' TO 'UTF8' FROM nowhere.nothing;
CREATE CONVERSION nowhere.x FOR 'LATIN2' TO 'UTF8' FROM iso8859_to_utf8;
CREATE CONVERSION x FOR 'LATIN99' TO 'UTF8' FROM iso8859_to_utf8;
CREATE CONVERSION x FOR 'LATIN2' TO 'UTF99' FROM iso8859_to_utf8;
CREATE CONVERSION x FOR 'SQL_ASCII' TO 'UTF8' FROM iso8859_to_utf8;
CREATE CONVERSION x FOR 'UTF8' TO 'LATIN2' FROM utf8_to_win;
CREATE CONVERSION x FOR 'KOI8R' TO 'UTF8' FROM win_to_utf8;
CREATE CONVERSION x FOR 'UTF8' TO 'LATIN2';
SELECT conname, connamespace::regnamespace, conowner = current_user::regrole AS own, pg_encoding_to_char(conforencoding), pg_encoding_to_char(contoencoding), conproc, condefault, pg_conversion_is_visible(oid)
  FROM pg_conversion WHERE oid >= 16384 ORDER BY conname COLLATE "C";
SELECT pg_describe_object('pg_conversion'::regclass, oid, 0) FROM pg_conversion WHERE oid >= 16384 ORDER BY 1 COLLATE "C";
SELECT i.* FROM pg_conversion c, pg_identify_object('pg_conversion'::regclass, c.oid, 0) i WHERE c.oid >= 16384 ORDER BY identity COLLATE "C";
SELECT i.* FROM pg_conversion c, pg_identify_object_as_address('pg_conversion'::regclass, c.oid, 0) i WHERE c.oid >= 16384 ORDER BY object_names::text COLLATE "C";
COMMENT ON CONVERSION mine IS 'of mine';
COMMENT ON CONVERSION nothing IS 'of mine';
SELECT obj_description(oid, 'pg_conversion') FROM pg_conversion WHERE conname = 'mine';
\dc
\dc+ mine
SELECT convert_from('\xe4', 'LATIN1'), convert('\xc3a4', 'UTF8', 'LATIN1');
ALTER CONVERSION mine RENAME TO theirs;
ALTER CONVERSION mine RENAME TO ours;
ALTER CONVERSION mine RENAME TO ours;
ALTER CONVERSION ours SET SCHEMA c;
ALTER CONVERSION c.ours SET SCHEMA c;
CREATE CONVERSION ours FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
ALTER CONVERSION ours SET SCHEMA c;
-- who may
CREATE ROLE conversions_alice;
SET ROLE conversions_alice;
CREATE CONVERSION c.x FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
ALTER CONVERSION ours RENAME TO x;
ALTER CONVERSION ours OWNER TO conversions_alice;
COMMENT ON CONVERSION ours IS 'x';
COMMENT ON CONVERSION iso_8859_1_to_utf8 IS 'x';
DROP CONVERSION ours;
RESET ROLE;
GRANT CREATE ON SCHEMA public TO conversions_alice;
ALTER CONVERSION ours OWNER TO conversions_alice;
DROP ROLE conversions_alice;
SET ROLE conversions_alice;
ALTER CONVERSION ours RENAME TO hers;
CREATE CONVERSION hers2 FOR 'LATIN1' TO 'UTF8' FROM iso8859_1_to_utf8;
RESET ROLE;
DROP OWNED BY conversions_alice;
DROP ROLE conversions_alice;
-- what goes
CREATE FUNCTION conversion_gone() RETURNS event_trigger LANGUAGE plpgsql AS $$DECLARE r record; BEGIN
  FOR r IN SELECT * FROM pg_event_trigger_dropped_objects() LOOP RAISE NOTICE '% % % % %', r.original, r.object_type, r.object_identity, r.address_names, r.address_args; END LOOP; END$$;
CREATE EVENT TRIGGER conversions_gone ON sql_drop EXECUTE FUNCTION conversion_gone();
DROP CONVERSION hers;
DROP CONVERSION IF EXISTS hers, nowhere.x;
DROP CONVERSION nowhere.x;
DROP CONVERSION iso_8859_1_to_utf8;
DROP CONVERSION theirs;
DROP EVENT TRIGGER conversions_gone;
DROP SCHEMA c CASCADE;
SELECT conname FROM pg_conversion WHERE oid >= 16384 ORDER BY 1;
