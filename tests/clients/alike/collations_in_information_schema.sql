-- What information_schema says of collations: of columns, attributes and domains that have another than the default one, and which there are.
CREATE COLLATION of_germany (provider = icu, locale = 'de');
CREATE DOMAIN plain_code AS text COLLATE "C";
CREATE DOMAIN code_of_code AS plain_code CHECK (VALUE <> '');
CREATE DOMAIN named AS name;
CREATE DOMAIN unsaid AS varchar(9);
CREATE DOMAIN counted AS int NOT NULL;
CREATE TYPE an_address AS (street text COLLATE "C", zip varchar(10), n counted, price numeric(9,2), codes plain_code, at interval day to second(3), tags text[]);
CREATE TABLE said (a text COLLATE "C", b text, c name, d plain_code, e text[] COLLATE "POSIX", f text COLLATE of_germany, g int,
    h varchar COLLATE "default", i plain_code COLLATE "POSIX", j code_of_code, k named, l char(3) COLLATE "sv-SE-x-icu");
CREATE VIEW seen AS SELECT a, f, c, b COLLATE "C" AS bb, d, i, j FROM said;
SELECT table_name, column_name, collation_catalog = current_database() AS here, collation_schema, collation_name
  FROM information_schema.columns WHERE table_name IN ('said', 'seen') ORDER BY 1, ordinal_position;
SELECT domain_name, collation_catalog = current_database() AS here, collation_schema, collation_name
  FROM information_schema.domains WHERE domain_schema = 'public' ORDER BY 1;
SELECT typname, typcollation::regcollation FROM pg_type WHERE typname IN ('plain_code', 'code_of_code', 'named', 'unsaid', 'counted') ORDER BY 1;
SELECT attname, attcollation::regcollation FROM pg_attribute WHERE attrelid IN ('said'::regclass, 'seen'::regclass) AND attnum > 0 ORDER BY attrelid, attnum;
\x on
SELECT * FROM information_schema.attributes WHERE udt_schema = 'public' AND udt_catalog = current_database() ORDER BY ordinal_position \gset last_
SELECT attribute_name, ordinal_position, attribute_default, is_nullable, data_type, character_maximum_length, character_octet_length, collation_schema, collation_name,
       numeric_precision, numeric_precision_radix, numeric_scale, datetime_precision, interval_type, attribute_udt_schema, attribute_udt_name, dtd_identifier,
       is_derived_reference_attribute
  FROM information_schema.attributes WHERE udt_name = 'an_address' ORDER BY ordinal_position;
\x off
SELECT collation_schema, collation_name, pad_attribute FROM information_schema.collations
 WHERE collation_name IN ('default', 'C', 'POSIX', 'ucs_basic', 'sv-SE-x-icu', 'of_germany') ORDER BY 2;
SELECT collation_schema, collation_name, character_set_name FROM information_schema.collation_character_set_applicability
 WHERE collation_name IN ('default', 'C', 'sv-SE-x-icu', 'of_germany') ORDER BY 2;
SELECT count(*) > 700 AS many FROM information_schema.collations;
DROP VIEW seen;
DROP TABLE said;
DROP TYPE an_address;
DROP DOMAIN code_of_code, plain_code, named, unsaid, counted;
DROP COLLATION of_germany;
SELECT count(*) FROM information_schema.attributes;
