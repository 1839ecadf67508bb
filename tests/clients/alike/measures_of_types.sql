-- What information_schema measures of types, and the functions that it does it with, which programs paste out of its view "columns".
CREATE DOMAIN short_code AS varchar(7) NOT NULL;
CREATE DOMAIN amount AS numeric(12,3) CHECK (VALUE >= 0);
CREATE TABLE measured (
    id int PRIMARY KEY, code varchar(10), fixed char(4), body text, flag bit(3), flags varbit(9), anyflags varbit,
    price numeric(10,2), rounded numeric(5,-2), free numeric, small smallint, big bigint, r real, d double precision,
    day date, at time(2), atz timetz, ts timestamp(0), tstz timestamptz, span interval, exact interval(3), years interval year,
    hours interval day to hour, seconds interval day to second(3), secs interval second(1), list varchar(3)[], short short_code, cost amount,
    doc jsonb, anyvar varchar
);
\x on
SELECT column_name, data_type, character_maximum_length, character_octet_length, numeric_precision, numeric_precision_radix,
       numeric_scale, datetime_precision, interval_type, interval_precision
  FROM information_schema.columns WHERE table_name = 'measured' ORDER BY ordinal_position;
\x off
SELECT domain_name, character_maximum_length, numeric_precision, numeric_scale FROM information_schema.domains WHERE domain_schema = 'public' ORDER BY 1;
-- The functions, over all columns, as the view calls them.
SELECT a.attname, format_type(a.atttypid, a.atttypmod),
       information_schema._pg_truetypid(a, t)::regtype AS true_type, information_schema._pg_truetypmod(a, t) AS true_modifier,
       information_schema._pg_char_max_length(information_schema._pg_truetypid(a.*, t.*), information_schema._pg_truetypmod(a.*, t.*)) AS chars,
       information_schema._pg_char_octet_length(information_schema._pg_truetypid(a.*, t.*), information_schema._pg_truetypmod(a.*, t.*)) AS octets,
       information_schema._pg_numeric_precision(information_schema._pg_truetypid(a.*, t.*), information_schema._pg_truetypmod(a.*, t.*)) AS digits,
       information_schema._pg_numeric_precision_radix(information_schema._pg_truetypid(a.*, t.*), information_schema._pg_truetypmod(a.*, t.*)) AS radix,
       information_schema._pg_numeric_scale(information_schema._pg_truetypid(a.*, t.*), information_schema._pg_truetypmod(a.*, t.*)) AS scale,
       information_schema._pg_datetime_precision(information_schema._pg_truetypid(a.*, t.*), information_schema._pg_truetypmod(a.*, t.*)) AS parts,
       information_schema._pg_interval_type(information_schema._pg_truetypid(a.*, t.*), information_schema._pg_truetypmod(a.*, t.*)) AS fields
  FROM pg_attribute a JOIN pg_type t ON a.atttypid = t.oid
 WHERE a.attrelid = 'measured'::regclass AND a.attnum > 0 ORDER BY a.attnum;
SELECT information_schema._pg_char_max_length(1043, 14), information_schema._pg_char_max_length(1043, -1), information_schema._pg_char_octet_length(25, -1),
       information_schema._pg_numeric_precision(1700, NULL), information_schema._pg_interval_type(23, -1);
CREATE INDEX measured_several ON measured (price, lower(body), code) INCLUDE (day);
SELECT a.attname, information_schema._pg_index_position('measured_several'::regclass, a.attnum),
       information_schema._pg_index_position('measured_pkey'::regclass, a.attnum)
  FROM pg_attribute a WHERE attrelid = 'measured'::regclass AND a.attname IN ('id', 'price', 'code', 'day', 'body') ORDER BY 1;
SELECT information_schema._pg_index_position(0, 1::smallint), information_schema._pg_index_position(NULL, 1::smallint);
-- Rows of other relations are none of theirs.
SELECT information_schema._pg_truetypid(1, 2);
DROP TABLE measured;
DROP DOMAIN short_code, amount;
