-- A key's own collation is told of, and dumped; so is what a domain over a domain asks, of the type underneath.
CREATE TABLE by_text (k int, t text) PARTITION BY RANGE (t COLLATE "C", k);
CREATE TABLE by_expression (k int, t text) PARTITION BY LIST ((lower(t)) COLLATE "POSIX");
CREATE TABLE of_column (t text COLLATE "C") PARTITION BY RANGE (t COLLATE "C");
CREATE TABLE other_than_column (t text COLLATE "POSIX") PARTITION BY HASH (t COLLATE "C");
CREATE TABLE plain (t text) PARTITION BY RANGE (t);
SELECT partrelid::regclass, pg_get_partkeydef(partrelid), partcollation::oid[]::regcollation[] FROM pg_partitioned_table ORDER BY 1;
CREATE TABLE a_to_m PARTITION OF by_text FOR VALUES FROM ('a', 1) TO ('m', 2);
INSERT INTO by_text VALUES (1, 'b'), (2, 'c');
SELECT * FROM by_text ORDER BY k;
\d by_text
\d+ by_expression
CREATE DOMAIN positive AS int CHECK (VALUE > 0);
CREATE DOMAIN small AS positive CHECK (VALUE < 100) CHECK (VALUE IN (1, 2)) CHECK (VALUE IS NOT NULL OR VALUE = 3);
CREATE DOMAIN several AS text[] CHECK (cardinality(VALUE) > 2);
CREATE DOMAIN several_a AS several CHECK (VALUE[1] = 'a');
CREATE DOMAIN short AS varchar(10) CHECK (VALUE <> '');
CREATE DOMAIN shorter AS short CHECK (length(VALUE) < 5 AND VALUE ~ '^a');
SELECT contypid::regtype, conname, pg_get_constraintdef(oid), pg_get_constraintdef(oid, true) FROM pg_constraint
  WHERE contypid IN ('positive'::regtype, 'small'::regtype, 'several'::regtype, 'several_a'::regtype, 'short'::regtype, 'shorter'::regtype) ORDER BY 1, 2;
SELECT 5::small;
SELECT 2::small;
