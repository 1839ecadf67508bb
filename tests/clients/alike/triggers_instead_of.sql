-- Views that INSTEAD OF triggers write, whatever their queries are.
CREATE TABLE a (id int PRIMARY KEY, x int);
CREATE TABLE b (id int PRIMARY KEY, y text);
CREATE VIEW v AS SELECT a.id, a.x, b.y, count(*) OVER () AS n FROM a JOIN b USING (id);
INSERT INTO v VALUES (1, 1, 'one');
CREATE FUNCTION write_v() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE NOTICE '% % % old=% new=%', TG_NAME, TG_WHEN, TG_OP,
    CASE WHEN TG_OP <> 'INSERT' THEN OLD::text END, CASE WHEN TG_OP <> 'DELETE' THEN NEW::text END;
  IF TG_OP = 'INSERT' THEN
    INSERT INTO a VALUES (NEW.id, NEW.x);
    INSERT INTO b VALUES (NEW.id, NEW.y);
    NEW.n := -1;
    RETURN NEW;
  ELSIF TG_OP = 'UPDATE' THEN
    IF NEW.x < 0 THEN RETURN NULL; END IF;
    UPDATE a SET id = NEW.id, x = NEW.x WHERE id = OLD.id;
    UPDATE b SET id = NEW.id, y = NEW.y WHERE id = OLD.id;
    RETURN NEW;
  END IF;
  DELETE FROM a WHERE id = OLD.id;
  DELETE FROM b WHERE id = OLD.id;
  RETURN OLD;
END $$;
CREATE TRIGGER write INSTEAD OF INSERT OR UPDATE OR DELETE ON v FOR EACH ROW EXECUTE FUNCTION write_v();
\d+ v
INSERT INTO v (id, x, y) VALUES (1, 1, 'one'), (2, 2, 'two') RETURNING *;
INSERT INTO v SELECT i, i, 'n' || i FROM generate_series(3, 5) i;
UPDATE v SET x = x * 10 WHERE id > 2;
UPDATE v SET y = 'changed', x = -1 WHERE id = 1;
UPDATE v SET y = upper(y) WHERE y LIKE 't%' RETURNING id, y;
UPDATE v SET x = s.x FROM (VALUES (4, 44), (5, 55)) s (id, x) WHERE v.id = s.id RETURNING v.id, v.x, s.x;
DELETE FROM v WHERE id = 5 RETURNING *;
DELETE FROM v USING b WHERE b.id = v.id AND b.y = 'n4';
SELECT id, x, y FROM v ORDER BY id;
SELECT table_name, is_updatable, is_trigger_updatable, is_trigger_deletable, is_trigger_insertable_into FROM information_schema.views WHERE table_name = 'v';
DROP TRIGGER write ON v;
DELETE FROM v;
CREATE VIEW simple AS SELECT id, x FROM a;
CREATE TRIGGER only_insert INSTEAD OF INSERT ON simple FOR EACH ROW EXECUTE FUNCTION write_v();
UPDATE simple SET x = 0 WHERE id = 1;
SELECT * FROM simple ORDER BY id;
CREATE TRIGGER w INSTEAD OF INSERT ON simple EXECUTE FUNCTION write_v();
CREATE TRIGGER w INSTEAD OF UPDATE OF x ON simple FOR EACH ROW EXECUTE FUNCTION write_v();
CREATE TRIGGER w INSTEAD OF UPDATE ON simple FOR EACH ROW WHEN (NEW.x > 1) EXECUTE FUNCTION write_v();
CREATE TRIGGER w BEFORE TRUNCATE ON simple EXECUTE FUNCTION write_v();
DROP VIEW simple, v;
-- COPY into a view: its triggers say what becomes of each row.
create table kept (a int primary key, b text);
create view shown as select b, a from kept;
create function keep() returns trigger language plpgsql as $$ begin if new.a = 13 then raise exception 'no %', new.b; end if; insert into kept values (coalesce(new.a, 99), new.b || '!'); return null; end $$;
create trigger tr instead of insert on shown for each row execute function keep();
copy shown from stdin;
x	1
y	2
\N	3
\.
copy shown (a) from stdin csv;
10
\.
select * from kept order by a;
copy shown from stdin;
z	20
w	13
q	21
\.
copy shown from stdin;
z	20
w	notint
\.
copy shown from stdin;
z	20
w	1
\.
begin;
copy shown from stdin;
z	30
\.
select count(*) from kept;
rollback;
copy shown (a, a) from stdin;
select count(*) from kept;
alter view shown alter column a set default 77;
copy shown (b) from stdin;
dflt
\.
select * from kept where a = 77;
begin read only;
copy shown from stdin;
rollback;
