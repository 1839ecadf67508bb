-- Statement triggers of tables with children, whose functions look at all rows of the statement as rows of the table that it names.
CREATE TABLE par (id int PRIMARY KEY, k text);
CREATE TABLE ch1 (extra int) INHERITS (par);
CREATE TABLE ch2 (more text) INHERITS (ch1);
CREATE FUNCTION both() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% % % %', TG_NAME, TG_TABLE_NAME, TG_OP, (SELECT array_agg((w, i) ORDER BY w.id) FROM was w FULL JOIN is_now i ON w.id = i.id); RETURN NULL; END $$;
CREATE FUNCTION was() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE NOTICE '% % % old %', TG_NAME, TG_TABLE_NAME, TG_OP, (SELECT jsonb_agg(to_jsonb(o) ORDER BY o.id) FROM was o); RETURN NULL; END $$;
CREATE TRIGGER upd AFTER UPDATE ON par REFERENCING OLD TABLE AS was NEW TABLE AS is_now FOR EACH STATEMENT EXECUTE FUNCTION both();
CREATE TRIGGER del AFTER DELETE ON par REFERENCING OLD TABLE AS was FOR EACH STATEMENT EXECUTE FUNCTION was();
CREATE TRIGGER updc AFTER UPDATE ON ch1 REFERENCING OLD TABLE AS was NEW TABLE AS is_now FOR EACH STATEMENT EXECUTE FUNCTION both();
INSERT INTO par VALUES (1, 'p'), (2, 'q'); INSERT INTO ch1 VALUES (3, 'c', 30); INSERT INTO ch2 VALUES (4, 'd', 40, 'm');
UPDATE par SET k = k || '!';
UPDATE ch1 SET k = k || '?', extra = 1;
UPDATE ONLY par SET k = 'only';
UPDATE par SET k = 'three' WHERE id = 3;
DELETE FROM par WHERE id > 2;
DELETE FROM par;
