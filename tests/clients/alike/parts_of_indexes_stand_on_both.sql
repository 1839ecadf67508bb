-- What a partition has because its parent has it stands on both: pg_dump writes a parent's index before
-- those of its partitions by these rows.
CREATE TABLE pid (k int, v text, r int) PARTITION BY RANGE (k);
CREATE TABLE pid_1 PARTITION OF pid FOR VALUES FROM (0) TO (10);
CREATE TABLE pid_2 PARTITION OF pid FOR VALUES FROM (10) TO (20) PARTITION BY LIST (v);
CREATE TABLE pid_2_a PARTITION OF pid_2 FOR VALUES IN ('a');
CREATE INDEX pid_v ON pid (v);
CREATE TABLE pid_seen (k int PRIMARY KEY);
ALTER TABLE pid ADD CONSTRAINT pid_key PRIMARY KEY (k, v);
ALTER TABLE pid ADD CONSTRAINT pid_ref FOREIGN KEY (r) REFERENCES pid_seen;
SELECT pg_describe_object(classid, objid, objsubid), deptype, pg_describe_object(refclassid, refobjid, refobjsubid)
  FROM pg_depend WHERE deptype IN ('P', 'S') AND (classid, objid) IN
    (SELECT 'pg_class'::regclass, oid FROM pg_class WHERE relname ~ '^pid'
     UNION ALL SELECT 'pg_constraint'::regclass, oid FROM pg_constraint WHERE conname ~ '^pid') ORDER BY 1, 2, 3;
DROP INDEX pid_1_v_idx;
DROP TABLE pid_1;
SELECT pg_describe_object(classid, objid, objsubid), deptype, pg_describe_object(refclassid, refobjid, refobjsubid)
  FROM pg_depend WHERE deptype IN ('P', 'S') AND classid = 'pg_class'::regclass AND objid IN
    (SELECT oid FROM pg_class WHERE relname ~ '^pid') ORDER BY 1, 2, 3;
DROP TABLE pid, pid_seen;
