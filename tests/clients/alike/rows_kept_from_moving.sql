-- A BEFORE DELETE trigger of a partition keeps a row from leaving it: it is not updated, nor there twice.
CREATE TABLE rkm (tid int, b float) PARTITION BY LIST (tid);
CREATE TABLE rkm1 PARTITION OF rkm FOR VALUES IN (1, 2);
CREATE TABLE rkm2 PARTITION OF rkm FOR VALUES IN (3, 4);
INSERT INTO rkm VALUES (1, 1), (2, 2), (2, 20);
CREATE FUNCTION rkm_keeps() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF OLD.b < 10 THEN RETURN NULL; END IF; RETURN OLD; END $$;
CREATE TRIGGER keeps BEFORE DELETE ON rkm1 FOR EACH ROW EXECUTE FUNCTION rkm_keeps();
UPDATE rkm SET tid = 3 WHERE tid = 1;
SELECT tableoid::regclass, * FROM rkm ORDER BY 1, 2, 3;
UPDATE rkm SET tid = tid + 2 RETURNING *;
SELECT tableoid::regclass, * FROM rkm ORDER BY 1, 2, 3;
MERGE INTO rkm t USING (VALUES (2)) s (i) ON t.tid = s.i WHEN MATCHED THEN UPDATE SET tid = 4;
SELECT tableoid::regclass, * FROM rkm ORDER BY 1, 2, 3;
MERGE INTO rkm t USING (VALUES (1), (7)) s (i) ON t.tid = s.i WHEN MATCHED THEN UPDATE SET b = 9 WHEN NOT MATCHED THEN INSERT VALUES (3, s.i);
SELECT tableoid::regclass, * FROM rkm ORDER BY 1, 2, 3;
DROP TABLE rkm;
DROP FUNCTION rkm_keeps();
