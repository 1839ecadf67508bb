-- What nobody names is named so that no constraint of the schema is called so yet: a table that takes the place of one that was renamed.
CREATE SCHEMA nc_s;
CREATE TABLE nc_p (id int PRIMARY KEY);
CREATE TABLE nc_a (x int CHECK (x > 0), y int REFERENCES nc_p, z int, CHECK (z > x), UNIQUE (z), EXCLUDE USING btree (y WITH =));
ALTER TABLE nc_a RENAME TO nc_b;
CREATE TABLE nc_a (x int CHECK (x > 0), y int REFERENCES nc_p, z int, CHECK (z > x), UNIQUE (z), EXCLUDE USING btree (y WITH =));
ALTER TABLE nc_a ADD CHECK (x > 5);
ALTER TABLE nc_a ADD COLUMN w int CHECK (w > 5) REFERENCES nc_p;
ALTER TABLE nc_a ADD FOREIGN KEY (z) REFERENCES nc_p;
SELECT conrelid::regclass, conname FROM pg_constraint WHERE conrelid IN ('nc_a'::regclass, 'nc_b'::regclass) ORDER BY 1, 2;
CREATE DOMAIN nc_d AS int CHECK (value > 0);
ALTER DOMAIN nc_d RENAME TO nc_e;
CREATE DOMAIN nc_d AS int CHECK (value > 0) CHECK (value < 5);
ALTER DOMAIN nc_d ADD CHECK (value <> 3);
SELECT contypid::regtype, conname FROM pg_constraint WHERE contypid IN ('nc_d'::regtype, 'nc_e'::regtype) ORDER BY 1, 2;
-- Another schema has names of its own.
CREATE TABLE nc_s.nc_a (x int CHECK (x > 0) UNIQUE);
SELECT conname FROM pg_constraint WHERE conrelid = 'nc_s.nc_a'::regclass ORDER BY 1;
-- A key's name is free where neither a relation nor a constraint has it, a condition's where no constraint has.
CREATE TABLE nc_q (x int, CONSTRAINT nc_r_x_check CHECK (x > 0), CONSTRAINT nc_r_x_key CHECK (x > 1), CONSTRAINT nc_r_pkey CHECK (x > 2));
CREATE TABLE nc_t_x_check (x int);
CREATE TABLE nc_r (x int CHECK (x > 1) UNIQUE, y int PRIMARY KEY);
CREATE TABLE nc_t (x int CHECK (x > 1));
SELECT conrelid::regclass, conname FROM pg_constraint WHERE conrelid IN ('nc_r'::regclass, 'nc_t'::regclass) ORDER BY 1, 2;
-- Who gives a name may give one that another table's constraint has.
CREATE TABLE nc_u (x int, CONSTRAINT nc_r_x_check CHECK (x > 3));
ALTER TABLE nc_u ADD CONSTRAINT nc_a_y_fkey FOREIGN KEY (x) REFERENCES nc_p;
INSERT INTO nc_u VALUES (1);
CREATE TABLE nc_parent (x int, y int REFERENCES nc_p) PARTITION BY LIST (x);
CREATE TABLE nc_one PARTITION OF nc_parent FOR VALUES IN (1);
CREATE TABLE nc_two (y int CONSTRAINT nc_parent_y_fkey CHECK (y > 0), x int);
ALTER TABLE nc_parent ATTACH PARTITION nc_two FOR VALUES IN (2);
SELECT conrelid::regclass, conname, contype FROM pg_constraint WHERE conrelid IN ('nc_parent'::regclass, 'nc_one'::regclass, 'nc_two'::regclass) ORDER BY 1, 2;
DROP TABLE nc_parent, nc_u, nc_t, nc_r, nc_q, nc_t_x_check, nc_a, nc_b, nc_p CASCADE;
DROP SCHEMA nc_s CASCADE;
DROP DOMAIN nc_d, nc_e;
