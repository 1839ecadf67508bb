-- How a column is compressed is kept and told, as its storage is; nothing else depends on it.
CREATE TABLE packed (id int, a text COMPRESSION lz4, b varchar(10) COMPRESSION pglz, c text COMPRESSION default, d jsonb);
SELECT attname, attcompression FROM pg_attribute WHERE attrelid = 'packed'::regclass AND attnum > 0 ORDER BY attnum;
\d+ packed
ALTER TABLE packed ALTER COLUMN d SET COMPRESSION lz4, ALTER a SET COMPRESSION default;
SELECT attname, attcompression FROM pg_attribute WHERE attrelid = 'packed'::regclass AND attnum > 0 ORDER BY attnum;
CREATE TABLE packed_like (LIKE packed INCLUDING COMPRESSION);
CREATE TABLE packed_unlike (LIKE packed);
CREATE TABLE packed_child (b varchar(10)) INHERITS (packed);
SELECT attrelid::regclass, attname, attcompression FROM pg_attribute
WHERE attrelid IN ('packed_like'::regclass, 'packed_unlike'::regclass, 'packed_child'::regclass) AND attnum > 0 ORDER BY 1, attnum;
CREATE TABLE packed_other (b varchar(10) COMPRESSION lz4) INHERITS (packed);
CREATE TABLE packed_second (d jsonb COMPRESSION pglz);
CREATE TABLE packed_both () INHERITS (packed, packed_second);
ALTER TABLE packed_second ALTER d TYPE text;
SELECT attcompression FROM pg_attribute WHERE attrelid = 'packed_second'::regclass AND attname = 'd';
CREATE TABLE packed_wrong (n int COMPRESSION pglz);
CREATE TABLE packed_wrong (n text COMPRESSION Quick);
ALTER TABLE packed ALTER a SET COMPRESSION quick;
ALTER TABLE packed ALTER id SET COMPRESSION lz4;
INSERT INTO packed (id, a, d) VALUES (1, repeat('x', 5000), '{}');
SELECT id, length(a), d FROM packed;
