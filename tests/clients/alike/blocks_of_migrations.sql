-- DO: what ORMs' migrations send.
DO $$ BEGIN CREATE TYPE mood AS ENUM ('sad', 'ok'); EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO $$ BEGIN CREATE TYPE mood AS ENUM ('sad', 'ok'); EXCEPTION WHEN duplicate_object THEN NULL; END $$;
DO 'BEGIN CREATE TYPE "public"."enum_role" AS ENUM(''a'', ''b''); EXCEPTION WHEN duplicate_object THEN null; END';
SELECT enum_range(NULL::mood), enum_range(NULL::enum_role);
CREATE TABLE parent (id int PRIMARY KEY);
CREATE TABLE child (id int PRIMARY KEY, p int);
DO $$
BEGIN
  ALTER TABLE child ADD CONSTRAINT child_p FOREIGN KEY (p) REFERENCES parent (id);
EXCEPTION
  WHEN duplicate_object OR duplicate_table THEN
    RAISE NOTICE 'there already: %', 'child_p';
END
$$ LANGUAGE plpgsql;
DO LANGUAGE plpgsql $$
BEGIN
  ALTER TABLE child ADD CONSTRAINT child_p FOREIGN KEY (p) REFERENCES parent (id);
EXCEPTION
  WHEN duplicate_object OR duplicate_table THEN
    RAISE NOTICE 'there already: % (% %%)', 'child_p', NULL::int;
END
$$;
DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE table_name = 'child' AND column_name = 'extra') THEN
    ALTER TABLE child ADD COLUMN extra text DEFAULT 'x';
  END IF;
  IF (SELECT count(*) FROM parent) > 0 THEN
    RAISE EXCEPTION 'not empty';
  ELSIF (SELECT count(*) FROM child) = 0 THEN
    INSERT INTO parent VALUES (1), (2);
    PERFORM id FROM parent;
    EXECUTE 'INSERT INTO child (id, p) VALUES (1, 1)';
    EXECUTE format('INSERT INTO child (id, p) VALUES (%s, %L)', 2, 2);
  ELSE
    NULL;
  END IF;
END $$;
SELECT * FROM child ORDER BY id;
-- All or nothing, and handlers undo their block only.
DO $$ BEGIN INSERT INTO parent VALUES (3); INSERT INTO parent VALUES (1); END $$;
SELECT count(*) FROM parent;
DO $$ BEGIN
  INSERT INTO parent VALUES (3);
  BEGIN INSERT INTO parent VALUES (4); INSERT INTO parent VALUES (1); EXCEPTION WHEN unique_violation THEN INSERT INTO parent VALUES (5); END;
  BEGIN INSERT INTO child VALUES (9, 99); EXCEPTION WHEN others THEN RAISE WARNING 'none such'; END;
  BEGIN PERFORM 1/0; EXCEPTION WHEN data_exception THEN INSERT INTO parent VALUES (6); END;
  RETURN;
  INSERT INTO parent VALUES (7);
END $$;
SELECT * FROM parent ORDER BY id;
DO $$ BEGIN BEGIN INSERT INTO parent VALUES (1); EXCEPTION WHEN check_violation THEN NULL; END; END $$;
DO $$ BEGIN BEGIN PERFORM 1/0; EXCEPTION WHEN SQLSTATE '22012' THEN PERFORM 'x'::int; END; END $$;
-- In a transaction of the client's.
BEGIN;
DO $$ BEGIN INSERT INTO parent VALUES (10); END $$;
DO $$ BEGIN BEGIN INSERT INTO parent VALUES (11); RAISE EXCEPTION 'undone'; EXCEPTION WHEN raise_exception THEN NULL; END; END $$;
SELECT count(*) FROM parent;
DO $$ BEGIN INSERT INTO parent VALUES (10); END $$;
SELECT 1;
ROLLBACK;
SELECT count(*) FROM parent;
-- RAISE
DO $$ BEGIN RAISE 'plain'; END $$;
DO $$ BEGIN RAISE INFO 'of % and %', 1 + 1, current_schema(); RAISE LOG 'unseen'; RAISE DEBUG 'unseen'; END $$;
DO $$ BEGIN RAISE EXCEPTION 'bad %', 7 USING ERRCODE = 'check_violation', DETAIL = 'that ' || 'one', HINT = 'another', CONSTRAINT = 'c', TABLE = 't'; END $$;
DO $$ BEGIN RAISE unique_violation; END $$;
DO $$ BEGIN RAISE unique_violation USING MESSAGE = 'mine'; END $$;
DO $$ BEGIN RAISE SQLSTATE '23505'; END $$;
DO $$ BEGIN RAISE NOTICE 'a' USING DETAIL = 'b'; END $$;
-- What is wrong.
DO $$ BEGIN SELECT 1; END $$;
DO $$ BEGIN INSERT INTO parent VALUES (20) RETURNING id; END $$;
DO $$ BEGIN INSERT INTO nowhere VALUES (1); END $$;
DO $$ BEGIN IF nothing = 1 THEN NULL; END IF; END $$;
DO $$ BEGIN IF 1 THEN END; END $$;
DO $$ BEGIN PERFORM 1/0; EXCEPTION WHEN division_by_zero THEN RAISE NOTICE 'first'; RAISE; END $$;
DO $$ BEGIN
  BEGIN
    BEGIN RAISE EXCEPTION 'a'; EXCEPTION WHEN OTHERS THEN RAISE EXCEPTION 'b'; END;
  EXCEPTION WHEN OTHERS THEN NULL; END;
  RAISE; END $$;
DO $$ BEGIN LOCK TABLE parent IN ACCESS EXCLUSIVE MODE NOWAIT; EXCEPTION WHEN lock_not_available THEN RAISE NOTICE 'no'; END $$;
LOCK TABLE parent;
DO 'BEGIN NULL END';
DO $x$ BEGIN
  RAISE; END $x$;
DO $$ BEGIN END $$ $$ BEGIN END $$;
DO $$ BEGIN EXECUTE NULL; END $$;
DO $$ BEGIN EXECUTE 'selec 1'; END $$;
DO $$ BEGIN SAVEPOINT s; END $$;
DO $$ BEGIN COPY parent TO STDOUT; END $$;
DO $$ BEGIN RAISE NOTICE 'x %'; END $$;
DO $$ BEGIN RAISE NOTICE 'x', 1; END $$;
DO $$ BEGIN NULL; EXCEPTION WHEN nothing_known THEN NULL; END $$;
DO $$ BEGIN NULL; EXCEPTION WHEN SQLSTATE 'abc' THEN NULL; END $$;
DO;
DO LANGUAGE sql 'SELECT 1';
DO LANGUAGE nothing 'x';
SELECT * FROM parent ORDER BY id;
DROP TABLE child, parent;
DROP TYPE mood, enum_role;
