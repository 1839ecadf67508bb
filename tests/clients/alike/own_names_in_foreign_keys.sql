-- A table's own name, unqualified, means what the search path finds: another table where its own schema is not searched, or later.
CREATE TABLE t (id int PRIMARY KEY);
CREATE SCHEMA s;
CREATE TABLE s.t (id int PRIMARY KEY, up int REFERENCES t);
CREATE TABLE s.t2 (id int PRIMARY KEY, up int REFERENCES t2);
CREATE TABLE s.t2 (id int PRIMARY KEY, up int REFERENCES s.t2);
ALTER TABLE s.t2 ADD FOREIGN KEY (up) REFERENCES t2 (id);
ALTER TABLE s.t ADD FOREIGN KEY (up) REFERENCES t (id);
CREATE TABLE t3 (id int PRIMARY KEY, up int REFERENCES t3);
SET search_path = s, public;
CREATE TABLE t4 (id int PRIMARY KEY, up int REFERENCES t4);
CREATE TABLE t3 (id int PRIMARY KEY, up int REFERENCES t3);
CREATE TABLE public.t2 (id int PRIMARY KEY, up int REFERENCES t2);
CREATE TEMP TABLE t4 (id int PRIMARY KEY, up int REFERENCES t4);
SET search_path = public, s;
CREATE TABLE s.t5 (id int PRIMARY KEY, up int REFERENCES t5);
SELECT conname, conrelid::regclass, confrelid::regclass FROM pg_constraint WHERE contype = 'f' AND connamespace <> pg_my_temp_schema() ORDER BY conrelid::regclass::text, conname;
INSERT INTO s.t VALUES (5, 5);
