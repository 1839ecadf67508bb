-- SET STORAGE and SET STATISTICS are kept: tables that are made LIKE another one, that inherit and partitions take the storage over.
CREATE TABLE ctlt1 (a text CHECK (length(a) > 2) PRIMARY KEY, b text, n int);
ALTER TABLE ctlt1 ALTER a SET STORAGE MAIN, ALTER COLUMN b SET STORAGE external, ALTER n SET STATISTICS 500;
\d+ ctlt1
ALTER TABLE ctlt1 ALTER n SET STORAGE main;
ALTER TABLE ctlt1 ALTER n SET STORAGE plain;
ALTER TABLE ctlt1 ALTER b SET STORAGE wherever;
ALTER TABLE ctlt1 ALTER b SET STATISTICS -2;
ALTER TABLE ctlt1 ALTER b SET STATISTICS 20000;
ALTER TABLE ctlt1 ALTER c SET STATISTICS 2;
SELECT attname, attstorage, attstattarget FROM pg_attribute WHERE attrelid = 'ctlt1'::regclass AND attnum > 0 ORDER BY attnum;
CREATE TABLE like_it (LIKE ctlt1 INCLUDING STORAGE);
CREATE TABLE like_all (LIKE ctlt1 INCLUDING ALL);
CREATE TABLE like_plain (LIKE ctlt1);
CREATE TABLE child (more text) INHERITS (ctlt1);
\d+ like_it
\d+ like_plain
\d+ child
CREATE TABLE other (a text, c text);
ALTER TABLE other ALTER c SET STORAGE EXTERNAL;
CREATE TABLE inh_error1 () INHERITS (ctlt1, other);
CREATE TABLE inh_error2 (LIKE other INCLUDING STORAGE) INHERITS (ctlt1);
CREATE TABLE inh_fine (LIKE other INCLUDING STORAGE) INHERITS (other);
ALTER TABLE ctlt1 ALTER b SET STORAGE main, ALTER b SET STATISTICS 7;
SELECT attrelid::regclass, attname, attstorage, attstattarget FROM pg_attribute WHERE attname = 'b' AND attrelid IN ('ctlt1'::regclass, 'child'::regclass) ORDER BY 1;
ALTER TABLE ctlt1 ALTER b TYPE varchar(20);
SELECT attrelid::regclass, attname, attstorage, attstattarget FROM pg_attribute WHERE attname = 'b' AND attrelid IN ('ctlt1'::regclass, 'child'::regclass) ORDER BY 1;
CREATE TABLE parts (k int, t text) PARTITION BY LIST (k);
ALTER TABLE parts ALTER t SET STORAGE external;
CREATE TABLE part1 PARTITION OF parts FOR VALUES IN (1);
ALTER TABLE parts ALTER t SET STATISTICS 3;
ALTER TABLE ONLY parts ALTER k SET STATISTICS 4;
SELECT attrelid::regclass, attname, attstorage, attstattarget FROM pg_attribute WHERE attrelid IN ('parts'::regclass, 'part1'::regclass) AND attnum > 0 ORDER BY 1, 2;
INSERT INTO parts VALUES (1, 'x');
ALTER TABLE parts ALTER t SET STATISTICS -1;
TABLE part1;
